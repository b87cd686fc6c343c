# SPDX-License-Identifier: Apache-2.0
"""One measurement of a sweep, as plain data that travels to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from modfab.build.named import KEYED, kind_of, named_core
from modfab.catalog import get_engine
from modfab.flow.design import Design, digest_of
from modfab.flow.measure import Options, request_of, routed_request
from modfab.flow.record import DEFAULT_ROUTER, Request
from modfab.flow.route import DEFAULT_FREQ_MHZ
from modfab.flow.targets import get_target


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What one task of a sweep measures.

    Attributes:
        engine, sequencer, level, target: Names.
        bits: Of the modulus; of levels with a key those of n.
        params: Engine parameters other than the defaults.
        rsa: Choices of an RSA core or a farm.
        seed: Of place and route; None for synthesis only.
        freq_mhz, router: Asked of the router.
        limit_s: Seconds for one run of a tool.
    """

    engine: str
    bits: int
    target: str
    level: str = "engine"
    sequencer: str = "ladder"
    params: Mapping[str, int] = field(default_factory=dict, hash=False)
    rsa: Mapping[str, int] = field(default_factory=dict, hash=False)
    seed: int | None = None
    freq_mhz: float = DEFAULT_FREQ_MHZ
    router: str = DEFAULT_ROUTER
    limit_s: float = 3600.0

    def words(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @property
    def design(self) -> Design:
        """What is measured, with the target's digits, as by `modfab synth`.

        Raises:
            UsageError: There is no such design.
        """
        kind, mul_bits = kind_of(self.level), get_target(self.target).mul_bits
        params = get_engine(self.engine).on_target(mul_bits, self.params)
        words = (kind, self.engine, self.bits, params, self.sequencer, None, self.rsa)
        return Design(named_core(*words), bus=self.level != kind)

    @property
    def options(self) -> Options:
        """How it is measured."""
        seeds = () if self.seed is None else (self.seed,)
        return Options(
            seeds=seeds, freq_mhz=self.freq_mhz, router=self.router, limit_s=self.limit_s
        )

    def request(self) -> Request:
        """What the record of it is stored as.

        Raises:
            UsageError: There is no such design.
        """
        design, target, options = self.design, get_target(self.target), self.options
        request = request_of(design, target, options)
        if self.seed is None:
            return request
        return routed_request(design, request, options, self.seed)

    def text(self) -> str:
        """Digest of the RTL that is measured."""
        return digest_of(self.design.rtl(get_target(self.target).vendor))

    @property
    def title(self) -> str:
        """For people."""
        changed = [f"{name}={value}" for name, value in (*self.params.items(), *self.rsa.items())]
        level = self.level if self.level == "engine" else f"{self.level} {self.sequencer}"
        unit = "n" if kind_of(self.level) in KEYED else "modulus"
        seed = "synthesis" if self.seed is None else f"seed {self.seed}"
        words = [self.engine, *changed, level, f"{self.bits} bits of the {unit}", self.target, seed]
        return ", ".join(words)
