"""Lines with gaps, filled in by Jinja2, and for a course by Jinja2's sandbox.

A course has gaps such as `<< matmul.exact | bound | number(4) >>`, and lines such as `<% for each in (v5e, h100) %>`
and `<% if a.rule == b.rule %>`. All other features of Jinja2 are rejected before anything is evaluated.
"""

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any, TypeVar

from jinja2 import Environment, StrictUndefined, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from sympy import Expr, Rational

from roofproof.errors import MissingFigure, RoofproofError, quoted, refuse_unknown, unknown
from roofproof.export.latex.templates import SIGNS
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation

LONGEST = 300  # characters of a gap
ROUNDS = 100  # iterations of a loop
METHODS = ("at", "rate")  # methods that a gap may call
EXAMPLE = "a value such as << matmul.exact | number(4) >>"
READ = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Name, nodes.Const, nodes.Getattr,
    nodes.Tuple, nodes.Filter, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.Compare, nodes.Operand, nodes.Call,
    nodes.Keyword,
)  # fmt: skip
_LINE = re.compile("(?:\x01([0-9]+)\x01)+([^\x01\n]*)")  # a line with its number
_GAP = re.compile(r"<<.+?>>|<%.+?%>")
_HTML = re.compile(r"</?[A-Za-z][^<>]*>")  # in text that an author typed
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f]")  # not allowed in a line, as they mark its number
_PROBLEMS = (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)

Node = TypeVar("Node", bound=nodes.Node)
Lines = Sequence[tuple[int, str]]
"""Lines with their numbers in the file."""


def rendered(
    environment: Environment,
    lines: Lines,
    names: Mapping[str, Any],
    check: Callable[[nodes.Template], None] = lambda tree: None,
) -> list[tuple[int, str]]:
    """Return the lines that are not empty, with their gaps filled by an environment that prints values.

    Raises RoofproofError that begins with the number of the line, or MissingFigure for a spec that a chip lacks.
    """
    try:
        tree = environment.parse("\n".join(f"\x01{number}\x01{text}" for number, text in lines))
        check(tree)
        found = environment.from_string(tree, dict(names)).render()
    except MissingFigure:
        raise
    except _PROBLEMS as problem:
        places = [each.lineno for each in traceback.extract_tb(problem.__traceback__)
                  if each.filename in ("<template>", "<unknown>")]  # fmt: skip
        place: int = getattr(problem, "lineno", None) or next(filter(None, reversed(places)), 1)
        said = problem.message if isinstance(problem, TemplateError) else problem
        raise RoofproofError("line <lines>: <said>", lines=lines[place - 1][0], said=said) from None
    return [(int(number), text.strip()) for number, text in _LINE.findall(found) if text.strip()]


class CourseText:
    """The text of a course, with its gaps filled by the values of its names.

    >>> from fractions import Fraction
    >>> text = CourseText({"half": Fraction(1, 2)}, {"double": lambda value: 2 * value}, ())
    >>> text.filled([(1, "<% for n in (1, 2) %>"), (2, "n is << n >>, << half | double >>"), (3, "<% endfor %>")], str)
    [(2, 'n is 1, 1'), (2, 'n is 2, 1')]
    >>> text.filled([(7, "<< half.__class__ >>")], str)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: line 7: '__class__' has no value in a course

    `open` are the types whose attributes a gap may use.
    """

    def __init__(self, names: Mapping[str, Any], filters: Mapping[str, Callable[..., Any]], open: tuple[type, ...]):
        self.names, self.filters, self.open = names, filters, (*open, Chip, Figure, Operation)

    def filled(self, lines: Lines, keep: Callable[[Any], str]) -> list[tuple[int, str]]:
        """Return the lines with their gaps filled.

        Raises RoofproofError that begins with the number of the line, or MissingFigure for a spec that a chip lacks.
        """
        for number, text in lines:
            self._refuse(number, text)
        environment = _Sandbox(self.open, {**self.filters, "each": _each}, keep)
        return rendered(environment, lines, self.names, self._check)

    def _refuse(self, number: int, text: str) -> None:
        if found := _CONTROL.search(text):
            raise RoofproofError(
                "line <number>: <found> is a control character; leave it out", number=number, found=quoted(found[0])
            )
        if found := _HTML.search(_GAP.sub("", text)):
            raise RoofproofError(
                "line <number>: <found> is markup of HTML; write plain text", number=number, found=quoted(found[0])
            )
        if long := next((gap[0] for gap in _GAP.finditer(text) if len(gap[0]) > LONGEST), ""):
            raise RoofproofError(
                "line <number>: a gap of <count> characters; the limit is <most>",
                number=number,
                count=len(long),
                most=LONGEST,
            )

    def _check(self, tree: nodes.Template) -> None:
        """Raise an error for syntax that a course may not use, and make each loop visit a value only once."""
        for node in (tree, *tree.find_all(nodes.Node)):  # before Jinja2 evaluates any constant
            _placed(node, self._check_node)
        called = [call.node for call in tree.find_all(nodes.Call)]
        unread = meta.find_undeclared_variables(tree) - {*self.names}
        for each in tree.find_all((nodes.Getattr, nodes.Name)):
            if isinstance(each, nodes.Getattr) and each.attr in METHODS and not any(each is one for one in called):
                raise TemplateSyntaxError(f"{quoted(each.attr)} has no value in a course", each.lineno)
            if isinstance(each, nodes.Name) and each.name in unread:
                _placed(each, lambda name: refuse_unknown("name in a course", name.name, self.names))
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, "each", [], [], None, None, lineno=loop.lineno)

    def _check_node(self, node: nodes.Node) -> None:
        match node:
            case nodes.Filter(name=name):
                refuse_unknown("filter", name, self.filters)
            case nodes.Const(value=value) if not isinstance(value, int | str):
                raise RoofproofError("<value> has no value in a course", value=quoted(value))
            case nodes.Call(node=nodes.Getattr(attr=name)) if name not in METHODS:
                raise RoofproofError("<name> has no value in a course", name=quoted(name))
            case nodes.Compare(ops=signs) if [sign.op for sign in signs] not in (["eq"], ["ne"]):
                raise RoofproofError("two values are compared by == or !=")
        if not isinstance(node, READ):
            raise RoofproofError(
                "<name> is not read in a course; write <example>", name=type(node).__name__, example=EXAMPLE
            )


def _placed(node: Node, check: Callable[[Node], None]) -> None:
    """Check a node, and add its line to any error."""
    try:
        check(node)
    except RoofproofError as problem:
        raise TemplateSyntaxError(str(problem), node.lineno) from None


class _Parser(Parser):
    """A parser that reads `2 * a | number` as `(2 * a) | number`, so that values are computed before formatting."""

    def parse_unary(self, with_filter: bool = True) -> nodes.Expr:
        """Read one operand without the filters that follow it."""
        return super().parse_unary(with_filter=False)

    def parse_math1(self) -> nodes.Expr:
        """Read sums and products, then the filters that follow them."""
        return self.parse_filter_expr(super().parse_math1())


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox, limited to the attributes that a course may use, with exact quotients."""

    intercepted_binops = frozenset("+-*/")

    def __init__(
        self, open: tuple[type, ...], filters: dict[str, Callable[..., Any]], keep: Callable[[Any], str]
    ) -> None:
        super().__init__(undefined=StrictUndefined, optimized=False, finalize=keep, **SIGNS | _NO_COMMENTS)
        self.open, self.filters, self.globals = open, filters, {}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return _Parser(self, source, name, filename).parse()

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute of a value, if a course may use it."""
        if isinstance(obj, Mapping):
            if attribute not in obj:
                raise unknown("value", attribute, obj)
            return obj[attribute]
        if isinstance(obj, self.open) and not attribute.startswith("_"):
            found = getattr(obj, attribute)
            if attribute in METHODS or not isinstance(found, MethodType):
                return found
        raise RoofproofError("<attribute> has no value in a course", attribute=quoted(attribute))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return a sum, a difference, a product or a quotient of numbers, which is exact for integers."""
        if not isinstance(left, int | Expr) or not isinstance(right, int | Expr):  # 'x' * 10**9 would fill the memory
            raise RoofproofError("<operator> takes numbers", operator=operator)
        if operator == "/" and isinstance(left, int) and isinstance(right, int):
            return Rational(left, right)
        return super().call_binop(context, operator, left, right)


_NO_COMMENTS = {"comment_start_string": "\x02", "comment_end_string": "\x03"}  # no typed text is a comment


def _each(every: Any) -> list[Any]:
    """Return the values of a loop, each only once, because one chip may replace another."""
    if not isinstance(every, tuple | list) or len(every) > ROUNDS:
        raise RoofproofError("a loop goes through a list of at most <most>, as (v5e, h100)", most=ROUNDS)
    return [one for n, one in enumerate(every) if one not in every[:n]]
