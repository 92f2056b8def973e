"""Steps of the solver: a comparison solved for the unknown, and the region where it holds on a path.

The theorems of these steps are the ones the solver uses. A step that covers several paths is proved by the case tree.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import sympy
from sympy.core.relational import Relational

from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.charts import Factors
from roofproof.derive.conversions import decide_comparison, identical, rewritten, scaled
from roofproof.derive.regions import Region
from roofproof.derive.signs import Facts, Proof, Space, comparisons
from roofproof.derive.tree import Leaf
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError

RELATIONS = {">": sympy.Gt, ">=": sympy.Ge, "<": sympy.Lt, "<=": sympy.Le}
TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


@dataclass(frozen=True)
class Collected:
    """A comparison, and the equivalent line with the unknown on the left: `x A > C`, or `x (x A + B) > C`.

    `rows` are the coefficients of the unknown in the difference of the line's sides, lowest degree first. They are
    empty if the difference has a denominator that is not constant. Multiplied by `scale` they have no fractions.

    >>> from roofproof.derive.algebra.polynomial import Ring
    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> found = collected(Factors(Ring([x, a, b]), x), x > a*x + b)
    >>> found.line, found.link
    (x*(1 - a) > b, a > 0, b > 0, x > 0 |- x > b + a*x <=> x*(1 + -1*a) > b)
    """

    whole: Relational
    line: Relational
    rows: tuple[Poly, ...]
    scale: Poly
    factors: Factors

    @cached_property
    def formulas(self) -> tuple[Formula, Formula]:
        """The comparison and the line, as formulas of the solver."""
        space = self.factors.space
        return space.formula(self.whole), space.formula(self.line)

    @cached_property
    def link(self) -> Theorem:
        """The theorem that the comparison and the line are equivalent, whatever the signs."""
        return scaled(Facts(self.factors.space, {}), *self.formulas)

    def quotient(self, above: Poly, below: Poly) -> sympy.Expr:
        """Return a quotient of polynomials as the answer prints it."""
        return self.factors.quotient(above * self.scale, below * self.scale)


class Part(NamedTuple):
    """The region where the line of a comparison holds on a path, with the proof."""

    collected: Collected
    region: Region
    proof: Proof

    @property
    def links(self) -> list[Theorem]:
        """The theorems of the steps from the comparison to its region."""
        same = self.collected.line is self.collected.whole
        return [*([] if same else [self.collected.link]), self.proof()]

    def prove_comparison(self, region: Formula) -> Theorem:
        """Prove that the comparison holds exactly in a region."""
        return kernel.propositional(Formula("<=>", self.collected.formulas[0], region), self.links)


def collected(factors: Factors, whole: Relational) -> Collected:
    """Return a comparison with the unknown on the left and obvious minus signs removed, or unchanged if impossible."""
    ring, x = factors.ring, factors.unknown
    num, den = ring.fraction(whole.lhs - whole.rhs)
    rows = ring.coefficients(num / den, x) if den.is_constant() else []
    if len(rows) not in (2, 3) or whole.rel_op not in RELATIONS:
        return Collected(whole, whole, tuple(rows), den, factors)
    turn = -1 if all(sign(row) in (-1, 0) for row in rows[1:]) else 1
    rest, *above = rows = [turn * row for row in rows]
    if len(above) == 1:
        left = x * factors.balanced(above[0])
    elif above[0].is_zero():
        left = x**2 * factors.balanced(above[1])
    else:
        left = x * (x * factors.balanced(above[1]) + factors.balanced(above[0]))
    right = sympy.Integer(0) if rest.is_zero() else factors.balanced(-rest)
    line = RELATIONS[whole.rel_op if turn > 0 else TURNED[whole.rel_op]](left, right, evaluate=False)
    same = (line.lhs, line.rhs) == (whole.lhs, whole.rhs)
    return Collected(whole, whole if same else line, tuple(rows), den, factors)


def prove_restated(leaf: Leaf, goal: Formula) -> Theorem:
    """Prove on a path the leaf's theorem with its condition or its bounds written in another way."""
    return line_proved(leaf.facts, goal, [leaf.theorem()])


def by_plain_signs(x: sympy.Symbol, goal: Formula) -> Theorem | None:
    """Prove a goal about comparisons of one size with numbers, or return None if the coefficients do not decide it."""
    with suppress(KernelError):
        return line_proved(Facts(Space(Ring([x])), {}), goal, [])
    return None


def line_proved(facts: Facts, goal: Formula, known: Sequence[Theorem]) -> Theorem:
    """Prove a step on one path: from the known theorems, by a factor, by signs or by equal normal forms."""
    if goal[0] == "<=>":
        with suppress(KernelError):
            return kernel.propositional(goal, known)
        return kernel.propositional(goal, [*known, *_links(facts, goal, known)])
    if goal[0] == "=":
        return identical(facts, *goal[1:])
    return kernel.propositional(goal, [*known, *_signs(facts, goal)])


def _links(facts: Facts, goal: Formula, known: Sequence[Theorem]) -> Iterator[Theorem]:
    """Yield theorems that the comparisons of an equivalence agree with each other or with a known comparison."""
    sides, told = ([f for g in goals for f in comparisons(g) if f[0] == ">"]
                   for goals in ([goal], [t.conclusion for t in known]))  # fmt: skip
    for a in sides:
        yield from _signs(facts, a)
    for a, b in dict.fromkeys([*product(sides, told), *combinations(sides, 2)]):
        if a != b:
            with suppress(KernelError):
                yield rewritten(facts, a, b)


def _signs(facts: Facts, goal: Formula) -> list[Theorem]:
    try:
        return [decide_comparison(facts, goal)]
    except KernelError:  # the known theorems suffice
        return []
