# SPDX-License-Identifier: Apache-2.0
"""Runs of Yosys in which every warning that is not known to be harmless is an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from modfab.errors import ToolError
from modfab.flow.tools import Job, Progress, run_job, silent


@dataclass(frozen=True, slots=True)
class Known:
    """A warning that is harmless.

    Attributes:
        pattern: Regular expression of the whole line: scope and text.
        reason: Why it is harmless there.
    """

    pattern: str
    reason: str


KNOWN = (
    Known(
        r"mf_\w+\.sv:\d+: Warning: shift count of .* overflows .* \[-Wshift-count-overflow\]",
        "The library's RTL shifts words away by parameters: at their limits, of registers that are "
        "no wider than a word, nothing is left. SystemVerilog defines that result, 0.",
    ),
    Known(
        r"Warning: Module '(RAM|SRL)\w+' has no timing arcs!",
        "The longest logic path is asked for without memories, see flow.synth.Synthesis.",
    ),
    Known(
        r"Warning: (Endpoint \S*\$abc\$\S+ has no \(\* sta_arrival \*\) value"
        r"|Critical-path does not terminate in a recognised endpoint)\.",
        "As before: such a path ends in a memory, whose set-up time Yosys does not know.",
    ),
    Known(
        r"Warning: Resizing cell port \S+(\.mem_q|\.words|\$proc_rom\.cc:\d+:do_switch\$\d+)"
        r"\.\d+\.\d+\.(ADDR|DI|DO|WE)\w* "
        r"from \d+ bits to \d+ bits\.",
        "Yosys' own rules for block RAM of xcup, xc5v and xc2vp give ports the width of a family's "
        "widest RAM; the bits that are cut off are those that the narrower one does not have. Of a "
        "write enable all bits are one signal.",
    ),
    Known(
        r"Warning: Shift register inference not yet supported for family xc2vp\.",
        "A remark of Yosys about itself: shift registers stay flip-flops in this family.",
    ),
)
"""Every warning that does not end the flow."""

_WARNING = re.compile(r"^(?:.*: )?[Ww]arning: .*$", re.MULTILINE)


def warnings_of(log: Path) -> list[str]:
    """The warnings of a Yosys log that are not known to be harmless, in order, each once."""
    text = log.read_text(errors="replace") if log.is_file() else ""
    found = dict.fromkeys(line.strip() for line in _WARNING.findall(text))
    return [line for line in found if not any(re.fullmatch(k.pattern, line) for k in KNOWN)]


def run_yosys(job: Job, progress: Progress = silent) -> float:
    """Run Yosys; a warning ends it as an error does.

    Returns:
        The seconds it took.

    Raises:
        ToolError: It failed, did not end in time or warned; the text names the first warning and
            the log.
    """
    try:
        seconds = run_job(job, progress)
    except ToolError as error:
        if warnings := warnings_of(job.log_path):
            raise ToolError(f"{error} Before, it warned: {warnings[0]}", error.log) from error
        raise
    if not job.log_path.is_file():
        raise ToolError(
            f"{job.what} ended without its log {job.log_path}, so that nobody knows what it warned "
            f"of; what it printed is in {job.print_path}.",
            job.print_path,
        )
    if warnings := warnings_of(job.log_path):
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        raise ToolError(
            f"{job.what} warned, and a figure must not rest on a design with a warning: "
            f"{warnings[0]}{more}. Mend the RTL, or name the warning with its reason in "
            f"modfab.flow.warnings. The log is {job.log_path}.",
            job.log_path,
        )
    return seconds
