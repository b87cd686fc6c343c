# SPDX-License-Identifier: Apache-2.0
"""RSA of others: every published figure has its source, OpenSSL's is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modfab.errors import ToolError, UsageError
from modfab.pages.devices import OPERATION, devices_block
from modfab.report import others
from modfab.report.bench import OpenSslSpeed, Operation

VERIFY = Operation(2048, "verify")


def test_published_rows_have_a_source_and_a_rate() -> None:
    found = {other.name: other for other in others.published_others(OPERATION)}
    assert set(found) == {"CrypTech HSM", "OpenTitan OTBN"}
    for other in found.values():
        assert other.source.startswith("https://")
        assert other.per_second > 0
        assert other.what
        assert other.note.endswith(".")
    otbn = found["OpenTitan OTBN"]
    assert otbn.per_second == 100e6 / 18_970_942
    assert otbn.latency_ms == pytest.approx(189.70942)
    assert found["CrypTech HSM"].latency_ms is None
    assert others.published_others(VERIFY) == []


def test_a_row_without_a_source_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "others.toml"
    path.write_text('[[row]]\nop = "rsa2048-sign"\nname = "x"\nwhat = "y"\nper_second = 1\n')
    with pytest.raises(UsageError, match=r"A row of others\.toml lacks 'form'"):
        others.published_others(OPERATION, path)


def test_openssl_is_measured_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(others, "openssl_speed", lambda bits: OpenSslSpeed("OpenSSL 9", bits, 7.0))
    path = tmp_path / "openssl.json"
    assert others.stored_openssl(OPERATION, path) is None
    path.write_text(others.measure_openssl())
    assert json.loads(path.read_text())["cpu"] == others.cpu()
    kept = others.stored_openssl(OPERATION, path)
    assert kept
    assert (kept.name, kept.what, kept.form) == ("OpenSSL 9", "CPU core", others.cpu())
    assert kept.per_second == 2048
    assert kept.latency_ms is None
    verify = others.stored_openssl(VERIFY, path)
    assert verify
    assert verify.per_second == 7
    assert others.stored_openssl(Operation(512, "sign"), path) is None
    here = others.openssl_here(OPERATION)
    assert not isinstance(here, str)
    assert here.per_second == 2048


def test_openssl_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(others, "openssl_speed", lambda bits: "openssl is not installed")
    assert others.openssl_here(OPERATION) == "openssl is not installed"
    with pytest.raises(ToolError, match="but openssl is not installed; install OpenSSL"):
        others.measure_openssl()


def test_the_processor_has_a_name(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    assert others.cpu(info)
    info.write_text("flags : x\nmodel name\t: A CPU @ 3 GHz\n")
    assert others.cpu(info) == "A CPU @ 3 GHz"


def test_the_table_of_devices_has_them() -> None:
    text = devices_block([])
    measured = others.stored_openssl(OPERATION)
    assert measured
    row = f"| {measured.name}, CPU core | {measured.form} (`openssl speed`) | - | - | - | - | - |"
    assert f"{row} - | {measured.per_second:,.0f} | - |" in text
    assert "| 100.0 | 18,970,942 | 5.3 | 189.71 |" in text
    assert "| CrypTech HSM, FPGA HSM | " in text
