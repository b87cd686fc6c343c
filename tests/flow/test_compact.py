# SPDX-License-Identifier: Apache-2.0
"""Block RAMs and multipliers of a core without an array: near each other, one on a site."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.cli.design import design_of
from modfab.flow.compact import compact_sites, lock_compact
from modfab.flow.lock import BLOCK_RAMS, MULTIPLIER, place_of
from modfab.flow.measure import Options, request_of, routed_request
from modfab.flow.targets import get_target
from tests.flow.test_lock import DEVICES, bels, netlist

ALU = [f"u_core.u_alu.u_{i}" for i in range(4)]
ENGINE = [f"u_engine.u_mul_{i}" for i in range(7)]
MEMORY = [f"u_core.u_memory.u_ram_{copy}.gen_tile[{i}]" for copy in "ab" for i in range(4)]
OWN = [f"u_engine.u_ram_{i}" for i in range(4)]
PROGRAM = [f"u_rom.u_rom.gen_tile[{i}]" for i in range(7)]


@pytest.mark.parametrize("name", DEVICES)
def test_a_core_lies_in_the_middle_with_its_program_beside(name: str) -> None:
    target = get_target(name)
    cells = {name: {"type": MULTIPLIER} for name in ALU + ENGINE}
    cells |= {name: {"type": BLOCK_RAMS[0]} for name in MEMORY + OWN + PROGRAM}
    sites = compact_sites(cells, target)
    assert sorted(sites) == sorted(cells)
    assert len(set(sites.values())) == len(sites)
    rows = [
        {place_of(sites[name])[1] for name in names}
        for names in (ALU + ENGINE, MEMORY + OWN, PROGRAM)
    ]
    assert [len(row) for row in rows] == [1, 1, 1]
    muls, memory, program = (row.pop() for row in rows)
    assert abs(memory - muls) == 12
    assert memory != program
    known = {site for row in (*target.multiplier_rows, *target.ram_rows) for site in row}
    assert set(sites.values()) <= known
    columns = [place_of(site)[0] for site in sites.values()]
    width = place_of(target.ram_rows[0][-1])[0]
    assert abs((min(columns) + max(columns)) / 2 - width / 2) < width / 8


def test_what_a_row_cannot_hold_stays_free() -> None:
    target = get_target("ecp5-25k")
    cells = {f"u_engine.u_mul_{i}": {"type": MULTIPLIER} for i in range(29)}
    assert compact_sites(cells, target) == {}
    assert compact_sites(cells | {"u_ram": {"type": "PDPW16KD"}}, target).keys() == {"u_ram"}


def test_the_netlist_has_the_sites(tmp_path: Path) -> None:
    target = get_target("ecp5-85k")
    path = netlist(tmp_path / "a.json", ALU, MEMORY)
    assert lock_compact(path, tmp_path / "b.json", "top", target) == len(ALU + MEMORY)
    cells = {name: {"type": MULTIPLIER} for name in ALU} | {
        name: {"type": "DP16KD"} for name in MEMORY
    }
    assert bels(tmp_path / "b.json") == compact_sites(cells, target)


@pytest.mark.parametrize(
    ("level", "locked"), [("rsa", True), ("rsa_axil", True), ("modexp", False), ("engine", False)]
)
def test_an_rsa_core_of_an_engine_without_an_array_is_locked(level: str, locked: bool) -> None:
    parameters: tuple[dict[str, int], dict[str, int]] = ({}, {})
    sequencer = "" if level == "engine" else "ladder"
    design = design_of("sos", 128, parameters, level, sequencer, None)
    request = request_of(design, get_target("ecp5-85k"), Options())
    assert routed_request(design, request, Options(), seed=1).locked is locked


def test_an_rsa_core_of_a_folded_array_is_not_locked() -> None:
    """Its multipliers have more clock enables than a block of the device takes."""
    parameters = ({"NumElements": 4}, {"engines": 2})
    design = design_of("qp_systolic", 128, parameters, "rsa", "window", None)
    request = request_of(design, get_target("ecp5-85k"), Options())
    assert not routed_request(design, request, Options(), seed=1).locked
