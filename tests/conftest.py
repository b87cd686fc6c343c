# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of every test: `--full`, one printed seed, failures named at once."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
from collections import Counter
from collections.abc import Generator

import hypothesis
import pytest

from modfab.errors import CacheError
from tests.support.answers import ASK_AGAIN, PLACE, folder
from tests.support.shapes import shape_draw

SEED_VARIABLE = "MODFAB_SEED"
DURATION = (
    "The whole suite takes about 15 minutes on two cores (12 to 20) when simulators and answers of "
    "tools are in the cache, about an hour at first, several hours with --full."
)


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
    if config.getoption("--full"):
        os.environ[ASK_AGAIN] = "1"
    with contextlib.suppress(CacheError):  # said by what needs the cache
        os.environ.setdefault(PLACE, str(folder()))
    config.pluginmanager.register(FailureNames(config), "failure-names")


class FailureNames:
    """Names each failure when it happens: between the dots, and also with several processes."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print one line for a failure; xdist's workers have no terminal."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None or not report.failed or self._config.get_verbosity() > 0:
            return
        what = "FAILED" if report.when == "call" else f"ERROR in {report.when} of"
        crash = getattr(report.longrepr, "reprcrash", None)
        why = crash.message.partition("\n")[0][:200] if crash else "see below"
        terminal.write(f"\n{what} {report.nodeid} - {why}\n", red=True)


def pytest_report_header() -> list[str]:
    """Print the seed and the suite's duration at the start of every run."""
    return [f"seed: {SEED_VARIABLE}={os.environ[SEED_VARIABLE]}", DURATION]


@pytest.hookimpl(trylast=True)  # what -k and -m leave
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the long cases unless `--full` is given; begin with the longest test of all.

    That one runs every command of two pages. Begun last, it leaves the other worker without work.
    Of a test's long cases one is left, which tells how many they are: each skip takes its time.
    """
    items.sort(key=lambda item: item.path.name != "test_readme.py")
    if config.getoption("--full"):
        return
    cases = Counter(test_of(item) for item in items if item.get_closest_marker("full"))
    left = []
    for item in items:
        number = cases.pop(test_of(item), 0) if item.get_closest_marker("full") else None
        if number:
            what = "long case" if number == 1 else f"{number} long cases"
            item.add_marker(pytest.mark.skip(reason=f"{what}, run by `./modfab test --full`"))
        if number != 0:
            left.append(item)
    items[:] = left


def test_of(item: pytest.Item) -> str:
    """A test's name without its parameters."""
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Repeat the seed beside every failure."""
    report = yield
    if report.failed:
        seed = os.environ.get(SEED_VARIABLE, "not set by this test")
        report.sections.append(("seed", f"{SEED_VARIABLE}={seed}"))
    return report


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this one test: they depend on the printed seed and on the test's name."""
    return random.Random(f"{os.environ[SEED_VARIABLE]}:{request.node.nodeid}")


@pytest.fixture
def shape_rng(request: pytest.FixtureRequest) -> random.Random:
    """Draws the parameters of what this test builds."""
    return shape_draw(request.config, request.node.nodeid)
