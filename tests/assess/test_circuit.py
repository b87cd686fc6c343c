# SPDX-License-Identifier: Apache-2.0
"""A committed report is of the circuit of today, or says that it is not."""

from __future__ import annotations

from typing import Any

import pytest

from modfab.assess import circuit
from modfab.assess.campaign import described
from modfab.build.rsa import rsa_core
from modfab.errors import UsageError
from modfab.flow import refresh
from modfab.flow.elaborate import Elaboration
from modfab.pages.assessed import KINDS, leak_name, read_reports

REPORT: dict[str, Any] = {"core": described(rsa_core("bit_serial", 64)), "revision": "abc"}


@pytest.fixture(autouse=True)
def elaborated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Circuits that Yosys finds, the next one first; none is left at the end."""
    found: list[str] = []

    def elaborate(top: str, texts: dict[str, str], **_: object) -> Elaboration:
        assert f"module {top}" in "".join(texts.values())
        return Elaboration((), found.pop(0))

    for module in (circuit, refresh):
        monkeypatch.setattr(module, "elaborate", elaborate)
    return found


def with_rtl(kind: str = "faults") -> dict[str, Any]:
    return REPORT | {"rtl": circuit.today(kind, REPORT).text}


@pytest.mark.parametrize("kind", KINDS)
def test_a_committed_report_has_the_verdict_of_today(kind: str) -> None:
    reports = read_reports()[kind]
    assert reports
    for report in reports:
        assert report["circuit"], leak_name(report)
        assert report["revision"], leak_name(report)
        if not report.get("stale", "").startswith("its design does not exist"):
            assert report["rtl"] == circuit.today(kind, report).text, (
                f"{kind}, {leak_name(report)}: the RTL has another text than when it was compared "
                "last; run `./modfab python -m modfab.pages.assessed`, then modfab.pages.readme"
            )


def test_a_core_is_built_from_what_a_report_tells() -> None:
    core = rsa_core("qp_systolic", 64, {"Contexts": 1}, "window", engines=2, pair=True)
    assert circuit.core_of(described(core)) == core
    alone, on_the_bus = (circuit.today(kind, REPORT).texts for kind in ("leakage", "shell"))
    assert "mf_rsa_axil.sv" not in alone
    assert "mf_rsa_axil.sv" in on_the_bus
    farm = circuit.today("farm", {"core": REPORT["core"] | {"cores": 3}}).texts
    assert "mf_rsa_farm_axil.sv" in farm


def test_a_new_report_gets_its_circuit_unless_the_rtl_is_another(elaborated: list[str]) -> None:
    elaborated.append("c1")
    assert circuit.entered("faults", with_rtl()) == with_rtl() | {"circuit": "c1"}
    assert with_rtl("shell") != with_rtl()
    for report in (REPORT, REPORT | {"rtl": "of before"}, with_rtl("shell")):
        with pytest.raises(UsageError, match="run modfab assess again"):
            circuit.entered("faults", report)


def test_another_text_of_the_same_circuit_is_not_stale(elaborated: list[str]) -> None:
    before = with_rtl() | {"circuit": "c1"}
    assert circuit.refreshed("faults", before) == before
    elaborated += ["c1", "c2", "c1"]
    assert circuit.refreshed("faults", before | {"rtl": "of before"}) == before
    stale = circuit.refreshed("faults", before | {"rtl": "of before"})
    assert stale == before | {"stale": "the circuit is another one than at revision abc"}
    assert circuit.refreshed("faults", stale) == stale
    assert circuit.refreshed("faults", stale | {"rtl": "of between"}) == before
    assert not elaborated


def test_a_core_that_is_gone_is_stale_until_it_is_back() -> None:
    before = with_rtl() | {"circuit": "c1"}
    found = circuit.refreshed("faults", before | {"core": REPORT["core"] | {"engine": "gone"}})
    gone = "its design does not exist any more: There is no engine 'gone'"
    assert found["stale"].startswith(gone)
    assert circuit.refreshed("faults", found | {"core": REPORT["core"]}) == before
