# SPDX-License-Identifier: Apache-2.0
"""The header of an RTL module, parameters and ports, as text: what a wrapper of it repeats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from modfab.errors import ToolError
from modfab.paths import rtl_dir

_HEADER = re.compile(r"^module (\w+) (?:#\(\n(.*?)^\) )?\(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"^(\s*)parameter(\s.*?\b(\w+)\s*=\s*)([^,\n]*?)(,?)(\s*//.*)?$")
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
