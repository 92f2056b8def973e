"""The rule of thumb for a threshold: the eventual form of the whole condition in a regime.

The limit of one intensity ignores the other memory levels and links. So the rule is derived from the condition itself,
with every compute unit, memory level and link. It counts only if it is proved equivalent for large sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Cases, bounds, plain_threshold
from roofproof.derive.limits.regime import Regime
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.proofs.asymptotics.decide import Growth
from roofproof.proofs.kernel.terms import Formula, variables
from roofproof.proofs.known import ByKernel, ByOracle, Known, weakest
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import certify, drop_infeasible
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined, to_condition, to_formula

FACTOR = 2  # by which a rule may miss the exact threshold at the given sizes


def rule_of_thumb(
    condition: Boolean, unknown: sympy.Symbol, regime: Regime, assume: Sequence[Boolean] = ()
) -> tuple[Cases, tuple[Known, ...]] | None:
    """Return the threshold of a condition in a regime, with its proof, or None if none is proved.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, F, R, S = *map(dimension, "BDF"), quantity("R"), quantity("S")
    >>> both = sympy.And(D*B*F/(B*D + D*F + 4*B*F) > R, D/6 > S)          # D/4 in the limit, and the link needs 6 S
    >>> print(rule_of_thumb(both, D, Regime("B, F >> D"))[0])
    D > max(4*R, 6*S)

    `assume` are known conditions, of which only those on sizes that do not grow are used.
    """
    growth = Growth(regime)
    try:
        whole = formula_if_defined(condition)
        limit_condition = to_condition(growth.eventually(whole).limit_condition)
        given = [a for a in assume if not {s.name for s in a.free_symbols} & {*regime.growing, unknown.name}]
        cases = drop_infeasible(solve(limit_condition, unknown, given), given)
        said = Formula(
            "or", *(Formula("and", to_formula(c.when), to_formula(c.threshold.holds(unknown))) for c in cases)
        )
        far = growth.eventually(Formula("<=>", whole, said))
        about = tuple(f for f in map(to_formula, given) if variables(f) <= variables(far.limit_condition))
        known = [prove_statement(Statement("", about, far.limit_condition, "rule"))]
        if far.goal != far.limit_condition:
            hypotheses = tuple(f for f in (far.limit_condition, *far.bounds) if f != ("true",))
            says = f"in the regime {regime.text}: {'; '.join(plain_threshold(unknown, c.threshold) for c in cases)}"
            known.append(Known(Statement(says, hypotheses, far.goal, "rule"), ByKernel(far.theorem)))
        known += certify(limit_condition, cases, given)
    except RoofproofError:
        return None
    return (cases, tuple(known)) if weakest(known) in (ByKernel.trust, ByOracle.trust) else None


def worth_saying(rule: Cases, regime: Regime, exact: Cases, sizes: Mapping[str, int | sympy.Expr]) -> bool:
    """Return whether a rule that nobody asked for is useful: it is short and does not mislead at the given sizes.

    A short rule has at most one condition. If the unknown itself grows, the rule must have no condition.
    """
    if not is_short(rule) or (len(rule) > 1 and rule.unknown.name in regime.growing):
        return False
    return not misleads(rule, exact, sizes)


def is_short(rule: Cases) -> bool:
    """Return whether an answer has at most one condition."""
    return len(rule) <= 2 and not any(case.when.has(sympy.Or) for case in rule)


def misleads(rule: Cases, exact: Cases, sizes: Mapping[str, int | sympy.Expr]) -> bool:
    """Return whether a rule differs from the exact answer at some sizes: in kind, or by a factor of 2 or more.

    >>> from roofproof.derive.inequalities.cases import Above, Case, Never
    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> rule, exact = (Cases(B, (Case(sympy.true, Above(bound)),)) for bound in (sympy.Integer(240), 240*D/(D - 240)))
    >>> [misleads(rule, exact, {"D": size}) for size in (4096, 360)]        # 254.9 and 720
    [False, True]
    >>> misleads(rule, Cases(B, (Case(sympy.true, Never()),)), {})
    True

    Returns False unless every name in both has a value.
    """
    if {s.name for cases in (rule, exact) for case in cases for s in case.symbols} - {rule.unknown.name, *sizes}:
        return False
    said, true = rule.at(sizes), exact.at(sizes)
    if said.kind != true.kind:
        return True
    pairs = list(zip(bounds(said), bounds(true), strict=False))
    return len(bounds(said)) != len(bounds(true)) or not all(
        (b < FACTOR * a and a < FACTOR * b) or a == b for a, b in pairs
    )
