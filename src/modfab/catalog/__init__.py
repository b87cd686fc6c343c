# SPDX-License-Identifier: Apache-2.0
"""The catalogue: every engine and sequencer, found by the name of its module.

A module `mul_<name>.py` holds `ENGINE`, a module `exp_<name>.py` holds `SEQUENCER`.
"""

from __future__ import annotations

import importlib
import pkgutil

from modfab.catalog.descriptor import LONG_R, Cycles, Engine, Parameter, Params, Sequencer
from modfab.errors import UsageError

__all__ = [
    "ENGINES",
    "LONG_R",
    "SEQUENCERS",
    "Cycles",
    "Engine",
    "Parameter",
    "Params",
    "Sequencer",
    "get_engine",
    "get_sequencer",
]


def _modules(prefix: str) -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith(prefix))


ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in sorted(
        (importlib.import_module(f"{__name__}.{m}").ENGINE for m in _modules("mul_")),
        key=lambda engine: int(engine.engine_id),
    )
}

SEQUENCERS: dict[str, Sequencer] = {
    sequencer.name: sequencer
    for sequencer in sorted(
        (importlib.import_module(f"{__name__}.{m}").SEQUENCER for m in _modules("exp_")),
        key=lambda sequencer: int(sequencer.sequencer_id),
    )
}


def get_engine(name: str) -> Engine:
    """The engine of that name; UsageError lists the names there are."""
    if name not in ENGINES:
        raise UsageError(f"There is no engine {name!r}; choose one of {', '.join(ENGINES)}.")
    return ENGINES[name]


def get_sequencer(name: str) -> Sequencer:
    """The sequencer of that name; UsageError lists the names there are."""
    if name not in SEQUENCERS:
        raise UsageError(f"There is no sequencer {name!r}; choose one of {', '.join(SEQUENCERS)}.")
    return SEQUENCERS[name]
