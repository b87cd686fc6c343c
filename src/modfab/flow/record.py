# SPDX-License-Identifier: Apache-2.0
"""One stored measurement: what was asked, with which tools, and what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.flow.levels import WORK_LEVELS

ROUTERS: Mapping[str, tuple[str, ...]] = {
    "router1": ("--router", "router1"),
    "router2": ("--router", "router2"),
    "router1-ripup": ("--router", "router1", "--tmg-ripup"),
}
"""nextpnr's routers -> its options. The first gives a better frequency than the second, which ends
sooner when crowded. The third lets critical connections push others away: it takes two to four
times as long as the first and gains some per cent."""

DEFAULT_ROUTER = "router1"

DEFAULT_TIMING_WEIGHT = 10
"""What nextpnr's placer takes for the weight of timing against wire length when it is not told."""


def check_router(name: str) -> None:
    """UsageError for a name that is not in `ROUTERS`."""
    if name not in ROUTERS:
        raise UsageError(f"There is no router {name!r}; choose one of {', '.join(ROUTERS)}.")


DEFAULT_PIECE_BITS = 62
"""Bits of a piece of an adder that is longer than the target's carry chains."""

DEFAULT_WIRE_PS = 300
"""Delay of a wire, in picoseconds, that Yosys reckons with for ecp5 when it is not told another."""


@dataclass(frozen=True, slots=True)
class Request:
    """What identifies a measurement: the same request gives the same numbers with the same tools.

    Attributes:
        engine, sequencer: Names in the catalogue.
        level: One of `modfab.build.named.LEVELS`.
        params: Every engine parameter.
        exp_bits: Capacity of the exponent window.
        target: Name of the target.
        no_enables: Mapped without clock enables.
        min_set: Clock enables and resets of fewer flip-flops were mapped to LUTs.
        lut_multipliers: Multipliers outside of the engine's array were mapped to LUTs.
        piece_bits: Bits of a piece of an adder that is longer than the target's carry chains.
        wire_ps: Delay of a wire, in picoseconds, that the mapping to LUTs reckoned with.
        seed: Seed of place and route; None for a synthesis.
        freq_mhz: Frequency the router was asked for; None for a synthesis.
        router: nextpnr's router.
        timing_weight: The placer's weight of timing against wire length.
        locked: Multipliers locked to sites side by side.
        rsa: `RsaShape` of an RSA core, whose primes have NumBits bits, and of a farm the number
            of `cores`; None for other levels.
    """

    engine: str
    sequencer: str
    level: str
    params: dict[str, int]
    exp_bits: int
    target: str
    no_enables: bool = False
    min_set: int = 0
    lut_multipliers: bool = False
    piece_bits: int = DEFAULT_PIECE_BITS
    wire_ps: int = DEFAULT_WIRE_PS
    seed: int | None = None
    freq_mhz: float | None = None
    router: str = DEFAULT_ROUTER
    timing_weight: int = DEFAULT_TIMING_WEIGHT
    locked: bool = False
    rsa: dict[str, int] | None = None

    def _fingerprint(self) -> str:
        data = {one.name: getattr(self, one.name) for one in fields(self)}
        if data["router"] == DEFAULT_ROUTER:
            del data["router"]  # as before there was a choice, so that older records are found
        if data["rsa"] is None:
            del data["rsa"]  # likewise
        if data["piece_bits"] == DEFAULT_PIECE_BITS:
            del data["piece_bits"]
        if data["timing_weight"] == DEFAULT_TIMING_WEIGHT:
            del data["timing_weight"]
        if data["wire_ps"] == DEFAULT_WIRE_PS:
            del data["wire_ps"]
        for name in ("locked", "min_set", "lut_multipliers"):
            if not data[name]:
                del data[name]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:20]

    @property
    def key(self) -> str:
        """Fingerprint of the request."""
        return self._fingerprint()

    @property
    def design_key(self) -> str:
        """Fingerprint without what is asked of the router: runs of the same netlist share it."""
        netlist = replace(
            self,
            seed=None,
            freq_mhz=None,
            router=DEFAULT_ROUTER,
            timing_weight=DEFAULT_TIMING_WEIGHT,
            locked=False,
        )
        return netlist._fingerprint()

    @property
    def public_only(self) -> bool:
        """An RSA core for public operations only: its engine is as wide as n."""
        return bool((self.rsa or {}).get("public_only"))

    @property
    def num_bits(self) -> int:
        """Bits of the engine's modulus; of an RSA core that takes private keys those of a prime."""
        return self.params["NumBits"]

    @property
    def modulus_bits(self) -> int:
        """Bits of the modulus; of an RSA key those of n."""
        return self.num_bits * (2 if self.rsa and not self.public_only else 1)


@dataclass(frozen=True, slots=True)
class Record:
    """A measurement.

    Attributes:
        request: What was asked.
        circuit: Fingerprint of the netlist that was measured, which the RTL's words do not change;
            empty when that is not known, so that nothing can be compared with it.
        tools: Tool -> version.
        revision: Git revision, with `+` when the tree had changes; empty outside a checkout.
        date: Day and time of the run, UTC.
        cycles: `mul`, `mul2` (engines with two lanes), `setup`, `exp`, of an RSA core also `key`
            and `private`: from the catalogue.
        area: The design's own area.
        wrapper: The measurement wrapper's area, not in `area`.
        mhz: Frequency after routing; None for a synthesis.
        used: Resources on the device, wrapper included; empty for a synthesis.
        path: Critical path as data and `text`; for a synthesis `logic_ns` alone, without routing
            and registers, where the family's delays are known.
        seconds: Run time of the tool.
        parts: Module of the engine -> its resources, from a synthesis that keeps modules apart;
            empty when that was not asked for.
        text: Digest of the RTL's texts that were compared with the circuit last.
        stale: Why the figures do not count any more; empty when they do.
    """

    request: Request
    circuit: str
    tools: dict[str, str]
    revision: str
    date: str
    cycles: dict[str, int]
    area: dict[str, Any]
    wrapper: dict[str, Any]
    mhz: float | None
    used: dict[str, int]
    path: dict[str, Any]
    seconds: float
    parts: dict[str, dict[str, int]] = field(default_factory=dict)
    text: str = ""
    stale: str = ""

    def time_us(self, what: str) -> float | None:
        """Microseconds of `mul`, `setup` or `exp` at the measured frequency."""
        cycles = self.cycles.get(what)
        return None if self.mhz is None or cycles is None else cycles / self.mhz

    @property
    def area_time(self) -> float | None:
        """(LUT + FF) x microseconds of one product, as [NGUYEN20] compares designs."""
        time_us = self.time_us("mul")
        return None if time_us is None else (self.area["lut"] + self.area["ff"]) * time_us

    def to_json(self) -> str:
        """One line of text, keys sorted; derived figures are in it for readers of the file."""
        data = asdict(self)
        for name in ("parts", "stale"):
            if not data[name]:
                del data[name]
        if self.request.timing_weight == DEFAULT_TIMING_WEIGHT:
            del data["request"]["timing_weight"]  # as in records from before there was a choice
        if self.request.wire_ps == DEFAULT_WIRE_PS:
            del data["request"]["wire_ps"]
        level = self.request.level  # of what another level does there is no time
        does = [what for what in self.cycles if level in WORK_LEVELS.get(what, (level,))]
        derived = {
            "time_us": {what: self.time_us(what) for what in does if self.mhz},
            "area_time": self.area_time if "mul" in does else None,
        }
        return json.dumps(data | {"derived": derived}, sort_keys=True)


NO_RECORD = (ValueError, TypeError, KeyError, AttributeError)
"""What `record_from_json` raises for other texts, and for records of another version."""


def record_from_json(text: str) -> Record:
    """The record that `Record.to_json` wrote.

    A parameter that the engine got since then has its default value, so that the record and a newer
    one of the same design have the same request.
    Raises one of `NO_RECORD` for another text.
    """
    data: Mapping[str, Any] = json.loads(text)
    fields = {name: value for name, value in data.items() if name not in {"request", "derived"}}
    request = Request(**data["request"])
    engine = ENGINES.get(request.engine)
    defaults = {p.name: p.default for p in engine.parameters} if engine else {}
    params = dict(sorted((defaults | request.params).items()))
    return Record(request=replace(request, params=params), **fields)
