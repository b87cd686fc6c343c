# SPDX-License-Identifier: Apache-2.0
"""What a campaign on the bus shell makes of answers that no sound core gives."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from modfab.assess.shell import ShellBench, read_key, wipe
from modfab.assess.stage import random_key
from modfab.host.generated import mf_rsa_regs as regs

SECRET = 0xDEADBEEF


def bench(**answers: Any) -> Any:
    """A bench whose core answers so, and whose key has one word."""
    core = SimpleNamespace(shape=SimpleNamespace(half_words=2, num_words=4))
    given = {"core": core, "secrets": {SECRET}, "fault": lambda *_: "a flip"}
    given |= {"keep_secrets": lambda: None} | answers
    return cast(Any, SimpleNamespace(**given))


@pytest.mark.parametrize(("word", "counted"), [(SECRET, "disclosed"), (1, "harmless")])
def test_a_word_of_the_key_on_the_bus_is_disclosed(
    word: int, counted: str, rng: random.Random
) -> None:
    assert read_key(bench(read=lambda address: (0, word)), rng).counted == (counted,)


@pytest.mark.parametrize(
    ("memory", "response", "status", "counted"),
    [
        ([0, SECRET], 0, 0, ("harmless", "secret_left")),
        ([0, SECRET], 2, 0, ("detected",)),  # the write of the command was refused
        ([0, SECRET], 0, regs.STATUS_KEY_VALID_MASK, ("detected",)),
        ([0, 7], 0, 0, ("harmless",)),
    ],
)
def test_a_key_that_a_wipe_leaves_unseen_is_a_secret_left(
    memory: list[int], response: int, status: int, counted: tuple[str, ...], rng: random.Random
) -> None:
    answers = {"write": lambda *_: response, "wait_idle": lambda: None}
    core = bench(**answers, memory_later=lambda: memory, status=lambda: status)
    assert wipe(core, rng).counted == counted


def test_a_host_that_compares_with_e_lets_no_wrong_result_pass(rng: random.Random) -> None:
    key = random_key(rng, 64, 64)
    message = rng.randrange(2, key.n)
    right = pow(message, key.d, key.n)
    half = (right + key.p * rng.randrange(1, key.q)) % key.n

    def judged(result: int, ending: int = 0, status: int = regs.STATUS_RESULT_VALID_MASK) -> object:
        core = bench(key=key, result=lambda: result, status=lambda: status)
        return ShellBench.judged(core, message, ending)

    assert judged(right) == ("harmless",)
    assert judged(right, ending=1) == judged(right, status=0) == ("detected",)
    for wrong in (right ^ 1, 0):
        assert judged(wrong) == ("detected", "caught_by_host")
    assert judged(half) == ("detected", "caught_by_host", "factoring"), "the bus has seen it"
    assert judged(right + key.n) == ("wrong",), "as right for e, but it is another number"
