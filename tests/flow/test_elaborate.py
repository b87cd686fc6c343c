# SPDX-License-Identifier: Apache-2.0
"""What the RTL says about a design, and what of it ends the flow."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.named import KEYED, kind_of
from modfab.cli.design import design_of
from modfab.errors import CacheError, ToolError
from modfab.flow import elaborate as module
from modfab.flow.design import Design
from modfab.flow.elaborate import Elaboration, Port, elaborate, ports_of
from modfab.flow.synth import synthesize
from modfab.flow.targets import get_target
from modfab.flow.tools import Job, Progress, Tool, find_tool, silent
from modfab.flow.warnings import KNOWN, run_yosys, warnings_of
from modfab.flow.wrapper import wrapper_text
from modfab.sim.cache import private_dir

SUB = """
module sub (
  input logic clk_i, input logic [3:0] a_i, input logic b_i, output logic [3:0] q_o
);
  always_ff @(posedge clk_i) q_o <= b_i ? a_i : ~a_i;
endmodule
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def texts(body: str) -> dict[str, str]:
    head = "module top (input logic clk_i, input logic [3:0] a_i, output logic [3:0] q_o);"
    return {"sub.sv": SUB, "top.sv": f"{head}\n{body}\nendmodule\n"}


def design_at(level: str, engine: str = "bit_serial") -> Design:
    num_bits = 68 if kind_of(level) in KEYED else 64
    options: tuple[dict[str, int], dict[str, int]] = ({}, {})
    return design_of(engine, num_bits, options, level, "ladder", None)


def test_ports_are_those_of_the_rtl_in_its_order() -> None:
    found = elaborate("top", texts("sub u_sub (.clk_i, .a_i, .b_i(a_i[0]), .q_o);")).ports
    assert found == (Port("clk_i", 1, True), Port("a_i", 4, True), Port("q_o", 4, False))


def test_structs_are_vectors() -> None:
    ports = {port.name: port for port in ports_of(design_at("engine"))}
    assert list(ports)[:5] == ["clk_i", "rst_i", "zeroize_i", "cmd_valid_i", "cmd_ready_o"]
    assert ports["cmd_i"] == Port("cmd_i", 54, True)
    assert ports["status_o"] == Port("status_o", 4, False)
    assert "num_words_i" in {port.name for port in ports_of(design_at("modexp"))}


def test_the_answer_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = elaborate("top", texts("assign q_o = a_i;"))
    monkeypatch.setattr(module, "run_yosys", None)
    assert elaborate("top", texts("assign q_o = a_i;")) == first
    (kept,) = (cache / "elaborated").iterdir()
    assert kept.suffix == ".json"
    monkeypatch.setattr(module, "_run", lambda *_: first)
    for damaged in (b"", kept.read_bytes()[:-9], b"[]", b"{}", b"\xff"):
        kept.write_bytes(damaged)
        assert elaborate("top", texts("assign q_o = a_i;")) == first
        assert kept.read_bytes() not in (b"", damaged)


def test_the_cache_is_its_owners_alone(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a group may write what is made; a simulator asks for it after the flow."""
    first = Elaboration((), "first")
    monkeypatch.setattr(module, "_run", lambda *_: first)
    before = os.umask(0o002)
    try:
        assert elaborate("top", {"top.sv": ""}) == first
    finally:
        os.umask(before)
    assert private_dir("wasm").parent == cache
    assert {path.stat().st_mode & 0o777 for path in (cache, cache / "elaborated")} == {0o700}


def test_an_answer_in_the_cache_of_another_user_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_run", lambda *_: Elaboration((), "planted"))
    elaborate("top", {"top.sv": ""})
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(CacheError, match=r"belongs to user \d+, but this is user 12345"):
        elaborate("top", {"top.sv": ""})


def test_the_answer_to_another_question_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another text, order of files, version of Yosys or of the recipe."""
    asked = list[Elaboration]()

    def run(*_: object) -> Elaboration:
        asked.append(Elaboration((), str(len(asked))))
        return asked[-1]

    tool = Tool("yosys", "1", ("yosys",), native=True)
    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_tool", lambda name: tool)
    files = {"a.sv": "1", "b.sv": "2"}
    questions = [
        files,
        dict(reversed(files.items())),
        files | {"b.sv": "3"},
        {"a.sv1": "", **files},
    ]
    for number in (1, 2):
        found = [elaborate("top", question).circuit for question in questions]
        assert (found, len(asked)) == (["0", "1", "2", "3"], 4), number
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert elaborate("top", files).circuit == "4"
    tool = replace(tool, version="2")
    assert elaborate("top", files).circuit == "5"
    assert elaborate("other", files).circuit == "6"


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(128 + signal.SIGTERM)])
def test_a_run_that_is_interrupted_leaves_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    def interrupted(job: Job, progress: Progress) -> float:
        job.log_path.write_text("as far as it came")
        raise end

    monkeypatch.setattr(module, "run_yosys", interrupted)
    with pytest.raises(type(end)):
        elaborate("top", texts("assign q_o = a_i;"))
    assert list((cache / "elaborated").iterdir()) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sub u_sub (.clk_i, .a_i, .q_o);", r"top\.sv:2: Warning: input port 'b_i' has no conn"),
        ("sub u_sub (.clk_i, .a_i, .b_i(), .q_o);", r"Wire top\.\\u_sub\.b_i is used but has no"),
        ("wire w;\nassign q_o = a_i & {4{w}};", r"Wire top\.\\w is used but has no driver"),
        ("logic w;\nassign q_o = a_i & {4{w}};", r"nothing drives w, or not all of it"),
        ("logic [1:0] w;\nassign w[0] = a_i[0];\nassign q_o = a_i & {4{w[0]}};", r"drives w\[1\]"),
        ("", r"nothing drives q_o, or not all of it"),
        ("assign q_o = a_i;\nassign q_o = ~a_i;", r"conflicting drivers"),
        ("always_comb if (a_i[0]) q_o = a_i;", r"[Ll]atch|logic loop"),
        ("assign q_o = a_i << 7;", r"shift count"),
    ],
)
def test_a_design_with_a_fault_is_refused(body: str, message: str) -> None:
    with pytest.raises(ToolError, match=message) as refused:
        elaborate("top", texts(body))
    log = refused.value.log
    assert log is not None
    assert log.is_file()
    assert f"The log is {log}." in str(refused.value)


def test_an_input_that_the_wrapper_does_not_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was with num_words_i of the modexp level."""
    design = design_at("modexp")
    few = tuple(port for port in ports_of(design, "ecp5") if port.name != "num_words_i")
    monkeypatch.setattr("modfab.flow.synth.ports_of", lambda design, vendor: few)
    with pytest.raises(ToolError, match=r"warned.*num_words_i.* is used but has no driver"):
        synthesize(design, get_target("ecp5-25k"), tmp_path, progress=silent)


def test_the_wrapper_needs_a_clock() -> None:
    with pytest.raises(ToolError, match="module top has no input clk_i of one bit"):
        wrapper_text("top", [Port("a_i", 1, True)])


def test_a_known_warning_is_known_in_its_scope_only(tmp_path: Path) -> None:
    text = "Warning: shift count of '32'd16' overflows 16-bit operand [-Wshift-count-overflow]"
    log = tmp_path / "yosys.log"
    log.write_text(f"mf_rsa_farm_in.sv:61: {text}\nother.sv:1: {text}\nBuild: 0 errors, 2 warnings")
    assert warnings_of(log) == [f"other.sv:1: {text}"]
    slang = "other.sv:2:3: warning: implicit conversion truncates [-Wwidth-trunc]"
    more = f"mf_a.sv:1: {text} and more"  # not the whole line of a known one
    log.write_text(f"  {slang}\n{slang}\n{more}\nNo warnings here.\n")
    assert warnings_of(log) == [slang, more]
    assert warnings_of(tmp_path / "none.log") == []
    assert all(len(known.reason) > 20 for known in KNOWN)


def test_ports_of_block_ram_may_be_narrower_than_those_of_the_widest(tmp_path: Path) -> None:
    rom = r"mf_measure.$flatten\u_dut.$auto$proc_rom.cc:155:do_switch$24880.0.1.ADDRARDADDR"
    lines = [
        f"Warning: Resizing cell port {port} from 16 bits to 15 bits."
        for port in (
            *(rom, "mf_measure.u_ram.mem_q.0.0.DINADIN"),
            *("mf_measure.u_rom.words.0.0.ADDRARDADDR", "mf_measure.u_table.mem_q.0.0.WEA"),
            "mf_measure.u_core.addr_i",
        )
    ]
    log = tmp_path / "yosys.log"
    log.write_text("\n".join(lines))
    assert warnings_of(log) == lines[4:]


def test_a_failure_names_the_warning_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text(
        "module a (input x, output y);\nwire w;\nassign y = w;\nendmodule"
    )
    script = "read_verilog a.v; hierarchy -top a; check -assert"
    job = Job(find_tool("yosys"), ["-l", "a.log", "-p", script], tmp_path, "a.log", "Yosys", 60)
    with pytest.raises(ToolError, match=r"Yosys failed.*Before, it warned: Warning: Wire a\.\\"):
        run_yosys(job)
    elsewhere = Job(job.tool, ["-l", "b.log", "-p", "log x"], tmp_path, "a.log", "Yosys", 60)
    with pytest.raises(ToolError, match=r"Yosys ended without its log .*a\.log, so that nobody"):
        run_yosys(elsewhere)
