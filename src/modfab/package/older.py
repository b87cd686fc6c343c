# SPDX-License-Identifier: Apache-2.0
"""What a folder holds that is no package of ours, so that only packages are replaced."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fnmatch import fnmatchcase
from pathlib import Path

from modfab.folders import first_foreign
from modfab.package.component import VENDOR, child_text

DESCRIPTION = "component.xml"
"""What says that a folder is a package, whose, and which RTL is in it."""

_WRITTEN = (
    *(DESCRIPTION, "README.md", "LICENSE", "{name}.f", "{name}.core", "vivado/package_ip.tcl"),
    *("constraints/{name}.*", "sim/{name}_flat.v", "sim/{name}_tb.v", "sim/[A-Z]*.sv"),
    *("sw/modfab*.[ch]", "sw/generated/mf_*.h", "doc/datasheet.*", "doc/*.svg"),
)
"""Files of every package beside its RTL."""


def foreign_file(folder: Path) -> str | None:
    """A file that no package writes, as a path in the folder; None where all are a package's."""
    root = _description(folder)
    name = child_text(root, "name") if child_text(root, "vendor") == VENDOR else ""
    if not name:  # no package at all
        names = [path.name for path in folder.iterdir()]
        return DESCRIPTION if DESCRIPTION in names else min(names, default=None)
    listed = {element.text for element in root.iter() if element.tag.endswith("}name")}
    patterns = [pattern.format(name=name) for pattern in _WRITTEN]
    return first_foreign(
        folder,
        lambda here: here in listed or any(fnmatchcase(here, pattern) for pattern in patterns),
    )


def _description(folder: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(folder / DESCRIPTION).getroot()
    except (OSError, ElementTree.ParseError):
        return ElementTree.Element("none")
