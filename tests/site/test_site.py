# SPDX-License-Identifier: Apache-2.0
"""The documentation site: complete, every link alive, nothing from a network."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from modfab.catalog import ENGINES
from modfab.cli.main import COMMANDS
from modfab.errors import ToolError, UsageError
from modfab.paths import checkout_dir
from modfab.site import build
from modfab.site.build import NAV, build_site, page_text, pages, write_source
from modfab.site.reference import command_page, engine_page

ROOT = checkout_dir() or Path()


class Links(HTMLParser):
    """What a page links to and loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.add(found.get("id") or "")
        if tag == "a" and found.get("href"):
            self.links.append(found["href"] or "")
        self.loads += [found[name] or "" for name in ("src",) if found.get(name)]
        if tag == "link" and found.get("href"):
            self.loads.append(found["href"] or "")


ONE_MODULE = ("modfab", r"!modfab\..*")
"""Docstrings of one module: those of all take half a minute."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "made"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "MODULES", ONE_MODULE)
        assert build_site(folder) > len(pages(ROOT))
    return folder


@pytest.mark.full
def test_docstrings_of_every_module(tmp_path: Path) -> None:
    build_site(tmp_path / "site")
    assert (tmp_path / "site/reference/python/modfab/host/session.html").is_file()


def test_every_page_is_there_and_loads_nothing_from_elsewhere(site: Path) -> None:
    for _, entries in NAV:
        for title, place in entries:
            path = site / re.sub(r"(README)?\.md$", lambda m: _html(m[1]), place)
            assert path.is_file(), title
            remote = [load for load in Links(path).loads if re.match(r"(https?:)?//", load)]
            assert remote == [], title


def _html(readme: str | None) -> str:
    return "index.html" if readme else ".html"


def test_links_between_the_pages_lead_somewhere(site: Path) -> None:
    known = {path: Links(path) for path in site.rglob("*.html") if "python" not in path.parts}
    broken = []
    for path, page in known.items():
        for link in page.links:
            name, _, anchor = unquote(link).partition("#")
            if "://" in name or path.name == "404.html":
                continue
            target = (path.parent / name).resolve() if name else path
            there = known[target].anchors if target in known else {anchor}
            if not target.is_file() or (anchor and anchor not in there):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("which core for RSA-2048 in 3,000 LUT", "docs/choosing", "--max-lut 3000"),
        ("instantiate it", "docs/integrating", "my_rsa u_rsa"),
        ("drive it from C", "sw/c/index", "modfab_"),
        ("how does the flagship work", "rtl/mul/qp_systolic/index", "quotient"),
    ],
)
def test_a_newcomers_question_is_answered_on_a_page(
    site: Path, question: str, page: str, answer: str
) -> None:
    text = re.sub(r"<[^>]+>", "", (site / f"{page}.html").read_text(encoding="utf-8"))
    assert answer in text, question


def test_reference_is_complete() -> None:
    commands = command_page()
    assert len(COMMANDS) > 15
    shown = {line.split()[2] for line in commands.splitlines() if line.startswith("## modfab ")}
    assert shown == set(COMMANDS)
    assert "`--max-lut`" in commands
    engines = engine_page()
    for name, engine in ENGINES.items():
        assert f"## {name}\n" in engines
        assert all(f"| `{one.name}` |" in engines for one in engine.parameters)


def test_links_to_what_is_no_page_become_text(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl/README.md").write_text("# RTL\n")
    text = "[a](../rtl) [b](../rtl/x.sv) ![c](d.svg) [e](https://x.org/y) [f](#top)\n"
    fence = "```\n[a](../rtl)\n```\n"
    (tmp_path / "docs/a.md").write_text(text + fence)
    assert page_text(tmp_path, "docs/a.md") == (
        "[a](../rtl/README.md) b ![c](d.svg) [e](https://x.org/y) [f](#top)\n" + fence
    )


def test_a_broken_link_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(root: Path, folder: Path) -> None:
        write_source(root, folder)
        (folder / "docs/choosing.md").write_text("# A\n[b](none.md)\n")

    monkeypatch.setattr(build, "write_source", broken)
    monkeypatch.setattr(build, "MODULES", ONE_MODULE)
    with pytest.raises(ToolError, match=r"none\.md"):
        build_site(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_other_files_are_not_overwritten(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years")
    (tmp_path / "search").mkdir()  # a site has one, too
    foreign = r"nothing but a site, and .* is not from one; take it"
    for place, problem in ((tmp_path, foreign), (thesis, r"thesis\.txt is a file; choose another")):
        with pytest.raises(UsageError, match=problem):
            build_site(place)
    assert thesis.read_text() == "years"


def test_a_file_of_the_user_in_a_site_stays(site: Path, tmp_path: Path) -> None:
    mine = tmp_path / "site" / "docs" / "mine.html"
    shutil.copytree(site, tmp_path / "site")
    mine.write_text("mine")
    with pytest.raises(
        UsageError, match=r"and .*docs/mine\.html is not from one; take it away, or"
    ):
        build_site(tmp_path / "site")
    assert mine.read_text() == "mine"


def test_an_older_site_is_replaced(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(module: str, *words: str) -> None:
        if module == "mkdocs":
            shutil.copytree(site, Path(words[-1]).parent / "site")

    old = tmp_path / "old"
    shutil.copytree(site, old)
    (old / "gone.html").write_text("of a page that there is no more")
    mark = old / build.MARK.name
    mark.write_text(f"{mark.read_text()}gone.html\n")
    monkeypatch.setattr(build, "_run", made)
    build_site(old)
    assert not (old / "gone.html").exists()
    assert (old / "index.html").is_file()
    assert list(tmp_path.iterdir()) == [old]
