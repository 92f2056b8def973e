"""Assumptions about names: one language of conditions for claims, for `--where` and for operation files.

    D, F integer         the kind of a name: integer, real, positive or nonnegative (a positive real by default)
    D, F >= 128          any comparison: == (or =), !=, <, <=, >, >=, also in chains: B < D < F
    n in {1, 2, 4}       one of several values
    128 divides D        also 128 | D: two integers, one a multiple of the other
    k even; k odd
    h = g r              the value of a name

Conditions are separated by `;` or `and`. They are read as trees: `128 divides D` is `floor(D / 128) == D / 128`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from operator import neg
from types import MappingProxyType

from roofproof.errors import quoted
from roofproof.formula.functions import FUNCTIONS, Function
from roofproof.formula.printing import to_text
from roofproof.formula.reader import KINDS, MAX_EXPONENT, MAX_EXPONENT_OF, NOT, Reader, is_prose
from roofproof.formula.tokens import Token, error_at, tokens
from roofproof.formula.tree import (
    Call,
    Comparison,
    Name,
    Number,
    Op,
    Quantified,
    Quantity,
    Reference,
    Tree,
    bound_names,
    flat,
    is_statement,
    literal,
    names_in,
    walk,
    walk_with_values,
)
from roofproof.formula.units import PLAIN

MAX_BOUND = 6  # names
SIGNS = ("real", "nonnegative", "positive")  # weakest first
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_PARITIES = {"even": 0, "odd": 1}
_ENDS = ("name", "number", ")", "power", "kind")  # kinds of tokens that a word about a value may follow
_JOINED = ("or", "=>", "<=>", "not", "exists", "for all")  # these make `and` a part of one condition


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain of a name. `sign` is "positive", "nonnegative" or "real"."""

    sign: str = "positive"
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """Assumptions. A name that is not in `domains` is a positive real.

    `conditions` are the assumptions that domains cannot express, in order.
    """

    domains: Mapping[str, Domain] = field(default_factory=lambda: MappingProxyType({}))
    conditions: tuple[Tree, ...] = ()
    names: tuple[str, ...] = ()  # every name that a condition mentions, in order

    def domain(self, name: str) -> Domain:
        """Return the domain of a name."""
        return self.domains.get(name, Domain())


def read_conditions(
    text: str,
    declared: Collection[str] = (),
    *,
    letters: Collection[str] = (),
    measures: bool = False,
    functions: Mapping[str, Function] = FUNCTIONS,
) -> Given:
    """Return the assumptions that a text states. The other arguments are those of `Reader`.

    >>> given = read_conditions("D integer; a, b >= 0; D F > R (D + F); 128 divides F")
    >>> given.domain("D"), given.domain("a").sign, given.domain("F")
    (Domain(sign='positive', integer=True), 'nonnegative', Domain(sign='positive', integer=True))
    >>> [to_text(c) for c in given.conditions]
    ['D F > R (D + F)', 'floor(F / 128) == F / 128']

    Raises RoofproofError with the column for anything else.
    """
    if not text.strip():
        return Given()
    found = _with_kinds(tokens(text, "a condition"))
    return _Conditions(
        text, found, declared, letters=letters, measures=measures, functions=functions
    ).parse_conditions()


def divisor_of(condition: Tree) -> tuple[Tree, Tree, int] | None:
    """Return the divisor, the dividend and the remainder of a divisibility condition, or None for any other.

    >>> [condition] = read_conditions("k odd").conditions
    >>> divisor_of(condition)
    (Number(value=Fraction(2, 1), text='2'), Name(name='k'), 1)
    """
    match condition:
        case Comparison((Call("floor", (Op("/", (whole, divisor)),)), Op("/", (left, other))), ("==",)):
            if divisor == other and left == whole:
                return divisor, whole, 0
            if divisor == other and left == _less_one(whole):
                return divisor, whole, 1
    return None


def constant(tree: Tree, *, units: bool = False) -> Fraction | None:
    """Return the exact value of a tree that is made of numbers, or None for any other.

    With `units`, quantities such as `1/2 GB` have values as well, in bytes, FLOPs and seconds.

    >>> constant(Op("-", (Number(Fraction(3), "3"),))), constant(Name("n"))
    (Fraction(-3, 1), None)
    """
    match tree:
        case Number(value=value):
            return value
        case Quantity(amount=amount, unit=unit) if units or unit.dimension == PLAIN:
            value_inside = constant(amount, units=units)
            return None if value_inside is None else value_inside * unit.factor
        case Op(head=head, args=args) if head in _WORKED_OUT:
            values = [v for v in (constant(part, units=units) for part in args) if v is not None]
            return _WORKED_OUT[head](*values) if len(values) == len(args) else None
    return None


def _quotient(above: Fraction, below: Fraction) -> Fraction | None:
    return above / below if below else None


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT_OF.get(base, MAX_EXPONENT) or not base:
        return None
    return base ** int(exponent)


_WORKED_OUT: dict[str, Callable[..., Fraction | None]] = {
    "+": lambda *terms: sum(terms, Fraction(0)),
    "*": lambda *factors: prod(factors, start=Fraction(1)),
    "-": neg,
    "/": _quotient,
    "^": _power,
}


def extract_fixed_values(given: Given, growing: Collection[str] = ()) -> tuple[Given, dict[str, Tree]]:
    """Return the assumptions without those that only set a name to a number, and these numbers by name.

    >>> given, numbers = extract_fixed_values(read_conditions("D == 4096; B < D; D integer"))
    >>> len(given.conditions), numbers
    (1, {'D': Number(value=Fraction(4096, 1), text='4096')})

    A name in `growing` keeps its condition. So does one whose number is not in its domain, a contradiction.
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


def _in_domain(tree: Tree, domain: Domain) -> bool:
    """Return whether a tree is a number in a domain."""
    number = constant(tree, units=True)
    if number is None:
        return False
    signed = domain.sign == "real" or number > 0 or (domain.sign == "nonnegative" and number == 0)
    return signed and (number.denominator == 1 or not domain.integer)


def with_bound_domains(
    given: Given, tree: Tree, let: Mapping[str, Tree], sizes: Callable[[Reference], Collection[str]] = lambda _: ()
) -> Given:
    """Return the assumptions with the domains of the names that `exists` and `for all` bind.

    >>> from roofproof.formula.reader import read_statement
    >>> with_bound_domains(Given(), read_statement("exists t integer: t > 2"), {}).domain("t")
    Domain(sign='positive', integer=True)

    `sizes` returns the sizes of an operation. Raises RoofproofError for a name that is bound twice or also used
    outside.
    """
    found = dict(given.domains)
    bound = bound_names(tree)
    if len(bound) > MAX_BOUND:
        said = "<count> names after 'exists' and 'for all'; the limit is <most>"
        raise error_at(tree.span[0], said, count=len(bound), most=MAX_BOUND)
    elsewhere = {*given.names, *let, *_free(tree, let, sizes), *(n for value in let.values() for n in names_in(value))}
    for each in (n for n in walk(tree) if isinstance(n, Quantified)):
        for name in each.names:
            if name in elsewhere or bound.count(name) > 1:
                said = "<name> is bound by '<quantifier>' and used outside it, too; use another name"
                raise error_at(each.span[0], said, name=quoted(name), quantifier=each.quantifier)
            sign = next((kind for kind in SIGNS if kind in each.kinds), "positive")
            found[name] = Domain(sign, "integer" in each.kinds)
    return replace(given, domains=MappingProxyType(found)) if bound else given


def _free(tree: Tree, let: Mapping[str, Tree], sizes: Callable[[Reference], Collection[str]]) -> set[str]:
    """Return the free names of a tree, including the sizes of its operations."""
    if isinstance(tree, Name):
        values = walk_with_values([tree], let)
        return {tree.name}.union(*(sizes(each) for each in values if isinstance(each, Reference)))
    if isinstance(tree, Reference):
        return set(sizes(tree))
    below = {name for part in tree.parts for name in _free(part, let, sizes)}
    return below - set(tree.names) if isinstance(tree, Quantified) else below


def _less_one(tree: Tree) -> Tree:
    return flat("+", (tree, Op("-", (literal(1),))))


def _with_kinds(found: Sequence[Token]) -> list[Token]:
    """Return the tokens, with words about the values before them, such as `even`, marked by their own kind."""
    kinds = ["", *(t.kind for t in found), "end"]
    told: list[Token] = []
    for k, token in enumerate(found):
        before = told[-1].kind if told else ""
        after = kinds[k + 2]
        word = token.text if token.kind == "name" and before in _ENDS else ""
        if word in KINDS:
            token = token._replace(kind="kind")
        elif (word in _PARITIES and after in (";", "and", "end")) or (word == "in" and after == "{"):
            token = token._replace(kind=word)
        elif word == "divides" and after in ("name", "number", "(", "√"):
            token = token._replace(kind="|")
        told.append(token)
    return told


class _Conditions(Reader):
    """A reader of conditions between `;` or `and`, which collects the domain of each name."""

    def refuse_prose(self, token: Token) -> None:
        """Refuse a word of a sentence, and give examples of conditions with words."""
        if is_prose(token.text):
            said = "<word> is not a name; expected a condition such as 'B > 0', 'k even' or '128 divides D'"
            raise error_at(token.at, said, word=quoted(token.text))
        super().refuse_prose(token)

    def parse_conditions(self) -> Given:
        self.signs: dict[str, str] = {}
        self.integers: dict[str, None] = {}
        self.mentioned: dict[str, None] = {}
        self.conditions: list[Tree] = []
        while self.token.kind != "end":
            if self.take(";"):
                continue
            self.condition()
            if self.take("and"):
                if self.token.kind in (";", "end"):
                    self.refuse()
            elif self.token.kind != "end" and not self.take(";"):
                self.refuse()
        signs = {n: s for n, s in self.signs.items() if n not in self.integers}
        domains = {n: Domain(s) for n, s in signs.items()}
        domains |= {n: Domain(self.signs.get(n, "positive"), True) for n in self.integers}
        return Given(MappingProxyType(domains), tuple(self.conditions), tuple(self.mentioned))

    def condition(self) -> None:
        least = 0 if self.is_joined() else NOT
        items = [self.formula(least)]
        while self.take(","):
            self.refuse_thousands_after()
            items.append(self.formula(least))
        for item in items:
            self.mention(item)
        word = self.token
        if self.take("|"):
            self.multiples(items, word)
        elif self.take(*_PARITIES):
            for item in items:
                if is_statement(item):
                    self.plain([item], word.text)
                self.is_multiple(literal(2), item, _PARITIES[word.text])
        elif self.take("in"):
            choices = self.set_of_values()
            self.mention(choices)
            for name in self.plain(items, "in"):
                self.is_one_of(name, choices)
        elif self.token.kind == "kind":
            self.kinds(items)
        else:
            self.listed(items)

    def refuse_thousands_after(self) -> None:
        """Refuse `B >= 2,048`, which may be one number or two."""
        before, comma, after = self.tokens[max(self.at - 2, 0)], self.tokens[self.at - 1], self.token
        glued = before.end == comma.at and comma.end == after.at and len(after.text) == 3
        if glued and (before.kind, after.kind) == ("number", "number"):
            self.ways(before, f"{before.text},{after.text}", before.text + after.text, f"{before.text}, {after.text}")

    def is_joined(self) -> bool:
        """Return whether the condition that begins here is joined by more than `and`."""
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.kind in ("(", "{")) - (token.kind in (")", "}"))
            if depth == 0 and token.kind in _JOINED:
                return True
            if depth == 0 and token.kind == ";":
                return False
        return False

    def mention(self, item: Tree) -> None:
        if bound_names(item):
            raise error_at(item.span[0], "'exists' and 'for all' are allowed in `says`, not in `given`")
        self.mentioned |= dict.fromkeys(names_in(item))

    def plain(self, items: Sequence[Tree], word: str) -> list[Name]:
        for item in items:
            if not isinstance(item, Name):
                due, example = quoted(word), quoted(f"D, F {word}")
                raise error_at(item.span[0], "expected names before <word>, as in <example>", word=due, example=example)
        return [item for item in items if isinstance(item, Name)]

    def kinds(self, items: Sequence[Tree]) -> None:
        words = []
        while word := self.take("kind"):
            words.append(word.text)
        for name in self.plain(items, words[0]):
            for kind in words:
                if kind.startswith("integer"):
                    self.integers[name.name] = None
                else:
                    self.allow(name.name, "real" if kind.startswith("real") else kind)

    def multiples(self, divisors: Sequence[Tree], sign: Token) -> None:
        """Read `128 divides D, F`, which makes names on both sides integers."""
        wholes = [self.formula(NOT)]
        while self.take(","):
            wholes.append(self.formula(NOT))
        for tree in (*divisors, *wholes):
            if is_statement(tree) or len(divisors) > 1:
                said = "<sign> goes between two values, as in '128 divides D'"
                raise error_at(sign.at, said, sign=quoted(sign.text))
        for whole in wholes:
            self.mention(whole)
            self.is_multiple(divisors[0], whole, 0)

    def is_multiple(self, divisor: Tree, whole: Tree, remainder: int) -> None:
        for part in (divisor, whole):
            number = constant(part)
            if number is not None and (number.denominator != 1 or number < 1):
                said = "<number> is not a positive integer"
                raise error_at(part.span[0], said, number=quoted(to_text(part)))
            if isinstance(part, Name):
                self.integers[part.name] = None
        span = (min(divisor.span[0], whole.span[0]) if divisor.span[1] else whole.span[0], whole.span[1])
        left = _less_one(whole) if remainder else whole
        rounded = Call("floor", (Op("/", (whole, divisor)),), span=span)
        self.conditions.append(Comparison((rounded, Op("/", (left, divisor))), ("==",), span=span))

    def is_one_of(self, name: Name, choices: Tree) -> None:
        equal = tuple(Comparison((name, item), ("==",), span=item.span) for item in choices.parts)
        least = min((v for v in map(constant, choices.parts) if v is not None), default=Fraction(1))
        self.allow(name.name, "positive" if least > 0 else "nonnegative" if least == 0 else "real")
        self.conditions.append(equal[0] if len(equal) == 1 else Op("or", equal, span=choices.span))

    def listed(self, items: Sequence[Tree]) -> None:
        """Read `a, b, c >= 0`: the condition at the end applies to each."""
        *others, last = items
        if not is_statement(last):
            message = "<text> is not a condition; expected one such as 'B > 0', 'D integer' or '128 divides D'"
            raise error_at(last.span[0], message, text=quoted(to_text(last)))
        for item in others:
            if not isinstance(last, Comparison) or is_statement(item):
                raise error_at(item.span[0], "conditions are separated by ';'")
        if not isinstance(last, Comparison):
            self.conditions += last.args if isinstance(last, Op) and last.head == "and" else [last]
            return
        end = last.span[1]
        each = [Comparison((o, *last.operands[1:]), last.relations, span=(o.span[0], end)) for o in others]
        for condition in (*each, last):
            if {"~=", "->"} & set(last.relations):
                raise error_at(condition.span[0], "a condition uses == != < <= > >=")
            if not all([self.is_bound(link) for link in condition.links]):
                self.conditions.append(condition)

    def is_bound(self, link: Comparison) -> bool:
        """Add a bound of a name by a number to its domain, and return whether the domain expresses all of it."""
        (left, right), (relation,) = link.operands, link.relations
        if isinstance(right, Name) and not isinstance(left, Name):
            left, right, relation = right, left, TURNED.get(relation, "")
        value = constant(right)
        if not isinstance(left, Name) or value is None:
            return False
        if relation in (">", ">="):
            sign = "real" if value < 0 else "nonnegative" if value == 0 and relation == ">=" else "positive"
            self.allow(left.name, sign)
            return value == 0
        if relation in ("==", "<", "<=") and value <= 0:
            self.allow(left.name, "nonnegative" if value == 0 and relation == "==" else "real")
        return False

    def allow(self, name: str, sign: str) -> None:
        """Keep the strongest sign that is stated for a name."""
        self.signs[name] = max(self.signs.get(name, sign), sign, key=SIGNS.index)
