# SPDX-License-Identifier: Apache-2.0
"""The library's FuseSoC core file `rtl/modfab.core`, from the plain file lists."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from modfab import __version__
from modfab.catalog import ENGINES, SEQUENCERS
from modfab.filelists import listed_files
from modfab.paths import rtl_dir

CORE = "modfab.core"
"""Name of the file below rtl/."""

_VENDORS = ("ecp5", "xilinx")
_MORE = ("common/mf_rr_arb.sv", "common/mf_skid_buffer.sv")
"""Modules that no engine's or sequencer's list names."""

_IN_LINE = 2
"""Files of a fileset that stand in one line, at most."""

_BENCH = ("tb/mf_mul_contract.sv", "tb/mf_mul_tb.sv")
_HEADER = f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
# Written by `python -m modfab.build.fusesoc` from the file lists; do not edit.
name: modfab:lib:rtl:{__version__}
description: Montgomery multipliers and exponentiation sequencers behind one contract
"""
_PARAMETERS = """\
parameters:
  MF_ENGINE:
    datatype: str
    paramtype: vlogdefine
    description: The engine's module, for its bench
"""
_LOOPS_OVER_ARRAYS = "mf_regfile_1w2r_banked.sv"
UNROLL = ("--unroll-count", "8192", "--unroll-stmts", "100000")
"""Options with which Verilator 5.006 reads arrays that are written in loops: it unrolls them."""


def unrolling(files: Iterable[str]) -> str:
    """`UNROLL`, where these files need it for lint, as the end of a list of YAML.

    A simulator would have ten times as much C++, so benches do without.

    >>> unrolling(["rtl/mf_pkg.sv"])
    ''
    """
    needed = any(name.endswith(_LOOPS_OVER_ARRAYS) for name in files)
    return "".join(f', "{word}"' for word in UNROLL) if needed else ""


_LINT = """\
    description: {0} alone, all warnings are errors
    default_tool: verilator
    tools: {{verilator: {{mode: lint-only, verilator_options: [-Wall{1}]}}}}
"""
_SIM = """\
    description: Self-checking bench of {0} with the contract's assertions
    default_tool: verilator
    parameters: [MF_ENGINE={0}]
    tools: {{verilator: {{mode: binary, verilator_options: [-Wall, --timing, --assert, {1}]}}}}
"""
_OPTIONS = "-CFLAGS, -fcoroutines, --MAKEFLAGS, VK_PCH_I_FAST=, --MAKEFLAGS, VK_PCH_I_SLOW="
"""Options of the compiler behind Verilator; the last two: no precompiled header."""


def _fileset_of(name: str) -> str:
    """Name of the fileset that holds a file.

    >>> [_fileset_of(name) for name in ("mf_pkg.sv", "mul/sos/mf_mul_sos.sv", "exp/mf_exp_l2r.sv")]
    ['package', 'mul_sos', 'exp_l2r']
    """
    path = PurePosixPath(name)
    if path.parts[0] == "exp":
        return path.stem.removeprefix("mf_")
    if path.parts[0] == "prim":
        return "prim"
    return "_".join(path.parent.parts) or "package"


def _filesets(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_fileset_of(name), []).append(name)
    return found


def _primitives_on(vendor: str, generic: Sequence[str]) -> list[str]:
    """The primitives with the vendor's own in the place of generic ones."""
    folder = rtl_dir() / "prim" / vendor
    own = listed_files(*(f"prim/{vendor}/{path.name}" for path in sorted(folder.glob("*.f"))))
    replaced = {PurePosixPath(name).name for name in own}
    return [*own, *(name for name in generic if PurePosixPath(name).name not in replaced)]


def _fileset_text(name: str, files: Iterable[str]) -> str:
    head, listed = f"  {name}:\n    file_type: systemVerilogSource\n    files:", [*files]
    if len(listed) <= _IN_LINE and ":" not in listed[0]:
        return f"{head} [{', '.join(listed)}]\n"
    return head + "\n" + "".join(f"      - {file}\n" for file in listed)


def _target_text(name: str, top: str, filesets: Iterable[str], body: str) -> str:
    """One target; flags `ecp5` and `xilinx` choose the primitives."""
    chosen = []
    for fileset in filesets:
        if fileset == "prim":
            chosen += [f"'{vendor} ? (prim_{vendor})'" for vendor in _VENDORS]
            chosen.append("'!ecp5 ? (!xilinx ? (prim))'")
        else:
            chosen.append(fileset)
    toplevel = f"    toplevel: {top}\n" if top else ""
    return f"  {name}:\n{body}    filesets: [{', '.join(chosen)}]\n{toplevel}"


def _targets(lists: Mapping[str, tuple[str, Sequence[str]]], all_sets: Iterable[str]) -> str:
    texts = [_target_text("default", "", all_sets, "")]
    for name, (top, files) in lists.items():
        sets = [*_filesets(files)]
        lint = _LINT.format(top, unrolling(files))
        texts.append(_target_text(f"lint_{name}", top, sets, lint))
        if name in ENGINES:
            bench = [*sets, "include", "bench"]
            texts.append(
                _target_text(f"sim_{name}", "mf_mul_tb", bench, _SIM.format(top, _OPTIONS))
            )
    return "".join(texts)


def core_text() -> str:
    """Text of `rtl/modfab.core`."""
    lists = {name: (engine.top, engine.files) for name, engine in ENGINES.items()}
    lists |= {f"exp_{name}": (entry.top, entry.files) for name, entry in SEQUENCERS.items()}
    lists["modexp"] = ("mf_modexp", listed_files("modexp/files.f"))
    lists["paper_liao_chen"] = ("mf_liao_chen_rsa", listed_files("papers/liao_chen/files.f"))
    pairs = [engine.pair.file for engine in ENGINES.values() if engine.pair]
    listed = [name for _, files in lists.values() for name in files]
    filesets = _filesets(dict.fromkeys([*listed, *pairs, *_MORE]))
    vendors = {f"prim_{vendor}": _primitives_on(vendor, filesets["prim"]) for vendor in _VENDORS}
    header = "include/mf_assert.svh: {is_include_file: true, include_path: include}"
    texts = (filesets | vendors | {"include": [header], "bench": [*_BENCH]}).items()
    body = "".join(_fileset_text(name, files) for name, files in texts)
    targets = _targets(lists, filesets)
    return f"{_HEADER}\nfilesets:\n{body}\n{_PARAMETERS}\ntargets:\n{targets}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=f"Write rtl/{CORE} from the file lists.").parse_args()
    (rtl_dir() / CORE).write_text(core_text())
