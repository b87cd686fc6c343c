# SPDX-License-Identifier: Apache-2.0
"""Records and pages that the tests of the report share."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from modfab.build.core import Core, engine_core, modexp_core
from modfab.build.farm import farm_core
from modfab.build.rsa import rsa_core
from modfab.flow.record import Record
from tests.report.test_choosing import stored

STALE_MHZ = 987.6
STALE_LUT = 456_789


def measured(core: Core, level: str, target: str, mhz: float | None, lut: int = 900) -> Record:
    """A record of a circuit of its own."""
    made = stored(core, level, mhz, lut=lut)
    request = replace(made.request, target=target)
    return replace(made, request=request, circuit=f"{request.key}{level}")


def records() -> list[Record]:
    """Routed and synthesized circuits of every kind, and a stale one."""
    found = [
        measured(engine_core("sos", bits, {}), "engine", target, mhz, lut=bits)
        for bits in (256, 512, 1024)
        for target, mhz in (("ecp5-85k", 200.0), ("ecp5-25k", 150.0), ("xc5v", None))
    ]
    found += [
        measured(engine_core("qp_systolic", 1024, {}), "engine", "ecp5-85k", 220.0, lut=9000),
        measured(modexp_core("sos", 256, {}, "ladder"), "modexp", "ecp5-85k", 180.0),
        measured(rsa_core("sos", 256), "rsa_axil", "ecp5-85k", 120.0),
        measured(farm_core("sos", 256, 3), "farm_axil", "ecp5-85k", 110.0),
    ]
    stale = measured(
        engine_core("booth16", 256, {}), "engine", "ecp5-85k", STALE_MHZ, lut=STALE_LUT
    )
    return [*found, replace(stale, stale="the circuit is another one than at revision abc")]


class Links(HTMLParser):
    """What a page points to, and where it can be pointed to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        if value := given.get("id"):
            self.names.add(value)


def broken_links(folder: Path) -> list[str]:
    """Links of the pages below a folder that lead out of it or to nothing."""
    pages = {path: Links(path.read_text()) for path in folder.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if link == "data:,":  # no icon
                continue
            name, _, fragment = link.partition("#")
            place = (path.parent / name).resolve() if name else path
            inside = place.is_file() and place.is_relative_to(folder.resolve())
            if not inside or (fragment and fragment not in pages[place].names):
                broken.append(f"{path.name}: {link}")
    return broken
