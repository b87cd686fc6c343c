# SPDX-License-Identifier: Apache-2.0
"""The alarm of an RSA core at the pin of its bus shell, of the farm's and of a board."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from modfab.build.board_top import link_of, top_text
from modfab.build.boards import get_board, pll_for
from modfab.build.core import modexp_core
from modfab.build.rsa import rsa_core
from modfab.host.generated import mf_rsa_farm_regs as farm_regs
from modfab.host.generated import mf_rsa_regs as regs
from modfab.sim.core import RtlCore, bus_design
from modfab.sim.registers import Register, Registers
from tests.support.farm_core import Bench

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
STATE = "u_control.hot_inv_q"


class PublicCore(RtlCore, Registers):
    """A core behind its bus whose registers can be changed."""

    def flip(self, register: Register, bit: int) -> None:
        """Change one bit now."""
        self._library.mf_flip(self._handle, register.index, 0, bit)


def state_of(core: Registers) -> Register:
    """The state of the first RSA core there is."""
    return next(register for register in core.registers() if register.name.endswith(STATE))


@pytest.fixture
def core() -> Iterator[PublicCore]:
    made = PublicCore(CONFIG, design=bus_design(CONFIG, whole=True))
    while made.read(regs.STATUS)[1] & regs.STATUS_BUSY_MASK:
        made.wait(100)
    yield made
    made.close()


def test_the_alarm_of_the_rsa_core(core: PublicCore) -> None:
    assert not core.alarm()
    core.flip(state_of(core), 0)  # a state that is none
    core.wait(2000)
    assert core.alarm()
    assert core.read(regs.STATUS)[1] & regs.STATUS_ALARM_MASK
    core.write(regs.CTRL, regs.CTRL_START_PRIVATE_MASK)
    core.wait(2000)
    assert core.alarm(), "an alarm lasts"
    core.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    core.wait(2000)
    assert not core.alarm()


def test_the_alarm_of_one_core_of_a_farm(rng: random.Random) -> None:
    bench = Bench(3, rng)
    bench.idle()
    assert not bench.rtl.alarm()
    bench.rtl.flip(state_of(bench.rtl), 0, 0)
    bench.rtl.run(2000)
    assert bench.rtl.alarm()
    assert bench.read(farm_regs.STATUS) & farm_regs.STATUS_ALARM_MASK
    bench.write(farm_regs.CTRL, farm_regs.CTRL_ZEROIZE_MASK)
    bench.idle()
    assert not bench.rtl.alarm()
    assert not bench.read(farm_regs.STATUS) & farm_regs.STATUS_ALARM_MASK
    bench.rtl.close()


def test_a_board_shows_the_alarm_of_its_core() -> None:
    """On its LED and in the status of its serial bridge; a core without alarm never shows one."""
    pll = pll_for(25.0, 100.0)
    link = link_of(get_board("ulx3s-85f"), pll)
    shown = [top_text(core, pll, link) for core in (CONFIG, modexp_core("bit_serial", 64))]
    for text in shown:
        assert text.count("(alarm)") == 2 + (text is shown[0])
        assert ".alarm_i (alarm)" in text
        assert ".alarm_i(alarm)" in text
    assert ".alarm_o (alarm)" in shown[0]
    assert "assign alarm = 1'b0;" in shown[1]
