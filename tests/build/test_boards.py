# SPDX-License-Identifier: Apache-2.0
"""Boards: PLL settings, constraints, generated tops, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.build.board_top import board_texts, link_of
from modfab.build.boards import (
    BOARDS,
    CYCLES_PER_BIT,
    Board,
    get_board,
    pll_for,
)
from modfab.build.core import Core, modexp_core
from modfab.build.farm import farm_core
from modfab.build.rsa import public_core, rsa_core
from modfab.errors import UsageError
from modfab.paths import rtl_dir
from tests.support.eda import yosys

ULX3S = get_board("ulx3s-85f")
CORES = (
    rsa_core("bit_serial", 64),
    modexp_core("bit_serial", 40),
    public_core("bit_serial", 64),
)


PLL_SETTINGS = {
    "ICP_CURRENT": "12",
    "LPF_RESISTOR": "8",
    "MFG_ENABLE_FILTEROPAMP": "1",
    "MFG_GMCREF_SEL": "2",
}
"""As Project Trellis' ecppll writes them."""


@given(st.integers(10, 380), st.sampled_from([12.0, 25.0, 48.0]))
def test_the_pll_is_in_its_makers_range(mhz: int, clock_mhz: float) -> None:
    pll = pll_for(clock_mhz, mhz)
    assert mhz <= pll.mhz <= min(1.1 * mhz, 400)
    assert 10 <= clock_mhz / pll.in_div <= 400
    vco = clock_mhz * pll.fb_div / pll.in_div
    assert 400 <= vco <= 800
    assert pll.mhz == pytest.approx(vco / pll.out_div)
    assert all(1 <= div <= 128 for div in (pll.in_div, pll.fb_div, pll.out_div))


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
@pytest.mark.parametrize("mhz", [0.0, 90.0, 120.0])
def test_the_pll_makes_the_frequencies_of_the_pages(board: Board, mhz: float) -> None:
    """A board's own, and those of docs/boards.md."""
    wanted = mhz or board.mhz
    assert pll_for(board.clock_mhz, wanted).mhz == wanted


@pytest.mark.parametrize("mhz", [10.0, 400.0])
def test_the_pll_at_the_ends_of_its_range(mhz: float) -> None:
    """400 MHz of 25 MHz need an end of the oscillator's range."""
    assert pll_for(25.0, mhz).mhz == mhz


def test_what_the_pll_cannot_make() -> None:
    """Too much, and between the steps of a slow clock."""
    for clock_mhz, mhz in ((25.0, 900.0), (12.0, 400.0)):
        text = f"makes no {mhz:g} MHz from the board's {clock_mhz:g} MHz; choose another --mhz"
        with pytest.raises(UsageError, match=text):
            pll_for(clock_mhz, mhz)


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_every_port_has_a_pin(board: Board) -> None:
    core = CORES[0]
    pll = pll_for(board.clock_mhz, board.mhz)
    top = board_texts(core, pll, link_of(board, pll), "ecp5", board.panel)["mf_board.sv"]
    head = top[: top.index(");")]
    ports = {
        f"{name}[{bit}]" if bits else name
        for bits, name in re.findall(r"(?:input|output) +logic +(?:\[(\d+):0\])? *(\w+)", head)
        for bit in range(int(bits or 0) + 1)
    }
    assert ports == set(board.pins)
    text = board.constraints()
    assert text.count("LOCATE COMP") == text.count("IOBUF PORT") == len(ports)
    assert f'FREQUENCY PORT "clk_i" {board.clock_mhz:g} MHZ;' in text
    sites = re.findall(r'SITE "(\w+)"', text)
    assert len(set(sites)) == len(sites)


def test_levels_of_a_bank() -> None:
    text = get_board("ecp5-evn").constraints()
    assert text.count("IO_TYPE=") == text.count("IOBUF PORT")
    assert 'IOBUF PORT "led_o[7]" IO_TYPE=LVCMOS25 PULLMODE=NONE DRIVE=4;' in text
    assert 'IOBUF PORT "uart_tx_o" IO_TYPE=LVCMOS33 PULLMODE=UP DRIVE=4;' in text


def test_one_led_shows_what_is_worth_a_look() -> None:
    board = get_board("colorlight-i5")
    pll = pll_for(board.clock_mhz, board.mhz)
    top = board_texts(CORES[0], pll, link_of(board, pll), "ecp5", board.panel)["mf_board.sv"]
    assert "assign led_o = ~(leds[7] | leds[1] | leds[0]);" in top
    assert "high_o" not in top


@pytest.mark.parametrize("core", CORES, ids=["rsa", "modexp", "public"])
@pytest.mark.parametrize("vendor", ["", "ecp5"])
def test_texts_are_complete(core: Core, vendor: str) -> None:
    pll = pll_for(25.0, 100.0)
    texts = board_texts(core, pll, link_of(ULX3S, pll), vendor)
    assert ("EHXPLLL.sv" in texts) == bool(vendor)
    names = list(texts)
    packages = [name for name in names if name.endswith("_pkg.sv")]
    assert names[: len(packages)] == packages
    assert names[-1] == "mf_board.sv"
    assert ("mf_board_core_rom.sv" in names) == (core.kind == "rsa")


def test_a_farm_has_no_board() -> None:
    pll = pll_for(25.0, 100.0)
    with pytest.raises(UsageError, match="cores modexp and rsa, but farm was asked for"):
        board_texts(farm_core("sos", 128, cores=2), pll, link_of(ULX3S, pll), "ecp5")


def test_the_lowest_clock_is_the_receivers() -> None:
    text = (rtl_dir() / "board/mf_uart_rx.sv").read_text()
    assert f"if (BaudHz > ClkHz / {CYCLES_PER_BIT})" in text


def test_unknown_names() -> None:
    with pytest.raises(
        UsageError, match=r"no board 'icebreaker'; choose one of ulx3s-85f, colorlight-i5, ecp5-evn"
    ):
        get_board("icebreaker")
    with pytest.raises(UsageError, match=r"No RSA core for 8192 bits .* at most 4096 bits"):
        ULX3S.default_engine(8192)


def test_the_settings_that_nextpnr_takes_from_attributes_are_there(tmp_path: Path) -> None:
    """It writes 0 for a charge pump and a loop filter of which nothing is said."""
    files = ("EHXPLLL.sv", "mf_prim_pll.sv")
    for name in files:
        shutil.copy(rtl_dir() / "prim/ecp5" / name, tmp_path)
    netlist = tmp_path / "pll.json"
    script = f"read_slang --threads 1 --top mf_prim_pll {' '.join(files)}"
    yosys(f"{script}; write_json {netlist.name}", tmp_path)
    module = json.loads(netlist.read_text())["modules"]["mf_prim_pll"]
    (pll,) = (cell for cell in module["cells"].values() if cell["type"] == "EHXPLLL")
    # Behind a text of binary digits Yosys writes a space, which nextpnr takes away.
    found = {name: pll["attributes"][name].rstrip() for name in PLL_SETTINGS}
    assert found == PLL_SETTINGS
