"""Claims with `exists` and `for all`, decided by a witness or by a point without one.

`exists t: A` holds for all values of its other names if one term works for t. Candidates are the roots of expressions
in A, and values between two roots or next to one. It fails if at one point A is false for every t. Both are statements
without quantifiers, which the proof checker or the solver decides. If neither is found, the claim is undecided.

A is defined at a witness: if there is no such value, `not exists` is true. `for all` is true if A is true for all
values. Where a witness is undefined, the claim must hold without one. Claims in a regime are undecided, because a bound
name may be as large as a growing one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.definedness import decide_by_needs, needs_of
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.obligations import VALUE, obligations, of_each
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.judge.witnesses import lies_there, points, witness_text, witnesses
from roofproof.claims.kinds import REFUTED, UNDECIDED, VERIFIED
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.formula.to_sympy import joined
from roofproof.formula.tree import Comparison, Op, Quantified, Tree, bound_names
from roofproof.ops.notation.at_sizes import at_sizes
from roofproof.proofs.kernel.terms import Formula, KernelError, variables
from roofproof.proofs.known import Known
from roofproof.sentences import Sentence

MAX_PARTS = 200  # of a claim, once `<=>` is expanded
MAX_WITNESSES = 40  # tried for one name
MAX_TRIES = 150  # statements decided for one claim
MAX_POINTS = 40
STEPS = 200_000  # for one statement

Proof = tuple[tuple[Known, ...], str]
"""The facts, and the witnesses in words."""
Values = Mapping[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement with negations only at the leaves: `and`, `or`, `exists`, `for all`, or a leaf.

    A leaf includes its conditions for having a value.
    """

    kind: str
    parts: tuple[_Part, ...] = ()
    leaf: Boolean = sympy.true
    symbols: tuple[sympy.Symbol, ...] = ()
    needs: tuple[Boolean, ...] = ()


def judge_quantified(case: Case) -> Verdict:
    """Return the verdict on a claim with `exists` or `for all`.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.claims.judge.judge import judge
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "exists t: t > R and t < R + 2"').claims
    >>> judge(c).kind, judge(c).note                              # R < R + 1 < R + 2
    ('verified', 't = R + 1')
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "exists t: 2 t^2 < M and t > 2 R"').claims
    >>> judge(c).kind, judge(c).counterexample                    # t > 2 and 2 t^2 < 1
    ('refuted', {'M': Fraction(1, 1), 'R': Fraction(1, 1)})
    """
    assert case.claim.proposition is not None
    if case.claim.regime is not None:
        return Verdict(UNDECIDED, note=Sentence("'exists' and 'for all' are not supported in a regime"))
    try:
        defined = _defined(case)
        read, denied = _Reader(case), _Reader(case)
        whole = read.part(case.claim.proposition, True)
        against = denied.part(case.claim.proposition, False)
    except RoofproofError as problem:
        return Verdict(UNDECIDED, note=problem.said)
    search = _Search(case)
    if (found := search.prove(whole, read.domain, _given_numbers(case.domain, _free(whole)))) is not None:
        return Verdict(VERIFIED, (*found[0], *defined), note=found[1])
    free = sorted(_free(whole), key=str)
    there = case.over_sizes(case.domain)
    for point in islice(points(free, there), MAX_POINTS if free else 1):
        values = {s: sympy.Rational(point[s.name]) for s in free}
        search.tries = 0
        met = search.prove(against, replace(denied.domain, assumptions=()), values)
        if met is not None:
            note = Sentence("there <witness>", witness=met[1]) if met[1] else ""
            return Verdict(REFUTED, met[0], counterexample=point or None, note=note)
    return Verdict(UNDECIDED, note=Sentence("found neither a witness nor a counterexample"))


def _defined(case: Case) -> tuple[Known, ...]:
    """Prove that the terms of sums are defined for all values of all names. Leaves include all other such conditions.

    Raises Undecided if this is not proved.
    """
    rests: list[Known] = []
    for under, relation, part in obligations(case.claim.proposition, case.env.let):  # type: ignore[arg-type]
        if relation == VALUE or not of_each(under, part):
            continue
        premises = [case.boolean(p) for p in under if not bound_names(p)]
        holds_: Boolean = sympy.Rel(case.env.to_sympy(part), 0, relation, evaluate=False)
        goal = sympy.Implies(joined(sympy.And, premises), holds_, evaluate=False) if premises else holds_
        found = decide_condition(Formula.of(goal), case.domain, case.oracle, case.steps)
        if found.status != "proved":
            due = f"{plain(case.env.to_sympy(part))} {relation} 0"
            raise Undecided("it is not defined for all values: it needs <condition>", condition=due)
        rests += found.known
    return tuple(k for k in rests if variables(k.statement.goal))


class _Reader:
    """The translation of a claim's tree to parts with negations at the leaves and conditions for having values."""

    def __init__(self, case: Case) -> None:
        self.ranging: set[sympy.Symbol] = set()  # names that the claim says have no witness
        bound = {*bound_names(case.claim.proposition)}  # type: ignore[arg-type]
        self.case, self.count = case, 0  # a witness for a size is a size
        self.domain = case.over_sizes(case.domain, parts=False) if case.sizes & bound else case.domain
        self.scope: dict[sympy.Symbol, sympy.Symbol] = {}  # fresh symbols of the names bound around a leaf
        self.taken: set[str] = set()

    def part(self, node: Tree, true: bool, denied: bool = False) -> _Part:
        """Return the part that a statement is true (or false), or if `denied`, that it is not, or has no value."""
        self.count += 1
        if self.count > MAX_PARTS:
            raise Undecided("more than <most> parts once every 'if and only if' is expanded", most=MAX_PARTS)
        every, some = ("and", "or") if true != denied else ("or", "and")
        needs = () if bound_names(node) else self.needs(node)
        match node:
            case Quantified(quantifier=quantifier, names=names, body=body):
                symbols = tuple(map(self.bind, names))  # fresh each time: `<=>` uses its sides twice
                there = (quantifier == "exists") == (true != denied)
                none = quantifier == "exists" and not there
                self.ranging |= {*symbols} if none else set()
                said = self.part(body, true != denied or none, none)
                return _Part("exists" if there else "for all", (said,), symbols=symbols)
            case _ if not bound_names(node) and not needs:
                said = _placed(self.case.boolean(node), self.scope)
                return _Part("leaf", leaf=said if true != denied else sympy.Not(said, evaluate=False))
            case Op("not", (operand,)):
                return self.part(operand, not true, denied)
            case Op("and", members):
                return _Part(every, tuple(self.part(m, true, denied) for m in members))
            case Op("or", members):
                return _Part(some, tuple(self.part(m, true, denied) for m in members))
            case Op("=>", (premise, conclusion)):
                return _Part(some, (self.part(premise, not true, denied), self.part(conclusion, true, denied)))
            case Op("<=>", [first, *others]):
                both = [p for o in others for p in (Op("=>", (first, o)), Op("=>", (o, first)))]
                return _Part(every, tuple(self.part(p, true, denied) for p in both))
            case Comparison(relations=[_, _, *_], links=links) if not bound_names(node):
                return _Part(every, tuple(self.part(link, true, denied) for link in links))
            case _ if not bound_names(node):
                held = _placed(self.case.boolean(node), self.scope)
                held = held if true else sympy.Not(held, evaluate=False)
                if not denied:
                    return _Part("leaf", leaf=joined(sympy.And, [*needs, held]), needs=needs)
                inner = [n for n in needs if n.free_symbols & self.ranging]
                outer = [n for n in needs if n not in inner]  # these must hold in any case
                never = sympy.Not(joined(sympy.And, [*inner, held]), evaluate=False)
                return _Part("leaf", leaf=joined(sympy.And, [*outer, never]), needs=needs)
        raise Undecided("write 'exists' and 'for all' in the claim itself, not inside a function")

    def needs(self, node: Tree) -> tuple[Boolean, ...]:
        """Return the conditions under which a statement has a value."""
        return tuple(_placed(n, self.scope) for n in needs_of(self.case, node))

    def bind(self, name: str) -> sympy.Symbol:
        """Return a fresh symbol for a bound name, with the same sign and integrality."""
        own = name
        while own in self.taken:
            own += "'"
        self.taken.add(own)
        symbol = self.case.env.symbol(name)
        whole = {"integer": True} if name in self.domain.integers else {}
        fresh = sympy.Symbol(own, **(symbol.assumptions0 | whole))
        self.scope[symbol] = fresh
        signs = {own: sign} if (sign := self.domain.signs.get(name)) else {}
        integers = {own} if whole else set()
        self.domain = replace(
            self.domain, signs={**self.domain.signs, **signs}, integers=self.domain.integers | integers
        )
        return fresh


class _Search:
    """The search for a witness of each `exists`, and the decision of the remaining statement."""

    def __init__(self, case: Case) -> None:
        self.case, self.tries = case, 0

    def prove(self, part: _Part, domain: Domain, values: Values | None = None) -> Proof | None:
        """Prove a part for all values of its free names, except those in `values`, and return the witnesses as well."""
        try:
            part = _with_values(part, values or {})
        except RoofproofError:  # a number in it is too long
            return None
        for turned in (False, True):  # exists x, y: ... by a witness for x first, or for y
            self.whole, self.turned, self.tries = part, turned, 0
            found = self._witnessed(part, frozenset(_free(part)), domain, {})
            if found is not None or not _several(part):
                return found
        return None

    def _witnessed(
        self, part: _Part, allowed: frozenset[sympy.Symbol], domain: Domain, found: dict[str, sympy.Expr]
    ) -> Proof | None:
        spot = _first_exists(part, allowed)
        if spot is None:
            return self._decided(part, domain, found)
        each, allowed_there = spot
        symbol, *others = each.symbols[:: -1 if self.turned else 1]
        others.reverse() if self.turned else None
        inner = replace(each, symbols=tuple(others)) if others else each.parts[0]
        for value in islice(witnesses(symbol, list(_leaves(each.parts[0])), allowed_there), MAX_WITNESSES):
            if self.tries >= MAX_TRIES or self.case.out_of_steps:
                return None
            bound = _Part("leaf", leaf=lies_there(symbol, value))
            try:
                put = _with_values(_replaced(part, each, _Part("and", (bound, inner))), {symbol: value})
            except (TypeError, RoofproofError):  # a value is not a real number, as in 1/0 > 2, or is too long
                continue
            if any(leaf.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo) for leaf in _leaves(put)):
                continue
            done = self._witnessed(put, allowed, domain, found | {symbol.name.rstrip("'"): value})
            if done is not None:
                return done
        return None

    def _decided(self, part: _Part, domain: Domain, found: dict[str, sympy.Expr]) -> Proof | None:
        """Prove a statement with witnesses in it, and that it needs none where a witness is not defined."""
        known = self._proved(part, domain)
        if known is None:
            return None
        if found and (doubtful := list(_doubtful(*found.values()))):  # sqrt(a)^2 == a loses its root
            more = self._proved(_without_exists(self.whole, joined(sympy.And, doubtful)), domain)
            if more is None:
                return None
            known += more
        return known, ", ".join(f"{name} = {witness_text(value)}" for name, value in found.items())

    def _proved(self, part: _Part, domain: Domain) -> tuple[Known, ...] | None:
        self.tries += 1
        goal = _condition(part)
        try:
            steps = min(STEPS, self.case.steps)
            finding = decide_by_needs(goal, dict.fromkeys(_needs(part)), domain, self.case.oracle, steps)
        except (RoofproofError, KernelError):
            return None
        return finding.known if finding.status == "proved" else None


def _given_numbers(domain: Domain, free: set[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the numbers that the assumptions give for names."""
    given = {f[1][1]: f[2] for f in domain.assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"}
    return {s: sympy.Rational(*given[s.name][1:]) for s in free if s.name in given}


def _several(part: _Part) -> bool:
    return (part.kind == "exists" and len(part.symbols) > 1) or any(map(_several, part.parts))


def _without_exists(part: _Part, said: Boolean) -> _Part:
    """Return a part with a condition in place of every `exists`."""
    if part.kind == "exists":
        return _Part("leaf", leaf=said)
    return replace(part, parts=tuple(_without_exists(p, said) for p in part.parts))


def _doubtful(*parts: sympy.Basic) -> Iterator[Boolean]:
    """Yield the conditions for statements and values to be defined, except those that follow from signs."""
    for power in sorted(set().union(*(part.atoms(sympy.Pow) for part in parts)), key=sympy.default_sort_key):
        base, exponent = power.base, power.exp
        root = exponent.is_Rational and exponent.q % 2 == 0
        if not base.is_positive and (root or not exponent.is_nonnegative):
            relation = sympy.Ne if not root else sympy.Ge if exponent.is_positive else sympy.Gt
            yield relation(base, 0, evaluate=False)
    logarithms = set().union(*(part.atoms(log2, sympy.log) for part in parts))
    for logarithm in sorted(logarithms, key=sympy.default_sort_key):
        if not logarithm.args[0].is_positive:
            yield sympy.Gt(logarithm.args[0], 0, evaluate=False)


def _first_exists(part: _Part, allowed: frozenset[sympy.Symbol]) -> tuple[_Part, frozenset[sympy.Symbol]] | None:
    """Return the first outermost `exists`, and the names that its witness may contain."""
    if part.kind == "exists":
        return part, allowed
    inside = allowed | set(part.symbols)  # the names of a `for all` around it
    return next((spot for p in part.parts if (spot := _first_exists(p, inside)) is not None), None)


def _replaced(part: _Part, old: _Part, new: _Part) -> _Part:
    if part is old:
        return new
    return replace(part, parts=tuple(_replaced(p, old, new) for p in part.parts))


def _with_values(part: _Part, values: Values) -> _Part:
    """Return a part with values substituted for names, without evaluating it."""
    if part.kind == "leaf":
        return replace(part, leaf=_placed(part.leaf, values), needs=tuple(_placed(n, values) for n in part.needs))
    return replace(part, parts=tuple(_with_values(p, values) for p in part.parts))


def _placed(said: Boolean, values: Values) -> Boolean:
    if isinstance(said, Relational):
        return said.func(at_sizes(said.lhs, values), at_sizes(said.rhs, values), evaluate=False)
    return (
        said.func.__new__(said.func)
        if not said.args
        else sympy.Basic.__new__(said.func, *(_placed(a, values) for a in said.args))
    )


def _condition(part: _Part) -> Boolean:
    """Return a part without `exists` as a condition on all of its names."""
    if part.kind == "leaf":
        return part.leaf
    parts = [_condition(p) for p in part.parts]
    return joined(sympy.Or if part.kind == "or" else sympy.And, parts)


def _free(part: _Part) -> set[sympy.Symbol]:
    below = set(part.leaf.free_symbols).union(*map(_free, part.parts))
    return below - set(part.symbols)


def _needs(part: _Part) -> Iterator[Boolean]:
    yield from part.needs
    for each in part.parts:
        yield from _needs(each)


def _leaves(part: _Part) -> Iterator[Boolean]:
    if part.kind == "leaf":
        yield part.leaf
    for each in part.parts:
        yield from _leaves(each)
