# SPDX-License-Identifier: Apache-2.0
"""Tables of the committed assessments, and the file that they come from.

`python -m modfab.pages.assessed FOLDER ...` puts the reports of `modfab assess` in these folders
into docs/assessment.json, in place of the same ones there, and says of all others whether they are
of today's circuit; without a folder it does only that. `modfab.pages.readme` makes the tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from modfab.assess import circuit
from modfab.assess.circuit import Report
from modfab.build.rsa import SET_BY_CORE
from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.tools import Progress, silent
from modfab.pages.run import write_files
from modfab.pages.table import table
from modfab.paths import docs_dir

KINDS = ("faults", "shell", "farm", "leakage", "timing")
"""Reports that are kept; names of files without their ending."""

_DROPPED = ("series", "seconds")
"""What a committed report does not keep: drawings, and the time that its last command took."""
_FORMS = {
    "QuotientTables": "tables",
    "LoadSum": "loads that add",
    "TwoInTurn": "two in turn",
    "FactorSlots": "few factors",
}
_FAULT_COLUMNS = (*("runs", "detected", "harmless", "wrong", "factoring", "hung", "secret_left"),)


def assessed_file() -> Path:
    """Where the reports are kept."""
    return docs_dir() / "assessment.json"


def read_reports() -> dict[str, list[Report]]:
    """The committed reports by kind."""
    found: dict[str, list[Report]] = json.loads(assessed_file().read_text(encoding="utf-8"))
    return {kind: found.get(kind, []) for kind in KINDS}


def name_of(report: Mapping[str, Any]) -> str:
    """What was assessed, as the options of the command say it.

    >>> core = {"engine": "sos", "bits": 128, "sequencer": "ladder",
    ...         "rsa": {"hardened": 1, "engines": 1, "pair": 0}}
    >>> name_of({"core": core})
    'RSA-128, `sos`, ladder, hardened'
    """
    core = report["core"]
    rsa = core["rsa"]
    words = [f"RSA-{core['bits']}", f"`{core['engine']}`", core["sequencer"]]
    words += ["dual-port"] if rsa["pair"] else [f"{rsa['engines']} engines"] * (rsa["engines"] > 1)
    words += [text for name, text in _FORMS.items() if core.get("params", {}).get(name)]
    words += _non_defaults(core)
    words += [f"{core['cores']} cores"] if "cores" in core else []
    words.append("hardened" if rsa["hardened"] else "basic")
    words += ["address blinding"] * bool(rsa.get("address_blinding"))
    words += [f"{name} {rsa[name]}" for name in ("keys", "keygen", "public_only") if name in rsa]
    return ", ".join(words)


def _non_defaults(core: Mapping[str, Any]) -> list[str]:
    """Parameters of an engine that are not its defaults, but for what other words say."""
    params = core.get("params", {})
    said = {*_FORMS, *SET_BY_CORE, *(["Contexts"] if core["rsa"]["pair"] else [])}
    rest = {name: value for name, value in params.items() if name not in said}
    return [text] if (text := get_engine(core["engine"]).non_defaults(rest)) else []


def leak_name(report: Mapping[str, Any]) -> str:
    """As `name_of`; a second set of traces of a build is told by its seed."""
    return name_of(report) + (f", seed {report['seed']}" if report["seed"] != 1 else "")


def shown(report: Mapping[str, Any], name: Callable[[Mapping[str, Any]], str] = name_of) -> str:
    """A report's name in a table, with what makes its figures those of the past.

    >>> core = {"engine": "sos", "bits": 128, "sequencer": "ladder",
    ...         "rsa": {"hardened": 1, "engines": 1, "pair": 0}}
    >>> shown({"core": core, "stale": "another circuit today"})
    'RSA-128, `sos`, ladder, hardened (another circuit today)'
    """
    stale = report.get("stale")
    return name(report) + (f" ({stale})" if stale else "")


def _sorted(kind: str) -> list[Report]:
    def place(report: Report) -> tuple[Any, ...]:
        core = report["core"]
        return (core["bits"], not core["rsa"]["hardened"], name_of(report), report["seed"])

    return sorted(read_reports()[kind], key=place)


def _fault_table(kind: str, columns: Sequence[str]) -> str:
    reports = _sorted(kind)
    rows = [
        (shown(report), str(report["seed"]), *(f"{report['total'][c]:,}" for c in columns))
        for report in reports
    ]
    total = (f"{sum(report['total'][c] for report in reports):,}" for c in columns)
    return table(("build", "seed", *columns), [*rows, ("all", "", *total)])


def faults_block(records: Sequence[Record]) -> str:
    """Faults in the core."""
    del records
    return _fault_table("faults", _FAULT_COLUMNS)


def shell_block(records: Sequence[Record]) -> str:
    """Faults in the bus shell."""
    del records
    return _fault_table("shell", (*_FAULT_COLUMNS, "disclosed", "caught_by_host"))


def farm_block(records: Sequence[Record]) -> str:
    """Faults in a farm's control, a row for each model."""
    del records
    columns = (*_FAULT_COLUMNS, "lost", "doubled", "broken")
    rows = [
        (shown(report), str(report["seed"]), model, *(f"{row[column]:,}" for column in columns))
        for report in _sorted("farm")
        for model, row in report["models"].items()
    ]
    return table(("build", "seed", "model", *columns), rows)


def timing_block(records: Sequence[Record]) -> str:
    """Cycles by key and message; what the bus shows of the first keys."""
    del records
    head = (
        *("build", "seed", "keys", "operations", "cycles, e = 65537", "deviations"),
        *("operations over the bus", "deviations"),
    )
    return table(head, [_timing_row(report) for report in _sorted("timing")])


def _timing_row(report: Report) -> tuple[str, ...]:
    rows, bus = report["rows"], report["bus"]
    usual = rows["e = 65537"]
    least, most = (f"{usual[name]:,}" for name in ("least", "most"))
    return (
        *(shown(report), str(report["seed"]), str(report["keys"])),
        *(f"{_operations(rows):,}", least if least == most else f"{least} to {most}"),
        *(str(_deviations(rows)), f"{_operations(bus):,}", str(_deviations(bus))),
    )


def _operations(rows: Mapping[str, Any]) -> int:
    """Operations: each counts once in the rows of messages."""
    return sum(row["runs"] for name, row in rows.items() if name.startswith("message "))


def _deviations(rows: Mapping[str, Any]) -> int:
    """Deviations: operations and set-ups count once in the rows of keys."""
    return sum(row["deviations"] for name, row in rows.items() if not name.startswith("message "))


def leakage_block(records: Sequence[Record]) -> str:
    """The t-tests, a row for each phase."""
    del records
    head = (
        *("build", "test", "traces", "cycles", "t", "threshold", "leak"),
        *("t of a register", "threshold", "register", "leak"),
    )
    rows = [
        (
            *(shown(report, leak_name), name, f"{row['traces']:,}", f"{row['cycles']:,}"),
            *(f"{abs(row['t']):.1f}", f"{row['threshold']:.1f}", _yes(row["leak"])),
            *(f"{row['register_t']:.1f}", f"{row['register_threshold']:.1f}"),
            *(f"`{row['register']}`", _yes(row["register_leak"])),
        )
        for report in _sorted("leakage")
        for name, row in report["rows"].items()
        if row["traces"]
    ]
    return table(head, rows)


def attacks_block(records: Sequence[Record]) -> str:
    """Correlation attacks and slot numbers."""
    del records
    reports = _sorted("leakage")
    rows = [
        (
            *(shown(report, leak_name), name, f"{row['traces']:,}"),
            *(
                f"{row['rank']} of {row['of']}",
                f"{row['z']:.1f}",
                f"{row['threshold']:.1f}",
                _yes(row["found"]),
            ),
        )
        for report in reports
        for name, row in report["attacks"].items()
        if row["traces"]
    ]
    rows += [
        (
            *(shown(report, leak_name), "slot numbers", f"{slots['operations']:,}"),
            *(f"{slots['guessed']:.1%} of the bits", "-", f"{slots['chance']:.0%}"),
            _yes(slots["found"]),
        )
        for report in reports
        if (slots := slots_of(report))
    ]
    head = ("build", "attack", "traces", "rank, or guessed", "z", "threshold", "found")
    return table(head, rows)


def slots_of(report: Report) -> Report | None:
    """What slot numbers tell, if a report covers the whole exponentiation.

    A report without `cycles` covers the cycles of its first window of toggles only.
    """
    slots: Report | None = report["slots"]
    whole = slots and ("cycles" in slots or report["watched"] == report["cycles"])
    return slots if whole else None


def summary_block(records: Sequence[Record]) -> str:
    """What remains, with its figures."""
    del records
    reports = read_reports()
    faults = [report["total"] for report in reports["faults"]]
    shell = [report["total"] for report in reports["shell"]]
    reads = sum(report["models"]["shell_read"]["runs"] for report in reports["shell"])
    runs, wrong, factoring, left = (
        sum(total[name] for total in faults)
        for name in ("runs", "wrong", "factoring", "secret_left")
    )
    lines = [
        f"Faults in the core, over {len(faults)} builds: {runs:,}. Released results that were "
        f"wrong for their message: {wrong}; that gave a factor: {factoring}; wipes that left a "
        f"secret: {left}.",
        f"In {sum(total['runs'] for total in shell):,} faults in the bus shell "
        f"{sum(total['wrong'] for total in shell)} wrong results passed the host's comparison, and "
        f"{sum(total['disclosed'] for total in shell)} of {reads:,} reads gave a word of the key.",
    ]
    farm = [report["total"] for report in reports["farm"]]
    runs, *bad = (
        sum(total[name] for total in farm) for name in ("runs", "lost", "doubled", "wrong", "hung")
    )
    lines.append(
        f"In {runs:,} faults in the control of a farm {bad[0]} jobs were lost, {bad[1]} answered "
        f"twice, {bad[2]} answered wrongly, and {bad[3]} runs hung."
    )
    said = "".join(f"* {line}\n" for line in lines)
    leaks = _sorted("leakage")
    return f"{said}\n{_leaks(leaks)}" if leaks else said


_TESTS = ("message, exponentiation", "exponent, exponentiation")
_ATTACKS = ("reduction, p", "reduction, q", "recombination, q")


def _leaks(reports: Sequence[Report]) -> str:
    """What the exponentiation shows of each build, and what each attack has come to."""
    rows = [
        (
            shown(report, leak_name),
            *(_test_cell(report["rows"].get(name)) for name in _TESTS),
            *(_attack_cell(report["attacks"].get(name)) for name in _ATTACKS),
            f"{slots['guessed']:.1%}" if (slots := slots_of(report)) else "not measured",
        )
        for report in reports
    ]
    tests = (f"t of {name.replace(', ', ' in the ')}, threshold (traces)" for name in _TESTS)
    head = ("build", *tests, *(f"{name} (traces)" for name in _ATTACKS), "bits by slot numbers")
    return table(head, rows)


def _test_cell(row: Mapping[str, Any] | None) -> str:
    """The highest t of a test, in bold where it is a leak."""
    if row is None or not row["traces"]:
        return "-"
    t = f"{abs(row['t']):.1f}"
    text = f"**{t}**" if row["leak"] else t
    return f"{text}, {row['threshold']:.1f} ({row['traces']:,})"


def _attack_cell(row: Mapping[str, Any] | None) -> str:
    if row is None or not row["traces"]:
        return "-"
    return f"{'**found**' if row['found'] else 'no'} ({row['traces']:,})"


def _yes(value: bool) -> str:
    return "**yes**" if value else "no"


Block = Callable[[Sequence[Record]], str]
BLOCKS: dict[str, Block] = {
    "assessed_faults": faults_block,
    "assessed_shell": shell_block,
    "assessed_farm": farm_block,
    "assessed_leakage": leakage_block,
    "assessed_timing": timing_block,
    "assessed_attacks": attacks_block,
    "assessed_summary": summary_block,
}
PAGES = ("docs/assessment.md", "SECURITY.md")


def collected(
    known: dict[str, list[Report]], folders: Sequence[Path], progress: Progress = silent
) -> dict[str, list[Report]]:
    """The known reports with those of some folders, a new one in place of the same build's.

    Of leakage, sets of traces with several seeds are kept: they are looked at together.

    Args:
        known: By kind; each gets today's verdict.
        folders: Each the -o of a `modfab assess`.
        progress: Told of runs of Yosys.

    Raises:
        UsageError: A folder has no report, or one of other RTL than today's.
        ToolError: Yosys is missing or failed.
    """
    key = {kind: leak_name if kind == "leakage" else name_of for kind in KINDS}
    found = {kind: {key[kind](report): report for report in known[kind]} for kind in KINDS}
    for folder in folders:
        files = [folder / f"{kind}.json" for kind in KINDS]
        there = [file for file in files if file.is_file()]
        if not there:
            raise UsageError(
                f"Expected a report of modfab assess in {folder}, but it has none of "
                f"{', '.join(file.name for file in files)}; give the folder of its option -o."
            )
        for file in there:
            report = json.loads(file.read_text(encoding="utf-8"))
            kept = {key: value for key, value in report.items() if key not in _DROPPED}
            kept = circuit.entered(file.stem, kept, progress)
            found[file.stem][key[file.stem](kept)] = kept
    return {
        kind: [circuit.refreshed(kind, report, progress) for report in reports.values()]
        for kind, reports in found.items()
    }


def main() -> None:
    """Add the reports of the named folders to docs/assessment.json; today's verdict on all."""
    parser = argparse.ArgumentParser(
        prog="./modfab python -m modfab.pages.assessed",
        description="Add reports of modfab assess to docs/assessment.json, and mark in it those of "
        "another circuit than today's.",
    )
    parser.add_argument("folders", nargs="*", type=Path, help="each the -o of a modfab assess")
    folders: list[Path] = parser.parse_args().folders

    def tell(line: str) -> None:
        print(line, file=sys.stderr)

    def write() -> Sequence[Path]:
        text = json.dumps(collected(read_reports(), folders, tell), indent=1)
        assessed_file().write_text(text + "\n", encoding="utf-8")
        return (assessed_file(),)

    write_files(write)


if __name__ == "__main__":
    main()
