# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of every test: `--full`, and one printed seed for all random data."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Generator

import hypothesis
import pytest

SEED_VARIABLE = "MODFAB_SEED"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--full`, which runs the long cases too."""
    parser.addoption("--full", action="store_true", help="run the long cases too")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed once, before the workers of xdist start and inherit it."""
    seed = int(os.environ.setdefault(SEED_VARIABLE, str(secrets.randbelow(2**32))))
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(seed)
    # No deadline: on a busy machine a first call that compiles may take any time.
    hypothesis.settings.register_profile("default", deadline=None, max_examples=50)
    hypothesis.settings.register_profile("full", deadline=None, max_examples=500)
    hypothesis.settings.load_profile("full" if config.getoption("--full") else "default")


def pytest_report_header() -> str:
    """Print the seed at the start of every run."""
    return f"seed: {SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the long cases unless `--full` is given."""
    if config.getoption("--full"):
        return
    skip = pytest.mark.skip(reason="long case, run by `./modfab test --full`")
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(skip)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Repeat the seed beside every failure."""
    report = yield
    if report.failed:
        report.sections.append(("seed", f"{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"))
    return report


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this one test: they depend on the printed seed and on the test's name."""
    return random.Random(f"{os.environ[SEED_VARIABLE]}:{request.node.nodeid}")
