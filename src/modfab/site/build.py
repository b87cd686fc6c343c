# SPDX-License-Identifier: Apache-2.0
"""The documentation as a static site: the repository's pages, and a reference made from the code.

`python -m modfab.site DIR` writes it with MkDocs; a link that leads nowhere ends it with an
error. The pages keep their places, so that a link which works in the repository works here.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from modfab.errors import ToolError, UsageError
from modfab.folders import Mark, check_replaceable, put_in_place
from modfab.paths import checkout_dir
from modfab.site.reference import command_page, engine_page

NAV: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("", (("Home", "README.md"),)),
    (
        "Start",
        (
            ("Getting started", "docs/getting-started.md"),
            ("Choosing a core", "docs/choosing.md"),
            ("Commands", "docs/commands.md"),
            ("Architecture", "docs/architecture.md"),
        ),
    ),
    (
        "Cores",
        (
            ("RSA core", "rtl/rsa/README.md"),
            ("Farm", "rtl/farm/README.md"),
            ("Sequencers", "rtl/exp/README.md"),
            ("Buses and registers", "rtl/bus/README.md"),
            ("All RTL", "rtl/README.md"),
        ),
    ),
    (
        "Engines",
        (
            ("Contract", "rtl/mul/README.md"),
            ("qp_systolic, the flagship", "rtl/mul/qp_systolic/README.md"),
            ("bit_serial", "rtl/mul/bit_serial/README.md"),
            ("booth16", "rtl/mul/booth16/README.md"),
            ("mod_product", "rtl/mul/mod_product/README.md"),
            ("mul_mod", "rtl/mul/mul_mod/README.md"),
            ("redundant_lut", "rtl/mul/redundant_lut/README.md"),
            ("redundant_mul", "rtl/mul/redundant_mul/README.md"),
            ("sos", "rtl/mul/sos/README.md"),
            ("sos36", "rtl/mul/sos36/README.md"),
            ("systolic", "rtl/mul/systolic/README.md"),
            ("Studies", "docs/engine-studies.md"),
        ),
    ),
    (
        "Use",
        (
            ("In a design", "docs/integrating.md"),
            ("In a LiteX SoC", "boards/litex/README.md"),
            ("On a board", "docs/boards.md"),
            ("From Python", "docs/devices.md"),
            ("From C", "sw/c/README.md"),
            ("From OpenSSL", "docs/openssl.md"),
            ("Examples", "examples/README.md"),
        ),
    ),
    (
        "Evidence",
        (
            ("Security", "SECURITY.md"),
            ("Assessment", "docs/assessment.md"),
            ("Measurements", "docs/measured.md"),
            ("Papers", "docs/papers.md"),
            ("RSA of the LIAO24 paper", "rtl/papers/liao_chen/README.md"),
            ("Public test vectors", "docs/vectors.md"),
        ),
    ),
    (
        "Reference",
        (
            ("Engines and sequencers", "reference/engines.md"),
            ("Command line", "reference/commands.md"),
            ("Registers: exponentiator", "rtl/bus/generated/mf_modexp.md"),
            ("Registers: RSA core", "rtl/bus/generated/mf_rsa.md"),
            ("Registers: farm", "rtl/bus/generated/mf_rsa_farm.md"),
            ("Contributing, adding an engine", "CONTRIBUTING.md"),
            ("Changes", "CHANGELOG.md"),
        ),
    ),
)
"""Sections of the site, with the title and the place of each page; one without a name is none."""

MARK = Mark(
    ".modfab-site",
    "Made by modfab.site; the next one replaces this folder, whose files are these:",
)
"""Of the site's folder."""

PYTHON = "reference/python"
"""Folder of the reference that pdoc makes from docstrings."""

MODULES = ("modfab", "!modfab.cli", "!modfab.pages", "!modfab.site", "!modfab.__main__")
"""What pdoc documents."""

_GENERATED = {"reference/engines.md": engine_page, "reference/commands.md": command_page}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_PICTURES = (".svg", ".png")
_CONFIG = """\
site_name: modfab
docs_dir: {docs}
site_dir: {site}
use_directory_urls: false
strict: true
theme:
  name: mkdocs
  color_mode: auto
  user_color_mode_toggle: true
  highlightjs: false
  navigation_depth: 3
markdown_extensions:
  - tables
  - codehilite: {{guess_lang: false}}
  - toc: {{permalink: true}}
validation: {{nav: {{omitted_files: ignore}}, links: {{not_found: warn, anchors: warn}}}}
extra_css: [site.css]
nav:
{nav}
"""
_CSS = """\
/* Pages as wide as their tables need, and tables that scroll on a telephone. */
@media (min-width: 1200px) { .container { max-width: 1400px; } }
table { display: block; overflow-x: auto; }
img { max-width: 100%; background: #fff; }
"""


def pages(root: Path) -> list[str]:
    """Places of the pages that are written: those of `NAV` and those that they lead to."""
    waiting = [place for _, entries in NAV for _, place in entries if place not in _GENERATED]
    found: dict[str, None] = {}
    while waiting:
        place = waiting.pop(0)
        if place in found:
            continue
        found[place] = None
        text = _FENCE.sub("", (root / place).read_text(encoding="utf-8"))
        targets = (_target(root, place, match[3]) for match in _LINK.finditer(text))
        waiting += [target for target, _ in targets if target and target.endswith(".md")]
    return list(found)


def _target(root: Path, place: str, link: str) -> tuple[str, str]:
    """Place and anchor to which a link leads; no place outside of the repository's pages."""
    name, _, anchor = link.partition("#")
    if not name or "://" in name or name.startswith("mailto:"):
        return "", anchor
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), name))
    if (root / target).is_dir() and (root / target / "README.md").is_file():
        target = f"{target}/README.md"
    return target, anchor


def page_text(root: Path, place: str) -> str:
    """A page with links that work on the site: those to files that are no pages become text."""

    def replaced(match: re.Match[str]) -> str:
        target, anchor = _target(root, place, match[3])
        if not target:
            return match[0]
        if not target.endswith((".md", *_PICTURES)):
            return match[2]
        link = posixpath.relpath(target, posixpath.dirname(place) or ".")
        return f"{match[1]}[{match[2]}]({link}{f'#{anchor}' if anchor else ''})"

    text = (root / place).read_text(encoding="utf-8")
    parts = _FENCE.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(replaced, part) for part in parts)


def write_source(root: Path, folder: Path) -> None:
    """Write pages, pictures and the generated reference below a folder, each at its place."""
    for place in pages(root):
        text = page_text(root, place)
        _write(folder / place, text)
        for match in _LINK.finditer(text):
            target, _ = _target(root, place, match[3])
            if target.endswith(_PICTURES):
                (folder / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / target, folder / target)
    for place, make in _GENERATED.items():
        _write(folder / place, make())
    _write(folder / "site.css", _CSS)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _nav_lines() -> str:
    lines = []
    for section, entries in NAV:
        lines += [f"  - {section}:"] if section else []
        indent = "    " if section else "  "
        lines += [f"{indent}- '{title}': {place}" for title, place in entries]
        if section == "Reference":
            lines.append(f"    - 'Python': {PYTHON}/modfab.html")
    return "\n".join(lines)


def build_site(site: Path) -> int:
    """Write the site; returns the number of its HTML pages.

    Raises:
        UsageError: There is no checkout, or the folder holds something else.
        ToolError: A page is wrong: the text says which link leads nowhere.
    """
    root = checkout_dir()
    if root is None:
        raise UsageError("The pages are in a checkout only; clone the repository for them.")
    _check_folder(site)
    place = site.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as name:
        folder = Path(name)
        docs = folder / "docs"
        write_source(root, docs)
        _run("pdoc", "--output-directory", str(docs / PYTHON), *MODULES)
        config = folder / "mkdocs.yml"
        made = folder / "site"
        config.write_text(_CONFIG.format(docs=docs, site=made, nav=_nav_lines()))
        _run("mkdocs", "build", "--config-file", str(config))
        files = [path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()]
        _write(made / MARK.name, MARK.text(files))
        put_in_place(made, place, folder / "old")
    return len(list(site.rglob("*.html")))


def _check_folder(site: Path) -> None:
    check_replaceable(site)
    if not site.exists():
        return
    foreign = MARK.foreign_file(site)
    if foreign is not None:
        raise UsageError(
            f"A site replaces nothing but a site, and {site / foreign} is not from one; take it "
            "away, or choose a new or empty folder."
        )


def _run(module: str, *words: str) -> None:
    command = [sys.executable, "-m", module, *words]
    source = str(Path(__file__).resolve().parent.parent.parent)
    folders = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        text = (done.stdout + done.stderr).strip()
        raise ToolError(f"{module} did not write the site; mend what it names:\n{text}")
