"""No integer in a range divides a size: one after the other, each by a quotient that is no integer."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, minus
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search import tactics

MAX_STEPS = 400  # integers in a range; each takes about ten steps of the kernel
ONE = Term("q", 1, 1)
_number = Term.rational


def divides(part: Term, size: int) -> Formula:
    """Return the condition that a positive term goes into a size a whole number of times.

    >>> from roofproof.proofs.kernel.terms import show
    >>> show(divides(Term("v", "x"), 24))
    'x*floor(24/x) = 24'
    """
    return Formula("=", Term("*", part, _times(part, size)), _number(size))


def divided(part: Term, size: int) -> Theorem:
    """Prove that a number, as a term, goes into a size: floor(size/part) is no other number than the quotient.

    >>> divided(Term("q", 8, 1), 24)
    |- 8*floor(24/8) = 24
    """
    u, value = _times(part, size), _number(Fraction(size) / sampling.value(part, {}))
    meaning = kernel.definition(u)
    integer, *ends = (kernel.propositional(f, [meaning]) for f in meaning.conclusion[1:])
    below = sampling.value(part, {})  # what both ends are multiplied by when their denominators are cleared
    most = kernel.arith(Formula(">=", value, u), ends, [(_number(1 / below), [0])])
    near = kernel.arith(Formula(">", u, _number(Fraction(*value[1:]) - 1)), ends, [(_number(1 / below), [1])])
    equal = kernel.propositional(Formula("=", u, value), [most, _next(near, integer), kernel.trichotomy(u, value)])
    return kernel.arith(divides(part, size), [equal], [(part, [0])])


def no_divisor(
    name: str, first: int, last: int | None, bound: Formula, sizes: Sequence[int], step: int = 1
) -> Theorem | None:
    """Prove that for no integer x from first to last (without end, where that is None) step*x divides every size.

    >>> x = Term("v", "x")
    >>> print(no_divisor("x", 9, 11, Formula(">", x, Term("q", 8, 1)), [24]))  # 24/9, 24/10, 24/11 are no integers
    int(x) |- x > 8 => (12 > x => not(x > 8 and x*floor(24/x) = 24))

    Where they do, `bound` is false there. None where there are more than 400, or that is not proved.
    """
    x = Term("v", name)
    part: Term = x if step == 1 else Term("*", _number(step), x)
    wanted = [divides(part, size) for size in sizes]
    denied = Formula("not", Formula("and", bound, *wanted))
    end = max(min(sizes) // step, first - 1) if last is None else last
    if last is not None and last > min(sizes) // step:  # beyond which nothing divides the smallest size
        whole = no_divisor(name, first, None, bound, sizes, step)
        short = Formula(
            "=>", Formula(">", x, _number(first - 1)), Formula("=>", Formula(">", _number(last + 1), x), denied)
        )
        return whole and kernel.propositional(short, [whole])
    if end - first >= MAX_STEPS:
        return None
    integer = kernel.assume(Formula("int", x))
    top = Formula(">", _number(end + 1), x)
    made: Theorem | None = None
    for k in range(end, first - 2, -1):
        over = Formula(">", x, _number(k))
        reached = kernel.discharge(_next(kernel.assume(over), integer), over)
        steps = [reached]
        if made is not None:
            out = _not_at(x, k + 1, step, bound, sizes, denied)
            if out is None:
                return None
            steps += [kernel.trichotomy(x, _number(k + 1)), out, made]
        made = kernel.propositional(Formula("=>", over, Formula("=>", top, denied)), steps)
    if last is not None or made is None:
        return made
    beyond = _too_large(part, min(sizes), x, end, denied)
    return kernel.propositional(Formula("=>", Formula(">", x, _number(first - 1)), denied), [made, beyond])


def _next(strict: Theorem, integer: Theorem) -> Theorem:
    """Return `t >= k + 1` from `t > k` for integers."""
    _, t, k = strict.conclusion
    least = kernel.gap(strict, kernel.integral(minus(t, k), [integer]))
    return kernel.arith(Formula(">=", t, _number(Fraction(*k[1:]) + 1)), [least], [(ONE, [0])])


def _not_at(x: Term, k: int, step: int, bound: Formula, sizes: Sequence[int], denied: Formula) -> Theorem | None:
    """Return `x = k => denied`, since a quotient is no integer, or the bound is false there."""
    here = Formula("=", x, _number(k))
    size = next((s for s in sizes if s % (step * k)), None)
    if size is None:
        never = tactics.prove(Formula("not", bound), [here])
        return never and kernel.discharge(kernel.propositional(denied, [never]), here)
    part = denied[1][2][1][1]
    u, whole = _times(part, size), divides(part, size)
    value = Fraction(size, step * k)
    facts = [kernel.assume(here), kernel.assume(whole)]
    # step k u - size = (step x u - size) - step u (x - k)
    weights = [(ONE, [1]), (Term("*", _number(-step), u), [0])]
    equal = kernel.arith(Formula("=", u, _number(value)), facts, weights, multiplier=_number(step * k))
    low = floor(value)
    above = kernel.arith(Formula(">", u, _number(low)), [equal], [(_number(value - low), []), (ONE, [0])])
    below = kernel.arith(
        Formula(">", _number(low + 1), u), [equal], [(_number(low + 1 - value), []), (_number(-1), [0])]
    )
    nothing = kernel.propositional(Formula("false"), [_next(above, kernel.integral(u)), below])
    return kernel.propositional(Formula("=>", here, denied), [kernel.discharge(kernel.discharge(nothing, whole), here)])


def _too_large(part: Term, size: int, x: Term, end: int, denied: Formula) -> Theorem:
    """Return `x >= end + 1 => denied`, as what divides a size is no larger: part = step*x > size."""
    u, whole = _times(part, size), kernel.assume(divides(part, size))
    over = kernel.assume(Formula(">=", x, _number(end + 1)))
    names = [x[1]]
    # part u = size > 0, so u > 0, so u >= 1
    some = kernel.arith(Formula(">", u, ZERO), [whole], [(_number(size), []), (ONE, [0])], names, part)
    least = _next(some, kernel.integral(u))
    step = Fraction(1) if part == x else Fraction(*part[1][1:])
    # 0 = size - part u = (step (end + 1) - size) u + size (u - 1) + step u (x - end - 1) - (part u - size)
    parts = [(_number(step * (end + 1) - size), [2]), (_number(size), [3]), (_number(step), [2, 1]), (_number(-1), [0])]
    nothing = kernel.arith(Formula("false"), [whole, over, some, least], parts, names)
    closed = kernel.discharge(kernel.discharge(nothing, whole.conclusion), over.conclusion)
    return kernel.propositional(Formula("=>", over.conclusion, denied), [closed])


def _times(part: Term, size: int) -> Term:
    return Term("floor", Term("/", _number(size), part))
