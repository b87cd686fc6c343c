# SPDX-License-Identifier: Apache-2.0
"""What is measured: an engine, an exponentiator or the AXI4-Lite core, and its RTL files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from modfab.errors import UsageError
from modfab.flow.targets import Target
from modfab.flow.wrapper import TOP, stub_text, wrapper_text
from modfab.gen.config import CoreConfig, config_files
from modfab.paths import rtl_dir

LEVELS = {
    "mul": "mf_cfg_engine",
    "modexp": "mf_modexp",
    "axil": "mf_modexp_axil",
}
"""Level -> the module that is measured."""

_AXIL_LIST = "top/mf_modexp_axil.f"


def listed_files(name: str) -> tuple[str, ...]:
    """The files named by a plain file list below rtl/, in order."""
    lines = (rtl_dir() / name).read_text().splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("//"))


@dataclass(frozen=True, slots=True)
class Design:
    """One design under measurement: a level of the library with one configuration."""

    config: CoreConfig
    level: str

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(
                f"There is no level {self.level!r}; choose one of {', '.join(LEVELS)}."
            )

    @property
    def top(self) -> str:
        """The measured module."""
        return LEVELS[self.level]

    def rtl_library_files(self) -> tuple[str, ...]:
        """Files below rtl/ that the level needs, packages first, each once."""
        names: tuple[str, ...] = ("mf_pkg.sv", *self.config.engine.files)
        if self.level != "mul":
            names += (*self.config.sequencer.files, "top/mf_modexp.sv")
        if self.level == "axil":
            names += listed_files(_AXIL_LIST)
        ordered = sorted(dict.fromkeys(names), key=lambda name: not name.endswith("_pkg.sv"))
        return tuple(ordered)

    def sources(self, target: Target) -> dict[str, str]:
        """File name -> text of everything that synthesis reads, packages first.

        The generic primitives are replaced by the target's own where it has some.
        """
        configuration = config_files(self.config)
        texts = {"mf_pkg.sv": (rtl_dir() / "mf_pkg.sv").read_text()}
        texts["mf_cfg_pkg.sv"] = configuration["mf_cfg_pkg.sv"]
        for generic in self.rtl_library_files():
            for name in vendor_files(generic, target.vendor):
                path = rtl_dir() / name
                texts[path.name] = path.read_text()
        texts["mf_cfg_engine.sv"] = configuration["mf_cfg_engine.sv"]
        if self.level != "mul":
            texts["mf_cfg_sequencer.sv"] = configuration["mf_cfg_sequencer.sv"]
        texts[f"{TOP}.sv"] = wrapper_text(self.level, self.config)
        return texts

    def stub_sources(self) -> dict[str, str]:
        """The same wrapper around an empty box: what the wrapper itself costs."""
        configuration = config_files(self.config)
        return {
            "mf_pkg.sv": (rtl_dir() / "mf_pkg.sv").read_text(),
            "mf_cfg_pkg.sv": configuration["mf_cfg_pkg.sv"],
            f"{self.top}.sv": stub_text(self.level, self.config),
            f"{TOP}.sv": wrapper_text(self.level, self.config),
        }


def vendor_files(name: str, vendor: str) -> tuple[str, ...]:
    """The files below rtl/ that stand for one of the library on a vendor's devices.

    A primitive's own list `<name>.f` beside it comes before the folder's `files.f`.

    >>> vendor_files("mul/x/mf_mul_x.sv", "ecp5")
    ('mul/x/mf_mul_x.sv',)
    """
    path = PurePosixPath(name)
    own = path.parent / vendor / path.name
    if not vendor or path.parent.name != "prim" or not (rtl_dir() / own).is_file():
        return (name,)
    own_list = own.with_suffix(".f")
    has_list = (rtl_dir() / own_list).is_file()
    return listed_files(str(own_list if has_list else own.with_name("files.f")))


def digest_of(sources: dict[str, str]) -> str:
    """A short fingerprint of names and texts.

    >>> digest_of({"a.sv": "x"}) == digest_of({"a.sv": "y"})
    False
    """
    digest = hashlib.sha256()
    for name, text in sorted(sources.items()):
        digest.update(f"{name}\n{len(text)}\n{text}".encode())
    return digest.hexdigest()[:16]
