# SPDX-License-Identifier: Apache-2.0
"""The assembler of the RSA core's programs: what it makes, and every refusal."""

from __future__ import annotations

import pytest

from modfab.models.rsa.assembler import AssemblyError, assemble
from modfab.models.rsa.instructions import Instruction, RsaOp

TEXT = """
.var A, 2
.var B, N + 1       ; a comment
.macro clear, X, WORDS
  .let TWICE, 2 * WORDS
  set X, 0, TWICE / 2
.end
.entry first
  .repeat I, 2
    expe A + I
    .if I > 0
      clear B, N
    .end
  .end
.entry second
  need 0, 1, 3
  halt
"""


def test_a_program() -> None:
    image = assemble(TEXT, {"N": 3})
    assert image.code == (
        Instruction(RsaOp.EXPE, a=0),
        Instruction(RsaOp.EXPE, a=1),
        Instruction(RsaOp.SET, dst=2, b=0, len=3),
        Instruction(RsaOp.NEED, b=1, dst=3),
        Instruction(RsaOp.HALT),
    )
    assert image.entries == {"first": 0, "second": 3}
    assert image.variables == {"A": (0, 2), "B": (2, 4)}
    assert image.num_words == 6
    assert [line.split() for line in image.listing][1] == ["1", "expe", "A", "+", "I"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sett 1", r"Line 1 \(sett\): no instruction, directive or macro has this name"),
        ("\nset 1, 2", r"Line 2 \(set\): expected 3 operands, but got 2"),
        (".macro m, A\n.end\nm 1, 2", r"Line 3 \(m\): expected 1 operands, but got 2"),
        (".var A", r"Line 1 \(.var\): 2 expected, 1 operands came"),
        (".macro\n.end", r"Line 1 \(.macro\): a name expected, 0 operands came"),
        (".what 1", r"Line 1 \(.what\): there is no such directive"),
        (".end", r"Line 1 \(.end\): there is nothing to end here"),
        (".if 1\nhalt", "ends inside a block; add the missing .end"),
        ("expe X", "'X' cannot be evaluated"),
        ("expe 1 +", r"'1 \+' cannot be evaluated"),
        ("expe 2 % 3", "only names, numbers"),
        ("expe f(2)", "only names, numbers"),
        ("expe 8192", "8192 is 8192, which has no place in 13 bits"),
        ("expe 1 - 2", "1 - 2 is -1, which has no place in 13 bits"),
        ("release\nexpe 1", r"Line 2 \(expe\): it takes back the release before it"),
    ],
)
def test_mistakes_are_refused(text: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=message):
        assemble(text, {})
