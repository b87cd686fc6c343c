# SPDX-License-Identifier: Apache-2.0
"""The LiteX peripheral: a SoC around a package, and the C driver on its CPU, in Verilator."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
from math import gcd
from pathlib import Path

import pytest
from Crypto.Util import number
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.build.boards import get_board
from modfab.build.core import Core, modexp_core
from modfab.build.farm import farm_core
from modfab.build.rsa import public_core, rsa_core
from modfab.host.generated import mf_rsa_regs
from modfab.host.keys import RsaPrivate
from modfab.numbers import to_words, words_of
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from modfab.paths import sw_dir
from modfab.sim.verilate import compiler, verilator_root
from tests.support.eda import RTL, run, yosys
from tests.support.rsa_keys import ours

BOARD = RTL.parent / "boards" / "litex"
GCC = "riscv64-unknown-elf-gcc"
E = 65537
BITS = 512  # the shortest that holds a padded SHA-256
LIMIT_CYCLES = 20_000_000
PYTHONPATH = os.pathsep.join(map(str, [RTL.parent / "src", *filter(None, sys.path)]))
"""Of ulx3s.py, which takes the board's pins from the checkout's package."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("litex") / "my_rsa"
    core = rsa_core("sos", BITS // 2)
    write_package(IpPackage(core, "my_rsa"), folder)
    return folder


def soc(package: Path, out: Path, *words: str | Path) -> str:
    """Run soc.py; what it prints."""
    command = [sys.executable, BOARD / "soc.py", "--package", package, "--out", out, *words]
    return run(command, out)


def test_headers_have_the_core_and_its_interrupt(package: Path, tmp_path: Path) -> None:
    soc(package, tmp_path)
    memory, csr, constants = (
        (tmp_path / "generated" / name).read_text() for name in ("mem.h", "csr.h", "soc.h")
    )
    assert "#define RSA_BASE 0x90000000L" in memory
    assert "#define RSA_SIZE 0x00010000" in memory
    assert "CSR_RSA_ALARM_ADDR" in csr
    assert "CSR_RSA_EV_ENABLE_ADDR" in csr
    assert "RSA_INTERRUPT" in constants


def test_a_core_for_public_operations_has_no_entropy(tmp_path: Path) -> None:
    """Its SoCs elaborate with their packages: no port is connected that the core does not have."""
    folder, firmware, out = tmp_path / "my_rsa", tmp_path / "main.bin", tmp_path / "out"
    write_package(IpPackage(public_core("bit_serial", 128, {}), "my_rsa"), folder)
    firmware.write_bytes(bytes(16))
    out.mkdir()
    soc(folder, out, "--firmware", firmware)
    verilog = (out / "soc.v").read_text()
    assert "my_rsa" in verilog
    assert "s_axis_rnd" not in verilog
    verilator = verilator_root() / "bin" / "verilator_bin"
    words: list[str | Path] = [verilator, "--lint-only", "--top-module", "soc"]
    words += ["--timescale", "1ns/1ps", BOARD / "waivers.vlt"]
    run([*words, *(out / "soc.f").read_text().split(), out / "soc.v"], out)
    words = [sys.executable, BOARD / "ulx3s.py", "--package", folder, "--out", out / "ulx3s"]
    run(words, tmp_path, PYTHONPATH=PYTHONPATH)
    text = (out / "ulx3s" / "gateware" / "ulx3s.v").read_text()
    assert "my_rsa" in text
    assert "s_axis_rnd" not in text


def test_a_soc_for_ulx3s_elaborates(package: Path, tmp_path: Path) -> None:
    """Pins of our own board's entry; every module and cell is there, the PLL once."""
    words: list[str | Path] = [
        sys.executable,
        BOARD / "ulx3s.py",
        "--package",
        package,
        "--out",
        tmp_path,
    ]
    run(words, tmp_path, PYTHONPATH=PYTHONPATH)
    gateware = tmp_path / "gateware"
    lines, pins = (gateware / "ulx3s.lpf").read_text(), get_board("ulx3s-85f").pins
    for port, name in (("clk_i", "clk"), ("uart_rx_i", "serial_rx"), ("uart_tx_o", "serial_tx")):
        assert f'LOCATE COMP "{name}" SITE "{pins[port].split()[0]}";' in lines
    assert "--timing-allow-fail" not in (gateware / "build_ulx3s.sh").read_text()
    script = (gateware / "ulx3s.ys").read_text()
    paths = [Path(path) for path in re.findall(r"^read_verilog (\S+)$", script, re.MULTILINE)]
    assert [path.name for path in paths] == ["my_rsa_flat.v", "VexRiscv.v", "ulx3s.v"]
    for path in paths[:-1]:
        shutil.copy(path, gateware)  # the wheel's Yosys sees its working folder only
    reads = [f"read_verilog {path.name}" for path in paths]
    cells = "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v"
    checks = "hierarchy -check -top ulx3s; proc; flatten; opt_clean"
    yosys("; ".join([cells, *reads, checks, "select -assert-count 1 t:EHXPLLL"]), gateware)


def test_registers_have_the_names_of_the_map(package: Path, tmp_path: Path) -> None:
    soc(package, tmp_path)
    text = (tmp_path / "generated" / "soc.h").read_text()
    found = {name: int(value) for name, value in re.findall(r"RSA_(\w+)_OFFSET (\d+)", text)}
    generated = {
        name.removesuffix("_WINDOW"): value
        for name, value in vars(mf_rsa_regs).items()
        if name.isupper() and not name.endswith(("_MASK", "_SHIFT", "_VALUE", "_WORDS"))
    }
    assert found == generated


def test_a_folder_without_a_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"Expected one list of files \(\*\.f\) in .* build"):
        soc(tmp_path, tmp_path)


@pytest.mark.parametrize(
    "core", [modexp_core("bit_serial", 64), farm_core("bit_serial", 64, 1)], ids=["modexp", "farm"]
)
def test_a_package_of_another_core_is_refused(core: Core, tmp_path: Path) -> None:
    write_package(IpPackage(core, "other"), tmp_path / "other")
    with pytest.raises(AssertionError, match=r"Expected the package of an RSA core in .* another"):
        soc(tmp_path / "other", tmp_path)


def verilate(out: Path) -> Path:
    """The simulated SoC as a program."""
    files = (out / "soc.f").read_text().split()
    words: list[str | Path] = [verilator_root() / "bin" / "verilator", "--cc", "--exe", "--build"]
    words += ["--top-module", "soc", "-O3", "-CFLAGS", "-O1", "--x-initial", "unique"]
    words += ["--timescale", "1ns/1ps"]  # LiteX states one, our modules have no delays
    words += ["--Mdir", out / "obj", BOARD / "waivers.vlt", *files, out / "soc.v"]
    words += [BOARD / "bench.cpp", "-o", "soc"]
    run(words, out, CXX=compiler())
    return out / "obj" / "soc"


def key_header(key: RsaPrivate, message: int) -> str:
    """key.h of the firmware."""
    half, whole = words_of(BITS // 2), words_of(BITS)
    parts = {
        "p": (key.p, half),
        "q": (key.q, half),
        "dp": (key.d % (key.p - 1), half),
        "dq": (key.d % (key.q - 1), half),
        "qi": (pow(key.q, -1, key.p), half),
        "e": (key.e, whole),
        "message": (message, whole),
    }
    lines = [f"#define KEY_WORDS {whole}", f"#define KEY_E_BITS {key.e.bit_length()}"]
    for name, (value, num_words) in parts.items():
        words = ", ".join(f"0x{word:08x}u" for word in to_words(value, num_words))
        lines.append(f"static const uint32_t key_{name}[] = {{{words}}};")
    return "\n".join(["#include <stdint.h>", *lines, ""])


def compile_firmware(out: Path) -> Path:
    """main.c with the C driver, for the SoC's CPU; a raw binary."""
    firmware, sw = BOARD / "firmware", sw_dir() / "c"
    drivers = [sw / f"{name}.c" for name in ("modfab_bus", "modfab_key", "modfab_rsa")]
    words: list[str | Path] = [
        GCC,
        "-march=rv32im_zicsr",
        "-mabi=ilp32",
        "-std=c99",
        "-Os",
        "-ffreestanding",
    ]
    words += ["-Wall", "-Wextra", "-Werror", "-nostdlib", "-fno-builtin"]
    words += [f"-I{out}", f"-I{sw}"]
    words += ["-T", firmware / "link.ld", firmware / "start.S", firmware / "main.c", *drivers]
    run([*words, "-o", out / "main.elf"], out)
    run([GCC.replace("gcc", "objcopy"), "-O", "binary", "main.elf", "main.bin"], out)
    return out / "main.bin"


def openssl_verifies(key: rsa.RSAPrivateKey, signature: bytes, data: Path) -> bool:
    public = data.with_name("public.pem")
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    data.with_name("signature").write_bytes(signature)
    words = ["openssl", "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature"]
    done = subprocess.run(
        [*words, data.name], cwd=data.parent, capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and "Verified OK" in done.stdout


def small_key(rng: random.Random) -> rsa.RSAPrivateKey:
    """A key of `BITS`, too short for anything but a simulation."""
    p, q = (number.getPrime(BITS // 2, randfunc=rng.randbytes) for _ in range(2))
    while p == q or (p * q).bit_length() < BITS or gcd(E, (p - 1) * (q - 1)) > 1:
        p, q = (number.getPrime(BITS // 2, randfunc=rng.randbytes) for _ in range(2))
    d = pow(E, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(E, p * q)
    rest = (d, d % (p - 1), d % (q - 1), pow(q, -1, p))
    return rsa.RSAPrivateNumbers(p, q, *rest, public).private_key(
        unsafe_skip_rsa_key_validation=True
    )


def padded(data: bytes) -> int:
    """PKCS#1 v1.5 of the data's SHA-256, as long as the modulus."""
    info = bytes.fromhex("3031300d060960864801650304020105000420")
    tail = b"\0" + info + hashlib.sha256(data).digest()
    return int.from_bytes(b"\0\1" + b"\xff" * (BITS // 8 - 2 - len(tail)) + tail, "big")


@pytest.mark.skipif(
    shutil.which(GCC) is None,
    reason="no compiler for RISC-V: apt-get install gcc-riscv64-unknown-elf",
)
def test_the_soft_cpu_signs(package: Path, tmp_path: Path, rng: random.Random) -> None:
    """It tests the core, loads a key and signs, waiting for the interrupt; OpenSSL verifies."""
    made = small_key(rng)
    data = tmp_path / "data"
    data.write_bytes(rng.randbytes(100))
    soc(package, tmp_path)
    (tmp_path / "key.h").write_text(key_header(ours(made), padded(data.read_bytes())))
    soc(package, tmp_path, "--firmware", compile_firmware(tmp_path))
    program = verilate(tmp_path)
    console = run([program, str(LIMIT_CYCLES), str(rng.getrandbits(30))], tmp_path)
    match = re.fullmatch(r"signature ([0-9a-f]+)\ninterrupts ([0-9a-f]+)\n", console)
    assert match, console
    signature = bytes.fromhex(match[1])
    assert openssl_verifies(made, signature, data)
    assert not openssl_verifies(made, signature[:-1] + bytes([signature[-1] ^ 1]), data)
    # Self-test, key, signature, check with e; an end that falls between two waits is not counted.
    assert 3 <= int(match[2], 16) <= 4
