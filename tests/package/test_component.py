# SPDX-License-Identifier: Apache-2.0
"""The IP-XACT description of each kind of core, beside its top module."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from modfab.package.component import component_xml
from modfab.package.ipxact import ipxact
from modfab.package.kind import KINDS, PUBLIC, Kind
from modfab.package.top import top_text
from tests.package.checks import SPIRIT

ALL = {**KINDS, "public_only": PUBLIC}
STREAMS = {
    "modexp": {},
    "rsa": {"s_axis_rnd": "slave"},
    "farm": {"s_axis_rnd": "slave", "s_axis_job": "slave", "m_axis_ans": "master"},
    "public_only": {},
}
"""The streams of a kind, and which end of them the core is."""


def described(kind: Kind) -> ElementTree.Element:
    return ElementTree.fromstring(component_xml("core", ["rtl/a.sv", "rtl/core.v"], kind))


def text_at(element: ElementTree.Element, *tags: str) -> str | None:
    return element.findtext("/".join(f"{SPIRIT}{tag}" for tag in tags))


@pytest.mark.parametrize("name", ALL)
def test_directions_and_widths_are_those_of_the_top(name: str) -> None:
    pattern = r"^  (input |output) wire (?:\[(\d+):0\])? *(\w+)"
    top = re.findall(pattern, top_text("core", ALL[name]), re.MULTILINE)
    assert [
        (
            {"in": "input ", "out": "output"}[text_at(port, "wire", "direction") or ""],
            text_at(port, "wire", "vector", "left") or "",
            text_at(port, "name"),
        )
        for port in described(ALL[name]).iter(f"{SPIRIT}port")
    ] == top


@pytest.mark.parametrize("name", ALL)
def test_buses_have_their_clock_their_roles_and_their_types(name: str) -> None:
    found = {
        text_at(bus, "name"): bus for bus in described(ALL[name]).iter(f"{SPIRIT}busInterface")
    }

    def parameters(bus: str) -> dict[str | None, str | None]:
        listed = found[bus].iter(f"{SPIRIT}parameter")
        return {text_at(each, "name"): text_at(each, "value") for each in listed}

    streams = STREAMS[name]
    linked = parameters("s_axi_aclk")
    assert linked["ASSOCIATED_RESET"] == "s_axi_aresetn"
    first, *others = (linked["ASSOCIATED_BUSIF"] or "").split(":")
    assert (first, set(others)) == ("s_axi", set(streams))
    assert parameters("s_axi_aresetn") == {"POLARITY": "ACTIVE_LOW"}
    assert parameters("irq") == {"SENSITIVITY": "LEVEL_HIGH"}
    roles = {"s_axi": "slave", "s_axi_aclk": "slave", "s_axi_aresetn": "slave", "irq": "master"}
    for bus, role in {**roles, **streams}.items():
        assert found[bus].find(f"{SPIRIT}{role}") is not None, bus
        kind = found[bus].find(f"{SPIRIT}busType")
        assert kind is not None
        assert kind.get(f"{SPIRIT}vendor") == "xilinx.com"
        types = {"s_axi": "aximm", "s_axi_aclk": "clock", "s_axi_aresetn": "reset"}
        usual = "axis" if bus in streams else "interrupt"
        assert kind.get(f"{SPIRIT}name") == types.get(bus, usual)


def test_its_view_is_verilog_of_the_listed_files() -> None:
    root = described(KINDS["rsa"])
    (view,) = root.iter(f"{SPIRIT}view")
    fields = ("name", "envIdentifier", "language", "modelName")
    assert [text_at(view, field) for field in fields] == ["rtl", ":*:", "verilog", "core"]
    assert text_at(view, "fileSetRef", "localName") == text_at(root, "fileSets", "fileSet", "name")
    files = [(text_at(f, "name"), text_at(f, "fileType")) for f in root.iter(f"{SPIRIT}file")]
    assert files == [("rtl/a.sv", "systemVerilogSource"), ("rtl/core.v", "verilogSource")]
    assert text_at(root, "description") == "RSA core with an AXI4-Lite slave"
    assert text_at(described(PUBLIC), "description") == (
        "RSA core for public operations with an AXI4-Lite slave"
    )


def test_files_of_the_users_folder_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PeakRDL would take its settings, and import what bears the name of one of its modules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("peakrdl.toml", ".peakrdl.toml"):
        (tmp_path / name).write_text("[peakrdl]\nplugins.importers.x = 'nowhere:Nothing'\n")
    (tmp_path / "peakrdl.py").write_text("raise SystemExit('the wrong module')\n")
    assert "<spirit:name>mf_modexp</spirit:name>" in ipxact("mf_modexp")
