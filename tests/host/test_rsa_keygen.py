# SPDX-License-Identifier: Apache-2.0
"""A core that makes its keys behind its bus, RTL and model, through the driver."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from Crypto.PublicKey import RSA

from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError, OperandError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.key_public import to_pem
from modfab.host.keys import RsaPublic
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import Transport
from modfab.host.transport_sim import SimTransport
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaModel, RsaRun
from tests.support.rsa_core import make_key, private_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keygen=True)
PLAIN = rsa_core("bit_serial", 64, {"BitsPerClock": 8})


@pytest.fixture(params=["sim", "model"])
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    bus = SimTransport(CONFIG) if request.param == "sim" else RsaModelTransport(CONFIG)
    yield bus
    bus.close()


def test_a_key_of_the_core(transport: Transport, rng: random.Random) -> None:
    device, programs = RsaDevice(transport), CONFIG.programs()
    key, cycles = device.generate_key()
    parts = (programs.program(entry, key.e) for entry in (RsaEntry.DERIVE, RsaEntry.KEY))
    assert (cycles, key.num_bits, key.e) == (sum(parts), 128, 65537)
    for message in (0, 1, key.n - 1, rng.randrange(key.n)):
        assert pow(device.private(message).value, key.e, key.n) == message
    windows = (regs.P_WINDOW, regs.Q_WINDOW, regs.DP_WINDOW, regs.DQ_WINDOW, regs.QI_WINDOW)
    for window in windows:  # no more than of a key that was loaded
        with pytest.raises(DeviceError):
            transport.read32(window)
    other, _ = device.generate_key()
    assert other != key
    device.lock()
    with pytest.raises(DeviceError, match="holds a locked key"):
        device.generate_key()


def test_what_the_bus_shows_of_it(transport: Transport) -> None:
    device = RsaDevice(transport)
    key, _ = device.generate_key()
    device.zeroize()
    assert not transport.read32(regs.STATUS) & regs.STATUS_RESULT_VALID_MASK
    with pytest.raises(DeviceError):
        device.adopt(key)


def test_a_loaded_key_needs_all_its_parts(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    with pytest.raises(OperandError, match="made another one than this, which was wiped"):
        device.load_key(key, derive=True)
    assert device.valid_keys == (False,)
    assert device.load_key(key) == CONFIG.programs().program(RsaEntry.KEY, key.e)
    assert device.private(5).value == pow(5, key.d, key.n)


def test_other_cores_make_none() -> None:
    refused = pytest.raises(OperandError, match="It was not built for that: load a key")
    with RsaDevice(RsaModelTransport(PLAIN)) as device, refused:
        device.generate_key()


def test_no_prime_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with RsaDevice(RsaModelTransport(CONFIG)) as device:
        monkeypatch.setattr(RsaModel, "run", lambda *_: RsaRun(RsaStatus.KEY, 1))
        with pytest.raises(OperandError, match="it has found no prime, which is rare"):
            device.generate_key()
        monkeypatch.undo()
        assert device.valid_keys == (False,)
        with pytest.raises(OperandError):
            device.private(5)


def test_public_keys_as_pem(rng: random.Random) -> None:
    made = make_key(rng, 600, 600)
    read = RSA.import_key(to_pem(RsaPublic(n=made.n, e=made.e)))
    assert (read.n, read.e, read.has_private()) == (made.n, made.e, False)
