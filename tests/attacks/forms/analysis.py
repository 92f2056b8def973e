"""Random claims about limits, solutions, optima, sums, searches and monotonicity."""

from fractions import Fraction
from math import isqrt
from random import Random

from forms.draft import Draft, letters, num, one_of, text


def analysis(r: Random, broken: bool) -> Draft:
    x, a, b = letters(r, 3)
    k, m = num(r), num(r)
    items = sorted(r.sample(range(1, 40), 4))
    listed, by_cost = ", ".join(map(str, items)), sorted(items, key=lambda i: Fraction(k * i) + Fraction(97 * m, i))
    among = f"argmin({k} {x} + {97 * m} / {x}, {x}, {{{listed}}})"
    return one_of(
        r,
        broken,
        (
            f"argmin({a} {x} + {b} / {x}, {x}) == sqrt({b} / {a})",
            f"argmin({a} {x} + {b} / {x}, {x}) == sqrt(2 {b} / {a})",
        ),
        (
            f"minimum({k} {a} {x} + {m} {b} / {x}, {x}) == 2 sqrt({k * m} {a} {b})",
            f"minimum({k} {a} {x} + {m} {b} / {x}, {x}) == 2 sqrt({k * m + 1} {a} {b})",
        ),
        (f"{among} == {by_cost[0]}", f"{among} == {by_cost[-1]}"),
        (f"degree(sqrt({a} {x}^{k}) / {b}, {x}) == {k}/2", f"degree(sqrt({a} {x}^{k}) / {b}, {x}) == {k + 1}/2"),
        (
            f"limit(({k} {x} + {a}) / ({m} {x} + {b}), {x}) == {k}/{m}",
            f"limit(({k} {x} + {a}) / ({m} {x} + {b}), {x}) == {k + 1}/{m}",
        ),
        (
            f"maximum({k} {x} / ({x}^2 + {m * m}), {x}) == {k}/{2 * m}",
            f"maximum({k} {x} / ({x}^2 + {m * m}), {x}) == {k}/{2 * m + 1}",
        ),
        (f"limit({a} {x} / ({x} + 1)^2, {x}) == 0", f"limit({a} {x} / ({x} + 1)^2, {x}) == {a}"),
    )


def solutions(r: Random, broken: bool) -> Draft:
    """Return a claim about an equation or optimum with several parameters."""
    x, a, b = letters(r, 3)
    k, m = num(r), num(r)
    items = sorted(r.sample(range(1, 30), 3))
    best = min(Fraction(k * i) + Fraction(60 * m, i) for i in items)
    among = f"minimum({k} {x} + {60 * m} / {x}, {x}, {{{', '.join(map(str, items))}}})"
    linear = f"solve({k} {x} + {a} == {b} + {k * m}, {x}) == ({b} - {a}) / {k}"
    return one_of(
        r,
        broken,
        (f"{linear} + {m}", f"{linear} + {m + 1}", {"given": f"{b} > {a}"}),
        (
            f"solve({a} {x}^2 == {k} {b}, {x}) == sqrt({k} {b} / {a})",
            f"solve({a} {x}^2 == {k} {b}, {x}) == {k} {b} / {a}",
        ),
        (
            f"solve({a} / ({x} + {k}) == {b}, {x}) == {a} / {b} - {k}",
            f"solve({a} / ({x} + {k}) == {b}, {x}) == {a} / {b} - {k + 1}",
            {"given": f"{a} > {k} {b}"},
        ),
        (f"solve({k} {x} / ({x} + {a}) == {k}/2, {x}) == {a}", f"solve({k} {x} / ({x} + {a}) == {k}/2, {x}) == 2 {a}"),
        (
            f"minimum({a} {x}^2 + {b} / {x}^2, {x}) == 2 sqrt({a} {b})",
            f"minimum({a} {x}^2 + {b} / {x}^2, {x}) == 3 sqrt({a} {b})",
        ),
        (f"argmin({a} ({x} - {k})^2 + {b}, {x}) == {k}", f"argmin({a} ({x} - {k})^2 + {b}, {x}) == {k + 1}"),
        (f"maximum({x} ({a} - {x}), {x}) == {a}^2 / 4", f"maximum({x} ({a} - {x}), {x}) == {a}^2 / 5"),
        (f"{among} == {text(best)}", f"{among} == {text(best + 1)}"),
        (f"argmax({a} {x} / ({x}^2 + {b}^2), {x}) == {b}", f"argmax({a} {x} / ({x}^2 + {b}^2), {x}) == 2 {b}"),
        (
            f"solve({x}^2 + {a} {x} == {b}, {x}) == (sqrt({a}^2 + 4 {b}) - {a}) / 2",
            f"solve({x}^2 + {a} {x} == {b}, {x}) == (sqrt({a}^2 + 5 {b}) - {a}) / 2",
        ),
    )


def series(r: Random, broken: bool) -> Draft:
    """Return a claim about a sum with symbolic bounds, or about a search over integers."""
    n, a = letters(r, 2)
    k, m, c = num(r), r.randint(2, 9), r.randint(20, 400)
    whole = {"given": f"{n} integer"}
    least, last = -(-c // k), isqrt(c // k)
    half = next(i for i in range(1, 99) if -(-m * i // 2) >= k)
    square = next(i for i in range(1, 99) if i * i + k * i > c)
    return one_of(
        r,
        broken,
        (
            f"sum(i^2, i, 1, {n}) == {n} ({n} + 1) (2 {n} + 1) / 6",
            f"sum(i^2, i, 1, {n}) == {n} ({n} + 1) (2 {n} + 2) / 6",
            whole,
        ),
        (
            f"sum({a} i + {k}, i, 1, {n}) == {a} {n} ({n} + 1) / 2 + {k} {n}",
            f"sum({a} i + {k}, i, 1, {n}) == {a} {n} ({n} + 1) / 2 + {k + 1} {n}",
            whole,
        ),
        (
            f"sum({a}, i, 1, {n} / 2) == {a} {n} / 2",
            f"sum({a}, i, 1, {n} / 2) == {a} {n} / 3",
            {"given": f"{n} integer; {n} >= 2"},
        ),
        (f"sum(2^i, i, 0, {k}) == {2 ** (k + 1) - 1}", f"sum(2^i, i, 0, {k}) == {2 ** (k + 1)}"),
        (f"sum(1 / i, i, 1, {m}) >= 1", f"sum(1 / i, i, 1, {m}) <= 1"),
        (f"smallest({n}, {k} {n} >= {c}) == {least}", f"smallest({n}, {k} {n} >= {c}) == {least + 1}"),
        (f"largest({n}, {k} {n}^2 <= {c}) == {last}", f"largest({n}, {k} {n}^2 <= {c}) == {last + 1}"),
        (f"largest({n}, {k} {n} <= {c}) == {c // k}", f"largest({n}, {k} {n} <= {c}) == {c // k + 1}"),
        (
            f"smallest({n}, ceil({m} {n} / 2) >= {k}) == {half}",
            f"smallest({n}, ceil({m} {n} / 2) >= {k}) == {half + 1}",
        ),
        (f"smallest({n}, {n}^2 + {k} {n} > {c}) == {square}", f"smallest({n}, {n}^2 + {k} {n} > {c}) == {square + 1}"),
        (f"smallest({n}, log2({n}) >= {m}) == {2**m}", f"smallest({n}, log2({n}) >= {m}) == {2**m + 1}"),
        (f"smallest({n}, 1 / {n} < 1 / {k * m}) == {k * m + 1}", f"smallest({n}, 1 / {n} < 1 / {k * m}) == {k * m}"),
    )


def behaviour(r: Random, broken: bool) -> Draft:
    x, a, b = letters(r, 3)
    k, m = num(r), num(r)
    return one_of(
        r,
        broken,
        (
            f"increasing(({k + m} {x} + {m} {a}) / ({x} + {a}), {x})",
            f"increasing(({m} {x} + {k + m} {a}) / ({x} + {a}), {x})",
        ),
        (f"increasing(max({x}, {a}) + {x}, {x})", f"increasing(max({x}, {a}), {x})"),
        (f"increasing({x}^2 + {k} {x}, {x})", f"increasing({x}^2 - {k} {x}, {x})"),
        (f"increasing({x}^2, {x})", f"increasing({x}^2, {x})", {}, {"given": f"{x} real"}),
        (f"decreasing({a} / ({x} + {k}), {x})", f"decreasing({x} + {a} / {x}, {x})"),
        (f"decreasing({k} / {x} + {a} / {x}^2 + {b}, {x})", f"decreasing({k} / {x} + {a} {x} + {b}, {x})"),
        (
            f"independent({a} ({x} + {b}) / ({k} {x} + {k} {b}), {x})",
            f"independent({a} ({x} + {b}) / ({k} {x} + {b}), {x})" if k > 1 else f"independent({a} + {x}, {x})",
        ),
        (f"independent(({k} {x} {a} + {x}) / {x}, {x})", f"independent(({k} {x} {a} + {x}) / {x} + {x}, {x})"),
        (f"degree({a} {x}^2 / ({x} + {b}), {x}) == 1", f"degree({a} {x}^2 / ({x} + {b}), {x}) == 2"),
        (
            f"limit(({a} {x}^2 + {k}) / ({b} {x}^2 + {x}), {x}) == {a} / {b}",
            f"limit(({a} {x}^2 + {k}) / ({b} {x}^2 + {x}), {x}) == {b} / {a} + 1",
        ),
    )


def existence(r: Random, broken: bool) -> Draft:
    """Return a claim about a value that exists, or about one that does not exist or is not unique."""
    x, a = letters(r, 2)
    k, m = num(r), num(r)
    low, high = k, k + m
    both = f"{x}^2 + {low * high} == {low + high} {x}"  # solutions: low and high
    return one_of(
        r,
        broken,
        (f"solve({k} {x} == {m}, {x}) == {m}/{k}", f"solve({both}, {x}) == {low}"),
        (f"solve({x} == {k} {a}, {x}) == {k} {a}", f"solve({x} + {k} == 0, {x}) == -{k}"),
        (f"minimum({x} + {a}^2 / {x}, {x}) == 2 {a}", f"minimum({x} + {a}, {x}) == {a}"),
        (f"argmin({x}^2 - {2 * k} {x}, {x}) == {k}", f"argmin({k} {x}, {x}) == 0"),
        (f"maximum({k} {x} / ({x} + 1)^2, {x}) == {k}/4", f"maximum({k} {x} / ({x} + 1), {x}) == {k}"),
        (f"smallest({x}, {x} > {k}) == {k + 1}", f"smallest({x}, {x} > {high} and {x} < {low}) == {low}"),
        (f"largest({x}, {x} <= {k}) == {k}", f"largest({x}, {x} > {k}) == {k + 1}"),
        wrong="nothing",
    )
