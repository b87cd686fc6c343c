# SPDX-License-Identifier: Apache-2.0
"""A package stands alone: its bench runs, it lints, it synthesizes, its descriptions fit."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.errors import ToolError, UsageError
from modfab.flow.floorplan import floorplan_of
from modfab.flow.store import Store
from modfab.flow.targets import get_target
from modfab.flow.tools import Job, Progress
from modfab.models.generated.status import Status
from modfab.package.bench import vectors_of
from modfab.package.component import VENDOR
from modfab.package.flat import flat_verilog
from modfab.package.ip import IpPackage
from modfab.package.package import package_files, write_package
from modfab.package.readme import UNMEASURED, UNROUTABLE
from tests.flow.test_store import record
from tests.package.checks import SPIRIT, compile_driver, component_of, flip_flops, names_in
from tests.support.cli import run_cli
from tests.support.eda import distribution_tool
from tests.support.fusesoc import kept_fusesoc

NAME = "small_core"
CONFIG = modexp_core("bit_serial", 40, {"BitsPerClock": 2}, exp_bits=36)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package alone in a folder of its own."""
    place = tmp_path_factory.mktemp("alone") / "package"
    write_package(IpPackage(CONFIG, NAME), place)
    return place


def asked(folder: Path, target: str, work: Path) -> str:
    """Run a target of the package's core file, in another folder."""
    return kept_fusesoc(folder, f"modfab:ip:{NAME}", target, work)


def check_found(folder: Path, work: Path, old: str, new: str, said: str) -> None:
    """A bench with `new` in place of the first `old` fails, and says what is wrong."""
    distribution_tool("iverilog", "iverilog")
    broken = work / "broken"
    shutil.copytree(folder, broken)
    bench = broken / "sim" / f"{NAME}_tb.v"
    text = bench.read_text()
    assert old in text
    bench.write_text(text.replace(old, new, 1))
    with pytest.raises(AssertionError, match=rf"FAIL operation \d: {said} is"):
        asked(broken, "sim", work)


SIMULATORS = {"icarus": "sim", "verilator": "sim_verilator"}


@pytest.fixture
def sim_target() -> str:
    """The quicker simulator when it is installed, else the one that always is."""
    return SIMULATORS["icarus" if shutil.which("iverilog") else "verilator"]


def test_bench_passes(folder: Path, tmp_path: Path, sim_target: str) -> None:
    assert f"PASS: 4 operations of {NAME}" in asked(folder, sim_target, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_bench_passes_in_every_simulator(folder: Path, tmp_path: Path, simulator: str) -> None:
    if simulator == "icarus":
        distribution_tool("iverilog", "iverilog")
    assert f"PASS: 4 operations of {NAME}" in asked(folder, SIMULATORS[simulator], tmp_path)


@pytest.mark.parametrize("more", [{}, {"QuotientTables": 1, "LoadSum": 1, "FactorSlots": 16}])
def test_flat_bench_of_the_flagship_passes_in_icarus(tmp_path: Path, more: dict[str, int]) -> None:
    """Its array adds to what it holds: one unknown bit at the start would stay for ever."""
    distribution_tool("iverilog", "iverilog")
    config = modexp_core("qp_systolic", 64, more, "window5", exp_bits=36)
    write_package(IpPackage(config, NAME), tmp_path / "package")
    assert f"PASS: 4 operations of {NAME}" in asked(tmp_path / "package", "sim", tmp_path)


@pytest.mark.parametrize("wrong", ["cycles", "result", "status"])
def test_bench_finds_what_is_wrong(folder: Path, tmp_path: Path, wrong: str) -> None:
    good = vectors_of(CONFIG)[1]
    old, new, said = {
        "cycles": (f"64'd{good.cycles}", f"64'd{good.cycles + 1}", "number of cycles"),
        "result": (f"64'h{good.result:x}", f"64'h{good.result ^ 1 << 33:x}", "word of the result"),
        "status": (", 1, 64'd0", ", 2, 64'd0", "status"),
    }[wrong]
    check_found(folder, tmp_path, old, new, said)


def test_package_lints(folder: Path, tmp_path: Path) -> None:
    asked(folder, "lint", tmp_path)


def test_package_synthesizes(folder: Path) -> None:
    assert flip_flops(folder, NAME) > 40 * 4


def test_driver_of_the_package_compiles(folder: Path, tmp_path: Path) -> None:
    assert compile_driver(folder, tmp_path) == {"modfab_bus.c", "modfab.c"}


def test_ip_xact_names_every_port_file_and_register(folder: Path) -> None:
    root = component_of(folder, NAME)
    assert len(names_in(root, "port")) == 22
    names = {found.text for found in root.iter(f"{SPIRIT}name")}
    assert {"ID", "STATUS", "EXP_CYCLES_LO", "MODULUS"} <= names
    assert [found.text for found in root.iter(f"{SPIRIT}modelName")] == [NAME]


def test_vivado_script_and_constraints_use_what_is_there(folder: Path) -> None:
    script = (folder / "vivado" / "package_ip.tcl").read_text()
    assert script.count("{") == script.count("}")
    for name in re.findall(r"\$root/([\w./]+)", script):
        assert (folder / name).is_file()
    period = "create_clock -name clk -period 10.000 [get_ports s_axi_aclk]"
    assert period in (folder / "constraints" / f"{NAME}.xdc").read_text()
    assert period in (folder / "constraints" / f"{NAME}.sdc").read_text()
    lpf = (folder / "constraints" / f"{NAME}.lpf").read_text()
    assert 'FREQUENCY PORT "s_axi_aclk" 100 MHZ;' in lpf


def test_datasheet_of_an_unmeasured_core_says_so(folder: Path) -> None:
    for name in ("datasheet.md", "datasheet.html"):
        page = (folder / "doc" / name).read_text()
        assert "Nothing was measured" in page
        assert "EXP_CYCLES_LO" in page
        assert "s_axi_awaddr" in page
        cycles = CONFIG.sequencer.exp_cycles(CONFIG.engine, CONFIG.params, (1 << 36) - 1, 36)
        assert f"{cycles:,}" in page
    ElementTree.fromstring((folder / "doc" / "blocks.svg").read_text())


def test_datasheet_shows_what_was_measured() -> None:
    base = record()
    request = replace(base.request, level="modexp_axil")
    records = [replace(base, request=request)]
    records += [
        replace(
            base,
            request=replace(request, seed=seed, freq_mhz=200.0),
            mhz=mhz,
            tools={"nextpnr-ecp5": "0.12 native"},
        )
        for seed, mhz in ((1, 80.0), (2, 90.0), (3, 100.0))
    ]
    config = modexp_core("bit_serial", 64)
    files = package_files(IpPackage(config, "core", get_target("ecp5-85k"), records, "<svg/>"))
    page = files["doc/datasheet.md"]
    row = "Lattice ECP5 LFE5U-85F, speed grade 8 | 100 | 50 | 2 | 1 | 90.0 | 1, 2, 3 |"
    row += " nextpnr-ecp5 0.12 native |"
    assert "| product | 66 | 0.73 |" in page
    assert f"| modexp_axil | {row}" in page
    assert "us at 90 MHz (level modexp_axil, 3 seeds, ecp5-85k)" in page
    assert files["doc/floorplan.svg"] == "<svg/>"
    assert "-period 11.111" in files["constraints/core.sdc"]
    assert "90 MHz (level modexp_axil, 3 seeds, ecp5-85k)" in files["constraints/core.sdc"]
    generic = package_files(IpPackage(config, "core", None, records))
    assert f"| modexp_axil | {row}" in generic["doc/datasheet.md"]
    assert "| us (not routed) |" in generic["doc/datasheet.md"]
    assert "--target builds such a package" in generic["doc/datasheet.md"]
    assert "routed with the primitives of a device only" in generic["constraints/core.sdc"]
    assert "-period 10.000" in generic["constraints/core.sdc"]


def test_an_engine_alone_gives_a_package_no_clock_and_no_times() -> None:
    config = modexp_core("bit_serial", 64)
    files = package_files(IpPackage(config, "core", None, [record(seed=1, mhz=66.0)]))
    page = files["doc/datasheet.md"]
    assert "| us (not routed) |" in page
    assert "| product | 66 | - |" in page
    words = "modfab synth --engine bit_serial --bits 64 --level modexp_axil --sequencer ladder"
    assert f"has no times; `{words} --target ecp5-85k --route` measures it" in page
    assert "-period 10.000" in files["constraints/core.sdc"]
    assert "100 MHz (a request: this core was not routed)" in files["constraints/core.sdc"]
    core = replace(record(seed=1, mhz=50.0).request, level="modexp_axil", target="ecp5-45k")
    other = [record(request=core, mhz=50.0)]
    chosen = IpPackage(config, "core", get_target("ecp5-25k"), other)
    assert "| us (not routed) |" in package_files(chosen)["doc/datasheet.md"]


def test_a_target_without_a_router_is_never_told_to_route() -> None:
    """`modfab synth` finds the area there, and no frequency."""
    config, target = modexp_core("bit_serial", 64), get_target("xc7")
    words = "modfab synth --engine bit_serial --bits 64 --level modexp_axil --sequencer ladder"
    for records, text in (
        ([], f"; `{words} --target xc7` measures the area; there is no open router for this"),
        ([record(seed=1, mhz=66.0)], "There is no open router for this target, so the core has no"),
    ):
        files = package_files(IpPackage(config, "core", target, records))
        assert text in files["doc/datasheet.md"]
        assert UNROUTABLE in files["README.md"]
        assert UNMEASURED not in files["README.md"]


def test_vendor_primitives_come_with_models_for_simulation() -> None:
    config = modexp_core("sos", 64)
    files = package_files(IpPackage(config, "core", get_target("ecp5-25k")))
    models = {name for name in files if name.startswith("sim/") and name.endswith(".sv")}
    assert {Path(name).stem for name in models} == {"MULT18X18D", "DP16KD", "PDPW16KD"}
    assert "u_tiles" in files["rtl/mf_prim_mul.sv"]
    for name in models:
        assert Path(name).stem not in files["core.f"] + files["sim/core_flat.v"]
        assert name in files["core.core"]


def test_vectors_are_right_and_cover_the_error() -> None:
    vectors = vectors_of(CONFIG)
    assert [v.status for v in vectors] == [Status.OK] * 3 + [Status.MOD_EVEN]
    for v in vectors[:3]:
        assert v.modulus % 2 == 1
        assert v.modulus.bit_length() == 40
        assert v.base < v.modulus
        assert v.result == pow(v.base, v.exponent, v.modulus)
        assert v.exponent.bit_length() <= v.exp_bits == 17
    assert [v.modulus for v in vectors[1:3]] == [(1 << 40) - 1, (1 << 39) + 1]
    assert [vectors[i].exponent for i in (0, 2)] == [65537, (1 << 17) - 1]
    assert vectors[1].base == vectors[1].modulus - 1
    assert vectors_of(CONFIG) == vectors


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    package = IpPackage(CONFIG, NAME)
    with pytest.raises(UsageError, match=r"new or empty folder, but .* holds something"):
        write_package(package, tmp_path)
    with pytest.raises(UsageError, match="replaces nothing but a package"):
        write_package(package, tmp_path, force=True)
    for force in (False, True):
        with pytest.raises(UsageError, match=r"Expected a folder, but .*note is a file; choose"):
            write_package(package, tmp_path / "note", force=force)
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files; nothing is in the cache."""
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_the_log_of_a_failed_flat_file_is_kept(temporary: Path) -> None:
    flat_verilog("good", {"good.sv": "module good; endmodule\n"})
    assert list(temporary.iterdir()) == []
    with pytest.raises(ToolError, match=r"The log is \S+/yosys\.log\.$") as caught:
        flat_verilog("bad", {"bad.sv": "module bad; wrong; endmodule\n"})
    assert Path(str(caught.value).split()[-1].removesuffix(".")).is_file()


def test_an_interrupted_yosys_leaves_nothing(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(job: Job, progress: Progress) -> None:
        assert list(temporary.iterdir()) == [job.folder]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("modfab.package.flat.run_job", interrupted)
        with pytest.raises(KeyboardInterrupt):
            flat_verilog("good", {"good.sv": "module good; endmodule\n"})
    assert list(temporary.iterdir()) == []
    assert "module good" in flat_verilog("good", {"good.sv": "module good; endmodule\n"})


@pytest.mark.usefixtures("temporary")
def test_a_flat_file_is_written_once_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"good.sv": "module good (output a); assign a = 1; endmodule\n"}
    lines: list[str] = []
    first = flat_verilog("good", texts, lines.append)
    assert lines[0] == "Yosys, plain Verilog of good ..."
    with monkeypatch.context() as patch:
        patch.setattr("modfab.package.flat.run_job", None)
        assert flat_verilog("good", texts) == first
    other = flat_verilog("good", {"good.sv": texts["good.sv"].replace("= 1", "= 0")})
    assert other == first.replace("1'h1", "1'h0") != first


@pytest.mark.parametrize("mine", ["note", "rtl/note.sv", "sim/note.v", "component.xml"])
def test_force_keeps_what_no_package_writes(folder: Path, tmp_path: Path, mine: str) -> None:
    there = tmp_path / "package"
    shutil.copytree(folder, there)
    (there / mine).write_text("<component/>")
    with pytest.raises(UsageError, match=rf"{mine} is not from one"):
        write_package(IpPackage(CONFIG, NAME), there, force=True)
    assert (there / mine).read_text() == "<component/>"


def test_force_keeps_other_vendors_packages_links_and_files(folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "package"
    shutil.copytree(folder, there)
    description = there / "component.xml"
    ours = description.read_text()
    description.write_text(ours.replace(f"vendor>{VENDOR}<", "vendor>acme<", 1))
    with pytest.raises(UsageError, match=r"component\.xml is not from one"):
        write_package(IpPackage(CONFIG, NAME), there, force=True)
    description.write_text(ours)
    (there / "link").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="link is not from one"):
        write_package(IpPackage(CONFIG, NAME), there, force=True)
    with pytest.raises(UsageError, match=r"component\.xml is a file; choose another"):
        write_package(IpPackage(CONFIG, NAME), description, force=True)
    assert description.read_text() == ours


def test_force_replaces_packages_of_every_kind(tmp_path: Path) -> None:
    there, config = tmp_path / "package", modexp_core("sos", 64)
    write_package(IpPackage(config, "other", get_target("ecp5-25k"), [], "<svg/>"), there)
    write_package(IpPackage(CONFIG, NAME), there, force=True)
    assert (there / f"{NAME}.f").is_file()
    assert not (there / "other.f").exists()


def test_an_interrupted_build_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Path, text: str) -> int:
        raise KeyboardInterrupt

    texts = package_files(IpPackage(CONFIG, NAME))
    monkeypatch.setattr("modfab.package.package.package_files", lambda *_: texts)
    monkeypatch.setattr(Path, "write_text", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_package(IpPackage(CONFIG, NAME), tmp_path / "package")
    assert list(tmp_path.iterdir()) == []


def test_command_builds_and_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path)
    kept = record(seed=1, mhz=66.0)
    Store().add(kept)
    plan = floorplan_of(kept)
    plan.parent.mkdir(parents=True)
    plan.write_text("<svg/>")
    words = ("build", "--engine", "bit_serial", "--bits", 64, "-o", tmp_path / "core")
    assert run_cli(monkeypatch, *words) == 0
    assert "start with" in capsys.readouterr().out
    assert "66.0" in (tmp_path / "core" / "doc" / "datasheet.md").read_text()
    assert (tmp_path / "core" / "doc" / "floorplan.svg").read_text() == "<svg/>"
    assert run_cli(monkeypatch, *words) == 2
    assert "--force" in capsys.readouterr().err
    assert run_cli(monkeypatch, *words, "--force") == 0
    capsys.readouterr()
    assert run_cli(monkeypatch, *words, "--force", "--name", "9core") == 2
    assert "a letter, then letters, digits and _, but '9core'" in capsys.readouterr().err
