# SPDX-License-Identifier: Apache-2.0
"""What the RTL of an RSA core knows of its programs: sizes, addresses, program memory."""

from __future__ import annotations

from modfab.build.rsa import ENTROPY_CYCLES, RsaCore, watchdog_cycles
from modfab.build.rsa_cycles import store_gap
from modfab.models.rsa.instructions import ADDR_BITS, INSTRUCTION_BITS

_ENTRIES = ("private", "public", "key", "derive", "test", "fail")
_CHANGES = ("change", "leave")
_VARIABLES = ("p", "q", "dp", "dq", "qi", "e", "d", "c", "c2", "m", "m_end")
"""What the RTL knows of the programs: where they begin, with several keys also the changes, and the
variables that the host reaches."""
_GROUP = 32
"""Program words in one concatenation: Verilator takes seconds for one of a thousand words."""


def cfg_literal(core: RsaCore) -> str:
    """The `mf_rsa_pkg::cfg_t` of a build, as SystemVerilog."""
    image, shape = core.image, core.shape
    addresses = {name.lower(): address for name, (address, _) in image.variables.items()}
    texts = {
        "prime_bits": f"16'd{shape.half_bits}",
        "min_prime_bits": f"16'd{32 * shape.chunk_words}",
        "exp_bits": f"16'd{shape.exp_bits}",
        "max_e_bits": f"16'd{32 * shape.num_words}",
        "watchdog_cycles": f"32'd{watchdog_cycles(core)}",
        "unit_wipe": f"16'd{core.unit.engine.cycles.wipe(core.unit.params)}",
        "store_gap": f"16'd{store_gap(core.unit.engine, core.unit.params)}",
        "entropy_cycles": f"32'd{ENTROPY_CYCLES}",
        "blind_exponent": f"1'b{int(shape.exponent_words > 0)}",
        "blind_message": f"1'b{int(shape.message_blinding)}",
        "hardened": f"1'b{int(shape.hardened)}",
        "blind_address": f"1'b{int(shape.address_blinding)}",
        "load_sums": f"1'b{int(core.sum_bits > 0)}",
        "keygen": f"1'b{int(shape.keygen)}",
        "public_only": f"1'b{int(shape.public_only)}",
        "num_keys": f"3'd{shape.keys}",
        "bank_bits": f"4'd{(image.bank - 1).bit_length() if shape.keys > 1 else 0}",
    }
    found = {"ram_words": image.num_words, "key_end": addresses["key_end"]}
    found |= {f"entry_{name}": image.entries[name] for name in _ENTRIES}
    found |= {f"entry_{name}": image.entries.get(name, 0) for name in _CHANGES}
    found |= {f"var_{name}": addresses[name] for name in _VARIABLES}
    texts |= {name: f"{ADDR_BITS}'d{address}" for name, address in found.items()}
    rows = ",\n".join(f"    {name}: {value}" for name, value in texts.items())
    return f"'{{\n{rows}\n  }}"


def rom_text(name: str, core: RsaCore) -> str:
    """The program memory of an RSA core."""
    code, digits = core.image.code, -(-INSTRUCTION_BITS // 4)
    bits = (len(code) - 1).bit_length()
    words = [f"        {INSTRUCTION_BITS}'h{word.encode():0{digits}x}" for word in code]
    groups = ",\n".join(
        f"      {{ // down to {first}\n"
        + ",\n".join(words[first : first + _GROUP][::-1])
        + "\n      }"
        for first in reversed(range(0, len(words), _GROUP))
    )
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Program memory of an RSA core. Made by modfab; do not edit.
///
/// Source   rtl/rsa/programs/rsa.asm.
/// Latency  two cycles.
/// Assumes  nothing.
/// Ensures  a halt at every address behind the programs, up to 2^{bits}; then they repeat.
module {name} (
  input  logic               clk_i,
  input  mf_rsa_pkg::addr_t  addr_i,
  output mf_rsa_pkg::instr_t instr_o
);

  mf_prim_rom #(
    .WidthBits ({INSTRUCTION_BITS}),
    .Depth     ({len(code)}),
    .Words     ({{
{groups}
    }})
  ) u_rom (
    .clk_i, .addr_i(addr_i[{bits - 1}:0]), .data_o(instr_o)
  );

  logic unused_bits;
  assign unused_bits = ^addr_i;

endmodule
"""
