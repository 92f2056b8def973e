"""Numbers first: a variant of a claim that fails at sizes met at once is not judged at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice, product
from math import ceil, floor

from roofproof.claims.judge.bridge import Reading
from roofproof.claims.judge.case import Case
from roofproof.claims.judge.decide_formula import refutation
from roofproof.claims.judge.domain import domain_of_given
from roofproof.claims.judge.readings import Sides, numbers_apart, sides_of
from roofproof.claims.language import Claim
from roofproof.claims.language.assumed_sizes import assuming
from roofproof.claims.meaning import DIRECT
from roofproof.claims.printed import Printed, agreement, printed_number
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError
from roofproof.formula.tree import Call, Comparison, Reference, Tree, bound_names, is_op, names_in, walk
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.asymptotics.decide import Growth
from roofproof.proofs.kernel.terms import Formula, KernelError, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.ratios import Inexact, ratios, truth_of
from roofproof.proofs.search.points import squared_point, squares_of
from roofproof.proofs.search.polynomials import terms_with

TRIES = 150  # most wrong statements fail soon
FAR_BITS = 96, 160  # of what grows last, where a claim in a regime is looked at
APART = 16  # times as many of what grows before it
WRONG = "wrong!"  # the name of a value that a slip makes


def fails(variant: Claim, alike: Mapping[Tree, Formula] | None = None) -> bool:
    """Tell whether a claim is seen to fail at sizes that its operations have; what does not may fail elsewhere.

    >>> from roofproof.claims.language.book import book_from_text
    >>> claims = 'flops(matmul) == B D F', 'flops(matmul) <= 2 B D F', 'flops(matmul) ~= B D F'
    >>> [fails(c) for says in claims for c in book_from_text(f"[[claim]]\\nid = 'a'\\nsays = '{says}'").claims]
    [True, False, False]

    An equation of numbers may hold to its digits, and in a regime it fails where it does far out, and farther out, too.
    `alike` are parts of the claim that were read.
    """
    node = variant.proposition
    if node is None or variant.environment.signs or bound_names(node):
        return False
    env = variant.scope()
    try:
        parts = node.args if is_op(node, "and") else (node,)
        equations = [sides_of(env, part) if isinstance(part, Comparison) else None for part in parts]
        if any(sides is not None and numbers_apart(*sides, variant.tolerance) for sides in equations):
            return True
        if any(map(_is_loose, parts, equations)):
            return False
    except (RoofproofError, KernelError, TypeError):
        return False
    try:
        claim = assuming(variant)
        env = replace(claim.environment, functions=DIRECT, _values={})  # of the engine only what its definitions say
        case = Case(claim, env, domain_of_given(env))
        domain, goal = case.over_sizes(case.domain), Reading(env, alike or {}).formula(node)
        if domain.signs:
            return False
        denied = (*domain.assumptions, Formula("not", goal))
        if claim.regime is not None:
            return _fails_far_out(denied, domain.integers, claim.regime, _printed(node), claim.tolerance)
        point = sampling.find(denied, sorted(domain.integers), TRIES)
        if point is None:
            point = squared_point(denied, squares_of(denied) or denied, domain.integers, 2 * TRIES)
        return point is not None and refutation(goal, domain, point) is not None
    except (RoofproofError, KernelError):
        return False


def _is_loose(part: Tree, sides: Sides | None) -> bool:
    """Tell whether a part of a claim may hold to digits, or in a limit, though it does not as it stands."""
    joined = is_op(part, "<=>", "=>", "or")  # of equations: exact ones
    loose = {"~=", "->"} if joined else {"==", "~=", "->"}
    if isinstance(part, Comparison) and part.relations == ("==",) and sides is not None:
        if all(side.is_number for side in sides[1:]):
            return True
        within: Iterable[Tree] = chain.from_iterable(map(walk, part.operands))
    else:
        within = walk(part)
    return any(loose & set(getattr(n, "relations", ())) for n in within)


def _fails_far_out(
    denied: Sequence[Formula], integers: frozenset[str], regime: Regime, printed: Sequence[Printed], tolerance: str
) -> bool:
    """Tell whether formulas hold for large values of what grows and for far larger ones, at one value of what stays.

    It is no value that agrees with a printed number: a threshold may be right to its digits.
    """
    growth = Growth(regime)
    formulas = [growth.put(f, regime.stages) for f in denied]
    stages = growth.names(regime.stages)[::-1]
    far = [{n: 2 ** (bits * APART**k) for k, names in enumerate(stages) for n in names} for bits in FAR_BITS]
    stay = sorted(frozenset[str]().union(*map(variables, formulas)) - {n for names in stages for n in names} - NUMBERS)
    told = [truth_of(f) for f in formulas]
    numbers = {Fraction(c.digits) * c.unit for c in printed} | _quotients(denied)
    for point in chain(_beside(stay, numbers), islice(sampling.points(stay), TRIES)):
        fixed = {n: Fraction(max(1, round(v))) if n in integers else v for n, v in point.items()}
        if any(agreement(v / c.unit, c.digits, tolerance) for v in fixed.values() for c in printed):
            continue
        with suppress(Inexact):
            if all(holds(ratios({**fixed, **large})) for large in far for holds in told):
                return True
    return False


def _beside(names: Sequence[str], numbers: Iterable[Fraction]) -> Iterator[dict[str, Fraction]]:
    """Yield points where all names have a value a little off such a number, its half or its double, or further off."""
    scaled = [number * factor for number in sorted(numbers) if number > 0 for factor in (1, 2, Fraction(1, 2))]
    for value, off in product(scaled, (Fraction(1, 500), Fraction(1, 8))):
        yield from (dict.fromkeys(names, Fraction(n)) for n in (floor(value * (1 - off)), ceil(value * (1 + off))) if n)


def _printed(node: Tree) -> list[Printed]:
    """Return the numbers that stand alone on a side of a comparison."""
    sides = (o for n in walk(node) if isinstance(n, Comparison) for o in n.operands)
    return [found for side in sides if (found := printed_number(side)) is not None]


def _quotients(formulas: Sequence[Formula]) -> set[Fraction]:
    """Return the quotients of numbers in formulas, as ridge points are."""
    found = terms_with(("/",), *formulas)
    numbers = [(a, b) for _, a, b in found if a[0] == b[0] == "q" and a[1] and b[1]]
    return {Fraction(a[1], a[2]) / Fraction(b[1], b[2]) for a, b in numbers}


def unchanged(claim: Claim) -> dict[Tree, Formula]:
    """Return the comparisons in a claim that name no operation and no chip, which no slip changes, as they are read.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "intensity(matmul) > 240 <=> B > 240"').claims
    >>> unchanged(c).values()
    dict_values([('>', ('v', 'B'), ('q', 240, 1))])
    """
    reading, found = Reading(claim.environment), dict[Tree, Formula]()
    for part in walk(claim.proposition or Tree()):
        if not isinstance(part, Comparison) or {*names_in(part)} & claim.environment.let.keys():
            continue  # a slip may give a name another value
        if not any(isinstance(n, Call | Reference) for n in walk(part)):
            try:
                found[part] = reading.formula(part)
            except (RoofproofError, KernelError):
                continue
    return found
