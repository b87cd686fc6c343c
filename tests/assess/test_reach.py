# SPDX-License-Identifier: Apache-2.0
"""Every flip-flop and memory of the netlist is within reach of the fault injector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.flow.tools import Job, find_tool
from modfab.flow.warnings import run_yosys
from modfab.sim.core import TOP
from modfab.sim.snapshots import SnapshotRsa, snapshot_design
from tests.flow.conftest import kept_jobs

__all__ = ["kept_jobs"]

CORES = {
    "bit_serial": rsa_core("bit_serial", 64),
    "pair": rsa_core("qp_systolic", 64, engines=2, pair=True),
    "sos": rsa_core("sos", 64),
    "masked": rsa_core("bit_serial", 64, address_blinding=True),
}


def netlist(core: RsaCore, folder: Path) -> dict[str, Any]:
    """The flat netlist of what the simulator runs, its registers not yet merged or removed."""
    design = snapshot_design(core)
    texts = {**design.texts, **{file.name: file.read_text() for file in design.files}}
    names = sorted(texts, key=lambda name: not Path(name).stem.endswith("_pkg"))
    for name in names:
        (folder / name).write_text(texts[name])
    steps = [
        f"read_slang --threads 1 --no-proc --top {TOP} {' '.join(names)}",
        f"hierarchy -check -top {TOP}",
        *("proc -norom", "flatten -noscopeinfo", "write_json netlist.json"),
    ]
    (folder / "reach.ys").write_text("\n".join(steps) + "\n")
    arguments = ["-Q", "-T", "-l", "reach.log", "-s", "reach.ys"]
    run_yosys(Job(find_tool("yosys"), arguments, folder, "reach.log", "Yosys", 600))
    module: dict[str, Any] = json.loads((folder / "netlist.json").read_text())["modules"][TOP]
    return module


def flip_flops(module: dict[str, Any]) -> set[int]:
    """The output bits of every flip-flop and latch."""
    found: set[int] = set()
    for cell in module["cells"].values():
        kind = cell["type"]
        if kind.startswith(("$dff", "$sdff", "$adff", "$aldff", "$dlatch", "$ff", "$sr")):
            found |= {bit for bit in cell["connections"]["Q"] if isinstance(bit, int)}
    return found


Shapes = dict[str, tuple[int, int]]


def out_of_reach(module: dict[str, Any], reached: Shapes) -> set[str]:
    """Names of flip-flops and memories of a netlist that `reached` does not have, whole."""
    nets = {name: set(net["bits"]) for name, net in module["netnames"].items()}
    whole = [name for name in nets if name in reached and _bits(reached[name]) >= len(nets[name])]
    missed = flip_flops(module).difference(*(nets[name] for name in whole))
    memories = {name: (entry["size"], entry["width"]) for name, entry in _memories(module)}
    found = {name for name, shape in memories.items() if reached.get(name) != shape}
    return found | {name for name, bits in nets.items() if missed & bits}


def _bits(shape: tuple[int, int]) -> int:
    return shape[0] * shape[1]


PROGRAM = "u_rom.u_rom.words"
"""The program memory: nothing writes it; the models `skip`, `repeat`, `replace` stand for it."""


def _memories(module: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    return [(name, entry) for name, entry in module["memories"].items() if name != PROGRAM]


def written(module: dict[str, Any]) -> set[str]:
    """Names of the memories that have a write port."""
    cells = module["cells"].values()
    ports = [cell for cell in cells if cell["type"].startswith("$memwr")]
    return {str(cell["parameters"]["MEMID"]).removeprefix("\\") for cell in ports}


@pytest.mark.parametrize("name", CORES)
def test_every_flip_flop_and_memory_bit_is_within_reach(name: str, tmp_path: Path) -> None:
    module = netlist(CORES[name], tmp_path)
    rtl = SnapshotRsa(CORES[name], seed=1)
    reached = {
        register.name.removeprefix(f"TOP.{TOP}."): (register.elements, register.element_bits)
        for register in rtl.registers()
    }
    rtl.close()
    assert len(flip_flops(module)) > 1000
    assert len(_memories(module)) >= 3
    assert set(module["memories"]) - written(module) == {PROGRAM}
    assert out_of_reach(module, reached) == set()
    for lost in ("u_core.u_fetch.pc_q", "u_core.u_memory.u_ram_a.mem_q"):
        others = {name: shape for name, shape in reached.items() if name != lost}
        assert lost in out_of_reach(module, others)
