# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of mf_modexp_axil: operations, error codes, interrupt, zeroize, reset."""

from __future__ import annotations

from typing import Any

import cocotb

from modfab.host.generated import mf_modexp_regs as regs
from modfab.models.generated.status import Status
from tests.rtl.axil.axil_bench import (
    CONFIG,
    EXP_BITS,
    NUM_BITS,
    Core,
    odd_modulus,
    rng_of,
    running_core,
)

START, SETUP_ONLY, ZEROIZE = (
    regs.CTRL_START_MASK,
    regs.CTRL_SETUP_ONLY_MASK,
    regs.CTRL_ZEROIZE_MASK,
)


async def total_cycles(core: Core) -> int:
    low: int = await core.read(regs.TOTAL_CYCLES_LO)
    high: int = await core.read(regs.TOTAL_CYCLES_HI)
    return low | high << 32


@cocotb.test()
async def results_against_pow(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("results")
    for _ in range(6):
        await core.check_power(rng)


@cocotb.test()
async def operands_at_the_edges(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("edges")
    for modulus in (3, 5, (1 << 32) + 1, (1 << NUM_BITS) - 1, (1 << (NUM_BITS - 1)) + 1):
        for base in (0, 1, modulus - 1):
            exponent = rng.getrandbits(9)
            assert await core.powmod(base, exponent, modulus, 9) == pow(base, exponent, modulus)
    modulus = odd_modulus(rng)
    base = rng.randrange(modulus)
    for exponent, exp_bits in ((0, EXP_BITS), (1, EXP_BITS), (1, 1), (0, 1), (7, 2), (5, 0)):
        expected = pow(base, exponent & ((1 << exp_bits) - 1), modulus)
        assert await core.powmod(base, exponent, modulus, exp_bits) == expected


@cocotb.test()
async def error_codes(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("errors")
    good = odd_modulus(rng)
    moduli = {
        good - 1: Status.MOD_EVEN,
        0: Status.MOD_ZERO,
        1: Status.MOD_ONE,
        good | 1 << NUM_BITS: Status.MOD_WIDE,
        1 << 63 | 1: Status.MOD_WIDE,
    }
    for modulus, code in moduli.items():
        await core.powmod(2, 3, good, 4)
        await core.put(regs.MODULUS_WINDOW, modulus)
        assert await core.run() is code
        assert await core.run() is code, "a refused modulus stays refused"
        assert not await core.flag(regs.STATUS_MODULUS_VALID_MASK)
        assert await core.flag(regs.STATUS_DONE_MASK)
        assert await core.refuses_read(regs.RESULT_WINDOW)
    await core.powmod(2, 3, good, 4)
    other_cycles = await total_cycles(core) - await core.read(regs.EXP_CYCLES_LO)
    await core.put(regs.MODULUS_WINDOW, good)  # to be set up anew, before a base is refused
    for base in (good, good + 1, (1 << 64) - 1):
        await core.put(regs.BASE_WINDOW, base)
        assert await core.run() is Status.OPERAND
        assert await total_cycles(core) < other_cycles, "an exponentiation ran"
        assert await core.flag(regs.STATUS_MODULUS_VALID_MASK)
        assert await core.refuses_read(regs.RESULT_WINDOW)
    await core.put(regs.MODULUS_WINDOW, good)
    for exp_bits in (EXP_BITS + 1, 0xFFFF, 0x1_0000, 0x1_0004, 0xFFFF_FFFF):
        await core.write(regs.EXP_BITS, exp_bits)
        assert await core.run() is Status.EXP_BITS
        assert not await core.flag(regs.STATUS_MODULUS_VALID_MASK), "it was not set up"
        assert await core.refuses_read(regs.RESULT_WINDOW)
    await core.check_power(rng)


@cocotb.test()
async def a_modulus_is_set_up_once(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("once")
    modulus = odd_modulus(rng)
    await core.powmod(2, 3, modulus, 8)
    first = await total_cycles(core)
    setup_cycles = CONFIG.engine.cycles.setup(CONFIG.params)
    assert await core.read(regs.SETUP_CYCLES) == setup_cycles
    for base in (5, rng.randrange(modulus)):
        await core.put(regs.BASE_WINDOW, base)
        assert await core.run() is Status.OK
        assert await core.get(regs.RESULT_WINDOW) == pow(base, 3, modulus)
        assert await total_cycles(core) < first - setup_cycles
        assert await core.read(regs.SETUP_CYCLES) == setup_cycles
    await core.put(regs.MODULUS_WINDOW, modulus)
    assert not await core.flag(regs.STATUS_MODULUS_VALID_MASK)
    assert await core.run() is Status.OK
    assert await total_cycles(core) == first


@cocotb.test()
async def total_cycles_are_those_from_start_to_done(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("total")
    inner, cycles = dut.u_core, 0

    async def count() -> None:
        nonlocal cycles
        while inner.start.value != 1:
            await core.cycles(1)
        cycles = 1
        while inner.core_done.value != 1:
            cycles += 1
            await core.cycles(1)

    for modulus in (odd_modulus(rng), 4):  # an operation, and one that is refused
        await core.load(2, 3, modulus)
        counter = cocotb.start_soon(count())
        await core.run()
        await counter
        assert await total_cycles(core) == cycles


@cocotb.test()
async def set_up_without_an_exponentiation(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("setup")
    modulus = odd_modulus(rng)
    await core.load(3, 5, modulus)
    for flags in (SETUP_ONLY, START | SETUP_ONLY):
        assert await core.run(flags) is Status.OK
        assert await core.read(regs.IRQ_STATUS) == 1
        await core.write(regs.IRQ_STATUS, 1)
        assert await core.flag(regs.STATUS_MODULUS_VALID_MASK)
        assert not await core.flag(regs.STATUS_RESULT_VALID_MASK)
        assert await core.refuses_read(regs.RESULT_WINDOW)
    with_setup = await total_cycles(core)
    await core.write(regs.EXP_BITS, 3)
    assert await core.run() is Status.OK
    assert await core.get(regs.RESULT_WINDOW) == pow(3, 5, modulus)
    assert with_setup > CONFIG.engine.cycles.setup(CONFIG.params)


@cocotb.test()
async def interrupt(dut: Any) -> None:
    core = await running_core(dut)
    await core.load(2, 3, 5)
    await core.run()
    assert await core.read(regs.IRQ_STATUS) == 1
    assert dut.irq_o.value == 0, "the interrupt is not enabled"
    await core.write(regs.IRQ_ENABLE, 1)
    assert dut.irq_o.value == 1
    await core.write(regs.IRQ_STATUS, 0)
    assert dut.irq_o.value == 1, "only a 1 clears"
    await core.write(regs.IRQ_STATUS, 1)
    assert dut.irq_o.value == 0
    await core.write(regs.CTRL, START)
    assert dut.irq_o.value == 0
    await core.idle()
    assert dut.irq_o.value == 1
    await core.write(regs.IRQ_ENABLE, 0)
    assert dut.irq_o.value == 0
    assert await core.read(regs.IRQ_STATUS) == 1


@cocotb.test()
async def a_clear_never_hides_an_interrupt(dut: Any) -> None:
    """Clears are placed on every cycle around the end; the one on that cycle must not win."""
    core = await running_core(dut)
    await core.load(2, 0, 3)
    await core.write(regs.EXP_BITS, 0)
    for _ in range(2):  # the second one needs no set-up, like those that follow
        await core.run()
    length = await total_cycles(core)
    met = []

    async def watch() -> None:
        while True:
            await core.cycles(1)
            inner = dut.u_core
            if inner.core_done.value == 1:
                met.append(bool(inner.reg_req_q.value == 1 and inner.req_write.value == 1))

    watcher = cocotb.start_soon(watch())
    for delay in range(max(0, length - 20), length + 4):
        await core.write(regs.IRQ_STATUS, 1)
        await core.write(regs.CTRL, START)
        await core.cycles(delay)
        await core.write(regs.IRQ_STATUS, 1)
        await core.idle()
        if met[-1]:
            assert await core.read(regs.IRQ_STATUS) == 1
    watcher.cancel()
    assert any(met), "no clear met the end of the operation"


async def busy_with_its_engine(core: Core, inner: Any) -> None:
    while True:
        await core.cycles(1)
        assert inner.core_busy.value == 1 or inner.u_modexp.eng_busy.value == 0, "a wipe runs on"


@cocotb.test()
async def zeroize_in_flight(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("zeroize")
    modulus = odd_modulus(rng)
    await core.powmod(2, 3, modulus, 6)
    length = await total_cycles(core)
    watcher = cocotb.start_soon(busy_with_its_engine(core, dut.u_core))
    for cycles in (length + 50, *(rng.randrange(length + 20) for _ in range(24))):
        await core.write(regs.EXP_BITS, 6)
        await core.load(rng.randrange(modulus), rng.getrandbits(6), modulus)
        await core.write(regs.CTRL, START)
        await core.cycles(cycles)
        assert await core.run(ZEROIZE) is Status.ZEROIZED
        status = await core.read(regs.STATUS)
        assert not status & (regs.STATUS_MODULUS_VALID_MASK | regs.STATUS_RESULT_VALID_MASK)
        assert core.window_words() == [0] * 8
        assert await core.refuses_read(regs.RESULT_WINDOW)
        assert await core.get(regs.MODULUS_WINDOW) == 0
    assert await core.run() is Status.MOD_ZERO
    await core.check_power(rng)
    watcher.cancel()


@cocotb.test()
async def zeroize_beats_a_start_in_the_same_write(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("both")
    await core.load(2, 3, odd_modulus(rng))
    assert await core.run(START | SETUP_ONLY | ZEROIZE) is Status.ZEROIZED
    assert core.window_words() == [0] * 8
    assert await core.read(regs.IRQ_STATUS) == 0, "an operation ran"
    await core.load(2, 3, odd_modulus(rng))
    await core.write(regs.CTRL, START)
    assert await core.run(START | ZEROIZE) is Status.ZEROIZED, "refused while busy"
    await core.check_power(rng)


@cocotb.test()
async def zeroize_while_zeroizing(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("again")
    await core.load(2, 3, odd_modulus(rng))
    for _ in range(3):
        await core.write(regs.CTRL, ZEROIZE)
    assert await core.idle() is Status.ZEROIZED
    assert await core.read(regs.IRQ_STATUS) == 0, "no operation ended"
    assert core.window_words() == [0] * 8
    await core.check_power(rng)


@cocotb.test()
async def reset_in_flight(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("reset")
    for _ in range(6):
        modulus = odd_modulus(rng)
        await core.write(regs.IRQ_ENABLE, 1)
        await core.write(regs.EXP_BITS, 7)
        await core.load(rng.randrange(modulus), rng.getrandbits(7), modulus)
        await core.write(regs.CTRL, START)
        await core.cycles(rng.randrange(700))
        await core.reset()
        assert await core.read(regs.STATUS) == Status.NO_MODULUS << regs.STATUS_ERROR_SHIFT
        assert await core.read(regs.EXP_BITS) == EXP_BITS
        assert await core.read(regs.IRQ_ENABLE) == 0
        assert core.window_words() == [0] * 8
        assert await core.refuses_read(regs.RESULT_WINDOW)
    await core.check_power(rng)


@cocotb.test()
async def a_write_before_a_reset_of_one_cycle_has_no_effect(dut: Any) -> None:
    core = await running_core(dut)
    answered = 0
    for address in (regs.IRQ_ENABLE, regs.EXP_BITS, regs.BASE_WINDOW, regs.CTRL):
        for after in range(10):
            write = cocotb.start_soon(core.master.write(address, bytes([1, 0, 0, 0])))
            await core.cycles(after)
            answered += write.done()
            dut.rst_i.value = 1
            write.cancel()
            await core.cycles(1)
            dut.rst_i.value = 0
            assert await core.idle() is Status.NO_MODULUS, (hex(address), after)
            assert await core.read(regs.IRQ_ENABLE) == 0, after
            assert await core.read(regs.EXP_BITS) == EXP_BITS, after
            assert core.window_words() == [0] * 8, after
    assert answered, "each reset came before the end of its write"
