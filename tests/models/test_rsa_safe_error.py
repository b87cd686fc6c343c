# SPDX-License-Identifier: Apache-2.0
"""Safe errors: a fault in a product that nobody reads says that a bit of the exponent is 0.

Source: S. Yen, M. Joye, "Checking before output may not be enough against fault-based
cryptanalysis", IEEE Transactions on Computers 49(9), 2000.
"""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.models.engine import Command, CommandResult, Op
from modfab.models.exp_r2l import ACC, POWER, SINK
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.machine import RsaModel
from tests.support.rsa_core import Key, load, make_key, make_model, ok, operate

HALF = 64
ROUNDS = 2


def core(words: int, *, hardened: bool) -> RsaCore:
    return rsa_core("bit_serial", HALF, sequencer="r2l", exponent_words=words, hardened=hardened)


class Attacker:
    """One fault for each operation: in the product of the accumulator of one chosen bit."""

    def __init__(self, model: RsaModel, key: Key, patch: pytest.MonkeyPatch) -> None:
        self.model, self.key = model, key
        self._run = model.engine.run
        self._left = 0
        patch.setattr(model.engine, "run", self._hurt)

    def _hurt(self, command: Command) -> CommandResult:
        result = self._run(command)
        if command.op is Op.MUL and command.dst0 in (ACC, SINK) and command.b == POWER:
            if self._left == 0:
                self.model.engine.slots[command.dst0] ^= 1
            self._left -= 1
        return result

    def bits(self, message: int) -> int:
        """What the endings say of the first exponentiation, that modulo q; one operation a bit."""
        found = 0
        for place in range(HALF):
            self._left = place
            status = operate(self.model, self.key, message).status
            assert status in (RsaStatus.OK, RsaStatus.FAULT)
            found |= (status is RsaStatus.FAULT) << place
        self._left = -1
        ok(operate(self.model, self.key, message))
        return found


def attacked(
    config: RsaCore, rng: random.Random, patch: pytest.MonkeyPatch
) -> tuple[int, list[int]]:
    """dQ, and what each round of the attack takes for it."""
    model, key = make_model(config, lambda: rng.getrandbits(32)), make_key(rng, HALF, HALF)
    ok(load(model, key))
    attacker = Attacker(model, key, patch)
    message = rng.randrange(2, key.n)
    return key.d % (key.q - 1), [attacker.bits(message) for _ in range(ROUNDS)]


@pytest.mark.parametrize("hardened", [True, False], ids=["hardened", "basic"])
def test_without_exponent_blinding_every_bit_shows(
    hardened: bool, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No build has this by default; only `exponent_words=0` asks for it."""
    secret, found = attacked(core(0, hardened=hardened), rng, monkeypatch)
    assert found == [secret] * ROUNDS


@pytest.mark.parametrize(("words", "hardened"), [(2, True), (1, False)], ids=["hardened", "basic"])
def test_the_named_builds_show_other_bits_each_time(
    words: int, hardened: bool, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault meets the blinded exponent of its own operation, a new one each time."""
    secret, found = attacked(core(words, hardened=hardened), rng, monkeypatch)
    right = sum(HALF - (bits ^ secret).bit_count() for bits in found)
    assert right < 102, "128 bits: 64 by guessing, 102 by chance once in 10^11"
    assert len(set(found)) == ROUNDS
