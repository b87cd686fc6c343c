# SPDX-License-Identifier: Apache-2.0
"""What the catalogue says of an engine or a sequencer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, SLOT_R, Command, EngineModel, Op
from modfab.numbers import WORD_BITS, words_of

Params = Mapping[str, int]
"""Parameter name -> value, complete and checked; made by `Engine.resolve`."""

Formula = Callable[[Params], int]
"""A number of cycles, bits or lanes as a function of the parameters."""

LONG_R = "LongR"
"""Parameter of engines with short squares: the square of slot 1 is none. A core's sequencer
decides (`Sequencer.by_r`)."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One RTL parameter: name as in the RTL, unit, legal values, default, one line of help."""

    name: str
    unit: str
    legal: range | tuple[int, ...]
    default: int
    help: str

    @property
    def legal_text(self) -> str:
        """The legal values for people: `16..4096` or `1, 2, 4, 8`."""
        if isinstance(self.legal, range):
            step = f" in steps of {self.legal.step}" if self.legal.step != 1 else ""
            return f"{self.legal[0]}..{self.legal[-1]}{step}"
        return ", ".join(str(value) for value in self.legal)

    def check(self, value: int) -> None:
        """Raise UsageError when the value is not legal."""
        if value not in self.legal:
            raise UsageError(
                f"Parameter {self.name} must be one of {self.legal_text} ({self.unit}), "
                f"but {value} was given; choose a legal value."
            )


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycle formulas of an engine; every one is asserted against RTL and model.

    Attributes:
        mul: One product; also the distance between products of a chain.
        square: One product whose two slots are one; None for engines that take as long for it.
            `Engine.product_cycles` chooses.
        mul2: One pair on two lanes; None for engines that never have two. `Engine.pair_cycles`
            says whether given parameters have them.
        setup: A successful set-up.
        resume: A short one, `OpSetup b`; None for engines without it.
        load: One operand; `load_modulus` likewise for the modulus.
        store: One result.
        store_latency: Acceptance of a store to its first word.
        wipe: Cycles without ready after reset or zeroize.
        text: The product's formula for people.
    """

    mul: Formula
    setup: Formula
    load: Formula
    load_modulus: Formula
    store: Formula
    store_latency: Formula
    wipe: Formula
    text: str
    square: Formula | None = None
    mul2: Formula | None = None
    resume: Formula | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two contract ports on hardware that they share, each as fast as an engine of its own.

    Attributes:
        top, file: The module and its file, beside the engine's own files.
        names: The engine's parameters that it takes.
        fixed: Values that the others have to have.
    """

    top: str
    file: str
    names: tuple[str, ...]
    fixed: Params


@dataclass(frozen=True, slots=True)
class Chain:
    """Multipliers of a linear array.

    Attributes:
        names: Regular expression of their instance names. Its group numbers them; those without a
            number come first.
        middle: The first lies in the middle of the device: something is broadcast from there.
        beside: Regular expression of cells that want a side of the device for themselves, beside
            the first multiplier: controllers, the core around them. Empty for none.
        cells: Yosys pattern of the same instances; empty when the engine has no other multipliers.
        lockable: Whether neighbours may share a block of the device with these parameters.
    """

    names: str
    middle: bool = False
    beside: str = ""
    cells: str = ""
    lockable: Callable[[Params], bool] = lambda params: True


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine of the library: the single source for help, tables, sweeps, tests and builds.

    Attributes:
        title: Its idea in a line.
        paper: Where it is from.
        take_when: What it is the best choice for.
        runtime_words: The number of active words comes with the modulus.
        wide_load: `OpLoad` takes every number of NumBits bits and reduces it.
        feed: Cycles from the acceptance of a load to that of its last word.
        word_cycles: Cycles from one of its words to the next.
        store_tail: Cycles from the last word of a store to its end.
        rest: Cycles after a chain of products in which it accepts no command, unless one has waited
            for the last product's end.
        load_factor: `OpLoad` with a slot in `b` multiplies what it loads by that slot.
        sum_bits: `OpLoad` with a slot in `a0` adds that slot divided by 2 to this power; 0 where
            it does not.
        resume_bits: `OpSetup b` is a short set-up after which `OpLoad SlotR2` takes 2 to this power
            modulo M; 0 where there is none.
        min_mod_bits: A modulus is at least 2 to this power; a smaller one is refused.
        factor_slots: Slots from 0 on that can be `b` of a product or a load, and `a0` of a load.
        no_enables: It is faster when the flow maps without clock enables, and the flow does so
            where nobody says otherwise (ecp5).
        chain: The flow locks these multipliers side by side where nobody says otherwise (ecp5);
            None for engines that do not gain.
        digit: Parameter that is the width of both operands of a hard multiplier; empty for none.
    """

    name: str
    engine_id: int
    title: str
    paper: str
    take_when: str
    parameters: tuple[Parameter, ...]
    top: str
    files: tuple[str, ...]
    r_bits: Formula
    cycles: Cycles
    model: Callable[[Params], EngineModel[Any]]
    num_lanes: Formula = lambda params: 1
    check: Callable[[Params], None] = lambda params: None
    runtime_words: bool = False
    wide_load: bool = False
    feed: Formula = lambda params: words_of(params["NumBits"])
    word_cycles: Formula = lambda params: 1
    store_tail: int = 0
    rest: int = 0
    load_factor: bool = False
    sum_bits: Formula = lambda params: 0
    resume_bits: Formula = lambda params: 0
    min_mod_bits: Formula = lambda params: 0
    factor_slots: Formula = lambda params: params["NumSlots"]
    pair: Pair | None = None
    no_enables: bool = False
    chain: Chain | None = None
    digit: str = ""

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; UsageError lists the names there are."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        names = ", ".join(parameter.name for parameter in self.parameters)
        raise UsageError(f"Engine {self.name} has no parameter {name!r}; it has {names}.")

    def product_cycles(self, params: Params, a0: int, b: int) -> int:
        """Cycles of an `OpMul` of the slots a0 and b; their numbers decide, not what they hold."""
        square = self.cycles.square
        is_square = a0 == b and not (a0 == SLOT_R and params.get(LONG_R, 0))
        return square(params) if square and is_square else self.cycles.mul(params)

    def pair_cycles(self, params: Params) -> int | None:
        """Cycles of an `OpMul2`; None when the engine has one lane with these parameters."""
        mul2 = self.cycles.mul2
        return mul2(params) if mul2 and self.num_lanes(params) == 2 else None

    def resolve(self, num_bits: int, overrides: Params | None = None) -> dict[str, int]:
        """Complete and check a parameter set.

        Args:
            num_bits: Value of NumBits.
            overrides: Values other than the defaults.

        Returns:
            Every parameter's value, by name.

        Raises:
            UsageError: An unknown name, a value out of range, or another width.
        """
        given = dict(overrides or {})
        if given.setdefault("NumBits", num_bits) != num_bits:
            raise UsageError(
                f"The width is {num_bits} bits here, but NumBits={given['NumBits']} was given; "
                "leave the parameter out and choose --bits."
            )
        params = {parameter.name: parameter.default for parameter in self.parameters}
        for name, value in given.items():
            self.parameter(name).check(value)
            params[name] = value
        self.check(params)
        return params

    def on_target(self, mul_bits: int, given: Params) -> dict[str, int]:
        """The given parameters, with a digit whose product is one multiplier where none is given.

        Args:
            mul_bits: Bits of both unsigned operands that one multiplier of the target takes.
            given: Values other than the defaults; they win.

        Returns:
            Overrides for `resolve`.
        """
        if not self.digit or self.parameter(self.digit).default <= mul_bits:
            return dict(given)
        return {self.digit: mul_bits, **given}

    def name_with(self, params: Params) -> str:
        """The engine's name with its non-default parameters: `booth16 (Recoding 1)`."""
        others = self.non_defaults(params)
        return f"{self.name} ({others})" if others else self.name

    def non_defaults(self, params: Params) -> str:
        """The parameters that differ from their defaults, the width excluded: `Recoding 1`."""
        return ", ".join(
            f"{p.name} {params[p.name]}"
            for p in self.parameters
            if p.name != "NumBits" and params.get(p.name, p.default) != p.default
        )

    def at_words(self, params: Params, num_words: int) -> Params:
        """Parameters whose formulas describe a built engine at an active number of 32-bit words.

        Every formula but `cycles.wipe` follows the active width where `runtime_words` is set.
        """
        return {**params, "NumBits": min(params["NumBits"], num_words * WORD_BITS)}


@dataclass(frozen=True, slots=True)
class Sequencer:
    """One exponentiation sequencer.

    Attributes:
        commands: The golden model: (exponent, exp_bits, num_lanes) -> commands.
        num_slots: Slots of the engine that it needs.
        constant: True when the products depend on exp_bits only.
        table_from: First slot of a table that is never a second operand, above all else; 0: none.
        masked: It needs random masks behind the exponent; only an RSA core makes them.
        by_r: What it multiplies slot 1 by, for a digit, can be slot 1 itself: this must not be
            seen. Otherwise slot 1 is squared where another slot could be.
        start_cycles: Cycles from its start to the first product beside those of the others.
    """

    name: str
    sequencer_id: int
    title: str
    top: str
    files: tuple[str, ...]
    commands: Callable[[int, int, int], Iterator[Command]]
    num_slots: int
    constant: bool
    table_from: int = 0
    masked: bool = False
    by_r: bool = False
    start_cycles: int = 0

    @property
    def num_factors(self) -> int:
        """Slots from 0 on that all its second operands are among."""
        return self.table_from or self.num_slots

    def exp_cycles(self, engine: Engine, params: Params, exponent: int, exp_bits: int) -> int:
        """Cycles of an exponentiation: first product accepted to first result word.

        Args:
            engine, params: The engine, with all its parameters.
            exponent: Its value, of which a constant-time sequencer's cycles are independent.
            exp_bits: Bits of it that are walked.
        """
        lanes = engine.num_lanes(params)
        uniform = exponent in (0, (1 << exp_bits) - 1)
        count = _cached_kinds if uniform else _kinds
        kinds = count(self.commands, exponent, exp_bits, lanes)
        total = engine.cycles.store_latency(params)
        for (pair, square_of), number in kinds.items():
            total += number * _product_cycles(engine, params, pair, square_of)
        return total


_Commands = Callable[[int, int, int], Iterator[Command]]
_Kind = tuple[bool, int | None]
"""A product: whether it belongs to an OpMul2, and the slot that it squares, or None."""


def _kinds(commands: _Commands, exponent: int, exp_bits: int, num_lanes: int) -> Counter[_Kind]:
    """Number of products of each kind in an exponentiation."""
    found: Counter[_Kind] = Counter()
    for command in commands(exponent, exp_bits, num_lanes):
        slot = SLOT_R if command.a0 == SLOT_R else SLOT_FREE
        found[command.op is Op.MUL2, slot if command.a0 == command.b else None] += 1
    return found


_cached_kinds = lru_cache(maxsize=256)(_kinds)
"""`_kinds`, cached; only for exponents whose bits are all 0 or all 1, which are not secret."""


def _product_cycles(engine: Engine, params: Params, paired: bool, square_of: int | None) -> int:
    pair = engine.pair_cycles(params) if paired else 0
    if pair or square_of is None:
        return pair or engine.cycles.mul(params)
    return engine.product_cycles(params, square_of, square_of)
