# SPDX-License-Identifier: Apache-2.0
"""The RSA core: what its programs depend on, its engine and its sequencer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

from modfab.build.core import (
    Core,
    ModexpCore,
    check_factors,
    modexp_core,
    with_set,
    with_slots,
)
from modfab.build.rsa_cycles import RsaCycles, load_tail
from modfab.catalog import ENGINES, LONG_R, SEQUENCERS, Params, Sequencer, get_engine, get_sequencer
from modfab.catalog.descriptor import Pair
from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import (
    USUAL_E,
    WORK_SLOTS,
    RsaShape,
    program,
    public_shape,
)
from modfab.numbers import WORD_BITS

EXPONENT_WORDS = {"basic": 1, "hardened": 2}
"""Words of exponent blinding of the named builds."""

BLINDABLE, MASKED = "ladder", "ladder_masked"
"""The sequencer that address blinding is for, and the one that it takes."""

SET_BY_CORE = ("NumSlots", "MinModBits", "Resume", LONG_R)
"""Parameters of an engine that its core chooses."""

PUBLIC_SEQUENCER = "l2r"
"""What stands for the sequencer of a core for public operations only, which walks the bits of e
itself, from the left."""

RSA_NAMES = (
    *("engines", "pair", "message_blinding", "exponent_words", "hardened", "address_blinding"),
    *("public_only", "keys", "keygen"),
)
"""Options of an RSA core beside engine, sequencer and width; fields of `RsaShape`."""


SWITCHES = ("pair", "message_blinding", "hardened", "address_blinding", "public_only", "keygen")
"""Those of them that are on or off."""

_LATER = {"address_blinding": 0, "public_only": 0, "keys": 1, "keygen": 0}
"""Options that older records do not name, with their defaults."""


@dataclass(frozen=True, slots=True)
class RsaCore(Core):
    """An RSA core: a word machine over one or two engines.

    Attributes:
        shape: What the programs depend on.
        unit: Engine and sequencer for a prime.
    """

    kind: ClassVar[str] = "rsa"
    module: ClassVar[str] = "mf_rsa"
    bus_module: ClassVar[str] = "mf_rsa_axil"
    lists: ClassVar[tuple[str, ...]] = ("rsa/files.f",)
    bus_lists: ClassVar[tuple[str, ...]] = ("bus/rsa_axil.f",)

    shape: RsaShape
    unit: ModexpCore

    @property
    def num_bits(self) -> int:
        """Bits of n."""
        return self.shape.num_bits

    def choices(self) -> dict[str, int]:
        """The fields of `RsaShape`; those of `_LATER` only where they are not the default."""
        fields = {name: int(value) for name, value in asdict(self.shape).items()}
        return {name: value for name, value in fields.items() if value != _LATER.get(name)}

    def non_defaults(self) -> dict[str, int]:
        """What of the shape is not the default, beside the length of a prime.

        >>> rsa_core("bit_serial", 64, engines=2, message_blinding=False).non_defaults()
        {'message_blinding': 0, 'engines': 2}
        """
        if self.shape.public_only:
            return {"public_only": 1}
        usual = asdict(RsaShape(self.shape.half_bits))
        return {name: value for name, value in self.choices().items() if value != usual[name]}

    def engine_files(self) -> tuple[str, ...]:
        """RTL files of engine and sequencer; with a dual-port engine its file too."""
        if self.shape.public_only:
            return self.unit.alone.engine_files()
        pair = self.unit.engine.pair
        dual = [pair.file] if pair and self.shape.pair else []
        return (*self.unit.engine_files(), *dual)

    def cycles(self) -> dict[str, int]:
        """Those of its unit, and of a key's set-up and a private operation with the usual e.

        With several keys those of a change, too. A core for public operations only has those of a
        public operation instead.
        """
        programs = self.programs()
        if self.shape.public_only:
            return self.unit.alone.cycles() | {
                "key": programs.program(RsaEntry.KEY, USUAL_E),
                "public": programs.program(RsaEntry.PUBLIC, USUAL_E),
            }
        found = {
            "key": programs.program(RsaEntry.KEY, USUAL_E),
            "private": programs.program(RsaEntry.PRIVATE, USUAL_E),
        }
        if self.shape.keys > 1:
            found["change"] = programs.program(RsaEntry.CHANGE, USUAL_E)
        return self.unit.cycles() | found

    def programs(self) -> RsaCycles:
        """Cycles of the programs."""
        unit = self.unit
        return RsaCycles(
            self.image,
            unit.engine,
            unit.params,
            unit.sequencer,
            self.shape.engines,
            self.sum_bits > 0,
        )

    @property
    def image(self) -> Image:
        """The programs."""
        engine, params = self.unit.engine, self.unit.params
        first_kept, resume_bits = _first_kept(self.unit.sequencer), engine.resume_bits(params)
        seed_bits = resume_bits - 2 * engine.r_bits(params) if resume_bits else 0
        loads = engine.wide_load, engine.load_factor
        apart = self.unit.sequencer.table_from > 0
        tail = load_tail(engine, params) if self.sum_bits else 0
        return program(self.shape, first_kept, *loads, seed_bits, self.sum_bits, apart, tail)

    @property
    def sum_bits(self) -> int:
        """As of `Engine`: the engine's loads can add a slot; 0 where they cannot."""
        return self.unit.engine.sum_bits(self.unit.params)


def rsa_core(
    engine: str,
    half_bits: int,
    overrides: Params | None = None,
    sequencer: str = "ladder",
    message_blinding: bool = True,
    exponent_words: int = 2,
    engines: int = 1,
    pair: bool = False,
    hardened: bool = True,
    address_blinding: bool = False,
    keys: int = 1,
    keygen: bool = False,
) -> RsaCore:
    """Look up and check a configuration.

    Args:
        engine, sequencer: Names in the catalogue; the sequencer has to be a constant one.
        half_bits: Bits of the longer prime.
        overrides: Engine parameters other than the defaults.
        message_blinding, exponent_words, engines, pair, hardened, address_blinding: As for
            `RsaShape`.
        keys, keygen: As for `RsaShape`. Address blinding takes the ladder.

    Raises:
        UsageError: An unknown name, a value out of range, a sequencer that is not constant or
            cannot be blinded, or a pair of an engine that has none.
    """
    blinding = message_blinding, exponent_words, engines, pair, hardened, address_blinding
    shape = RsaShape(half_bits, *blinding, keys=keys, keygen=keygen)
    return _with_shape(engine, shape, overrides, sequencer)


def public_core(engine: str, num_bits: int, overrides: Params | None = None) -> RsaCore:
    """A core for public operations only.

    Args:
        engine: Name in the catalogue.
        num_bits: Bits of the widest modulus n.
        overrides: Engine parameters other than the defaults.

    Raises:
        UsageError: An unknown name or a value out of range.

    >>> public_core("bit_serial", 128).num_bits
    128
    """
    return _with_shape(engine, public_shape(num_bits), overrides, PUBLIC_SEQUENCER)


def _with_shape(engine: str, shape: RsaShape, overrides: Params | None, sequencer: str) -> RsaCore:
    if shape.public_only:
        sequencer = PUBLIC_SEQUENCER
    check_constant(sequencer, public=shape.public_only)
    if shape.address_blinding:
        sequencer = blinded_sequencer(sequencer)
    given = overrides or {}
    if shape.pair:
        given = _pair_overrides(engine, given)
    core = modexp_core(
        *(engine, shape.half_bits, given, sequencer, shape.exp_bits, shape.address_blinding)
    )
    kept = shape.kept_slots(sums=core.engine.sum_bits(core.params) > 0)
    needed = _first_kept(core.sequencer) + kept
    params = with_slots(core.params, given, "an RSA core", needed)
    check_factors(core.engine, params, "an RSA core", needed)
    if "MinModBits" in params:
        params = with_set(params, given, "MinModBits", WORD_BITS * shape.chunk_words)
    if shape.keys > 1 and shape.engines == 2 and "Resume" in params:
        params = with_set(params, given, "Resume", 1)
    return RsaCore(shape, replace(core, params=params))


def _first_kept(sequencer: Sequencer) -> int:
    """First slot that no exponentiation overwrites, below a table that is no second operand."""
    return max(0 if sequencer.table_from else sequencer.num_slots, WORK_SLOTS)


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


def check_constant(sequencer: str, public: bool = False) -> None:
    """Raise UsageError for a sequencer that must not see the exponent, unless that is public."""
    if not (public or get_sequencer(sequencer).constant):
        names = [n for n, entry in SEQUENCERS.items() if entry.constant and not entry.masked]
        raise UsageError(
            f"The sequencer {sequencer} shows the exponent in its cycles, and an RSA key's is "
            f"secret; choose one of {', '.join(names)}."
        )


def blinded_sequencer(sequencer: str) -> str:
    """The sequencer with masked slot numbers that stands for another one.

    Raises:
        UsageError: There is none.

    >>> blinded_sequencer("ladder")
    'ladder_masked'
    """
    if sequencer not in (BLINDABLE, MASKED):
        raise UsageError(
            f"Address blinding masks the slot numbers of the sequencer {BLINDABLE}, but the "
            f"sequencer is {sequencer}; choose {BLINDABLE}, or no address blinding."
        )
    return MASKED


def rsa_core_of(
    engine: str, num_bits: int, overrides: Params, sequencer: str, options: Mapping[str, int]
) -> RsaCore:
    """As `rsa_core`, for a modulus of that many bits and options by their names.

    Raises:
        UsageError: As `rsa_core`, or an option has another name than `RSA_NAMES` or is a switch
            that is neither on nor off.
    """
    for name in options:
        if name not in RSA_NAMES:
            raise UsageError(
                f"An RSA core has no option {name!r}; choose from {', '.join(RSA_NAMES)}."
            )
    for name in SWITCHES:
        if options.get(name, 0) not in (0, 1):
            raise UsageError(f"Expected {name}=0 or {name}=1, but got {options[name]}; choose one.")
    if options.get("public_only"):
        _check_alone(options)
        return public_core(engine, num_bits, overrides)
    blinding = bool(options.get("message_blinding", True))
    hardened = bool(options.get("hardened", True))
    words, engines = (
        options.get("exponent_words", EXPONENT_WORDS["hardened" if hardened else "basic"]),
        options.get("engines", 1),
    )
    pair = bool(options.get("pair", False))
    masks = bool(options.get("address_blinding", False))
    keys = options.get("keys", 1)
    makes = bool(options.get("keygen", False))
    blindings = blinding, words, engines, pair, hardened, masks
    shape = RsaShape(half_of(num_bits), *blindings, keys=keys, keygen=makes)
    return _with_shape(engine, shape, overrides, sequencer)


def _check_alone(options: Mapping[str, int]) -> None:
    """What goes with `public_only`: nothing that is not its only choice."""
    usual = {"public_only": 1, "engines": 1, "keys": 1}
    wrong = [name for name, value in options.items() if value != usual.get(name, 0)]
    if wrong:
        raise UsageError(
            "A core for public operations only (public_only=1) has one engine and no secret to "
            f"blind, but {', '.join(wrong)} was given; leave it out, or public_only."
        )


def watchdog_cycles(core: RsaCore) -> int:
    """Cycles that no instruction needs.

    Twice the longest set-up or exponentiation, and not less than one by an e as long as n of ones,
    whose products stand alone even where the engine has two lanes.
    """
    unit, bits = core.unit, core.shape.exp_bits
    mul, setup = (
        cycles(unit.params) for cycles in (unit.engine.cycles.mul, unit.engine.cycles.setup)
    )
    if core.shape.public_only:  # e of ones: a square and a product for each bit
        return 2 * max(2 * bits * mul, setup) + 1024
    square = unit.engine.product_cycles(unit.params, SLOT_FREE, SLOT_FREE)
    by_e = (WORD_BITS * core.shape.num_words + 1) * (square + mul)
    exp = unit.sequencer.exp_cycles(unit.engine, unit.params, 0, bits)
    return max(2 * max(exp, setup), by_e) + 1024


ENTROPY_CYCLES = 1 << 20
"""How long an operation waits for a random word before it ends."""
