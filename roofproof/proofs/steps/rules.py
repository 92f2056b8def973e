"""Why a line follows from what its reason claims: one small theorem a reason, proved with letters, used for terms.

That a line follows takes no search then: the claims are put together, however long the terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus
from roofproof.proofs.search.lemmas import ONE, TWICE, cut
from roofproof.proofs.steps.lines import Line, Relation, bare
from roofproof.proofs.steps.step import Reason, claims
from roofproof.proofs.translate import with_functions
from roofproof.symbols import quantity

# One line is the other, times the claim with this number where there is one, plus claims with these signs: each line
# is read as `p > 0`, a claim `a = b` as `a - b`. True where it is the line before that is given by the one after.
SUMS: dict[Reason, tuple[bool, int | None, tuple[tuple[int, int], ...]]] = {
    Reason.TIMES: (False, 0, ((1, 1), (-1, 2))),
    Reason.DIVIDE: (True, 0, ((1, 1), (-1, 2))),
    Reason.TURN: (True, 0, ((1, 1), (-1, 2))),
    Reason.COLLECT: (False, None, ((1, 0),)),
    Reason.ADD: (False, None, ((1, 0), (-1, 1))),
    Reason.SQUARE: (False, None, ((1, 0), (-1, 1))),
    Reason.ROOT: (True, 3, ((-1, 0), (1, 1))),
}
LETTERS = ("l!", "r!", "a!", "b!", "w!")  # the sides before and after, and what the reason names


@cache
def rule(reason: Reason, old: str, new: str) -> Theorem:
    """Prove that lines with these signs say the same, where the reason's claims hold; all in letters.

    >>> theorem = rule(Reason.TIMES, ">", ">")
    >>> theorem.conclusion
    ('<=>', ('>', ('v', 'l!'), ('v', 'r!')), ('>', ('v', 'a!'), ('v', 'b!')))
    >>> len(theorem.hypotheses)                                         # w > 0, a = w l, b = w r
    3
    """
    left, right, new_left, new_right, by = map(quantity, LETTERS)
    before, after = Relation(left, old, right), Relation(new_left, new, new_right)
    said = [kernel.assume(claim) for claim in claims(reason, before, after, (by,))]
    turned, factor, sums = SUMS[reason]
    main, target = (after.formula, before.formula) if turned else (before.formula, after.formula)
    flip = 1 if old in (">", ">=") or reason is Reason.ROOT else -1
    of = [] if factor is None else [factor + 1]
    onward = [(ONE, [0, *of]), *((Term("q", flip * s, 1), [n + 1]) for s, n in sums)]
    forth = kernel.discharge(kernel.arith(target, [kernel.assume(main), *said], onward), main)
    denied = Formula(">=" if main[0] == ">" else ">", main[2], main[1])
    last = len(said) + 1
    back = [(ONE, [0, *of]), (ONE, [last]), *((Term("q", -flip * s, 1), [n + 1]) for s, n in sums)]
    false = kernel.arith(Formula("false"), [kernel.assume(denied), *said, kernel.assume(target)], back)
    steps = [forth, kernel.discharge(kernel.discharge(false, denied), target)]
    return kernel.propositional(Formula("<=>", before.formula, after.formula), steps)


def by_rule(reason: Reason, before: Line, after: Line, by: Sequence[Term], said: Sequence[Theorem]) -> Theorem | None:
    """Prove that one line holds where the other does, by the reason's rule and theorems that say what it claims.

    >>> two, x, y = Term("q", 2, 1), quantity("x"), quantity("y")
    >>> lines = Relation(x, ">", y), Relation(2 * x, ">", 2 * y)
    >>> positive = kernel.arith(Formula(">", two, ZERO))
    >>> sides = [kernel.identity(f[1], f[2]) for f in claims(Reason.TIMES, *lines, (2 * x / x,))[1:]]
    >>> by_rule(Reason.TIMES, *lines, [two], [positive, *sides]).conclusion == ("<=>", *(p.formula for p in lines))
    True

    None where the reason has no rule.
    """
    after = bare(after)
    if reason not in SUMS or not isinstance(before, Relation) or not isinstance(after, Relation):
        return None
    try:
        sides = [with_functions(e) for e in (*before.shows, *after.shows)]
        letters = dict(zip(LETTERS, [*sides, *by], strict=False))
        return cut(kernel.instantiate(rule(reason, before.sign, after.sign), letters), said)
    except KernelError:
        return None


@cache
def _rooted() -> tuple[Theorem, ...]:
    """Return `r^2 = t`, `r >= 0`, `s + r > 0` for r = sqrt(t), t = p + m^2, s = x - m, where p and x are positive."""
    from roofproof.proofs.search.lemmas import root_facts

    m, p, s, t, x = (Term("v", f"{name}!") for name in "mpstx")
    root = Term("sqrt", t)
    parts, above = kernel.assume(Formula("=", t, Term("+", p, Term("*", m, m)))), kernel.assume(Formula(">", p, ZERO))
    inside = kernel.arith(Formula(">", t, ZERO), [parts, above, kernel.square(m)], [(ONE, [0]), (ONE, [1]), (ONE, [2])])
    positive, equal = root_facts(root, inside)
    squared = kernel.arith(Formula("=", Term("^", root, 2), t), [equal], [(ONE, [0])])
    least = kernel.arith(Formula(">=", root, ZERO), [positive], [(ONE, [0])])
    denied = Formula(">=", m, root)  # (m - r)^2 + 2 r (m - r) + (r r - t) + (t - p - m m) + p = 0
    facts = [kernel.assume(denied), least, equal, parts, above]
    more = [(ONE, [0, 0]), (TWICE, [1, 0]), (ONE, [2]), (ONE, [3]), (ONE, [4])]
    false = kernel.discharge(kernel.arith(Formula("false"), facts, more), denied)
    beyond = kernel.propositional(Formula(">", root, m), [false])
    given = [kernel.assume(Formula(">", x, ZERO)), beyond, kernel.assume(Formula("=", s, minus(x, m)))]
    both = kernel.arith(Formula(">", Term("+", s, root), ZERO), given, [(ONE, [k]) for k in range(3)])
    return squared, least, both


def roots(terms: dict[str, Term], facts: Sequence[Theorem]) -> list[Theorem]:
    """Return the claims of taking the root of both sides, where `facts` say that t = p + m^2, p > 0 and s = x - m.

    >>> x, two = Term("v", "x"), Term("q", 2, 1)
    >>> terms = {"m!": ZERO, "p!": two, "s!": x, "t!": two, "x!": x}
    >>> parts = kernel.identity(two, Term("+", two, Term("*", ZERO, ZERO)))
    >>> facts = [parts, kernel.arith(Formula(">", two, ZERO)), kernel.identity(x, minus(x, ZERO))]
    >>> print(*roots(terms, facts), sep="; ")
    |- sqrt(2)^2 = 2; |- sqrt(2) >= 0; x > 0 |- x + sqrt(2) > 0
    """
    return [cut(kernel.instantiate(theorem, terms), facts) for theorem in _rooted()]


def decided(line: Relation, signs: Sequence[Formula], never: bool) -> Theorem:
    """Prove that a line holds never, or always, where its sides have these signs.

    >>> x, y = quantity("x"), quantity("y")
    >>> left, right = with_functions(x - y), with_functions(y)
    >>> print(decided(Relation(x - y, ">", y), [Formula(">=", ZERO, left), Formula(">", right, ZERO)], never=True))
    |- 0 >= x + -1*y => (y > 0 => (x + -1*y > y <=> false))
    """
    high, low = line.formula[1:]
    letters: dict[Term, Term] = {high: Term("v", "h!"), low: Term("v", "l!"), ZERO: ZERO}
    said = tuple([Formula(head, letters[a], letters[b]) for head, a, b in signs])
    theorem = _decided(Formula(line.formula[0], letters[high], letters[low]), said, never)
    return kernel.instantiate(theorem, {name[1]: term for term, name in letters.items() if name != ZERO})


@cache
def _decided(whole: Formula, said: tuple[Formula, ...], never: bool) -> Theorem:
    other = {">": ">=", ">=": ">"}[whole[0]]
    start = whole if never else Formula(other, whole[2], whole[1])  # what is denied
    weights: list[tuple[Term, list[int]]] = [(ONE, [0])]
    for k, (head, side, _) in enumerate(said):  # (h - l) - h + l = 0, or (l - h) + h - l = 0
        turn = -1 if head == "=" and (side == whole[1]) == never else 1
        weights.append((Term("q", turn, 1), [k + 1]))
    theorem = kernel.arith(Formula("false"), [kernel.assume(start), *map(kernel.assume, said)], weights)
    theorem = kernel.discharge(theorem, start)
    goal = Formula("<=>", whole, Formula("false") if never else Formula("true"))
    theorem = kernel.propositional(goal, [theorem])
    for formula in reversed(said):
        theorem = kernel.discharge(theorem, formula)
    return theorem
