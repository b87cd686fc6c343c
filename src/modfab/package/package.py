# SPDX-License-Identifier: Apache-2.0
"""The folder of one configured core, as file name -> text."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from modfab.build.files import rtl_texts
from modfab.errors import UsageError
from modfab.flow.tools import Progress, silent
from modfab.folders import check_replaceable, put_in_place
from modfab.package.bench import bench_text
from modfab.package.component import component_xml
from modfab.package.constraints import constraint_files
from modfab.package.datasheet import datasheet_html, datasheet_markdown
from modfab.package.diagram import blocks_svg
from modfab.package.flat import flat_verilog
from modfab.package.fusesoc import core_file
from modfab.package.ip import IpPackage
from modfab.package.names import rtl_modules
from modfab.package.older import foreign_file
from modfab.package.readme import readme_text
from modfab.package.templates import fill
from modfab.package.top import top_text
from modfab.paths import rtl_dir, sw_dir


def package_rtl(package: IpPackage, vendor: str) -> dict[str, str]:
    """File name -> text of the RTL, packages first, the top last."""
    texts = rtl_texts(package.core, True, f"{package.name}_core", vendor)
    return texts | {f"{package.name}.v": top_text(package.name, package.kind)}


def package_files(package: IpPackage, progress: Progress = silent) -> dict[str, str]:
    """Path below the package -> text of every file; `progress` is told of what takes long."""
    rtl = package_rtl(package, package.target.vendor if package.target else "")
    # Files of the RTL that are not ours to name declare a vendor's own cells.
    cells = {f"{name}.sv" for name in rtl_modules() if not name.startswith("mf_")}
    models = [name for name in rtl if name in cells]
    sources = [f"rtl/{name}" for name in rtl if name not in models]
    files = {f"rtl/{name}": text for name, text in rtl.items() if name not in models}
    files |= {f"sim/{name}": rtl[name] for name in models}
    flat = f"sim/{package.name}_flat.v"
    bench = f"sim/{package.name}_tb.v"
    files |= {
        flat: flat_verilog(package.name, package_rtl(package, ""), progress),
        bench: bench_text(package),
    }
    listed = "".join(f"{name}\n" for name in sources)
    files[f"{package.name}.f"] = f"// SPDX-License-Identifier: Apache-2.0\n{listed}"
    simulated = [f"sim/{name}" for name in models] + sources
    files[f"{package.name}.core"] = core_file(
        package.name, package.kind.title, sources, simulated, flat, bench
    )
    files |= constraint_files(package)
    files["vivado/package_ip.tcl"] = fill("package_ip.tcl", _tcl_values(package))
    files["component.xml"] = component_xml(package.name, sources, package.kind)
    files |= {f"sw/{name}": (sw_dir() / "c" / name).read_text() for name in package.kind.driver}
    files |= _pages(package)
    files["README.md"] = readme_text(package, list(files))
    license_file = rtl_dir().parent / "LICENSE"
    return files | ({"LICENSE": license_file.read_text()} if license_file.is_file() else {})


def _tcl_values(package: IpPackage) -> dict[str, str]:
    values = {"name": package.name, "title": package.kind.title, "stream": "", "stream_clock": ""}
    line = "xilinx.com:signal:interrupt_rtl:1.0"
    values["lines"] = "".join(
        f"ipx::infer_bus_interface {name} {line} $core\n" for name, _, _ in package.kind.lines
    )
    if package.kind.streams:
        axis = "xilinx.com:interface:axis_rtl:1.0"
        values["stream"] = f"ipx::infer_bus_interfaces {axis} $core\n"
    for stream in package.kind.streams:
        link = f"-busif {stream.name} -clock s_axi_aclk"
        values["stream_clock"] += f"ipx::associate_bus_interfaces {link} $core\n"
    return values


def _pages(package: IpPackage) -> dict[str, str]:
    pictures = {"doc/blocks.svg": blocks_svg(package.core, package.name)}
    if package.floorplan:
        pictures["doc/floorplan.svg"] = package.floorplan
    page = datasheet_markdown(package)
    return pictures | {"doc/datasheet.md": page, "doc/datasheet.html": datasheet_html(package)}


def write_package(
    package: IpPackage, folder: Path, *, force: bool = False, progress: Progress = silent
) -> list[Path]:
    """Write a package into a new folder, in one step: an interrupted run leaves nothing.

    Args:
        package: What to write.
        folder: Must not exist, or be empty.
        force: Replace a folder that holds an older package of ours and nothing else.
        progress: Told of what takes long.

    Returns:
        The files, sorted.

    Raises:
        UsageError: The folder is in use, or cannot be made.
    """
    _check_folder(folder, force)
    texts = package_files(package, progress)
    place = folder.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    except OSError as error:
        raise UsageError(
            f"The folder {folder} cannot be made ({error.strerror}); choose another with -o."
        ) from error
    made = part / "new"
    try:
        for name, text in texts.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        put_in_place(made, place, part / "old")
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return sorted(folder / name for name in texts)


def _check_folder(folder: Path, force: bool) -> None:
    check_replaceable(folder)
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not force:
        raise UsageError(
            f"The package needs a new or empty folder, but {folder} holds something; choose "
            "another with -o, or replace an older package with --force."
        )
    foreign = foreign_file(folder)
    if foreign is not None:
        raise UsageError(
            f"--force replaces nothing but a package, and {folder / foreign} is not from one; "
            "take it away, or choose a new or empty folder with -o."
        )
