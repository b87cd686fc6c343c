# SPDX-License-Identifier: Apache-2.0
"""What redundant digits gain, and what registers in the loop gain, from the stored measurements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.report.circuit import time_us
from modfab.report.published import read_published

TARGET = "ecp5-85k"
ENGINES = ("redundant_mul", "redundant_lut")
LEVEL, SEQUENCER = "modexp", "l2r"
"""What the paper's form is compared in: exponentiators."""

DIGIT_BITS = 16
"""Digits of the paper's tables; the pipelined form may have others."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Two routed measurements of one width and level: the same work by the one and by the other.

    Attributes:
        engine, num_bits: Which.
        slow, fast: Without and with what is judged.
        work: `exp` for an exponentiation of exponentiators, `mul` for a product of engines alone.
    """

    engine: str
    num_bits: int
    slow: Measurement
    fast: Measurement
    work: str = "exp"

    @property
    def clock(self) -> float:
        """Ratio of the frequencies."""
        return (self.fast.mhz or 0.0) / (self.slow.mhz or 1.0)

    @property
    def times_us(self) -> tuple[float, float]:
        """Of an exponentiation, or of a product in a stream: without and with what is judged."""
        return _time_us(self.slow, self.work), _time_us(self.fast, self.work)

    @property
    def speed(self) -> float:
        """Ratio of exponentiations or of products a second."""
        slow, fast = self.times_us
        return slow / fast


def _time_us(found: Measurement, work: str) -> float:
    pair = time_us(found, "mul2") if work == "mul" else None
    one = time_us(found, work)
    if one is None:
        level = found.synthesis.request.level
        raise ValueError(f"A measurement of level {level} says nothing about the time of {work}.")
    return one if pair is None else min(one, pair / 2)


def _routed(records: Iterable[Record], level: str) -> list[Measurement]:
    return [
        found
        for found in current(records)
        if found.mhz is not None
        and (r := found.synthesis.request).engine in ENGINES
        and (r.target, r.level) == (TARGET, level)
        and (level == "engine" or (r.sequencer, r.exp_bits) == (SEQUENCER, r.num_bits))
    ]


def _single(records: Iterable[Record], level: str) -> dict[tuple[str, int, int], Measurement]:
    """The paper's form, by engine, width and number system."""
    return {
        (r.engine, r.num_bits, r.params["Redundant"]): found
        for found in _routed(records, level)
        if not (r := found.synthesis.request).params.get("PipelineStages")
        and r.params["DigitBits"] == DIGIT_BITS
    }


def gains(records: Iterable[Record]) -> list[Gain]:
    """Redundant over plain exponentiators, for each engine and width where both are routed."""
    known = _single(records, LEVEL)
    return [
        Gain(engine, num_bits, known[engine, num_bits, 0], fast)
        for (engine, num_bits, redundant), fast in sorted(known.items())
        if redundant and (engine, num_bits, 0) in known
    ]


def scaling(records: Iterable[Record]) -> dict[str, tuple[int, int, float, float]]:
    """How the frequency falls with the width, for each engine with two widths in both systems.

    Returns:
        By engine: the least and the greatest width that are routed in both number systems, and the
        frequency at the greatest over that at the least, with redundant digits and without.
    """
    known = _single(records, LEVEL)
    found = {}
    for engine in ENGINES:
        widths = [bits for name, bits, redundant in known if name == engine and redundant]
        both = sorted(bits for bits in widths if (engine, bits, 0) in known)
        if len(both) > 1:
            low, high = both[0], both[-1]
            ratios = [
                (known[engine, high, system].mhz or 0.0) / (known[engine, low, system].mhz or 1.0)
                for system in (1, 0)
            ]
            found[engine] = (low, high, ratios[0], ratios[1])
    return found


@dataclass(frozen=True, slots=True)
class Share:
    """What the longest path of an exponentiator is made of, at the median frequency.

    Attributes:
        engine, num_bits, redundant: Which.
        mhz: Median over the seeds.
        logic_ns, routing_ns: Of the path of the seed whose frequency is next to that median.
        longest_ns: Its slowest single connection.
        ends: First and last register, without the instances around the engine.
        locked: Multipliers were locked to sites.
    """

    engine: str
    num_bits: int
    redundant: int
    mhz: float
    logic_ns: float
    routing_ns: float
    longest_ns: float
    ends: tuple[str, str]
    locked: bool


def _inner(name: str) -> str:
    """Instances of an engine down to a register, without those that hold just one choice."""
    return re.sub(r"^.*u_engine\.(gen_single\.)?", "", name)


def shares(records: Iterable[Record]) -> list[Share]:
    """Of each routed exponentiator of the paper's form: where the time of a cycle goes."""
    found = []
    for (engine, num_bits, redundant), run in sorted(_single(records, LEVEL).items()):
        near = run.typical
        path = near.path
        if "routing_ns" in path:
            share = Share(
                engine=engine,
                num_bits=num_bits,
                redundant=redundant,
                mhz=run.mhz or 0.0,
                logic_ns=path["logic_ns"],
                routing_ns=path["routing_ns"],
                longest_ns=path["longest_ns"],
                ends=(_inner(path["start"]), _inner(path["end"])),
                locked=near.request.locked,
            )
            found.append(share)
    return found


def pipelined(records: Iterable[Record]) -> list[Gain]:
    """The pipelined engine over the paper's, for each width where both are routed alone."""
    records = tuple(records)
    known = _single(records, "engine")
    return [
        Gain(r.engine, r.num_bits, known[r.engine, r.num_bits, 1], found, "mul")
        for found in _routed(records, "engine")
        if (r := found.synthesis.request).params.get("PipelineStages")
        and (r.engine, r.num_bits, 1) in known
    ]


def published_gain(engine: str, num_bits: int) -> float:
    """The paper's own ratio of exponentiations a second, from its cycles and frequencies."""
    times = {
        row.ours.core.unit.params["Redundant"]: row.figures["cycles"] / row.figures["mhz"]
        for row in read_published("nakano").rows
        if row.ours
        and row.ours.core.unit.engine.name == engine
        and row.num_bits == num_bits
        and row.design.endswith("worst")
    }
    return times[0] / times[1]
