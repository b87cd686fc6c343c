# SPDX-License-Identifier: Apache-2.0
"""Open a device by its name on the command line."""

from __future__ import annotations

from pathlib import Path

from modfab.build.core import ModexpCore, modexp_core
from modfab.catalog import Params
from modfab.errors import NoDeviceError, UsageError
from modfab.host.defaults import DEFAULT_ENGINE, DEFAULT_SEQUENCER, SIMULATED
from modfab.host.device import CycleEstimate, Device
from modfab.host.transport import Transport
from modfab.host.transport_model import ModelTransport
from modfab.host.transport_serial import open_serial
from modfab.host.transport_sim import SimTransport
from modfab.host.transport_uio import open_devmem, open_uio

_ADDRESSES = 1 << 63  # what a file's offset can be


def open_device(
    spec: str,
    engine: str,
    num_bits: int,
    sequencer: str,
    overrides: Params | None = None,
    exp_bits: int | None = None,
) -> Device:
    """Open a device; use it as a context manager, so that the core is zeroized at the end.

    Args:
        spec: `sim`, `model`, `uio:/dev/uioN`, `devmem:0xADDRESS` or `serial:PATH[,BAUD]`.
        engine: Engine of a simulated core; hardware has the one it was built with.
        num_bits: Bits of the widest modulus that is needed.
        sequencer: Sequencer; hardware must have been built with this one.
        overrides: Engine parameters of a simulated core other than the defaults.
        exp_bits: Longest exponent; `num_bits` when None.

    Raises:
        UsageError: The spec, a name or a parameter is wrong.
        DeviceError: The hardware does not answer, or was built differently.
        ToolError: The simulation cannot be compiled.
    """
    config = modexp_core(engine, num_bits, overrides, sequencer, exp_bits)
    transport = open_transport(spec, config)
    if spec in ("sim", "model"):
        return Device(transport, _estimate(config))
    return _checked(Device(transport), num_bits, sequencer)


def open_modexp(
    device: str = "sim",
    num_bits: int = 2048,
    engine: str = DEFAULT_ENGINE,
    sequencer: str = DEFAULT_SEQUENCER,
    params: Params | None = None,
    exp_bits: int | None = None,
) -> Device:
    """An exponentiator for moduli of that many bits, with the defaults of the command line.

    Args, raises: As `open_device`.
    """
    return open_device(device, engine, num_bits, sequencer, params, exp_bits)


def open_transport(spec: str, config: ModexpCore) -> Transport:
    """Open the bus of a device, for programs that use the registers themselves.

    Args:
        spec: As for `open_device`.
        config: What to simulate; hardware is what it was built as.

    Raises:
        UsageError: The spec is wrong.
        DeviceError: The hardware cannot be opened.
        ToolError: The simulation cannot be compiled.
    """
    kind, _, place = spec.partition(":")
    if spec == "sim":
        return SimTransport(config)
    if spec == "model":
        return ModelTransport(config)
    if kind == "uio" and place:
        return open_uio(Path(place))
    if kind == "devmem" and place:
        return open_devmem(parse_address(place))
    if kind == "serial" and place:
        return open_serial(place)
    raise unknown_device(spec)


def check_device(spec: str) -> None:
    """Refuse a spec that names no device, without opening it; UsageError as `open_device`."""
    kind, _, place = spec.partition(":")
    if kind == "devmem" and place:
        parse_address(place)
    elif spec not in SIMULATED and not (kind in ("uio", "serial") and place):
        raise unknown_device(spec)


def unknown_device(spec: str) -> UsageError:
    """The error for a spec that names no transport."""
    return UsageError(
        "Expected --device sim, model, uio:/dev/uioN, devmem:0xADDRESS or serial:PATH[,BAUD], but "
        f"got {spec!r}; choose one of these."
    )


def parse_address(text: str) -> int:
    """The address of `devmem:ADDRESS`; UsageError when it is none."""
    try:
        address = int(text, 0)
        if address not in range(_ADDRESSES):
            raise ValueError
        return address
    except ValueError:
        raise UsageError(
            f"Expected an address such as devmem:0x43c00000, but got {text!r}; give the address "
            "that the core has on its bus."
        ) from None


def _estimate(config: ModexpCore) -> CycleEstimate:
    def cycles(exponent: int, exp_bits: int) -> int:
        return config.sequencer.exp_cycles(config.engine, config.params, exponent, exp_bits)

    return cycles


def _checked(device: Device, num_bits: int, sequencer: str) -> Device:
    """The device, or an error when hardware cannot do what is asked."""
    if device.num_bits < num_bits:
        problem = f"holds {device.num_bits} bits, but {num_bits} are needed"
    elif device.sequencer != sequencer:
        problem = f"has the sequencer {device.sequencer}, but {sequencer} is needed"
    else:
        return device
    device.close()
    raise NoDeviceError(f"The core {problem}; load a bitstream that was built for this.")
