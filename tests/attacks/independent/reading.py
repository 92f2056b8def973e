"""A recursive-descent parser for claims, written only from the description of the language.

A tree is a tuple that begins with its kind: ("number", Fraction, text), ("name", n), ("+", *terms), ("*", *factors),
("/", a, b), ("-", a), ("^", a, b), ("unit", Fraction, dimension), ("call", function, *arguments), ("set", *items),
("text", t), ("oo",), ("relation", operands, signs), ("and", ...), ("or", ...), ("not", p), ("=>", p, q), ("<=>", ...).
"""

import re
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from independent.units import unit

Tree = tuple[Any, ...]

TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      |(?P<word>[A-Za-z_µμ][A-Za-z0-9_]*)
      |(?P<text>"[^"]*"|'[^']*')
      |(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
      |(?P<sign><=>|=>|<=|>=|==|!=|~=|->|\*\*|[-+*/^(){},<>%√≈≤≥≠→⇒⇔·×−∞@]))""",
    re.VERBOSE,
)
SAME = {"≈": "~=", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "⇒": "=>", "⇔": "<=>", "·": "*", "×": "*", "−": "-",
        "**": "^", "∞": "oo"}  # fmt: skip
RELATIONS = ("==", "!=", "<", "<=", ">", ">=", "~=", "->")
NEED_OPERATION = ("flops", "bytes", "intensity", "time", "lower", "upper", "compute_bound", "threshold")
FUNCTIONS = (*NEED_OPERATION, "ridge", "rate", "attainable", "limit", "solve", "smallest", "largest", "argmin",
             "argmax", "minimum", "maximum", "sum", "increasing", "decreasing", "independent", "degree", "floor",
             "ceil", "abs", "min", "max", "sqrt", "log2", "log")  # fmt: skip
GIVEN_WORDS = {"integer", "integers", "real", "reals", "positive", "nonnegative", "in"}


class Unread(Exception):
    """Text that is not in the claim language."""


def tokens(text: str) -> list[tuple[str, str, int, int]]:
    """Return (kind, text, start, end) of each token."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise Unread(f"column {at + 1}: {text[at : at + 10]!r}")
        word = match[match.lastgroup]
        kind = "oo" if word in ("oo", "∞") else match.lastgroup
        found.append((kind, SAME.get(word, word), match.start(match.lastgroup), match.end()))
        at = match.end()
    return [*found, ("end", "", at, at)]


class Reader:
    """Parser of one text. Names in `declared` take precedence over units and functions with the same spelling."""

    def __init__(self, text: str, declared: Collection[str] = ()) -> None:
        self.text, self.declared, self.tokens, self.at = text, set(declared), tokens(text), 0

    @property
    def here(self) -> str:
        kind, text, *_ = self.tokens[self.at]
        return text if kind in ("sign", "word", "oo") else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self, *words: str) -> str:
        if self.here and self.here in words:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def need(self, word: str) -> None:
        if not self.take(word):
            raise Unread(f"column {self.tokens[self.at][2] + 1}: {word!r} was expected in {self.text!r}")

    def whole(self) -> Tree:
        tree = self.proposition()
        if self.kind != "end":
            raise Unread(f"column {self.tokens[self.at][2] + 1}: {self.text[self.tokens[self.at][2] :]!r} is left over")
        return tree

    # --- propositions -----------------------------------------------------------------------------

    def proposition(self) -> Tree:
        members = [self.implication()]
        while self.take("<=>"):
            members.append(self.implication())
        return members[0] if len(members) == 1 else ("<=>", *members)

    def implication(self) -> Tree:
        premise = self.joined("or")
        return ("=>", premise, self.joined("or")) if self.take("=>") else premise

    def joined(self, word: str) -> Tree:
        part = (lambda: self.joined("and")) if word == "or" else self.denial
        members = [part()]
        while self.take(word):
            members.append(part())
        return members[0] if len(members) == 1 else (word, *members)

    def denial(self) -> Tree:
        return ("not", self.denial()) if self.take("not") else self.relation()

    def relation(self) -> Tree:
        operands, signs = [self.sum()], []
        while sign := self.take(*RELATIONS):
            signs.append(sign)
            operands.append(self.sum())
        return ("relation", tuple(operands), tuple(signs)) if signs else operands[0]

    # --- values -----------------------------------------------------------------------------------

    def sum(self) -> Tree:
        terms = [self.product()]
        while sign := self.take("+", "-"):
            term = self.product()
            terms.append(term if sign == "+" else ("-", term))
        return terms[0] if len(terms) == 1 else ("+", *terms)

    def product(self) -> Tree:
        tree = self.signed()
        while sign := self.take("*", "/"):
            other = self.signed()
            if sign == "*":
                tree = ("*", tree, other)
            elif tree[0] == "number" and _measured(other):  # 1/2 GB is half a gigabyte
                tree = ("*", ("/", tree, other[1]), *other[2:])
            elif other[0] == "*" and other[-1] == "side by side":
                raise Unread("a quotient with two readings: parentheses are needed")
            else:
                tree = ("/", tree, other)
        return _plain(tree)

    def signed(self) -> Tree:
        if self.take("-"):
            return ("-", self.signed())
        return self.signed() if self.take("+") else self.side_by_side()

    def side_by_side(self) -> Tree:
        factors = [self.power()]
        while True:
            if measure := self.measure():
                factors.append(measure)
            elif (
                self.kind in ("word",) and self.here not in ("and", "or", "not") and not self._given_word()
            ) or self.here in ("(", "√"):
                factors.append(self.power())
            else:
                break
        if len(factors) == 1:
            return factors[0]
        side = not (len(factors) == 2 and factors[0][0] == "number" and factors[1][0] == "unit")
        return ("*", *factors, "side by side") if side else ("*", *factors)

    def _given_word(self) -> bool:
        return self.here in GIVEN_WORDS and self.here not in self.declared

    def measure(self) -> Tree | None:
        """Read a unit, or a quotient of units without spaces. A declared name is not a unit."""
        if self.here == "%":
            self.at += 1
            return ("unit", Fraction(1, 100), unit("%")[1], "%")  # type: ignore[index]
        if self.kind != "word" or self.tokens[self.at - 1][0] in ("end",) or self.at == 0:
            return None
        word, last = self.here, self.at
        if self.tokens[self.at + 1][1] == "(" and word in FUNCTIONS:
            return None
        after = self.tokens[self.at + 1 : self.at + 3]
        if len(after) == 2 and after[0][1] == "/" and after[1][0] == "word" and after[0][2] == self.tokens[last][3]:
            pair = f"{word}/{after[1][1]}"
            if after[1][2] == after[0][3] and unit(pair) and word not in self.declared:
                self.at += 3
                return ("unit", *unit(pair), pair)  # type: ignore[misc]
        if word in self.declared or unit(word) is None:
            return None
        self.at += 1
        return ("unit", *unit(word), word)  # type: ignore[misc]

    def power(self) -> Tree:
        base = self.atom()
        if self.kind == "power":
            digits = self.tokens[self.at][1].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
            self.at += 1
            return ("^", base, ("number", Fraction(digits), digits))
        return ("^", base, self.exponent()) if self.take("^") else base

    def exponent(self) -> Tree:
        if self.take("-"):
            return ("-", self.exponent())
        return self.power()

    def atom(self) -> Tree:
        kind, text, *_ = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return ("number", Fraction(text), text)
        if kind == "oo":
            return ("oo",)
        if kind == "text":
            return ("text", text[1:-1])
        if kind == "word" and self.here == "(" and text in FUNCTIONS and text not in self.declared:
            return self.call(text)
        if kind == "word":
            return ("name", text)
        if text == "(":
            inside = self.proposition()
            self.need(")")
            return inside
        if text == "{":
            items = [self.sum()]
            while self.take(","):
                items.append(self.sum())
            self.need("}")
            return ("set", *items)
        if text == "√":
            return ("call", "sqrt", self.atom())
        raise Unread(f"column {self.tokens[self.at - 1][2] + 1}: {text!r} in {self.text!r}")

    def call(self, function: str) -> Tree:
        self.need("(")
        arguments = [self.proposition()]
        while self.take(","):
            arguments.append(self.proposition())
        self.need(")")
        return ("call", function, *arguments)


def _measured(tree: Tree) -> bool:
    return tree[0] == "*" and tree[1][0] == "number" and tree[2][0] == "unit" and len(tree) == 3


def _plain(tree: Tree) -> Tree:
    """Remove the marker of a product written without a multiplication sign."""
    return tree[:-1] if tree[0] == "*" and tree[-1] == "side by side" else tree


def read(text: str, declared: Collection[str] = ()) -> Tree:
    return _cleaned(Reader(text, declared).whole())


def _cleaned(tree: Any) -> Any:
    if not isinstance(tree, tuple):
        return tree
    return tuple(_cleaned(part) for part in (_plain(tree) if tree and isinstance(tree[0], str) else tree))


def names(tree: Any) -> list[str]:
    """Return the names in a tree in order, including those bound by a function."""
    if not isinstance(tree, tuple) or not tree:
        return []
    if tree[0] == "name":
        return [tree[1]]
    return list(dict.fromkeys(n for part in tree for n in names(part)))


def within(tree: Any) -> list[Tree]:
    """Return a tree and all its parts."""
    if not isinstance(tree, tuple):
        return []
    own = [tree] if tree and isinstance(tree[0], str) else []
    return own + [t for part in tree for t in within(part)]
