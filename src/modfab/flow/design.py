# SPDX-License-Identifier: Apache-2.0
"""What is measured: an engine, an exponentiator, an RSA core, a farm of them; its RTL files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from modfab.errors import UsageError
from modfab.gen.config import CoreConfig, config_files
from modfab.gen.farm import FarmConfig, farm_files
from modfab.gen.rsa import RsaConfig, rsa_files
from modfab.paths import rtl_dir

LEVELS = {
    "mul": "mf_cfg_engine",
    "modexp": "mf_modexp",
    "axil": "mf_modexp_axil",
    "rsa": "mf_rsa",
    "rsa_axil": "mf_rsa_axil",
    "farm": "mf_rsa_farm_axil",
}
"""Level -> the module that is measured."""

RSA_LEVELS = ("rsa", "rsa_axil", "farm")
"""Levels that need the configuration of an RSA core."""

_LISTS = {
    "mul": (),
    "modexp": ("top/mf_modexp.sv",),
    "axil": ("top/mf_modexp_axil.f",),
    "rsa": ("rsa/mf_rsa.f",),
    "rsa_axil": ("top/mf_rsa_axil.f",),
    "farm": ("rsa/mf_rsa.f", "farm/mf_rsa_farm.f", "top/mf_rsa_farm_axil.f"),
}


def listed_files(name: str) -> tuple[str, ...]:
    """The files named by a plain file list below rtl/, in order."""
    lines = (rtl_dir() / name).read_text().splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("//"))


@dataclass(frozen=True, slots=True)
class Design:
    """One design under measurement: a level of the library with one configuration.

    Attributes:
        config: Engine and sequencer; of an RSA core those for its primes.
        level: One of `LEVELS`.
        rsa: The RSA core; with `RSA_LEVELS` only.
        farm: How many of them; with the level `farm` only.
    """

    config: CoreConfig
    level: str
    rsa: RsaConfig | None = None
    farm: FarmConfig | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(
                f"There is no level {self.level!r}; choose one of {', '.join(LEVELS)}."
            )
        if (self.rsa is not None) != (self.level in RSA_LEVELS):
            raise UsageError(
                f"The levels {', '.join(RSA_LEVELS)} need the configuration of an RSA core, the "
                f"others have none, but the level is {self.level}; use `rsa_design` for one."
            )
        if (self.farm is not None) != (self.level == "farm"):
            raise UsageError(
                f"The level farm needs the configuration of a farm, the others have none, but the "
                f"level is {self.level}; use `farm_design` for one."
            )

    @property
    def top(self) -> str:
        """The measured module."""
        return LEVELS[self.level]

    def rtl_library_files(self) -> tuple[str, ...]:
        """Files below rtl/ that the level needs, packages first, each once."""
        engine = self.rsa.files() if self.rsa else self.config.engine.files
        names: tuple[str, ...] = ("mf_pkg.sv", *engine)
        if self.level != "mul":
            names += self.config.sequencer.files
        for name in _LISTS[self.level]:
            names += listed_files(name) if name.endswith(".f") else (name,)
        ordered = sorted(dict.fromkeys(names), key=lambda name: not name.endswith("_pkg.sv"))
        return tuple(ordered)

    def configuration(self) -> dict[str, str]:
        """The generated files, packages first."""
        texts = rsa_files(self.rsa) if self.rsa else config_files(self.config)
        if self.farm:
            texts = farm_files(self.farm)
        if self.level == "mul":
            del texts["mf_cfg_sequencer.sv"]
        return dict(sorted(texts.items(), key=lambda item: not item[0].endswith("_pkg.sv")))

    def rtl(self, vendor: str) -> dict[str, str]:
        """File name -> text of the measured module and all below it, packages first.

        The generic primitives are replaced by the vendor's own where it has some.
        """
        texts = {"mf_pkg.sv": (rtl_dir() / "mf_pkg.sv").read_text()}
        generated = self.configuration()
        texts |= {name: text for name, text in generated.items() if name.endswith("_pkg.sv")}
        for generic in self.rtl_library_files():
            for name in vendor_files(generic, vendor):
                path = rtl_dir() / name
                texts[path.name] = path.read_text()
        return texts | generated


def rsa_design(config: RsaConfig, level: str = "rsa") -> Design:
    """An RSA core under measurement: `rsa` without its bus, `rsa_axil` with it."""
    return Design(config.core, level, config)


def farm_design(config: FarmConfig) -> Design:
    """A farm with its bus under measurement."""
    return Design(config.rsa.core, "farm", config.rsa, config)


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
