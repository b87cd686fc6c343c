# SPDX-License-Identifier: Apache-2.0
"""A port of an engine's pair as an engine of its own, so that it goes through the suite."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from modfab.catalog import Engine, Params
from modfab.catalog.descriptor import Cycles, Parameter

_PORT = Path(__file__).with_name("mf_test_pair_port.sv")
_MORE = (
    Parameter("Port", "number", (0, 1), 0, "the port that is seen"),
    Parameter("Lag", "cycles", range(1, 65), 1, "that the other port is behind"),
)


def pair_port(base: Engine) -> Engine:
    """One port of an engine's pair."""
    pair = base.pair
    assert pair is not None

    def whole(params: Params) -> dict[str, int]:
        return {**params, **pair.fixed}

    def fixed(formula: Any) -> Any:
        return formula if isinstance(formula, str | None) else lambda p: formula(whole(p))

    cycles = {field.name: fixed(getattr(base.cycles, field.name)) for field in fields(Cycles)}
    return replace(
        base,
        name=f"{base.name}_pair",
        parameters=(*(base.parameter(known) for known in pair.names), *_MORE),
        top="mf_test_pair_port",
        files=(*base.files, pair.file, str(_PORT)),
        r_bits=fixed(base.r_bits),
        sum_bits=fixed(base.sum_bits),
        resume_bits=fixed(base.resume_bits),
        cycles=Cycles(**cycles),
        num_lanes=fixed(base.num_lanes),
        check=lambda params: None,
        model=lambda params: base.model(whole(params)),
        pair=None,
    )
