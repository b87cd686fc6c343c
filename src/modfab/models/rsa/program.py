# SPDX-License-Identifier: Apache-2.0
"""The programs of one build of the RSA core: constants, memory map and code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, SLOT_MOD, SLOT_ONE, SLOT_R, SLOT_R2
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa import keygen
from modfab.models.rsa.assembler import Image, assemble
from modfab.models.rsa.instructions import ADDR_BITS, PLUS, RsaOp, trace
from modfab.numbers import WORD_BITS, to_words, words_of
from modfab.paths import rtl_dir

USUAL_E = 65537
"""The public exponent of nearly every key, for which cycles are quoted."""

WORK_SLOTS = SLOT_FREE + 4
"""Slots that the programs use for what they forget; exponentiations may use more."""

KEPT_SLOTS = 5
"""Slots, behind those of sequencer and programs, for what an exponentiation must not overwrite; a
hardened core has one more, two engines whose loads add have three."""

_KEPT = ("WEIGHT", "INVERSE", "A", "B", "V", "SHARE", "SCALE", "CHECK")
"""What these slots hold, as the programs call it."""

SHORT_WORDS = 2
"""Words of the key's short random factor; fewer where a prime may not be longer."""

TEST_BASE, TEST_EXP = 0x1B53, 0x1A6D
"""Base and exponent of the core's test of itself."""

TEST_E, TEST_ROWS = 0b101, 7
"""Public exponent of the self-test; how many times it multiplies the result by one of its words.
The count is odd: with an even count the errors of a stuck bit cancel."""

PUBLIC_ROWS, TEST_MIX = 15, 10
"""In place of these rows in a core for public operations only, and its rounds of two products: what
is stuck meets other bits in each, and without a sequencer there are few products."""

MAX_KEYS = 4
"""Keys that a core keeps at most."""

MIN_PRIME_BITS, MAX_PRIME_BITS = 34, 2064
"""Lengths of the longer prime."""

MAX_MODULUS_BITS = 2 * MAX_PRIME_BITS
"""Bits of the longest n of a core for public operations only."""


@dataclass(frozen=True, slots=True)
class RsaShape:
    """What the programs depend on.

    Attributes:
        half_bits: Bits of the longer prime; both have more than `32 * chunk_words` bits. The bits
            of n with `public_only`.
        message_blinding: Multiply the message by r before and by r^-d after, modulo each prime.
        exponent_words: Words of the random multiple of p - 1 that is added to the exponent.
        engines: 1 computes the halves one after the other, 2 at the same time.
        pair: The two engines are two contexts of one; the programs do not show it.
        hardened: Blind a message before it is reduced, and recombine without the half of q.
        address_blinding: Mask the slot numbers of exponentiations with random bits.
        public_only: Public operations with n and e from the host: one engine as wide as n, no
            sequencer, no randomness; see `public_shape`.
        keys: Keys that the core keeps, each in a context of its own.
        keygen: The core makes its keys itself.
    """

    half_bits: int
    message_blinding: bool = True
    exponent_words: int = 2
    engines: int = 1
    pair: bool = False
    hardened: bool = True
    address_blinding: bool = False
    public_only: bool = False
    keys: int = 1
    keygen: bool = False

    def __post_init__(self) -> None:
        if self.public_only:
            self._check_public()
            return
        if not MIN_PRIME_BITS <= self.half_bits <= MAX_PRIME_BITS:
            raise UsageError(
                f"Expected primes of {MIN_PRIME_BITS} to {MAX_PRIME_BITS} bits, but got "
                f"{self.half_bits}; choose primes, or a core, of such lengths."
            )
        if not 0 <= self.exponent_words <= 2:
            raise UsageError(
                f"Expected 0, 1 or 2 words of exponent blinding, but got {self.exponent_words}; "
                "choose one of these."
            )
        if self.engines not in (1, 2):
            raise UsageError(
                f"Expected 1 or 2 engines, but got {self.engines}; choose one of these."
            )

        if self.pair and self.engines != 2:
            raise UsageError(
                f"Expected 2 engines where they are a pair, but got {self.engines}; choose 2, or "
                "no pair."
            )
        if not 1 <= self.keys <= MAX_KEYS:
            raise UsageError(
                f"A core keeps 1 to {MAX_KEYS} keys, but {self.keys} were asked for; choose such a "
                "number."
            )
        if self.keygen:
            keygen.check_generated(self.half_bits)
        if self.address_blinding and not self.hardened:
            raise UsageError(
                "Address blinding belongs to the build hardened, but the build is basic; choose "
                "hardened, or no address blinding."
            )

    def _check_public(self) -> None:
        if not MIN_PRIME_BITS <= self.half_bits <= MAX_MODULUS_BITS:
            raise UsageError(
                f"Expected a modulus of {MIN_PRIME_BITS} to {MAX_MODULUS_BITS} bits, but got "
                f"{self.half_bits}; choose such a key."
            )
        blinding = self.message_blinding, self.exponent_words, self.hardened, self.address_blinding
        if any(blinding) or self.pair or self.keygen or (self.engines, self.keys) != (1, 1):
            raise UsageError(
                "A core for public operations only has one engine and no secret to blind, but "
                "options of private operations were given; leave out engines, pair and all "
                "blinding, several keys, or public_only."
            )

    @property
    def num_bits(self) -> int:
        """Bits of the widest modulus n."""
        return self.half_bits if self.public_only else 2 * self.half_bits

    @property
    def num_words(self) -> int:
        """Words of n and of a message."""
        return words_of(self.num_bits)

    @property
    def half_words(self) -> int:
        """Words of a prime."""
        return words_of(self.half_bits)

    @property
    def chunk_words(self) -> int:
        """Words that are below every prime the core takes."""
        return (self.half_bits - 2) // WORD_BITS

    def kept_slots(self, sums: bool) -> int:
        """Slots that an exponentiation must not overwrite.

        Args:
            sums: Loads can add a slot.
        """
        return KEPT_SLOTS + (3 if sums and self.engines == 2 else int(self.hardened))

    @property
    def private_bits(self) -> int:
        """Exponent bits of a half of the private operation."""
        return self.half_bits + WORD_BITS * self.exponent_words

    @property
    def exponent_window(self) -> int:
        """Words of a private exponent with its random part."""
        if self.public_only:  # only that of the core's test of itself
            return words_of(TEST_E.bit_length())
        return self.half_words + max(1, self.exponent_words)

    @property
    def exp_bits(self) -> int:
        """Exponent bits that the sequencer must be able to process."""
        if self.public_only:
            return WORD_BITS * self.num_words
        if self.address_blinding:  # its masks come behind the words that a program gives it
            return WORD_BITS * self.exponent_window
        return max(WORD_BITS * self.num_words, self.private_bits)

    def known_answer(self) -> int:
        """What the program `test` has to find: a sum of words.

        >>> hex(RsaShape(64).known_answer())
        '0x25a65cd8e'
        """
        word = TEST_BASE**2 * (TEST_BASE + 1) % (1 << WORD_BITS)
        low = TEST_EXP * (word + 1) ** (self.half_words - 1)
        modulus = low % (1 << WORD_BITS * (self.half_words - 1)) | 1 << self.half_bits - 1
        power = value = pow(TEST_BASE, TEST_EXP * TEST_E, modulus)
        if self.public_only:  # no sequencer: a base of all words but the highest
            base = modulus % (1 << WORD_BITS * (self.half_words - 1))
            power = value = pow(base, _mixed_exponent(), modulus)
        for _ in range(self._test_rows):
            word = (value >> WORD_BITS * self.public_only) % (1 << WORD_BITS)
            value = value % (1 << WORD_BITS * self.half_words) + power * word
        ones = (1 << WORD_BITS * self.half_words) - 1
        value = (value & ones) + ones * ((1 << WORD_BITS) - 1)
        return sum(to_words(value, self.half_words + 1))

    @property
    def _test_rows(self) -> int:
        return PUBLIC_ROWS if self.public_only else TEST_ROWS

    def constants(self) -> dict[str, int]:
        """Names that the program text uses."""
        answer = self.known_answer()
        return {
            "TEST_BASE": TEST_BASE,
            "TEST_EXP": TEST_EXP,
            "TEST_BITS": TEST_EXP.bit_length(),
            "TEST_E": TEST_E,
            "TEST_ROWS": self._test_rows,
            "TEST_MIX": TEST_MIX,
            "TEST_SUM0": answer % (1 << 12),
            "TEST_SUM1": (answer >> 12) % (1 << 12),
            "TEST_SUM2": (answer >> 24) % (1 << 8),
            "TEST_CARRIES": answer >> WORD_BITS,
            "H": self.half_bits,
            "HW": self.half_words,
            "HV": self.half_words + 1,
            "NW": self.num_words,
            "K": self.chunk_words,
            "EB": self.private_bits,
            "EBW": self.exponent_words,
            "BLIND": int(self.message_blinding),
            "XW": self.exponent_window,
            "XALIGN": _power_of_two(self.exponent_window * (1 + self.address_blinding) + 1),
            "EALIGN": _power_of_two(self.num_words),
            "HARD": int(self.hardened),
            "SW": min(SHORT_WORDS, self.chunk_words),
            "ADDR": int(self.address_blinding),
            "ENG": self.engines,
            **keygen.constants(self.half_bits, self.keygen),
            "PUBLIC": int(self.public_only),
            "PRIV": int(not self.public_only),
            "MV": self.half_words + 1 if self.public_only else 2 * self.half_words,
            "ONE": SLOT_ONE,
            "R": SLOT_R,
            "R2": SLOT_R2,
            "MOD": SLOT_MOD,
            **{name: int(RsaStatus[name]) for name in ("KEY", "OPERAND", "FAULT", "ENTROPY")},
        }


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _mixed_exponent() -> int:
    """What the test of a core for public operations only raises its base to."""
    result, base = TEST_E, 1
    for _ in range(TEST_MIX):
        result += base
        base += result
    return result


def public_shape(num_bits: int) -> RsaShape:
    """The shape of a core for public operations only.

    Args:
        num_bits: Bits of the widest modulus n.

    >>> public_shape(2048).num_words
    64
    """
    return RsaShape(
        num_bits, message_blinding=False, exponent_words=0, hardened=False, public_only=True
    )


@lru_cache(maxsize=64)
def program(
    shape: RsaShape,
    first_kept: int = WORK_SLOTS,
    wide_load: bool = False,
    load_factor: bool = False,
    seed_bits: int = 0,
    sum_bits: int = 0,
    table_apart: bool = False,
    load_tail: int = 0,
) -> Image:
    """Assemble rtl/rsa/programs/rsa.asm for one build.

    Args:
        shape: Sizes and blinding.
        first_kept: First of the engine's slots that no exponentiation uses, `WORK_SLOTS` or more.
        wide_load, load_factor: As of `Engine`.
        seed_bits: R^2 times 2 to this power is what a short set-up takes; 0 where there is none.
        sum_bits: As of `Engine`; 0 where loads add nothing.
        table_apart: Exponentiations use slots 4 and 5 and none below those of `WORK_SLOTS` else.
        load_tail: Cycles that a load goes on for when the word machine does not wait for its end.

    Raises:
        UsageError: The code or the memory is larger than the core can address.

    >>> sorted(program(RsaShape(64)).entries)
    ['derive', 'fail', 'key', 'private', 'public', 'test']
    """
    wide = wide_load and shape.half_bits % (2 * WORD_BITS) == 0
    sums = sum_bits if wide else 0
    constants = shape.constants() | {
        "WIDE": int(wide),
        "FACTOR": int(load_factor),
        "SHORT": int(wide and not shape.hardened and not sums),
        **_of_sums(shape, sums, table_apart),
        "TAIL": load_tail,
        **{name: first_kept + place for place, name in enumerate(_KEPT)},
        "RESUME": int(seed_bits > 0),
        "SEED1": 1 << seed_bits // 2,
        "SEED2": 1 << seed_bits - seed_bits // 2,
        "KEYS": shape.keys,
        "KEEP": int(shape.keys > 1 and shape.engines == 2),
        "BANK": 1,
    }
    text = (rtl_dir() / "rsa" / "programs" / "rsa.asm").read_text()
    image = assemble(text, constants)
    if shape.keys > 1:
        image = _with_banks(image, text, constants)
    # The number of words is itself a parameter of ADDR_BITS.
    if max(len(image.code), image.num_words + 1) > 1 << ADDR_BITS:
        raise UsageError(
            f"The programs need {len(image.code)} instructions and {image.num_words} words, but "
            f"the core takes {(1 << ADDR_BITS) - 1} words at most; choose shorter primes or fewer "
            f"keys."
        )
    return _with_traces(image)


def _of_sums(shape: RsaShape, sums: int, table_apart: bool) -> dict[str, int]:
    """Constants of a core whose loads add: what they divide by, and what becomes of that."""
    twice = sums > 0 and shape.engines == 2
    merged = twice and shape.hardened
    return {
        "SUM": sums,
        "PLUS": PLUS,
        "TWICE": int(twice),
        "MERGED": int(merged),
        "AHEAD": int(merged and (table_apart or shape.address_blinding)),
        "APART": int(merged and table_apart),
    }


def _with_banks(image: Image, text: str, constants: Mapping[str, int]) -> Image:
    """Give each context, and the words of an operation, 2^k words: no address needs an adder."""
    bank = _power_of_two(image.variables["C"][0])
    while True:
        image = assemble(text, {**constants, "BANK": bank})
        if image.variables["WORK_END"][0] <= 2 * bank:
            return image
        bank *= 2


def walk(image: Image, entry: str) -> Iterator[int]:
    """Addresses of the instructions that a program executes when it succeeds, in order.

    The end of a loop that did not begin is the last one.

    Args:
        image: The programs.
        entry: Name of one.
    """
    counter, start, left = image.entries[entry], 0, 0
    while True:
        yield counter
        instruction = image.code[counter]
        counter += 1
        if instruction.op is RsaOp.HALT:
            return
        if instruction.op is RsaOp.LOOP:
            start, left = counter, instruction.len
        elif instruction.op is RsaOp.ENDLOOP:
            if not left:  # no loop began: an alarm
                return
            left -= 1
            counter = start if left else counter


def _with_traces(image: Image) -> Image:
    """Each release gets the trace of the instructions before it, which the core compares."""
    code = list(image.code)
    for entry in image.entries:
        before: list[int] = []
        for address in walk(image, entry):
            if code[address].op is RsaOp.RELEASE:
                high, low = divmod(trace(before), 1 << ADDR_BITS)
                code[address] = replace(code[address], dst=high, a=low)
            before.append(address)
    return replace(image, code=tuple(code))
