# SPDX-License-Identifier: Apache-2.0
"""Make the report's files: pages from templates, scripts, floorplans."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from modfab.catalog import ENGINES
from modfab.errors import MachineError, ToolError, UsageError
from modfab.flow.record import Record
from modfab.flow.refresh import Stale, stale_designs
from modfab.flow.tools import Progress, silent
from modfab.folders import Mark, check_replaceable, put_in_place
from modfab.pages.web.papers import Sheet, sheets, tables
from modfab.pages.web.points import Point, points_of
from modfab.pages.web.sections import (
    KINDS,
    core_page,
    engine_cycles,
    floorplans,
    measure_engine,
    parameters,
    record_page,
)
from modfab.pages.web.texts import assessments, inline, method
from modfab.report.compare import ROUTED
from modfab.report.ranking import rule_text

_HERE = Path(__file__).parent
_NAV = (
    ("Overview", "index.html"),
    ("Engines", "index.html#engines"),
    ("Cores", "index.html#cores"),
    ("Papers", "index.html#papers"),
    ("Measurements", "measurements.html"),
    ("Floorplans", "floorplans.html"),
    ("Assessment", "assessment.html"),
    ("Method", "method.html"),
)

_NO_ASSESSMENT = Markup('<p class="none">This tree has no assessment results.</p>')


@dataclass(slots=True)
class _Site:
    """Pages in the making.

    Attributes:
        points, stale, papers: What they show.
        files: Path in the report -> text.
    """

    points: Sequence[Point]
    stale: Sequence[Stale]
    papers: Sequence[Sheet]
    files: dict[str, str] = field(default_factory=dict)
    templates: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters["inline"] = inline
        self.templates.globals |= {"data": _data, "nav": _NAV, "weights": rule_text()}

    def page(self, path: str, template: str, **words: Any) -> None:
        """Add a page."""
        root = "../" * path.count("/")
        made = self.templates.get_template(template)
        self.files[path] = made.render(root=root, here=path, **words) + "\n"

    def overview(self) -> None:
        """The first page, and the lists of what is valid and what is stale."""
        counts = {
            name: sum(point.request.engine == name for point in self.points) for name in ENGINES
        }
        routed = sum(point.found.mhz is not None for point in self.points)
        shown = {"points": self.points, "stale": self.stale}
        more = {"engines": list(ENGINES.values()), "kinds": KINDS, "papers": self.papers}
        self.page("index.html", "index.html", counts=counts, routed=routed, **shown, **more)
        self.page("measurements.html", "listing.html", **shown)
        self.page("stale.html", "stale.html", **shown)

    def engines(self) -> None:
        """A page for each engine."""
        for name, engine in ENGINES.items():
            self.page(
                f"engine/{name}.html",
                "engine.html",
                engine=engine,
                points=[point for point in self.points if point.request.engine == name],
                measure=measure_engine(engine),
                cycles=engine_cycles(engine),
                parameters=parameters(engine),
                paper_names=[paper.name for paper in self.papers],
            )

    def cores(self) -> None:
        """A page for each kind of core."""
        for kind in KINDS:
            points = [point for point in self.points if point.core.kind == kind]
            self.page(f"core/{kind}.html", "core.html", points=points, **core_page(kind))

    def comparisons(self) -> None:
        """A page for each published set of figures."""
        for paper in self.papers:
            self.page(
                f"paper/{paper.name}.html",
                "paper.html",
                paper=paper,
                tables=tables(paper),
                remarks=paper.remarks,
                engines=paper.engines,
                missing=paper.missing,
                routed_on=ROUTED,
            )

    def records(self) -> None:
        """A page for each measurement, and the floorplans."""
        every = []
        for point in self.points:
            plans = floorplans(point)
            self.files |= {name: text for name, (_, text) in plans.items()}
            shown = [(name, caption) for name, (caption, _) in plans.items()]
            page = f"record/{point.slug}.html"
            every += [(*plan, page) for plan in shown]
            self.page(page, "record.html", plans=shown, **record_page(point))
        self.page("floorplans.html", "floorplans.html", plans=every)

    def texts(self, assessment: Path | None) -> None:
        """How figures are measured, and assessments."""
        self.page("method.html", "text.html", title="How figures are measured", texts=method())
        found = assessments(assessment) or [_NO_ASSESSMENT]
        self.page("assessment.html", "text.html", title="Assessment", texts=found)


MARK = Mark(
    ".modfab-report",
    "Made by modfab report; the next one replaces this folder, whose files are these:",
    (
        *(".modfab-report", "index.html", "measurements.html", "stale.html", "floorplans.html"),
        *("assessment.html", "method.html", "engine/*.html", "core/*.html", "paper/*.html"),
        *("record/*.html", "floorplan/*.svg", "assets/report.css", "assets/report.js"),
        "assets/plotly.min.js",
    ),
)
"""Of a report's folder."""


def _data(points: Sequence[Point]) -> list[dict[str, Any]]:
    return [point.as_data() for point in points]


def plotly_script() -> Path:
    """The plotting script, as its package brings it.

    Raises:
        ToolError: The package is not installed.
    """
    spec = importlib.util.find_spec("plotly")
    places = spec.submodule_search_locations if spec else None
    path = Path(next(iter(places))) / "package_data" / "plotly.min.js" if places else None
    if path is None or not path.is_file():
        raise ToolError(
            "The report's plots need the Python package plotly, which was not found; run the "
            "./modfab launcher, or `pip install 'modfab[flow]'`."
        )
    return path


def report_files(records: Iterable[Record], assessment: Path | None = None) -> dict[str, str]:
    """Path -> text of every file but plotting script and mark; the same for the same records.

    Args:
        records: Every measurement there is, stale ones too.
        assessment: Folder of assessment results; None for none.
    """
    known = list(records)
    site = _Site(points_of(known), stale_designs(known), sheets(known))
    site.overview()
    site.engines()
    site.cores()
    site.comparisons()
    site.records()
    site.texts(assessment)
    for name in ("report.css", "report.js"):
        site.files[f"assets/{name}"] = (_HERE / "assets" / name).read_text(encoding="utf-8")
    return site.files


def write_report(
    folder: Path,
    records: Iterable[Record],
    assessment: Path | None = None,
    progress: Progress = silent,
) -> list[str]:
    """Write the report; an older one in the folder is replaced when the new one is complete.

    Returns:
        Paths of its files.

    Raises:
        UsageError: The folder holds a file that is not from a report.
        MachineError: It cannot be written.
    """
    _check_folder(folder)
    progress(f"Writing the report to {folder} ...")
    script, files = plotly_script(), report_files(records, assessment)
    script_name = f"assets/{script.name}"
    files = files | {MARK.name: MARK.text([*files, script_name])}
    try:
        place = folder.resolve()
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as part:
            made = Path(part) / "report"
            for name, text in files.items():
                path = made / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            shutil.copyfile(script, made / script_name)
            put_in_place(made, place, Path(part) / "old")
    except OSError as error:
        raise MachineError(
            f"The report cannot be written to {folder} ({error.strerror}); make room or choose "
            "another folder."
        ) from error
    return [*files, script_name]


def _check_folder(folder: Path) -> None:
    check_replaceable(folder)
    if not folder.exists():
        return
    foreign = MARK.foreign_file(folder)
    if foreign is not None:
        raise UsageError(
            f"A report replaces nothing but a report, and {folder / foreign} is not from one; take "
            "it away, or choose a new or empty folder with -o."
        )
