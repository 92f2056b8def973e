"""The rule of thumb for a threshold: what the whole condition comes to far out in a regime, over all its comparisons.

A limit of one intensity alone says nothing of the other channels. So the rule is taken from the condition itself, with
every engine, channel and link in it, and it is a rule only if it is proved to be the same far out.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Cases, plain_threshold
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, variables
from roofproof.proofs.known import ByKernel, ByOracle, Known, weakest
from roofproof.proofs.provers.far_out_formulas import far_formula
from roofproof.proofs.provers.far_out_regime import Growth
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import certify, wanted, without_impossible
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_condition, to_formula


def rule_of_thumb(
    condition: Boolean, unknown: sympy.Symbol, regime: Regime, assume: Sequence[Boolean] = ()
) -> tuple[Cases, tuple[Known, ...]] | None:
    """Return the threshold that a condition comes to in a regime, with its proof; None where none is proved.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, F, R, S = *map(dimension, "BDF"), quantity("R"), quantity("S")
    >>> both = sympy.And(D*B*F/(B*D + D*F + 4*B*F) > R, D/6 > S)          # D/4 in the limit, and the link needs 6 S
    >>> print(rule_of_thumb(both, D, Regime("B, F >> D"))[0])
    D > Max(4*R, 6*S)

    `assume` is what the sizes that do not grow are known to meet.
    """
    growth = Growth(regime)
    stages, names = regime.stages, growth.names(regime.stages)
    try:
        whole = wanted(condition)
        stays = to_condition(far_formula(growth.put(whole, stages), names).stays)
        given = [a for a in assume if not {s.name for s in a.free_symbols} & {*regime.growing, unknown.name}]
        cases = without_impossible(solve(stays, unknown, given), given)
        said: Formula = ("or", *(("and", to_formula(c.when), to_formula(c.threshold.holds(unknown))) for c in cases))
        far = far_formula(growth.put(("<=>", whole, said), stages), names)
        about = tuple(f for f in map(to_formula, given) if variables(f) <= variables(far.stays))
        known = [prove_statement(Statement("", about, far.stays, "rule"))]
        if far.goal != far.stays:
            hypotheses = tuple(f for f in (far.stays, *far.bounds) if f != ("true",))
            says = f"in the regime {regime.text}: {'; '.join(plain_threshold(unknown, c.threshold) for c in cases)}"
            known.append(Known(Statement(says, hypotheses, far.goal, "rule"), ByKernel(far.theorem)))
        known += certify(stays, cases, given)
    except RoofproofError:
        return None
    return (cases, tuple(known)) if weakest(known) in (ByKernel.trust, ByOracle.trust) else None
