# SPDX-License-Identifier: Apache-2.0
"""The notebook of the RSA-256 demonstration, executed; what it prints and draws is checked."""

from __future__ import annotations

import base64
import importlib
import os
import re
from dataclasses import dataclass
from typing import Any

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from modfab.build.core import modexp_core
from modfab.paths import rtl_dir

nbformat: Any = importlib.import_module("nbformat")  # its functions have no types
ROOT = rtl_dir().parent
NOTEBOOK = ROOT / "examples" / "rsa256_mmio.ipynb"


@dataclass(frozen=True)
class Outputs:
    """What a run left: all printed text, and the pictures as PNG files."""

    text: str
    pictures: list[bytes]


def execute(device: str, monkeypatch: pytest.MonkeyPatch) -> Outputs:
    """Run every cell in a new kernel; the notebook draws its numbers from the printed seed."""
    monkeypatch.setenv("DEVICE", device)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    book = nbformat.read(NOTEBOOK, as_version=4)
    options = {"metadata": {"path": str(ROOT)}}
    NotebookClient(book, timeout=600, kernel_name="python3", resources=options).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    errors = [
        output
        for output in outputs
        if output.get("name") == "stderr"
        and not output["text"].startswith("compiling the simulator")  # at the first use
    ]
    assert errors == []
    text = "".join(output.get("text", "") for output in outputs)
    shown = [output.data.get("image/png") for output in outputs if "data" in output]
    return Outputs(text, [base64.b64decode(picture) for picture in shown if picture])


def number(text: str, name: str) -> int:
    found = re.search(rf"^{name} = (0x[0-9a-f]+|\d+)$", text, re.MULTILINE)
    assert found, f"the notebook does not print {name}"
    return int(found.group(1), 0)


def check(outputs: Outputs, device: str) -> None:
    text = outputs.text
    assert f"device {device}, seed {os.environ['MODFAB_SEED']}\n" in text
    n, e, d = number(text, "n"), number(text, "e"), number(text, "d")
    assert number(text, "p") * number(text, "q") == n
    assert n.bit_length() == 256
    results = [int(x) for x in re.findall(r"^Result from the core: (\d+)$", text, re.MULTILINE)]
    golden = [int(x) for x in re.findall(r"^Golden x: +(\d+)$", text, re.MULTILINE)]
    assert len(set(golden)) == 5
    assert results == golden
    assert [pow(pow(x, e, n), d, n) for x in golden] == golden
    assert re.findall(r"^Test (\d): PASS", text, re.MULTILINE) == list("12345")
    assert "by hand: PASS" in text
    assert "FAIL" not in text
    words = re.findall(r"^write 0x(2[0-9a-f]{3}) (0x[0-9a-f]{8})$", text, re.MULTILINE)
    assert [int(address, 16) for address, _ in words] == list(range(0x2000, 0x2020, 4))
    value = sum(int(word, 16) << 32 * index for index, (_, word) in enumerate(words))
    assert value == pow(golden[0], e, n)


def check_cycles(text: str) -> None:
    config = modexp_core("bit_serial", 256, None, "r2l")
    cycles = config.sequencer.exp_cycles(config.engine, config.params, 0, 256)
    setup = config.engine.cycles.setup(config.params)
    found = re.findall(r"set-up (\d+) cycles, decryption (\d+) cycles", text)
    # The driver loads the modulus itself once, since it did not see what was done by hand.
    assert found == [(str(setup), str(cycles))] + [("0", str(cycles))] * 4
    rows = re.findall(r"^(.{24}) +(\d+) +(\d+) +(\d+\.\d\d)$", text, re.MULTILINE)
    assert len(rows) == 16
    for name, ours, paper, ratio in rows:
        assert 0 < int(ours) <= int(paper), name
        assert float(ratio) == pytest.approx(int(paper) / int(ours), abs=0.006)


def check_picture(outputs: Outputs) -> None:
    assert len(outputs.pictures) == 1
    picture = outputs.pictures[0]
    assert picture.startswith(b"\x89PNG")
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert width > 300
    assert height > 200
    assert len(picture) > 5000  # an empty canvas is smaller


@pytest.mark.parametrize("device", ["sim", pytest.param("model", marks=pytest.mark.full)])
def test_notebook(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = execute(device, monkeypatch)
    check(outputs, device)
    check_cycles(outputs.text)
    check_picture(outputs)


def test_notebook_is_stored_without_outputs() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in cells] == [[]] * len(cells)
    assert [cell.execution_count for cell in cells] == [None] * len(cells)


def test_unknown_device_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CellExecutionError, match="Expected --device sim, model, uio:/dev/uioN"):
        execute("nothing", monkeypatch)
