# SPDX-License-Identifier: Apache-2.0
"""The header of an RTL module, parameters and ports, as text: what a wrapper of it repeats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from modfab.errors import ToolError
from modfab.paths import rtl_dir

_HEADER = re.compile(r"^module (\w+) (?:#\(\n(.*?)^\) )?\(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"^(\s*)parameter(\s.*?\b(\w+)\s*=\s*)([^,\n]*?)(,?)(\s*//.*)?$")
_CONSTANT = re.compile(
    r"^\s*(?:parameter|localparam) int unsigned\s+(\w+)\s*=\s*(\d+)\b", re.MULTILINE
)
_VECTOR = re.compile(r"^\s*(input|output)\s+logic\s+(?:\[(\w+)(-1)?:0\]\s+)?(\w+)", re.MULTILINE)
_PORT = re.compile(r"^\s*(?:input|output)\s.*?(\w+)\s*,?\s*(?://.*)?$")


def _parts(path: str) -> tuple[str, str]:
    found = _HEADER.search((rtl_dir() / path).read_text())
    if found is None:
        raise ToolError(f"rtl/{path} has no module header of the style that CONTRIBUTING asks for.")
    return found[2] or "", found[3]


def parameters_text(path: str, values: Mapping[str, str]) -> str:
    """The parameters of a module as constants.

    Args:
        path: Its file below rtl/.
        values: Parameter -> SystemVerilog expression, for every parameter.

    Raises:
        ToolError: The module has other parameters.
    """
    lines, left = [], dict(values)
    for line in _parts(path)[0].splitlines():
        found = _PARAMETER.match(line)
        if found is None:
            lines.append(line)
        elif found[3] in left:
            value = left.pop(found[3])
            lines.append(f"{found[1]}localparam{found[2]}{value}{found[5]}{found[6] or ''}")
        else:
            raise ToolError(f"rtl/{path} has a parameter {found[3]} that no build sets.")
    if left:
        raise ToolError(f"rtl/{path} has no parameter {', '.join(left)}, which a build sets.")
    return "".join(f"{line}\n" for line in lines)


def vector_ports(path: str) -> list[tuple[str, int, bool]]:
    """Name, bits and direction (True for an input) of the ports of type `logic`, in order.

    Args:
        path: The module's file below rtl/.

    Raises:
        ToolError: A width is neither a number nor a constant of the module's header.
    """
    parameters, ports = _parts(path)
    constants = {name: int(value) for name, value in _CONSTANT.findall(parameters)}
    found = []
    for direction, high, minus, name in _VECTOR.findall(ports):
        if high and not high.isdigit() and high not in constants:
            raise ToolError(f"rtl/{path} has a port {name} of unknown width {high}.")
        last = int(high) if high.isdigit() else constants.get(high, 0)
        found.append((name, last if minus else last + 1, direction == "input"))
    return found


def ports_text(path: str, without: Sequence[str] = ()) -> str:
    """The ports of a module but some.

    Args:
        path: Its file below rtl/.
        without: Names of ports to leave out.
    """
    groups: list[str] = []
    for line in _parts(path)[1].splitlines():
        found = _PORT.match(line)
        if not (found and found[1] in without):
            groups.append(line)
    while groups and not groups[-1].strip():
        groups.pop()
    last = max(i for i, line in enumerate(groups) if _PORT.match(line))
    code, slashes, comment = groups[last].partition("//")
    groups[last] = (code.rstrip().rstrip(",") + f" {slashes}{comment}").rstrip()
    return "".join(f"{line.rstrip()}\n" for line in groups)
