"""Random claims about logic, integers, domains, floors and ceilings."""

from fractions import Fraction
from random import Random

from forms.draft import Draft, frac, letters, num, one_of, other, text


def logic(r: Random, broken: bool) -> Draft:
    x, y = letters(r, 2)
    a, b, c = frac(r, 30), frac(r, 30), num(r)
    low, high = sorted((a, b + Fraction(1, 97)))
    sign = r.choice(["<", "<=", ">", ">="])
    not_it = r.choice([s for s in ("<", "<=", ">", ">=") if s != sign])
    both = f"not ({x} > {text(a)} and {y} > {text(b)}) <=> {x} <= {text(a)}"
    return one_of(
        r,
        broken,
        (f"{x} > {text(high)} => {x} > {text(low)}", f"{x} > {text(low)} => {x} > {text(high)}"),
        (
            f"{c} {x} {sign} {text(a)} <=> {x} {sign} {text(a / c)}",
            f"{c} {x} {sign} {text(a)} <=> {x} {not_it} {text(a / c)}",
        ),
        (f"{both} or {y} <= {text(b)}", f"{both} and {y} <= {text(b)}"),
        (f"{x} <= {text(low)} or {x} > {text(low)}", f"{x} <= {text(low)} or {x} > {text(high)}"),
        (f"{x} < {y} => {x} / {y} < 1 and {x}^2 < {y}^2", f"{x} < {y} => {x} / {y} > 1 and {x}^2 < {y}^2"),
        (
            f"{x} > {text(a)} and {y} > {text(b)} => {x} {y} > {text(a * b)}",
            f"{x} > {text(a)} and {y} > {text(b)} => {x} {y} > {text(a * b + Fraction(1, 2))}",
        ),
        (
            f"1 / {x} < {c} <=> {x} > {text(Fraction(1, c))}",
            f"1 / {x} < {c} <=> {x} > {text(other(r, Fraction(1, c)))}",
        ),
        (
            f"{text(low)} < {x} < {text(high)} => {x}^2 < {text(high**2)}",
            f"{text(low)} < {x} < {text(high)} => {x}^2 < {text(low**2)}",
        ),
        (f"not ({x} < {y} and {y} < {x})", f"not ({x} < {y} or {y} < {x})"),
        (f"({x} == {y} <=> {y} == {x}) and ({x} > 1 => {x}^2 > {x})", f"{x} == {y} <=> {x}^2 == {y}"),
    )


def integers(r: Random, broken: bool) -> Draft:
    n, k, c, m = r.choice("nmk"), r.randint(2, 9), r.randint(1, 200), r.randint(2, 9)
    edge = Fraction(r.randint(10, 9000), r.randint(2, 50)) + Fraction(1, 101)
    return one_of(
        r,
        broken,
        (f"ceil({n} / {k}) == floor(({n} + {k - 1}) / {k})", f"ceil({n} / {k}) == floor(({n} + {k - 2}) / {k})"),
        (f"{n} > {c} <=> {n} >= {c + 1}", f"{n} > {c} <=> {n} >= {c + 2}"),
        (f"{n} > {text(edge)} <=> {n} > {edge.__floor__()}", f"{n} > {text(edge)} <=> {n} > {edge.__floor__() + 1}"),
        (f"{k} {n} < {c} <=> {n} <= {-(-c // k) - 1}", f"{k} {n} < {c} <=> {n} <= {-(-c // k)}"),
        (f"{n}^2 >= {n}", f"{n}^2 > {n}"),
        (f"floor({n} / {k}) + floor((2 {n}) / {k}) <= 3 {n} / {k}", f"floor({n} / {k}) == {n} / {k}"),
        (f"{n} >= {c} => {n}^2 >= {c * c}", f"{n} >= {c} => {n}^2 > {c * c}"),
        (f"ceil({n} / {m}) * {m} >= {n}", f"ceil({n} / {m}) * {m} <= {n}"),
        given=f"{n} integer",
    )


def domains(r: Random, broken: bool) -> Draft:
    x, y = letters(r, 2)
    k, more = num(r), num(r)
    items = sorted(r.sample(range(1, 40), 4))
    listed = ", ".join(map(str, items))
    real, both = {"given": f"{x} real"}, {"given": f"{x}, {y} real"}
    return one_of(
        r,
        broken,
        (f"{x}^2 >= 0", f"{x}^2 > 0", real),
        (f"abs({x}) >= {x}", f"abs({x}) > {x}", real),
        (f"{x} + {k} {y} >= 0", f"{x} + {k} {y} > 0", {"given": f"{x}, {y} >= 0"}),
        (f"{x} <= {items[-1]}", f"{x} < {items[-1]}", {"given": f"{x} in {{{listed}}}"}),
        (f"{x} != {items[0] + items[-1]}", f"{x} != {items[1]}", {"given": f"{x} in {{{listed}}}"}),
        (f"{x}^2 + {y}^2 >= 2 {x} {y}", f"{x}^2 + {y}^2 > 2 {x} {y}", both),
        (f"{x} >= {k} => {x}^2 >= {k * k}", f"{x}^2 >= {k * k} => {x} >= {k}", real),
        (f"{y} >= {k}", f"{y} > {k}", {"given": f"{k} <= {x} <= {y}"}),
        (f"{y} > {k}", f"{y} > {k + more + 1}", {"given": f"{k + more} <= {x} <= {y}"}),
        (f"{x} + {k} >= {k - more}", f"{x} + {k} > {k - more}", {"given": f"{x} real; {x} >= -{more}"}),
        (f"{x} {y} <= {k * more}", f"{x} {y} < {k * more}", {"given": f"{x} <= {k}; {y} <= {more}"}),
    )


def rounding(r: Random, broken: bool) -> Draft:
    """Return a claim about floor, ceil, min and max of names of any sign."""
    x, y, z = letters(r, 3)
    k, m = num(r), num(r)
    any_sign = {"given": r.choice(["", f"{x} real"])}
    return one_of(
        r,
        broken,
        (f"floor({x}) <= {x}", f"floor({x}) < {x}", any_sign),
        (f"{x} < floor({x}) + 1", f"{x} < floor({x})", any_sign),
        (f"ceil({x}) - floor({x}) <= 1", f"ceil({x}) - floor({x}) < 1", any_sign),
        (f"floor({x} + {k}) == floor({x}) + {k}", f"floor({x} + {k}) == floor({x}) + {k + 1}", any_sign),
        (f"max({x}, min({y}, {z})) >= min(max({x}, {y}), {z})", f"max({x}, min({y}, {z})) == min(max({x}, {y}), {z})"),
        (f"max({k} {x}, {k} {y}) == {k} max({x}, {y})", f"max({k} {x}, {k} {y}) == {k + 1} max({x}, {y})"),
        (f"floor({x} / {k + 1}) * {k + 1} <= {x}", f"floor({x} / {k + 1}) * {k + 1} >= {x}"),
        (
            f"abs({x} - {k}) <= {m} <=> {k - m} <= {x} <= {k + m}",
            f"abs({x} - {k}) <= {m} <=> {k - m} <= {x} <= {k + m + 1}",
            {"given": f"{x} real"},
        ),
        (f"ceil({x} / {k + 1}) >= {x} / {k + 1}", f"ceil({x} / {k + 1}) >= {x} / {k + 1} + 1"),
        (f"floor({x}) + floor({y}) <= floor({x} + {y})", f"floor({x}) + floor({y}) == floor({x} + {y})"),
    )
