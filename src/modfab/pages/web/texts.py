# SPDX-License-Identifier: Apache-2.0
"""Pages of the report that are written elsewhere: how figures are measured, and assessments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from modfab.errors import UsageError
from modfab.flow.targets import TARGETS
from modfab.paths import docs_dir
from modfab.report.ranking import rule_text

_END_OF_METHOD = "\n## Cycles of a product"


_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_RULES = """## Area in one number

{rule}

## Targets

Slices beside a paper's are an estimate by the rule of the family.

| target | device | slices |
|---|---|---|
{rows}
## What is stale

A record carries the fingerprint of the netlist that was measured. When the RTL builds another
circuit, its figures are stale and shown nowhere; `modfab results stale` and the page of stale
designs list the commands that measure today's circuit.
"""


def markdown(text: str) -> Markup:
    r"""HTML of a Markdown text; HTML in it is shown as text.

    >>> str(markdown("a *b* <i>"))
    '<p>a <em>b</em> &lt;i&gt;</p>\n'
    """
    return Markup(MarkdownIt("js-default", {"html": False, "linkify": False}).render(text))


def inline(text: str) -> Markup:
    """HTML of one line; what is between backquotes is code.

    >>> str(inline("as `sos` < 2"))
    'as <code>sos</code> &lt; 2'
    """
    parts = (escape(part) for part in text.split("`"))
    wrapped = (Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(parts))
    return Markup("").join(wrapped)


def method() -> list[Markup]:
    """How figures are measured: from docs/measured.md, with the rules that the code holds."""
    page = (docs_dir() / "measured.md").read_text(encoding="utf-8")
    body = page.split(_END_OF_METHOD, 1)[0].split("\n", 1)[1]
    body = _LINK.sub(r"\1", body)  # the pages that they lead to are not in the report
    rows = "".join(
        f"| `{target.name}` | {target.title} | {target.slices.text} |\n"
        for target in TARGETS.values()
    )
    rules = _RULES.format(rule=rule_text(), rows=rows)
    return [markdown(body), markdown(rules)]


def assessments(folder: Path | None) -> list[Markup]:
    """What is found in a folder of assessment results: Markdown pages and JSON files, by name.

    Args:
        folder: Or one such file; None, or what does not exist, for no results.

    Raises:
        UsageError: A file is not JSON, or no text; the error names it.
    """
    if folder is None or not folder.exists():
        return []
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else [folder]:
        kind = {".md": "Markdown", ".json": "JSON"}.get(path.suffix)
        if kind is None:
            continue
        try:
            found.append(_assessment(path))
        except ValueError as error:
            raise UsageError(
                f"Expected {kind} in {path}, but it cannot be read ({error}); write it again or "
                "move it away."
            ) from error
    return found


def _assessment(path: Path) -> Markup:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":  # the pages that its links lead to are not in the report
        return markdown(_LINK.sub(r"\1", text))
    return Markup("<h2>{}</h2>").format(path.stem) + _data(json.loads(text))


def _data(value: Any) -> Markup:
    """Nested data as tables."""
    if isinstance(value, Mapping):
        rows = Markup("").join(
            Markup('<tr><th scope="row">{}</th><td>{}</td></tr>').format(name, _data(inner))
            for name, inner in value.items()
        )
        return Markup('<div class="wide"><table>{}</table></div>').format(rows)
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        return _rows(value)
    if isinstance(value, list):
        return escape(", ".join(map(str, value)))
    return escape("-" if value is None else value)


def _rows(rows: list[Mapping[str, Any]]) -> Markup:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in names)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(Markup("<td>{}</td>").format(_data(row.get(name))) for name in names)
        )
        for row in rows
    )
    return Markup(
        '<div class="wide"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(head, body)
