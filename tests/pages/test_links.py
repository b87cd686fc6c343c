# SPDX-License-Identifier: Apache-2.0
"""Links of the pages lead to files and headings that exist, and so do paths that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modfab.paths import checkout_dir

ROOT = checkout_dir() or Path()
SKIPPED_FOLDERS = {"build", "dist", "node_modules"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:tests|rtl|src|formal|docs|sw|boards|examples|tools)/[\w./-]+\w)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Every page of the repository, tool folders aside."""
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not {part for part in path.relative_to(ROOT).parts if part.startswith(".")}
        and not SKIPPED_FOLDERS & set(path.relative_to(ROOT).parts)
    ]


def anchors(text: str) -> set[str]:
    r"""Anchors of a page's headings, as a repository host makes them.

    >>> sorted(anchors("# A b\n## `C`: d, e"))
    ['a-b', 'c-d-e']
    """
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path) -> list[str]:
    """Targets of a page's links that are not there."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in LINK.findall(text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        is_there = path.exists()
        if is_there and anchor and path.suffix == ".md":
            is_there = anchor in anchors(path.read_text(encoding="utf-8"))
        if not is_there:
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    """A page names files by their path from the root; the log of changes names old ones too."""
    if page.name == "CHANGELOG.md":
        pytest.skip("it tells of files that were renamed since")
    found = NAMED.findall(page.read_text(encoding="utf-8"))
    # A proof is named without the ending of its file; foo is the engine that a reader would add.
    missing = [
        name
        for name in found
        if not (ROOT / name).exists() and not (ROOT / f"{name}.sby").exists() and "foo" not in name
    ]
    assert missing == []


def test_pages_are_found() -> None:
    assert {"README.md", "rtl/README.md", "rtl/mul/README.md"} <= {
        str(path.relative_to(ROOT)) for path in pages()
    }


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Top\n[a](page.md#top) [b](#top) [c](none.md) [d](page.md#no)\n")
    assert broken_links(page) == ["none.md", "page.md#no"]
