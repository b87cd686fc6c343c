# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of modfab, on the simulated core: OpenSSL, nginx, curl, Python."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.models.rsa.entry import RsaEntry
from modfab.serve.client import Client
from modfab.serve.provider import provider_environment
from modfab.serve.units import CoreUnit
from tests.support.cli import run_cli
from tests.support.daemon import daemon, key_folder
from tests.support.openssl import Stage, build, make_stage, skip_without_openssl
from tests.support.rsa_keys import shared_key

BITS = 1024
WEAK = "DEFAULT@SECLEVEL=0"  # OpenSSL's default level refuses keys of this length


def core(prime_bits: int) -> RsaCore:
    return rsa_core("qp_systolic", prime_bits, sequencer="window", engines=2, pair=True)


PRIVATE_CYCLES = core(BITS // 2).programs().program(RsaEntry.PRIVATE, 65537)
Work = Callable[[], int]
"""Private operations since the last call; their cycles have been compared with the formula."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = tmp_path_factory.mktemp("clients")
    return make_stage(folder, build(folder), shared_key(BITS))


@pytest.fixture(scope="module")
def client(stage: Stage) -> Iterator[Client]:
    keys = key_folder(stage.folder / "keys", web=shared_key(BITS))
    with daemon(stage.socket, keys, functools.partial(CoreUnit, "sim", core)) as client:
        yield client


def totals(client: Client) -> tuple[int, int]:
    devices = client.health()["devices"]
    assert isinstance(devices, list)
    return devices[0]["jobs"], devices[0]["cycles"]


@pytest.fixture
def work(client: Client) -> Work:
    last = [totals(client)]

    def since() -> int:
        now = totals(client)
        jobs, cycles = now[0] - last[0][0], now[1] - last[0][1]
        last[0] = now
        assert cycles == jobs * PRIVATE_CYCLES
        return jobs

    return since


@pytest.fixture(scope="module")
def certificate(stage: Stage, client: Client) -> Path:
    path = stage.folder / "certificate.pem"
    words = ["req", "-x509", "-new", "-key", "modfab:web", "-days", "1", "-subj", "/CN=localhost"]
    stage.openssl(*words, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", path)
    return path


# ---- files ----
@pytest.mark.parametrize("key", ["modfab:web", "web.pem"])
@pytest.mark.parametrize("padding", ["pkcs1", "pss"])
def test_dgst(stage: Stage, work: Work, key: str, padding: str) -> None:
    option = ("-sigopt", f"rsa_padding_mode:{padding}")
    stage.openssl("dgst", "-sha256", "-sign", key, *option, "-out", "sig", "message")
    assert work() == 1
    check = ("dgst", "-sha256", "-verify", "public.pem", *option, "-signature", "sig", "message")
    assert "Verified OK" in stage.openssl(*check, ours=False)
    assert "Verified OK" in stage.openssl(*check)
    assert work() == 0  # public operations are done in software


@pytest.mark.parametrize("padding", ["pkcs1", "oaep"])
def test_pkeyutl(stage: Stage, work: Work, padding: str) -> None:
    option = ["-pkeyopt", f"rsa_padding_mode:{padding}"]
    option += ["-pkeyopt", "rsa_oaep_md:sha256"] * (padding == "oaep")
    into = ("-in", "message", "-out", "secret", *option)
    stage.openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", *into, ours=False)
    words = ("pkeyutl", "-decrypt", "-inkey", "modfab:web", "-in", "secret", *option)
    assert stage.openssl(*words) == "what is signed\n"
    assert work() == 1


def test_certificates(stage: Stage, work: Work, certificate: Path) -> None:
    verify = ("verify", "-CAfile", certificate, certificate)
    assert "OK" in stage.openssl(*verify, ours=False)
    work()
    words = ["req", "-x509", "-new", "-key", "web.pem", "-days", "1", "-subj", "/CN=localhost"]
    pss = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]
    stage.openssl(*words, *pss, "-out", "pss.pem")
    assert work() == 1
    assert "OK" in stage.openssl("verify", "-CAfile", "pss.pem", "pss.pem", ours=False)
    text = stage.openssl("x509", "-in", "pss.pem", "-noout", "-text", ours=False)
    assert "rsassaPss" in text
    assert re.search("Salt Length: 0x20", text)


def test_cms(stage: Stage, work: Work, certificate: Path) -> None:
    signer = ("-signer", certificate, "-inkey", "modfab:web")
    stage.openssl("cms", "-sign", "-in", "message", "-out", "signed", *signer)
    assert work() == 1
    check = ("cms", "-verify", "-in", "signed", "-CAfile", certificate)
    assert "what is signed" in stage.openssl(*check, ours=False)
    stage.openssl("cms", "-encrypt", "-in", "message", "-out", "sealed", certificate, ours=False)
    words = ("cms", "-decrypt", "-in", "sealed", "-inkey", "modfab:web", "-recip", certificate)
    assert "what is signed" in stage.openssl(*words)
    assert work() == 1


# ---- TLS ----
@contextmanager
def s_server(stage: Stage, certificate: Path, key: str, *options: str) -> Iterator[str]:
    words = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cipher", WEAK]
    words += ["-key", key, "-cert", str(certificate), *options]
    with subprocess.Popen(
        words,
        cwd=stage.folder,
        env=provider_environment(stage.config, stage.socket),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            log = ""
            for line in server.stdout:
                log += line
                if line.startswith("ACCEPT"):
                    break
            assert line.startswith("ACCEPT"), log
            yield line.split()[1]
        finally:
            server.terminate()


@pytest.mark.parametrize(
    ("version", "suite"),
    [
        ("-tls1_3", ""),
        pytest.param("-tls1_2", "ECDHE-RSA-AES128-GCM-SHA256", marks=pytest.mark.full),
        ("-tls1_2", "AES128-GCM-SHA256"),  # the client encrypts the secret with the RSA key
    ],
)
@pytest.mark.parametrize("key", ["modfab:web", pytest.param("web.pem", marks=pytest.mark.full)])
def test_s_server(
    stage: Stage, work: Work, certificate: Path, key: str, version: str, suite: str
) -> None:
    with s_server(stage, certificate, key) as address:
        work()
        words = ["openssl", "s_client", "-connect", address, "-CAfile", str(certificate), version]
        words += ["-verify_return_error", "-ign_eof"]
        words += ["-cipher", f"{suite or 'DEFAULT'}@SECLEVEL=0"]
        seen = stage.run(*words, ours=False, text="GET / HTTP/1.0\r\n\r\n")
    assert "Verify return code: 0 (ok)" in seen
    assert "HTTP/1.0 200 ok" in seen
    assert suite in seen
    assert work() == 1


@pytest.mark.full
def test_a_server_outlives_its_daemon(tmp_path: Path) -> None:
    """Handshakes fail while there is no daemon, and succeed when there is one again."""
    stage = make_stage(tmp_path, build(tmp_path), shared_key(BITS))
    keys = key_folder(tmp_path / "keys", web=shared_key(BITS))
    opener = functools.partial(CoreUnit, "sim", core)
    with daemon(stage.socket, keys, opener):
        words = ["req", "-x509", "-new", "-key", "modfab:web", "-subj", "/CN=localhost"]
        stage.openssl(*words, "-out", "c.pem")
    text = stage.config.read_text().replace("module =", "patience = 0\nmodule =")
    stage.config.write_text(text)
    with daemon(stage.socket, keys, opener):
        server = s_server(stage, Path("c.pem"), "modfab:web")
        address = server.__enter__()
    client = ["openssl", "s_client", "-connect", address, "-cipher", WEAK]
    try:
        stage.run(*client, ours=False, code=None)
        with daemon(stage.socket, keys, opener):
            stage.run(*client, ours=False)
    finally:
        server.__exit__(None, None, None)


NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
env OPENSSL_CONF;
env MODFAB_SOCKET;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/web.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers {weak};
    location / {{ return 200 "signed by a core\\n"; }}
  }}
}}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


@pytest.mark.full
def test_nginx_and_curl(stage: Stage, work: Work, certificate: Path) -> None:
    nginx, curl = (
        shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"),
        shutil.which("curl"),
    )
    if nginx is None or curl is None:
        pytest.skip("nginx or curl is not installed")
    port = free_port()
    settings = stage.folder / "nginx.conf"
    settings.write_text(NGINX.format(folder=stage.folder, port=port, weak=WEAK))
    environment = provider_environment(stage.config, stage.socket)
    with subprocess.Popen([nginx, "-c", settings], env=environment) as server:
        try:
            words = [curl, "-sS", "--retry", "20", "--retry-connrefused", "--retry-delay", "1"]
            words += ["--cacert", str(certificate), "--ciphers", WEAK]
            work()
            for version in ("--tlsv1.3", "--tls-max 1.2"):
                page = stage.run(*words, *version.split(), f"https://127.0.0.1:{port}/", ours=False)
                assert page == "signed by a core\n"
            assert work() == 2
        finally:
            server.terminate()


PYTHON_SERVER = """
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.set_ciphers("DEFAULT@SECLEVEL=0")
context.load_cert_chain("certificate.pem", "web.pem")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
link, _ = listener.accept()
with context.wrap_socket(link, server_side=True) as link:
    link.sendall(link.recv(5)[::-1])
"""

PYTHON_CLIENT = """
import socket, ssl, sys
context = ssl.create_default_context(cafile="certificate.pem")
context.set_ciphers("DEFAULT@SECLEVEL=0")
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as plain:
    with context.wrap_socket(plain, server_hostname="localhost") as link:
        link.sendall(b"hello")
        print(link.version(), link.recv(5).decode())
"""


def system_python() -> str:
    """A Python whose `ssl` uses the system's OpenSSL 3, for which the provider is compiled."""
    for name in ("/usr/bin/python3", sys.executable):
        probe = "import ssl; print(ssl.OPENSSL_VERSION)"
        done = subprocess.run([name, "-c", probe], capture_output=True, text=True, check=False)
        if done.stdout.startswith("OpenSSL 3"):
            return name
    pytest.skip("no Python here uses OpenSSL 3")


def test_python_ssl(stage: Stage, work: Work, certificate: Path) -> None:
    python = system_python()
    work()
    with subprocess.Popen(
        [python, "-c", PYTHON_SERVER],
        cwd=stage.folder,
        env=provider_environment(stage.config, stage.socket),
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            seen = stage.run(python, "-c", PYTHON_CLIENT, port, ours=False)
        finally:
            server.terminate()
    assert seen == "TLSv1.3 olleh\n"
    assert work() == 1


# ---- the demo ----
@pytest.mark.parametrize(
    ("device", "bits"), [("sim", BITS), pytest.param("sim", 2048, marks=pytest.mark.full)]
)
def test_demo_tls(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    device: str,
    bits: int,
) -> None:
    skip_without_openssl()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert (
        run_cli(
            monkeypatch,
            "demo",
            "tls",
            "--device",
            device,
            "--bits",
            bits,
            "--handshakes",
            2,
            "--json",
        )
        == 0
    )
    report = json.loads(capsys.readouterr().out)
    cycles = core(bits // 2).programs().program(RsaEntry.PRIVATE, 65537)
    assert (report["protocol"], report["verified"], report["page"]) == ("TLSv1.3", True, True)
    assert (report["cycles"], report["certificate_cycles"]) == (2 * cycles, cycles)
    assert report["operations"] == report["handshakes"] == 2
    assert list(tmp_path.iterdir()) == []


def test_demo_tls_refuses_what_it_cannot_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "demo", "tls", "--core", "modexp") == 2
    assert "leave out --core modexp" in capsys.readouterr().err


def test_demo_tls_when_openssl_waits_too_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    @contextmanager
    def idle(*_: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(health=lambda: {"devices": [{"cycles": 0, "jobs": 0}]})

    def run(words: list[str], *, timeout: float, **_: object) -> NoReturn:
        raise subprocess.TimeoutExpired(words, timeout)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("modfab.cli.demo_tls.build_provider", lambda folder: folder / "modfab.cnf")
    monkeypatch.setattr("modfab.cli.demo_tls.background_daemon", idle)
    monkeypatch.setattr(subprocess, "run", run)
    assert run_cli(monkeypatch, "demo", "tls", "--bits", BITS) == 3
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("modfab: openssl req did not end within 300 s; a simulated core may be ")
    assert said.endswith("choose `--device model` or fewer --bits.")
    assert list(tmp_path.iterdir()) == []
