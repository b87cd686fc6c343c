# SPDX-License-Identifier: Apache-2.0
"""The report in headless Chromium: no error, filters, hover, links, keyboard, phone, dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.pages.web.site import write_report
from modfab.paths import checkout_dir
from tests.pages.report_records import records
from tests.support.browser import CHROMIUM, NO_CHROMIUM, Browser, browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)

POINTS = "document.querySelectorAll('.plot .scatterlayer .point').length"
DRAWN = "document.querySelector('.plot .main-svg') !== null"
ROWS = "[...document.querySelectorAll('table.points tbody tr')].filter(r => !r.hidden).length"
PHONE, DESK = (390, 844), (1280, 900)
SHOTS = Path(os.environ.get("MODFAB_SHOTS", (checkout_dir() or Path()) / "build" / "report_shots"))
"""Where screenshots are kept for people to look at."""


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report") / "site"
    write_report(place, records())
    return place


@pytest.fixture
def index(page: Browser, folder: Path) -> Browser:
    page.look(*DESK)
    page.open(folder / "index.html")
    page.wait_for(DRAWN)
    return page


def choose(page: Browser, name: str, value: str) -> None:
    """Set the value and dispatch its events, as a user's choice does."""
    page.run(
        f"(() => {{const s = document.querySelector('.filters [name={name}]');"
        f"if (s.type === 'checkbox') s.click(); else {{ s.value = '{value}';"
        "s.dispatchEvent(new Event('change', {bubbles: true})); } return s.value; })()"
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_pages_open_without_a_complaint(
    page: Browser, folder: Path, size: tuple[int, int], dark: bool
) -> None:
    page.look(*size, dark=dark)
    for name in ("index.html", "paper/qureshi.html", "method.html", "engine/sos.html"):
        page.open(folder / name)
        if name == "index.html":
            page.wait_for(DRAWN)
        assert page.run("document.documentElement.scrollWidth") <= size[0], name
        ground = page.run("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 200) is dark
        if "/" in name and name != "paper/qureshi.html":
            continue
        shot = f"{name.replace('/', '_')}-{size[0]}-{'dark' if dark else 'light'}.png"
        page.shoot(SHOTS / shot)
    assert page.problems == []
    assert [url for url in page.requested if not url.startswith(("file:", "data:"))] == []


def test_filters_change_plot_and_table(index: Browser) -> None:
    assert index.run(POINTS) == 4
    assert index.run(ROWS) == 4
    choose(index, "bits", "1024")
    assert index.run(POINTS) == 2
    assert "2 circuits in the plot." in index.run("document.querySelector('.shown').textContent")
    choose(index, "target", "")
    assert index.run(POINTS) == 3
    assert index.run(ROWS) == 4  # xc5v has no time, but its row
    choose(index, "x", "cycles")
    choose(index, "y", "lut")
    assert index.run(POINTS) == 4
    choose(index, "work", "exponentiation")
    assert index.run(POINTS) == 0  # of another width
    choose(index, "bits", "")
    assert index.run(POINTS) == 1


def test_axes_are_logarithmic_until_unticked(index: Browser) -> None:
    kinds = (
        "['xaxis', 'yaxis'].map(a => document.querySelector('.plot')._fullLayout[a].type).join()"
    )
    assert index.run(kinds) == "log,log"
    choose(index, "logx", "")
    assert index.run(kinds) == "linear,log"


def middle_of_point(page: Browser) -> tuple[float, float]:
    page.run(
        "document.querySelector('.plot').scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    box = "document.querySelector('.plot .scatterlayer .point').getBoundingClientRect()"
    x = page.run(f"{box}.x + {box}.width / 2")
    y = page.run(f"{box}.y + {box}.height / 2")
    return float(x), float(y)


def test_hover_shows_the_circuit_and_a_click_opens_its_record(index: Browser) -> None:
    place = middle_of_point(index)
    index.hover(*place, until="document.querySelector('.plot .hoverlayer .hovertext') !== null")
    label = index.run("document.querySelector('.plot .hoverlayer').textContent")
    assert "bits" in label
    assert "MHz (1 seed)" in label
    index.click(*place)
    index.wait_for("location.pathname.includes('/record/')")
    index.wait_for("document.readyState === 'complete'")
    command = index.run("document.querySelector('.command code').textContent")
    assert command.startswith("modfab synth --engine")
    assert index.problems == []


def test_keyboard_reaches_content_filters_and_records(index: Browser) -> None:
    index.press("Tab")
    assert index.run("document.activeElement.className") == "skip"
    index.press("Enter")
    index.wait_for("location.hash === '#main'")
    index.run("document.querySelector('select[name=bits]').focus()")
    before = index.run(POINTS)
    index.press("ArrowDown")
    index.wait_for(f"{POINTS} < {before}")
    index.run("document.querySelector('table.points tr:not([hidden]) a').focus()")
    index.press("Enter")
    index.wait_for("location.pathname.includes('/record/')")


def test_copy_button_takes_the_command(page: Browser, folder: Path) -> None:
    page.open(folder / "stale.html")
    page.run("document.querySelector('button[data-copy]').click()")
    page.wait_for("/Copied|Selected/.test(document.querySelector('button[data-copy]').textContent)")
