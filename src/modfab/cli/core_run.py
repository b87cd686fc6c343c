# SPDX-License-Identifier: Apache-2.0
"""Options that choose a core, and one RSA computation on it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Literal, Protocol, TypeVar

import typer

from modfab.build.rsa import RsaCore, rsa_core
from modfab.cli.progress import cycle_bar
from modfab.host.core_key import Power
from modfab.host.keys import RsaPrivate, RsaPublic, without_e
from modfab.host.open import open_device
from modfab.host.rsa import PowerResult, RsaOnModexp
from modfab.host.rsa_open import RsaUnit, open_rsa_device, prime_bits_of
from modfab.numbers import WORD_BITS, words_of

DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="sim|model|uio:/dev/uioN|devmem:0xADDRESS|serial:PATH[,BAUD]",
        help="The RTL compiled by Verilator, the Python model, or hardware.",
    ),
]

DEFAULT_DEVICE = "sim"
SIMULATED = ("sim", "model")
DEFAULT_ENGINE = "bit_serial"
DEFAULT_SEQUENCER = "ladder"
PRIVATE_ENGINE = "qp_systolic"
PRIVATE_SEQUENCER = "window"
PUBLIC_SEQUENCER = "l2r"

PrivateCore = Literal["rsa", "modexp"]
Check = Literal["e", "again"]

_T = TypeVar("_T")


class PowerCore(Protocol):
    """A core that computes the private power of a key."""

    def private_power(self, key: RsaPublic) -> Power:
        """Map x to x**d mod n."""


@dataclass(frozen=True, slots=True)
class RsaOptions:
    """What only the RSA core has a choice of; see `modfab.cli.private_core`."""

    engines: int = 1
    pair: bool = False
    blinding: bool = True
    derive: bool = False
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """Which core: a device, an engine, and the sequencer that walks the exponent.

    Attributes:
        params: Engine parameters other than the defaults.
        check: How a private result is checked: with the public exponent, or by a second power.
        rsa: The RSA core's options; None for the exponentiator.
    """

    device: str
    engine: str
    sequencer: str
    params: dict[str, int] = field(default_factory=dict, hash=False)
    check: Check = "e"
    rsa: RsaOptions | None = None

    def rsa_core(self, prime_bits: int) -> RsaCore:
        """The RSA core for primes of that many bits."""
        options = self.rsa or RsaOptions()
        return rsa_core(
            *(self.engine, prime_bits, self.params, self.sequencer),
            message_blinding=options.blinding,
            exponent_words=int(options.blinding),
            engines=options.engines,
            pair=options.pair,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What one power cost: clock cycles of the core, seconds of wall time here."""

    setup_cycles: int
    exp_cycles: int
    total_cycles: int
    seconds: float


def run_on_core(
    choice: CoreChoice, key: RsaPublic, title: str, job: Callable[[RsaOnModexp], _T]
) -> tuple[_T, Cost]:
    """Open a core that is wide enough for a key and compute one power on it.

    Args:
        choice: Which core.
        key: Its modulus, rounded up to whole words, is the width of the core.
        title: Text beside the progress bar.
        job: Computes one power with the bound device.

    Returns:
        What the job returned, and what the power cost.
    """
    num_bits = WORD_BITS * words_of(key.num_bits)
    with (
        open_device(
            choice.device, choice.engine, num_bits, choice.sequencer, choice.params
        ) as device,
        cycle_bar(title) as progress,
    ):
        core = RsaOnModexp(device, progress)
        start = time.perf_counter()
        value = job(core)
        seconds = time.perf_counter() - start
    return value, _cost(core.last, seconds)


def run_private(
    choice: CoreChoice, key: RsaPublic, title: str, job: Callable[[PowerCore], _T]
) -> tuple[_T, Cost]:
    """As `run_on_core`, for a private key on the core that was chosen."""
    if choice.rsa is None:
        return run_on_core(choice, key, title, job)
    with (
        open_rsa_device(choice.device, choice.rsa_core(prime_bits_of(key))) as device,
        cycle_bar(title) as progress,
    ):
        unit = RsaUnit(device, progress, choice.rsa.derive, choice.rsa.loaded)
        start = time.perf_counter()
        value = job(unit)
        seconds = time.perf_counter() - start
    return value, _cost(unit.last, seconds)


def key_for(choice: CoreChoice, key: RsaPrivate) -> RsaPrivate:
    """The key as the core gets it: without its public exponent when it is not to be used."""
    return key if choice.check == "e" else without_e(key)


def _cost(power: PowerResult | None, seconds: float) -> Cost:
    if power is None:  # refused before it came to a power
        return Cost(0, 0, 0, seconds)
    return Cost(power.setup_cycles, power.exp_cycles, power.total_cycles, seconds)


def print_report(
    line: str, fields: dict[str, object], choice: CoreChoice, cost: Cost, *, as_json: bool
) -> None:
    """Print what was done: one line for people, or one JSON object.

    Args:
        line: The sentence for people; the cost is appended.
        fields: What the JSON object says beside core and cost.
        choice: The core.
        cost: Its cost.
        as_json: Which of the two.
    """
    if as_json:
        print(json.dumps(fields | asdict(choice) | asdict(cost)))
    else:
        print(
            f"{line} ({cost.total_cycles:,} cycles of {choice.engine} with {choice.sequencer}, "
            f"{cost.seconds:.2f} s on device {choice.device})"
        )
