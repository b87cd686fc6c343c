# SPDX-License-Identifier: Apache-2.0
"""RSA of others beside ours: published figures with their source, OpenSSL as measured."""

from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import tomli

from modfab.errors import ToolError, UsageError
from modfab.paths import results_dir
from modfab.report.bench import OpenSslSpeed, Operation, openssl_speed, parse_operation

OPENSSL_SOURCE = "openssl speed"
OPENSSL_SIZES = (1024, 2048, 3072, 4096)
"""Bits of the keys that `measure_openssl` asks for."""


@dataclass(frozen=True, slots=True)
class Other:
    """How fast somebody else's RSA is.

    Attributes:
        name: Of the design or program.
        what: What it is: CPU core, FPGA HSM, accelerator.
        form: How it is built and used.
        per_second: Operations.
        cycles, mhz: Of one operation, and the clock, where the source has them.
        source: Where the figure is from.
        note: What the source counts, and when it is from.
    """

    name: str
    what: str
    form: str
    per_second: float
    cycles: int | None
    mhz: float | None
    source: str
    note: str

    @property
    def latency_ms(self) -> float | None:
        """Of one operation; None where only the rate of several at once is known."""
        return self.cycles / self.mhz / 1000 if self.cycles and self.mhz else None

    @property
    def rate_text(self) -> str:
        """Operations a second for people."""
        return f"{self.per_second:,.{0 if self.per_second >= 10 else 1}f}"


def published_others(operation: Operation, path: Path | None = None) -> list[Other]:
    """Published figures for an operation, in the order of the file.

    Raises:
        UsageError: A row lacks a figure or a name.
    """
    place = path or results_dir() / "others.toml"
    rows = tomli.loads(place.read_text(encoding="utf-8"))["row"]
    try:
        return [_published(row) for row in rows if parse_operation(row["op"]) == operation]
    except KeyError as error:
        raise UsageError(
            f"A row of {place.name} lacks {error}; every row needs op, name, what, form, source, "
            "note, and per_second or cycles and mhz."
        ) from error


def _published(row: dict[str, Any]) -> Other:
    cycles, mhz = row.get("cycles"), row.get("mhz")
    rate = row["per_second"] if cycles is None else 1e6 * row["mhz"] / cycles
    texts = {name: str(row[name]) for name in ("name", "what", "form", "source", "note")}
    return Other(**texts, per_second=rate, cycles=cycles, mhz=mhz)


def openssl_other(operation: Operation, speed: OpenSslSpeed, cpu: str, date: str) -> Other:
    """OpenSSL on one core of a machine."""
    rate = speed.private_per_s if operation.is_private else speed.public_per_s
    return Other(
        name=speed.version,
        what="CPU core",
        form=cpu,
        per_second=rate,
        cycles=None,
        mhz=None,
        source=OPENSSL_SOURCE,
        note=f"Measured {date} on one core: operations in a second of that core's time.",
    )


def openssl_here(operation: Operation) -> Other | str:
    """OpenSSL on this machine, measured now; the reason when it has no answer."""
    speed = openssl_speed(operation.num_bits)
    return speed if isinstance(speed, str) else openssl_other(operation, speed, cpu(), _today())


def _today() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%d")


def cpu(info: Path = Path("/proc/cpuinfo")) -> str:
    """Name of this machine's processor."""
    text = info.read_text(encoding="utf-8", errors="replace") if info.is_file() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def openssl_file() -> Path:
    """Where `measure_openssl` keeps its figures."""
    return results_dir() / "openssl.json"


def measure_openssl() -> str:
    """Run `openssl speed` for each of `OPENSSL_SIZES` and return the text of `openssl_file`.

    Raises:
        ToolError: OpenSSL has no answer.
    """
    speeds = {}
    for num_bits in OPENSSL_SIZES:
        speed = openssl_speed(num_bits)
        if isinstance(speed, str):
            raise ToolError(
                f"Expected operations a second of RSA-{num_bits}, but {speed}; install OpenSSL 1.1 "
                "or newer."
            )
        speeds[str(num_bits)] = asdict(speed)
    return json.dumps({"cpu": cpu(), "date": _today(), "speeds": speeds}, indent=1) + "\n"


def stored_openssl(operation: Operation, path: Path | None = None) -> Other | None:
    """OpenSSL as measured on the machine that made the committed results."""
    place = path or openssl_file()
    if not place.is_file():
        return None
    data = json.loads(place.read_text(encoding="utf-8"))
    speed = data["speeds"].get(str(operation.num_bits))
    if speed is None:
        return None
    return openssl_other(operation, OpenSslSpeed(**speed), data["cpu"], data["date"])
