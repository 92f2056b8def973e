"""Regimes: the symbols that grow without bound, and their relative rates, while the others are fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NoReturn

import sympy

from roofproof.errors import RoofproofError, WrongType, quoted
from roofproof.formula.plain import PlainReader
from roofproof.formula.tokens import Token, tokens
from roofproof.formula.tree import Name, Number, Op
from roofproof.sentences import Sentence
from roofproof.symbols import dimension, quantity

Group = tuple[tuple[str, int], ...]  # symbols that grow together, each as that power of one quantity
EXPECTED = "expected symbols that grow, such as 'D, F >> B' or 'N -> oo'"
GOALS = {"oo": "oo", "inf": "oo", "infinity": "oo", "0": "0"}
MAX_POWER = 12
OPEN_SIGN = "the leading term <term> may be zero or change its sign; the limit is not settled"


@dataclass(frozen=True, slots=True)
class Tie:
    """An exact relation `name = factor * driver^power` that replaces a symbol."""

    name: str
    factor: Fraction
    driver: str
    power: int


@dataclass(frozen=True, slots=True)
class Regime:
    """The symbols that grow, and how, while all others are fixed and positive.

        D, F >> B         D and F grow, each at its own rate, and B is fixed
        N -> oo           N grows, all else is fixed
        L >> d >> r       first L grows, then d, and r is fixed (an iterated limit)
        D ~ F >> B        D and F grow at one rate: D/F is fixed
        L ~ d^2 >> r      L/d^2 is fixed
        F = 4 D -> oo     F is replaced by 4 D
        x -> 0            x shrinks (not for sizes)
        B << D            the same as D >> B, and B << C << D the same as D >> C >> B

    A comma separates symbols that grow independently, and `>>` separates those that grow first from those that grow
    later. `-> oo` at the end means that the last ones grow too. The limit in a regime must be the same for all relative
    rates of the independent symbols.

    >>> Regime("D, F >> B").growing
    ('D', 'F')
    >>> Regime("N -> oo")
    Regime('N -> oo')
    >>> Regime("L ~ d^2 >> r").stages                # one stage, one group: L as t^2, d as t
    (((('L', 2), ('d', 1)),),)
    >>> Regime("F = 4 D -> oo").ties
    (Tie(name='F', factor=Fraction(4, 1), driver='D', power=1),)

    Raises RoofproofError for text of another form.
    """

    text: str
    growing: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    stages: tuple[tuple[Group, ...], ...] = ()
    ties: tuple[Tie, ...] = ()

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise WrongType("regime", "text", text, "'D, F >> B' or 'N -> oo'")
        if len(text) > 1000:
            raise RoofproofError("the regime has <count> characters; the limit is 1000", count=len(text))
        read = _Reader(text)
        for name in ("text", "growing", "fixed", "stages", "ties"):
            object.__setattr__(self, name, getattr(read, name))

    @classmethod
    def of(cls, growing: tuple[str, ...], fixed: tuple[str, ...] = ()) -> Regime:
        """Return the regime in which some symbols grow."""
        return cls(f"{', '.join(growing)} " + (f">> {', '.join(fixed)}" if fixed else "-> oo"))

    @property
    def shrinking(self) -> tuple[str, ...]:
        """The symbols that tend to zero."""
        return tuple(name for stage in self.stages for group in stage for name, rate in group if rate < 0)

    def tied(self, expr: sympy.Expr) -> sympy.Expr:
        """Return an expression with every `=` of the regime substituted.

        >>> from roofproof.symbols import dimension
        >>> D, F = map(dimension, "DF")
        >>> Regime("F = 4 D -> oo").tied(D*F)          # D (4 D)
        4*D**2
        """
        symbols = {s.name: s for s in expr.free_symbols}
        table = {}
        for tie in self.ties:
            if (s := symbols.get(tie.name)) is not None:
                driver = symbols.get(tie.driver) or (dimension if s.is_integer else quantity)(tie.driver)
                table[s] = sympy.Rational(tie.factor) * driver**tie.power
        return expr.subs(table, simultaneous=True) if table else expr

    def __repr__(self) -> str:
        return f"Regime({self.text!r})"


def towards(groups: Sequence[Group]) -> str:
    """Return the growing symbols as the text of a regime.

    >>> towards(((("D", 1), ("F", 1)), (("e", -1),)))
    'D -> oo, F -> oo, e -> 0'
    """
    return ", ".join(f"{name} -> {'oo' if rate > 0 else 0}" for group in groups for name, rate in group)


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    factor: int
    power: int

    def __str__(self) -> str:
        return (f"{self.factor} " if self.factor != 1 else "") + self.name + (f"^{self.power}" * (self.power != 1))


class _Reader:
    """Reads the text of a regime into its parts."""

    def __init__(self, text: str) -> None:
        self.given = text
        self.growing: tuple[str, ...] = ()
        self.stages: tuple[tuple[Group, ...], ...] = ()
        self.ties: tuple[Tie, ...] = ()
        try:
            found = tokens(text, "a regime") if text.strip() else []
        except RoofproofError as problem:
            raise RoofproofError("regime <regime>: <why>", regime=quoted(text), why=problem.said) from None
        self.goal = ""
        if [t.kind for t in found[-2:-1]] == ["->"] and found[-1].text in GOALS:
            self.goal, found = GOALS[found[-1].text], found[:-2]
        parts = split(found, ">>")
        if any(t.kind == "<<" for t in found):
            if len(parts) > 1 or self.goal:
                self.refuse()
            parts = split(found, "<<")[::-1]
        self.fixed = () if self.goal else tuple(self.name(piece) for piece in split(parts.pop(), ","))
        if not parts or (self.goal == "0" and len(parts) > 1):
            self.refuse()
        said = [self.stage(part) for part in parts]
        everyone = (*self.growing, *self.fixed)
        if twice := [n for n in everyone if everyone.count(n) > 1]:
            self.refuse("<name> is named twice", name=twice[0])
        self.text = " >> ".join(said) + (f" -> {self.goal}" if self.goal else f" >> {', '.join(self.fixed)}")

    def refuse(self, why: str = EXPECTED, **parts: object) -> NoReturn:
        raise RoofproofError("regime <regime>: <why>", regime=quoted(self.given), why=Sentence(why, **parts))

    def stage(self, found: list[Token]) -> str:
        """Read the symbols that grow at one stage, and return their canonical text."""
        groups, said = [], []
        for piece in split(found, ","):
            sides = [self.side(side) for side in split(piece, "~", "=")]
            joins = [token.kind for token in piece if token.kind in ("~", "=")]
            self.growing += tuple(s.name for s in sides)
            groups.append(self.group(sides, joins))
            said.append(str(sides[0]) + "".join(f" {j} {s}" for j, s in zip(joins, sides[1:], strict=True)))
        self.stages += (tuple(groups),)
        return ", ".join(said)

    def name(self, found: list[Token]) -> str:
        """Return the name that the tokens consist of."""
        if [token.kind for token in found] != ["name"] or found[0].text.startswith("_"):
            self.refuse()
        return found[0].text

    def side(self, found: list[Token]) -> _Side:
        """Read `4 d^2`: an integer factor, a name and an integer power, where both numbers may be omitted."""
        factor = power = Fraction(1)
        try:
            tree = PlainReader(self.given, found).parse_all()
        except RoofproofError:
            self.refuse()
        if isinstance(tree, Op) and tree.head == "*" and isinstance(tree.args[0], Number) and len(tree.args) == 2:
            factor, tree = tree.args[0].value, tree.args[1]
        if isinstance(tree, Op) and tree.head == "^" and isinstance(tree.args[1], Number):
            power, tree = tree.args[1].value, tree.args[0]
        if not isinstance(tree, Name) or factor.denominator != 1 or power.denominator != 1 or not factor or not power:
            self.refuse()
        if power > MAX_POWER:
            self.refuse("the power <power> is too large; the limit is <most>", power=power, most=MAX_POWER)
        return _Side(tree.name, int(factor), int(power))

    def group(self, sides: list[_Side], joins: list[str]) -> Group:
        """Tie equal symbols, and return the rates of the rest: if x^p grows as t^n, then x grows as t^(n/p)."""
        classes = [[sides[0]]]
        for join, side in zip(joins, sides[1:], strict=True):
            if join == "~":
                classes.append([])
            classes[-1].append(side)
        order = lcm(*(s.power for s in sides))
        rates = []
        for members in classes:
            if len(members) == 1 and members[0].factor != 1:
                why = "a factor as in <what> needs '=', as in 'F = 4 D -> oo'; a rate has none"
                self.refuse(why, what=repr(str(members[0])))
            driver = self.tie(members)
            rates.append((driver.name, order // driver.power))
        common = 1 if len(rates) > 1 else rates[0][1]
        return tuple((name, rate // common * (-1 if self.goal == "0" else 1)) for name, rate in rates)

    def tie(self, members: list[_Side]) -> _Side:
        """Replace all members but one, and return that one."""
        ways = []
        for driver in members:
            ties = [_solved(s, driver) for s in members if s is not driver]
            if all(ties):
                made = tuple(t for t in ties if t)
                ways.append((sum(t.factor.denominator != 1 for t in made), driver, made))
        if not ways:
            said = " = ".join(map(str, members))
            why = "<said> makes none of its symbols a whole power of another; '~' compares rates only"
            self.refuse(why, said=said)
        _, driver, made = min(ways, key=lambda way: way[0])
        self.ties += made
        return driver


def split(found: Sequence[Token], *signs: str) -> list[list[Token]]:
    """Split tokens at some signs.

    >>> [[t.text for t in part] for part in split(tokens("D, F >> B"), ">>")]
    [['D', ',', 'F'], ['B']]
    """
    parts: list[list[Token]] = [[]]
    for token in found:
        if token.kind in signs:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _solved(side: _Side, driver: _Side) -> Tie | None:
    """Return the tie that `a x^p = b y^q` makes, x = (b/a)^(1/p) y^(q/p), or None if it needs a root."""
    power, rest = divmod(driver.power, side.power)
    ratio = Fraction(driver.factor, side.factor)
    above, exact = sympy.integer_nthroot(ratio.numerator, side.power)
    below, whole = sympy.integer_nthroot(ratio.denominator, side.power)
    if rest or not exact or not whole:
        return None
    return Tie(side.name, Fraction(int(above), int(below)), driver.name, power)
