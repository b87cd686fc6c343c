# SPDX-License-Identifier: Apache-2.0
"""`modfab build --board`: refusals, a frequency that is not met, and with --full a bitstream."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from modfab.build.board_top import TOP, link_of
from modfab.build.boards import get_board, pll_for
from modfab.build.core import Core, modexp_core
from modfab.build.rsa import public_core, rsa_core
from modfab.cli.board_cmd import report_text
from modfab.errors import ToolError, UsageError
from modfab.flow import bitstream
from modfab.flow.bitstream import Bitstream, BuildOptions, build_bitstream
from modfab.flow.tools import Job, Tool, run_job
from modfab.host.rsa_device import RsaDevice
from modfab.host.transport_serial import open_serial
from modfab.paths import rtl_dir
from modfab.sim.board import PtyBoard
from modfab.sim.verilate import Design
from tests.support.cli import run_cli
from tests.support.routed_netlist import verilog_of
from tests.support.rsa_core import private_key

ULX3S = get_board("ulx3s-85f")
CORE = rsa_core("bit_serial", 64)
PLL = pll_for(25.0, 100.0)
BUILD = ("build", "--board", "ulx3s-85f", "--core", "rsa", "--bits", 128, "-o")


def stand_in(monkeypatch: pytest.MonkeyPatch, *mhz: float) -> list[int]:
    """Replace the tools: routings reach these frequencies; the seeds that were tried."""
    seeds: list[int] = []

    def route(*words: Any) -> tuple[float, dict[str, int], str]:
        seeds.append(words[3])
        return mhz[len(seeds) - 1], {"TRELLIS_FF": 1}, "a -> b"

    def pack(work: Path, *_: Any) -> Path:
        path = work / "mf_board.bit"
        path.write_bytes(b"bits")
        return path

    monkeypatch.setattr(bitstream, "_synthesize", lambda *_: None)
    monkeypatch.setattr(bitstream, "_route", route)
    monkeypatch.setattr(bitstream, "_pack", pack)
    return seeds


def build(folder: Path, seeds: tuple[int, ...]) -> Bitstream:
    return build_bitstream(ULX3S, CORE, PLL, folder, BuildOptions(seeds), lambda line: None)


def test_the_first_seed_that_meets_it_is_packed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tried = stand_in(monkeypatch, 99.9, 110.0, 120.0)
    made = build(tmp_path, (1, 2, 3))
    assert tried == [1, 2]
    assert (made.mhz, made.seed) == (110.0, 2)
    assert made.margin == pytest.approx(0.1)
    assert made.path == tmp_path / "ulx3s-85f.bit"
    assert made.path.read_bytes() == b"bits"


def test_the_first_seed_is_the_one_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = stand_in(monkeypatch, 99.9, 110.0)
    monkeypatch.setattr(bitstream, "find_tool", lambda name: Tool(name, "1", (name,), True))
    out = tmp_path / "out"
    assert run_cli(monkeypatch, *BUILD, out, "--first-seed", 4, "--seeds", 3) == 0
    assert tried == [4, 5]
    text = capsys.readouterr().out
    assert "(seed 5)" in text
    assert f"-b ulx3s {out / 'ulx3s-85f.bit'}\n" in text
    assert (out / "build.md").read_text() == text
    assert {path.name for path in out.iterdir()} == {"build.md", "ulx3s-85f.bit", "work"}
    assert list(tmp_path.iterdir()) == [out]


def test_the_router_is_the_one_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[list[str]] = []

    def run(job: Job, *_: Any) -> None:
        asked.append([str(word) for word in job.arguments])
        raise ToolError("enough")

    monkeypatch.setattr(bitstream, "_synthesize", lambda *_: None)
    monkeypatch.setattr(bitstream, "run_job", run)
    with pytest.raises(ToolError, match="enough"):
        build_bitstream(
            ULX3S, CORE, PLL, tmp_path, BuildOptions(router="router1-ripup"), lambda line: None
        )
    (words,) = asked
    assert words[words.index("--router") + 1] == "router1"
    assert "--tmg-ripup" in words


def test_the_report_of_another_seed_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of two runs the second ends well, but writes nothing."""
    ran: list[list[str]] = []
    cells = [{"type": "logic", "delay": 1, "from": {"cell": "a"}, "to": {"cell": "b"}}]
    path = {"from": "posedge c", "to": "posedge c", "path": cells}
    report = {"fmax": {"c": {"achieved": 80.0}}, "utilization": {}, "critical_paths": [path]}

    def run(job: Job, *_: Any) -> None:
        ran.append(sorted(path.name for path in job.folder.iterdir()))
        if len(ran) == 1:
            (job.folder / "report.json").write_text(json.dumps(report))
            (job.folder / "board.config").write_text("")

    monkeypatch.setattr(bitstream, "_synthesize", lambda *_: None)
    monkeypatch.setattr(bitstream, "run_job", run)
    with pytest.raises(ToolError, match="nextpnr ended without the report"):
        build(tmp_path, (1, 2))
    assert ran == [["board.lpf"]] * 2


def test_a_router_that_does_not_exist(tmp_path: Path) -> None:
    options = BuildOptions(router="router3")
    with pytest.raises(UsageError, match="no router 'router3'; choose one of router1, router2"):
        build_bitstream(ULX3S, CORE, PLL, tmp_path, options, lambda line: None)
    assert not any(tmp_path.iterdir())


def test_a_frequency_that_is_not_met_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand_in(monkeypatch, 99.9, 80.0)
    with pytest.raises(ToolError, match=r"reached 99\.9, 80\.0 MHz .* but 100 MHz were wanted"):
        build(tmp_path, (1, 2))
    assert not list(tmp_path.rglob("*.bit"))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--core", "rsa", "--name", "x"], "--name belongs to packages"),
        (["--core", "modexp"], "chooses an engine for --core rsa only"),
        (["--core", "farm", "--engine", "sos"], "modexp and rsa, but farm was asked for"),
        (["--core", "rsa", "--board", "none"], "There is no board 'none'"),
        (["--core", "rsa", "--router", "router3"], "There is no router 'router3'"),
        (["--core", "rsa", "--router="], "There is no router ''"),
        (["--core", "rsa", "--mhz", "20"], "needs 24 MHz or more, but --mhz makes 20; choose"),
        (["--core", "rsa", "--seq", "l2r"], "shows the exponent in its cycles"),
    ],
)
def test_refusals(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    text: str,
) -> None:
    out = tmp_path / "out"
    common = ["build", "--bits", 128, "-o", out]
    board = [] if "--board" in words else ["--board", "ulx3s-85f"]
    assert run_cli(monkeypatch, *common, *board, *words) != 0
    assert text in capsys.readouterr().err
    assert not out.exists()


def test_a_folder_in_use_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("")
    assert run_cli(monkeypatch, *BUILD, tmp_path) != 0
    assert "needs a new or empty folder" in capsys.readouterr().err


def test_the_folder_that_the_command_runs_in_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(monkeypatch, 110.0)
    monkeypatch.chdir(tmp_path)
    assert run_cli(monkeypatch, *BUILD, ".") == 2
    assert "it is the one that this command runs in" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert run_cli(monkeypatch, *BUILD, tmp_path / "file" / "out") == 2
    error = f"modfab: The folder {tmp_path / 'file' / 'out'} cannot be made ("
    assert capsys.readouterr().err.startswith(error)


@pytest.mark.parametrize("stage", ["_synthesize", "_route", "_pack"])
@pytest.mark.parametrize("empty", [True, False], ids=["empty", "new"])
def test_an_interrupted_build_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: str, empty: bool
) -> None:
    def interrupt(*_: object) -> NoReturn:
        assert any(path.is_dir() for path in tmp_path.rglob("work"))
        raise KeyboardInterrupt

    stand_in(monkeypatch, 110.0)
    monkeypatch.setattr(bitstream, stage, interrupt)
    if empty:
        (tmp_path / "out").mkdir()
    assert run_cli(monkeypatch, *BUILD, tmp_path / "out") == 130
    assert list(tmp_path.rglob("*")) == ([tmp_path / "out"] if empty else [])


def test_a_failed_build_leaves_its_log_and_the_name_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(monkeypatch, 99.9)
    assert run_cli(monkeypatch, *BUILD, tmp_path / "out") == 3
    named = Path(capsys.readouterr().err.split()[-1].removesuffix("."))
    assert named.parent.is_dir()
    assert named.is_relative_to(tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_package_needs_an_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "build", "--bits", 128, "-o", tmp_path / "out") != 0
    assert "A package needs an engine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("core", "unit", "command"),
    [
        (CORE, "bit_serial, ladder", "modfab sign --core rsa --key"),
        (public_core("bit_serial", 128), "bit_serial, -", "modfab verify --core rsa --key"),
        (modexp_core("bit_serial", 128), "bit_serial, ladder", "modfab sign --core modexp --key"),
    ],
    ids=["rsa", "public", "modexp"],
)
def test_the_report_says_how_the_core_is_used(core: Core, unit: str, command: str) -> None:
    made = Bitstream(Path("ulx3s-85f.bit"), 110.0, 100.0, 1, {}, "a -> b", {})
    text = report_text(ULX3S, core, PLL, made)
    assert f"| {unit} |" in text
    assert command in text


@pytest.mark.full
def test_a_bitstream(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tools themselves, on the smallest core: ten minutes with the wheels."""
    out = tmp_path / "out"
    words = ["--board", "ulx3s-85f", "--core", "rsa", "--engine", "bit_serial", "--bits", 128]
    assert run_cli(monkeypatch, "build", *words, "--mhz", 40, "-o", out) == 0
    assert f"openFPGALoader -b ulx3s {out / 'ulx3s-85f.bit'}" in capsys.readouterr().out
    data = (out / "ulx3s-85f.bit").read_bytes()
    assert b"LFE5U-85F" in data[:200]
    assert len(data) > 100_000
    config = (out / "work" / "board.config").read_text()
    for word in ("ICP_CURRENT 01100", "LPF_RESISTOR 0001000", "MFG_GMCREF_SEL 10"):
        assert f"word: {word}" in config, "the PLL's analogue settings"


@pytest.mark.full
def test_a_routed_netlist_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rng: random.Random
) -> None:
    """What was placed and routed, its PLL bypassed: a known answer and operations of a key."""
    core, pll = rsa_core("bit_serial", 64), pll_for(25.0, 40.0)

    def written(job: Job, *words: Any) -> Any:
        more = ["--write", "routed.json"] if "nextpnr" in job.tool.name else []
        return run_job(replace(job, arguments=[*job.arguments, *more]), *words)

    monkeypatch.setattr(bitstream, "run_job", written)
    build_bitstream(ULX3S, core, pll, tmp_path, BuildOptions((1,)), lambda line: None)
    (module,) = json.loads((tmp_path / "work" / "routed.json").read_text())["modules"].values()
    cells = tuple(
        rtl_dir() / f"prim/ecp5/{name}.sv" for name in ("DP16KD", "PDPW16KD", "MULT18X18D")
    )
    netlist = {f"{TOP}.sv": verilog_of(module, TOP)}
    key = private_key(rng, 64, 63)
    link = link_of(ULX3S, pll)
    design = Design(TOP, cells, netlist, "board.cpp")
    with PtyBoard(core, link, design) as board, RsaDevice(open_serial(board.path)) as device:
        assert device.selftest() > 0
        device.load_key(key)
        for message in (2, rng.randrange(key.n)):
            assert device.private(message).value == pow(message, key.d, key.n)
