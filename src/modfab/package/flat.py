# SPDX-License-Identifier: Apache-2.0
"""The same core as one file of plain Verilog, for simulators without SystemVerilog."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

from modfab.flow.design import digest_of
from modfab.flow.tools import Job, Progress, find_tool, run_job, silent, work_folder
from modfab.sim.cache import check_file, making, private_dir, publish

_LIMIT_S = 1800.0  # after which Yosys is stopped

_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// The core as one file of Verilog-2005, elaborated by Yosys from the SystemVerilog, for tools that
// do not read that. Its primitives are generic: area and frequency that were measured are of rtl/
// for its target. All registers and memories begin with 0: a sum with one unknown bit would be
// unknown for ever in a simulator with x.
"""

_REGISTER = re.compile(
    r"^  (?:output )?reg (?:\[\d+:\d+\] )?(?P<name>\\?\S+?) *(?:\[(?P<last>\d+):0\])? ?;$",
    re.MULTILINE,
)
"""Declaration of a register or a memory in Yosys' Verilog."""


def flat_verilog(top: str, texts: Mapping[str, str], progress: Progress = silent) -> str:
    """Elaborate RTL into one file of Verilog-2005; what Yosys writes is kept in the cache.

    Args:
        top: Top module.
        texts: File name -> text, packages first.
        progress: Told of the run, when one is needed.

    Raises:
        ToolError: Yosys is missing or refused the RTL.
        CacheError: The cache is not this user's own.
    """
    yosys = find_tool("yosys")
    script = f"read_slang --threads 1 --top {top} {' '.join(texts)}; hierarchy -check; proc; "
    script += "opt_expr; bwmuxmap; opt_clean; check -assert; write_verilog -noattr flat.v"
    arguments = ["-Q", "-T", "-l", "yosys.log", "-p", script]
    key = digest_of({**texts, "": f"{script} {yosys.version}"})
    kept = private_dir("flat") / f"{top}-{key}.v"
    with making(kept, lambda: None) as needed:
        if needed:
            with work_folder("modfab-flat-") as folder:
                for file, text in texts.items():
                    (folder / file).write_text(text)
                what = f"Yosys, plain Verilog of {top}"
                job = Job(yosys, arguments, folder, "yosys.log", what, _LIMIT_S)
                run_job(job, progress)
                publish(folder / "flat.v", kept)
    check_file(kept)
    body = _with_zeros(kept.read_text())
    return _HEADER + "\n".join(line.rstrip() for line in body.splitlines()) + "\n"


def _with_zeros(text: str) -> str:
    """The text with an initial value behind each register and memory that has none."""
    given = set(re.findall(r"^    (\S+) (?:\[0\] )?= ", text, re.MULTILINE))
    places = itertools.count()

    def declared(found: re.Match[str]) -> str:
        name, last = found["name"], found["last"]
        if name in given:
            return found[0]
        if last is None:
            return f"{found[0]}\n  initial {name} = 0;"
        i = f"mf_place_{next(places)}"
        step = f"for ({i} = 0; {i} <= {last}; {i} = {i} + 1)"
        return f"{found[0]}\n  integer {i};\n  initial {step} {name} [{i}] = 0;"

    return _REGISTER.sub(declared, text)
