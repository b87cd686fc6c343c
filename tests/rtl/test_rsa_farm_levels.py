# SPDX-License-Identifier: Apache-2.0
"""Reset and zeroize of a farm's cores come from two of three registers."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.sim.registers import Register
from tests.support.farm_core import Bench

CORES = 3


def copies(bench: Bench, level: str, core: int) -> list[Register]:
    """The three registers of a level for one core."""
    part = f".{level}.gen_part[{core}]."
    found = [
        register
        for register in bench.rtl.registers()
        if part in register.name.replace("__BRA__", "[").replace("__KET__", "]")
    ]
    assert len(found) == 3
    return found


@pytest.mark.parametrize("level", ["u_core_reset", "u_core_zeroize"])
def test_two_of_three_registers_wipe_a_core(level: str, rng: random.Random) -> None:
    """A changed bit takes a level from no core, the other cores keep their key."""
    bench = Bench(CORES, rng)
    bench.load()
    service = (1 << CORES) - 1
    for core, chosen in enumerate(combinations(range(3), 2)):
        places = copies(bench, level, core)
        for copy in chosen:
            bench.rtl.flip(places[copy], 0, 0)
        bench.rtl.run(1)
        assert all(bench.rtl.is_zero(place) for place in places), "the level lasts a cycle"
        bench.idle()
        service &= ~(1 << core)
        assert bench.read(regs.SERVICE) == service, f"copies {chosen} of core {core}"
    bench.send(1)
    assert bench.wait(1)[0].status is JobStatus.NO_KEY
    bench.rtl.close()
