# SPDX-License-Identifier: Apache-2.0
"""Options that choose a core, and one RSA computation on it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, TypeVar

import typer

from modfab.cli.progress import cycle_bar
from modfab.host.keys import RsaPublic
from modfab.host.open import open_device
from modfab.host.rsa import RsaCore
from modfab.numbers import WORD_BITS, words_of

DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="sim|model|uio:/dev/uioN|devmem:0xADDRESS",
        help="The RTL compiled by Verilator, the Python model, or hardware.",
    ),
]

DEFAULT_DEVICE = "sim"
DEFAULT_ENGINE = "bit_serial"
PRIVATE_SEQUENCER = "ladder"
PUBLIC_SEQUENCER = "l2r"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """Which core: a device, an engine, and the sequencer that walks the exponent."""

    device: str
    engine: str
    sequencer: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What one power cost: clock cycles of the core, seconds of wall time here."""

    setup_cycles: int
    exp_cycles: int
    total_cycles: int
    seconds: float


def run_on_core(
    choice: CoreChoice, key: RsaPublic, title: str, job: Callable[[RsaCore], _T]
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
        open_device(choice.device, choice.engine, num_bits, choice.sequencer) as device,
        cycle_bar(title) as progress,
    ):
        core = RsaCore(device, progress)
        start = time.perf_counter()
        value = job(core)
        seconds = time.perf_counter() - start
    power = core.last
    if power is None:  # refused before it came to a power
        return value, Cost(0, 0, 0, seconds)
    return value, Cost(power.setup_cycles, power.exp_cycles, power.total_cycles, seconds)


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
