"""The gaps of a course: `<< matmul.exact | bound | number(4) >>` is read and worked out, never run.

A gap is a name of the course, a value of what it names, what two values make, or a call of a function of the
slides; `|` puts it through a filter. Between lines stand `<% for each in (v5e, h100) %>`, `<% if a.rule == b.rule %>`,
and their ends.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MethodType
from typing import Any
from warnings import catch_warnings

from sympy import Rational

from roofproof.errors import MissingFigure, RoofproofError, quoted, refuse_unknown, unknown
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation

LONGEST = 300  # signs of a gap
ROUNDS = 100  # of a loop
METHODS = ("at", "rate")  # that a gap may call
_GAP = re.compile(r"<<(.+?)>>")
_HTML = re.compile(r"</?[A-Za-z][^<>]*>")  # in what an author typed
_TAG = re.compile(r"\s*<%\s*(for|if|endfor|endif)\b\s*(.*?)\s*%>\s*")
_END = {"for": "endfor", "if": "endif"}


def _over(above: Any, below: Any) -> Any:
    """Return a quotient; one of whole numbers is exact."""
    return Rational(above, below) if isinstance(above, int) and isinstance(below, int) else above / below


_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _over,
}  # fmt: skip

Lines = Sequence[tuple[int, str]]
"""Lines with their numbers in the file."""


class Gaps:
    """Works out gaps with the names of a course.

    >>> from fractions import Fraction
    >>> gaps = Gaps({"half": Fraction(1, 2)}, {"double": lambda value: 2 * value}, ())
    >>> gaps.value("half | double | double"), gaps.value("half / half")
    (Fraction(2, 1), Fraction(1, 1))
    >>> gaps.value("half.__class__")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'half.__class__' has no value in a course

    `open` are the types whose values a gap may name. Raises RoofproofError for anything that is no gap.
    """

    def __init__(self, names: Mapping[str, Any], filters: Mapping[str, Callable[..., Any]], open: tuple[type, ...]):
        self.names, self.filters, self.open = names, filters, (*open, Chip, Figure, Operation)

    def value(self, text: str, names: Mapping[str, Any] | None = None) -> Any:
        """Evaluate a gap, with the names of the course and those of the loops around it."""
        if len(text) > LONGEST:
            raise RoofproofError(f"a gap of {len(text)} signs; at most {LONGEST} are read")
        try:
            with catch_warnings(action="ignore", category=SyntaxWarning):  # of `1and 2`, which a reader need not see
                tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            example = "such as << matmul.exact | number(4) >>"
            raise RoofproofError(f"expected a value {example}, got {quoted(text.strip())}") from None
        return self._of(tree, {**self.names, **(names or {})})

    def _of(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=int() | str() as value):
                return value
            case ast.Name(id=name):
                refuse_unknown("name in a course", name, names)
                return names[name]
            case ast.Attribute(value=whole, attr=name):
                return self._value_of(self._of(whole, names), name, node)
            case ast.Tuple(elts=each):
                return tuple(self._of(one, names) for one in each)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._filtered(left, right, names)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
                sides = self._of(left, names), self._of(right, names)
                if not any(isinstance(side, str | tuple | list) for side in sides):  # 'x' * 10**9 would fill the memory
                    return _SIGNS[type(sign)](*sides)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as sign], comparators=[right]):
                return (self._of(left, names) == self._of(right, names)) == isinstance(sign, ast.Eq)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if callable(names.get(name)):
                return names[name](*(self._of(each, names) for each in args))
            case ast.Call(func=ast.Attribute(value=whole, attr=name), args=args, keywords=sizes) if name in METHODS:
                found = self._of(whole, names)
                if isinstance(found, self.open):
                    given = {each.arg or "": self._of(each.value, names) for each in sizes}
                    return getattr(found, name)(*(self._of(each, names) for each in args), **given)
        raise RoofproofError(f"{quoted(ast.unparse(node))} has no value in a course")

    def _value_of(self, whole: Any, name: str, node: ast.expr) -> Any:
        if isinstance(whole, Mapping) and name in whole:
            return whole[name]
        if isinstance(whole, Mapping):
            raise unknown("value", name, whole)
        if isinstance(whole, self.open) and not name.startswith("_"):
            found = getattr(whole, name)
            if not isinstance(found, MethodType):
                return found
        raise RoofproofError(f"{quoted(ast.unparse(node))} has no value in a course")

    def _filtered(self, left: ast.expr, right: ast.expr, names: Mapping[str, Any]) -> Any:
        name, args = (right.func, right.args) if isinstance(right, ast.Call) else (right, [])
        if not isinstance(name, ast.Name) or name.id not in self.filters:
            raise unknown("filter", ast.unparse(name), self.filters)
        return self.filters[name.id](self._of(left, names), *(self._of(each, names) for each in args))

    def filled(self, lines: Lines, keep: Callable[[Any], str]) -> Iterator[tuple[int, str]]:
        """Yield the lines with their gaps filled: loops gone through, what no `if` holds for left out.

        >>> lines = [(1, "<% for n in (1, 2) %>"), (2, "n is << n >>"), (3, "<% endfor %>")]
        >>> list(Gaps({}, {}, ()).filled(lines, str))
        [(2, 'n is 1'), (2, 'n is 2')]

        Raises RoofproofError that begins with the number of the line; for a figure that a chip lacks, MissingFigure.
        """
        yield from self._filled(lines, keep, {})

    def _filled(self, lines: Lines, keep: Callable[[Any], str], names: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
        at = 0
        while at < len(lines):
            number, text = lines[at]
            try:
                tag = _TAG.fullmatch(text)
                if tag is None:
                    if found := _HTML.search(_GAP.sub("", text)):
                        raise RoofproofError(f"{quoted(found[0])} is markup of HTML; write plain text")
                    yield number, _GAP.sub(lambda gap: keep(self.value(gap[1], names)), text)
                    at += 1
                    continue
                end = self._end(lines, at)
                rounds = list(self._rounds(tag[1], tag[2], names))
            except MissingFigure:
                raise
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
                raise RoofproofError(f"line {number}: {problem}") from None
            for each in rounds:
                yield from self._filled(lines[at + 1 : end], keep, {**names, **each})
            at = end + 1

    def _rounds(self, kind: str, said: str, names: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the names of each time that the lines of a tag are gone through."""
        if kind == "if":
            yield from [{}] * bool(self.value(said, names))
            return
        loop = re.fullmatch(r"([a-z]\w*(?:\s*,\s*[a-z]\w*)*)\s+in\s+(.+)", said)
        if kind != "for" or loop is None:
            raise RoofproofError(f"expected <% for each in (a, b) %> or <% if a == b %>, got {quoted(said)}")
        every = self.value(loop[2], names)
        if not isinstance(every, tuple | list) or len(every) > ROUNDS:
            raise RoofproofError(f"a loop goes through a list of at most {ROUNDS}, as (v5e, h100)")
        own = re.split(r"\s*,\s*", loop[1])
        for each in (one for n, one in enumerate(every) if one not in every[:n]):  # one chip in place of another
            yield dict(zip(own, each if len(own) > 1 else [each], strict=True))

    def _end(self, lines: Lines, at: int) -> int:
        opened = 0
        for place in range(at, len(lines)):
            if tag := _TAG.fullmatch(lines[place][1]):
                opened += 1 if tag[1] in _END else -1
                if opened == 0:
                    return place
        raise RoofproofError("a for or an if without its end")
