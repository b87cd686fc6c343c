# SPDX-License-Identifier: Apache-2.0
"""Changes one place of the RTL at a time and asks whether a test of its file notices.

Each mutant is a change of one operator, condition, constant, slice, enable, reset or next state, in
a copy of the checkout. One that no tool can build is drawn again. The default suite's tests of the
mutant's folder run on it, the first failure ends them; they have to pass without a change first.
Survivors are listed with the change; where the circuit at the module's defaults is the same, the
report says so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from modfab.errors import ToolError
from modfab.flow.elaborate import elaborate
from modfab.paths import cache_dir
from tests.support.eda import PACKAGES, module_files

ROOT = Path(__file__).resolve().parents[2]

FOLDERS: dict[str, tuple[str, ...]] = {
    "rtl/rsa": (
        "tests/rtl/test_rsa_[!f]*.py",
        "tests/rtl/test_rsa_faults.py",
        "tests/rtl/test_rsa_flips.py",
    ),
    "rtl/farm": ("tests/rtl/test_rsa_farm*.py",),
    "rtl/exp": ("tests/rtl/test_exp_*.py", "tests/rtl/test_modexp_rtl.py"),
    "rtl/modexp": ("tests/rtl/test_modexp_*.py",),
    "rtl/bus": (
        "tests/rtl/test_modexp_axil.py",
        "tests/rtl/test_alarm_output.py",
        "tests/rtl/test_rsa_farm_faults.py",
        "tests/host/test_rsa_device.py",
        "tests/host/test_rsa_contexts.py",
        "tests/host/test_rsa_public_only.py",
    ),
    "rtl/board": ("tests/rtl/test_uartbone.py", "tests/sim/test_board.py", "tests/formal"),
    "rtl/common": ("tests/contract", "tests/rtl/test_exp_*.py", "tests/formal"),
    "rtl/papers": ("tests/rtl/test_paper_liao_chen*.py",),
    "rtl/mul": ("tests/contract", "tests/rtl/test_mul_{engine}*.py", "tests/formal"),
}
"""Folder of the RTL -> the tests of its files; `{engine}` is the folder below `rtl/mul`."""

SWAPS = {
    "operator": (
        (r"==(?!=)", "!="),
        (r"!=(?!=)", "=="),
        (r"&&", "||"),
        (r"\|\|", "&&"),
        (r" \+ ", " - "),
        (r" - ", " + "),
        (r" & ", " | "),
        (r" \| ", " & "),
        (r" \^ ", " | "),
        (r" < ", " >= "),
        (r" > ", " <= "),
    ),
    "constant": ((r"1'b0", "1'b1"), (r"1'b1", "1'b0"), (r"'0\b", "'1"), (r"'1\b", "'0")),
}
_SKIPPED = re.compile(r"\b(assert|MF_\w+|import|typedef|enum|parameter|\$error|genvar)\b")


Change = tuple[int, str, str, str]
"""Offset, kind, before, after."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: `before` at `offset` of a file becomes `after`."""

    path: str
    offset: int
    line: int
    kind: str
    before: str
    after: str

    def applied(self, text: str) -> str:
        """The file's text with the change."""
        assert text.startswith(self.before, self.offset)
        return text[: self.offset] + self.after + text[self.offset + len(self.before) :]


def masked(text: str) -> str:
    """The text with its comments, strings, attributes and declarations blanked, as long as it is.

    >>> masked('a = b; // c == d')
    'a = b;          '
    """

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|\(\*.*?\*\)', blank, text, flags=re.DOTALL)
    lines = text.split("\n")
    return "\n".join(" " * len(line) if _SKIPPED.search(line) else line for line in lines)


def _closing(text: str, opening: int) -> int:
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return -1


def _swaps(code: str) -> Iterator[Change]:
    for kind, swaps in SWAPS.items():
        for pattern, after in swaps:
            for match in re.finditer(pattern, code):
                yield match.start(), kind, match[0], after
    for match in re.finditer(r"\b(\d+'d)(\d+)\b", code):
        yield match.start(), "constant", match[0], f"{match[1]}{int(match[2]) ^ 1}"
    for match in re.finditer(r"(?<=\w)\[(\d+)\]", code):
        yield match.start(), "slice", match[0], f"[{int(match[1]) ^ 1}]"


def _conditions(code: str, text: str) -> Iterator[Change]:
    for match in re.finditer(r"\bif \(", code):
        end = _closing(code, match.end() - 1)
        before = text[match.start() : end + 1]
        inside = before[4:-1]
        yield match.start(), "condition", before, f"if (!({inside}))"
        if "rst_i" in inside:
            yield match.start(), "reset", before, "if (1'b0)"
        elif re.match(r" \w+_q\b", code[end + 1 :]):
            yield match.start(), "enable", before, "if (1'b1)"


def _states(code: str) -> Iterator[Change]:
    states = sorted(set(re.findall(r"\bSt[A-Z]\w*\b", code)))
    for match in re.finditer(r"(?<=[=?:] )\bSt[A-Z]\w*\b", code):
        others = [state for state in states if state != match[0]]
        if others:
            yield match.start(), "next state", match[0], others[match.start() % len(others)]


def mutants_of(path: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a file."""
    code = masked(text)
    for offset, *rest in chain(_swaps(code), _conditions(code, text), _states(code)):
        yield Mutant(path, offset, text.count("\n", 0, offset) + 1, *rest)


def paths_of(path: str, root: Path) -> list[str]:
    """Arguments of pytest for the default suite's tests of a file."""
    folder = next(name for name in FOLDERS if path.startswith(f"{name}/"))
    engine = Path(path).parent.name if folder == "rtl/mul" else ""
    found = [
        str(match.relative_to(root))
        for pattern in FOLDERS[folder]
        for match in sorted(root.glob(pattern.format(engine=engine)))
    ]
    known = engine and engine != "common"
    names = f"{engine} or redundant-" if engine.startswith("redundant_") else engine
    chosen = ["-k", names] if known else []
    return [*dict.fromkeys(found), *chosen]


def rtl_names() -> list[str]:
    """Every SystemVerilog file of the RTL."""
    words = ["git", "-C", str(ROOT), "ls-files", "rtl/**/*.sv"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def files_of(only: str) -> dict[str, str]:
    return {
        name: (ROOT / name).read_text()
        for name in rtl_names()
        if any(name.startswith(f"{folder}/") for folder in FOLDERS)
        and name.startswith(only)
        and not name.endswith("_pkg.sv")
        and "/generated/" not in name
    }


def drawn(texts: dict[str, str], rng: random.Random) -> Iterator[Mutant]:
    """Mutants without end but for the last one, each file and each kind as likely as any other."""
    left = {path: list(mutants_of(path, text)) for path, text in texts.items()}
    while any(left.values()):
        path = rng.choice([path for path, some in left.items() if some])
        kind = rng.choice(sorted({mutant.kind for mutant in left[path]}))
        mutant = rng.choice([mutant for mutant in left[path] if mutant.kind == kind])
        left[path].remove(mutant)
        yield mutant


def _copy(folder: Path) -> None:
    words = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file():
            shutil.copy2(source, target)


def _same_circuit(folder: Path, mutant: Mutant) -> bool:
    """Whether the module, at its defaults, elaborates to the same circuit."""
    paths = [path.resolve().relative_to(ROOT) for path in (*PACKAGES, *module_files())]
    used = [path for path in paths if "/prim/" not in str(path) or "/generic/" in str(path)]
    circuits = []
    for root in (ROOT, folder):
        texts = {path.name: (root / path).read_text() for path in used}
        try:
            circuits.append(elaborate(Path(mutant.path).stem, texts).circuit)
        except ToolError:
            return False
    return circuits[0] == circuits[1]


def try_mutant(
    mutant: Mutant, folder: Path, cache: Path, limit_s: float
) -> tuple[str, float, bool]:
    """Change the copy, run the tests, change it back.

    Returns:
        killed, survived, late or unbuilt; the seconds; for a survivor whether its circuit is the
        one without the change.
    """
    path = folder / mutant.path
    text = path.read_text()
    path.write_text(mutant.applied(text))
    started = time.monotonic()
    try:
        outcome = _outcome(paths_of(mutant.path, folder), folder, cache, limit_s)
        seconds = time.monotonic() - started
        return outcome, seconds, outcome == "survived" and _same_circuit(folder, mutant)
    finally:
        path.write_text(text)


def _outcome(tests: Sequence[str], folder: Path, cache: Path, limit_s: float) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "MODFAB_CACHE": str(cache),
        "MODFAB_SEED": "1",
    }
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n", "2"]
    words += tests
    tool = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        text, _ = tool.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(tool.pid, signal.SIGKILL)  # with its workers
        tool.communicate()
        return "late"  # a hang that no limit of the tests ended in time
    if tool.returncode == 0:
        return "survived"
    # pytest's codes for tests that failed, without and with several processes
    if tool.returncode != 1 and "stopping after" not in text:
        raise RuntimeError(f"pytest ended with {tool.returncode}: {text[-2000:]}")
    return "unbuilt" if "Verilator failed" in text and "%Error" in text else "killed"


Tried = tuple[Mutant, str, float, bool]
"""A mutant, its outcome, the seconds, whether its circuit is the one without the change."""


def _report(folder: Path, tried: list[Tried], seed: int) -> str:
    counts: dict[str, Counter[str]] = {}
    for mutant, outcome, _, same in tried:
        name = str(Path(mutant.path).parent)
        counts.setdefault(name, Counter())[outcome] += 1
        counts[name]["same circuit"] += outcome == "survived" and same
    rows = [
        {
            **asdict(mutant),
            "outcome": outcome,
            "seconds": round(seconds, 1),
            "same_circuit": same,
        }
        for mutant, outcome, seconds, same in tried
    ]
    data = {"seed": seed, "folders": {k: dict(v) for k, v in counts.items()}, "mutants": rows}
    (folder / "mutants.json").write_text(json.dumps(data, indent=1) + "\n")
    lines = []
    for name, row in sorted(counts.items()):
        killed, alive = row["killed"] + row["late"], row["survived"] - row["same circuit"]
        lines.append(f"{name}: {killed} of {killed + alive} killed")
    for mutant, outcome, _, same in tried:
        if outcome == "survived":
            note = " (same circuit)" if same else ""
            change = f"{mutant.before!r} -> {mutant.after!r}"
            lines.append(f"survived{note}: {mutant.path}:{mutant.line} {mutant.kind} {change}")
    return "\n".join(lines)


def run(number: int, seed: int, only: str, limit_s: float, out: Path) -> str:
    """Try so many mutants that can be built; the summary. `mutants.json` grows with each one."""
    texts, tried = files_of(only), list[Tried]()
    cache = Path(tempfile.mkdtemp(prefix="modfab-mutants-"))
    folder, own, built, shown = cache / "checkout", cache / "cache", 0, ""
    try:
        _copy(folder)
        if cache_dir().is_dir():  # what is compiled already, by links
            shutil.copytree(cache_dir(), own, copy_function=os.link)
        own.mkdir(mode=0o700, exist_ok=True)
        sound = set[tuple[str, ...]]()
        for mutant in drawn(texts, random.Random(seed)):
            tests = tuple(paths_of(mutant.path, folder))
            if tests not in sound and _outcome(tests, folder, own, limit_s) != "survived":
                raise SystemExit(f"without a change these tests fail, or take longer: {tests}")
            sound.add(tests)
            outcome, seconds, same = try_mutant(mutant, folder, own, limit_s)
            built += outcome != "unbuilt"
            tried.append((mutant, outcome, seconds, same))
            where = f"{mutant.path}:{mutant.line} {mutant.kind}"
            print(f"{built}/{number} {outcome} {where}, {seconds:.0f} s", flush=True)
            shown = _report(out, tried, seed)
            if built == number:
                break
    finally:
        shutil.rmtree(cache)
    return shown


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="tools/mutate",
        description=__doc__,
        epilog="example: tools/mutate --number 20 --only rtl/rsa -o build/mutants",
    )
    parser.add_argument("--number", type=int, default=300, help="mutants that can be built (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--only", default="rtl/", metavar="PATH", help="files below this path")
    parser.add_argument("--limit", type=float, default=900, help="seconds for a mutant (900)")
    parser.add_argument("-o", "--out", type=Path, default=Path("build/mutants"), help="folder")
    chosen = parser.parse_args()
    if not files_of(chosen.only):
        parser.error(f"no RTL with tests of its own lies below {chosen.only}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    print(run(chosen.number, chosen.seed, chosen.only, chosen.limit, chosen.out))
    print(f"Report: {chosen.out / 'mutants.json'}")
