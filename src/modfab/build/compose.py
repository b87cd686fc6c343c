# SPDX-License-Identifier: Apache-2.0
"""The one generated module of a build: a core, its engines, its sequencers, its program memory.

Every module of rtl/ receives what it works with through ports. What a build adds is the text of
one module that instantiates them and connects them, and for an RSA core its program memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch

from modfab.build.core import Core, EngineCore, ModexpCore
from modfab.build.farm import FarmCore
from modfab.build.header import parameters_text, ports_text
from modfab.build.rsa import RsaCore
from modfab.build.rsa_programs import cfg_literal, rom_text
from modfab.catalog import Engine, Params, Sequencer

SMALL = "gen_small"
"""Block of a farm's core that is small."""

_CORE_RESET = "core_rst_o"
_RESET = f"{_CORE_RESET}[core]"
"""Of a farm: the resets of all cores, and that of one."""
_ENGINE_PORTS = ("engine_req_o", "engine_rsp_i", "seq_req_o", "seq_rsp_i")
_ROM_PORTS = ("rom_addr_o", "rom_data_i")
_STAGES_PRODUCT = 8
"""Cycles of a product beside which the registers of a sequencer's `Stages` cost none."""


@dataclass(frozen=True, slots=True)
class _EntropyPorts:
    data: str
    valid: str
    ready: str
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.data, self.valid, self.ready, *self.others)


_ENTROPY = {
    False: _EntropyPorts("rnd_data_i", "rnd_valid_i", "rnd_ready_o", ("rnd_failed_i",)),
    True: _EntropyPorts("s_axis_rnd_tdata", "s_axis_rnd_tvalid", "s_axis_rnd_tready"),
}
"""By whether the core has its bus."""


_CONTEXT_PORTS = ("context_i", "contexts_o")
_ONE_KEY = """  mf_rsa_pkg::context_t  context_i;
  mf_rsa_pkg::contexts_t contexts_o;
  assign context_i = '0; // one key
  logic unused_contexts;
  assign unused_contexts = ^contexts_o;
"""


def _head(name: str, module: str, parameters: str, ports: str) -> str:
    return f"""// SPDX-License-Identifier: Apache-2.0
/// {module} with everything it is connected to. Made by modfab; do not edit.
///
/// Source   {module}.sv.
/// Latency  that module's.
/// Assumes  what that module assumes.
/// Ensures  what that module ensures.
module {name} #(
{parameters}) (
{ports});

"""


def _instance(top: str, params: Params, name: str, links: str, indent: str) -> str:
    width = max(len(parameter) for parameter in params)
    values = ",\n".join(f"{indent}  .{p:<{width}} ({value})" for p, value in params.items())
    return f"{indent}{top} #(\n{values}\n{indent}) {name} (\n{links}{indent});\n"


def _clocked(rst: str) -> str:
    """Clock and reset of an instance, the reset from a net that may have another name."""
    return ".clk_i, .rst_i," if rst == "rst_i" else f".clk_i, .rst_i({rst}),"


def _engine(engine: Engine, params: Params, index: str, indent: str, rst: str = "rst_i") -> str:
    req, rsp = f"engine_req_o{index}", f"engine_rsp_i{index}"
    links = f"""{indent}  {_clocked(rst)}
{indent}  .zeroize_i   ({req}.zeroize),
{indent}  .cmd_valid_i ({req}.cmd_valid),
{indent}  .cmd_ready_o ({rsp}.cmd_ready),
{indent}  .cmd_i       ({req}.cmd),
{indent}  .in_valid_i  ({req}.in_valid),
{indent}  .in_ready_o  ({rsp}.in_ready),
{indent}  .in_data_i   ({req}.in_data),
{indent}  .out_valid_o ({rsp}.out_valid),
{indent}  .out_ready_i ({req}.out_ready),
{indent}  .out_data_o  ({rsp}.out_data),
{indent}  .busy_o      ({rsp}.busy),
{indent}  .status_o    ({rsp}.status)
"""
    return _instance(engine.top, params, "u_engine", links, indent)


def _dual_engine(engine: Engine, params: Params, index: str, indent: str, rst: str) -> str:
    """One dual-port engine for both units."""
    assert engine.pair is not None
    req, rsp = f"engine_req_o{index}", f"engine_rsp_i{index}"

    def both(struct: str, field: str) -> str:
        return f"{{{struct}[1].{field}, {struct}[0].{field}}}"

    names = ("cmd_valid", "cmd", "in_valid", "in_data", "out_ready")
    inputs = "".join(f"{indent}  .{n + '_i':<11} ({both(req, n)}),\n" for n in names)
    driven = ("cmd_ready", "in_ready", "out_valid", "out_data", "busy", "status")
    outputs = ",\n".join(f"{indent}  .{n + '_o':<11} ({both(rsp, n)})" for n in driven)
    links = f"{indent}  {_clocked(rst)}\n{indent}  .zeroize_i   ({req}[0].zeroize),\n"
    chosen = {name: params[name] for name in engine.pair.names}
    return _instance(engine.pair.top, chosen, "u_engine", f"{links}{inputs}{outputs}\n", indent)


def _sequencer(
    sequencer: Sequencer, core: ModexpCore, index: str, indent: str, stages: int = 0
) -> str:
    req, rsp = f"seq_req_o{index}", f"seq_rsp_i{index}"
    links = f"""{indent}  .clk_i,
{indent}  .rst_i       ({req}.rst),
{indent}  .start_i     ({req}.start),
{indent}  .exp_bits_i  ({req}.exp_bits),
{indent}  .exp_addr_o  (exp_addr),
{indent}  .exp_data_i  ({req}.exp_data),
{indent}  .cmd_valid_o ({rsp}.cmd_valid),
{indent}  .cmd_ready_i ({req}.cmd_ready),
{indent}  .cmd_o       ({rsp}.cmd),
{indent}  .done_o      ({rsp}.done)
"""
    params = {"ExpBits": core.exp_bits, "NumLanes": core.engine.num_lanes(core.params)}
    if stages and not sequencer.masked:
        params["Stages"] = stages
    words = "2 * " * sequencer.masked + f"mf_pkg::words_of({core.exp_bits})"
    address = f"$clog2({words} + 1)"
    return (
        f"{indent}logic [{address}-1:0] exp_addr;\n"
        f"{indent}assign {rsp}.exp_addr = 16'(exp_addr);\n"
        f"{_instance(sequencer.top, params, 'u_sequencer', links, indent)}"
    )


def _nets(dimensions: str) -> str:
    types = ("engine_req_t", "engine_rsp_t", "seq_req_t", "seq_rsp_t")
    return "".join(
        f"  mf_pkg::{kind:<12} {dimensions}{name};\n"
        for kind, name in zip(types, _ENGINE_PORTS, strict=True)
    )


def _same(values: Mapping[str, str]) -> str:
    """Parameters of an instance that have the names of constants around it."""
    return ",\n".join(f"    .{name}({name})" for name in values) + "\n"


def _core(module: str, values: dict[str, str]) -> str:
    return f"\n  {module} #(\n{_same(values)}  ) u_core (.*);\n\n"


def _around(name: str, core: Core, bus: bool, values: dict[str, str], hidden: Sequence[str]) -> str:
    """Header of a build around a core's module; the ports that are connected inside are hidden."""
    module = core.bus_module if bus else core.module
    path = next(file for file in core.files(bus) if file.endswith(f"/{module}.sv"))
    return _head(name, module, parameters_text(path, values), ports_text(path, hidden))


@singledispatch
def top_text(core: Core, bus: bool, name: str) -> str:
    """The module of a build that connects everything.

    Args:
        core, bus, name: As for `compose`.
    """
    raise TypeError(f"a core of the kind {core.kind} has no text")


@top_text.register
def _(core: EngineCore, bus: bool, name: str) -> str:
    engine = core.engine
    path = next(file for file in engine.files if file.endswith(f"/{engine.top}.sv"))
    values = {parameter: str(value) for parameter, value in core.params.items()}
    head = _head(name, engine.top, parameters_text(path, values), ports_text(path))
    return f"{head}  {engine.top} #(\n{_same(values)}  ) u_engine (.*);\n\nendmodule\n"


@top_text.register
def _(core: ModexpCore, bus: bool, name: str) -> str:
    values = {
        "NumBits": str(core.num_bits),
        "ExpBits": str(core.exp_bits),
        "RuntimeWords": f"1'b{int(core.engine.runtime_words)}",
        "LoadSum": f"1'b{int(core.engine.sum_bits(core.params) > 0)}",
        **(_identity(core) if bus else {}),
    }
    return (
        _around(name, core, bus, values, _ENGINE_PORTS)
        + _nets("")
        + _core(core.bus_module if bus else core.module, values)
        + _engine(core.engine, core.params, "", "  ")
        + "\n"
        + _sequencer(core.sequencer, core, "", "  ")
        + "\nendmodule\n"
    )


def _identity(core: ModexpCore, lanes: bool = True) -> dict[str, str]:
    engine = core.engine
    values = {"NumLanes": str(engine.num_lanes(core.params))} if lanes else {}
    return values | {
        "EngineId": f"8'd{engine.engine_id}",
        "SequencerId": f"8'd{core.sequencer.sequencer_id}",
    }


def _units(name: str, core: RsaCore, index: str, indent: str, rst: str = "rst_i") -> str:
    """Engines, sequencers and program memory of one RSA core."""
    unit_core, units = core.unit, core.shape.engines
    if units == 1 or core.shape.pair:
        unit = f"{index}[0]"
        text = (
            _dual_engine(unit_core.engine, unit_core.params, index, indent, rst)
            if core.shape.pair
            else _engine(unit_core.engine, unit_core.params, unit, indent, rst)
        ) + "\n"
    else:
        text = ""
    inner = f"{indent}  "
    if core.shape.public_only:
        return text + _no_sequencer(index, indent) + _rom(name, index, indent)
    text += f"{indent}for (genvar unit = 0; unit < {units}; unit++) begin : gen_unit\n"
    if units > 1 and not core.shape.pair:
        text += _engine(unit_core.engine, unit_core.params, f"{index}[unit]", inner, rst) + "\n"
    stages = int(unit_core.engine.cycles.mul(unit_core.params) >= _STAGES_PRODUCT)
    sequencer = _sequencer(unit_core.sequencer, unit_core, f"{index}[unit]", inner, stages)
    text += f"{sequencer}{indent}end\n\n"
    return text + _rom(name, index, indent)


def _rom(name: str, index: str, indent: str) -> str:
    return (
        f"{indent}{name}_rom u_rom (\n"
        f"{indent}  .clk_i, .addr_i(rom_addr_o{index}), .instr_o(rom_data_i{index})\n{indent});\n"
    )


def _no_sequencer(index: str, indent: str) -> str:
    """Of a core whose only exponentiations are those with e."""
    return (
        f"{indent}assign seq_rsp_i{index} = '0; // public operations need no sequencer\n"
        f"{indent}logic unused_sequencer;\n"
        f"{indent}assign unused_sequencer = ^seq_req_o{index};\n\n"
    )


def _no_entropy(bus: bool) -> str:
    """Nets of the entropy port of a core that takes no random words."""
    names = _ENTROPY[bus]
    return (
        f"  logic [31:0] {names.data};\n"
        f"  logic        {names.valid}, {names.ready};\n"
        f"  assign {names.data} = '0; // nothing is random in public operations\n"
        f"  assign {names.valid} = 1'b0;\n"
        + "".join(f"  logic {name};\n  assign {name} = 1'b0;\n" for name in names.others)
        + f"  logic unused_entropy;\n  assign unused_entropy = {names.ready};\n"
    )


@top_text.register
def _(core: RsaCore, bus: bool, name: str) -> str:
    values = {"Cfg": cfg_literal(core), "NumUnits": str(core.shape.engines)}
    values |= _identity(core.unit) if bus else {"CountLate": "0"}
    hidden = [*_ENGINE_PORTS, *_ROM_PORTS]
    entropy = one_key = ""
    if core.shape.keys == 1 and not bus:
        hidden += _CONTEXT_PORTS
        one_key = _ONE_KEY
    if core.shape.public_only:
        values |= {"SequencerId": "8'd0"} if bus else {}
        hidden += _ENTROPY[bus].names
        entropy = _no_entropy(bus)
    return (
        _around(name, core, bus, values, hidden)
        + _nets("[NumUnits-1:0] ")
        + "  mf_rsa_pkg::addr_t   rom_addr_o;\n  mf_rsa_pkg::instr_t  rom_data_i;\n"
        + entropy
        + one_key
        + _core(core.bus_module if bus else core.module, values)
        + _units(name, core, "", "  ")
        + "\nendmodule\n"
    )


@top_text.register
def _(core: FarmCore, bus: bool, name: str) -> str:
    rsa, small = core.rsa, core.small
    values = {
        "Cfg": cfg_literal(rsa),
        "NumCores": str(core.cores),
        "NumSmall": str(core.small_cores),
        "CfgSmall": cfg_literal(small) if small else "Cfg",
        "JobIdBits": str(core.id_bits),
        "NumUnits": str(rsa.shape.engines),
        **_identity(rsa.unit, lanes=False),
    }
    return (
        _around(name, core, bus, values, (_CORE_RESET, *_ENGINE_PORTS, *_ROM_PORTS))
        + f"  logic                [NumCores-1:0] {_CORE_RESET};\n"
        + _nets("[NumCores-1:0][NumUnits-1:0] ")
        + "  mf_rsa_pkg::addr_t   [NumCores-1:0] rom_addr_o;\n"
        + "  mf_rsa_pkg::instr_t  [NumCores-1:0] rom_data_i;\n"
        + _core(core.bus_module, values)
        + "  for (genvar core = 0; core < NumCores; core++) begin : gen_core\n"
        + (_either(name, rsa, small) if small else _units(name, rsa, "[core]", "    ", _RESET))
        + "  end\n\nendmodule\n"
    )


def _name_of_small(name: str, large: RsaCore, small: RsaCore) -> str:
    """What the name of the small cores' program memory begins with."""
    return name if small.image == large.image else f"{name}_small"


def _either(name: str, large: RsaCore, small: RsaCore) -> str:
    """Of a farm with small cores."""
    return (
        "    if (core + NumSmall < NumCores) begin : gen_large\n"
        + _units(name, large, "[core]", "      ", _RESET)
        + f"    end else begin : {SMALL}\n"
        + _units(_name_of_small(name, large, small), small, "[core]", "      ", _RESET)
        + "    end\n"
    )


@singledispatch
def _programs(core: Core, name: str) -> dict[str, RsaCore]:
    """What the name of a program memory begins with -> an RSA core that runs these programs."""
    return {}


@_programs.register
def _(core: RsaCore, name: str) -> dict[str, RsaCore]:
    return {name: core}


@_programs.register
def _(core: FarmCore, name: str) -> dict[str, RsaCore]:
    found = {_name_of_small(name, core.rsa, core.small): core.small} if core.small else {}
    return found | {name: core.rsa}


def compose(core: Core, bus: bool, name: str) -> dict[str, str]:
    """File name -> text of the generated modules of a build, the top `name` last.

    Args:
        core: What is built.
        bus: With its bus.
        name: Of the top module; the program memory is called `name_rom`, that of small cores which
            run other programs `name_small_rom`.

    >>> from modfab.build.core import modexp_core
    >>> list(compose(modexp_core("bit_serial", 64), False, "small"))
    ['small.sv']
    """
    texts = {
        f"{memory}_rom.sv": rom_text(f"{memory}_rom", runs)
        for memory, runs in _programs(core, name).items()
    }
    return texts | {f"{name}.sv": top_text(core, bus, name)}
