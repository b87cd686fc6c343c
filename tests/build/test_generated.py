# SPDX-License-Identifier: Apache-2.0
"""Generated files in the repository are what their generators make today."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.build import regs
from modfab.errors import ToolError
from modfab.models.generated.status import JobStatus, RsaStatus, Status
from modfab.paths import checkout_dir
from tests.support.rtl_codes import python_codes, rtl_codes


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return regs.generated_files()


def test_register_map_files_are_current(files: dict[str, str]) -> None:
    root = regs.rdl_path().parents[2]
    stale = [name for name, text in files.items() if (root / name).read_text() != text]
    assert not stale, f"run `./modfab python -m modfab.build.regs`; these differ: {stale}"


def test_no_generated_file_is_left_over(files: dict[str, str]) -> None:
    root = regs.rdl_path().parents[2]
    folders = {Path(name).parent for name in files}
    present = {
        str(path.relative_to(root))
        for folder in folders
        for path in (root / folder).iterdir()
        if path.is_file() and path.name != "__init__.py"
    }
    assert present == set(files)


CODES = {"mf_modexp": Status, "mf_rsa": RsaStatus, "mf_rsa_farm": JobStatus}


@pytest.mark.parametrize("core", regs.CORES)
def test_errors_of_the_map_are_the_status_codes(core: str) -> None:
    codes = [(code.name, code.value, code.sentence) for code in CODES[core]]
    found = regs.status_codes(regs.compile_map(regs.rdl_path(core)))
    assert [(code.name, code.value, code.sentence) for code in found] == codes


@pytest.mark.parametrize("core", regs.CORES)
def test_every_status_has_a_sentence_of_its_own(core: str) -> None:
    sentences = {code.sentence for code in CODES[core]}
    assert len(sentences) == len(CODES[core])
    assert all(text[0].isupper() and text.endswith(".") and "\n" not in text for text in sentences)


def test_the_farm_passes_on_the_codes_of_its_cores() -> None:
    assert {JobStatus(code).name for code in RsaStatus} == {code.name for code in RsaStatus}
    assert {code.name for code in RsaStatus} == set(JobStatus.__members__) - {"FORMAT", "SERVICE"}


def test_status_codes_are_those_of_the_rtl_package() -> None:
    root = checkout_dir()
    assert root is not None
    assert rtl_codes(root / "rtl" / "mf_pkg.sv", "Status") == python_codes(Status)


def test_html_page_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder named as the shell has it, with no settings of the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peakrdl.toml").write_text("no TOML")
    regs.write_html(Path("html"))
    assert (tmp_path / "html" / "index.html").is_file()


def test_a_broken_map_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "mf_modexp.rdl"
    broken.write_text("addrmap mf_modexp {")
    monkeypatch.setattr(regs, "rdl_path", lambda core: broken)
    with pytest.raises(ToolError, match="PeakRDL refused the register map; it said"):
        regs.write_html(tmp_path / "html")


def test_an_installed_modfab_says_that_it_has_no_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regs, "checkout_dir", lambda: None)
    with pytest.raises(ToolError, match="in a checkout only"):
        regs.rdl_path()
