# SPDX-License-Identifier: Apache-2.0
"""The two forms of a datasheet, Markdown and HTML, say the same."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from modfab.build.core import Core, modexp_core
from modfab.build.rsa import public_core, rsa_core
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
