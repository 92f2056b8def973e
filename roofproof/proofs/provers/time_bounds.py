"""How far the bounds of a time lie apart: the maximum of k times, and their sum, which is at most k times that."""

from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Term
from roofproof.proofs.search.lemmas import lemmas_for

MAX_RESOURCES = 8


def overlap_bounds(k: int) -> tuple[Theorem, Theorem]:
    """Return that the sum of k positive times is at least their maximum, and at most k times it.

    >>> least, most = overlap_bounds(2)
    >>> least
    T1 > 0, T2 > 0 |- T1 + T2 >= max(T1, T2)
    >>> most                                           # 2 max - T1 - T2 = (max - T1) + (max - T2)
    |- 2*max(T1, T2) >= T1 + T2

    Raises RoofproofError for k below 1 and above 8.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_RESOURCES:
        raise RoofproofError(f"{k} times: a number from 1 to {MAX_RESOURCES} is due")
    names = [f"T{i}" for i in range(1, k + 1)]
    times: list[Term] = [("v", n) for n in names]
    largest: Term = ("max", *times)
    total: Term = ("+", *times)
    one: Term = ("q", 1, 1)
    meaning = kernel.definition(largest)
    above = [kernel.propositional((">=", largest, t), [meaning]) for t in times]
    most = kernel.arith((">=", ("*", ("q", k, 1), largest), total), above, [(one, [i]) for i in range(k)])
    each = [kernel.arith((">=", total, t), positive=names) for t in times]  # the others are positive
    return kernel.propositional((">=", total, largest), [*lemmas_for([(">", largest, total)]), *each]), most
