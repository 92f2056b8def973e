"""Random claims in a regime: some sizes grow and the others are fixed."""

from fractions import Fraction
from random import Random

from forms.draft import Draft, num, one_of, other, text
from forms.operations import matmul

TO, OVER = {"regime": "N -> oo"}, {"regime": "N >> B"}
BOTH, FREE = {"regime": "D, F >> B"}, {"regime": "D, F -> oo"}


def regimes(r: Random, broken: bool) -> Draft:
    """Return a claim about a limit, or one that holds far out."""
    a, b, k, m = num(r), num(r), num(r), num(r)
    least, most = sorted(r.sample(range(1, 4), 2))
    ratio, half, share = Fraction(a, b), Fraction(a, 2), Fraction(a + 1, a + 2)
    return one_of(
        r,
        broken,
        (
            f"({a} N + B) / ({b} N + {k}) -> {text(ratio)}",
            f"({a} N + B) / ({b} N + {k}) -> {text(other(r, ratio))}",
            TO,
        ),
        (
            f"limit({a} B N / ({b} N + {k} B)) == {text(ratio)} B",
            f"limit({a} B N / ({b} N + {k} B)) == {text(2 * ratio)} B",
            OVER,
        ),
        (
            f"F / (D + F) -> {text(share)}",
            f"F / (D + F) -> {text(1 - share)}" if a else "",
            {"regime": f"F = {a + 1} D -> oo"},
        ),
        (
            f"({a} x + {b}) / (x + {k}) -> {text(Fraction(b, k))}",
            f"({a} x + {b}) / (x + {k}) -> {text(Fraction(b + 1 + b // 4, k))}",  # more than rounding to one digit
            {"regime": "x -> 0"},
        ),
        (f"sqrt(N^2 + {a} N) - N -> {text(half)}", f"sqrt(N^2 + {a} N) - N -> {text(other(r, half))}", TO),
        (f"N / ({k} B) -> oo", f"N / ({k} B) -> 1", OVER),
        (f"1 / D + {k} / F -> 0", f"D / F -> {k}", FREE),
        (f"{a} N + {b} > {a} N", f"{a} N + {b} < {a} N", TO),
        (f"{a} N / (N + {b}) < {a}", f"{a} N / (N + {b}) >= {a}", TO),
        (f"{a} N^{most} > {100 * b} N^{least} + {k} B", f"{a} N^{most} < {100 * b} N^{least} + {k} B", OVER),
        ("B + 1 / N > B", "B + 1 / N < B", OVER),
        ("d^2 < L", "d^2 > L", {"regime": "L >> d -> oo"}),
        (f"D F > {a} B D + {b} B F", f"D F < {a} B D + {b} B F", BOTH),
        (f"B N > {k} N - {m} => B >= {k}", f"B N > {k} N + {m}", {"regime": "N >> B", "given": "B integer"}),
        right="eventually",
    )


def far_out(r: Random, broken: bool) -> Draft:
    """Return a claim that eventually holds, or never does: growth rates, edges, iterated limits, fixed sizes."""
    a, b, k = num(r), num(r), num(r)
    whole = {"regime": "N >> B", "given": "B integer"}
    return one_of(
        r,
        broken,
        (f"N + {k} ~= N", f"N + {k} == N", TO),
        (f"N > {1000 * k}", f"N < {1000 * k}", TO),
        (f"N < {k} or N > {100 * k} B", f"N < {k} and N > B", OVER),
        ("D F > D", "D F > D^2", FREE),
        (f"max(N, {k} B) == N", f"max(N, {k} B) == {k} B", OVER),
        (f"N^2 - {100 * k} N > {b} B", f"N^2 - {100 * k} N < {b} B", OVER),
        (f"L / d^2 > {k} r", f"L / d^2 < {k} r", {"regime": "L >> d >> r"}),
        (f"x^2 < {text(Fraction(1, k))} * x", f"x^2 > {text(Fraction(1, k))} * x", {"regime": "x -> 0"}),
        (f"B > {k} <=> B N > {k} N", f"B > {k} <=> B N > {2 * k + 3} N", OVER),
        (f"B N > {k} N + {b} <=> B > {k}", f"B N > {k} N + {b} <=> B > {2 * k + 3}", OVER),
        (f"{k} N / (N + B) <= {k}", f"{k} N / (N + B) > {k}", OVER),
        ("B N / (N + B) < B", "B N / (N + B) >= B", OVER),
        (f"floor(N / {k}) ~= N / {k}", f"floor(N / {k}) ~= N / {2 * k}", TO),
        (f"B >= {k} <=> B N + 1 > {k} N", f"B > {k} <=> B N + 1 > {k} N", whole),  # at B = k the constant decides
        (f"(N + {k})^2 ~= N^2 + {2 * k} N", f"(N + {k})^2 == N^2 + {2 * k} N", TO),
        (f"B > {k} => {a} N B > {a * k} N", f"B > {k} => B > N / {b}", OVER),
        ("sqrt(N) > log2(N)", "sqrt(N) < log2(N)", TO),
        (f"2^N > N^{k}", f"2^N < N^{k}", TO),
        ("floor(B / N) == 0", "floor(N / B) == 0", OVER),
        (f"D F > {a} or F > D", f"D > F or F > {a} D", FREE),
        right="eventually",
    )


def rules(r: Random, broken: bool) -> Draft:
    """Return a rule of thumb about an operation: a limit of its intensity, or its threshold far out."""
    op, ops, (x, w, z) = matmul(r)
    ridge = Fraction(r.randint(1000, 99999), r.choice([7, 41, 100]))
    level, said = f"intensity({op})", ridge * w / 2
    return one_of(
        r,
        broken,
        (f"{level} -> {text(Fraction(2, w))} * B", f"{level} -> {text(Fraction(3, w))} * B", BOTH),
        (f"{level} ~= {text(Fraction(2, w))} B", f"{level} ~= {text(Fraction(2, w + 1))} B", BOTH),
        (f"{level} ~= {text(Fraction(2, z))} D", f"{level} ~= {text(Fraction(2, z + 1))} D", {"regime": "B, F >> D"}),
        (f"{level} > {text(ridge)} <=> B > {text(said)}", f"{level} > {text(ridge)} <=> B > {text(said * 2)}", BOTH),
        (f"{level} -> 2 D F / ({x} D + {z} F)", f"{level} -> 2 D F / ({x} D + {z + 1} F)", {"regime": "B >> D, F"}),
        (f"bytes({op}) ~= {w} D F", f"bytes({op}) ~= {2 * w} D F", BOTH),
        (f"{level} > {text(ridge)}", f"{level} < {text(ridge)}", {"regime": "B, D, F -> oo"}),
        right="eventually",
        ops=ops,
    )


def anyhow(r: Random, broken: bool) -> Draft:
    """Return a random combination of comparisons. Only the evaluator knows whether it is true."""
    regime, stays, grows = r.choice([
        ("N >> B", ["B"], ["N"]), ("N -> oo", ["B", "C"], ["N"]), ("D, F >> B", ["B"], ["D", "F"]),
        ("D, F -> oo", ["B"], ["D", "F"]), ("L >> d >> B", ["B"], ["L", "d"]), ("D ~ F >> B", ["B"], ["D", "F"]),
        ("F = 3 D -> oo", ["B"], ["D", "F"]), ("x -> 0", ["B"], ["x"]),
    ])  # fmt: skip

    def term() -> str:
        k, b, n, m = num(r), r.choice(stays), r.choice(grows), r.choice(grows)
        rounded = f"{r.choice(['floor', 'ceil'])}({n} / {num(r, 6)})"
        alone = [f"{k}", f"{k} {b}", f"{k} {n}", f"{b} {n}", f"{k} {n} {m}", f"{k} / {n}", f"{n}^2", f"{n} / {m}"]
        return r.choice([*alone, f"{b} {n} / ({m} + {k})", f"max({n}, {k} {b})", f"min({n}, {k} {b})", rounded])

    def side() -> str:
        return term() if r.random() < 0.4 else f"{term()} {r.choice('+-')} {term()}"

    def link() -> str:
        if r.random() < 0.3:
            return f"{r.choice(stays)} {r.choice(['>', '>=', '<', '<=', '==', '!='])} {num(r)}"
        return f"{side()} {r.choice(['>', '>=', '<', '<=', '==', '!='])} {side()}"

    one, other = link(), link()
    says = r.choice([one, one, f"({one}) => ({other})", f"({one}) <=> ({other})", f"({one}) or ({other})",
                     f"not (({one}) and ({other}))"])  # fmt: skip
    given = r.choice(["", "", f"{stays[0]} integer", f"{stays[0]} >= {num(r, 4)}", f"{grows[0]} integer"])
    return Draft(says, "anything", given if "x" not in grows else given.replace("x integer", ""), regime)
