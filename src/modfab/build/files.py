# SPDX-License-Identifier: Apache-2.0
"""The RTL of a build as texts: files of the library and of a vendor, generated modules."""

from __future__ import annotations

from pathlib import PurePosixPath

from modfab.build.compose import compose
from modfab.build.core import Core
from modfab.filelists import listed_files
from modfab.paths import rtl_dir

_GENERIC = PurePosixPath("prim/generic")
"""The primitives for any tool; a vendor's own are in a folder beside it."""


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


def rtl_texts(core: Core, bus: bool, name: str, vendor: str = "") -> dict[str, str]:
    """File name -> text of a build, packages first, the top last.

    Args:
        core, bus, name: As for `compose`.
        vendor: Whose primitives replace the generic ones, where it has some.
    """
    texts = {}
    for generic in core.files(bus):
        for file in vendor_files(generic, vendor):
            path = rtl_dir() / file
            texts[path.name] = path.read_text()
    return texts | compose(core, bus, name)
