# SPDX-License-Identifier: Apache-2.0
"""Numbers that pass every comparison: nan, and inf where there is no upper bound."""

from __future__ import annotations

import inspect
import math
from typing import get_args

import pytest
from typer.models import OptionInfo

from modfab.cli.main import app_of
from modfab.cli.options import finite, finite_or_endless
from modfab.cli.results_cmd import results_app
from modfab.errors import UsageError
from modfab.numbers import check_finite
from tests.support.cli import run_cli

ENDLESS = "synth --limit", "build --limit"
"""The options of which inf has a meaning."""

CHOOSE = "choose --op rsa2048-sign"
SYNTH = "synth --engine sos --bits 64 --target ecp5-25k --route"
BOARD = "build --board ulx3s-85f --core rsa --bits 512 -o new"


def float_options() -> dict[str, OptionInfo]:
    """The options of every command that are no whole numbers."""
    found: dict[str, OptionInfo] = {}
    for command in (*app_of().registered_commands, *results_app.registered_commands):
        assert command.callback is not None
        parameters = inspect.signature(command.callback, eval_str=True).parameters.values()
        for parameter in parameters:
            kind, *infos = get_args(parameter.annotation) or (None,)
            if float in (kind, *get_args(kind)):
                name = parameter.name.replace("_", "-")
                found |= {f"{command.name} --{name}": one for one in infos}
    return found


def test_every_option_refuses_nan() -> None:
    options = float_options()
    assert {f"{SYNTH.split()[0]} --freq", "choose --min-rate", "build --mhz"} < set(options)
    for name, option in options.items():
        assert option.callback is (finite_or_endless if name in ENDLESS else finite), name


@pytest.mark.parametrize(
    "line",
    [
        f"{SYNTH} --freq inf",
        f"{CHOOSE} --max-latency inf",
        "sweep none.toml --memory inf",
        "assess timing --time-limit 1e999",
        "assess leakage --noise inf",
    ],
)
def test_no_finite_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert run_cli(monkeypatch, *line.split()) == 2
    error = f"Expected a {line.split()[-2]} that is a finite number, but got inf; give one, or "
    assert capsys.readouterr().err == f"modfab: {error}leave it out.\n"


@pytest.mark.parametrize(
    "line",
    [
        f"{SYNTH} --freq nan",
        f"{SYNTH} --limit nan",
        f"{SYNTH} --seeds 1000000000000",
        f"{CHOOSE} --min-rate nan",
        f"{BOARD} --mhz nan",
        f"{BOARD} --mhz inf",
        f"{BOARD} --limit nan",
        f"{BOARD} --seeds 1000000000000",
        f"{BOARD} --first-seed 1000000000000",
        "serve --device model --job-limit nan",
        "serve --device model --job-limit inf",
        "assess leakage --noise nan",
    ],
)
def test_out_of_range(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    """By Typer or, where its version lets nan pass, by us."""
    assert run_cli(monkeypatch, *line.split()) == 2
    captured = capsys.readouterr()
    assert line.split()[-2] in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_every_typer_lets_pass(value: float) -> None:
    with pytest.raises(UsageError, match="Expected a --freq that is a finite number, but got "):
        check_finite(value, "--freq")
    check_finite(1e300, "--freq")
