# SPDX-License-Identifier: Apache-2.0
"""Pages of reference that are made from the catalogue and from the commands' own help."""

from __future__ import annotations

from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from modfab.catalog import ENGINES, SEQUENCERS
from modfab.cli.main import EXIT_CODES, app_of
from modfab.pages.table import table

_SEQUENCER_HEADS = ("sequencer", "what", "constant in cycles", "slots")


def engine_page() -> str:
    """Every engine and sequencer of the catalogue: parameters, formulas."""
    parts = ["# Engines and sequencers", "", "Made from the catalogue (`modfab engines --json`)."]
    for name, engine in ENGINES.items():
        rows = [
            (f"`{one.name}`", one.legal_text, str(one.default), one.unit, one.help)
            for one in engine.parameters
        ]
        heads = ("parameter", "legal", "default", "unit", "what")
        parts += ["", f"## {name}", "", f"{engine.title}. Paper: {engine.paper or 'our own'}.", ""]
        parts += [f"Cycles of a product: `{engine.cycles.text}`.", "", table(heads, rows)]
    sequencers = [
        (f"`{one.name}`", one.title, "yes" if one.constant else "no", str(one.num_slots))
        for one in SEQUENCERS.values()
    ]
    parts += ["", "## Sequencers", "", table(_SEQUENCER_HEADS, sequencers)]
    return "\n".join(parts) + "\n"


def command_page() -> str:
    """Every command with its arguments and options, as `--help` shows them."""
    group = get_command(app_of())
    parts = ["# Command line", "", f"{EXIT_CODES}"]
    parts += _commands("modfab", group)
    return "\n".join(parts) + "\n"


def _commands(prefix: str, group: object) -> list[str]:
    parts = []
    for name, command in group.commands.items() if isinstance(group, TyperGroup) else ():
        full = f"{prefix} {name}"
        if isinstance(command, TyperCommand):
            parts += ["", f"## {full}", "", _text(command.help or "")]
            rows = [_row(one) for one in command.params if isinstance(one, TyperOption)]
            parts += ["", table(("option", "default", "what"), rows)] if rows else []
        else:
            parts += _commands(full, command)
    return parts


def _text(words: str) -> str:
    """Help as Markdown: an example is a line of code."""
    return "\n".join(
        f"`{line.removeprefix('Example: ')}`" if line.startswith("Example: ") else line
        for line in words.splitlines()
    )


def _row(option: TyperOption) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    default = "" if option.default is None or callable(option.default) else str(option.default)
    return names, "needed" if option.required else default, (option.help or "").replace("|", "\\|")
