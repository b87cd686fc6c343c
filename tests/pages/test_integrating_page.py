# SPDX-License-Identifier: Apache-2.0
"""docs/integrating.md: random words that an operation uses, and that the port takes."""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import ENTROPY_CYCLES, rsa_core_of
from modfab.host.rsa_open import open_rsa_device
from modfab.models.rsa.entropy import RESEED_WORDS, SEED_WORDS, START_WORDS
from modfab.paths import docs_dir
from modfab.report.bench import random_key


def words_used(monkeypatch: pytest.MonkeyPatch, address_blinding: bool) -> int:
    """Random words of one RSA-2048 signature on the dual-port engine."""
    taken = []

    def word(bits: int) -> int:
        taken.append(bits)
        return random.getrandbits(bits)

    monkeypatch.setattr("modfab.host.rsa_model.secrets.randbits", word)
    options = {"engines": 2, "pair": 1, "address_blinding": int(address_blinding)}
    core = rsa_core_of("qp_systolic", 2048, {"Contexts": 1}, "ladder", options)
    with open_rsa_device("model", core) as device:
        device.load_key(random_key(2048))
        taken.clear()
        device.private(3)
    return len(taken)


def test_random_words(monkeypatch: pytest.MonkeyPatch) -> None:
    page = " ".join((docs_dir() / "integrating.md").read_text(encoding="utf-8").split())
    plain, masked = (words_used(monkeypatch, choice) for choice in (False, True))
    for text in (
        f"tests {START_WORDS:,} words and seeds its generator with the next {SEED_WORDS}",
        f"one for every {RESEED_WORDS} that it uses: an RSA-2048 signature uses {plain}, "
        f"with address blinding {masked}",
        f"{ENTROPY_CYCLES:,} cycles",
    ):
        assert text in page
