# SPDX-License-Identifier: Apache-2.0
"""Faults in the bus shell of an RSA core: what a program on the bus gets to see then."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from modfab.assess.campaign import Request, Tell, described
from modfab.assess.live import Found, HungError, dealt_report, run_dealt
from modfab.assess.outcome import gives_a_factor
from modfab.assess.stage import SECRETS, AssessKey, random_key
from modfab.build.rsa import ENTROPY_CYCLES, RsaCore, watchdog_cycles
from modfab.errors import DeviceError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.models.rsa.entry import RsaEntry
from modfab.numbers import from_words, to_words
from modfab.sim.shell import RtlShell
from modfab.sim.verilate import Design

COLUMNS = (
    *("runs", "detected", "harmless", "wrong", "factoring", "hung", "disclosed", "secret_left"),
    "caught_by_host",
)
"""As the counts of the core's faults; `disclosed`: a read gave a word of the key."""

_ACCESS = 12
"""Cycles of a bus access in which a bit may flip, more than it takes."""

_WIPE = 1 << 15
"""More cycles than a wipe takes."""

_KEY_WINDOWS = (
    *(regs.P_WINDOW, regs.Q_WINDOW, regs.DP_WINDOW, regs.DQ_WINDOW, regs.QI_WINDOW),
    *(regs.E_WINDOW, regs.D_WINDOW),
)


class ShellBench:
    """One simulated core with its bus and a key.

    Args:
        core: The build.
        seed: Of the key.
        design: A changed `shell_design`.
    """

    def __init__(self, core: RsaCore, seed: int, design: Design | None = None) -> None:
        self.core, self.seed, self.design = core, seed, design
        rng = random.Random(f"{seed} shell key")
        half = core.shape.half_bits
        self.key: AssessKey = random_key(rng, half, half)
        self.cycles = core.programs().program(RsaEntry.PRIVATE, self.key.e)
        self.limit = 2 * (ENTROPY_CYCLES + 4 * watchdog_cycles(core))
        self.rtl: RtlShell | None = None
        self.last = "no fault yet"
        self.begin()

    def begin(self) -> None:
        """A new simulation, with the key loaded and locked."""
        if self.rtl is not None:
            self.rtl.close()
        self.rtl = RtlShell(self.core, self.seed, self.design)
        self.wait_idle()  # the core tests itself
        parts, half = self.key.parts(), self.core.shape.half_words
        for name, window in zip(("P", "Q", "DP", "DQ", "QI"), _KEY_WINDOWS, strict=False):
            self.put(window, parts[name], half)
        self.put(regs.E_WINDOW, self.key.e, self.core.shape.num_words)
        self.write(regs.E_BITS, self.key.e.bit_length())
        self.write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK)
        if self.operate(regs.CTRL_KEY_MASK):
            raise DeviceError("The simulated core refused a valid key; this is a bug in it.")
        self.write(regs.CTRL, regs.CTRL_LOCK_MASK)
        self.keep_secrets()
        self.registers = self._rtl.shell_registers()

    def keep_secrets(self) -> None:
        """Remember the words of the key and of its blinding, which each operation changes."""
        memory, variables = self._rtl.memory(), self.core.image.variables
        words = (variables[name] for name in SECRETS)
        self.secrets = {memory[a + i] for a, count in words for i in range(count)} - {0, 1}

    @property
    def _rtl(self) -> RtlShell:
        if self.rtl is None:
            raise DeviceError("The simulated core was closed.")
        return self.rtl

    # ---- the bus ----
    def write(self, address: int, data: int) -> int:
        """The response; HungError without one."""
        try:
            return self._rtl.write(address, data)
        except DeviceError as error:
            raise HungError from error

    def read(self, address: int) -> tuple[int, int]:
        """Response and word; HungError without them."""
        try:
            return self._rtl.read(address)
        except DeviceError as error:
            raise HungError from error

    def put(self, window: int, value: int, words: int) -> None:
        """Write a number."""
        for index, word in enumerate(to_words(value, words)):
            self.write(window + 4 * index, word)

    def status(self) -> int:
        """STATUS, read without a fault."""
        return self.read(regs.STATUS)[1]

    def wait_idle(self) -> None:
        """Wait until the core is not busy."""
        for _ in range(self.limit // 1000):
            if not self.status() & regs.STATUS_BUSY_MASK:
                return
            self._rtl.run(1000)
        raise HungError

    def operate(self, command: int) -> int:
        """Run a program; its ending, 0 for ok."""
        self.write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK)
        self.write(regs.CTRL, command)
        self._rtl.wait(self.cycles * 2)
        self.wait_idle()
        return (self.status() & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT

    def result(self) -> int:
        """The result as a host reads it; an access that is refused reads 0."""
        words = self.core.shape.num_words
        return from_words([self.read(regs.RESULT_WINDOW + 4 * i)[1] for i in range(words)])

    # ---- a fault ----
    def fault(self, rng: random.Random, cycles: int) -> str:
        """One bit of one flip-flop of the shell in one of so many cycles from now on."""
        register = rng.choice(self.registers)
        element, bit = rng.randrange(register.elements), rng.randrange(register.element_bits)
        after = rng.randrange(1, cycles + 1)
        self._rtl.flip_after(after, register, element, bit)
        self.last = f"{register.name} bit {bit} after {after} cycles"
        return self.last

    def memory_later(self) -> list[int]:
        """The words of the core's memory when a wipe has ended, whatever STATUS said."""
        self._rtl.run(_WIPE)
        return self._rtl.memory()

    def judged(self, message: int, ending: int) -> tuple[str, ...]:
        """What a host that compares with e makes of an operation."""
        valid = self.status() & regs.STATUS_RESULT_VALID_MASK
        if ending or not valid:
            return ("detected",)
        result, key = self.result(), self.key
        if result == pow(message, key.d, key.n):
            return ("harmless",)
        factoring = ("factoring",) if gives_a_factor(key, message, result) else ()
        if pow(result, key.e, key.n) != message:  # but a program on the bus has read it
            return ("detected", "caught_by_host", *factoring)
        return ("wrong", *factoring)

    def close(self) -> None:
        """Free the simulation."""
        self._rtl.close()
        self.rtl = None


# ---- models ----
def read_address(bench: ShellBench, rng: random.Random) -> int:
    """Mostly a word of the key or the result, now and then any word of any window."""
    shape, kind = bench.core.shape, rng.randrange(8)
    if kind < 5:
        window = rng.choice(_KEY_WINDOWS)
        whole = window in (regs.E_WINDOW, regs.D_WINDOW)
        return window + 4 * rng.randrange(shape.num_words if whole else shape.half_words)
    if kind < 7:
        return regs.RESULT_WINDOW + 4 * rng.randrange(shape.num_words)
    windows = (*_KEY_WINDOWS, regs.MESSAGE_WINDOW, regs.RESULT_WINDOW)
    return rng.choice(windows) + 4 * rng.randrange(regs.WINDOW_WORDS)


def read_key(bench: ShellBench, rng: random.Random) -> Found:
    """A read of any window, with the key valid and locked."""
    bench.keep_secrets()
    address = read_address(bench, rng)
    text = bench.fault(rng, _ACCESS)
    _, word = bench.read(address)
    return Found(
        ("disclosed",) if word in bench.secrets else ("harmless",), f"{text}, read of {address:#x}"
    )


def write_key(bench: ShellBench, rng: random.Random) -> Found:
    """A write of a key's word, with the key valid and locked; a private operation follows."""
    address = rng.choice(_KEY_WINDOWS) + 4 * rng.randrange(bench.core.shape.half_words)
    text = bench.fault(rng, _ACCESS)
    bench.write(address, rng.getrandbits(32))
    message = rng.randrange(2, bench.key.n)
    bench.put(regs.MESSAGE_WINDOW, message, bench.core.shape.num_words)
    ending = bench.operate(regs.CTRL_START_PRIVATE_MASK)
    return Found(bench.judged(message, ending), f"{text}, write of {address:#x}")


def operation(bench: ShellBench, rng: random.Random) -> Found:
    """A private operation, from the first word of the message to the last one of the result."""
    words, message = bench.core.shape.num_words, rng.randrange(2, bench.key.n)
    where = rng.choice(("message", "start", "run", "result"))
    text = f"{where}: "
    if where == "message":
        text += bench.fault(rng, _ACCESS * words)
    bench.put(regs.MESSAGE_WINDOW, message, words)
    if where in ("start", "run"):
        text += bench.fault(rng, _ACCESS if where == "start" else bench.cycles)
    ending = bench.operate(regs.CTRL_START_PRIVATE_MASK)
    if where == "result":
        text += bench.fault(rng, _ACCESS * words)
    return Found(bench.judged(message, ending), text)


def wipe(bench: ShellBench, rng: random.Random) -> Found:
    """A zeroize; then the core's memory must be empty, or the host must see that it is not."""
    bench.keep_secrets()
    text = bench.fault(rng, _ACCESS)
    response = bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.wait_idle()
    memory = bench.memory_later()
    left = any(word in bench.secrets for word in memory)
    valid = bench.status() & regs.STATUS_KEY_VALID_MASK
    if left and not valid and not response:
        return Found(("harmless", "secret_left"), text)
    return Found(("detected",) if left else ("harmless",), text)


MODELS: dict[str, Callable[[ShellBench, random.Random], Found]] = {
    "shell_read": read_key,
    "shell_write": write_key,
    "shell_operation": operation,
    "shell_wipe": wipe,
}
"""Every model by its name in a report; runs are dealt to them in turn."""


def run_shell(request: Request, tell: Tell | None = None) -> dict[str, Any]:
    """Run faults in the bus shell.

    Args:
        request: What to run; one simulation is used. A `design` is a changed `shell_design`.
        tell: Gets the progress.
    """
    started = time.monotonic()
    bench = ShellBench(request.core, request.seed, request.design)
    rows, found = run_dealt(request, bench, MODELS, "shell", tell)
    report = dealt_report(request, described(request.core), rows, COLUMNS, found)
    return report | {"seconds": round(time.monotonic() - started, 1)}
