# SPDX-License-Identifier: Apache-2.0
"""Every level of every engine elaborates without a warning; an answer is kept for each content."""

from __future__ import annotations

import pytest

from modfab.build.named import LEVELS
from modfab.catalog import ENGINES
from modfab.flow.elaborate import Port, ports_of
from modfab.package.kind import FARM, MODEXP, RSA, Kind
from tests.flow.test_elaborate import design_at


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_have_no_warning(engine: str) -> None:
    contract = ports_of(design_at("engine"))
    for vendor in ("", "ecp5", "virtex5", "xilinx"):
        assert ports_of(design_at("engine", engine), vendor) == contract


@pytest.mark.parametrize("level", [level for level in LEVELS if level != "engine"])
def test_cores_have_no_warning(level: str) -> None:
    assert Port("clk_i", 1, True) in ports_of(design_at(level))


@pytest.mark.parametrize(
    ("level", "kind"), [("modexp_axil", MODEXP), ("rsa_axil", RSA), ("farm_axil", FARM)]
)
def test_packages_have_the_ports_of_their_rtl(level: str, kind: Kind) -> None:
    """But for what the package's top adapts: clock, reset, lines, ignored protection."""
    own = {port.name: (port.bits, port.is_input) for port in ports_of(design_at(level))}
    packed = {name: (bits, is_input) for name, bits, is_input in kind.ports}
    assert packed.pop("s_axi_awprot") == packed.pop("s_axi_arprot") == (3, True)
    adapted = {"clk_i": (1, True), "rst_i": (1, True)}
    adapted |= {f"{name}_o": (bits, is_input) for name, bits, is_input in kind.lines}
    assert ("alarm_o" in adapted) == (kind is not MODEXP)
    assert packed | adapted == own
