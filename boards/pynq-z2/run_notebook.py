# SPDX-License-Identifier: Apache-2.0
"""Execute the notebook of this folder on the simulated core and store its outputs.

Usage: ./modfab python boards/pynq-z2/run_notebook.py, after a change of the core's cycles.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
NOTEBOOK = FOLDER / "rsa_crt.ipynb"
nbformat: Any = importlib.import_module("nbformat")  # its functions have no types


def executed() -> Any:
    """The notebook with the outputs of a run in a new kernel, in the folder where it lies."""
    os.environ.pop("DEVICE", None)
    book = nbformat.read(NOTEBOOK, as_version=4)
    places = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(book, timeout=600, kernel_name="python3", resources=places).execute()
    for cell in book.cells:
        cell.metadata.pop("execution", None)  # times
        if cell.cell_type == "code":  # stderr tells of a first compilation of the simulator
            printed = [made.text for made in cell.outputs if made.get("name") == "stdout"]
            failed = [made for made in cell.outputs if made.output_type == "error"]
            text = nbformat.v4.new_output("stream", name="stdout", text="".join(printed))
            cell.outputs = failed + ([text] if printed else [])
    book.metadata.language_info = {"name": "python"}  # not this Python's version
    return book


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
