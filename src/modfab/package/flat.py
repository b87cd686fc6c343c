# SPDX-License-Identifier: Apache-2.0
"""The same core as one file of plain Verilog, for simulators without SystemVerilog."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from modfab.flow.tools import Job, find_tool, run_job

_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// The core as one file of Verilog-2005, elaborated by Yosys from the SystemVerilog in rtl/; for
// simulators that do not read SystemVerilog. Synthesize rtl/ instead.
"""


def flat_verilog(top: str, texts: Mapping[str, str], limit_s: float = 1800) -> str:
    """Elaborate RTL into one file of Verilog-2005.

    Args:
        top: Top module.
        texts: File name -> text, packages first.
        limit_s: Seconds after which Yosys is stopped.

    Raises:
        ToolError: Yosys is missing or refused the RTL.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in texts.items():
            (folder / file).write_text(text)
        script = f"read_slang --threads 1 --top {top} {' '.join(texts)}; hierarchy -check; proc; "
        script += "opt_expr; bwmuxmap; opt_clean; check -assert; write_verilog -noattr flat.v"
        arguments = ["-Q", "-T", "-l", "yosys.log", "-p", script]
        what = "Yosys, plain Verilog"
        run_job(Job(find_tool("yosys"), arguments, folder, "yosys.log", what, limit_s))
        body = (folder / "flat.v").read_text()
    return _HEADER + "\n".join(line.rstrip() for line in body.splitlines()) + "\n"
