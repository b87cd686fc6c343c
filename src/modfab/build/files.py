# SPDX-License-Identifier: Apache-2.0
"""The RTL files of a build: lists below rtl/, a vendor's primitives, the generated modules."""

from __future__ import annotations

from pathlib import PurePosixPath

from modfab.build.compose import AnyConfig, compose
from modfab.build.core import ModexpCore
from modfab.filelists import listed_files
from modfab.paths import rtl_dir

_LISTS = {
    "mul": (),
    "modexp": ("modexp/files.f",),
    "axil": ("modexp/files.f", "bus/modexp_axil.f"),
    "rsa": ("rsa/files.f",),
    "rsa_axil": ("rsa/files.f", "bus/rsa_axil.f"),
    "farm": ("rsa/files.f", "farm/files.f", "bus/farm_axil.f"),
}
"""Level -> the lists of its files, without those of engine and sequencer."""

_GENERIC = PurePosixPath("prim/generic")
"""The primitives for any tool; a vendor's own are in a folder beside it."""


def library_files(config: AnyConfig, level: str) -> tuple[str, ...]:
    """Files below rtl/ that a level of a configuration needs, packages first, each once."""
    if isinstance(config, ModexpCore) and level == "mul":
        names: tuple[str, ...] = config.engine.files
    else:
        names = config.files()
    unique = dict.fromkeys((*names, *listed_files(*_LISTS[level])))
    return tuple(sorted(unique, key=lambda name: not name.endswith("_pkg.sv")))


def vendor_files(name: str, vendor: str) -> tuple[str, ...]:
    """The files below rtl/ that stand for one of the library on a vendor's devices.

    A primitive's own list `<name>.f` beside it comes before the folder's `files.f`.

    >>> vendor_files("mul/x/mf_mul_x.sv", "ecp5")
    ('mul/x/mf_mul_x.sv',)
    """
    path = PurePosixPath(name)
    own = _GENERIC.with_name(vendor or _GENERIC.name) / path.name
    if not vendor or path.parent != _GENERIC or not (rtl_dir() / own).is_file():
        return (name,)
    own_list = own.with_suffix(".f")
    has_list = (rtl_dir() / own_list).is_file()
    return listed_files(str(own_list if has_list else own.with_name("files.f")))


def rtl_texts(config: AnyConfig, level: str, name: str, vendor: str = "") -> dict[str, str]:
    """File name -> text of a build, packages first, the top last.

    Args:
        config, level, name: As for `compose`.
        vendor: Whose primitives replace the generic ones, where it has some.
    """
    texts = {}
    for generic in library_files(config, level):
        for file in vendor_files(generic, vendor):
            path = rtl_dir() / file
            texts[path.name] = path.read_text()
    return texts | compose(config, level, name)
