# SPDX-License-Identifier: Apache-2.0
"""Run the nextpnr wheel with a stack that is deep enough for a carry path of a thousand bits.

nextpnr walks combinational paths recursively, and the wheel's WebAssembly program is linked with
64 KiB for that. `deepen` moves the stack to memory of its own behind everything else.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import sys
from pathlib import Path

import wasmtime

from modfab.errors import ToolError
from modfab.flow.wheels import locked, machine_key
from modfab.sim.cache import check_file, private_dir

STACK_PAGES = 1024
"""Pages of 64 KiB for the stack."""

_PAGE = 65536
_MEMORY, _GLOBAL = 5, 6
_PLAIN_MEMORY = b"\x01\x00"  # one memory, with a minimum and no maximum
_POINTER = b"\x7f\x01\x41"  # i32, mutable, i32.const


def _decode(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number and the offset after it."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _encode(value: int, *, signed: bool = False) -> bytes:
    """A natural number as LEB128; signed ones keep their highest bit clear."""
    out = bytearray()
    while value >= (0x40 if signed else 0x80):
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def deepen(program: bytes, pages: int = STACK_PAGES) -> bytes:
    """Give a WebAssembly program a larger stack.

    The C compiler's stack lies in linear memory; its pointer is the first global. The memory's
    minimum grows by `pages`, and the pointer starts at its new end. The allocator is not in the
    way: it starts at an address fixed by the linker, and asks for more at the end of the memory.

    Args:
        program: A binary module as LLVM links it.
        pages: Of 64 KiB, at least 1.

    Raises:
        ToolError: The module has no such memory or stack pointer.
    """
    out, at, minimum = bytearray(program[:8]), 8, None
    moved = False
    while at < len(program):
        kind = program[at]
        size, start = _decode(program, at + 1)
        at = start + size
        body = program[start:at]
        if kind == _MEMORY and body.startswith(_PLAIN_MEMORY):
            minimum = _decode(body, 2)[0] + pages
            body = _PLAIN_MEMORY + _encode(minimum)
        elif kind == _GLOBAL and minimum is not None:
            first = _decode(body, 0)[1]
            if body[first : first + 3] == _POINTER:
                _, end = _decode(body, first + 3)
                top = _encode(minimum * _PAGE, signed=True)
                body = body[: first + 3] + top + body[end:]
                moved = True
        out += bytes([kind]) + _encode(len(body)) + body
    if not moved:
        raise ToolError(
            "The WebAssembly program has not the memory and stack pointer that were expected; put "
            "a native nextpnr-ecp5 on PATH, or install the version of the wheel in the lock file."
        )
    return bytes(out)


def _compiled(engine: wasmtime.Engine, program: bytes) -> wasmtime.Module:
    """The program in machine code, kept in the cache; of several first starts one compiles."""
    name = hashlib.sha256(program + machine_key().encode()).hexdigest()[:20]
    path = private_dir("wasm") / name
    if not path.is_file():
        with locked(path.with_name("lock")):
            if not path.is_file():
                part = path.with_name("part")
                part.write_bytes(wasmtime.Module(engine, program).serialize())
                part.replace(path)
    check_file(path)
    return wasmtime.Module.deserialize_file(engine, str(path))


def run(package: str, name: str, arguments: list[str]) -> int:
    """Run a wheel's program in the current folder, which is all it can see besides its data.

    Returns:
        Its exit code.

    Raises:
        ToolError: The program is not laid out as expected.
        wasmtime.Trap: It crashed.
    """
    files = importlib.resources.files(package)
    config = wasmtime.Config()
    config.wasm_exceptions = True
    engine = wasmtime.Engine(config)
    module = _compiled(engine, deepen(files.joinpath(f"{name}.wasm").read_bytes()))
    wasi = wasmtime.WasiConfig()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.argv = [name, *arguments]
    wasi.preopen_dir(".", ".")
    wasi.preopen_dir(str(Path(str(files)) / "share"), "/share")
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    exports = linker.instantiate(store, module).exports(store)
    start = exports["_start"]
    if not isinstance(start, wasmtime.Func):
        raise ToolError(f"{name} of the Python package {package} is not a program.")
    try:
        start(store)
    except wasmtime.ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2], sys.argv[3:]))
