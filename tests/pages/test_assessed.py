# SPDX-License-Identifier: Apache-2.0
"""Tables of the committed assessments come from docs/assessment.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modfab.assess import circuit
from modfab.assess.campaign import described
from modfab.build.rsa import rsa_core
from modfab.errors import UsageError
from modfab.pages import assessed
from modfab.pages.readme import filled

CORE = {
    "engine": "sos",
    "bits": 128,
    "sequencer": "ladder",
    "rsa": {"hardened": 1, "engines": 2, "pair": 1, "address_blinding": 1},
}


def report(runs: int) -> dict[str, Any]:
    names = ("runs", "detected", "harmless", "wrong", "factoring", "hung", "secret_left")
    total = dict.fromkeys(names, 0) | {"runs": runs}
    not_kept = {"series": [1], "seconds": 3.5}
    return {"core": CORE, "seed": 7, "total": total, "models": {}, "found": [], **not_kept}


def test_a_new_report_takes_the_place_of_the_same_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(circuit, "entered", lambda _, found, __: found | {"circuit": "c1"})
    monkeypatch.setattr(circuit, "refreshed", lambda kind, found, _: found | {"kind": kind})
    (tmp_path / "faults.json").write_text(json.dumps(report(1200)))
    known = {kind: [report(60)] if kind == "faults" else [] for kind in assessed.KINDS}
    found = assessed.collected(known, [tmp_path])
    assert [entry["total"]["runs"] for entry in found["faults"]] == [1200]
    assert not {"series", "seconds"} & set(found["faults"][0])
    assert (found["faults"][0]["circuit"], found["faults"][0]["kind"]) == ("c1", "faults")
    (tmp_path / "leakage.json").write_text(json.dumps(report(1200)))
    sets = known | {"leakage": [report(60), report(60) | {"seed": 8}]}
    leakage = assessed.collected(sets, [tmp_path])["leakage"]
    assert [(one["seed"], one["total"]["runs"]) for one in leakage] == [(7, 1200), (8, 60)]
    assert ["circuit" in one for one in leakage] == [True, False]
    with pytest.raises(UsageError, match="Expected a report of modfab assess"):
        assessed.collected(known, [tmp_path / "none"])


def test_the_tables_show_the_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "assessment.json"
    kept.write_text(json.dumps({"faults": [report(1200)]}))
    monkeypatch.setattr(assessed, "assessed_file", lambda: kept)
    page = "<!-- generated:assessed_faults -->\n<!-- /generated -->"
    text = filled(page, [])
    assert "| RSA-128, `sos`, ladder, dual-port, hardened, address blinding | 7 | 1,200 |" in text
    assert "| all |  | 1,200 |" in text
    summary = filled("<!-- generated:assessed_summary -->\n<!-- /generated -->", [])
    assert "over 1 builds: 1,200. Released results that were wrong for their message: 0;" in summary


def test_a_row_of_another_circuit_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "assessment.json"
    kept.write_text(json.dumps({"faults": [report(20) | {"stale": "another one today"}]}))
    monkeypatch.setattr(assessed, "assessed_file", lambda: kept)
    assert "hardened, address blinding (another one today) | 7 |" in assessed.faults_block([])


def test_the_summary_says_what_each_campaign_has_come_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    counts = {"wrong": 3, "factoring": 4, "secret_left": 5, "lost": 6, "doubled": 7, "hung": 8}
    one = report(20) | {"total": counts | {"runs": 20, "disclosed": 9}}
    one["models"] = {"shell_read": {"runs": 12}}
    kept = tmp_path / "assessment.json"
    kept.write_text(json.dumps({"faults": [one, one], "shell": [one], "farm": [one]}))
    monkeypatch.setattr(assessed, "assessed_file", lambda: kept)
    text = assessed.summary_block([])
    assert "2 builds: 40. Released results that were wrong for their message: 6; that gave" in text
    assert "gave a factor: 8; wipes that left a secret: 10." in text
    assert "In 20 faults in the bus shell 3 wrong results passed" in text
    assert "and 9 of 12 reads gave a word of the key" in text
    assert "6 jobs were lost, 7 answered twice, 3 answered wrongly, and 8 runs hung" in text


def test_every_leak_that_is_committed_is_said() -> None:
    """An attack that finds the key stands in SECURITY.md."""
    reports = assessed.read_reports()
    assert reports["faults"]
    assert reports["leakage"]
    text = (assessed.assessed_file().parent.parent / "SECURITY.md").read_text()
    (head,) = (line for line in text.splitlines() if line.startswith("| build | t of message"))
    columns = head.split(" | ")
    for found in reports["leakage"]:
        (line,) = (
            line
            for line in text.splitlines()
            if line.startswith(f"| {assessed.shown(found, assessed.leak_name)} |")
        )
        cells = dict(zip(columns, line.split(" | "), strict=True))
        for name, row in found["attacks"].items():
            (cell,) = (cell for title, cell in cells.items() if title.startswith(f"{name} "))
            assert ("**found**" in cell) == row["found"], line
            assert f"({row['traces']:,})" in cell


def test_a_leak_is_bold_whatever_it_was_found_by() -> None:
    """Below the threshold of one point it may be in both sets."""
    row = {"traces": 1000, "t": -4.66, "threshold": 5.1}
    assert assessed._test_cell(row | {"leak": True}) == "**4.7**, 5.1 (1,000)"
    assert assessed._test_cell(row | {"leak": False}) == "4.7, 5.1 (1,000)"
    assert (
        assessed._test_cell(row | {"traces": 0, "leak": False}) == assessed._test_cell(None) == "-"
    )


def test_slot_numbers_of_a_part_are_not_shown() -> None:
    slots = {"operations": 200, "bits": 127, "guessed": 0.52, "chance": 0.55, "found": False}
    part = {"slots": slots, "watched": 20_000, "cycles": 44_760}
    assert assessed.slots_of(part) is None
    assert assessed.slots_of(part | {"cycles": 20_000}) == slots
    whole = slots | {"cycles": 17_000, "guessed": 1.0}
    assert assessed.slots_of(part | {"slots": whole}) == whole
    assert assessed.slots_of(part | {"slots": None}) is None


def test_an_operation_counts_once_in_the_table_of_timing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It stands in a row of its key's kind and in a row of its message's."""
    row = {"least": 900, "most": 900, "deviations": 0}
    rows = {
        "e = 65537": row | {"runs": 12},
        "d = 1": row | {"runs": 12, "most": 1200, "deviations": 3},  # one is of a set-up
        "message 0": row | {"runs": 10, "deviations": 1},
        "message random": row | {"runs": 14, "deviations": 1},
    }
    bus = {"d = 1": {"runs": 4, "deviations": 2}, "message 0": {"runs": 4, "deviations": 1}}
    timing = {"core": CORE, "seed": 7, "keys": 4, "rows": rows, "bus": bus}
    kept = tmp_path / "assessment.json"
    kept.write_text(json.dumps({"timing": [timing]}))
    monkeypatch.setattr(assessed, "assessed_file", lambda: kept)
    text = filled("<!-- generated:assessed_timing -->\n<!-- /generated -->", [])
    assert text.splitlines()[-2].endswith("| 7 | 4 | 24 | 900 | 3 | 4 | 2 |")


def test_no_committed_timing_deviates() -> None:
    reports = assessed.read_reports()["timing"]
    assert reports
    for found in reports:
        for row in (*found["rows"].values(), *found["bus"].values()):
            assert row["deviations"] == 0, assessed.name_of(found)


def test_other_builds_have_other_names() -> None:
    """A report takes the place of one with its name."""
    pair: dict[str, Any] = {"engines": 2, "pair": True}
    cores = [
        rsa_core("bit_serial", 64),
        rsa_core("bit_serial", 64, {"BitsPerClock": 8}),
        rsa_core("qp_systolic", 64, {"Contexts": 1}, **pair),
        rsa_core("qp_systolic", 64, {"Contexts": 1, "NumElements": 2}, engines=2),
        rsa_core("qp_systolic", 64, {"Contexts": 1}, engines=2),
        rsa_core("qp_systolic", 64, {"Contexts": 1}, **pair, keys=3),
        rsa_core("qp_systolic", 64, {"Contexts": 1}, **pair, keygen=True),
    ]
    assert len({assessed.name_of({"core": described(core)}) for core in cores}) == len(cores)
