# SPDX-License-Identifier: Apache-2.0
"""The two forms of a datasheet, Markdown and HTML, say the same."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from modfab.build.core import Core, modexp_core
from modfab.build.farm import farm_core_of
from modfab.build.rsa import public_core, rsa_core
from modfab.models.rsa.entry import RsaEntry
from modfab.package.datasheet import datasheet_html, datasheet_markdown
from modfab.package.ip import IpPackage
from tests.flow.test_store import record

CORES: dict[str, Core] = {
    "modexp": modexp_core("bit_serial", 64),
    "rsa": rsa_core("bit_serial", 64),
    "public_only": public_core("bit_serial", 64),
}
ROUTED = replace(record(), request=replace(record().request, level="modexp_axil"))


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("floorplan", ["", "<svg/>"], ids=["without", "floorplan"])
def test_both_pages_say_the_same(name: str, floorplan: str) -> None:
    package = IpPackage(CORES[name], "core", None, [ROUTED], floorplan)
    markdown, page = datasheet_markdown(package), datasheet_html(package)
    plain = markdown.replace("**", "")
    titles = re.findall(r"^#+ (.*)$", plain, re.MULTILINE)
    assert len(titles) > 5
    assert [unescape(title) for title in re.findall(r"<h\d>(.*?)</h\d>", page)] == titles
    rows = [line for line in plain.splitlines() if line[:1] == "|" and line[:4] != "|---"]
    cells = [cell.strip() for line in rows for cell in line.strip("|").split("|")]
    assert [unescape(cell).strip() for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", page)] == cells
    pictures = re.findall(r"\]\((\w+\.svg)\)", markdown)
    assert pictures == ["blocks.svg", *(["floorplan.svg"] if floorplan else [])]
    assert re.findall(r'src="([\w.]+)"', page) == pictures


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "The build is hardened."),
        ({"hardened": False, "exponent_words": 1}, "The build is basic."),
        (
            {"message_blinding": False, "exponent_words": 0},
            "is hardened, but the message is not blinded and the exponent is not blinded.",
        ),
        ({"exponent_words": 1}, "The build is hardened, but 32 bits blind the exponent."),
    ],
)
def test_what_a_build_leaves_out_is_said(options: dict[str, Any], sentence: str) -> None:
    core = rsa_core("bit_serial", 64, **options)
    assert sentence in datasheet_markdown(IpPackage(core, "core", None, []))


@pytest.mark.parametrize("sums", [False, True])
def test_a_farm_with_small_cores_says_when_all_have_a_key(sums: bool) -> None:
    params = {"Contexts": 1} | ({"LoadSum": 1, "FactorSlots": 16} if sums else {})
    sequencer = "window5" if sums else "window"
    options = {"engines": 2, "pair": 1, "cores": 2, "small_cores": 1, "small_elements": 3}
    farm = farm_core_of("qp_systolic", 128, params, sequencer, options)
    page = datasheet_markdown(IpPackage(farm, "farm", None, []))
    large, small = farm.own_cycles(RsaEntry.KEY)
    assert small > large
    assert f"| set-up of a key | {small:,} |" in page
    programs = "programs of their own, with the sequencer window" if sums else "the same programs"
    assert f"elements each and {programs}. Each of the others" in page
