# SPDX-License-Identifier: Apache-2.0
"""One configuration of a core: which engine, which sequencer, which widths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from modfab.catalog import Engine, Params, Sequencer, get_engine, get_sequencer


@dataclass(frozen=True, slots=True)
class ModexpCore:
    """One configuration of a core.

    Attributes:
        engine, sequencer: Catalogue entries.
        params: Every engine parameter, as `Engine.resolve` gives them.
        exp_bits: Capacity of the exponent window in bits.
    """

    engine: Engine
    sequencer: Sequencer
    params: Params = field(hash=False)
    exp_bits: int

    @property
    def num_bits(self) -> int:
        """Bits of the modulus."""
        return self.params["NumBits"]

    def files(self) -> tuple[str, ...]:
        """RTL files below rtl/ that the configured engine and sequencer need, in order."""
        return (*self.engine.files, *self.sequencer.files)


def modexp_core(
    engine: str,
    num_bits: int,
    overrides: Params | None = None,
    sequencer: str = "ladder",
    exp_bits: int | None = None,
) -> ModexpCore:
    """Look up and check a configuration.

    Args:
        engine, sequencer: Names in the catalogue.
        num_bits: Bits of the modulus.
        overrides: Engine parameters other than the defaults.
        exp_bits: Capacity of the exponent window; `num_bits` when None.

    Raises:
        UsageError: An unknown name or a value out of range.
    """
    entry, chosen = get_engine(engine), get_sequencer(sequencer)
    params = entry.resolve(num_bits, overrides)
    params["NumSlots"] = max(params["NumSlots"], chosen.num_slots)
    return ModexpCore(entry, chosen, params, num_bits if exp_bits is None else exp_bits)


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write files into a folder that exists; files that match are left alone."""
    paths = []
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
        paths.append(path)
    return paths
