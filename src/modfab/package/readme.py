# SPDX-License-Identifier: Apache-2.0
"""The README of a package: what is in it, how to instantiate it, in which tools it was tried."""

from __future__ import annotations

from collections.abc import Sequence

from modfab import __version__
from modfab.build.core import ModexpCore
from modfab.build.fusesoc import UNROLL
from modfab.build.rsa import ENTROPY_CYCLES
from modfab.models.rsa.entropy import RESEED_WORDS, SEED_WORDS, START_WORDS
from modfab.package.constraints import clock_mhz, clock_source, routed_core
from modfab.package.ip import IpPackage
from modfab.package.kind import CLOCK, RESET

TRIED = (
    ("Verilator 5.048", "lint with -Wall, bench: `lint`, `sim_verilator`"),
    (
        "Verilator 5.006 (Debian 12)",
        "the same; it does not read `sim/DP16KD.sv` of ECP5 packages nor `QuotientTables`, and a "
        f"wide `systolic` only with `{' '.join(UNROLL)}`, as in `lint`",
    ),
    ("Icarus Verilog 11 (Debian 12)", "bench on the flat file: `sim`"),
    ("Yosys 0.70", "synthesis for ECP5 from the file list (slang) and of the flat file"),
    ("FuseSoC 2.4", "all targets of the core file"),
    ("Vivado", "**never run**: the script was run against stand-ins of its commands"),
)
"""Tools and what was tried in them: small packages of a modexp core, an RSA core and a farm."""

UNMEASURED = """
**The frequency of this core is not measured**: it was not placed and routed. The clock above is
only what the constraints ask for; `modfab synth` with the words in the datasheet measures it."""
"""What a README says of a core that was never routed."""

UNROUTABLE = """
**The frequency of this core is not measured**: there is no open router for this target. The clock
above is only what the constraints ask for; the vendor's tools say what the device reaches."""
"""What it says where nothing can be routed."""


def instance_text(package: IpPackage) -> str:
    """An instance of the top, each port on a net of its own name."""
    ports = [port for port, _, _ in package.kind.port_lines()]
    width = max(len(port) for port in ports)
    links = ",\n".join(f"  .{port:<{width}} ({port})" for port in ports)
    return f"{package.name} u_{package.name} (\n{links}\n);\n"


def readme_text(package: IpPackage, files: Sequence[str]) -> str:
    """Markdown of the README.

    Args:
        package: What is packed.
        files: Paths of its files.
    """
    rows = "".join(f"| {tool} | {what} |\n" for tool, what in TRIED)
    return f"""{_contents(package, files)}
{_use(package, files)}
## Tried with

Small packages of a modexp core, an RSA core and a farm, in the test suite of this release:

| tool | what |
|---|---|
{rows}"""


def _unmeasured(package: IpPackage) -> str:
    routable = package.target is None or package.target.routable
    return UNMEASURED if routable else UNROUTABLE


def _contents(package: IpPackage, files: Sequence[str]) -> str:
    name = package.name
    driver = ", ".join(path for path in sorted(files) if path.endswith(".h")) or "none"
    primitives = package.target.title if package.target else "generic, for every tool"
    measured = "" if routed_core(package) else _unmeasured(package)
    return f"""# {name}

{package.kind.title}, made by `modfab build` {__version__}. Primitives: {primitives}.
Clock: {clock_mhz(package):g} MHz in datasheet and constraints ({clock_source(package)}).{measured}

| file | what |
|---|---|
| `doc/datasheet.md` | parameters, cycles, registers, measurements: start here |
| `{name}.f` | plain list of the RTL, packages first, the top `rtl/{name}.v` last |
| `{name}.core` | FuseSoC |
| `vivado/package_ip.tcl`, `component.xml` | IP for Vivado's catalogue, IP-XACT |
| `constraints/` | the clock as SDC, XDC, LPF, for a clock that is a pin; the core needs no other |
| `sim/{name}_flat.v` | the core in one file of Verilog-2005 |
| `sim/{name}_tb.v` | self-checking bench |
| `sw/` | C driver: {driver} |
"""


def _use(package: IpPackage, files: Sequence[str]) -> str:
    name = package.name
    return f"""## Instance

`{CLOCK}` is the only clock. `{RESET}` is synchronous to it and active low;
{package.kind.reset_cycles}.
After reset {_start(package)}; `STATUS.busy` is 1 until then.{_entropy(package)}

```verilog
{instance_text(package)}```

## Simulate

    fusesoc --cores-root . run --target sim modfab:ip:{name}            # Icarus Verilog, flat file
    fusesoc --cores-root . run --target sim_verilator modfab:ip:{name}  # Verilator, SystemVerilog
    iverilog -g2012 -s {name}_tb -o bench sim/{name}_flat.v sim/{name}_tb.v && vvp bench

The bench prints how far it is, and PASS at the end.

## Build

* File list: `verilator --lint-only --top-module {name} {_models(files)}-f {name}.f`, or Yosys
  `read_slang --threads 1 --top {name} {_models(files)}-f {name}.f`.
* FuseSoC: depend on `modfab:ip:{name}`; the target `lint` checks it.
* Vivado: `vivado -mode batch -source vivado/package_ip.tcl`, then `vivado/ip` is an IP repository.
"""


def _start(package: IpPackage) -> str:
    tests = not isinstance(package.core, ModexpCore)
    return "the core wipes and tests itself" if tests else "the core wipes itself"


def _entropy(package: IpPackage) -> str:
    """What the port for random words needs."""
    if not package.kind.has_entropy:
        return ""
    return f"""

`s_axis_rnd` takes words of 32 bits, every bit fresh and unbiased, from a true random source of
yours; the package has none. After reset and after each zeroize the core tests {START_WORDS:,} words
and seeds a generator with the next {SEED_WORDS}; then it takes one for every {RESEED_WORDS} that it
uses. The tests find a source that has failed, not one that is a little biased. An operation that
waits {ENTROPY_CYCLES:,} cycles for a word ends with the status `entropy`."""


def _models(files: Sequence[str]) -> str:
    """The models of vendor cells, for tools that do not know them."""
    models = (path for path in sorted(files) if path.startswith("sim/") and path.endswith(".sv"))
    return "".join(f"{path} " for path in models)
