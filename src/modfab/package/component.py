# SPDX-License-Identifier: Apache-2.0
"""IP-XACT (IEEE 1685-2009) description of a package; the registers come from PeakRDL's export."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

from modfab import __version__
from modfab.package.ipxact import ipxact
from modfab.package.kind import CLOCK, RESET, Kind, Port

_SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
VENDOR = "modfab"
"""Whose packages these are."""

_FILE_TYPES = {".sv": "systemVerilogSource", ".v": "verilogSource"}


def _child(parent: ElementTree.Element, tag: str, text: str = "") -> ElementTree.Element:
    element = ElementTree.SubElement(parent, f"{{{_SPIRIT}}}{tag}")
    element.text = text or None
    return element


def child_text(parent: ElementTree.Element, tag: str) -> str:
    """What a description says at a place directly below another; empty where it says nothing."""
    return parent.findtext(f"{{{_SPIRIT}}}{tag}") or ""


def _vlnv(parent: ElementTree.Element, tag: str, library: str, name: str) -> None:
    element = _child(parent, tag)
    values = {"vendor": "xilinx.com", "library": library, "name": name, "version": "1.0"}
    for key, value in values.items():
        element.set(f"{{{_SPIRIT}}}{key}", value)


def _interface(
    parent: ElementTree.Element,
    name: str,
    bus: tuple[str, str],
    ports: dict[str, str],
    map_name: str = "",
    is_slave: bool = True,
) -> ElementTree.Element:
    interface = _child(parent, "busInterface")
    _child(interface, "name", name)
    _vlnv(interface, "busType", *bus)
    _vlnv(interface, "abstractionType", bus[0], f"{bus[1]}_rtl")
    role = _child(interface, "slave" if is_slave else "master")
    if map_name:
        _child(role, "memoryMapRef").set(f"{{{_SPIRIT}}}memoryMapRef", map_name)
    maps = _child(interface, "portMaps")
    for logical, physical in ports.items():
        mapped = _child(maps, "portMap")
        _child(_child(mapped, "logicalPort"), "name", logical)
        _child(_child(mapped, "physicalPort"), "name", physical)
    return interface


def _parameter(interface: ElementTree.Element, name: str, value: str) -> None:
    parameters = interface.find(f"{{{_SPIRIT}}}parameters")
    if parameters is None:
        parameters = _child(interface, "parameters")
    parameter = _child(parameters, "parameter")
    _child(parameter, "name", name)
    _child(parameter, "value", value)


def _links(bus: str, ports: Sequence[Port]) -> dict[str, str]:
    """Signal's AXI name -> port, for the ports of a bus."""
    start = f"{bus}_"
    names = [name for name, _, _ in ports if name.startswith(start)]
    return {name.removeprefix(start).upper(): name for name in names}


def _interfaces(component: ElementTree.Element, kind: Kind) -> None:
    interfaces = _child(component, "busInterfaces")
    bus = _links("s_axi", kind.ports)
    _interface(interfaces, "s_axi", ("interface", "aximm"), bus, kind.map_name)
    for stream in kind.streams:
        links, axis = _links(stream.name, stream.ports), ("interface", "axis")
        _interface(interfaces, stream.name, axis, links, is_slave=stream.is_slave)
    clock = _interface(interfaces, CLOCK, ("signal", "clock"), {"CLK": CLOCK})
    buses = ":".join(["s_axi", *(stream.name for stream in kind.streams)])
    _parameter(clock, "ASSOCIATED_BUSIF", buses)
    _parameter(clock, "ASSOCIATED_RESET", RESET)
    reset = _interface(interfaces, RESET, ("signal", "reset"), {"RST": RESET})
    _parameter(reset, "POLARITY", "ACTIVE_LOW")
    for line, _, _ in kind.lines:
        signal = ("signal", "interrupt")
        interrupt = _interface(interfaces, line, signal, {"INTERRUPT": line}, is_slave=False)
        _parameter(interrupt, "SENSITIVITY", "LEVEL_HIGH")


def _model(component: ElementTree.Element, name: str, kind: Kind) -> None:
    model = _child(component, "model")
    view = _child(_child(model, "views"), "view")
    _child(view, "name", "rtl")
    _child(view, "envIdentifier", ":*:")
    _child(view, "language", "verilog")
    _child(view, "modelName", name)
    _child(_child(view, "fileSetRef"), "localName", "rtl")
    ports = _child(model, "ports")
    for port_name, bits, is_input in kind.port_lines():
        port = _child(ports, "port")
        _child(port, "name", port_name)
        wire = _child(port, "wire")
        _child(wire, "direction", "in" if is_input else "out")
        if bits > 1:
            vector = _child(wire, "vector")
            _child(vector, "left", str(bits - 1))
            _child(vector, "right", "0")


def component_xml(name: str, sources: Sequence[str], kind: Kind) -> str:
    """Text of `component.xml`.

    Args:
        name: Name of the core and its top.
        sources: RTL files, packages first, relative to the package.
        kind: Which core.
    """
    ElementTree.register_namespace("spirit", _SPIRIT)
    component = ElementTree.Element(f"{{{_SPIRIT}}}component")
    identity = {"vendor": VENDOR, "library": "ip", "name": name, "version": __version__}
    for tag, text in identity.items():
        _child(component, tag, text)
    _interfaces(component, kind)
    registers = ElementTree.fromstring(ipxact(kind.map_name))
    component.append(registers.findall(f"{{{_SPIRIT}}}memoryMaps")[0])
    _model(component, name, kind)
    files = _child(_child(component, "fileSets"), "fileSet")
    _child(files, "name", "rtl")
    for source in sources:
        file = _child(files, "file")
        _child(file, "name", source)
        _child(file, "fileType", _FILE_TYPES["." + source.rsplit(".", 1)[1]])
    _child(component, "description", f"{kind.title} with an AXI4-Lite slave")
    ElementTree.indent(component)
    text = ElementTree.tostring(component, encoding="unicode")
    licence = "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{licence}\n{text}\n'
