"""Tensors as text: `bf16[B,D]`, `w:int4/g128:bf16[n*G, F]`, `x[B_X, D_{YZ}]{U_W}`, with one reader for all uses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from roofproof.errors import quoted
from roofproof.formula.plain import PlainReader
from roofproof.formula.reader import OPERATORS, TWO_WAYS
from roofproof.formula.tokens import Token, error_at, tokens
from roofproof.formula.tree import Name, Tree

FORMAT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/g[0-9]+:[A-Za-z][A-Za-z0-9]*(\+[A-Za-z][A-Za-z0-9]*)*)?")
Place = tuple[str, int]  # a name and its position


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a tensor: a name or a formula of names, and the axes of a mesh over which it is sharded."""

    size: Tree
    at: int
    axes: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class TensorText:
    """A tensor as written. `label` and `word` are empty if left out, and `word` is a format or a name.

    `partial` are the axes over which it holds partial sums.
    """

    label: str
    word: str
    indices: tuple[Index, ...]
    at: int
    word_at: int
    partial: tuple[Place, ...] = ()


def read_tensor(text: str) -> TensorText:
    """Return the tensor that a text describes.

    >>> from roofproof.formula.printing import to_text
    >>> read = read_tensor("w:int4/g128:bf16[n*G, F]")
    >>> read.label, read.word, [to_text(index.size) for index in read.indices]
    ('w', 'int4/g128:bf16', ['n G', 'F'])
    """
    reader = TensorReader(text, tokens(text, "a tensor"))
    found = reader.tensor()
    if reader.token.kind != "end":
        reader.refuse()
    return found


class TensorReader(PlainReader):
    """A reader of tensors. With `cut`, axes of a mesh follow an underscore."""

    def __init__(self, text: str, found: Sequence[Token], *, cut: bool = False) -> None:
        super().__init__(text, found)
        self.letters = frozenset()  # next to B and D, BD may be one index, or two without the comma
        self.cut = cut

    def tensor(self) -> TensorText:
        start, label, word = self.token, "", Token("word", "", self.token.at, self.token.at)
        if start.kind == "name" and self.ahead().kind == ":":
            label = start.text
            self.at += 2
        if self.token.kind == "name":
            word = self.take_form(FORMAT)
        if not self.take("["):
            self.refuse("[")
        indices = []
        while not self.take("]"):
            indices.append(self.cut_index() if self.cut else self.index())
            if self.token.kind != "]" and not self.take(","):
                self.refuse(",", "]")
            if self.tokens[self.at - 1].kind == "," and self.token.kind == "]":
                self.refuse()
        partial = self.partial_sums() if self.cut and self.token.kind == "{" else ()
        return TensorText(label, word.text, tuple(indices), start.at, word.at, partial)

    def is_tensor(self) -> bool:
        """Return whether a tensor, or a bracket with tensors, begins here."""
        if self.token.kind in ("[", "("):
            return True
        after = self.ahead()
        return self.token.kind == "name" and (after.kind in ("[", ":", "/") or after.text == "[")

    def index(self) -> Index:
        """Return an index, and refuse two names side by side, which lack a comma or a sign."""
        at = self.token.at
        for k in range(self.at, len(self.tokens) - 1):
            left, right = self.tokens[k : k + 2]
            if left.kind in (",", "]"):
                break
            if left.kind == "name" and right.kind in ("name", "number"):
                first, second = f"{left.text},{right.text}", f"{left.text}*{right.text}"
                whole = quoted(f"{left.text} {right.text}")
                raise error_at(left.at, TWO_WAYS, whole=whole, first=quoted(first), second=quoted(second))
        return Index(self.formula(OPERATORS["+"].power), at)

    def cut_index(self) -> Index:
        """Return an index such as `D`, `D_X`, `D_XY` or `D_{X,Y}`."""
        token = self.need("name")
        name, sign, axes = token.text.partition("_")
        at = token.at + len(name) + 1
        found: tuple[Place, ...] = ((axes, at),) if axes else self.listed_axes() if sign else ()
        if not name or "_" in axes:
            raise error_at(token.at, "unexpected <token>", token=quoted(token.text))
        return Index(Name(name, span=(token.at, token.at + len(name))), token.at, found)

    def listed_axes(self) -> tuple[Place, ...]:
        self.need("{")
        found = [self.need("name")]
        while self.take(","):
            found.append(self.need("name"))
        self.need("}")
        return tuple((token.text, token.at) for token in found)

    def partial_sums(self) -> tuple[Place, ...]:
        """Return the axes of `{U_X}`."""
        self.need("{")
        index = self.cut_index()
        if index.size != Name("U"):
            word = quoted(self.text[slice(*index.size.span)])
            raise error_at(index.at, "expected U, as in {U_X}: partial sums over X, got <word>", word=word)
        self.need("}")
        return index.axes
