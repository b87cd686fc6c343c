# SPDX-License-Identifier: Apache-2.0
"""The measurement wrapper: a design of many ports behind three pins.

Every input of the design comes from one long shift register and every output goes into a register
of its own, whose bits are folded by a chain of registered XORs into one pin. So nothing is
optimised away, the pins do not limit where cells are placed, and every path of the design starts
and ends at a register as it would inside a larger design. The wrapper's own cost is measured around
an empty box.
"""

from __future__ import annotations

from dataclasses import dataclass

from modfab.gen.config import CoreConfig
from modfab.numbers import words_of
from modfab.rsa.instructions import ADDR_BITS

TOP = "mf_measure"
"""Name of the wrapper's module."""

BUILT = "mf_top"
"""Name of the measured module, which a build composes."""

_FOLD_BITS = 3  # outputs folded by one step of the chain: with its carry one LUT of four inputs


@dataclass(frozen=True, slots=True)
class Port:
    """A port of the measured module; the type is written in front of its name."""

    name: str
    bits: int
    is_input: bool
    kind: str = ""

    @property
    def sv_type(self) -> str:
        """SystemVerilog type of the port."""
        return self.kind or (f"logic [{self.bits - 1}:0]" if self.bits > 1 else "logic")


def _in(name: str, bits: int = 1, kind: str = "") -> Port:
    return Port(name, bits, True, kind)


def _out(name: str, bits: int = 1, kind: str = "") -> Port:
    return Port(name, bits, False, kind)


def _mul_ports(config: CoreConfig) -> tuple[Port, ...]:
    del config
    return (
        *(_in("rst_i"), _in("zeroize_i")),
        *(_in("cmd_valid_i"), _out("cmd_ready_o"), _in("cmd_i", 54, "mf_pkg::cmd_t")),
        *(_in("in_valid_i"), _out("in_ready_o"), _in("in_data_i", 32)),
        *(_out("out_valid_o"), _in("out_ready_i"), _out("out_data_o", 32)),
        *(_out("busy_o"), _out("status_o", 4, "mf_pkg::status_e")),
    )


def _modexp_ports(config: CoreConfig) -> tuple[Port, ...]:
    word_bits = words_of(config.num_bits).bit_length()
    exp_bits = words_of(config.exp_bits).bit_length()
    return (
        *(_in("rst_i"), _in("zeroize_i"), _in("start_i"), _in("setup_only_i")),
        *(_in("exp_bits_i", 16), _in("mod_written_i")),
        *(_out("busy_o"), _out("done_o"), _out("error_o", 4, "mf_pkg::status_e")),
        *(_out("opnd_addr_o", word_bits), _in("mod_data_i", 32), _in("base_data_i", 32)),
        *(_out("exp_addr_o", exp_bits), _in("exp_data_i", 32)),
        *(_out("res_we_o"), _out("res_addr_o", word_bits), _out("res_data_o", 32)),
        *(_out("setup_cycles_o", 32), _out("exp_cycles_o", 64), _out("total_cycles_o", 64)),
    )


def _axil_ports(config: CoreConfig) -> tuple[Port, ...]:
    del config
    write = ("s_axi_awaddr", 16), ("s_axi_awvalid", 1), ("s_axi_wdata", 32), ("s_axi_wstrb", 4)
    more = ("s_axi_wvalid", 1), ("s_axi_bready", 1), ("s_axi_araddr", 16), ("s_axi_arvalid", 1)
    answers = ("s_axi_awready", 1), ("s_axi_wready", 1), ("s_axi_bresp", 2), ("s_axi_bvalid", 1)
    reads = ("s_axi_arready", 1), ("s_axi_rdata", 32), ("s_axi_rresp", 2), ("s_axi_rvalid", 1)
    return (
        *(_in("rst_i"), _out("irq_o")),
        *(_in(name, bits) for name, bits in (*write, *more, ("s_axi_rready", 1))),
        *(_out(name, bits) for name, bits in (*answers, *reads)),
    )


def _rsa_ports(config: CoreConfig) -> tuple[Port, ...]:
    del config
    return (
        *(_in("rst_i"), _in("zeroize_i"), _in("start_i"), _in("entry_i", 2, "mf_rsa_pkg::entry_e")),
        *(_in("e_bits_i", 16), _out("busy_o"), _out("done_o")),
        *(_out("status_o", 4, "mf_rsa_pkg::status_e"), _out("key_valid_o")),
        *(_out("result_valid_o"), _out("cycles_o", 64)),
        *(_in("host_we_i"), _in("host_addr_i", ADDR_BITS), _in("host_data_i", 32)),
        *(_out("host_data_o", 32), _out("host_error_o")),
        *(_in("rnd_valid_i"), _out("rnd_ready_o"), _in("rnd_data_i", 32)),
    )


def _rsa_axil_ports(config: CoreConfig) -> tuple[Port, ...]:
    entropy = _in("s_axis_rnd_tdata", 32), _in("s_axis_rnd_tvalid"), _out("s_axis_rnd_tready")
    return (*_axil_ports(config), *entropy)


def _farm_ports(config: CoreConfig) -> tuple[Port, ...]:
    jobs = _in("s_axis_job_tdata", 32), _in("s_axis_job_tlast"), _in("s_axis_job_tvalid")
    answers = _out("m_axis_ans_tdata", 32), _out("m_axis_ans_tlast"), _out("m_axis_ans_tvalid")
    readies = _out("s_axis_job_tready"), _in("m_axis_ans_tready")
    return (*_rsa_axil_ports(config), *jobs, *answers, *readies)


_PORTS = {
    "mul": _mul_ports,
    "modexp": _modexp_ports,
    "axil": _axil_ports,
    "rsa": _rsa_ports,
    "rsa_axil": _rsa_axil_ports,
    "farm": _farm_ports,
}
"""Level -> the ports of the measured module."""


def ports_of(level: str, config: CoreConfig) -> tuple[Port, ...]:
    """Ports of the measured module without its clock `clk_i`, in order."""
    return _PORTS[level](config)


def _connections(ports: tuple[Port, ...]) -> str:
    lines = [".clk_i (clk_i)"]
    low = 0
    for port in ports:
        net = port.name
        if port.is_input:
            net = f"in_q[{low} +: {port.bits}]"
            low += port.bits
        cast = f"{port.kind}'({net})" if port.is_input and port.kind else net
        lines.append(f".{port.name} ({cast})")
    return ",\n    ".join(lines)


def wrapper_text(level: str, config: CoreConfig) -> str:
    """SystemVerilog of the wrapper around one level of a configuration.

    Args:
        level: One of `modfab.flow.design.LEVELS`.
        config: Decides the widths of some ports.
    """
    ports = ports_of(level, config)
    outputs = [port for port in ports if not port.is_input]
    in_bits = sum(port.bits for port in ports if port.is_input)
    out_bits = sum(port.bits for port in outputs)
    nets = "".join(f"  {port.sv_type} {port.name};\n" for port in outputs)
    joined = ", ".join(port.name for port in reversed(outputs))
    folds = -(-out_bits // _FOLD_BITS)
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Measurement wrapper: inputs from a shift register, outputs into registers folded to one pin.
///
/// Source   modfab.flow.wrapper.
/// Latency  none of interest.
/// Assumes  nothing.
/// Ensures  every path of the measured design starts and ends at a register.
module {TOP} (
  input  logic clk_i,
  input  logic si_i,
  output logic so_o
);

{nets}  logic [{in_bits - 1}:0] in_q;
  logic [{folds * _FOLD_BITS - 1}:0] out_q;
  logic [{folds}:0] fold_q;
  assign so_o = fold_q[{folds}];

  {BUILT} u_dut (
    {_connections(ports)}
  );

  always_ff @(posedge clk_i) begin
    in_q  <= {{in_q[{in_bits - 2}:0], si_i}};
    out_q <= {folds * _FOLD_BITS}'({{{joined}}});
    for (int unsigned i = 0; i < {folds}; i++)
      fold_q[i+1] <= fold_q[i] ^ (^out_q[{_FOLD_BITS} * i +: {_FOLD_BITS}]);
    fold_q[0] <= 1'b0;
  end

endmodule
"""


def stub_text(level: str, config: CoreConfig) -> str:
    """An empty box with the ports of the measured module."""
    ports = (_in("clk_i"), *ports_of(level, config))
    words = [f"{'input' if p.is_input else 'output'} {p.sv_type} {p.name}" for p in ports]
    joined = ",\n  ".join(words)
    return f"(* blackbox *)\nmodule {BUILT} (\n  {joined}\n);\nendmodule\n"
