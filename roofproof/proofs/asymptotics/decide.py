"""Statements in a regime, reduced to a condition on the fixed names, with a proof that the condition is enough.

"For every value of the fixed names there is a bound beyond which the statement holds" is proved as an ordinary
theorem, `condition, bounds |- statement`. The bounds are explicit. Each is a lower bound on one growing name, in terms
of names that grow later or are fixed. Such bounds can always be met, so they assume nothing about the fixed names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import gcd, lcm

import sympy

from roofproof.derive.algebra.budget import PROOF_STEPS, Budget
from roofproof.derive.limits.regime import Group, Regime
from roofproof.errors import Undecided
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.asymptotics.rounding import cases_of, inside_out
from roofproof.proofs.asymptotics.signs import EventualCase, is_lower_bound
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, show, substitute, variables
from roofproof.proofs.search.lemmas import cut, discharged
from roofproof.proofs.search.polynomials import atoms_in, exchanged
from roofproof.proofs.search.short_proofs import prove
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity

MAX_EXTREMA = 6
MAX_OPEN = 4  # comparisons that may be eventually true or eventually false
Stages = tuple[tuple[Group, ...], ...]
RATES = (1, 2, 3)  # relative growth rates tried for names that grow independently
MAX_PATHS = 12


@dataclass(frozen=True, slots=True)
class EventualForm:
    """The reduction of a statement for large values of the growing names.

    `limit_condition` is about the fixed names only. If it holds, the statement holds wherever the `bounds` do. This is
    the `theorem`.

    >>> N, B, eight = Term("v", "N"), Term("v", "B"), Term("q", 8, 1)
    >>> found = eventually(Formula(">", Term("*", B, N), Term("+", Term("*", eight, N), Term("q", 5, 1))), [("N",)])
    >>> found.limit_condition == (">", B, eight), found.bounds[0][1] == (">", B, eight)
    (True, True)
    >>> print(found.theorem)
    B > 0, B > 8, B > 8 => N*(B + -8) > 5, N > 0 |- B*N > 8*N + 5
    """

    goal: Formula
    limit_condition: Formula
    bounds: tuple[Formula, ...]
    theorem: Theorem

    def met(self) -> Theorem | None:
        """Return the statement under the bounds, with `limit_condition` proved too, or None without a proof of it."""
        limit_condition = prove(self.limit_condition)
        return None if limit_condition is None else cut(self.theorem, [limit_condition])


def eventually(goal: Formula, stages: Sequence[Sequence[str]], budget: Budget | None = None) -> EventualForm:
    """Return the eventual form of a formula as the names of each stage grow, the first stage first.

    Raises Undecided if it is not found within the steps of `budget`.
    """
    budget = budget or Budget(PROOF_STEPS)
    try:
        limit_condition, theorem = _without_extrema(goal, {n for growing in stages for n in growing})
        bounds: list[Formula] = []
        for growing in stages:
            now = [n for n in growing if n in variables(limit_condition)]
            if not now:
                continue
            step = _stage(limit_condition, now, budget)
            bounds += step.bounds
            theorem = kernel.propositional(goal, [kernel.discharge(theorem, limit_condition), step.theorem])
            limit_condition = step.limit_condition
    except KernelError as limit:
        raise Undecided("too large to compute: <limit>", limit=limit) from None
    return EventualForm(goal, limit_condition, tuple(bounds), theorem)


@dataclass(frozen=True, slots=True)
class Growth:
    """How the names of a regime grow.

    `roots` maps a name to the name of its root and the order of that root. A name that grows by itself is kept. If
    D ~ F grow at one rate, D becomes D t and F becomes F t: t grows, and the new D and F are fixed. For x -> 0, x
    becomes 1/x and the new x grows.

    >>> together = Growth(Regime("D ~ F >> B"))
    >>> together.names(together.regime.stages)
    [("t'11",)]
    >>> together.put(Formula(">", Term("v", "D"), Term("v", "B")), together.regime.stages)
    ('>', ('*', ('v', 'D'), ('^', ('v', "t'11"), 1)), ('v', 'B'))
    """

    regime: Regime
    roots: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def names(self, stages: Stages) -> list[tuple[str, ...]]:
        """Return the variables that grow at each stage."""
        return [tuple(self._grows(group, i, k) for k, group in enumerate(groups)) for i, groups in enumerate(stages)]

    def values(self, stages: Stages) -> dict[str, Term]:
        """Return the substitution for each growing name, or its root."""
        table: dict[str, Term] = {}
        for i, groups in enumerate(stages):
            for k, group in enumerate(groups):
                scale = lcm(*(self._root(n)[1] for n, _ in group))
                for name, rate in group:
                    root, order = self._root(name)
                    x = Term("v", self._grows(group, i, k))
                    if len(group) == 1:
                        table[root] = x if rate > 0 else Term("/", ONE, x)
                        continue
                    power = Term("^", x, abs(rate) * scale // order)
                    table[root] = Term("*", Term("v", root), power) if rate > 0 else Term("/", Term("v", root), power)
        return table

    def put(self, formula: Formula, stages: Stages) -> Formula:
        """Return a formula with the growing names, and the names tied to them, substituted."""
        tied = {t.name: to_term(sympy.Rational(t.factor) * quantity(t.driver) ** t.power) for t in self.regime.ties}
        made: Formula = substitute(substitute(formula, tied), self.values(stages))
        return made

    def eventually(self, formula: Formula, stages: Stages | None = None, budget: Budget | None = None) -> EventualForm:
        """Return the eventual form of a formula in the regime, or as the names of some stages grow, with its proof."""
        stages = self.regime.stages if stages is None else stages
        return eventually(self.put(formula, stages), self.names(stages), budget)

    def paths(self) -> Iterator[Stages]:
        """Yield growth paths that the regime allows, in which no two names of a stage grow independently."""
        ways = []
        for groups in self.regime.stages:
            rates = [r for r in product(RATES, repeat=len(groups)) if gcd(*r) == 1 and (len(groups) < 3 or max(r) < 3)]
            merged = [(tuple((n, rate * r) for group, r in zip(groups, rs, strict=True) for n, rate in group),)
                      for rs in sorted(rates, key=lambda r: (sum(r), r))]  # fmt: skip
            ways.append(merged if len(groups) > 1 else [groups])
        return islice(product(*ways), MAX_PATHS)

    def _root(self, name: str) -> tuple[str, int]:
        return self.roots.get(name, (name, 1))

    def _grows(self, group: Group, stage: int, place: int) -> str:
        return self._root(group[0][0])[0] if len(group) == 1 else f"t'{stage + 1}{place + 1}"


def _without_extrema(goal: Formula, growing: Collection[str]) -> tuple[Formula, Theorem]:
    """Return a formula without max and min of growing names that implies the goal, and the theorem that it does."""
    made, theorem = goal, kernel.assume(goal)
    for _ in range(MAX_EXTREMA):
        atoms = atoms_in(made)
        found = ((a, m) for a in atoms for m in inside_out(a, ("max", "min")) if variables(m).intersection(growing))
        atom, extremum = next(found, (None, None))
        if atom is None or extremum is None:
            return made, theorem
        same = _apart(atom, extremum)
        if same is None:
            break
        before, made = made, _replaced(made, {atom: same.conclusion[2]})
        step = kernel.propositional(before, [same, kernel.assume(made)])
        theorem = kernel.propositional(goal, [kernel.discharge(theorem, before), step])
    raise Undecided("which argument of a max or min wins in the limit, in <atom>", atom=show(atom))


def _apart(atom: Formula, extremum: Term) -> Theorem | None:
    from roofproof.proofs.asymptotics.extrema import split_extremum

    try:
        return split_extremum(atom, extremum)
    except KernelError:  # it does not occur linearly
        from roofproof.proofs.search import tactics

        first = 1 if extremum[0] == "max" else -1
        ways = [
            _all([*(Formula(">=", *(t, o)[::first]) for o in extremum.parts if o != t), exchanged(atom, {extremum: t})])
            for t in extremum.parts
        ]
        return tactics.prove(Formula("<=>", atom, _any([w] for w in ways)))


def _stage(goal: Formula, growing: Sequence[str], budget: Budget) -> EventualForm:
    atoms = atoms_in(goal)
    moving = [a for a in atoms if variables(a).intersection(growing)]
    if any(a[0] not in (">", "=") for a in moving):
        raise Undecided("integers are not supported in limits")
    cases = {atom: cases_of(atom, growing, budget) for atom in moving}
    holds = {a: _any(c.when for c in found if c.true) for a, found in cases.items()}
    either = {a: where for a, found in cases.items()
              if (where := _any(c.when for c in found if c.true is None)) != ("false",)}  # fmt: skip
    if len(either) > MAX_OPEN:
        raise Undecided("the result depends on the relative growth of too many variables")
    limit_condition = _all(
        _replaced(goal, {a: _any([[holds[a]], [either[a]]]) if a in either and open_[a] else holds[a] for a in moving})
        for ways in product((True, False), repeat=len(either))
        for open_ in [dict(zip(either, ways, strict=True))]
    )
    premises: list[Theorem] = [] if limit_condition == ("true",) else [kernel.assume(limit_condition)]
    bounds: dict[Formula, None] = {}
    met: dict[Formula, None] = {}
    for found in cases.values():
        for case in found:
            met |= dict.fromkeys(case.when)
            if case.theorem is not None:
                if not all(is_lower_bound(f, growing, case.when) for f in case.bounds):
                    raise Undecided("a bound that says more than that names are large")
                theorem, bound = _under(case)
                premises.append(theorem)
                bounds |= dict.fromkeys([bound] if bound else [])
    premises += [kernel.trichotomy(*f[1:]) for f in met if f[0] == "="]
    return EventualForm(goal, limit_condition, tuple(bounds), kernel.propositional(goal, premises))


def _under(case: EventualCase) -> tuple[Theorem, Formula | None]:
    """Return the theorem `when => comparison (or its negation)` under `when => bounds`, and that bound."""
    made = case.theorem
    assert made is not None
    if not case.bounds:
        bound = None
    elif not case.when:
        bound = _all(case.bounds)
        made = kernel.propositional(made.conclusion, [discharged(made, *case.bounds), kernel.assume(bound)])
    else:
        bound = Formula("=>", _all(case.when), _all(case.bounds))
        made = kernel.propositional(
            Formula("=>", _all(case.when), made.conclusion),
            [discharged(made, *case.bounds, *case.when), kernel.assume(bound)],
        )
        return made, bound
    return discharged(made, *case.when), bound


def _any(ways: object) -> Formula:
    parts = list(dict.fromkeys(_all(way) for way in ways))  # type: ignore[attr-defined]
    if ("true",) in parts:
        return Formula("true")
    parts = [p for p in parts if p != ("false",)]
    for equation in [p for p in parts if p[0] == "="]:  # a > b or a = b
        for a, b in (equation[1:], equation[:0:-1]):
            if (">", a, b) in parts:
                parts = [Formula(">=", a, b), *(p for p in parts if p not in (equation, (">", a, b)))]
                break
    return parts[0] if len(parts) == 1 else Formula("or", *parts) if parts else Formula("false")


def _all(formulas: object) -> Formula:
    parts = list(dict.fromkeys(f for f in formulas if f != ("true",)))  # type: ignore[attr-defined]
    if ("false",) in parts:
        return Formula("false")
    return parts[0] if len(parts) == 1 else Formula("and", *parts) if parts else Formula("true")


def _replaced(goal: Formula, table: Mapping[Formula, Formula]) -> Formula:
    """Return a formula with its comparisons replaced and truth values simplified."""
    head, *parts = goal
    if head == ">=" and (flipped := Formula(">", parts[1], parts[0])) in table:
        return _not(table[flipped])
    if goal in table:
        return table[goal]
    if head not in ("not", "and", "or", "=>", "<=>"):
        return goal
    now = [_replaced(p, table) for p in parts]
    if head == "not":
        return _not(now[0])
    if head == "and":
        return _all(now)
    if head == "or":
        return _any([n] for n in now)
    if head == "=>":
        return _any([[_not(now[0])], [now[1]]]) if ("true",) in now or ("false",) in now else Formula("=>", *now)
    a, b = now
    if ("true",) in now or ("false",) in now:
        known, other = (a, b) if a in (("true",), ("false",)) else (b, a)
        return other if known == ("true",) else _not(other)
    return Formula("<=>", a, b)


def _not(f: Formula) -> Formula:
    if f in (("true",), ("false",)):
        return Formula("false") if f == ("true",) else Formula("true")
    if f[0] == "not":
        return f[1]  # type: ignore[no-any-return]
    return Formula(">=", f[2], f[1]) if f[0] == ">" else Formula(">", f[2], f[1]) if f[0] == ">=" else Formula("not", f)
