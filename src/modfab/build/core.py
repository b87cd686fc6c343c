# SPDX-License-Identifier: Apache-2.0
"""What a core is: one idea with four kinds. Here are the two that know nothing of keys.

A kind says what is built; a level is a kind with its bus (`_axil`) or without. Commands, stored
measurements, packages and pages use these names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from modfab.catalog import LONG_R, Engine, Params, Sequencer, get_engine, get_sequencer
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.numbers import words_of

MAX_EXP_BITS = 32768
"""Bits of the longest exponent window."""

BUS = "_axil"
"""End of the name of a level with a bus."""

_WORD_CYCLES = 2  # of mf_modexp from one word of an operand to the next; as many before the first
_STATES = 4  # of mf_modexp: idle, end of the load, run, end


class Core(ABC):
    """One configured core.

    Attributes:
        kind: Name of the kind.
        module, bus_module: Its RTL module, and that of the core with its bus; empty for none.
        lists, bus_lists: Lists of their files below rtl/, without those of engine and sequencer.
    """

    __slots__ = ()
    kind: ClassVar[str]
    module: ClassVar[str] = ""
    bus_module: ClassVar[str] = ""
    lists: ClassVar[tuple[str, ...]] = ()
    bus_lists: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def unit(self) -> EngineCore | ModexpCore:
        """The engine that the core computes with, and the sequencer in front of it, if any."""

    @property
    @abstractmethod
    def num_bits(self) -> int:
        """Bits of the modulus; of an RSA key those of n."""

    def choices(self) -> dict[str, int] | None:
        """What only an RSA core or a farm has a choice of, by name; None for other kinds."""
        return None

    def non_defaults(self) -> dict[str, int]:
        """What of `choices` a command has to name: what is not the default."""
        return {}

    def inner(self) -> tuple[Core, ...]:
        """The core, and those in it that can be measured alone, too."""
        return (self,)

    def engine_files(self) -> tuple[str, ...]:
        """RTL files of engine and sequencer, below rtl/ and in order."""
        return self.unit.engine_files()

    def files(self, bus: bool) -> tuple[str, ...]:
        """Every RTL file of the core, packages first, below rtl/.

        Args:
            bus: With its bus.
        """
        listed = listed_files(*self.lists, *(self.bus_lists if bus else ()))
        names = dict.fromkeys((*self.engine_files(), *listed))
        return tuple(sorted(names, key=lambda name: not name.endswith("_pkg.sv")))

    @abstractmethod
    def cycles(self) -> dict[str, int]:
        """Cycles of what the core does, by name, from the catalogue."""


@dataclass(frozen=True, slots=True)
class EngineCore(Core):
    """An engine alone, under the ports of the contract.

    Attributes:
        engine: Catalogue entry.
        params: Every engine parameter, as `Engine.resolve` gives them.
    """

    kind: ClassVar[str] = "engine"
    sequencer_name: ClassVar[str] = ""
    exp_bits: ClassVar[int] = 0

    engine: Engine
    params: Params = field(hash=False)

    @property
    def unit(self) -> EngineCore:
        """Itself."""
        return self

    @property
    def num_bits(self) -> int:
        """Bits of the modulus."""
        return self.params["NumBits"]

    def engine_files(self) -> tuple[str, ...]:
        """RTL files of the engine."""
        return self.engine.files

    def cycles(self) -> dict[str, int]:
        """Cycles of a product, of a square or two at once where these differ, and of a set-up."""
        cycles, params = self.engine.cycles, self.params
        pair = self.engine.pair_cycles(params)
        numbers = {"mul": cycles.mul(params), "setup": cycles.setup(params)}
        numbers |= {"square": cycles.square(params)} if cycles.square else {}
        return numbers | ({} if pair is None else {"mul2": pair})


@dataclass(frozen=True, slots=True)
class ModexpCore(Core):
    """An exponentiator: one engine and one sequencer.

    Attributes:
        engine, sequencer: Catalogue entries.
        params: Every engine parameter, as `Engine.resolve` gives them.
        exp_bits: Capacity of the exponent window in bits.
    """

    kind: ClassVar[str] = "modexp"
    module: ClassVar[str] = "mf_modexp"
    bus_module: ClassVar[str] = "mf_modexp_axil"
    lists: ClassVar[tuple[str, ...]] = ("modexp/files.f",)
    bus_lists: ClassVar[tuple[str, ...]] = ("bus/modexp_axil.f",)

    engine: Engine
    sequencer: Sequencer
    params: Params = field(hash=False)
    exp_bits: int

    @property
    def unit(self) -> ModexpCore:
        """Itself."""
        return self

    @property
    def num_bits(self) -> int:
        """Bits of the modulus."""
        return self.params["NumBits"]

    @property
    def sequencer_name(self) -> str:
        """Name of the sequencer; an engine alone has none."""
        return self.sequencer.name

    @property
    def alone(self) -> EngineCore:
        """Its engine."""
        return EngineCore(self.engine, self.params)

    def engine_files(self) -> tuple[str, ...]:
        """RTL files of engine and sequencer."""
        return (*self.engine.files, *self.sequencer.files)

    def cycles(self) -> dict[str, int]:
        """Those of its engine, and of an exponentiation with `exp_bits` bits, all of them one."""
        ones = (1 << self.exp_bits) - 1
        exp = self.sequencer.exp_cycles(self.engine, self.params, ones, self.exp_bits)
        return {**self.alone.cycles(), "exp": exp}

    def operation_cycles(self, exponent: int, exp_bits: int) -> int:
        """Cycles from start to done with a modulus that is set up, as TOTAL_CYCLES counts them.

        The sum of three parts: loading the base, one word every second cycle; the exponentiation;
        storing the result. The sequencer finds the exponent's first bit during the load. With a
        modulus below 96 bits, or many leading zeros, it needs more cycles than this formula has.

        >>> core = modexp_core("bit_serial", 128, sequencer="l2r")
        >>> core.operation_cycles(65537, 17) - core.sequencer.exp_cycles(
        ...     core.engine, core.params, 65537, 17
        ... )
        17
        """
        engine, params = self.engine, self.params
        cycles, word, last = engine.cycles, engine.word_cycles(params), words_of(self.num_bits) - 1
        first = engine.feed(params) - word * last  # of the base's words to the last one
        fed = max(first, _WORD_CYCLES) + max(word, _WORD_CYCLES) * last
        load = fed + max(1, cycles.load(params) - engine.feed(params))
        rest = cycles.store(params) - cycles.store_latency(params) - engine.store_tail
        exp = self.sequencer.exp_cycles(engine, params, exponent, exp_bits)
        return load + max(1, engine.rest) + exp + rest + _STATES


def engine_core(engine: str, num_bits: int, overrides: Params | None = None) -> EngineCore:
    """Look up and check an engine.

    Args:
        engine: Name in the catalogue.
        num_bits: Bits of the modulus.
        overrides: Engine parameters other than the defaults.

    Raises:
        UsageError: An unknown name or a value out of range.
    """
    entry = get_engine(engine)
    return EngineCore(entry, entry.resolve(num_bits, overrides))


def modexp_core(
    engine: str,
    num_bits: int,
    overrides: Params | None = None,
    sequencer: str = "ladder",
    exp_bits: int | None = None,
    masks: bool = False,
) -> ModexpCore:
    """Look up and check an exponentiator.

    Args:
        engine, sequencer: Names in the catalogue.
        num_bits: Bits of the modulus.
        overrides: Engine parameters other than the defaults.
        exp_bits: Capacity of the exponent window, at most `MAX_EXP_BITS`; `num_bits` when None.
        masks: Random masks follow the exponent.

    Raises:
        UsageError: An unknown name or a value out of range, or a sequencer that needs masks where
            there are none.
    """
    entry, chosen = get_engine(engine), get_sequencer(sequencer)
    if chosen.masked and not masks:
        raise UsageError(
            f"The sequencer {sequencer} needs random masks, which only an RSA core with "
            "address_blinding has; choose another sequencer, or address blinding."
        )
    given = overrides or {}
    params = with_slots(entry.resolve(num_bits, given), given, sequencer, chosen.num_slots)
    if LONG_R in params:
        params = with_set(params, given, LONG_R, int(chosen.by_r))
    check_factors(entry, params, sequencer, chosen.num_factors)
    window = num_bits if exp_bits is None else exp_bits
    if not 1 <= window <= MAX_EXP_BITS:
        raise UsageError(
            f"Expected an exponent window of 1 to {MAX_EXP_BITS} bits, but got {window}; choose "
            "such a length."
        )
    return ModexpCore(entry, chosen, params, window)


def with_slots(params: Params, given: Params, user: str, needed: int) -> Params:
    """The parameters of an engine with slots enough.

    Args:
        params: As resolved.
        given: What the user chose of them.
        user: What needs the slots.
        needed: How many.

    Raises:
        UsageError: The user chose fewer.
    """
    if given.get("NumSlots", needed) < needed:
        raise UsageError(
            f"Parameter NumSlots must be at least {needed} with {user}, but {given['NumSlots']} "
            "was given; choose more, or leave it out."
        )
    return {**params, "NumSlots": max(params["NumSlots"], needed)}


def with_set(params: Params, given: Params, name: str, value: int) -> Params:
    """The parameters of an engine with one that the core sets; UsageError for another value."""
    if given.get(name, value) != value:
        raise UsageError(
            f"Parameter {name} is {value} in this core, but {given[name]} was given; leave it out."
        )
    return {**params, name: value}


def check_factors(engine: Engine, params: Params, user: str, needed: int) -> None:
    """Raise UsageError when fewer of an engine's slots can be second operands than are needed.

    Args:
        engine, params: As built.
        user: What needs them.
        needed: How many.
    """
    there = engine.factor_slots(params)
    if there < needed:
        raise UsageError(
            f"Parameter FactorSlots must be at least {needed} with {user}, but {there} was given; "
            "choose more, 0 for all, or the sequencer window5."
        )


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write files into a folder that exists; files that match are left alone."""
    paths = []
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
        paths.append(path)
    return paths
