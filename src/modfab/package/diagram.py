# SPDX-License-Identifier: Apache-2.0
"""Block diagram of a configured core: what is in it, with the widths of this configuration."""

from __future__ import annotations

from functools import singledispatch
from html import escape

from modfab.build.core import Core, ModexpCore
from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore
from modfab.numbers import words_of


def _box(x: int, y: int, width: int, height: int, lines: tuple[str, ...], fill: str) -> str:
    texts = "".join(
        f'<text x="{x + width // 2}" y="{y + 18 + 15 * i}" text-anchor="middle"'
        f"{' font-weight=' + chr(34) + 'bold' + chr(34) if i == 0 else ''}>{escape(line)}</text>"
        for i, line in enumerate(lines)
    )
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{fill}" '
        f'stroke="#444"/>{texts}'
    )


def _arrow(x0: int, y0: int, x1: int, y1: int, label: str) -> str:
    middle_x, middle_y = (x0 + x1) // 2, (y0 + y1) // 2
    return (
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#444" marker-end="url(#tip)" '
        f'marker-start="url(#tail)"/><text x="{middle_x}" y="{middle_y - 5}" '
        f'text-anchor="middle" font-size="10">{escape(label)}</text>'
    )


@singledispatch
def blocks_svg(core: Core, name: str) -> str:
    """SVG of the blocks of a core.

    Args:
        core: What is drawn.
        name: Of the whole.
    """
    raise TypeError(f"a core of the kind {core.kind} has no picture")


@blocks_svg.register
def _(config: ModexpCore, name: str) -> str:
    """SVG of the blocks of one configuration.

    Args:
        config: Engine, sequencer and widths.
        name: Title.
    """
    words, exp_words = words_of(config.num_bits), words_of(config.exp_bits)
    params = [f"{key} {value}" for key, value in config.params.items() if key != "NumBits"]
    lanes = config.engine.num_lanes(config.params)
    engine = (config.engine.top, f"{config.num_bits} bits, lanes: {lanes}", *params)
    windows = ("windows", f"modulus, base, result: {words} x 32", f"exponent: {exp_words} x 32")
    height = max(250, 150 + 15 * len(engine))
    boxes = [
        _box(20, 60, 120, 60, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(200, 40, 130, 60, ("registers", "status, counters", "interrupt"), "#dfe9f5"),
        _box(180, 140, 190, 60, windows, "#f5ecd9"),
        _box(420, 60, 150, 60, ("mf_modexp", "loads, starts, counts"), "#e4f0e2"),
        _box(640, 40, 190, 50, (config.sequencer.top, config.sequencer.name), "#e4f0e2"),
        _box(640, 120, 190, 30 + 15 * len(engine), engine, "#f0e2ee"),
    ]
    arrows = [
        _arrow(140, 75, 200, 75, ""),
        _arrow(140, 105, 180, 165, ""),
        _arrow(330, 75, 420, 80, "control"),
        _arrow(370, 165, 440, 120, "words"),
        _arrow(570, 75, 640, 65, "start"),
        _arrow(570, 105, 640, 140, "commands"),
    ]
    return _drawing(name, height, [*arrows, *boxes])


@blocks_svg.register
def _(config: RsaCore, name: str) -> str:
    """SVG of the blocks of an RSA core.

    Args:
        config: The core.
        name: Title.
    """
    shape, core = config.shape, config.unit
    image = config.image
    params = [f"{key} {value}" for key, value in core.params.items() if key != "NumBits"]
    unit = (core.engine.top, f"{core.num_bits} bits", *params, core.sequencer.top)
    height = max(250, 150 + 15 * len(unit))
    programs = ("programs", f"{len(image.code)} instructions")
    memory = ("word memory", f"{image.num_words} x 32, twice")
    boxes = [
        _box(20, 60, 120, 60, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(200, 40, 130, 60, ("registers", "status, counters", "interrupt"), "#dfe9f5"),
        _box(200, 150, 170, 50, memory, "#f5ecd9"),
        _box(420, 60, 150, 60, ("mf_rsa", "word machine", "watchdog, wipe"), "#e4f0e2"),
        _box(420, 150, 150, 50, programs, "#f5ecd9"),
        _box(20, 190, 120, 50, ("random words", "AXI-Stream slave"), "#dfe9f5"),
        _box(640, 60, 190, 45 + 15 * len(unit), (f"engines: {shape.engines}", *unit), "#f0e2ee"),
    ]
    arrows = [
        _arrow(140, 75, 200, 75, ""),
        _arrow(140, 105, 200, 165, ""),
        _arrow(330, 75, 420, 80, "control"),
        _arrow(370, 175, 440, 120, "words"),
        _arrow(495, 150, 495, 120, ""),
        _arrow(140, 215, 420, 110, ""),
        _arrow(570, 90, 640, 100, "commands"),
    ]
    return _drawing(name, height, [*arrows, *boxes])


@blocks_svg.register
def _(config: FarmCore, name: str) -> str:
    """SVG of the blocks of a farm.

    Args:
        config: The farm.
        name: Title.
    """
    shape, core = config.rsa.shape, config.rsa.unit
    boxes = ("inbox, outbox", f"{config.num_words} x 32 each")
    engine = (
        core.engine.top,
        f"{core.num_bits} bits, engines: {shape.engines}",
        core.sequencer.top,
    )
    params = [f"{key} {value}" for key, value in core.params.items() if key != "NumBits"]
    unit = (f"cores: {config.cores}", *boxes, "mf_rsa", *engine, *params)
    height = max(280, 100 + 15 * len(unit))
    drawn = [
        _box(20, 50, 130, 50, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(20, 120, 130, 50, ("jobs", "AXI-Stream slave"), "#dfe9f5"),
        _box(20, 210, 130, 50, ("random words", "AXI-Stream slave"), "#dfe9f5"),
        _box(210, 40, 130, 60, ("registers", "key, counters", "interrupt"), "#dfe9f5"),
        _box(210, 120, 130, 50, ("dispatcher", "to a free core"), "#e4f0e2"),
        _box(410, 60, 190, 30 + 15 * len(unit), unit, "#f0e2ee"),
        _box(670, 60, 150, 50, ("collector", "as they are ready"), "#e4f0e2"),
        _box(670, 170, 150, 50, ("answers", "AXI-Stream master"), "#dfe9f5"),
    ]
    arrows = [
        _arrow(150, 75, 210, 75, ""),
        _arrow(150, 145, 210, 145, ""),
        _arrow(340, 75, 410, 85, "key"),
        _arrow(340, 145, 410, 130, "jobs"),
        _arrow(150, 235, 410, 170, ""),
        _arrow(600, 85, 670, 85, "results"),
        _arrow(745, 110, 745, 170, ""),
    ]
    return _drawing(name, height, [*arrows, *drawn])


def _drawing(name: str, height: int, parts: list[str]) -> str:
    tips = "".join(
        f'<marker id="{kind}" markerWidth="7" markerHeight="7" refX="{ref}" refY="3" '
        f'orient="auto"><path d="{path}" fill="#444"/></marker>'
        for kind, ref, path in (("tip", 6, "M0,0 L6,3 L0,6 z"), ("tail", 0, "M6,0 L0,3 L6,6 z"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 {height}" '
        'font-family="sans-serif" font-size="12">\n'
        f"<title>{escape(name)}</title>\n<defs>{tips}</defs>\n"
        '<rect width="850" height="100%" fill="#fdfdfb"/>\n'
        f'<text x="20" y="26" font-size="15">{escape(name)}</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
