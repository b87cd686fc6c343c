# SPDX-License-Identifier: Apache-2.0
"""What makes a published row and ours not like for like, as sentences with a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modfab.errors import UsageError

KINDS: Mapping[str, str] = {
    "interval": "cycles from one operation to the next",
    "latency": "cycles from operand to result",
    "estimate": "a figure that was not measured after routing",
    "misprint": "a printed figure that contradicts the others",
    "method": "another algorithm does the same work",
    "other-design": "not the design that the paper describes",
    "device": "another kind of device",
    "shared": "one configuration beside several rows",
    "locked": "multipliers locked to sites, or free",
    "unmeasured": "no stored measurement of the current circuit",
}
"""Kind of a remark -> what it means. The last two come from the measurements, not from a file."""

MEASURED_KINDS = ("locked", "unmeasured")


@dataclass(frozen=True, slots=True)
class Remark:
    """One difference between a published row and ours.

    Attributes:
        kind: A key of `KINDS`.
        text: The sentence.
    """

    kind: str
    text: str


def read_remarks(data: Mapping[str, Any]) -> dict[str, Remark]:
    """The remarks of a file of published figures, by the names that its rows use.

    Args:
        data: The file; `[remark.NAME]` has `kind` and `text`.

    Raises:
        UsageError: A remark lacks one of them, or its kind is unknown or comes from measurements.
    """
    known = [kind for kind in KINDS if kind not in MEASURED_KINDS]
    found = {}
    for name, one in data.get("remark", {}).items():
        if set(one) != {"kind", "text"} or one["kind"] not in known:
            raise UsageError(
                f"Remark {name!r} of the paper {data.get('paper')!r} has {one!r}; it needs a text "
                f"and a kind out of {', '.join(known)}."
            )
        found[name] = Remark(one["kind"], one["text"])
    return found


def chosen(names: Sequence[str], known: Mapping[str, Remark]) -> tuple[Remark, ...]:
    """The remarks of a row.

    Raises:
        ValueError: The file has no remark of that name.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no remark {', '.join(unknown)}")
    return tuple(known[name] for name in dict.fromkeys(names))
