# SPDX-License-Identifier: Apache-2.0
"""The fingerprint of netlists that are written by hand: what is one circuit, and what are two."""

from __future__ import annotations

from typing import Any

from modfab.flow.fingerprint import fingerprint

Bits = list[int | str]


def cell(kind: str, inputs: dict[str, Bits], outputs: dict[str, Bits], **more: str) -> Any:
    directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    return {
        "type": kind,
        "parameters": {name: value for name, value in more.items() if name != "keep"},
        "attributes": {name: value for name, value in more.items() if name == "keep"},
        "port_directions": directions,
        "connections": inputs | outputs,
    }


def module(
    inputs: dict[str, Bits], outputs: dict[str, Bits], *cells: Any, wires: Any = (), **memories: Any
) -> Any:
    """A module; wires are bits and initial values."""
    ports = {name: {"direction": "input", "bits": bits} for name, bits in inputs.items()}
    ports |= {name: {"direction": "output", "bits": bits} for name, bits in outputs.items()}
    nets = [{"bits": bits, "attributes": {"init": init}} for bits, init in wires]
    named = {str(number): net for number, net in enumerate(nets)}
    numbered = {str(number): one for number, one in enumerate(cells)}
    return {"ports": ports, "cells": numbered, "netnames": named, "memories": memories}


IN: dict[str, Bits] = {"a": [1], "b": [2], "c": [3]}


def two(kind: str, a: Bits, b: Bits, **more: str) -> str:
    """One cell of two inputs."""
    return fingerprint(module(IN, {"y": [9]}, cell(kind, {"A": a, "B": b}, {"Y": [9]}, **more)))


def test_inputs_of_a_commutative_cell_may_change_places() -> None:
    assert two("$and", [1], [2]) == two("$and", [2], [1]) != two("$and", [1], [3])
    assert two("$sub", [1], [2]) != two("$sub", [2], [1])


def test_inputs_of_another_width_or_sign_may_not() -> None:
    assert two("$add", [2, 3], [1]) != two("$add", [1, 2], [3])
    signed = {"A_SIGNED": "1", "B_SIGNED": "0"}
    assert two("$mul", [1], [2], **signed) != two("$mul", [2], [1], **signed)
    both = dict.fromkeys(signed, "1")
    assert two("$mul", [1], [2], **both) == two("$mul", [2], [1], **both)


def test_inputs_that_only_cells_before_tell_apart_may() -> None:
    """Of two inverters in a row the first ones differ in what they invert."""

    def made(left: int, right: int) -> str:
        rows = [cell("$not", {"A": [start]}, {"Y": [start + 10]}) for start in (1, 2)]
        rows += [cell("$not", {"A": [start + 10]}, {"Y": [start + 20]}) for start in (1, 2)]
        return fingerprint(
            module(IN, {"y": [9]}, *rows, cell("$xor", {"A": [left], "B": [right]}, {"Y": [9]}))
        )

    assert made(21, 22) == made(22, 21) != made(21, 21)


def flip_flops(*wires: tuple[Bits, str]) -> str:
    ffs = [cell("$dff", {"D": [bit]}, {"Q": [bit + 10]}) for bit in (1, 2)]
    return fingerprint(module(IN, {"y": [11, 12]}, *ffs, wires=wires))


def test_an_initial_value_belongs_to_its_bit_however_wires_group_bits() -> None:
    """In the word of a wire its highest bit comes first."""
    word = flip_flops(([11, 12], "01"))
    assert word == flip_flops(([11], "1"), ([12], "0")) != flip_flops(([11, 12], "10"))
    assert flip_flops(([11, 12], "0x")) == flip_flops(([12], "0")) != flip_flops()
    assert flip_flops(([11, 12], "xx")) == flip_flops()


def test_what_is_kept_counts_where_no_output_depends_on_it() -> None:
    def kept(*sources: int) -> str:
        ffs = [
            cell("$dff", {"D": [bit]}, {"Q": [50 + at]}, keep="1") for at, bit in enumerate(sources)
        ]
        return fingerprint(module(IN, {"y": [1]}, *ffs))

    assert kept(1, 2) == kept(2, 1)
    assert len({kept(), kept(1), kept(2), kept(1, 2)}) == 4


def test_a_port_that_nothing_reads_has_a_width() -> None:
    widths: tuple[Bits, Bits] = ([2], [2, 3])
    found = {fingerprint(module({"a": [1], "b": bits}, {"y": [1]})) for bits in widths}
    assert len(found) == 2


def memory(*writers: tuple[int, str], start: int = 0) -> str:
    """A memory whose write ports have these addresses and numbers."""
    ports = [
        cell("$memwr_v2", {"ADDR": [address]}, {}, MEMID="\\m", PORTID=place)
        for address, place in writers
    ]
    read = cell("$memrd_v2", {"ADDR": [3]}, {"DATA": [9]}, MEMID="\\m")
    shape = {"width": 1, "size": 2, "start_offset": start, "attributes": {}}
    return fingerprint(module(IN, {"y": [9]}, *ports, read, m=shape))


def test_write_ports_count_in_their_order_and_a_memory_in_its_shape() -> None:
    """The order of the netlist's cells is none."""
    plain = memory((1, "0"), (2, "1"))
    assert plain == memory((2, "1"), (1, "0")) != memory((2, "0"), (1, "1"))
    assert plain != memory((1, "0"), (2, "1"), start=1)


def test_bits_of_one_output_are_not_each_other() -> None:
    def made(first: int, second: int) -> str:
        pair = cell("$dff", {"D": [1, 2]}, {"Q": [11, 12]})
        return fingerprint(module(IN, {"y": [first, second]}, pair))

    assert len({made(11, 12), made(12, 11), made(11, 11)}) == 3
