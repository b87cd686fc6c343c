# SPDX-License-Identifier: Apache-2.0
"""The RSA overlay of the PYNQ-Z2: sources, block design script, drivers and notebook."""

from __future__ import annotations

import importlib
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from systemrdl.node import RegNode

from modfab.build.regs import compile_map, rdl_path
from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError, OperandError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_model import RsaModelTransport
from modfab.sim.verilate import verilator_root
from tests.support.eda import run
from tests.support.rsa_core import private_key
from tests.test_board_pynq_z2 import ADDRESS, BOARD, RANGE, load, vivado

nbformat: Any = importlib.import_module("nbformat")  # its functions have no types
CORE = rsa_core("bit_serial", 64, sequencer="window", engines=2)
ENTROPY_ADDRESS = 0x43C10000
NOTEBOOK = BOARD / "rsa_crt.ipynb"


# ---- sources ----
@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pynq_rsa")
    words = ["--core", "rsa", "--bits", "128", "--out", str(folder)]
    assert load("prepare").main(words) == 0
    assert (folder / "core").read_text() == "rsa\n"
    return folder


@pytest.mark.parametrize("top", ["mf_pynq_z2_rsa", "mf_pynq_entropy"])
def test_sources_are_free_of_warnings(prepared: Path, top: str) -> None:
    sources = (prepared / "sources.f").read_text().splitlines()
    assert len(set(sources)) == len(sources)
    words: list[str | Path] = [verilator_root() / "bin" / "verilator_bin", "--lint-only", "-Wall"]
    words += ["--top-module", top, *(sources if top.endswith("rsa") else []), BOARD / f"{top}.v"]
    run(words, VERILATOR_ROOT=str(verilator_root()))


def test_both_halves_have_an_engine(prepared: Path) -> None:
    made = (prepared / "mf_core.sv").read_text()
    assert re.search(r"unit < 2; unit\+\+\) begin : gen_unit\n    mf_mul_bit_serial ", made)


def test_prepare_refuses_an_odd_width(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--core", "rsa", "--bits", "129", "--out", str(tmp_path / "out")]
    assert load("prepare").main(words) == 2
    assert "even number of bits" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_block_design_has_core_and_entropy(prepared: Path) -> None:
    code, output = vivado(prepared, [str(prepared), "60"])
    assert code == 0, output
    assert "create_bd_cell -type module -reference mf_pynq_z2_rsa modfab_0" in output
    assert "create_bd_cell -type module -reference mf_pynq_entropy entropy_0" in output
    assert "CONFIG.NUM_MI 3" in output
    assert f"set_property offset 0x{ENTROPY_ADDRESS:X}" in output
    assert f"{BOARD}/pynq_z2_rsa.xdc" in output
    wired = re.findall(r"^CALL connect_bd_(?:intf_)?net (\S+) (\S+)$", output, re.MULTILINE)
    sinks = [sink for _, sink in wired]
    assert len(set(sinks)) == len(sinks), "a pin has two drivers"
    for module, cell in (("mf_pynq_z2_rsa", "modfab_0"), ("mf_pynq_entropy", "entropy_0")):
        text = re.sub(r" *//.*", "", (BOARD / f"{module}.v").read_text())
        ports = re.findall(r"^  (?:input|output) .* (\w+),?$", text, re.MULTILINE)
        buses = ("s_axi_a", "s_axi_w", "s_axi_b", "s_axi_r", "s_axis_rnd", "m_axis")
        ends = {re.sub(r"_t(data|valid|ready)$", "", p) for p in ports if p.startswith(buses[4:])}
        ends |= {p for p in ports if not p.startswith(buses)} | {"s_axi"}
        ends |= {"s_axi_aclk", "s_axi_aresetn"}
        assert {f"{cell}/{end}" for end in ends} <= {end for pair in wired for end in pair}


# ---- drivers ----
class FakeMmio:
    """`pynq.MMIO` of the core, whose registers are the golden model's, or of the FIFO."""

    def __init__(self, base_addr: int, length: int) -> None:
        assert length == RANGE
        self.core = RsaModelTransport(CORE) if base_addr == ADDRESS else None
        self.room = 512
        self.words: list[int] = []

    def read(self, offset: int = 0) -> int:
        if self.core is None:
            room, self.room = self.room, 7  # the core takes some until the next look
            return room
        return self.core.read32(offset)

    def write(self, offset: int, value: int) -> None:
        assert 0 <= value < 1 << 32
        if self.core is None:
            self.words.append(value)
        else:
            self.core.write32(offset, value)


class FakeDefaultIP:
    """`pynq.DefaultIP`: binding, MMIO, and the register map of a description."""

    bound: ClassVar[dict[str, type]] = {}
    bindto: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        FakeDefaultIP.bound.update(dict.fromkeys(cls.bindto, cls))

    def __init__(self, description: dict[str, Any]) -> None:
        self.mmio = FakeMmio(description["phys_addr"], description["addr_range"])
        self.register_map = description.get("registers")
        if self.register_map:
            assert description["fullpath"]


class FakeOverlay:
    """`pynq.Overlay` of the design that build.tcl makes."""

    cells: ClassVar[dict[str, tuple[str, int]]] = {
        "modfab_0": ("mf_pynq_z2_rsa", ADDRESS),
        "entropy_0": ("mf_pynq_entropy", ENTROPY_ADDRESS),
    }

    def __init__(self, bitfile_name: str, download: bool = True) -> None:
        self.bitfile_name, self.download = bitfile_name, download

    def __getattr__(self, name: str) -> object:
        if name not in self.cells:
            raise AttributeError(name)
        module, address = self.cells[name]
        driver = FakeDefaultIP.bound[f"xilinx.com:module_ref:{module}:1.0"]
        made: object = driver({"phys_addr": address, "addr_range": RANGE})
        setattr(self, name, made)
        return made


@pytest.fixture
def overlay(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pynq = ModuleType("pynq")
    pynq.__dict__.update(DefaultIP=FakeDefaultIP, Overlay=FakeOverlay)
    monkeypatch.setitem(sys.modules, "pynq", pynq)
    monkeypatch.setitem(sys.modules, "modfab_pynq", load("modfab_pynq"))
    yield load("modfab_pynq_rsa").ModfabRsaOverlay(download=False)
    FakeDefaultIP.bound.clear()


def test_driver_computes_with_crt(overlay: Any, rng: random.Random) -> None:
    core, key = overlay.core, private_key(rng, 64, 63)
    assert core is overlay.core
    assert core.load_key(key) > 0
    for message in (0, 1, key.n - 1, rng.randrange(key.n)):
        assert core.private(message).value == pow(message, key.d, key.n)
        assert core.public(message).value == pow(message, key.e, key.n)
    core.zeroize()
    assert core.selftest() > 0
    words = overlay.entropy_0.mmio.words
    assert len(words) >= 512
    assert len(set(words)) > 500, "they are random"


def test_driver_refuses_what_the_core_would(overlay: Any, rng: random.Random) -> None:
    with pytest.raises(OperandError, match="load one first"):
        overlay.core.private(2)
    key = private_key(rng, 64, 63)
    overlay.core.load_key(key)
    with pytest.raises(OperandError, match="below the modulus"):
        overlay.core.private(key.n)


def test_a_core_without_entropy_says_so(overlay: Any) -> None:
    with pytest.raises(DeviceError, match=r"no source of entropy yet; take it from"):
        overlay.modfab_0.selftest()


def test_register_map_is_that_of_the_rdl(overlay: Any) -> None:
    found = overlay.modfab_0.register_map
    wanted = {}
    for node in compile_map(rdl_path("mf_rsa")).descendants():
        if isinstance(node, RegNode):
            writable = any(field.is_sw_writable for field in node.fields())
            access = "read-write" if writable else "read-only"
            fields = {f.inst_name.upper(): (f.low, f.width) for f in node.fields()}
            wanted[node.inst_name] = (node.absolute_address, access, fields)
    assert {
        name: (
            made["address_offset"],
            made["access"],
            {field: (at["bit_offset"], at["bit_width"]) for field, at in made["fields"].items()},
        )
        for name, made in found.items()
    } == wanted
    assert found["STATUS"]["address_offset"] == regs.STATUS


def test_page_says_that_no_bitstream_was_built() -> None:
    text = (BOARD / "README.md").read_text()
    assert text.index("**No bitstream was built here**") < text.index("| file | what |")


# ---- notebook ----
def test_notebook_gives_the_stored_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder where it lies; numbers and cycles are the same at every run."""
    for name in ("DEVICE", "PYTHONPATH", "MODFAB_SEED"):
        monkeypatch.delenv(name, raising=False)
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    stored = outputs_of(book)
    assert outputs_of(load("run_notebook").executed()) == stored, (
        "the core's cycles or the notebook changed; run boards/pynq-z2/run_notebook.py"
    )
    assert stored.count("PASS") == 5
    assert "FAIL" not in stored


def outputs_of(book: Any) -> str:
    """What the cells printed; a first compilation of the simulator is left out."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    texts = [str(output["text"]) for output in outputs if output.get("name") == "stdout"]
    errors = [output for output in outputs if output.output_type == "error"]
    assert errors == []
    return "".join(texts)
