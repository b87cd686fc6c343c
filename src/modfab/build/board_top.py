# SPDX-License-Identifier: Apache-2.0
"""The top of a board: PLL, reset, serial bridge, core, LEDs; generated, all of it connected."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from modfab.build.boards import NUM_LEDS, Board, Panel, Pll
from modfab.build.compose import compose
from modfab.build.core import Core
from modfab.build.farm import FarmCore
from modfab.build.files import vendor_files
from modfab.build.rsa import RsaCore
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.paths import rtl_dir

TOP = "mf_board"
"""Name of the top module."""

CORE = "mf_board_core"
"""Name of the module that connects core, engine and sequencer."""

ALL_LEDS = Panel()

_LIST = "board/files.f"
_AXI = {
    "aw": (("awaddr", 16), ("awvalid", 1), ("awready", 1)),
    "w": (("wdata", 32), ("wstrb", 4), ("wvalid", 1), ("wready", 1)),
    "b": (("bresp", 2), ("bvalid", 1), ("bready", 1)),
    "ar": (("araddr", 16), ("arvalid", 1), ("arready", 1)),
    "r": (("rdata", 32), ("rresp", 2), ("rvalid", 1), ("rready", 1)),
}


@dataclass(frozen=True, slots=True)
class Link:
    """The serial line of a build, and the clock that it is divided from.

    Attributes:
        clk_hz: The core's clock.
        baud: Bits a second.
        timeout_cycles: Silence that ends a command.
        wait_cycles: Longest wait for the interrupt.
    """

    clk_hz: int
    baud: int
    timeout_cycles: int
    wait_cycles: int


def link_of(board: Board, pll: Pll) -> Link:
    """The line of a board in hardware: 50 ms of silence, and of a wait."""
    clk_hz = round(pll.mhz * 1e6)
    return Link(clk_hz, board.baud, clk_hz // 20, clk_hz // 20)


def check_core(core: Core) -> None:
    """UsageError for a core that needs more than a register bus and entropy."""
    if core.kind == FarmCore.kind or not core.bus_module:
        raise UsageError(
            f"A board has the cores modexp and rsa, but {core.kind} was asked for, whose stream "
            "ports need a faster link than a serial line; choose one of these."
        )


def _bus() -> tuple[str, str, str]:
    """Nets between bridge and core, and the connections of either."""
    signals = [signal for channel in _AXI.values() for signal in channel]
    nets = "".join(
        f"  logic {f'[{bits - 1}:0]' if bits > 1 else '':<6} axi_{name};\n"
        for name, bits in signals
    )
    ends = [
        "".join(f"    .{side}_axi_{name:<7} (axi_{name}),\n" for name, _ in signals)
        for side in "ms"
    ]
    return nets, ends[0], ends[1]


def _leds(panel: Panel) -> str:
    """The board's LEDs from those of `mf_board_leds`."""
    invert = "~" if panel.leds_low else ""
    if panel.num_leds == NUM_LEDS:
        return f"  assign led_o = {invert}leds;\n"
    return (
        f"  assign led_o = {invert}(leds[7] | leds[1] | leds[0]); // alarm, link, busy\n"
        "  logic unused_leds;\n  assign unused_leds = ^leds;\n"
    )


_TOP_TEXT = """\
// SPDX-License-Identifier: Apache-2.0
/// A board with a core behind its serial line. Made by modfab; do not edit.
///
/// Source   rtl/board/README.md.
/// Latency  that of the core and of mf_uartbone.
/// Assumes  clk_i is the board's oscillator.
/// Ensures  what {bus_module} ensures, for whoever writes to the serial line.
module {top} (
  input  logic       clk_i,
  input  logic       button_ni, // low resets core and bridge, and so wipes the core
  input  logic       uart_rx_i,
  output logic       uart_tx_o,
{high}  output logic {width} led_o
);

  logic       clk, locked, rst, irq, alarm, link, waits;
  logic [7:0] leds;
{drive_high}{leds}
  mf_prim_pll #(.InDiv({in_div}), .FbDiv({fb_div}), .OutDiv({out_div})) u_pll (
    .clk_i, .clk_o(clk), .locked_o(locked)
  );
  mf_board_reset u_reset (.clk_i(clk), .ready_i(locked && button_ni), .rst_o(rst));

{nets}  logic [31:0] rnd_tdata;
  logic        rnd_tvalid, rnd_tready;

  mf_uartbone #(
    .ClkHz         ({clk_hz}),
    .BaudHz        ({baud}),
    .TimeoutCycles ({timeout_cycles}),
    .WaitCycles    ({wait_cycles})
  ) u_link (
    .clk_i   (clk),
    .rst_i   (rst),
    .uart_rx_i, .uart_tx_o,
    .irq_i   (irq),
    .alarm_i (alarm),
    .link_o  (link),
    .wait_o  (waits),
{master}    .m_axis_rnd_tdata  (rnd_tdata),
    .m_axis_rnd_tvalid (rnd_tvalid),
    .m_axis_rnd_tready (rnd_tready)
  );

  {core} u_core (
    .clk_i (clk),
    .rst_i (rst),
{slave}{streams}    .irq_o (irq){alarm}
  );
{idle}
  mf_board_leds u_leds (
    .clk_i(clk), .rst_i(rst), .busy_i(waits), .link_i(link), .alarm_i(alarm), .led_o(leds)
  );

endmodule
"""

_STREAMS = """\
    .s_axis_rnd_tdata  (rnd_tdata),
    .s_axis_rnd_tvalid (rnd_tvalid),
    .s_axis_rnd_tready (rnd_tready),
"""

_NO_ENTROPY = """\
  assign rnd_tready = 1'b0; // this core takes no entropy
  logic unused_rnd;
  assign unused_rnd = ^{rnd_tdata, rnd_tvalid};
"""


def top_text(core: Core, pll: Pll, link: Link, panel: Panel = ALL_LEDS) -> str:
    """SystemVerilog of the top.

    Args:
        core: What the board holds.
        pll: Dividers of the clock.
        link: The serial line: rates, in Hz and Bd, and time limits, in cycles.
        panel: LEDs of the board.
    """
    nets, master, slave = _bus()
    rsa = core.kind == RsaCore.kind  # it has an alarm
    random = rsa and not (core.choices() or {}).get("public_only")
    no_alarm = "\n" if rsa else "  assign alarm = 1'b0; // and has no alarm\n\n"
    return _TOP_TEXT.format(
        **asdict(link),
        **{name: getattr(pll, name) for name in ("in_div", "fb_div", "out_div")},
        top=TOP,
        core=CORE,
        bus_module=core.bus_module,
        high="  output logic       high_o,\n" if panel.has_high else "",
        drive_high="  assign high_o = 1'b1;\n" if panel.has_high else "",
        width=f"[{NUM_LEDS - 1}:0]" if panel.num_leds == NUM_LEDS else "     ",
        leds=_leds(panel),
        nets=nets,
        master=master,
        slave=slave,
        streams=_STREAMS if random else "",
        alarm=",\n    .alarm_o (alarm)" if rsa else "",
        idle="" if random else _NO_ENTROPY + no_alarm,
    )


def board_files(core: Core) -> tuple[str, ...]:
    """The files of a build below rtl/, with generic primitives."""
    return tuple(dict.fromkeys((*core.files(True), *listed_files(_LIST))))


def board_generated(core: Core, pll: Pll, link: Link, panel: Panel = ALL_LEDS) -> dict[str, str]:
    """File name -> text of what is generated, the top last; arguments as for `top_text`.

    Raises:
        UsageError: The core is of a kind that no board has.
    """
    check_core(core)
    return compose(core, True, CORE) | {f"{TOP}.sv": top_text(core, pll, link, panel)}


def board_texts(
    core: Core, pll: Pll, link: Link, vendor: str, panel: Panel = ALL_LEDS
) -> dict[str, str]:
    """File name -> text of a board's RTL with a vendor's primitives, packages first."""
    paths = [rtl_dir() / own for file in board_files(core) for own in vendor_files(file, vendor)]
    ordered = sorted(paths, key=lambda path: not PurePosixPath(path).stem.endswith("_pkg"))
    texts = {path.name: path.read_text() for path in ordered}
    return texts | board_generated(core, pll, link, panel)
