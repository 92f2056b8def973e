"""What a claim assumes: the domain of each name, and conditions between them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from roofproof.claims.language.dimensions import constant
from roofproof.claims.language.sympy_form import to_sympy
from roofproof.errors import quoted
from roofproof.formula.printing import to_text
from roofproof.formula.reader import KINDS, Reader
from roofproof.formula.tokens import error_at, tokens
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Op,
    Quantified,
    Reference,
    Tree,
    bound_names,
    is_op,
    is_statement,
    names_in,
    walk,
    walk_with_values,
)

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
MAX_BOUND = 6  # names
_SIGNS = ("real", "nonnegative", "positive")  # weakest first


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a name lies: `sign` is "positive", "nonnegative" or "real"."""

    sign: str = "positive"
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """The assumptions of a claim; a name that is not in `domains` is a positive real.

    `conditions` hold what domains cannot say, in order.
    """

    domains: Mapping[str, Domain] = field(default_factory=lambda: MappingProxyType({}))
    conditions: tuple[Tree, ...] = ()
    names: tuple[str, ...] = ()  # every name that a condition mentions, in order

    def domain(self, name: str) -> Domain:
        """Return the domain of a name."""
        return self.domains.get(name, Domain())


def read_given(text: str, declared: Collection[str] = (), measures: bool = False) -> Given:
    """Return the assumptions that a text states, separated by `;`.

    >>> given = read_given("D integer; a, b >= 0; D F > R (D + F)")
    >>> given.domain("D"), given.domain("a").sign, given.domain("F").sign
    (Domain(sign='positive', integer=True), 'nonnegative', 'positive')
    >>> len(given.conditions)
    1

    A name is a positive real unless it is said to be `integer`, `real` or `nonnegative`, or a condition such as
    `x >= 0` lets it be less. Raises RoofproofError with the column for anything else.
    """
    if not text.strip():
        return Given()
    reader = _Reader()
    for items, suffix in _Conditions(text, tokens(text, "a condition"), declared, measures=measures).parts():
        reader.part(items, suffix)
    signs = {n: s for n, s in reader.signs.items() if n not in reader.integers}
    domains = {n: Domain(s) for n, s in signs.items()}
    domains |= {n: Domain(reader.signs.get(n, "positive"), True) for n in reader.integers}
    return Given(MappingProxyType(domains), tuple(reader.conditions), tuple(reader.names))


def fixed(given: Given, growing: Collection[str] = ()) -> tuple[Given, dict[str, Tree]]:
    """Return assumptions without those that only say which number a name is, and these numbers: they are values.

    >>> given, numbers = fixed(read_given("D == 4096; B < D; D integer"))
    >>> len(given.conditions), numbers
    (1, {'D': Number(value=Fraction(4096, 1), text='4096')})

    A name in `growing` is none, nor one whose number is not in its domain: that is a contradiction, which stays.
    """
    found: dict[str, Tree] = {}
    rest = []
    for condition in given.conditions:
        match condition:
            case (
                Comparison(operands=(Name(name=name), value), relations=("==",))
                | Comparison(operands=(value, Name(name=name)), relations=("==",))
            ) if name not in found and name not in growing and _in_domain(value, given.domain(name)):
                found[name] = value
            case _:
                rest.append(condition)
    return replace(given, conditions=tuple(rest)), found


def _in_domain(node: Tree, domain: Domain) -> bool:
    """Tell whether a node is a number, without names and calls, that lies in a domain."""
    if any(isinstance(part, Name | Call | Constant) for part in walk(node)):
        return False
    number = to_sympy(node)
    signed = domain.sign == "real" or number > 0 or (domain.sign == "nonnegative" and number == 0)
    return bool(number.is_Rational and signed and (number.is_Integer or not domain.integer))


def with_bound(
    given: Given, node: Tree, let: Mapping[str, Tree], sizes: Callable[[Reference], Collection[str]] = lambda _: ()
) -> Given:
    """Return assumptions with the domains of the names that `exists` and `for all` bind; `sizes` are of operations.

    >>> from roofproof.formula.reader import read_statement
    >>> with_bound(Given(), read_statement("exists t integer: t > 2"), {}).domain("t")
    Domain(sign='positive', integer=True)

    Raises RoofproofError for a name that is bound twice, or stands outside as well.
    """
    found = dict(given.domains)
    bound = bound_names(node)
    if len(bound) > MAX_BOUND:
        raise error_at(
            node.span[0],
            "<count> names after 'exists' and 'for all'; at most <most> are read",
            count=len(bound),
            most=MAX_BOUND,
        )
    elsewhere = {*given.names, *let, *_free(node, let, sizes), *(n for value in let.values() for n in names_in(value))}
    for each in (n for n in walk(node) if isinstance(n, Quantified)):
        for name in each.names:
            if name in elsewhere or bound.count(name) > 1:
                said = "<name> is bound by '<quantifier>' and stands outside, too; take another name"
                raise error_at(each.span[0], said, name=quoted(name), quantifier=each.quantifier)
            sign = next((kind for kind in _SIGNS if kind in each.kinds), "positive")
            found[name] = Domain(sign, "integer" in each.kinds)
    return replace(given, domains=MappingProxyType(found)) if bound else given


def _free(node: Tree, let: Mapping[str, Tree], sizes: Callable[[Reference], Collection[str]]) -> set[str]:
    """Return the names that stand in a node and are not bound there, as sizes of its operations, too."""
    if isinstance(node, Name):
        values = walk_with_values([node], let)
        return {node.name}.union(*(sizes(each) for each in values if isinstance(each, Reference)))
    if isinstance(node, Reference):
        return set(sizes(node))
    below = {name for part in node.parts for name in _free(part, let, sizes)}
    return below - set(node.names) if isinstance(node, Quantified) else below


class _Conditions(Reader):
    """Reads `a, b >= 0; D integer; n in {1, 2, 4}`."""

    def parts(self) -> list[tuple[list[Tree], list[Tree | str]]]:
        """Return what stands between semicolons: statements or names, and the words or the set behind these."""
        found = []
        while self.token.kind != "end":
            if not self.take(";"):
                found.append(self.part())
                if self.token.kind != "end" and not self.take(";"):
                    self.refuse()
        return found

    def part(self) -> tuple[list[Tree], list[Tree | str]]:
        items = [self.formula()]
        while self.take(","):
            items.append(self.formula())
        suffix: list[Tree | str] = []
        if self.token.text == "in" and self.take("name"):
            suffix.append(self.set_of_values())
        while self.token.text in KINDS:
            suffix.append(self.need("name").text)
        return items, suffix

    def factor_follows(self) -> bool:
        """Tell whether a factor stands next: neither `integer` nor `in {...}` is one."""
        set_ahead = self.token.text == "in" and self.ahead().kind == "{"
        return self.token.text not in KINDS and not set_ahead and super().factor_follows()


class _Reader:
    def __init__(self) -> None:
        self.signs: dict[str, str] = {}
        self.integers: dict[str, None] = {}
        self.names: dict[str, None] = {}
        self.conditions: list[Tree] = []

    def part(self, items: list[Tree], suffix: list[Any]) -> None:
        for item in items:
            if bound_names(item):
                raise error_at(item.span[0], "'exists' and 'for all' stand in what a claim says, not in given")
            self.names |= dict.fromkeys(names_in(item))
        if not suffix:
            self._listed(items)
            return
        choices = suffix[-1] if is_op(suffix[-1], "set") else None
        for name in self._plain(items, "in" if choices else str(suffix[0])):
            if choices:
                self._choices(name, choices)
                continue
            for word in map(str, suffix):
                if word.startswith("integer"):
                    self.integers[name.name] = None
                else:
                    self._allow(name.name, "real" if word.startswith("real") else word)

    def _plain(self, items: list[Tree], word: str) -> list[Name]:
        for item in items:
            if not isinstance(item, Name):
                raise error_at(
                    item.span[0],
                    "expected names before <word>, as in <example>",
                    word=quoted(word),
                    example=quoted(f"D, F {word}"),
                )
        return [item for item in items if isinstance(item, Name)]

    def _choices(self, name: Name, choices: Op) -> None:
        equal = tuple(Comparison((name, item), ("==",), span=item.span) for item in choices.args)
        least = min((v for v in map(constant, choices.args) if v is not None), default=Fraction(1))
        self._allow(name.name, "positive" if least > 0 else "nonnegative" if least == 0 else "real")
        self.conditions.append(equal[0] if len(equal) == 1 else Op("or", equal, span=choices.span))

    def _listed(self, items: list[Tree]) -> None:
        """`a, b, c >= 0`: the condition at the end holds for each."""
        *others, last = items
        if not is_statement(last):
            message = "<text> is no condition; expected one such as 'B > 0' or 'D integer'"
            raise error_at(last.span[0], message, text=quoted(to_text(last)))
        for item in others:
            if not isinstance(last, Comparison) or is_statement(item):
                raise error_at(item.span[0], "conditions are separated by ';'")
        if not isinstance(last, Comparison):
            self.conditions.append(last)
            return
        span_end = last.span[1]
        each = [Comparison((o, *last.operands[1:]), last.relations, span=(o.span[0], span_end)) for o in others]
        for condition in (*each, last):
            if {"~=", "->"} & set(last.relations):
                raise error_at(condition.span[0], "a condition uses == != < <= > >=")
            if not all([self._bound(link) for link in condition.links]):
                self.conditions.append(condition)

    def _bound(self, link: Comparison) -> bool:
        """Take a bound of a name by a number into its domain; tell whether that says all of it."""
        (left, right), (relation,) = link.operands, link.relations
        if isinstance(right, Name) and not isinstance(left, Name):
            left, right, relation = right, left, _TURNED.get(relation, "")
        value = constant(right)
        if not isinstance(left, Name) or value is None:
            return False
        if relation in (">", ">="):
            sign = "real" if value < 0 else "nonnegative" if value == 0 and relation == ">=" else "positive"
            self._allow(left.name, sign)
            return value == 0
        if relation in ("==", "<", "<=") and value <= 0:
            self._allow(left.name, "nonnegative" if value == 0 and relation == "==" else "real")
        return False

    def _allow(self, name: str, sign: str) -> None:
        """The strongest of what is said about one name holds."""
        self.signs[name] = max(self.signs.get(name, sign), sign, key=_SIGNS.index)
