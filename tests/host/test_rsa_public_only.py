# SPDX-License-Identifier: Apache-2.0
"""The RSA core for public operations only behind its bus, RTL and model, through the driver."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from modfab.build.rsa import public_core, rsa_core
from modfab.errors import DeviceError, NoDeviceError, OperandError, SelfTestError
from modfab.host import rsa_open
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPublic
from modfab.host.known_answer import known_answer
from modfab.host.rsa_device import N_WINDOW, RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.rsa_open import open_rsa_device
from modfab.host.transport import BusError, Transport
from modfab.host.transport_sim import SimTransport
from modfab.models.rsa.entry import RsaEntry
from tests.support.rsa_core import private_key

CONFIG = public_core("bit_serial", 128, {"BitsPerClock": 8})
PRIVATE = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
WORDS = 4


def connect(kind: str) -> Transport:
    return SimTransport(CONFIG) if kind == "sim" else RsaModelTransport(CONFIG)


@pytest.fixture(params=["sim", "model"])
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    bus = connect(request.param)
    yield bus
    bus.close()


@pytest.fixture
def device(transport: Transport) -> RsaDevice:
    return RsaDevice(transport)


def public_key(rng: random.Random, bits: int = 128, e: int = 65537) -> RsaPublic:
    return RsaPublic(n=rng.getrandbits(bits) | 1 << bits - 1 | 1, e=e)


def test_powers_and_cycles(device: RsaDevice, rng: random.Random) -> None:
    programs = CONFIG.programs()
    for key in (public_key(rng), public_key(rng, 97, 3)):
        assert device.load_public(key) == programs.program(RsaEntry.KEY, key.e)
        assert device.load_public(key) == 0
        for message in (0, 1, key.n - 1, rng.randrange(key.n)):
            result = device.public(message)
            assert result.value == pow(message, key.e, key.n)
            assert result.total_cycles == programs.program(RsaEntry.PUBLIC, key.e)
        with pytest.raises(OperandError, match="must be below the modulus"):
            device.public(key.n)
    assert device.faults == 0
    assert device.public_only
    device.zeroize()
    assert device.selftest() == programs.program(RsaEntry.TEST, 0)


def test_capability_and_windows(transport: Transport) -> None:
    device = RsaDevice(transport)
    device.zeroize()
    capability = transport.read32(regs.CAPABILITY)
    assert capability & regs.CAPABILITY_PUBLIC_ONLY_MASK
    assert not capability & regs.CAPABILITY_SEQUENCER_MASK
    assert transport.read32(regs.PRIME_BITS) == 128
    for window in (N_WINDOW, regs.E_WINDOW, regs.MESSAGE_WINDOW):
        transport.write32(window + 4 * (WORDS - 1), 1)
        with pytest.raises(BusError):
            transport.write32(window + 4 * WORDS, 1)
    secret = (regs.Q_WINDOW, regs.DP_WINDOW, regs.DQ_WINDOW, regs.QI_WINDOW, regs.D_WINDOW)
    for window in secret:
        with pytest.raises(BusError):
            transport.write32(window, 1)
    for mask in (regs.CTRL_START_PRIVATE_MASK, regs.CTRL_DERIVE_MASK):
        with pytest.raises(BusError):
            transport.write32(regs.CTRL, mask)
    assert not transport.read32(regs.STATUS) & regs.STATUS_BUSY_MASK
    assert not transport.read32(regs.STATUS) & regs.STATUS_ENTROPY_FAILED_MASK


def test_a_private_command_with_a_key_is_refused(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), public_key(rng)
    device.load_public(key)
    for mask in (regs.CTRL_START_PRIVATE_MASK, regs.CTRL_DERIVE_MASK):
        with pytest.raises(BusError):
            transport.write32(regs.CTRL, mask)
    with pytest.raises(BusError):
        transport.write32(N_WINDOW, 1)
    assert device.public(2).value == pow(2, key.e, key.n)
    device.lock()
    with pytest.raises(DeviceError, match="holds a locked key"):
        device.load_public(public_key(rng))
    assert device.public(3).value == pow(3, key.e, key.n)


def test_a_private_key_is_refused(device: RsaDevice, rng: random.Random) -> None:
    with pytest.raises(OperandError, match=r"for public operations only.*give it a public key"):
        device.load_key(private_key(rng))
    key = public_key(rng)
    device.load_public(key)
    with pytest.raises(OperandError, match="holds no private key"):
        device.private(2)
    private = private_key(rng)
    device.load_public(private)  # its public half
    assert device.public(5).value == pow(5, private.e, private.n)


def test_a_key_that_is_none_or_does_not_fit(device: RsaDevice, rng: random.Random) -> None:
    even = RsaPublic(n=public_key(rng).n - 1, e=3)
    with pytest.raises(OperandError, match="n must be odd"):
        device.load_public(even)
    for bits in (96, 129):
        with pytest.raises(OperandError, match=f"keys of 97 to 128 bits.*has {bits} bits"):
            device.load_public(public_key(rng, bits))


def test_a_wrong_known_answer_fails_and_leaves_nothing(
    device: RsaDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert known_answer(device) > 0
    assert device.valid_keys == (False,)
    public = device.public
    monkeypatch.setattr(device, "public", lambda base: replace(public(base), value=1))
    with pytest.raises(SelfTestError, match="did not give the known answer for n and e from the"):
        known_answer(device)
    assert device.valid_keys == (False,)


def test_a_private_core_takes_no_public_key(rng: random.Random) -> None:
    with (
        RsaDevice(RsaModelTransport(PRIVATE)) as device,
        pytest.raises(OperandError, match=r"takes no public key alone.*public_only=1"),
    ):
        device.load_public(public_key(rng))


def test_the_other_kind_of_core_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, asked, text in (
        (CONFIG, PRIVATE, "a public key alone, but a private key is to be used.*without"),
        (PRIVATE, CONFIG, "a private key, but a public key alone is to be used.*with public"),
        (CONFIG, public_core("bit_serial", 256), "a modulus of 128 bits, but 256 are needed"),
    ):
        monkeypatch.setattr(rsa_open, "_transport", lambda *_, core=there: RsaModelTransport(core))
        with pytest.raises(NoDeviceError, match=text):
            open_rsa_device("uio:/dev/uio0", asked)
