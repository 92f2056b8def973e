"""Theorems about a whole maximum or minimum from theorems about its arguments."""

from collections.abc import Sequence

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.search.lemmas import MINUS, ONE, implied


def maximum_is(top: Term, v: Term, lemmas: Sequence[Theorem]) -> Theorem:
    """Return `max(t, ...) = v` from `t = v` for one of the t, and `t = v` or `v >= t` for the others.

    Raises KernelError where the lemmas do not say that.
    """
    steps = [*lemmas, kernel.definition(top), kernel.trichotomy(top, v)]
    u, w, z = (("v", n) for n in ("u!", "v!", "w!"))
    for given, goal, sign in (
        ([(">=", u, w), ("=", w, z)], (">=", u, z), 1),  # max >= t = v
        ([("=", u, w), ("=", w, z)], (">=", z, u), -1),  # max = t = v
        ([("=", u, w), (">=", z, w)], (">=", z, u), 0),  # max = t <= v
    ):
        made = implied(given, goal, [(("q", sign or -1, 1), [0]), (("q", sign or 1, 1), [1])])
        steps += [kernel.instantiate(made, {"u!": top, "v!": t, "w!": v}) for t in top[1:]]
    return kernel.propositional(("=", top, v), steps)


def extremum_rises(more: Term, less: Term, lemmas: Sequence[Theorem], relation: str) -> Theorem:
    """Return `max(s, ...) > max(t, ...)` from `s > t` for each pair of arguments; the same for min and for >=.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> lemmas = [kernel.assume((">", x, y)), kernel.assume((">", ("q", 2, 1), ("q", 1, 1)))]
    >>> extremum_rises(("max", x, ("q", 2, 1)), ("max", y, ("q", 1, 1)), lemmas, ">")
    2 > 1, x > y |- max(x, 2) > max(y, 1)

    Raises KernelError where the lemmas do not say that.
    """
    p, q, r, s = (("v", n) for n in ("p!", "q!", "r!", "s!"))
    if more[0] == "max":  # max(s) >= s_k > t_k = max(t) for some k
        given: list[Formula] = [(">=", p, q), (relation, q, r), ("=", s, r)]
        weights = [(ONE, [0]), (ONE, [1]), (MINUS, [2])]
    else:  # min(s) = s_k > t_k >= min(t) for some k
        given = [("=", p, q), (relation, q, r), (">=", r, s)]
        weights = [(ONE, [0]), (ONE, [1]), (ONE, [2])]
    made = implied(given, (relation, p, s), weights)
    chains = [
        kernel.instantiate(made, {"p!": more, "q!": u, "r!": v, "s!": less})
        for u, v in zip(more[1:], less[1:], strict=True)
    ]
    return kernel.propositional(
        (relation, more, less), [*lemmas, *chains, kernel.definition(more), kernel.definition(less)]
    )
