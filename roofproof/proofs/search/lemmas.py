"""Theorems proved once for all values and instantiated where a maximum, a minimum or a square root occurs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term

MAX_PARTS = 8  # of a maximum: the truth table of its lemma has two atoms a part, and one more
MINUS: Term = ("q", -1, 1)
X, P, S, Q = (("v", n) for n in ("x!", "p!", "s!", "q!"))


def lemmas_for(atoms: Sequence[Formula], squares: Mapping[Term, Term] | None = None) -> Iterator[Theorem]:
    """Yield instances that take comparisons with max, min and p ± sqrt(q) apart; `squares` holds named roots.

    >>> x, a, b = ("v", "x"), ("v", "a"), ("v", "b")
    >>> print(*lemmas_for([(">", x, ("max", a, b))]))
    |- x > max(a, b) <=> (x > a and x > b)
    """
    for atom in atoms:
        if atom[0] != ">":
            continue
        for side, other in ((1, 2), (2, 1)):
            term, rest = atom[side], atom[other]
            if term[0] in ("max", "min") and len(term) <= MAX_PARTS + 1:
                made = _extremum(term[0], len(term) - 1, side)
                values = {"x!": rest} | {f"t{k}!": t for k, t in enumerate(term[1:])}
                yield kernel.instantiate(made, values)
            for root, inside, middle, first in _roots(term, squares or {}):
                values = {"x!": rest, "p!": middle, "s!": root, "q!": inside}
                yield kernel.square(middle)
                for made in (_quadratic(first)[side == 1], _large_root()):
                    yield _discharged(kernel.instantiate(made, values))


def _discharged(theorem: Theorem) -> Theorem:
    for hypothesis in sorted(theorem.hypotheses, key=str):
        theorem = kernel.discharge(theorem, hypothesis)
    return theorem


def _roots(term: Term, squares: Mapping[Term, Term]) -> Iterator[tuple[Term, Term, Term, bool]]:
    """Yield (sqrt(q), q, p, whether the root comes first) for a term p + sqrt(q) or p - sqrt(q)."""
    parts = list(term[1:]) if term[0] == "+" else [term]
    for k, part in enumerate(parts):
        root = part[2] if part[0] == "*" and len(part) == 3 and part[1] == MINUS else part
        if root[0] == "sqrt" or root in squares:
            rest = parts[:k] + parts[k + 1 :]
            inside = squares[root] if root in squares else root[1]
            middle = ZERO if not rest else rest[0] if len(rest) == 1 else ("+", ZERO, *rest)
            yield root, inside, middle, k == 0 and len(parts) == 2


@cache
def _extremum(head: str, count: int, side: int) -> Theorem:
    """`x > max(t...) <=> x > t and ...`, and its three kin."""
    parts = [("v", f"t{k}!") for k in range(count)]
    term = (head, *parts)
    compared = [(">", t, X) if side == 1 else (">", X, t) for t in parts]
    whole: Formula = (">", term, X) if side == 1 else (">", X, term)
    every = (head == "max") == (side == 2)
    meaning = kernel.definition(term)
    bounds: list[Formula] = [(">=", term, t) if head == "max" else (">=", t, term) for t in parts]
    steps = [kernel.propositional(("or", *(("=", term, t) for t in parts)), [meaning])]
    for t, part, said in zip(parts, compared, bounds, strict=True):
        bound = kernel.propositional(said, [meaning])
        # a bound of the extremum carries the comparison over, from the whole to a part or back
        given, goal = (whole, part) if every else (part, whole)
        made = kernel.arith(goal, [kernel.assume(given), bound], [(("q", 1, 1), [0]), (("q", 1, 1), [1])])
        steps.append(kernel.discharge(made, given))
        equal = kernel.assume(("=", term, t))
        given, goal = (part, whole) if every else (whole, part)
        sign = 1 if (goal[1] == term) or (goal[1] == t) else -1
        factor: Term = ("q", sign if goal == whole else -sign, 1)
        made = kernel.arith(goal, [kernel.assume(given), equal], [(("q", 1, 1), [0]), (factor, [1])])
        steps.append(kernel.discharge(kernel.discharge(made, given), equal.conclusion))
    return kernel.propositional(("<=>", whole, ("and" if every else "or", *compared)), steps)


@cache
def _quadratic(first: bool = False) -> tuple[Theorem, Theorem]:
    """`s >= 0, s s = q |- (x > p + s or p - s > x) <=> x x - 2 p x + p p - q > 0`, and the same with >=.

    With s + p and -s + p where the root comes first: a comparison in other words would be one more atom.
    """
    root: list[Formula] = [(">=", S, ZERO), ("=", ("*", S, S), Q)]
    known = [kernel.assume(f) for f in root]
    plus: Term = ("+", S, P) if first else ("+", P, S)
    less: Term = ("+", ("*", MINUS, S), P) if first else ("+", P, ("*", MINUS, S))
    poly: Term = ("+", ("*", X, X), ("*", ("q", -2, 1), P, X), ("*", P, P), ("*", MINUS, Q))
    one: Term = ("q", 1, 1)
    made = []
    for strict, loose in ((">", ">="), (">=", ">")):
        right: Formula = (strict, X, plus)
        left: Formula = (strict, less, X)
        goal: Formula = (strict, poly, ZERO)
        steps = []
        for given in (right, left):  # h h + 2 s h = (x - p)^2 - s s for h = x - p - s or p - s - x
            theorem = kernel.arith(
                goal, [kernel.assume(given), *known], [(one, [0, 0]), (("q", 2, 1), [1, 0]), (one, [2])]
            )
            steps.append(kernel.discharge(theorem, given))
        denied: list[Formula] = [(loose, plus, X), (loose, X, less)]
        theorem = kernel.arith(  # (p + s - x)(x - p + s) = s s - (x - p)^2
            ("false",),
            [kernel.assume(goal), *map(kernel.assume, denied), *known],
            [(one, [0]), (one, [1, 2]), (MINUS, [4])],
        )
        for f in (goal, *denied):
            theorem = kernel.discharge(theorem, f)
        made.append(kernel.propositional(("<=>", ("or", right, left), goal), [*steps, theorem]))
    return made[0], made[1]


def integer_bound(x: Term, t: Term) -> Theorem:
    """Return `int(x) |- x > t <=> x >= floor(t) + 1`: over the integers a strict bound moves up.

    >>> integer_bound(("v", "x"), ("v", "t"))
    int(x) |- x > t <=> x >= floor(t) + 1
    """
    one: Term = ("q", 1, 1)
    low: Term = ("floor", t)
    whole = kernel.assume(("int", x))
    meaning = kernel.definition(low)
    below = kernel.propositional((">=", t, low), [meaning])
    over = kernel.propositional((">", ("+", low, one), t), [meaning])
    floor_is_whole = kernel.propositional(("int", low), [meaning])
    strict: Formula = (">", x, t)
    moved: Formula = (">=", x, ("+", low, one))
    past = kernel.arith((">", x, low), [kernel.assume(strict), below], [(one, [0]), (one, [1])])
    difference: Term = ("+", x, ("*", MINUS, low))
    forward = kernel.gap(past, kernel.integral(difference, [whole, floor_is_whole]))
    back = kernel.arith(strict, [kernel.assume(moved), over], [(one, [0]), (one, [1])])
    steps = [kernel.discharge(forward, strict), kernel.discharge(back, moved)]
    return kernel.propositional(("<=>", strict, moved), steps)


def positive_root(root: Term, inside: Theorem) -> Theorem:
    """Return `sqrt(q) > 0` from a theorem of `q > 0`."""
    made = kernel.instantiate(_positive_root(), {"s!": root, "q!": root[1]})
    premises = [_discharged(made), kernel.definition(root), inside]
    names = sorted(h[1][1] for h in inside.hypotheses if h[0] == ">" and h[1][0] == "v" and h[2] == ZERO)
    loose = kernel.arith((">=", root[1], ZERO), [inside], [(("q", 1, 1), [0])], names)
    return kernel.propositional((">", root, ZERO), [*premises, loose])


@cache
def _positive_root() -> Theorem:
    """`s >= 0, s s = q, q > 0 |- s > 0`."""
    given: list[Formula] = [(">=", S, ZERO), ("=", ("*", S, S), Q), (">", Q, ZERO)]
    denied: Formula = (">=", ZERO, S)
    one: Term = ("q", 1, 1)
    theorem = kernel.arith(  # (-s) s + (s s - q) + q = 0
        ("false",), [kernel.assume(denied), *map(kernel.assume, given)], [(one, [0, 1]), (one, [2]), (one, [3])]
    )
    return kernel.propositional((">", S, ZERO), [kernel.discharge(theorem, denied)])


@cache
def _large_root() -> Theorem:
    """`s >= 0, s s = q, q > p p |- s > p`."""
    given: list[Formula] = [(">=", S, ZERO), ("=", ("*", S, S), Q), (">", Q, ("*", P, P))]
    denied: Formula = (">=", P, S)
    one: Term = ("q", 1, 1)
    theorem = kernel.arith(  # (p - s)^2 + 2 s (p - s) = p p - s s
        ("false",),
        [kernel.assume(denied), *map(kernel.assume, given)],
        [(one, [0, 0]), (("q", 2, 1), [1, 0]), (one, [2]), (one, [3])],
    )
    return kernel.propositional((">", S, P), [kernel.discharge(theorem, denied)])
