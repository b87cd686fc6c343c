# SPDX-License-Identifier: Apache-2.0
"""The launcher `./modfab` with tools/set-up; stubs for Python, pip, apt-get and the compiler."""

from __future__ import annotations

import importlib.util
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.launcher import ALL, APT, BASE, PYTHON, Machine, make_machine

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return make_machine(tmp_path)


def as_root(machine: Machine) -> None:
    machine.stub("id", "echo 0\n")
    machine.stub("apt-get", APT)


def test_first_start_sets_up_and_second_goes_straight_to_work(machine: Machine) -> None:
    first = machine.run("engines", "a b", EXIT_CODE="7")
    assert first.returncode == 7
    assert first.stdout == f"{Path.cwd()}|{machine.root}/src|engines|a b|"
    assert "making .venv" in first.stderr
    assert machine.calls("pip") == [f"pip {BASE}"]
    machine.calls_file.unlink()
    second = machine.run("engines", "a b")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    assert machine.calls("") == []


@pytest.mark.parametrize("relative", [False, True])
def test_starts_through_links_from_another_folder(
    machine: Machine, tmp_path: Path, relative: bool
) -> None:
    link, other = tmp_path / "link", tmp_path / "other"
    other.mkdir()
    (tmp_path / "inner").symlink_to(machine.root / "modfab")
    link.symlink_to("inner" if relative else machine.root / "modfab")
    result = machine.run("x", start=link, cwd=other)
    assert (result.returncode, result.stdout) == (0, f"{other}|{machine.root}/src|x|")
    assert machine.stamp().is_file()


def test_missing_compiler_prints_the_command_to_type(machine: Machine) -> None:
    (machine.bin / "c++").unlink()
    result = machine.run("demo")
    assert result.returncode == 3
    assert "lacks: g++." in result.stderr
    assert result.stderr.endswith("\n  sudo apt-get install --no-install-recommends g++\n")
    assert not (machine.root / ".venv").exists()


@pytest.mark.parametrize("apt_get", [False, True])
def test_everything_missing_is_one_command(machine: Machine, apt_get: bool) -> None:
    for name in ("c++", "make", "perl", "openssl"):
        (machine.bin / name).unlink()
    if apt_get:
        machine.stub("apt-get", APT)
        machine.stub("sudo", "exit 1\n")  # asks for a password
    result = machine.run("test", NO_ENSUREPIP="1", NO_LIBPYTHON="1")
    assert result.returncode == 3
    packages = "python3-venv g++ libpython3.11 make perl openssl"
    assert f"\n  sudo apt-get install --no-install-recommends {packages}\n" in result.stderr
    assert machine.calls("apt-get") == []


@pytest.mark.parametrize("too_old", [False, True])
def test_no_usable_python(machine: Machine, too_old: bool) -> None:
    if not too_old:
        (machine.bin / "python3").unlink()
    result = machine.run(PYTHON_TOO_OLD="1")
    assert result.returncode == 3
    assert "apt-get install --no-install-recommends python3 python3-venv\n" in result.stderr


def test_a_newer_python_beside_an_old_one_is_found(machine: Machine) -> None:
    machine.stub("python3", "exit 1\n")
    machine.stub("python3.12", PYTHON)
    assert machine.run().returncode == 0
    assert machine.stamp().is_file()


@pytest.mark.parametrize("sudo", [False, True])
def test_installs_packages_without_asking(machine: Machine, sudo: bool) -> None:
    as_root(machine)
    if sudo:
        machine.stub("id", "echo 1000\n")
        machine.stub("sudo", 'printf "sudo\\n" >>"$CALLS"; [ "$1" = -n ] && shift && exec "$@"\n')
    (machine.bin / "c++").unlink()
    result = machine.run("test", NO_ENSUREPIP="1", NO_LIBPYTHON="1")
    assert result.returncode == 0, result.stderr
    assert machine.calls("apt-get") == [
        "apt-get update [noninteractive]",
        "apt-get install -y --no-install-recommends python3-venv g++ libpython3.11"
        " [noninteractive]",
    ]
    assert bool(machine.calls("sudo")) is sudo


def test_stale_package_lists_are_no_obstacle(machine: Machine) -> None:
    as_root(machine)
    (machine.bin / "c++").unlink()
    result = machine.run(UPDATE_EXIT_CODE="100")
    assert result.returncode == 0
    assert "apt-get update failed" in result.stderr


def test_failing_apt_get_prints_the_command_to_type(machine: Machine) -> None:
    as_root(machine)
    (machine.bin / "c++").unlink()
    result = machine.run(INSTALL_EXIT_CODE="100")
    assert result.returncode == 3
    assert "installing failed" in result.stderr
    assert result.stderr.endswith("\n  sudo apt-get install --no-install-recommends g++\n")


def test_apt_get_that_does_not_help_is_reported(machine: Machine) -> None:
    as_root(machine)
    (machine.bin / "make").unlink()
    result = machine.run("test")
    assert result.returncode == 3
    assert "still lacks: make" in result.stderr


def test_other_machines_are_refused(machine: Machine) -> None:
    result = machine.run(MACHINE="Linux aarch64")
    assert result.returncode == 3
    assert "Linux on x86_64 only, and this is Linux aarch64" in result.stderr


def test_failed_install_is_tried_again_from_nothing(machine: Machine) -> None:
    result = machine.run(PIP='echo no network; : >"$(dirname "$0")/half"; exit 1')
    assert result.returncode == 3
    assert "no network" in result.stderr
    assert "Check the network, then start again." in result.stderr
    assert (machine.root / ".venv/bin/half").exists()
    assert machine.run("x").returncode == 0
    assert machine.calls("pip") == [f"pip {BASE}"] * 2
    assert not (machine.root / ".venv/bin/half").exists()


def test_killed_set_up_does_not_pass_for_complete(machine: Machine) -> None:
    started = subprocess.Popen(
        [machine.root / "modfab"],
        env=machine.environment(PIP="kill -9 0"),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert started.wait(timeout=60) == -signal.SIGKILL
    assert (machine.root / ".venv/bin/python").exists()
    assert not machine.stamp().exists()
    assert machine.run("x").returncode == 0
    assert machine.calls("pip") == [f"pip {BASE}"] * 2


def test_killed_pip_does_not_pass_for_complete(machine: Machine) -> None:
    result = machine.run(PIP="kill -9 $PPID; kill -9 $$")
    assert result.returncode == 3
    assert "installing the Python packages failed" in result.stderr
    assert not machine.stamp().exists()


PIP_LINES = "echo Collecting one==1; echo Collecting two==2; echo Installing collected packages"


def test_set_up_says_how_far_it_is(machine: Machine) -> None:
    result = machine.run("test", PIP=PIP_LINES)
    assert f"making .venv with the Python packages of {ALL} (1.4 GB, one or two" in result.stderr
    assert "downloaded 2 packages, unpacking them" in result.stderr
    assert "Collecting two==2\n" in (machine.root / "build/setup.log").read_text()


def test_the_rest_is_added_when_a_command_needs_it(machine: Machine) -> None:
    machine.run("demo")
    (machine.root / ".venv/kept").touch()
    result = machine.run("test")
    assert f"adding to .venv the Python packages of {ALL} (1.4 GB" in result.stderr
    machine.run("demo")
    machine.run("synth")
    assert machine.calls("pip") == [f"pip {BASE}", f"pip {ALL}"]
    assert (machine.root / ".venv/kept").exists()


def test_what_a_command_is_needs_no_more_than_the_demo(machine: Machine) -> None:
    machine.run("assess", "leakage", "--help")
    assert machine.calls("pip") == [f"pip {BASE}"]
    machine.run("python", "-c", "1", "--help")
    assert machine.calls("pip") == [f"pip {BASE}", f"pip {ALL}"]


def test_everything_at_once_serves_every_command(machine: Machine) -> None:
    machine.run("test")
    machine.run("demo")
    assert machine.calls("pip") == [f"pip {ALL}"]


def test_interrupted_addition_starts_from_nothing_but_the_demo_still_runs(machine: Machine) -> None:
    machine.run("demo")
    assert machine.run("test", PIP="exit 1").returncode == 3
    assert machine.run("demo").returncode == 0
    (machine.root / ".venv/half").touch()
    assert machine.run("test").returncode == 0
    assert machine.calls("pip") == [f"pip {BASE}", f"pip {ALL}", f"pip {ALL}"]
    assert not (machine.root / ".venv/half").exists()


def test_changed_full_lock_leaves_the_demo_alone(machine: Machine) -> None:
    machine.run("test")
    (machine.root / ALL).write_text("one==1\nthree==3\n", encoding="utf-8")
    machine.run("demo")
    assert machine.calls("pip") == [f"pip {ALL}"]
    machine.run("test")
    assert machine.calls("pip") == [f"pip {ALL}"] * 2


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_new_lock_that_cannot_be_installed_leaves_what_there_was(
    machine: Machine, interrupted: bool
) -> None:
    machine.run("test")
    (machine.root / ".venv/kept").touch()
    (machine.root / ALL).write_text("one==1\nthree==3\n", encoding="utf-8")
    if interrupted:
        machine.run("test", PIP="kill -9 $PPID; kill -9 $$")
    assert machine.run("test", PIP="exit 1").returncode == 3
    assert (machine.root / ".venv/kept").exists()
    assert machine.run("demo", PIP="exit 1").returncode == 0
    assert machine.run("test").returncode == 0
    assert not (machine.root / ".venv/kept").exists()
    assert not (machine.root / "build/old_venv").exists()


def test_only_a_command_that_needs_them_asks_for_make_perl_and_the_library(
    machine: Machine,
) -> None:
    for name in ("make", "perl", "openssl"):
        (machine.bin / name).unlink()
    assert machine.run("demo", NO_LIBPYTHON="1").returncode == 0
    assert machine.run("test", NO_LIBPYTHON="1").returncode == 3


def test_python_runs_in_the_environment_of_modfab(machine: Machine) -> None:
    result = machine.run("python", "-m", "modfab.pages.readme", "a b")
    assert result.returncode == 0
    bin_folder, path, *words = result.stdout.split("|")
    assert (bin_folder, path) == (f"{machine.root}/.venv/bin", f"{machine.root}/src")
    assert words == ["-m", "modfab.pages.readme", "a b", ""]
    assert machine.calls("pip") == [f"pip {ALL}"]


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "README.md"])
def test_modules_that_the_documents_run_exist_and_are_run_by_the_launcher(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    shown = re.findall(r"(\S+ )?python -m (modfab[\w.]*)", text)
    assert {start for start, _ in shown} <= {"`./modfab "}
    assert [module for _, module in shown if importlib.util.find_spec(module) is None] == []


def test_changed_lock_file_sets_up_again(machine: Machine) -> None:
    machine.run()
    (machine.root / BASE).write_text("two==2\n", encoding="utf-8")
    assert machine.run().returncode == 0
    assert machine.calls("pip") == [f"pip {BASE}"] * 2


def test_moved_checkout_sets_up_again(machine: Machine, tmp_path: Path) -> None:
    machine.run()
    moved = tmp_path / "moved"
    machine.root.rename(moved)
    assert machine.run(start=moved / "modfab").returncode == 0
    assert machine.calls("pip") == [f"pip {BASE}"] * 2


def test_first_starts_at_the_same_time_set_up_once(machine: Machine) -> None:
    started = [
        subprocess.Popen(
            [machine.root / "modfab"],
            env=machine.environment(PIP="sleep 0.5"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    ends = [process.communicate(timeout=60) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert machine.calls("pip") == [f"pip {BASE}"]
    assert sum("waiting for it" in stderr for _, stderr in ends) == 2
    assert all(stdout.endswith(f"{machine.root}/src|") for stdout, _ in ends)


def test_a_checkout_that_cannot_be_written(machine: Machine) -> None:
    (machine.root / "build").touch()  # root can write everywhere, but not into a file
    result = machine.run("demo")
    assert (result.returncode, "cannot write to it: it belongs" in result.stderr) == (3, True)
    assert not (machine.root / ".venv").exists()


@pytest.mark.parametrize(("given", "left"), [(0, "0022"), (0o002, "0022"), (0o077, "0077")])
def test_others_may_not_write(machine: Machine, given: int, left: str) -> None:
    """What a user's own mask forbids stays forbidden."""
    machine.run("demo")
    words, environment = [str(machine.root / "modfab"), "umask"], machine.environment()
    done = subprocess.run(
        words, env=environment, umask=given, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{left}\n"
