# SPDX-License-Identifier: Apache-2.0
"""What a core says that it was built of."""

from __future__ import annotations

from collections.abc import Mapping

from modfab.catalog import ENGINES, SEQUENCERS
from modfab.host.core_device import field_of
from modfab.host.generated import mf_rsa_regs as regs

NO_SEQUENCER = ""
"""Of a core for public operations only."""

_ENGINES = {engine.engine_id: name for name, engine in ENGINES.items()}
_SEQUENCERS = {entry.sequencer_id: name for name, entry in SEQUENCERS.items()} | {0: NO_SEQUENCER}


def built_of(capability: int) -> tuple[str, str]:
    """Names of engine and sequencer in the register CAPABILITY, which is alike in all cores.

    >>> built_of(0x0107), built_of(0x0009), built_of(0xFF01)
    (('sos', 'ladder'), ('qp_systolic', ''), ('bit_serial', 'unknown (255)'))
    """
    engine = field_of(capability, regs.CAPABILITY_ENGINE_MASK)
    sequencer = field_of(capability, regs.CAPABILITY_SEQUENCER_MASK)
    return _name_of(engine, _ENGINES), _name_of(sequencer, _SEQUENCERS)


def _name_of(number: int, names: Mapping[int, str]) -> str:
    return names.get(number, f"unknown ({number})")
