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


def _arrow(*points: tuple[int, int], label: str = "", both: bool = True) -> str:
    """A line with right angles and a tip; the label is above its first part.

    Args:
        points: From where over which corners to where.
        label: What goes along it.
        both: It goes both ways, with two tips.
    """
    (x0, y0), (x1, y1) = points[:2]
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    tail = ' marker-start="url(#tail)"' if both else ""
    return (
        f'<path d="{path}" fill="none" stroke="#444" marker-end="url(#tip)"{tail}/>'
        f'<text x="{(x0 + x1) // 2}" y="{(y0 + y1) // 2 - 5}" '
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
    height = max(230, 170 + 15 * len(engine))
    boxes = [
        _box(20, 60, 120, 60, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(225, 40, 140, 60, ("registers", "status, counters", "interrupt"), "#dfe9f5"),
        _box(190, 140, 210, 60, windows, "#f5ecd9"),
        _box(455, 60, 115, 140, ("mf_modexp", "load, start,", "count, store"), "#e4f0e2"),
        _box(640, 40, 190, 50, (config.sequencer.top, config.sequencer.name), "#e4f0e2"),
        _box(640, 120, 190, 15 + 15 * len(engine), engine, "#f0e2ee"),
    ]
    arrows = [
        _arrow((140, 75), (225, 75)),
        _arrow((80, 120), (80, 170), (190, 170)),
        _arrow((365, 80), (455, 80), label="control"),
        _arrow((400, 170), (455, 170), label="words"),
        _arrow((570, 75), (640, 75), label="start"),
        _arrow((570, 150), (640, 150), label="commands"),
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
    sequencer = () if shape.public_only else (core.sequencer.top,)
    unit = (core.engine.top, f"{core.num_bits} bits", *params, *sequencer)
    height = max(300, 110 + 15 * len(unit))
    programs = ("programs", f"{len(image.code)} instructions")
    memory = ("word memory", f"{image.num_words} x 32, twice")
    boxes = [
        _box(20, 60, 120, 60, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(225, 40, 140, 60, ("registers", "status, counters", "interrupt"), "#dfe9f5"),
        _box(210, 140, 170, 50, memory, "#f5ecd9"),
        _box(450, 60, 120, 130, ("mf_rsa", "word machine", "watchdog, wipe"), "#e4f0e2"),
        _box(450, 230, 120, 50, programs, "#f5ecd9"),
        _box(640, 60, 190, 30 + 15 * len(unit), (f"engines: {shape.engines}", *unit), "#f0e2ee"),
    ]
    arrows = [
        _arrow((140, 75), (225, 75)),
        _arrow((80, 120), (80, 165), (210, 165)),
        _arrow((365, 80), (450, 80), label="control"),
        _arrow((380, 155), (450, 155), label="words"),
        _arrow((510, 230), (510, 190), both=False),
        _arrow((570, 120), (640, 120), label="commands"),
    ]
    if not shape.public_only:
        boxes.append(_box(20, 230, 130, 50, ("random words", "AXI-Stream slave"), "#dfe9f5"))
        arrows.append(_arrow((150, 255), (415, 255), (415, 180), (450, 180), both=False))
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
    small = [f"small ones of them: {config.small_cores}"] * bool(config.small)
    unit = (f"cores: {config.cores}", *small, *boxes, "mf_rsa", *engine, *params)
    height = max(290, 80 + 15 * len(unit))
    drawn = [
        _box(20, 50, 130, 50, ("mf_regs_axil", "AXI4-Lite slave"), "#dfe9f5"),
        _box(20, 120, 130, 50, ("jobs", "AXI-Stream slave"), "#dfe9f5"),
        _box(20, 210, 130, 50, ("random words", "AXI-Stream slave"), "#dfe9f5"),
        _box(210, 40, 130, 60, ("registers", "key, counters", "interrupt"), "#dfe9f5"),
        _box(210, 120, 130, 50, ("dispatcher", "to a free core"), "#e4f0e2"),
        _box(410, 40, 190, height - 60, unit, "#f0e2ee"),
        _box(670, 60, 150, 50, ("collector", "as they complete"), "#e4f0e2"),
        _box(670, 170, 150, 50, ("answers", "AXI-Stream master"), "#dfe9f5"),
    ]
    arrows = [
        _arrow((150, 75), (210, 75)),
        _arrow((150, 145), (210, 145), both=False),
        _arrow((340, 70), (410, 70), label="key", both=False),
        _arrow((340, 145), (410, 145), label="jobs", both=False),
        _arrow((150, 235), (410, 235), both=False),
        _arrow((600, 85), (670, 85), label="results", both=False),
        _arrow((745, 110), (745, 170), both=False),
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
