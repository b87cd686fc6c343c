# SPDX-License-Identifier: Apache-2.0
"""The README of a package: what is in it, how to instantiate it, in which tools it was tried."""

from __future__ import annotations

from collections.abc import Sequence

from modfab import __version__
from modfab.package.constraints import clock_mhz, clock_source, routed_core
from modfab.package.ip import IpPackage
from modfab.package.kind import CLOCK, RESET

TRIED = (
    ("Verilator 5.048 and 5.006 (Debian 12)", "lint with -Wall, bench: `lint`, `sim_verilator`"),
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
{_use(package)}
## Tried with

Small packages of a modexp core, an RSA core and a farm, in the test suite of this release:

| tool | what |
|---|---|
{rows}"""


def _contents(package: IpPackage, files: Sequence[str]) -> str:
    name = package.name
    driver = ", ".join(path for path in sorted(files) if path.endswith(".h")) or "none"
    primitives = package.target.title if package.target else "generic, for every tool"
    measured = "" if routed_core(package) else UNMEASURED
    return f"""# {name}

{package.kind.title}, made by `modfab build` {__version__}. Primitives: {primitives}.
Clock: {clock_mhz(package):g} MHz in datasheet and constraints ({clock_source(package)}).{measured}

| file | what |
|---|---|
| `doc/datasheet.md` | parameters, cycles, registers, measurements: start here |
| `{name}.f` | plain list of the RTL, packages first, the top `rtl/{name}.v` last |
| `{name}.core` | FuseSoC |
| `vivado/package_ip.tcl`, `component.xml` | IP for Vivado's catalogue, IP-XACT |
| `constraints/` | clock as SDC, XDC, LPF |
| `sim/{name}_flat.v` | the core in one file of Verilog-2005 |
| `sim/{name}_tb.v` | self-checking bench |
| `sw/` | C driver: {driver} |
"""


def _use(package: IpPackage) -> str:
    name = package.name
    return f"""## Instance

`{CLOCK}` is the only clock. `{RESET}` is synchronous and active low.

```verilog
{instance_text(package)}```

## Simulate

    fusesoc --cores-root . run --target sim modfab:ip:{name}            # Icarus Verilog, flat file
    fusesoc --cores-root . run --target sim_verilator modfab:ip:{name}  # Verilator, SystemVerilog
    iverilog -g2012 -s {name}_tb -o bench sim/{name}_flat.v sim/{name}_tb.v && vvp bench

The bench prints how far it is, and PASS at the end.

## Build

* File list: `verilator --lint-only -f {name}.f`, or Yosys `read_slang --top {name}` with its files.
* FuseSoC: depend on `modfab:ip:{name}`; the target `lint` checks it.
* Vivado: `vivado -mode batch -source vivado/package_ip.tcl`, then this folder is an IP repository.
"""
