# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file: tables, what was found, and drawings inside it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from html import escape
from io import StringIO
from typing import Any

from modfab.assess.outcome import OUTCOMES
from modfab.errors import ToolError

_STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse } td, th { padding: .2em .8em; text-align: right }
td:first-child, th:first-child { text-align: left } tr { border-bottom: 1px solid #ddd }
"""


def page(name: str, report: dict[str, Any]) -> str:
    """A report of `modfab assess` as HTML.

    Args:
        name: timing, faults, shell, farm or leakage.
        report: What the command writes as JSON.

    Raises:
        ToolError: matplotlib is not installed.
    """
    core = report["core"]
    title = f"{name}: RSA-{core['bits']}, {core['engine']}, {core['sequencer']}"
    title += f", {core['cores']} cores" if "cores" in core else ""
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(_settings(report))}</p>"]
    for heading, rows in tables(name, report):
        parts += [f"<h2>{escape(heading)}</h2>", _table(rows)]
    if name in _FAULTS:
        parts.append(_stacks(report["models"]))
        parts.append(_list("Neither detected nor harmless", report["found"]))
    else:
        parts += [_line(series) for series in report.get("series", [])]
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


_FAULTS = ("faults", "shell", "farm")
_ENDINGS = (*(name for name in OUTCOMES if name not in ("factoring", "secret_left")), "disclosed")

_LEAKAGE = {
    "all registers together": (
        *("traces", "cycles", "freedom", "threshold", "t", "at_cycle", "in_both_sets", "leak"),
    ),
    "each register": (
        *("register_threshold", "register_t", "register", "register_cycle", "register_leak"),
    ),
    "what the largest t comes from": ("at_cycle", "from"),
}
"""Tables of a leakage report."""


def _only(values: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    return {column: values[column] for column in columns}


def tables(name: str, report: dict[str, Any]) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """The tables of a report: title, and rows by their names."""
    if name in _FAULTS:
        return [(name, report["models"])]
    if name != "leakage":
        return [(name, report["rows"]), ("on the bus", report["bus"])]
    found = [
        (title, {row: _only(values, columns) for row, values in report["rows"].items()})
        for title, columns in _LEAKAGE.items()
    ]
    if report.get("attacks"):
        found.append(("correlation attacks", report["attacks"]))
    if report.get("slots"):
        found.append(("slot numbers", {"one operation": report["slots"]}))
    return found


def cell(value: Any) -> str:
    """A value in a table.

    >>> cell(["a", "b"]), cell(True), cell(1)
    ('a, b', 'yes', '1')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _settings(report: dict[str, Any]) -> str:
    core = report["core"]
    options = [*core["params"].items(), *core["rsa"].items()]
    words = ", ".join(f"{name} {value}" for name, value in options)
    return f"Seed {report['seed']}. {words}. {report['seconds']} s."


def _table(rows: dict[str, dict[str, Any]]) -> str:
    columns = list(next(iter(rows.values()), {}))
    head = "".join(f"<th>{escape(text)}</th>" for text in ("", *columns))
    body = "".join(
        f"<tr><td>{escape(name)}</td>"
        + "".join(f"<td>{escape(cell(values.get(column, '')))}</td>" for column in columns)
        + "</tr>\n"
        for name, values in rows.items()
    )
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _list(title: str, found: Sequence[dict[str, Any]]) -> str:
    lines = "".join(
        f"<li>run {entry['run']}, {escape(entry['model'])}: {escape(entry['outcome'])}: "
        f"{escape(entry['fault'])}</li>\n"
        for entry in found
    )
    return f"<h2>{escape(title)}</h2>\n<ul>{lines or '<li>none</li>'}</ul>"


def check_drawings(name: str) -> None:
    """Look for what draws a report's pictures, so that nothing runs in vain.

    Args:
        name: timing, which has none, faults, shell, farm or leakage.

    Raises:
        ToolError: matplotlib is not installed.
    """
    if name != "timing":
        _check_matplotlib()


def _check_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise ToolError(
            "Reports need matplotlib, which this Python does not have; run the ./modfab launcher, "
            "or `pip install 'modfab[flow]'`."
        )


def _figure() -> Any:
    _check_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(9, 4), layout="constrained")


def _svg(figure: Any) -> str:
    import matplotlib as mpl

    text = StringIO()
    with mpl.rc_context({"svg.hashsalt": "modfab", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def _stacks(rows: dict[str, dict[str, int]]) -> str:
    """One bar of each fault model."""
    figure = _figure()
    axes = figure.add_subplot()
    left = [0] * len(rows)
    told = {column for row in rows.values() for column in row}
    for outcome in (name for name in _ENDINGS if name in told):
        widths = [row[outcome] for row in rows.values()]
        axes.barh(list(rows), widths, left=left, label=outcome)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("runs")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return _svg(figure)


def _line(series: dict[str, Any]) -> str:
    """A value over time, with its limits."""
    figure = _figure()
    axes = figure.add_subplot(title=series["title"])
    axes.plot(series["x"], series["y"], linewidth=0.5)
    for limit in series["limits"]:
        axes.axhline(limit, color="C3", linewidth=0.8)
    axes.set_xlabel(series["xlabel"])
    axes.set_ylabel(series["ylabel"])
    return _svg(figure)
