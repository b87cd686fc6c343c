# SPDX-License-Identifier: Apache-2.0
"""Plain file lists (`.f`) below rtl/: one file a line, in order, as every tool reads them."""

from __future__ import annotations

from modfab.paths import rtl_dir


def listed_files(*names: str) -> tuple[str, ...]:
    """The files that lists name, below rtl/ and in order, each once.

    Args:
        names: The lists, below rtl/.

    >>> listed_files("exp/mf_exp_ladder.f")
    ('mf_pkg.sv', 'common/mf_exp_digits.sv', 'exp/mf_exp_ladder.sv')
    """
    texts = ((rtl_dir() / name).read_text(encoding="utf-8") for name in names)
    lines = (line.strip() for text in texts for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("//")))
