# SPDX-License-Identifier: Apache-2.0
"""Assembler of the RSA core's programs: text in, instructions, memory map and listing out.

A line is an instruction, a macro call or a directive; `;` starts a comment. Operands are separated
by commas and are integer expressions of names, numbers, `+ - * / **` and comparisons.

    .var NAME, WORDS      words of memory; NAME becomes their address
    .align WORDS          the next variable's address is a multiple of WORDS
    .let NAME, VALUE      a number, local to the macro or repetition it stands in
    .entry NAME           a program starts here
    .macro NAME, A, B ..  .end    a text with parameters
    .repeat NAME, COUNT   .end    the text COUNT times, NAME counting from 0
    .if VALUE             .end    the text when VALUE is not 0
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from modfab.errors import ModfabError
from modfab.models.rsa.instructions import (
    ADDR_BITS,
    KEEPS_RELEASE,
    OPERANDS,
    Instruction,
    RsaOp,
)

_OPERATORS: dict[type[Any], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Pow: operator.pow,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
}
_OPERAND_COUNTS = {".var": 2, ".align": 1, ".let": 2, ".entry": 1, ".repeat": 2, ".if": 1}
_MNEMONICS = {op.name.lower(): op for op in RsaOp}


class AssemblyError(ModfabError):
    """A program's text is wrong; the message names the line."""


@dataclass(frozen=True, slots=True)
class Image:
    """An assembled program memory.

    Attributes:
        code: Instructions from address 0.
        entries: Program name -> address.
        variables: Name -> (address, words) in word memory, in order.
        listing: One line of text for each instruction.
    """

    code: tuple[Instruction, ...]
    entries: Mapping[str, int]
    variables: Mapping[str, tuple[int, int]]
    listing: tuple[str, ...]

    @property
    def num_words(self) -> int:
        """Words of memory."""
        return sum(words for _, words in self.variables.values())

    @property
    def bank(self) -> int:
        """Words of a key context, and the first address that is none of a key's."""
        return self.variables["C"][0]

    @property
    def num_keys(self) -> int:
        """Keys that the core keeps."""
        return 1 + self.variables["OTHERS"][1] // self.bank

    @property
    def makes_keys(self) -> bool:
        """The core makes its keys itself, and shows their n."""
        return self.variables["SMALLS"][1] > 0

    def place(self, address: int, context: int) -> int:
        """Where a word is in memory; that of a key belongs to a context."""
        return address + (context + 1) * self.bank if context and address < self.bank else address


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    word: str
    operands: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """A line with the lines it encloses; instructions enclose none."""

    line: _Line
    body: list[_Block] = field(default_factory=list)


def assemble(text: str, constants: Mapping[str, int]) -> Image:
    """Assemble a text.

    Args:
        text: The programs.
        constants: Names with their values.

    Returns:
        Code, entries, memory map and listing.

    Raises:
        AssemblyError: An unknown name, a wrong number of operands, a value out of range, a release
            that does not last until a halt.

    >>> lines = [".var X, 2", ".entry go", "set X, N, 2", "halt"]
    >>> image = assemble(chr(10).join(lines), {"N": 7})
    >>> image.code[0].b, image.entries, image.num_words
    (7, {'go': 0}, 2)
    """
    assembler = _Assembler(dict(constants))
    assembler.expand(_parse(text), {})
    return Image(
        tuple(assembler.code), assembler.entries, assembler.variables, tuple(assembler.listing)
    )


def _parse(text: str) -> list[_Block]:
    root: list[_Block] = []
    stack = [root]
    for number, raw in enumerate(text.splitlines(), 1):
        head, *rest = raw.split(";")[0].strip().split(None, 1) or [""]
        if not head:
            continue
        operands = tuple(part.strip() for part in rest[0].split(",")) if rest else ()
        line = _Line(number, head, operands)
        if head == ".end":
            if len(stack) == 1:
                raise _wrong(line, "there is nothing to end here; remove it")
            stack.pop()
            continue
        block = _Block(line)
        stack[-1].append(block)
        if head in (".macro", ".repeat", ".if"):
            stack.append(block.body)
    if len(stack) > 1:
        raise AssemblyError("The program text ends inside a block; add the missing .end.")
    return root


def _wrong(line: _Line, problem: str) -> AssemblyError:
    return AssemblyError(f"Line {line.number} ({line.word}): {problem}.")


class _Assembler:
    def __init__(self, constants: dict[str, int]) -> None:
        self.names = constants
        self.code: list[Instruction] = []
        self.entries: dict[str, int] = {}
        self.variables: dict[str, tuple[int, int]] = {}
        self.listing: list[str] = []
        self._macros: dict[str, _Block] = {}

    def expand(self, blocks: list[_Block], scope: dict[str, int]) -> None:
        """Expand blocks into code; `scope` holds the names local to them."""
        for block in blocks:
            word = block.line.word
            if word.startswith("."):
                self._directive(block, scope)
            elif word in self._macros:
                self._call(block.line, scope)
            elif word in _MNEMONICS:
                self._instruction(block.line, scope)
            else:
                raise _wrong(block.line, "no instruction, directive or macro has this name")

    def _directive(self, block: _Block, scope: dict[str, int]) -> None:
        line = block.line
        wanted = _OPERAND_COUNTS.get(line.word)
        if wanted is None and line.word != ".macro":
            raise _wrong(line, "there is no such directive")
        if (wanted is not None and len(line.operands) != wanted) or not line.operands:
            raise _wrong(line, f"{wanted or 'a name'} expected, {len(line.operands)} operands came")
        name = line.operands[0]
        if line.word == ".macro":
            self._macros[name] = block
        elif line.word == ".entry":
            self.entries[name] = len(self.code)
        elif line.word == ".if":
            if self._value(name, line, scope):
                self.expand(block.body, scope)
        elif line.word == ".let":
            scope[name] = self._value(line.operands[1], line, scope)
        elif line.word in (".align", ".var"):
            self._place(name, self._value(line.operands[-1], line, scope), line.word == ".align")
        else:
            for count in range(self._value(line.operands[1], line, scope)):
                self.expand(block.body, {**scope, name: count})

    def _place(self, name: str, words: int, align: bool) -> None:
        end = self._end
        if not align:
            self.variables[name], self.names[name] = (end, words), end
        elif -end % words:
            self.variables[f"PAD{end}"] = (end, -end % words)

    @property
    def _end(self) -> int:
        return sum(words for _, words in self.variables.values())

    def _call(self, line: _Line, scope: dict[str, int]) -> None:
        macro = self._macros[line.word]
        parameters = macro.line.operands[1:]
        values = [self._value(text, line, scope) for text in line.operands]
        if len(values) != len(parameters):
            raise _wrong(line, f"expected {len(parameters)} operands, but got {len(values)}")
        self.expand(macro.body, dict(zip(parameters, values, strict=True)))

    def _instruction(self, line: _Line, scope: dict[str, int]) -> None:
        op = _MNEMONICS[line.word]
        fields = OPERANDS[op]
        if len(line.operands) != len(fields):
            raise _wrong(line, f"expected {len(fields)} operands, but got {len(line.operands)}")
        values = [self._value(text, line, scope) for text in line.operands]
        for text, value in zip(line.operands, values, strict=True):
            if not 0 <= value < 1 << ADDR_BITS:
                raise _wrong(line, f"{text} is {value}, which has no place in {ADDR_BITS} bits")
        if self.code and self.code[-1].op is RsaOp.RELEASE and op not in KEEPS_RELEASE:
            raise _wrong(line, "it takes back the release before it; put a halt between them")
        self.listing.append(f"{len(self.code):4}  {line.word:<8}{', '.join(line.operands)}")
        self.code.append(Instruction(op, **dict(zip(fields, values, strict=True))))

    def _value(self, text: str, line: _Line, scope: dict[str, int]) -> int:
        try:
            return self._evaluate(ast.parse(text, mode="eval").body, scope)
        except (SyntaxError, LookupError) as error:
            raise _wrong(line, f"{text!r} cannot be evaluated ({error})") from None

    def _evaluate(self, node: ast.expr, scope: dict[str, int]) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return scope[node.id] if node.id in scope else self.names[node.id]
        operation: ast.operator | ast.cmpop | None = None
        terms: tuple[ast.expr, ...] = ()
        if isinstance(node, ast.BinOp):
            operation, terms = node.op, (node.left, node.right)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            operation, terms = node.ops[0], (node.left, node.comparators[0])
        if type(operation) not in _OPERATORS:
            raise LookupError("only names, numbers, + - * / ** and comparisons are known")
        left, right = (self._evaluate(term, scope) for term in terms)
        return int(_OPERATORS[type(operation)](left, right))
