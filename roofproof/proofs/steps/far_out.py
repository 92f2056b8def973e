"""What a function comes to far out: a maximum or a minimum is one of its parts there."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from roofproof.derive.limits.regime import Group
from roofproof.errors import RoofproofError
from roofproof.proofs.known import ByKernel
from roofproof.proofs.provers.limit_proofs import ProvedLimit, tends
from roofproof.proofs.steps.lines import Relation, Tends
from roofproof.proofs.steps.reasons import stepped
from roofproof.proofs.steps.step import Reason, Step
from roofproof.proofs.translate import to_formula


def towards(groups: tuple[Group, ...]) -> str:
    """Return the regime of a line: what grows.

    >>> towards(((("D", 1), ("F", 1)), (("e", -1),)))
    'D -> oo, F -> oo, e -> 0'
    """
    return ", ".join(f"{name} -> {'oo' if rate > 0 else 0}" for group in groups for name, rate in group)


def settled_lines(proof: ProvedLimit, first: Relation) -> Iterator[Step]:
    """Yield that what a maximum or minimum leaves out is small far out, and the function without it.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.proofs.provers.limit_proofs import prove_limit
    >>> from roofproof.symbols import quantity
    >>> B, E = map(quantity, "BE")
    >>> found = prove_limit(limit(B/sympy.Min(B, E), "B >> E"))
    >>> for step in settled_lines(found, Relation(quantity("I"), "=", found.limit.expr)):
    ...     print(step.line, "by", step.reason.value)
    E/B -> 0 by vanish
    I = B/E by far-out
    """
    far = proof.limit.settled
    if far.roots or far.where == sympy.true:
        raise RoofproofError("what is left of a maximum, a minimum or a root far out is told in one line")
    for small in far.smaller:
        groups = tuple(g for s in small.stages for g in s.groups)
        said = tends(small.expr, small.value, groups)
        if said.trust == ByKernel.trust:
            yield Step(Tends(small.expr, small.value, towards(groups), said.statement.goal), Reason.VANISH, (said,))
    given = (to_formula(far.where),)
    yield stepped(first, Relation(first.left, "=", far.expr), Reason.FAR_OUT, (far.where,), given)
