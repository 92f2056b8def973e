"""Random identities, inequalities, numbers, roots, logarithms and partly undefined expressions."""

from dataclasses import replace
from fractions import Fraction
from math import isqrt
from random import Random

from forms.draft import Draft, frac, letters, num, one_of, other, text, value


def identity(r: Random, broken: bool) -> Draft:
    """Return a claim that equates two ways to write one value."""
    names = letters(r, r.randint(1, 3))
    e, f, k = value(r, names), value(r, names, 1), num(r)
    left, right = r.choice(
        [
            (f"({e}) * (({f}) + {k})", f"({e}) * ({f}) + {k} ({e})"),
            (f"(({e}) + ({f}))^2", f"({e})^2 + 2 * ({e}) * ({f}) + ({f})^2"),
            (f"1 / ({e}) + 1 / ({f})", f"(({e}) + ({f})) / (({e}) * ({f}))"),
            (f"(({e})^2 - {k}^2) + {k * k}", f"({e}) * ({e})"),
            (f"({e}) / ({f}) + {k}", f"(({e}) + {k} * ({f})) / ({f})"),
            (f"max({e}, {f}) + min({e}, {f})", f"({e}) + ({f})"),
            (f"abs({e} - ({f}))", f"max({e}, {f}) - min({e}, {f})"),
        ]
    )
    wrong = r.choice([f"{right} + {text(frac(r))}", f"{text(other(r, 1))} * ({right})", f"{right} + {names[0]}"])
    if r.random() < 0.3:
        return one_of(r, broken, (f"{right} == {left}", f"{wrong} == {left}"))
    return one_of(r, broken, (f"{left} == {right}", f"{left} == {wrong}"))


def inequality(r: Random, broken: bool) -> Draft:
    names = letters(r, r.randint(2, 3))
    x, y, *_ = names
    a, b, n = num(r), num(r), len(names)
    e, f = value(r, names), value(r, names, 1)
    c = r.randint(1, isqrt(4 * a * b))  # a x^2 + b y^2 >= c x y if c^2 <= 4 a b
    total, least = " + ".join(names), " + ".join(f"1/{n}" for n in names)
    listed = ", ".join(names)
    return one_of(
        r,
        broken,
        (f"{a} {x}^2 + {b} {y}^2 >= {c} {x} {y}", f"{a} {x}^2 + {b} {y}^2 >= {isqrt(4 * a * b) + 1} {x} {y}"),
        (f"{e} < {e} + {f}", f"{e} > {e} + {f}"),
        (f"{e} <= {e} + {f}", f"{e} >= {e} + {f}"),
        (f"{total} <= {n} max({listed})", f"{total} <= {n - 1} max({listed})"),
        (f"{x} {y} / ({x} + {y}) >= min({x}, {y}) / 2", f"{x} {y} / ({x} + {y}) >= 4/7 * min({x}, {y})"),
        (f"({total}) * ({least}) >= {n * n}", f"({total}) * ({least}) >= {n * n + 1}"),
    )


def arithmetic(r: Random, broken: bool) -> Draft:
    v, w = frac(r, 40), frac(r, 40)
    n, e, p = num(r), r.randint(0, 9), num(r, 300)
    low, high = sorted((v, v + w))
    out, share, span = v * w + v / w, Fraction(p, 100) * v, max(v, w) - min(v, w) + abs(v - 3)
    top = r.randint(2, 60)
    return one_of(
        r,
        broken,
        (f"{low} < {high} <= {high + n}", f"{low} < {high} <= {text(low)} - {n}"),
        (f"{low} < {high}", f"{low} >= {high}"),
        (
            f"{text(v)} * {text(w)} + {text(v)} / {text(w)} == {text(out)}",
            f"{text(v)} * {text(w)} + {text(v)} / {text(w)} == {text(other(r, out))}",
        ),
        (f"floor({v}) == {v.__floor__()}", f"floor({v}) == {v.__floor__() + 1}"),
        (f"ceil({v}) == {v.__ceil__()}", f"ceil({v}) == {v.__ceil__() + 1}"),
        (f"log2({2**e * n**2}) == {e} + 2 log2({n})", f"log2({2**e * n**2}) == {e + 1} + 2 log2({n})"),
        (f"{p} % * {text(v)} == {text(share)}", f"{p} % * {text(v)} != {text(share)}"),
        (
            f"max({v}, {w}) - min({v}, {w}) + abs({v} - 3) == {text(span)}",
            f"max({v}, {w}) - min({v}, {w}) + abs({v} - 3) == {text(span + 1)}",
        ),
        (f"sum(i, i, 1, {top}) == {top * (top + 1) // 2}", f"sum(i, i, 1, {top}) == {top * (top + 1) // 2 + 1}"),
        ("2^3^2 == 512", "2^3^2 == 64"),
    )


def roots(r: Random, broken: bool) -> Draft:
    x, y = letters(r, 2)
    a, b, k = num(r, 30), num(r, 30), num(r)
    inside = Fraction(r.randint(1, 200), r.randint(1, 9))
    # sqrt a + sqrt b < sqrt c if c > a + b and (c - a - b)^2 > 4 a b
    less = inside > a + b and (inside - a - b) ** 2 > 4 * a * b
    sign, turned = "<>" if less else "><"
    tie = inside >= a + b and (inside - a - b) ** 2 == 4 * a * b
    edge = Fraction(k, a * a)
    return one_of(
        r,
        broken,
        (f"sqrt({a}) * sqrt({b}) == sqrt({a * b})", f"sqrt({a}) * sqrt({b}) == sqrt({a * b + 1})"),
        (
            f"sqrt({a}) + sqrt({b}) {'<=' if tie else sign} sqrt({inside})",
            f"sqrt({a}) + sqrt({b}) {'<' if tie else turned} sqrt({inside})",
        ),
        (f"sqrt({x}^2 * {y}) == {x} * sqrt({y})", f"sqrt({x}^2 * {y}) == 2 * {x} * sqrt({y})"),
        (f"sqrt({x} + {y}) <= sqrt({x}) + sqrt({y})", f"sqrt({x} + {y}) >= sqrt({x}) + sqrt({y})"),
        (f"{a} {x} + {b} / {x} >= 2 sqrt({a * b})", f"{a} {x} + {b} / {x} >= 3 sqrt({a * b})"),
        (
            f"{a} sqrt({x}) > sqrt({k}) <=> {x} > {text(edge)}",
            f"{a} sqrt({x}) > sqrt({k}) <=> {x} > {text(other(r, edge))}",
        ),
        (
            f"sqrt({a + b} + 2 sqrt({a * b})) == sqrt({a}) + sqrt({b})",
            f"sqrt({a + b} + 2 sqrt({a * b})) == sqrt({a}) + sqrt({b + 1})",
        ),
        (
            f"1 / (sqrt({x} + {k}) + sqrt({x})) == (sqrt({x} + {k}) - sqrt({x})) / {k}",
            f"1 / (sqrt({x} + {k}) + sqrt({x})) == (sqrt({x} + {k}) - sqrt({x})) / {k + 1}",
        ),
        (f"sqrt({x}) * sqrt({y}) <= ({x} + {y}) / 2", f"sqrt({x}) * sqrt({y}) <= ({x} + {y}) / 3"),
        (f"sqrt({x}^2) == abs({x})", f"sqrt({x}^2) == {x}", {"given": f"{x} real"}),
        (f"sqrt({a} {x}) == sqrt({a}) * sqrt({x})", f"sqrt({a} {x}) == sqrt({a + 1}) * sqrt({x})"),
        (f"{x}^(3/2) * {x}^(1/2) == {x}^2", f"{x}^(3/2) * {x}^(1/2) == {x}^3"),
    )


def definedness(r: Random, broken: bool) -> Draft:
    """Return a claim that is undefined at some points, or the same claim with an assumption that excludes them."""
    x, y = letters(r, 2)
    k = num(r)
    ways = [
        (f"({x} - {y}) / ({x} - {y}) > 0", "", f"{x} > {y}"),
        (f"({x}^2 - {k * k}) / ({x} - {k}) == {x} + {k}", "", f"{x} > {k}"),
        (f"sqrt({x} - {k}) >= 0", "", f"{x} >= {k}"),
        (f"sqrt({x} - {y})^2 == {x} - {y}", "", f"{x} >= {y}"),
        (f"{x} / {x} == 1", f"{x} real", ""),
        (f"log2({x}) - log2({x}) == 0", f"{x} >= 0", ""),
        (f"0 * (1 / ({x} - {k})) == 0", "", f"{x} > {k}"),
        (f"{x}^2 / {x} == {x}", f"{x} >= 0", ""),
        (f"1 / (1 / ({x} - {k})) == {x} - {k}", "", f"{x} > {k}"),
        (f"{x} / ({x} - {y}) - {y} / ({x} - {y}) == 1", "", f"{x} > {y}"),
        (f"{x} > {k} or 1 / ({x} - {k}) < 0", "", f"{x} > {k}"),
        (f"max({x}, 1 / ({x} - {k})) >= {x}", "", f"{x} > {k}"),
        (f"independent(({x} - {y}) / ({x} - {y}), {x})", "", f"{x} > {y}"),
        (f"1 / ({x} - {k}) != 0", f"{x} in {{{k}, {k + 1}, {k + 3}}}", f"{x} in {{{k + 1}, {k + 3}}}"),
        (f"max(1 / {x}, 0) >= 0", f"{x} real", ""),
        (f"{x} < {y} or {x} / ({x} - {y}) == 1 + {y} / ({x} - {y})", "", f"{x} > {y}"),
        (f"floor(1 / ({x} - {k})) <= 1 / ({x} - {k})", f"{x} integer", f"{x} integer; {x} > {k}"),
    ]
    says, bare, cured = r.choice(ways)
    return Draft(says, "undefined" if broken else "true", given=bare if broken else cured)


def logarithms(r: Random, broken: bool) -> Draft:
    n, m = letters(r, 2)
    k, e = num(r, 8), num(r, 4)
    return one_of(
        r,
        broken,
        (
            f"log2({2**k} {n}^{e} / {m}) == {k} + {e} log2({n}) - log2({m})",
            f"log2({2**k} {n}^{e} / {m}) == {k + 1} + {e} log2({n}) - log2({m})",
        ),
        (f"log2({n}) > {k} <=> {n} > {2**k}", f"log2({n}) > {k} <=> {n} > {2**k + 1}"),
        (f"2^({n} + {k}) == {2**k} * 2^{n}", f"2^({n} + {k}) == {2**k + 1} * 2^{n}"),
        (f"{n} < {m} => log2({n}) < log2({m})", f"{n} < {m} => log2({n}) > log2({m})"),
    )


def signs(r: Random, broken: bool) -> Draft:
    """Return a claim with other spellings of relations and powers, or with negative names."""
    x, y = letters(r, 2)
    k = num(r)
    draft = one_of(
        r,
        broken,
        (f"{x} ≤ {y} ⇒ {k}·{x}² ≤ {k}·{y}²", f"{x} ≤ {y} ⇒ {k}·{x}² ≤ {y}² / 2"),
        (f"{x} ≠ {y} ⇔ {x} != {y}", f"{x} ≠ {y} ⇔ {x} < {y}"),
        (f"{x}^2 + {k} != 0", f"{x}^2 + {k} != {k}", {"given": f"{x} real"}),
        (f"{k} {x} < {x} / 2", f"{k} {x} > {x} / 2", {"given": f"{x} < 0"}),
        (f"{x} {y} > 0", f"{x} {y} < 0", {"given": f"{x} < 0; {y} < 0"}),
        (f"{x}^-{k} * {x}**{k + 1} == {x}", f"{x}^-{k} * {x}**{k + 1} == {x}^2"),
        (f"-{x}^2 > -({x} + {k})^2", f"-{x}^2 < -({x} + {k})^2"),
        (f"{k} - {x} - {y} == {k} - ({x} + {y})", f"{k} - {x} - {y} == {k} - ({x} - {y})"),
        (f"√{x} × √{x} == {x}", f"√{x} × √{x} == 2 {x}"),
    )
    return draft if r.random() < 0.9 else replace(draft, says=f"  {draft.says} ")
