# SPDX-License-Identifier: Apache-2.0
"""One configuration of an RSA core: what the programs depend on, engine and sequencer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from modfab.build.core import (
    ModexpCore,
    modexp_core,
)
from modfab.build.rsa_cycles import RsaCycles
from modfab.catalog import ENGINES, SEQUENCERS, Params, Sequencer, get_engine, get_sequencer
from modfab.catalog.descriptor import Pair
from modfab.errors import UsageError
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.program import KEPT_SLOTS, WORK_SLOTS, RsaShape, program

RSA_NAMES = ("engines", "pair", "message_blinding", "exponent_words")
"""Options of an RSA core beside engine, sequencer and width; fields of `RsaShape`."""


@dataclass(frozen=True, slots=True)
class RsaCore:
    """One configuration of the RSA core: what the programs depend on, and the engine."""

    shape: RsaShape
    core: ModexpCore

    def files(self) -> tuple[str, ...]:
        """RTL files below rtl/ that the configured engine and sequencer need, in order."""
        pair = self.core.engine.pair
        return (*self.core.files(), *([pair.file] if pair and self.shape.pair else []))

    def cycles(self) -> RsaCycles:
        """Clocks of the programs."""
        core = self.core
        return RsaCycles(self.image, core.engine, core.params, core.sequencer)

    @property
    def image(self) -> Image:
        """The programs."""
        core = self.core
        return program(self.shape, _first_kept(core.sequencer), core.engine.wide_load)


def rsa_core(
    engine: str,
    half_bits: int,
    overrides: Params | None = None,
    sequencer: str = "ladder",
    message_blinding: bool = True,
    exponent_words: int = 1,
    engines: int = 1,
    pair: bool = False,
) -> RsaCore:
    """Look up and check a configuration.

    Args:
        engine, sequencer: Names in the catalogue; the sequencer has to be a constant one.
        half_bits: Bits of the longer prime.
        overrides: Engine parameters other than the defaults.
        message_blinding, exponent_words, engines, pair: As for `RsaShape`.

    Raises:
        UsageError: An unknown name, a value out of range, a sequencer that is not constant, or a
            pair of an engine that has none.
    """
    shape = RsaShape(half_bits, message_blinding, exponent_words, engines, pair)
    return _with_shape(engine, shape, overrides, sequencer)


def _with_shape(engine: str, shape: RsaShape, overrides: Params | None, sequencer: str) -> RsaCore:
    check_constant(sequencer)
    if shape.pair:
        overrides = _pair_overrides(engine, overrides or {})
    core = modexp_core(engine, shape.half_bits, overrides, sequencer, shape.exp_bits)
    if shape.engines == 2:
        needed = _first_kept(core.sequencer) + KEPT_SLOTS
        params = {**core.params, "NumSlots": max(core.params["NumSlots"], needed)}
        core = replace(core, params=params)
    return RsaCore(shape, core)


def _first_kept(sequencer: Sequencer) -> int:
    return max(sequencer.num_slots, WORK_SLOTS)


def _pair_of(engine: str) -> Pair:
    pair = get_engine(engine).pair
    if pair is None:
        names = ", ".join(name for name, entry in ENGINES.items() if entry.pair)
        raise UsageError(
            f"The engine {engine} cannot be shared by two halves, and a pair was asked for; choose "
            f"from {names}, or no pair."
        )
    return pair


def _pair_overrides(engine: str, overrides: Params) -> Params:
    fixed = _pair_of(engine).fixed
    for name, value in fixed.items():
        if overrides.get(name, value) != value:
            raise UsageError(
                f"Two halves share a {engine} engine with {name} = {value} only, but "
                f"{overrides[name]} was given; leave the parameter out, or choose no pair."
            )
    return {**overrides, **fixed}


def half_of(num_bits: int) -> int:
    """Bits of the primes of a modulus n of that many bits.

    Raises:
        UsageError: The number is odd.

    >>> half_of(2048)
    1024
    """
    if num_bits % 2:
        raise UsageError(
            f"An RSA core is built for an even number of bits of n, but {num_bits} were given; "
            "choose the next even number."
        )
    return num_bits // 2


def shape_record(config: RsaCore | None) -> dict[str, int] | None:
    """An RSA core's shape as a measurement stores it; None for None."""
    if config is None:
        return None
    return {name: int(value) for name, value in asdict(config.shape).items()}


def rsa_options(config: RsaCore | None) -> dict[str, int]:
    """What of an RSA core's shape is not the default, beside the length of its primes.

    >>> rsa_options(rsa_core("bit_serial", 64, engines=2, message_blinding=False))
    {'message_blinding': 0, 'engines': 2}
    """
    shape = shape_record(config)
    if config is None or shape is None:
        return {}
    usual = asdict(RsaShape(config.shape.half_bits))
    return {name: value for name, value in shape.items() if value != usual[name]}


def check_constant(sequencer: str) -> None:
    """Raise UsageError for a sequencer that must not see a secret exponent."""
    if not get_sequencer(sequencer).constant:
        names = [name for name, entry in SEQUENCERS.items() if entry.constant]
        raise UsageError(
            f"The sequencer {sequencer} shows the exponent in its cycles, and an RSA key's is "
            f"secret; choose one of {', '.join(names)}."
        )


def rsa_core_of(
    engine: str, num_bits: int, overrides: Params, sequencer: str, options: Mapping[str, int]
) -> RsaCore:
    """As `rsa_core`, for a modulus of that many bits and options by their names.

    Raises:
        UsageError: As `rsa_core`, or an option has another name than `RSA_NAMES`.
    """
    for name in options:
        if name not in RSA_NAMES:
            raise UsageError(
                f"An RSA core has no option {name!r}; choose from {', '.join(RSA_NAMES)}."
            )
    blinding = bool(options.get("message_blinding", True))
    words, engines = options.get("exponent_words", 1), options.get("engines", 1)
    pair = bool(options.get("pair", False))
    shape = RsaShape(half_of(num_bits), blinding, words, engines, pair)
    return _with_shape(engine, shape, overrides, sequencer)


def watchdog_clocks(config: RsaCore) -> int:
    """Clocks that no instruction needs: twice the longest set-up or exponentiation, and some."""
    core, bits = config.core, config.shape.exp_bits
    power = core.sequencer.exp_cycles(core.engine, core.params, 0, bits)
    return 2 * max(power, core.engine.cycles.setup(core.params)) + 1024
