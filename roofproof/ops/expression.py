"""Arithmetic expressions from outside, built into SymPy node by node.

The text is parsed by a grammar and never evaluated as code. Numbers are exact: `1.97e14` is a rational. Every
bound that keeps hostile input cheap is a constant at the top of this file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput
from sympy import Abs, Add, Expr, Integer, Max, Min, Mul, Pow, Rational, ceiling, floor, log

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.logarithm import log2
from roofproof.symbols import quantity

MAX_TEXT = 10_000  # characters
MAX_NESTING = 200  # parentheses inside one another, signs one after another
MAX_DEPTH = 40  # levels of the expression that is built: SymPy itself recurses, ten Python frames a level
CALL_DEPTH = 8  # levels that a function counts for: SymPy's assumptions take exponential time in these
MAX_EXPONENT = 64
MAX_NUMBER = 60  # characters of a literal, and the decimal exponent in it
MAX_BITS = 8_192  # numerator or denominator of any number that arises
MAX_NODES = 20_000
MAX_ARGUMENTS = 32  # of min and max

Names = Callable[[str], Expr] | Mapping[str, Expr]

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_OPERATOR_SIGNS = "×·⋅∙÷−√⁰¹²³⁴⁵⁶⁷⁸⁹→"


def parse_expression(text: str, names: Names = quantity) -> Expr:
    """Return the exact SymPy expression that a text in the field's notation stands for.

    >>> parse_expression("2 B D F / (B D + D F)")
    2*B*D*F/(B*D + D*F)
    >>> parse_expression("1.97e14 / 8.2e11")                   # 197/0.82, exactly
    9850/41

    `names` gives the value of a name (a function or a mapping); without it names are positive reals.
    Raises RoofproofError with the column for text that is no expression, that can be read two ways (`1/2 B`),
    or that exceeds the bounds at the top of this file.
    """
    check_text(text, "an expression")
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as problem:
        raise syntax_error(text, problem, "the expression") from None
    return build(tree, Builder(text, names))


@cache
def _parser() -> Lark:
    return Lark.open("expression.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


def check_text(text: str, what: str) -> None:
    """Refuse, before any parsing, a text that is empty, too long, too deep, unbalanced or not in ASCII.

    >>> check_text("f(x", "an expression")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 2: '(' is never closed
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError(f"{what} of {len(text)} characters; at most {MAX_TEXT} are read")
    if not text.strip():
        raise RoofproofError(f"{what} is due, but the text is empty")
    closers = {"(": ")", "[": "]"}
    opened: list[tuple[str, int]] = []
    for column, sign in enumerate(text, 1):
        if sign in closers:
            opened.append((sign, column))
            if len(opened) > MAX_NESTING:
                raise RoofproofError(
                    f"column {column}: more than {MAX_NESTING} parentheses inside one another"
                )
        elif sign in closers.values():
            if not opened:
                raise RoofproofError(f"column {column}: {sign!r} closes nothing")
            if closers[opened[-1][0]] != sign:
                raise RoofproofError(
                    f"column {column}: {sign!r} where {closers[opened[-1][0]]!r} is due, "
                    f"for {opened[-1][0]!r} in column {opened[-1][1]}"
                )
            opened.pop()
        elif not (" " <= sign <= "~" or sign in "\t\r\n\f\v" or sign in _OPERATOR_SIGNS):
            name = unicodedata.name(sign, f"U+{ord(sign):04X}")
            raise RoofproofError(
                f"column {column}: {ascii(sign) if not sign.isprintable() else repr(sign)} is {name}; "
                f"names are ASCII letters, digits and underscores"
            )
    if opened:
        raise RoofproofError(f"column {opened[-1][1]}: {opened[-1][0]!r} is never closed")
    chain = re.search(rf"(?:[-+−√^*²³]\s*){{{MAX_NESTING + 1}}}", text)
    if chain:
        raise RoofproofError(f"column {chain.start() + 1}: more than {MAX_NESTING} signs one after another")
    grouped = re.search(r"(?<![A-Za-z0-9_.])[0-9][0-9.]*(_)", text)
    if grouped:
        raise RoofproofError(f"column {grouped.start(1) + 1}: '_' after a digit; write the digits without it")


def syntax_error(text: str, problem: UnexpectedInput, whole: str) -> RoofproofError:
    """Return the one-line error for what the grammar refused, with its column."""
    if isinstance(problem, UnexpectedCharacters):
        column = problem.pos_in_stream + 1
        return RoofproofError(f"column {column}: {text[problem.pos_in_stream]!r} has no meaning here")
    token = problem.token
    if token.type == "$END":
        return RoofproofError(f"column {len(text.rstrip()) + 1}: {whole} breaks off here")
    column = token.start_pos + 1
    if token.type == "NUMBER":
        return RoofproofError(
            f"column {column}: the number {quoted(token)} directly after a factor; write '*' or '^' before it"
        )
    return RoofproofError(f"column {column}: {quoted(token)} has no meaning here")


def build(tree: Any, builder: object) -> Any:
    """Evaluate a parse tree bottom up, without recursion: `builder` has a method for each rule.

    A method gets the tree and the values of its children. Rules imported by another grammar carry a prefix
    (`expression__sum`), which is taken off, so that one builder serves both.
    """
    order: list[Any] = []
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        order.append(node)
        if isinstance(node, Tree):
            todo.extend(node.children)
    values: list[Any] = []
    for node in reversed(order):
        if isinstance(node, Tree):
            children = [values.pop() for _ in node.children][::-1]
            values.append(getattr(builder, str(node.data).rpartition("__")[2])(node, children))
        else:
            values.append(node)
    return values[0]


class Builder:
    """The meaning of each rule of the grammar, for one text.

    >>> Builder("B", {"B": Integer(3)}).value("B", 0)
    3
    """

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.seen: dict[str, Expr] = {}  # each name used, in order of appearance
        self.depth: dict[Expr, int] = {}  # levels of what was built so far
        self.nodes = 0

    def value(self, name: str, position: int) -> Expr:
        if name not in self.seen:
            try:
                if callable(self.names):
                    self.seen[name] = self.names(name)
                elif name in self.names:
                    self.seen[name] = self.names[name]
                else:
                    raise unknown("name", name, self.names)
            except RoofproofError as problem:
                raise self.error(position, str(problem)) from None
        return self.seen[name]

    def error(self, position: int, message: str) -> RoofproofError:
        return RoofproofError(f"column {position + 1}: {message}")

    # --- rules ------------------------------------------------------------------------------------

    def number(self, tree: Any, children: list[Any]) -> Expr:
        return self.exact(children[0], tree.meta.start_pos)

    def exact(self, digits: str, position: int) -> Rational:
        exponent = re.search(r"[eE]([+-]?\d+)", digits)
        if len(digits) > MAX_NUMBER or (exponent and abs(int(exponent[1])) > MAX_NUMBER):
            raise self.error(
                position,
                f"number {quoted(digits, 20)} exceeds {MAX_NUMBER} characters or the exponent {MAX_NUMBER}",
            )
        exact = Fraction(digits)
        return Rational(exact.numerator, exact.denominator)

    def name(self, tree: Any, children: list[Any]) -> Expr:
        value = self.value(str(children[0]), tree.meta.start_pos)
        if value.args and value not in self.depth:
            self.depth[value] = self.measure(value, tree.meta.start_pos)
        return value

    def measure(self, value: Expr, position: int) -> int:
        """Return the levels of a value that a name stands for, counting its nodes on the way."""
        deepest = 0
        todo = [(value, 1)]
        while todo:
            node, level = todo.pop()
            deepest = max(deepest, level)
            self.nodes += 1
            if self.nodes > MAX_NODES:
                raise self.error(position, f"the expression has more than {MAX_NODES} nodes")
            todo.extend((argument, level + 1) for argument in node.args)
        return deepest

    def group(self, tree: Any, children: list[Any]) -> Expr:
        return children[0]

    def sum(self, tree: Any, children: list[Any]) -> Expr:
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            terms.append(term if sign.type.endswith("PLUS") else Mul(Integer(-1), term))
        return self.bounded(Add(*terms), tree, children)

    def sign(self, tree: Any, children: list[Any]) -> Expr:
        value = children[1] if children[0].type.endswith("PLUS") else Mul(Integer(-1), children[1])
        return self.bounded(value, tree, children, levels=0)

    def juxtaposed(self, tree: Any, children: list[Any]) -> Expr:
        if children[0].is_zero:
            raise self.error(tree.meta.start_pos, "zero times something; write 0 alone")
        return self.bounded(Mul(*children), tree, children)

    def product(self, tree: Any, children: list[Any]) -> Expr:
        factors = [children[0]]
        for i in range(1, len(children), 2):
            if children[i].type.endswith("DIVIDE"):
                self.refuse_two_readings(tree, i)
                if children[i + 1].is_zero:
                    raise self.error(children[i].start_pos, "division by zero")
                factors.append(Pow(children[i + 1], Integer(-1)))
            else:
                factors.append(children[i + 1])
        return self.bounded(Mul(*factors), tree, children)

    def refuse_two_readings(self, tree: Any, i: int) -> None:
        divisor = tree.children[i + 1]
        while isinstance(divisor, Tree) and str(divisor.data).endswith("sign"):
            divisor = divisor.children[1]
        if not (isinstance(divisor, Tree) and str(divisor.data).endswith("juxtaposed")):
            return
        whole = self.text[tree.meta.start_pos : divisor.meta.end_pos]
        above = self.text[tree.meta.start_pos : tree.children[i].start_pos].strip()
        below = self.text[tree.children[i].end_pos : divisor.meta.end_pos].strip()
        first = self.text[tree.children[i].end_pos : _end(divisor.children[0])].strip()
        rest = self.text[_end(divisor.children[0]) : divisor.meta.end_pos].strip()
        raise self.error(
            tree.children[i].start_pos,
            f"{quoted(whole)} can be read two ways; write "
            f"{quoted(f'({above}/{first}) * {rest}')} or {quoted(f'{above}/({below})')}",
        )

    def power(self, tree: Any, children: list[Any]) -> Expr:
        return self.raised(children[0], children[2], tree)

    def superscript(self, tree: Any, children: list[Any]) -> Expr:
        digits = str(children[1]).translate(_SUPERSCRIPTS)
        return self.raised(children[0], self.exact(digits, tree.meta.start_pos), tree)

    def root(self, tree: Any, children: list[Any]) -> Expr:
        return self.raised(children[1], Rational(1, 2), tree)

    def raised(self, base: Expr, exponent: Expr, tree: Any) -> Expr:
        position = tree.meta.start_pos
        if not exponent.is_Rational:
            raise self.error(
                position, f"the exponent {quoted(exponent)} is no number; exponents are rational numbers"
            )
        if abs(exponent.p) > MAX_EXPONENT or exponent.q > MAX_EXPONENT:
            raise self.error(position, f"the exponent {quoted(exponent)} exceeds {MAX_EXPONENT}")
        if base.is_zero and not exponent.is_positive:
            raise self.error(position, f"zero to the power {exponent}")
        if base.is_negative and exponent.q % 2 == 0:
            raise self.error(position, f"an even root of the negative number {quoted(base)}")
        if base.is_Rational and max(base.p.bit_length(), base.q.bit_length()) * abs(exponent.p) > MAX_BITS:
            raise self.error(position, f"a number of more than {MAX_BITS} bits")
        return self.bounded(Pow(base, exponent), tree, [base])

    def call(self, tree: Any, children: list[Any]) -> Expr:
        function, arguments = str(children[0]), children[1:]
        if function in ("min", "max", "Min", "Max"):
            if len(arguments) > MAX_ARGUMENTS:
                raise self.error(tree.meta.start_pos, f"{function} of more than {MAX_ARGUMENTS} values")
            value = _extremum(Max if function in ("max", "Max") else Min, arguments)
            return self.bounded(value, tree, arguments, CALL_DEPTH)
        if len(arguments) != 1:
            raise self.error(tree.meta.start_pos, f"{function} takes one value, not {len(arguments)}")
        (x,) = arguments
        if function == "sqrt":
            return self.raised(x, Rational(1, 2), tree)
        if function in ("log2", "log"):
            if x.is_nonpositive:
                raise self.error(tree.meta.start_pos, f"{function} of {quoted(x)}, which is not positive")
            return self.bounded(log2(x) if function == "log2" else log(x), tree, arguments, CALL_DEPTH)
        if x.is_Rational is not True and function in ("abs", "Abs"):
            return self.bounded(_absolute(x), tree, arguments, CALL_DEPTH)
        make = {"floor": floor, "ceil": ceiling, "ceiling": ceiling, "abs": Abs, "Abs": Abs}[function]
        return self.bounded(make(x), tree, arguments, CALL_DEPTH)

    def bounded(self, value: Expr, tree: Any, parts: list[Expr], levels: int = 1) -> Expr:
        """Refuse an expression that is too deep, or a number in it that grew beyond the bounds."""
        if value.args:
            depth = levels + max(self.depth.get(part, 0) for part in parts)
            if depth > MAX_DEPTH:
                raise self.error(tree.meta.start_pos, f"the expression has more than {MAX_DEPTH} levels")
            self.depth[value] = depth
        for part in value.args or (value,):
            number = part.exp if part.is_Pow else part
            if number.is_Rational and max(number.p.bit_length(), number.q.bit_length()) > MAX_BITS:
                raise self.error(tree.meta.start_pos, f"a number of more than {MAX_BITS} bits")
        return value


def _end(node: Any) -> int:
    end: int = node.meta.end_pos if isinstance(node, Tree) else node.end_pos
    return end


def _absolute(x: Expr) -> Expr:
    if x.is_nonnegative:
        return x
    return Mul(Integer(-1), x) if x.is_nonpositive else Abs(x, evaluate=False)


def _extremum(function: Any, arguments: list[Expr]) -> Expr:
    """Max or Min with its numbers folded; SymPy's own simplification compares all pairs, at length."""
    flat: list[Expr] = []
    for argument in arguments:
        flat.extend(argument.args if isinstance(argument, function) else [argument])
    numbers = [x for x in flat if x.is_Rational]
    rest = list(dict.fromkeys(x for x in flat if not x.is_Rational))
    if numbers:
        rest.append(max(numbers) if function is Max else min(numbers))
    return rest[0] if len(rest) == 1 else function(*rest, evaluate=False)


__all__ = ["Builder", "Names", "Token", "build", "check_text", "parse_expression", "syntax_error"]
