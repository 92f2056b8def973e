"""How far the bounds of a time lie apart: the maximum of k times, and their sum, which is at most k times that."""

from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term

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
    goal: Formula = (">=", total, largest)
    cases = []
    for i, t in enumerate(times):
        equal: Formula = ("=", largest, t)
        rest: Term = ("+", *times[:i], *times[i + 1 :], ("q", 0, 1))
        certificate = [(rest, []), (("q", -1, 1), [0])]  # sum - max = (the others) - (max - t)
        cases.append(kernel.discharge(kernel.arith(goal, [kernel.assume(equal)], certificate, names), equal))
    return kernel.propositional(goal, [meaning, *cases]), most
