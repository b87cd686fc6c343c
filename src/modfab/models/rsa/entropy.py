# SPDX-License-Identifier: Apache-2.0
"""Model of the generator behind the entropy port, `mf_rsa_entropy`: same words, same cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

START_WORDS = 1024
"""Words of the port that are tested before the seed, unless a build says otherwise."""
RESEED_WORDS = 64
"""Words made for each further word of the port, unless a build says otherwise."""
SEED_WORDS = 6
WARM_CYCLES = 37
"""1152 steps of 32 bits, and one for the first word."""

WORD_REPEATS = 4
WORD_WINDOW = 512
WORD_HITS = 5
LANE_WINDOW = 128
BIT_WINDOW = 4 * LANE_WINDOW
BIT_ONES = 432
EQUAL_BYTES = 6

_WORD = (1 << 32) - 1
_A, _B, _C, _KEY = ((1 << bits) - 1 for bits in (93, 84, 111, 80))


@dataclass(slots=True)
class Trivium:
    """The stream cipher, 32 steps at a time; its first bit is the highest one of a word.

    Source: C. De Canniere, B. Preneel, "Trivium", eSTREAM portfolio 2008.

    Attributes:
        a: s1 to s93, s1 in bit 0.
        b: s94 to s177.
        c: s178 to s288.

    >>> trivium = Trivium.seeded([0] * 6)
    >>> f"{trivium.step():08x}"
    'df07fd64'
    """

    a: int = 0
    b: int = 0
    c: int = 0

    @classmethod
    def seeded(cls, words: list[int]) -> Trivium:
        """The state after the steps without output."""
        made = cls()
        for index, word in enumerate(words):
            made.load(index, word)
        for _ in range(WARM_CYCLES - 1):
            made.step()
        return made

    def load(self, index: int, word: int) -> None:
        """One of the six words of key and IV, in order."""
        if index < SEED_WORDS // 2:
            self.a = (self.a << 32 | word) & _KEY
        else:
            self.b = (self.b << 32 | word) & _KEY
        self.c |= 7 << 108

    def step(self, absorbed: int = 0) -> int:
        """32 steps; a word is added to the new bits of the first register.

        Returns:
            The word of the keystream.
        """
        a, b, c = self.a, self.b, self.c
        t1, t2, t3 = a >> 34 ^ a >> 61, b >> 37 ^ b >> 52, c >> 34 ^ c >> 79
        f1 = t1 ^ (a >> 59 & a >> 60) ^ b >> 46
        f2 = t2 ^ (b >> 50 & b >> 51) ^ c >> 55
        f3 = t3 ^ (c >> 77 & c >> 78) ^ a >> 37
        self.a = (a << 32 | (f3 ^ absorbed) & _WORD) & _A
        self.b = (b << 32 | f1 & _WORD) & _B
        self.c = (c << 32 | f2 & _WORD) & _C
        return (t1 ^ t2 ^ t3) & _WORD


@dataclass(slots=True)
class Health:
    """Tests of the port's words, SP 800-90B 4.4, with the pipeline of `mf_rsa_entropy_health`.

    Attributes:
        ones_late: The parameter of the RTL.
    """

    ones_late: bool = False
    index: int = 0
    previous: int = 0
    first: int = 0
    lanes: int = 0
    run: int = 1
    hits: int = 0
    ones: int = 0
    failed: bool = False
    _due: list[bool] = field(default_factory=lambda: [False] * 4)  # failures on their way

    def step(self, word: int | None) -> None:
        """One cycle, with a new word or without one."""
        self.failed = self.failed or self._due[0]
        early = late = False
        if word is not None:
            early, late = self._test(word)
        last = [late, False] if not self.ones_late else [self._due[3], late]
        self._due = [self._due[1], self._due[2] or early, *last]

    def test(self, word: int) -> bool:
        """As `step` without the pipeline: whether this word ends in a failure."""
        early, late = self._test(word)
        return early or late

    def _test(self, word: int) -> tuple[bool, bool]:
        self.run = self.run + 1 if word == self.previous else 1
        if self.index == 0:
            self.first, self.hits = word, 0
        self.hits += word == self.first
        lane = self.index % LANE_WINDOW
        self.lanes = self.lanes | word ^ self.previous if lane else 0
        nibble = word >> 4 * (self.index & 7) & 0xF
        self.ones = (self.ones if lane else 0) + nibble.bit_count()
        end = lane == LANE_WINDOW - 1
        stuck = end and self.lanes != _WORD
        biased = end and max(self.ones, BIT_WINDOW - self.ones) >= BIT_ONES
        self.previous, self.index = word, (self.index + 1) % WORD_WINDOW
        return self.run >= WORD_REPEATS or self.hits >= WORD_HITS or stuck, biased


class Phase(Enum):
    """States of the control, as in the RTL."""

    START, SEED, WARM, READY, FAILED = range(5)


class Entropy:
    """The generator, cycle by cycle.

    Args:
        start_words, reseed_words, ones_late: Parameters of the RTL.
    """

    def __init__(
        self,
        start_words: int = START_WORDS,
        reseed_words: int = RESEED_WORDS,
        ones_late: bool = False,
    ) -> None:
        self._ones_late = ones_late
        self._limits = {
            Phase.START: start_words,
            Phase.SEED: SEED_WORDS,
            Phase.WARM: WARM_CYCLES + 1,  # the register that tells it to go on comes first
            Phase.READY: reseed_words,
            Phase.FAILED: reseed_words,
        }
        self._wipe()

    def _wipe(self) -> None:
        self.phase = Phase.START
        self._forget()
        self._held = False

    def _forget(self) -> None:
        self._trivium, self._health, self.data = Trivium(), Health(self._ones_late), 0
        self._noticed = False
        self._count, self._word, self._new = 0, 0, False
        self._held = True  # takes nothing more
        self._spare, self._steps = 0, False
        self._lows, self._equal, self._still = (0, 0), 0, False
        self._took: int | None = None

    @property
    def ready(self) -> bool:
        """A word of the port is taken in this cycle."""
        return not self._held

    @property
    def valid(self) -> bool:
        """`data` is a word that was not taken yet."""
        return self.phase is Phase.READY

    @property
    def seeded(self) -> bool:
        """The seed is there."""
        return self.phase in (Phase.READY, Phase.WARM)

    @property
    def failed(self) -> bool:
        """A test has failed since the last wipe."""
        return self.phase is Phase.FAILED

    def step(self, word: int | None, take: bool = False, wipe: bool = False) -> bool:
        """One cycle.

        Args:
            word: What the port offers.
            take: `data` is used.
            wipe: Forget everything; reset does the same.

        Returns:
            Whether the port's word was taken.
        """
        taken = word is not None and self.ready
        if wipe:
            self._wipe()
        elif self._noticed:
            self._forget()
            self._noticed = True
        else:
            self._clock(word if taken else None, take and self.valid)
        return taken

    def _clock(self, word: int | None, take: bool) -> None:
        phase, last = self.phase, self._count == self._limits[self.phase] - 1
        broken, self._noticed = self._health.failed or self._still, self.failed
        load = phase is Phase.SEED and self._held
        step = self._steps and phase in (Phase.WARM, Phase.READY)
        absorb = step and phase is Phase.READY and last and self._held
        self._health.step(self._word if self._new else None)
        self._watch(take)
        counts = phase is Phase.WARM or load or (phase is Phase.START and self._new)
        counts = counts or (step and (absorb or not last))
        if load:
            self._trivium.load(self._count, self._word)
        following = self._spare
        if step:
            following = self._trivium.step(self._word if absorb else 0)
        if take or phase is Phase.WARM:
            self.data = following
        if step:
            self._spare = following
        self._steps = take or phase is Phase.WARM
        self._new = word is not None
        if word is not None:
            self._word, self._held = word, phase is not Phase.START
        elif load or absorb:
            self._held = False
        if counts:
            self._count = 0 if last else self._count + 1
        if broken:
            self.phase = Phase.FAILED
        elif counts and last and phase is not Phase.READY:
            self.phase = Phase(phase.value + 1)

    def _watch(self, take: bool) -> None:
        """Low bytes of delivered words like that of the last but one; before `data` changes."""
        self._still = self._equal == EQUAL_BYTES
        if self._took is not None:
            self._equal = self._equal + 1 & 7 if self._took == self._lows[0] else 0
            self._lows = self._lows[1], self._took
        self._took = self.data & 0xFF if take else None


def generated_words(port: Callable[[], int]) -> Callable[[], int]:
    """What the generator delivers when its port always gives a word, without the cycles.

    Args:
        port: The words of the port, in order; asked for each one before the cycle that needs it.

    Returns:
        Gives the next word at each call. It does not look at the tests.
    """
    for _ in range(START_WORDS + 1):  # one more is on its way when the tests are over
        port()
    trivium = Trivium.seeded([port() for _ in range(SEED_WORDS)])
    held, count = port(), 0
    data = trivium.step()

    def take() -> int:
        nonlocal data, held, count
        given, count = data, count + 1
        if count == RESEED_WORDS:
            data, held, count = trivium.step(held), port(), 0
        else:
            data = trivium.step()
        return given

    return take
