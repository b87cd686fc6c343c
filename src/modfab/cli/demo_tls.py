# SPDX-License-Identifier: Apache-2.0
"""`modfab demo tls`: a TLS 1.3 handshake whose server signs on a core."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.cli.core_run import CoreChoice, core_text
from modfab.errors import DeviceError, ToolError, UsageError
from modfab.serve.background import background_daemon
from modfab.serve.client import Client
from modfab.serve.provider import build_provider, provider_environment, stock_environment
from modfab.serve.units import CoreUnit
from modfab.serve.workers import Limits

_KEY = "tls"
_LIMIT_S = 300.0
_PROTOCOL = re.compile(r"^New, (\S+), Cipher is", re.MULTILINE)
_SHORT_BITS = 2048  # below it OpenSSL's default security level refuses a certificate


@dataclass(frozen=True, slots=True)
class Handshake:
    """What the client saw, and what the core did for it.

    Attributes:
        protocol: As the client names it.
        verified: Whether the client accepted the certificate and the server's signature.
        page: Whether the server's page came.
        certificate_cycles: Cycles of the core for the certificate's signature.
        handshakes: How many there were, one after the other; each has a client of its own.
        cycles: Cycles of the core for all of them.
        operations: Private operations of the core for them.
        seconds: Wall time of clients and server together.
    """

    protocol: str
    verified: bool
    page: bool
    certificate_cycles: int
    handshakes: int
    cycles: int
    operations: int
    seconds: float


def tls_demo(choice: CoreChoice, bits: int, handshakes: int, *, as_json: bool) -> None:
    """Make key, certificate, daemon and server, shake hands, and take all away again.

    Raises:
        ToolError: OpenSSL or what compiles the provider is missing or failed.
        DeviceError: The handshake failed.
    """
    if choice.rsa is None or choice.rsa.loaded:
        raise UsageError(
            "demo tls uses the RSA core and a key of its own; leave out --core modexp and --loaded."
        )
    with tempfile.TemporaryDirectory(prefix="modfab-tls-") as name:
        folder = Path(name)
        _say("Compiling the OpenSSL provider, starting the daemon.")
        config = build_provider(folder)
        _write_key(folder / "keys", bits)
        opener = functools.partial(CoreUnit, choice.device, choice.rsa_core)
        path = folder / "socket"
        with background_daemon(path, folder / "keys", [opener], Limits()) as client:
            environment = provider_environment(config, path)
            done = _shake_hands(client, environment, folder, (bits, handshakes))
    _print(choice, bits, done, as_json=as_json)
    good = done.verified and done.page and done.operations == handshakes
    if not good or done.protocol != "TLSv1.3":
        raise DeviceError(
            "The handshake did not end as it has to; this is a bug, please report it with the "
            "command that you ran."
        )


def _shake_hands(
    client: Client, environment: dict[str, str], folder: Path, lengths: tuple[int, int]
) -> Handshake:
    """Certificate and handshakes; `lengths` are the key's bits and the number of handshakes."""
    certificate, (bits, number) = folder / "certificate.pem", lengths
    cipher = ["-cipher", f"DEFAULT@SECLEVEL={2 if bits >= _SHORT_BITS else 0}"]
    start = _work_of(client)
    _say("Signing a certificate on the core.")
    _openssl(
        *("req", "-x509", "-new", "-key", f"modfab:{_KEY}", "-days", "1", "-subj", "/CN=localhost"),
        *("-addext", "subjectAltName=DNS:localhost", "-out", str(certificate)),
        environment=environment,
    )
    signed = _work_of(client)
    _say("Starting `openssl s_server` with the key in the daemon; `openssl s_client` connects.")
    with _server(certificate, cipher, environment) as port:
        begin = time.perf_counter()
        seen = [_connect(certificate, cipher, port) for _ in range(number)]
        seconds = time.perf_counter() - begin
    end = _work_of(client)
    protocols = {found[1] for text in seen if (found := _PROTOCOL.search(text))}
    return Handshake(
        protocol=" ".join(sorted(protocols)),
        verified=all("Verify return code: 0 (ok)" in text for text in seen),
        page=all("HTTP/1.0 200 ok" in text for text in seen),
        certificate_cycles=signed[0] - start[0],
        handshakes=number,
        cycles=end[0] - signed[0],
        operations=end[1] - signed[1],
        seconds=seconds,
    )


def _connect(certificate: Path, cipher: Sequence[str], port: int) -> str:
    """What a client without the provider says of one connection."""
    return _openssl(
        *("s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost"),
        *("-CAfile", str(certificate), "-verify_return_error", "-tls1_3", "-ign_eof", *cipher),
        environment=stock_environment(),
        text="GET / HTTP/1.0\r\n\r\n",
    )


@contextmanager
def _server(certificate: Path, cipher: Sequence[str], environment: dict[str, str]) -> Iterator[int]:
    """A server on a free port of the loopback interface, which its output names."""
    words = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-key", f"modfab:{_KEY}"]
    words += ["-cert", str(certificate), "-www", *cipher]
    with subprocess.Popen(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            if server.stdout is None:
                raise ToolError("openssl s_server has no output; this is a bug, please report it.")
            log = ""
            for line in server.stdout:
                log += line
                accepting = re.match(r"ACCEPT \S*:(\d+)", line)
                if accepting:
                    yield int(accepting[1])
                    break
            else:
                raise ToolError(f"openssl s_server ended; it said:\n{log[-2000:]}")
        finally:
            server.terminate()


def _openssl(*words: str, environment: dict[str, str], text: str = "") -> str:
    """Output of one command of OpenSSL."""
    try:
        done = subprocess.run(
            ["openssl", *words],
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(
            f"openssl {words[0]} did not end within {_LIMIT_S:.0f} s; a simulated core may be too "
            "slow for this key, so choose `--device model` or fewer --bits."
        ) from None
    if done.returncode != 0:
        raise ToolError(
            f"openssl {words[0]} failed; it said:\n{(done.stdout + done.stderr)[-2000:]}"
        )
    return done.stdout


def _work_of(client: Client) -> tuple[int, int]:
    """Cycles and jobs of the daemon's device so far."""
    devices = client.health()["devices"]
    if not isinstance(devices, list):
        raise DeviceError("The daemon's report has no devices; this is a bug, please report it.")
    return int(devices[0]["cycles"]), int(devices[0]["jobs"])


def _write_key(folder: Path, bits: int) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    folder.mkdir(mode=0o700)
    file = os.open(folder / f"{_KEY}.pem", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as stream:
        stream.write(text)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _print(choice: CoreChoice, bits: int, done: Handshake, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"num_bits": bits} | asdict(choice) | asdict(done)))
        return
    each = done.cycles // done.handshakes
    print(f"protocol           {done.protocol}, RSA-{bits}")
    print(f"verified           {'yes' if done.verified else 'NO'}, by a stock openssl s_client")
    print(f"page received      {'yes' if done.page else 'NO'}")
    print(f"certificate        {done.certificate_cycles:,} cycles")
    print(f"handshakes         {done.handshakes}, {done.operations} private operation(s)")
    print(f"cycles each        {each:,}")
    print(f"core               {core_text(choice)}")
    print(f"wall time          {done.seconds:.2f} s, {done.handshakes / done.seconds:.2f} a second")
    print(f"on a device        {1e6 / each:.2f} handshakes a second for each MHz of its clock")
