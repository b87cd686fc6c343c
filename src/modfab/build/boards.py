# SPDX-License-Identifier: Apache-2.0
"""Boards with an open flow: device, pins, clock; and the settings of their PLL."""

from __future__ import annotations

from dataclasses import dataclass

from modfab.errors import UsageError

NUM_LEDS = 8


@dataclass(frozen=True, slots=True)
class Panel:
    """Ports of a board's top beside oscillator, button and serial line.

    Attributes:
        num_leds: LEDs: `NUM_LEDS`, or 1.
        leds_low: A low level lights them.
        has_high: The board has a pin that must be high.
    """

    num_leds: int = NUM_LEDS
    leds_low: bool = False
    has_high: bool = True


@dataclass(frozen=True, slots=True)
class Board:
    """One board.

    Attributes:
        name: As given to `--board`, and to openFPGALoader unless `loader` says otherwise.
        title: For people.
        target: Device whose primitives, capacity and nextpnr options it has, but for `route`.
        route: nextpnr's options of its device, speed grade and package.
        clock_mhz: Its oscillator.
        pins: Port of the top, or bit of one -> site and options of the I/O buffer, which has
            levels of 3.3 V unless these have an IO_TYPE.
        loader: Name of the board for openFPGALoader.
        baud: Bits a second of its serial line.
        port: Its usual device file on Linux.
        mhz: Frequency that a core is built for unless the user chooses one.
        engine: Engine of an RSA core that fits and is built in minutes, by bits of n at most.
        leds_low: A low level lights its LEDs.
    """

    name: str
    title: str
    target: str
    route: tuple[str, ...]
    clock_mhz: float
    pins: dict[str, str]
    loader: str
    baud: int = 3_000_000
    port: str = "/dev/ttyUSB0"
    mhz: float = 100.0
    engine: tuple[tuple[int, str], ...] = ((4096, "sos"),)
    leds_low: bool = False

    @property
    def panel(self) -> Panel:
        """The ports for which it has pins."""
        num_leds = sum(port.startswith("led_o") for port in self.pins)
        return Panel(num_leds, self.leds_low, "high_o" in self.pins)

    def constraints(self) -> str:
        """The file of pin constraints (LPF)."""
        lines = [f"# {self.title}; from `modfab build --board {self.name}`."]
        lines.append(f'FREQUENCY PORT "clk_i" {self.clock_mhz:g} MHZ;')
        for port, text in self.pins.items():
            site, _, options = text.partition(" ")
            lines.append(f'LOCATE COMP "{port}" SITE "{site}";')
            level = "" if "IO_TYPE=" in options else "IO_TYPE=LVCMOS33 "
            lines.append(f'IOBUF PORT "{port}" {level}{options};')
        return "\n".join(lines) + "\n"

    def default_engine(self, num_bits: int) -> str:
        """The engine for an RSA core of that many bits of n.

        Raises:
            UsageError: None fits.
        """
        for limit, name in self.engine:
            if num_bits <= limit:
                return name
        raise UsageError(
            f"No RSA core for {num_bits} bits is known to fit on {self.title}; choose at most "
            f"{self.engine[-1][0]} bits, or name an engine with --engine."
        )


def _ulx3s() -> Board:
    leds = ("B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3")
    return Board(
        name="ulx3s-85f",
        title="ULX3S with LFE5U-85F, speed grade 6",
        target="ecp5-85k",
        route=("--85k", "--speed", "6", "--package", "CABGA381"),
        clock_mhz=25.0,
        pins={
            "clk_i": "G2 PULLMODE=NONE",
            "button_ni": "D6 PULLMODE=UP",
            "uart_rx_i": "M1 PULLMODE=UP",
            "uart_tx_o": "L4 PULLMODE=UP DRIVE=4",
            # The ESP32 beside the FPGA starts its own program only while this pin is high.
            "high_o": "L2 PULLMODE=NONE DRIVE=4",
            **{f"led_o[{i}]": f"{site} PULLMODE=NONE DRIVE=4" for i, site in enumerate(leds)},
        },
        loader="ulx3s",
    )


def _colorlight_i5() -> Board:
    return Board(
        name="colorlight-i5",
        title="Colorlight i5 with LFE5U-25F, speed grade 6, on its extension board",
        target="ecp5-25k",
        route=("--25k", "--speed", "6", "--package", "CABGA381"),
        clock_mhz=25.0,
        pins={
            "clk_i": "P3 PULLMODE=NONE",
            "button_ni": "K18 PULLMODE=UP",
            "uart_rx_i": "H18 PULLMODE=UP",
            "uart_tx_o": "J17 PULLMODE=UP DRIVE=4",
            "led_o": "U16 PULLMODE=NONE DRIVE=4",
        },
        loader="colorlight-i5",
        port="/dev/ttyACM0",
        baud=115_200,  # LiteX's default; higher rates of the programmer's link are not tried
        leds_low=True,
    )


def _ecp5_evn() -> Board:
    leds = ("A13", "A12", "B19", "A18", "B18", "C17", "A17", "B17")
    led = "IO_TYPE=LVCMOS25 PULLMODE=NONE DRIVE=4"  # of a bank at 2.5 V
    return Board(
        name="ecp5-evn",
        title="Lattice ECP5 Evaluation Board with LFE5UM5G-85F, speed grade 8",
        target="ecp5-85k",
        # The 5G part has transceivers, and a core voltage that other parts do not take.
        route=("--um5g-85k", "--speed", "8", "--package", "CABGA381"),
        clock_mhz=12.0,
        pins={
            "clk_i": "A10 PULLMODE=NONE",
            "button_ni": "G2 PULLMODE=UP",
            "uart_rx_i": "P2 PULLMODE=UP",
            "uart_tx_o": "P3 PULLMODE=UP DRIVE=4",
            **{f"led_o[{i}]": f"{site} {led}" for i, site in enumerate(leds)},
        },
        loader="ecp5_evn",
        port="/dev/ttyUSB1",  # the second port of the programmer's chip
        baud=115_200,  # LiteX's default; higher rates are not tried
        leds_low=True,
    )


BOARDS: dict[str, Board] = {
    board.name: board for board in (_ulx3s(), _colorlight_i5(), _ecp5_evn())
}


def get_board(name: str) -> Board:
    """The board of that name; UsageError lists the names there are."""
    if name not in BOARDS:
        raise UsageError(f"There is no board {name!r}; choose one of {', '.join(BOARDS)}.")
    return BOARDS[name]


@dataclass(frozen=True, slots=True)
class Pll:
    """Settings of `mf_prim_pll`."""

    in_div: int
    fb_div: int
    out_div: int
    mhz: float


_LOWEST_INPUT_MHZ = 10.0
_VCO_MHZ, _MIDDLE_MHZ = (400.0, 800.0), 600.0
_HIGHEST_MHZ = 400.0
"""Ranges of ECP5's PLL, as LiteX has them after the device's data sheet."""


CYCLES_PER_BIT = 8
"""Least cycles of a bit that `mf_uart_rx` accepts."""


def pll_for(clock_mhz: float, mhz: float) -> Pll:
    """The settings whose frequency is nearest to the wanted one, but not below.

    Args:
        clock_mhz: Of the oscillator.
        mhz: Wanted; the outcome is at most 10 % above.

    Raises:
        UsageError: The PLL cannot make it.

    >>> pll_for(25.0, 100.0)
    Pll(in_div=1, fb_div=24, out_div=6, mhz=100.0)
    >>> pll_for(25.0, 121.0).mhz
    121.875
    """
    found = []
    for in_div in range(1, int(clock_mhz / _LOWEST_INPUT_MHZ) + 1):
        for fb_div in range(1, 129):
            vco = clock_mhz * fb_div / in_div
            if not _VCO_MHZ[0] <= vco <= _VCO_MHZ[1]:
                continue
            out_div = min(128, int(vco / mhz))
            if out_div and vco / out_div <= min(1.1 * mhz, _HIGHEST_MHZ):
                found.append((Pll(in_div, fb_div, out_div, vco / out_div), vco))
    if not found:
        raise UsageError(
            f"The PLL makes no {mhz:g} MHz from the board's {clock_mhz:g} MHz; choose another "
            "--mhz: 10 to 400, in the steps of its dividers."
        )
    return min(found, key=lambda it: (it[0].mhz, it[0].in_div, abs(it[1] - _MIDDLE_MHZ)))[0]


def check_line(board: Board, pll: Pll) -> None:
    """UsageError for a clock with which the bridge cannot read the board's serial line."""
    lowest = CYCLES_PER_BIT * board.baud / 1e6
    if pll.mhz < lowest:
        raise UsageError(
            f"The serial line of {board.name} has {board.baud:,} Bd, for which the bridge needs "
            f"{lowest:g} MHz or more, but --mhz makes {pll.mhz:g}; choose a higher --mhz."
        )
