# SPDX-License-Identifier: Apache-2.0
"""The lock files, and the wheel: complete, and running away from the checkout."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import tomli
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from modfab import __version__

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
BASE_LOCK = (ROOT / "requirements-base.lock").read_text(encoding="utf-8")
LOCKS = {"all": LOCK, "base": BASE_LOCK}

# Environment that runs the package of this checkout.
SOURCE = os.environ | {"PYTHONPATH": str(ROOT / "src")}

# One locked package: its requirement, then one line per hash.
ENTRY = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?: ; (?P<marker>[^\\\n]+))? "
    r"\\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
    re.MULTILINE,
)


def project() -> dict[str, Any]:
    data = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = data["project"]
    return table


def wanted(lock: str = "all") -> list[str]:
    extras = project()["optional-dependencies"] if lock == "all" else {}
    return [*project()["dependencies"], *(line for extra in extras.values() for line in extra)]


def run(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_is_a_pinned_package_with_hashes(lock: str) -> None:
    rest = re.sub(r"^ *#.*\n", "", ENTRY.sub("", LOCKS[lock]), flags=re.MULTILINE)
    assert rest.strip() == ""


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_address(lock: str) -> None:
    assert "://" not in LOCKS[lock]
    assert not re.search(r"^ *--(?!hash=)", LOCKS[lock], re.MULTILINE)


def test_base_lock_is_a_part_of_the_other() -> None:
    """So what it installs stays as it is when the rest is added."""
    base, every = (
        {(match["name"], match["version"], match["hashes"]) for match in ENTRY.finditer(text)}
        for text in (BASE_LOCK, LOCK)
    )
    assert base < every, "run tools/update-lock"


def locked(lock: str, name: str, environment: dict[str, str]) -> list[str]:
    """Versions of one package that a lock gives to a Python."""
    texts = (match[0].split(" \\")[0] for match in ENTRY.finditer(LOCKS[lock]))
    entries = map(Requirement, texts)
    return [
        pin.version
        for entry in entries
        if entry.name == canonicalize_name(name)
        and (entry.marker is None or entry.marker.evaluate(environment))
        for pin in entry.specifier
    ]


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
@pytest.mark.parametrize("lock", LOCKS)
def test_lock_covers_every_dependency(lock: str, python: str) -> None:
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_machine": "x86_64",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    requirements = [Requirement(line) for line in wanted(lock)]
    uncovered = [
        str(requirement)
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate(environment)
        if [requirement.specifier.contains(v) for v in locked(lock, requirement.name, environment)]
        != [True]
    ]
    assert uncovered == [], "run tools/update-lock"


def test_every_dependency_says_why() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    dependencies = [line for line in lines if re.match(r' +"[a-z0-9-]+[>;]', line)]
    assert len(dependencies) == len(wanted())
    assert [line for line in dependencies if not re.search(r'",\s+# \w', line)] == []


COMES_WITH = {"markupsafe": "jinja2", "systemrdl": "peakrdl"}
"""Modules that belong to a dependency's own interface -> that dependency."""


def imported(path: Path) -> set[str]:
    """Top names of the modules that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


def test_every_import_is_a_dependency() -> None:
    """Not of another package, which may go without it one day."""
    groups = (project()["dependencies"], project()["optional-dependencies"]["flow"])
    listed = {canonicalize_name(Requirement(line).name) for group in groups for line in group}
    names = set().union(*map(imported, (ROOT / "src").rglob("*.py")))
    owners = importlib.metadata.packages_distributions()
    missing = {
        name: owners.get(name)
        for name in names - sys.stdlib_module_names - {"modfab"}
        if listed.isdisjoint(map(canonicalize_name, owners.get(name, ())))
        and COMES_WITH.get(name) not in listed
    }
    assert missing == {}


# Runs modfab in a Python that cannot import anything but what the named distributions hold.
ONLY = """
import importlib.metadata, runpy, sys
names = set(sys.argv.pop(1).split(","))
for module, owners in importlib.metadata.packages_distributions().items():
    if names.isdisjoint(owner.lower().replace("_", "-") for owner in owners):
        sys.modules.setdefault(module, None)
runpy.run_module("modfab", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "command",
    [
        "demo --device model --bits 1024",
        "bench --op rsa512-sign --device model --no-openssl",
        "powmod --engine sos --bits 64 --mod 0xc5 --base 0x12 --exp 3 --device model",
        "compare --paper liao-chen",
        "engines",
        "results list",
    ],
)
def test_base_lock_is_enough_for(command: str, tmp_path: Path) -> None:
    names = ",".join(match["name"] for match in ENTRY.finditer(BASE_LOCK))
    environment = SOURCE | {"MODFAB_DATA": str(tmp_path)}
    run(sys.executable, "-c", ONLY, names, *command.split(), env=environment, cwd=tmp_path)


def test_a_missing_package_is_named() -> None:
    """Exit code 1 would tell a script that a signature is not valid."""
    words = [sys.executable, "-c", ONLY, "rich", "verify"]
    done = subprocess.run(words, env=SOURCE, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "needs the Python package typer, which is not installed" in done.stderr


def test_base_lock_is_not_enough_for_a_plot(tmp_path: Path) -> None:
    names = ",".join(match["name"] for match in ENTRY.finditer(BASE_LOCK))
    words = ("-c", ONLY, names, "rank", "--plot", "x.svg")
    with pytest.raises(AssertionError, match="matplotlib"):
        run(sys.executable, *words, env=SOURCE, cwd=tmp_path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (made,) = folder.iterdir()
    return made


def test_wheel_holds_the_package_and_every_rtl_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    rtl = {f"modfab/{path.relative_to(ROOT)}" for path in (ROOT / "rtl").rglob("*.*")}
    files = [path for path in (ROOT / "src").rglob("*.*") if path.is_file()]
    results = {f"modfab/{path.relative_to(ROOT)}" for path in (ROOT / "results").rglob("*.*")}
    package = {str(path.relative_to(ROOT / "src")) for path in files if path.suffix != ".pyc"}
    assert rtl <= names
    assert results <= names
    assert package <= names
    assert wheel.name == f"modfab-{__version__}-py3-none-any.whl"
    assert not [name for name in names if not name.startswith(("modfab/", "modfab-"))]


def test_wheel_finds_its_rtl_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    code = "from modfab import paths; print(paths.checkout_dir(), paths.rtl_dir(), sep='|')"
    printed = run(sys.executable, "-c", code, env=environment, cwd=tmp_path)
    assert printed.strip() == f"None|{tmp_path}/site/modfab/rtl"
    words = "mul --engine bit_serial --bits 16 --mod 0xc5 --a 0x12 --b 0x34 --json".split()
    answer = json.loads(run(sys.executable, "-m", "modfab", *words, env=environment, cwd=tmp_path))
    assert int(answer["result"], 16) == 0x12 * 0x34 * pow(2, -answer["r_bits"], 0xC5) % 0xC5


@pytest.mark.parametrize(
    "command",
    [
        "demo --device model --bits 1024",
        "build --engine bit_serial --bits 64 -o core",
        "rank",
        "compare --paper liao-chen",
        "choose --op rsa2048-sign",
    ],
)
def test_wheel_runs_away_from_the_checkout(command: str, wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "site"),
        "MODFAB_DATA": str(tmp_path / "data"),
    }
    words = (sys.executable, "-m", "modfab", *command.split())
    done = subprocess.run(
        words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    nothing_fits = command.startswith("choose") and done.returncode == 1
    assert done.returncode == 0 or nothing_fits, done.stderr
    assert done.stdout


def test_suite_is_refused_outside_a_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-m", "modfab", "test"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "clone the repository and run ./modfab test in it." in done.stderr


@pytest.mark.full
def test_pip_install_gives_the_command(tmp_path: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    python = tmp_path / "venv/bin/python"
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    run(python, "-m", "pip", "install", "--quiet", ROOT, env=environment, cwd=tmp_path)
    modfab = tmp_path / "venv/bin/modfab"
    words = ("engines", "--json")
    output = run(modfab, *words, env=environment, cwd=tmp_path)
    assert output == run(sys.executable, "-m", "modfab", *words, env=SOURCE, cwd=ROOT)
    with pytest.raises(AssertionError, match=r"modfab: This command needs .* jinja2, .*\[flow\]"):
        run(modfab, "report", "-o", "report", env=environment, cwd=tmp_path)
    run(python, "-m", "pip", "install", "--quiet", f"{ROOT}[flow]", env=environment, cwd=tmp_path)
    own = {"MODFAB_DATA": str(tmp_path / "data"), "MODFAB_CACHE": str(tmp_path / "cache")}
    for command in (
        "demo --bits 1024",
        "build --engine bit_serial --bits 64 -o core",
        "rank",
        "compare --paper liao-chen",
        "report -o report",
    ):
        assert run(modfab, *command.split(), env=environment | own, cwd=tmp_path)
    assert (tmp_path / "core").is_dir()
    assert "Nothing fits" not in run(
        modfab, "choose", "--op", "rsa2048-sign", env=environment | own, cwd=tmp_path
    )
    assert (tmp_path / "report/index.html").is_file()


def test_the_citation_names_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {__version__}" in lines
