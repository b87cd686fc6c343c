# SPDX-License-Identifier: Apache-2.0
"""Every engine and sequencer has all its files, and every folder with tests is collected."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, SEQUENCERS, Engine
from modfab.pages.studies import STUDIES
from modfab.paths import rtl_dir
from tests.contract.cases import cases_of

ROOT = Path(__file__).resolve().parent.parent


def missing(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths if not path.is_file()]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=list(ENGINES))
def test_engine_has_all_its_places(engine: Engine) -> None:
    name = engine.name
    folder = ROOT / "rtl" / "mul" / name
    wanted = [
        folder / f"mf_mul_{name}.sv",
        folder / "README.md",
        ROOT / "src" / "modfab" / "models" / f"mul_{name}.py",
        ROOT / "src" / "modfab" / "catalog" / f"mul_{name}.py",
        ROOT / "tests" / "rtl" / f"test_mul_{name}.py",
        ROOT / "tests" / "contract" / "cases" / f"{name}.py",
        *(rtl_dir() / file for file in engine.files),
    ]
    assert missing(wanted) == []
    assert engine.top == f"mf_mul_{name}"
    ids = [case.id for case in cases_of(name)]
    assert len(set(ids)) == len(ids) > 0
    listed = {Path(file).name for file in engine.files}
    listed |= {Path(engine.pair.file).name} if engine.pair else set()
    assert {path.name for path in folder.glob("*.sv")} <= listed, "engine.files misses RTL"


@pytest.mark.parametrize("name", SEQUENCERS)
def test_sequencer_has_all_its_places(name: str) -> None:
    wanted = [
        ROOT / "rtl" / "exp" / f"mf_exp_{name}.sv",
        ROOT / "src" / "modfab" / "models" / f"exp_{name}.py",
        ROOT / "src" / "modfab" / "catalog" / f"exp_{name}.py",
    ]
    assert missing(wanted) == []


def test_nothing_is_outside_the_catalogue() -> None:
    engines = {path.name for path in (rtl_dir() / "mul").iterdir() if path.is_dir()} - {"common"}
    sequencers = {path.stem.removeprefix("mf_exp_") for path in (rtl_dir() / "exp").glob("*.sv")}
    cases = {path.stem for path in (ROOT / "tests" / "contract" / "cases").glob("[!_]*.py")}
    assert engines == cases == set(ENGINES)
    assert sequencers == set(SEQUENCERS)
    assert set(STUDIES) <= set(ENGINES)


def test_numbers_are_unique() -> None:
    assert len({engine.engine_id for engine in ENGINES.values()}) == len(ENGINES)
    assert len({entry.sequencer_id for entry in SEQUENCERS.values()}) == len(SEQUENCERS)


def test_no_folder_with_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    patterns = pytestconfig.getini("norecursedirs")
    folders = {
        parent
        for place in map(ROOT.joinpath, pytestconfig.getini("testpaths"))
        for file in place.rglob("*.py")
        for parent in file.relative_to(place).parent.parts
        if parent != "__pycache__"
    }
    passed_over = {name for name in folders for pattern in patterns if fnmatch(name, pattern)}
    assert {"build", "rtl", "models"} <= folders
    assert passed_over == set()
