"""General theorems, instantiated for each maximum, minimum or square root that occurs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

from roofproof.proofs.assumptions import MINUS, ONE, TWO
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, variables

MAX_PARTS = 8  # limit of parts of a maximum: the truth table of its lemma has two atoms per part, and one more
X, P, S, Q, U, V = (Term("v", n) for n in ("x!", "p!", "s!", "q!", "u!", "v!"))
ROOT: tuple[Formula, Formula] = (Formula(">=", S, ZERO), Formula("=", Term("*", S, S), Q))  # the meaning of s = sqrt(q)


def discharged(theorem: Theorem, *formulas: Formula) -> Theorem:
    """Return a theorem with some of its hypotheses moved into its conclusion as premises.

    >>> a = Formula(">", Term("v", "x"), Term("q", 1, 1))
    >>> print(discharged(kernel.assume(a), a))
    |- x > 1 => x > 1
    """
    for f in formulas:
        theorem = kernel.discharge(theorem, f)
    return theorem


def cut(theorem: Theorem, facts: Sequence[Theorem]) -> Theorem:
    """Return a theorem without the hypotheses that the facts prove."""
    used = [fact for fact in facts if fact.conclusion in theorem.hypotheses]
    made = theorem
    for fact in used:
        made = kernel.discharge(made, fact.conclusion)
    return kernel.propositional(theorem.conclusion, [made, *used]) if used else theorem


def implied(
    given: Sequence[Formula],
    goal: Formula,
    certificate: Sequence[tuple[Term, Sequence[int]]],
    facts: Sequence[Theorem] = (),
) -> Theorem:
    """Prove that some comparisons together imply another, by a sum of products of these comparisons and of facts.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> implied([(">", x, y), (">", y, ONE)], (">", x, ONE), [(ONE, [0]), (ONE, [1])])           # (x - y) + (y - 1)
    |- x > y => (y > 1 => x > 1)
    """
    theorem = kernel.arith(goal, [*map(kernel.assume, given), *facts], certificate)
    for f in reversed(given):
        theorem = kernel.discharge(theorem, f)
    return theorem


@cache
def trichotomy_exclusions() -> tuple[Theorem, ...]:
    """Prove that no two of u > v, u = v and v > u hold together.

    >>> print(*trichotomy_exclusions(), sep="; ")
    |- u! > v! => (v! > u! => false); |- u! > v! => (u! = v! => false); |- v! > u! => (u! = v! => false)
    """
    more, equal, less = Formula(">", U, V), Formula("=", U, V), Formula(">", V, U)
    ways = (more, less, ONE), (more, equal, MINUS), (less, equal, ONE)
    return tuple(implied([f, g], Formula("false"), [(ONE, [0]), (weight, [1])]) for f, g, weight in ways)


def one_of_three(u: Term, v: Term) -> list[Theorem]:
    """Prove that exactly one of u > v, u = v and v > u holds.

    >>> one_of_three(X, ONE)[0]
    |- x! > 1 or x! = 1 or 1 > x!
    """
    return [kernel.trichotomy(u, v), *(kernel.instantiate(t, {"u!": u, "v!": v}) for t in trichotomy_exclusions())]


def order_kept(u: Term, v: Term, up: Theorem, down: Theorem, level: Theorem) -> list[Theorem]:
    """Return lemmas that two terms compare as u and v do, from one theorem each for u > v, v > u and u = v.

    >>> u, v, twice = Term("v", "u"), Term("v", "v"), lambda t: Term("*", TWO, t)
    >>> given = [kernel.assume(f) for f in (Formula(">", u, v), Formula(">", v, u), Formula("=", u, v))]
    >>> turns = [(g.conclusion[0], [twice(t) for t in g.conclusion[1:]], g) for g in given]
    >>> known = [kernel.arith(Formula(r, *sides), [g], [(TWO, [0])]) for r, sides, g in turns]
    >>> kernel.propositional(Formula("<=>", Formula(">", twice(u), twice(v)), Formula(">", u, v)),
    ...                      order_kept(u, v, *known))
    |- 2*u > 2*v <=> u > v
    """
    given = Formula(">", u, v), Formula(">", v, u), Formula("=", u, v)
    ways = [kernel.discharge(theorem, f) for theorem, f in zip((up, down, level), given, strict=True)]
    return [*ways, *one_of_three(u, v), *one_of_three(*up.conclusion[1:])]


def lemmas_for(atoms: Sequence[Formula], squares: Mapping[Term, Term] | None = None) -> Iterator[Theorem]:
    """Yield theorems that split comparisons with max, min and p ± sqrt(q). `squares` maps named roots to radicands.

    >>> x, a, b = Term("v", "x"), Term("v", "a"), Term("v", "b")
    >>> print(*lemmas_for([Formula(">", x, Term("max", a, b))]))
    |- x > max(a, b) <=> (x > a and x > b)
    """
    for atom in atoms:
        if atom[0] != ">":
            continue
        for side, other in ((1, 2), (2, 1)):
            term, rest = atom[side], atom[other]
            if term[0] in ("max", "min") and len(term) <= MAX_PARTS + 1:
                values = {"x!": rest} | {f"t{k}!": t for k, t in enumerate(term[1:])}
                yield kernel.instantiate(_extremum(term[0], len(term) - 1, side), values)
            for root, inside, middle, first in _roots(term, squares or {}):
                values = {"x!": rest, "p!": middle, "s!": root, "q!": inside}
                yield kernel.square(middle)
                yield kernel.instantiate(_quadratic(first)[side == 1], values)
                yield kernel.instantiate(_large_root(), values)


def _roots(term: Term, squares: Mapping[Term, Term]) -> Iterator[tuple[Term, Term, Term, bool]]:
    """Yield (sqrt(q), q, p, root comes first) for a term p + sqrt(q) or p - sqrt(q)."""
    parts = list(term[1:]) if term[0] == "+" else [term]
    for k, part in enumerate(parts):
        root = part[2] if part[0] == "*" and len(part) == 3 and part[1] == MINUS else part
        if root[0] == "sqrt" or root in squares:
            rest = parts[:k] + parts[k + 1 :]
            inside = squares[root] if root in squares else root[1]
            middle = ZERO if not rest else rest[0] if len(rest) == 1 else Term("+", ZERO, *rest)
            yield root, inside, middle, k == 0 and len(parts) == 2


@cache
def _extremum(head: str, count: int, side: int) -> Theorem:
    """Prove `x > max(t...) <=> x > t and ...`, or the same for min or with the sides swapped."""
    parts = [Term("v", f"t{k}!") for k in range(count)]
    term = Term(head, *parts)
    compared = [Formula(">", t, X) if side == 1 else Formula(">", X, t) for t in parts]
    whole: Formula = Formula(">", term, X) if side == 1 else Formula(">", X, term)
    every = (head == "max") == (side == 2)
    turn = ONE if (side == 1) == every else MINUS
    meaning = kernel.definition(term)
    steps = [kernel.propositional(Formula("or", *(Formula("=", term, t) for t in parts)), [meaning])]
    for t, part in zip(parts, compared, strict=True):
        bound = kernel.propositional(Formula(">=", term, t) if head == "max" else Formula(">=", t, term), [meaning])
        onward, back = (whole, part) if every else (part, whole)  # proved by the bound and by an equation
        steps.append(implied([onward], back, [(ONE, [0]), (ONE, [1])], [bound]))
        steps.append(implied([back, Formula("=", term, t)], onward, [(ONE, [0]), (turn, [1])]))
    return kernel.propositional(Formula("<=>", whole, Formula("and" if every else "or", *compared)), steps)


@cache
def _quadratic(first: bool = False) -> tuple[Theorem, Theorem]:
    """Prove for `s >= 0, s s = q` that `(x > p + s or p - s > x) <=> x x - 2 p x + p p - q > 0`, and the same with >=.

    If the root comes first, the sums are written s + p and -s + p. Another form would be one more atom.
    """
    plus: Term = Term("+", S, P) if first else Term("+", P, S)
    less: Term = Term("+", Term("*", MINUS, S), P) if first else Term("+", P, Term("*", MINUS, S))
    poly = Term("+", Term("*", X, X), Term("*", Term("q", -2, 1), P, X), Term("*", P, P), Term("*", MINUS, Q))
    made = []
    for strict, loose in ((">", ">="), (">=", ">")):
        sides: list[Formula] = [Formula(strict, X, plus), Formula(strict, less, X)]
        goal: Formula = Formula(strict, poly, ZERO)
        # h h + 2 s h = (x - p)^2 - s s for h = x - p - s or p - s - x
        steps = [implied([h, *ROOT], goal, [(ONE, [0, 0]), (TWO, [1, 0]), (ONE, [2])]) for h in sides]
        denied: list[Formula] = [goal, Formula(loose, plus, X), Formula(loose, X, less), *ROOT]
        # (p + s - x)(x - p + s) = s s - (x - p)^2
        steps.append(implied(denied, Formula("false"), [(ONE, [0]), (ONE, [1, 2]), (MINUS, [4])]))
        same = Formula("<=>", Formula("or", *sides), goal)
        made.append(kernel.propositional(Formula("=>", Formula("and", *ROOT), same), steps))
    return made[0], made[1]


@cache
def _large_root() -> Theorem:
    """Prove that `s >= 0, s s = q, q > p p` and `p >= s` contradict each other."""
    denied: list[Formula] = [Formula(">=", P, S), *ROOT, Formula(">", Q, Term("*", P, P))]
    # (p - s)^2 + 2 s (p - s) = p p - s s
    return implied(denied, Formula("false"), [(ONE, [0, 0]), (TWO, [1, 0]), (ONE, [2]), (ONE, [3])])


def root_facts(root: Term, inside: Theorem) -> tuple[Theorem, Theorem]:
    """Return `r > 0` and `r*r = q` for r = sqrt(q), from a theorem of `q > 0`.

    >>> root_facts(Term("sqrt", Term("v", "x")), kernel.arith(Formula(">", Term("v", "x"), ZERO), positive=["x"]))
    (x > 0 |- sqrt(x) > 0, x > 0 |- sqrt(x)*sqrt(x) = x)
    """
    loose, positive = (kernel.instantiate(t, {"s!": root, "q!": root[1]}) for t in _positive_root())
    under = cut(loose, [inside])
    squared, least = (
        kernel.propositional(f, [kernel.definition(root), under])
        for f in (Formula("=", Term("*", root, root), root[1]), Formula(">=", root, ZERO))
    )
    return cut(positive, [least, squared, inside]), squared


@cache
def _positive_root() -> tuple[Theorem, Theorem]:
    """Prove that q > 0 implies q >= 0, and that s >= 0 with s s = q > 0 is positive. q is a name, not a quotient."""
    above = kernel.assume(Formula(">", Q, ZERO))
    loose = kernel.arith(Formula(">=", Q, ZERO), [above], [(ONE, [0])])
    denied = Formula(">=", ZERO, S)
    facts = [kernel.assume(denied), *map(kernel.assume, ROOT), above]
    # (-s) s + (s s - q) + q = 0
    false = kernel.arith(Formula("false"), facts, [(ONE, [0, 1]), (ONE, [2]), (ONE, [3])])
    return loose, kernel.propositional(Formula(">", S, ZERO), [kernel.discharge(false, denied), *facts[1:]])


def maximum_is(top: Term, v: Term, lemmas: Sequence[Theorem]) -> Theorem:
    """Return `max(t, ...) = v` from `t = v` for one of the t, and `t = v` or `v >= t` for the others.

    Raises KernelError if the lemmas do not imply it.
    """
    steps = [*lemmas, kernel.definition(top), kernel.trichotomy(top, v)]
    u, w, z = (Term("v", n) for n in ("u!", "v!", "w!"))
    for given, goal, sign in (
        ([Formula(">=", u, w), Formula("=", w, z)], Formula(">=", u, z), 1),  # max >= t = v
        ([Formula("=", u, w), Formula("=", w, z)], Formula(">=", z, u), -1),  # max = t = v
        ([Formula("=", u, w), Formula(">=", z, w)], Formula(">=", z, u), 0),  # max = t <= v
    ):
        made = implied(given, goal, [(Term("q", sign or -1, 1), [0]), (Term("q", sign or 1, 1), [1])])
        steps += [kernel.instantiate(made, {"u!": top, "v!": t, "w!": v}) for t in top[1:]]
    return kernel.propositional(Formula("=", top, v), steps)


def extremum_rises(more: Term, less: Term, lemmas: Sequence[Theorem], relation: str) -> Theorem:
    """Return `max(s, ...) > max(t, ...)` from `s > t` for each pair of arguments, and the same for min and >=.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> lemmas = [kernel.assume(Formula(">", x, y)), kernel.assume(Formula(">", Term("q", 2, 1), Term("q", 1, 1)))]
    >>> extremum_rises(Term("max", x, Term("q", 2, 1)), Term("max", y, Term("q", 1, 1)), lemmas, ">")
    2 > 1, x > y |- max(x, 2) > max(y, 1)

    Raises KernelError if the lemmas do not imply it.
    """
    p, q, r, s = (Term("v", n) for n in ("p!", "q!", "r!", "s!"))
    if more[0] == "max":  # max(s) >= s_k > t_k = max(t) for some k
        given: list[Formula] = [Formula(">=", p, q), Formula(relation, q, r), Formula("=", s, r)]
        weights = [(ONE, [0]), (ONE, [1]), (MINUS, [2])]
    else:  # min(s) = s_k > t_k >= min(t) for some k
        given = [Formula("=", p, q), Formula(relation, q, r), Formula(">=", r, s)]
        weights = [(ONE, [0]), (ONE, [1]), (ONE, [2])]
    made = implied(given, Formula(relation, p, s), weights)
    chains = [
        kernel.instantiate(made, {"p!": more, "q!": u, "r!": v, "s!": less})
        for u, v in zip(more[1:], less[1:], strict=True)
    ]
    return kernel.propositional(
        Formula(relation, more, less), [*lemmas, *chains, kernel.definition(more), kernel.definition(less)]
    )


# --- equal maxima, part by part ---------------------------------------------------------------------------------------

Links = tuple[int, ...]  # for each part of one side, the part of the other side that bounds it


def by_parts(goal: Formula) -> Theorem | None:
    """Prove that two maxima, or two minima, are equal for positive names, or return None. One side may be one part.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> by_parts(Formula("=", Term("max", a, Term("*", Term("q", 2, 1), a), b), Term("max", b, Term("+", a, a))))
    a > 0, b > 0 |- max(a, 2*a, b) = max(b, a + a)

    The parts are compared only by their coefficients, so no search is needed.
    """
    kind = next((side[0] for side in goal[1:] if side[0] in ("max", "min")), None)
    if goal[0] != "=" or kind is None:
        return None
    left, right = (_parts(side, kind) for side in goal[1:])
    there = [_bounding(a, right, kind) for a in left]
    back = [_bounding(b, left, kind) for b in right]
    if None in there or None in back:
        return None
    said = [found for found in (*there, *back) if found is not None]
    names = [Term("v", f"{letter}{k}") for letter, parts in (("a", left), ("b", right)) for k in range(len(parts))]
    values = dict(zip((n for _, n in names), (*left, *right), strict=True))
    links = tuple(k for k, _ in said)
    several = left != goal[1:2], right != goal[2:]
    try:
        schema = _schema(kind, links[: len(left)], links[len(left) :], several)
        return kernel.propositional(goal, [kernel.instantiate(schema, values), *(t for _, t in said)])
    except KernelError:  # too many parts for one truth table
        return None


def _parts(side: Term, kind: str) -> tuple[Term, ...]:
    return tuple(side[1:]) if side[0] == kind else (side,)


def _bounding(part: Term, others: Sequence[Term], kind: str) -> tuple[int, Theorem] | None:
    """Return the index of another part that is at least `part` (at most, for a minimum), and the theorem."""
    for k, other in enumerate(others):
        goal = _bound(part, other, kind)
        with suppress(KernelError):
            return k, kernel.arith(goal, positive=sorted(variables(goal)))
    return None


def _bound(part: Term, other: Term, kind: str) -> Formula:
    return Formula(">=", other, part) if kind == "max" else Formula(">=", part, other)


@cache
def _schema(kind: str, there: Links, back: Links, several: tuple[bool, bool]) -> Theorem:
    """Prove `b_k >= a_i and ... => max(a...) = max(b...)` for all values of the names."""
    parts = [
        tuple(Term("v", f"{letter}{k}") for k in range(len(links))) for letter, links in (("a", there), ("b", back))
    ]
    sides: list[Term] = [Term(kind, *p) if many else p[0] for p, many in zip(parts, several, strict=True)]
    halves: list[Theorem] = []
    bounds: list[Formula] = []
    for i, links in enumerate((there, back)):
        one, other, beyond = sides[i], sides[1 - i], parts[1 - i]
        known = [kernel.definition(t) for t, many in zip(sides, several, strict=True) if many]
        given = [_bound(part, beyond[k], kind) for part, k in zip(parts[i], links, strict=True)]
        farther: Formula = Formula(">", one, other) if kind == "max" else Formula(">", other, one)
        for part, bound, k in zip(parts[i], given, links, strict=True):  # one = part, bounded by beyond[k], by other
            chain = [*[Formula("=", one, part)] * several[i], *[_bound(beyond[k], other, kind)] * several[1 - i]]
            known.append(_contradiction([bound, *chain, farther], kind))
        halves.append(kernel.propositional(Formula("=>", Formula("and", *given), Formula("not", farther)), known))
        bounds += given
    return kernel.propositional(
        Formula("=>", Formula("and", *bounds), Formula("=", *sides)), [kernel.trichotomy(*sides), *halves]
    )


def _contradiction(facts: Sequence[Formula], kind: str) -> Theorem:
    """Prove that a cycle of comparisons, each starting at the end of another, is contradictory."""
    equation = Term("q", -1 if kind == "max" else 1, 1)
    weights = [(equation if f[0] == "=" else Term("q", 1, 1), [k]) for k, f in enumerate(facts)]
    found = kernel.arith(Formula("false"), [kernel.assume(f) for f in facts], weights)
    for f in facts:
        found = kernel.discharge(found, f)
    return found
