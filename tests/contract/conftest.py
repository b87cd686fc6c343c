# SPDX-License-Identifier: Apache-2.0
"""The engine of every case, for all tests of the contract."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.bench import Bench
from tests.contract.cases import Subject, subjects
from tests.support.shapes import shape_draw

WAVES = Path("build/waves")


def _parameter(subject: Subject) -> object:
    marks = [pytest.mark.full] if subject.case.full else []
    return pytest.param(subject, id=subject.id, marks=marks)


@pytest.fixture(scope="module", params=[_parameter(subject) for subject in subjects()])
def built(request: pytest.FixtureRequest) -> Iterator[Bench]:
    subject: Subject = request.param
    params = subject.resolve(shape_draw(request.config, subject.id))
    seed = random.Random(f"{os.environ['MODFAB_SEED']}:{subject.id}").getrandbits(32)
    bench = Bench(subject.engine, params, seed)
    yield bench
    bench.rtl.close()


@pytest.fixture
def bench(built: Bench, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The engine freshly wiped; a failing test leaves a waveform of all it did."""
    built.rtl.forget()
    built.rtl.wipe(zeroize=False)
    built.model.zeroize()
    built.choose_words(built.model.num_words)
    failed_before = request.session.testsfailed
    yield built
    if request.session.testsfailed > failed_before:
        wave = (WAVES / f"{request.node.name}.vcd").resolve()
        wave.parent.mkdir(parents=True, exist_ok=True)
        built.rtl.replay(wave)
        words = re.split(r"[\[\]]", request.node.name)
        seed = os.environ["MODFAB_SEED"]
        print(f"NumBits = {built.num_bits}; waveform: {wave}")
        print(f"repeat: MODFAB_SEED={seed} ./modfab test -k '{words[0]} and {words[1]}'")
