# SPDX-License-Identifier: Apache-2.0
"""The waveform of the engine contract, drawn from a simulated run.

`python -m modfab.pages.waveform` writes rtl/mul/waveform.svg.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from modfab.catalog import get_engine
from modfab.models.engine import SLOT_FREE, SLOT_MOD, SLOT_ONE, SLOT_R2, Command, Op
from modfab.numbers import to_words
from modfab.pages.run import drawing
from modfab.pages.svg import picture
from modfab.paths import rtl_dir
from modfab.sim.core import TOP
from modfab.sim.engine import RtlEngine
from modfab.sim.vcd import read_wave

SIGNALS = ("cmd_valid_i", "cmd_ready_o", "out_valid_o", "out_data_o", "busy_o")
"""Ports that are drawn, besides the command and the clock."""

_ROW, _STEP, _LEFT = 34, 30, 110  # pixels: height of a row, width of a cycle, space for names


@dataclass(frozen=True, slots=True)
class Trace:
    """Values of one signal at the end of every cycle."""

    name: str
    values: tuple[str, ...]


def read_vcd(path: Path, scope: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Values of signals of one scope just before each rising edge of its `clk_i`.

    Args:
        path: A VCD file as Verilator writes it.
        scope: Module instance whose signals are meant.
        names: Signals.

    Returns:
        Name -> one value a cycle, binary digits without leading zeros.
    """
    wave = read_wave(path)
    codes = {
        name.rpartition(".")[2]: code
        for name, code in reversed(wave.codes.items())
        if name.rpartition(".")[0].endswith(f".{scope}")
    }
    current: dict[str, str] = {}
    before: dict[str, str] = {}  # values at the end of the time step before
    found: dict[str, list[str]] = {name: [] for name in names}
    last = 0
    for time, code, value in wave.changes:
        if time != last:
            last, before = time, dict(current)
        if code == codes["clk_i"] and value == "1":
            for name in names:
                found[name].append(before.get(codes[name], "0").lstrip("0") or "0")
        current[code] = value
    return {name: tuple(values) for name, values in found.items()}


def record() -> tuple[list[Trace], list[str]]:
    """Run two products and a store on the smallest engine; traces and the command of each cycle."""
    engine = get_engine("bit_serial")
    params = engine.resolve(16, {"BitsPerClock": 8})
    rtl = RtlEngine(engine, params)
    with tempfile.TemporaryDirectory() as folder:
        wave = Path(folder) / "run.vcd"
        try:
            rtl.run_all(
                [
                    Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(0xFFF1, 1))),
                    Command(Op.SETUP),
                ]
            )
            rtl.run_all(
                [
                    Command(Op.MUL, dst0=SLOT_FREE, a0=SLOT_R2, b=SLOT_R2),
                    Command(Op.MUL, dst0=SLOT_FREE, a0=SLOT_FREE, b=SLOT_ONE),
                    Command(Op.STORE, a0=SLOT_FREE),
                ]
            )
            rtl.replay(wave)
        finally:
            rtl.close()
        values = read_vcd(wave, TOP, (*SIGNALS, "cmd_i"))
    last = len(values["busy_o"]) - 1 - values["busy_o"][::-1].index("1")
    window = slice(last - 12, last + 2)
    operations = [Command.unpack(int(bits, 2)).op.name for bits in values["cmd_i"][window]]
    commands, number = [], 0
    ready = values["cmd_ready_o"][window]
    for name, valid, taken in zip(operations, values["cmd_valid_i"][window], ready, strict=True):
        commands.append(f"{name}{' ' * number}" if valid == "1" else "")
        number += valid == taken == "1"  # equal commands in a row stay apart
    return [Trace(name, values[name][window]) for name in SIGNALS], commands


def _clock_path(y: float, count: int) -> str:
    points = []
    for i in range(count):
        x = _LEFT + i * _STEP
        points.append(f"{x},{y} {x},{y - 18} {x + 15},{y - 18} {x + 15},{y}")
    return f'<polyline points="{" ".join(points)}"/>'


def _level_path(y: float, values: Sequence[str]) -> str:
    points = []
    for i, value in enumerate(values):
        x, level = _LEFT + i * _STEP, y - (18 if value != "0" else 0)
        points.append(f"{x},{level} {x + _STEP},{level}")
    return f'<polyline points="{" ".join(points)}"/>'


def _bus_path(y: float, texts: Sequence[str]) -> Iterator[str]:
    start = 0
    for i in range(1, len(texts) + 1):
        if i == len(texts) or texts[i] != texts[start]:
            x, width = _LEFT + start * _STEP, (i - start) * _STEP
            if texts[start]:
                yield f'<rect x="{x + 2}" y="{y - 18}" width="{width - 4}" height="18" rx="3"/>'
                yield f'<text x="{x + width / 2}" y="{y - 5}" class="m">{texts[start]}</text>'
            start = i


def draw(traces: Sequence[Trace], commands: Sequence[str]) -> str:
    """The SVG of a recorded run."""
    count = len(commands)
    width, height = _LEFT + count * _STEP + 10, (len(traces) + 2) * _ROW + 10
    body = [f'<text x="8" y="{_ROW - 5}">clk_i</text>', _clock_path(_ROW, count)]
    body += [f'<text x="8" y="{2 * _ROW - 5}">cmd_i.op</text>', *_bus_path(2 * _ROW, commands)]
    valid = next(t.values for t in traces if t.name == "out_valid_o")
    for row, trace in enumerate(traces, start=3):
        y = row * _ROW
        body.append(f'<text x="8" y="{y - 5}">{trace.name}</text>')
        if trace.name == "out_data_o":
            texts = [
                f"{int(v, 2):x}" if ok == "1" else ""
                for v, ok in zip(trace.values, valid, strict=True)
            ]
            body += _bus_path(y, texts)
        else:
            body.append(_level_path(y, trace.values))
    style = (
        "polyline,[rx]{fill:none;stroke:#0b5;stroke-width:1.5}"
        "text{font:12px monospace;fill:#555}.m{text-anchor:middle}"
    )
    return picture(width, height, body, "waveform", style)


if __name__ == "__main__":
    drawing("modfab.pages.waveform", rtl_dir() / "mul" / "waveform.svg", lambda: draw(*record()))
