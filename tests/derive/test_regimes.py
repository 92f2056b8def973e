"""All regimes against brute force over rates; the bounds at exact points; closeness against a scan of integers."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof import intensity, op
from roofproof.derive.algebra.cones import facets, feasible, interior, mean
from roofproof.derive.limits.error_threshold import closeness
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.newton_polytope import regimes
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import ZERO, Formula, Term
from roofproof.proofs.known import Known, Open
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.regime_proofs import ProvedRegimes, prove_bound, prove_closeness, prove_regimes
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.provers.time_proofs import overlap_bounds
from roofproof.proofs.search.mean_bounds import sum_bound
from roofproof.proofs.translate import to_formula, to_term
from roofproof.symbols import dimension, quantity

x, y, z = map(quantity, "xyz")
R = quantity("R")
B, D, F, N, T = map(dimension, "BDFNT")
MATMUL = B * D * F / (B * D + D * F + B * F)

exponents = st.integers(0, 2)
monomials = st.builds(lambda c, a, b, d: c * x**a * y**b * z**d, st.integers(1, 4), *(exponents,) * 3)
sums = st.lists(monomials, min_size=1, max_size=4).map(lambda ms: sympy.Add(*ms))
weights = st.tuples(*(st.integers(-7, 7),) * 3)
positive = st.builds(Fraction, st.integers(1, 60), st.integers(1, 60))


def value(expr, point) -> Fraction:
    return sampling.value(to_term(expr), point)


def exponents(poly, names="xyz"):
    return {
        tuple(sympy.Poly(t, x, y, z).monoms()[0]): t for t in sympy.Add.make_args(sympy.expand(poly))
    }  # fmt: skip


def brute_force(expr, w):
    """Return the leading term at these rates, or None where two terms keep up with each other."""
    lead = []
    for poly in sympy.fraction(sympy.cancel(expr)):
        paces = {e: sum(i * j for i, j in zip(e, w, strict=True)) for e in exponents(poly)}
        first = [e for e, pace in paces.items() if pace == max(paces.values())]
        if len(first) > 1:
            return None
        lead.append(exponents(poly)[first[0]])
    return lead[0] / lead[1]


def at(found, w):
    return [t for t in found if t.leads({n: w["xyz".index(n)] for n, _ in t.rates})]


# --- which terms lead -----------------------------------------------------------------------------


@settings(max_examples=20)
@given(sums, sums, st.lists(weights, min_size=20, max_size=20))
def test_the_leading_term_is_that_of_brute_force(top, bottom, many):
    found = regimes(top / bottom)
    for w in many:
        wanted = brute_force(top / bottom, w)
        if wanted is not None:
            [only] = at(found, w)
            assert sympy.cancel(only.term - wanted) == 0


@settings(max_examples=30)
@given(sums, sums, st.lists(weights, min_size=20, max_size=20))
def test_a_cone_is_what_it_is_said_to_be(top, bottom, many):
    for term in regimes(top / bottom):
        assert term.leads(dict(term.rates))
        symbols = {quantity(n): w for n, w in term.rates}
        for w in many:
            pace = {s: w["xyz".index(s.name)] for s in symbols}
            inside = all(degree(a, pace) > degree(b, pace) for a, b in term.cone)
            assert inside == term.leads({s.name: v for s, v in pace.items()})


def degree(monomial, pace):
    return sum(int(p) * pace[s] for s, p in monomial.as_powers_dict().items() if s in pace)


def test_sizes_never_shrink():
    assert [str(t) for t in regimes(N / (2 * N + 1))] == ["1/2 when N >> 1"]
    assert [str(t) for t in regimes(x / (2 * x + 1))] == ["1/2 when x >> 1", "x when 1 >> x"]
    assert [str(t) for t in regimes(B / (D * T + D))] == ["B/(D*T) when T >> 1"]
    assert [str(t) for t in regimes(x + 1, over=())] == ["x + 1 always"]


def test_parameters_stay_where_they_are():
    found = regimes(B * D * F / (B * D + (R + 1) * D * F + B * F), over=["B", "D", "F"])
    assert [str(t) for t in found] == ["B/(R + 1) when D, F >> B", "D when B, F >> D", "F when B, D >> F"]
    assert prove_regimes(found).trust == "kernel"


@settings(max_examples=40)
@given(st.lists(st.tuples(*(st.integers(-3, 3),) * 3).filter(any), max_size=7))
def test_cones_against_z3(vectors):
    w = z3.Reals("a b c")
    solver = z3.Solver()
    rows = [z3.Sum([i * j for i, j in zip(v, w, strict=True)]) for v in vectors]
    solver.add(*(row > 0 for row in rows))
    found = interior(vectors, 3)
    assert (found is not None) == (solver.check() == z3.sat)
    if found is not None:
        assert all(sum(i * j for i, j in zip(v, found, strict=True)) > 0 for v in vectors)
        kept = facets(vectors, 3)
        for v in vectors:  # what was left out follows
            solver = z3.Solver()
            solver.add(*(z3.Sum([i * j for i, j in zip(u, w, strict=True)]) > 0 for u in kept))
            solver.add(z3.Sum([i * j for i, j in zip(v, w, strict=True)]) <= 0)
            assert solver.check() == z3.unsat
        for v in kept:  # and nothing that was kept does
            solver = z3.Solver()
            solver.add(*(z3.Sum([i * j for i, j in zip(u, w, strict=True)]) > 0 for u in kept if u != v))
            solver.add(z3.Sum([i * j for i, j in zip(v, w, strict=True)]) < 0)
            assert solver.check() == z3.sat


def test_feasible_takes_any_right_side():
    assert feasible([[-1, 0], [1, 1]], [-2, 5]) == [2, 3]
    assert feasible([[1]], [-1]) is None and feasible([], []) == []


# --- the bounds -----------------------------------------------------------------------------------

FOUND = {
    "matmul": (MATMUL, "Min(B, D, F)/3 <= B*D*F/(B*D + B*F + D*F) <= Min(B, D, F)"),
    "int8 weights": (2 * B * D * F / (2 * B * D + D * F + 2 * B * F), None),
    "attention share": (
        T * D / (T * D + 6 * D**2), "Min(1, T/(6*D))/2 <= T/(T + 6*D) <= Min(1, T/(6*D))"),
    "attention, S against T": (4 * B * T**2 * D / (8 * B * T * D + 2 * B * T**2), None),
    "FFN": (6 * B * D * F / (2 * B * D + 3 * D * F + 2 * B * F), None),
    "two terms above": ((6 * T * D**2 + 2 * T**2 * D) / (T * D + 3 * D**2 + T**2), None),
    "one term": (2 * B * D, "2*B*D <= 2*B*D <= 2*B*D"),
    "a size": (N / (2 * N + 1), "1/3 <= N/(2*N + 1) <= 1/2"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_regimes_and_bounds_are_proved_by_the_kernel(name):
    expr, said = FOUND[name]
    proved = prove_regimes(regimes(expr))
    assert proved.trust == "kernel"
    if name != "one term" and said is not None and name != "attention share":
        assert str(proved.found).splitlines()[-1] == said
    for pair in proved.leading:
        assert pair[1].theorem.conclusion[0] in ("tends", "=")
    f, s = to_term(expr), to_term(proved.found.envelope)
    assert proved.lower.theorem.conclusion[1] == f and proved.upper.theorem.conclusion[2] == f
    assert s in (proved.upper.theorem.conclusion[1], proved.upper.theorem.conclusion[1][-1])
    named = {Term("v", n.name) for n in expr.free_symbols}
    for theorem in (proved.lower.theorem, proved.upper.theorem):  # nothing but that symbols are positive, or sizes
        assert all(h[1] in named and h[2] in (ZERO, ("q", 1, 1)) for h in theorem.hypotheses)


def test_matmul_in_every_format_of_its_operands():
    for text in (
        "bf16[B,D], int8[D,F] -> bf16[B,F]",
        "int8[B,D], int8[D,F] -> fp32[B,F]",
        "fp32[B,D], fp32[D,F] -> fp32[B,F]",
    ):
        found = regimes(intensity(op(text)).value)
        assert len(found) == 3 and found.low == sympy.Rational(1, 3) and found.high == 1
        assert prove_regimes(found).trust == "kernel"


@settings(max_examples=40)
@given(sums, sums, st.lists(st.tuples(positive, positive, positive), min_size=10, max_size=10))
def test_the_bounds_hold_everywhere(top, bottom, many):
    found = regimes(top / bottom)
    for values in many:
        point = dict(zip("xyz", values, strict=True))
        f, s = value(top / bottom, point), value(found.envelope, point)
        assert value(found.low, point) * s <= f <= value(found.high, point) * s


@settings(max_examples=15)
@given(sums, sums)
def test_all_regimes_and_bounds_are_proved_by_the_kernel(top, bottom):
    proved = prove_regimes(regimes(top / bottom))
    assert proved.trust == "kernel" and len(proved.leading) == len(proved.found)


@pytest.mark.parametrize("p", [(x + y + z) ** 3, x**3 + x * y + 7, 2 * B * N + 3 * N + B + 5, N**2 + 7])
def test_the_terms_that_never_lead_are_means_of_those_that_do(p):
    found = regimes(p)
    k, theorem = sum_bound(found.above)
    assert k == found.high
    sizes = {h[1][1] for h in theorem.hypotheses if h[2] == ("q", 1, 1)}
    assert sizes <= {s.name for s in found.sizes}


pairs = st.tuples(st.integers(0, 6), st.integers(0, 6))


@given(st.lists(pairs, min_size=1, max_size=5), pairs, st.booleans())
def test_means_add_up(vertices, point, size):
    found = mean(point, vertices, [size, False])
    if found is None:  # then some rates part the point from all vertices
        rows = [tuple(p - q for p, q in zip(point, v, strict=True)) for v in vertices]
        assert interior([*rows, *([(1, 0)] if size else [])], 2) is not None
    else:
        times, over = found
        k = sum(times)
        assert k > 0 and min(times) >= 0 and min(over) >= 0 and (size or over[0] == 0) and over[1] == 0
        for j in range(2):
            assert sum(n * v[j] for n, v in zip(times, vertices, strict=True)) == k * point[j] + over[j]


@pytest.mark.parametrize(("side", "low", "high"), [("lower", 2, 1), ("upper", 3, sympy.Rational(9, 10))])
def test_a_wrong_bound_is_refuted(side, low, high):
    from dataclasses import replace

    found = regimes(MATMUL)
    wrong = replace(found, low=sympy.Rational(1, low), high=sympy.sympify(high, strict=True))
    with pytest.raises(Refuted) as caught:
        prove_bound(wrong, side)
    point = caught.value.counterexample
    f, s = value(MATMUL, point), value(found.envelope, point)
    assert f < s * wrong.low if side == "lower" else f > s * wrong.high


def test_trust_is_the_weakest():
    proved = prove_regimes(regimes(MATMUL))
    first = Known(proved.lower.statement, Open("nobody looked"))
    assert ProvedRegimes(proved.found, proved.leading, first, proved.upper).trust == "undecided"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: regimes((2 * N - 1) / (4 * N + 2)),
         "regimes are found of positive coefficients only, and 2*N - 1 has another"),
        (lambda: regimes(sympy.sqrt(x) + 1),
         "sqrt(x) holds x, which may grow; regimes are found of rational functions"),
        (lambda: regimes(MATMUL, over=["Z"]), "unknown symbol 'Z'; known: B, D, F"),
        (lambda: regimes((1 + x + y + z) ** 5), "56 terms; regimes are found of at most 40"),
    ],
)  # fmt: skip
def test_what_has_no_regimes(make, message):
    with pytest.raises(RoofproofError) as caught:
        make()
    assert str(caught.value) == message


# --- sums and maxima ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(1, 9))
def test_a_sum_of_k_is_at_most_k_times_the_largest(k):
    least, most = overlap_bounds(k)
    times = [Term("v", f"T{i}") for i in range(1, k + 1)]
    assert least.conclusion == (">=", ("+", *times), ("max", *times))
    assert most.conclusion == (">=", ("*", ("q", k, 1), ("max", *times)), ("+", *times))
    assert least.hypotheses == {Formula(">", t, ZERO) for t in times} and not most.hypotheses
    ones = {f"T{i}": Fraction(1) for i in range(1, k + 1)}  # no factor below k will do
    assert sampling.value(most.conclusion[2], ones) == k * sampling.value(Term("max", *times), ones)


@pytest.mark.parametrize("k", [0, 9, True, "2"])
def test_how_many_times(k):
    with pytest.raises(RoofproofError) as caught:
        overlap_bounds(k)
    assert str(caught.value) == f"{k} times: expected a number from 1 to 8"


# --- how close ------------------------------------------------------------------------------------


def test_within_one_percent_from_200_on():
    found = closeness(limit(MATMUL, "D, F >> B"), "1 %", "D", along={"F": D})
    assert str(found) == "D >= 200*B" and found.smallest({"B": 240}) == 48000
    assert prove_closeness(found).trust == "kernel"
    same = closeness(limit(MATMUL, "D = F >> B"), Fraction(1, 100), "D")
    assert same.cases == found.cases


def test_closeness_for_one_symbol_has_cases():
    found = closeness(limit(MATMUL, "D, F >> B"), "1%", "D")
    assert str(found) == "D >= 100*B*F/(F - 100*B)    when B < F/100\nnever                       otherwise"
    assert prove_closeness(found).trust == "kernel"
    assert closeness(limit(MATMUL, "D, F >> B"), "1%", "D", {"F": 4096}).smallest({"B": 40}) == 170667
    assert closeness(limit(MATMUL, "D, F >> B"), "1%", "D", {"F": 4096}).smallest({"B": 41}) is None


SCANNED = [
    ((2 * N - 1) / (4 * N + 2), "1/100", 101),
    ((N**2 + 2 * N) / (N**2 + N + 3), "10 %", 3),
    (N**2 / (N + 3), "0.05", 60),
    ((N + 1) / (N**2 + 7), "1/7", 5),
    (sympy.Max(N, 40) / (N + 1), "1 %", 100),
    (N / (N + 1) + 2, "2", 1),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("expr", "eps", "smallest"), SCANNED)
def test_closeness_is_that_of_a_scan(expr, eps, smallest):
    tends = limit(expr, "N -> oo")
    found = closeness(tends, eps, "N")
    assert prove_closeness(found).trust == "kernel"
    threshold, scan = to_formula(found.at({}).holds(N)), []
    for n in range(1, 400):
        point = {"N": Fraction(n)}
        if not sampling.holds(to_formula(tends.where), point):
            continue
        close = abs(value(tends.stands_for, point) / value(expr, point) - 1) <= Fraction(
            int(found.eps.p), int(found.eps.q)
        )
        try:
            assert sampling.holds(threshold, point) == close
        except sampling.Inexact:  # a bound with a root
            bounds = found.at({})
            assert bool(bounds.at <= n) == close
        scan += [n] * close
    assert found.smallest() == smallest == scan[0]


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.builds(Fraction, st.integers(1, 9), st.integers(10, 60)),
)
def test_random_closeness_is_that_of_a_scan(above, below, eps):
    expr = sum(c * N**i for i, c in enumerate(above)) / sum(c * N**i for i, c in enumerate(below))
    tends = limit(expr, "N -> oo")
    error = tends.relative_error if tends.growth is None else tends.growth_error
    assume(error != 0)
    found = closeness(tends, eps, "N")
    threshold = to_formula(found.at({}).holds(N))
    for n in (*range(1, 60), 200, 1000, 10**6):
        point = {"N": Fraction(n)}
        try:
            told = sampling.holds(threshold, point)
        except sampling.Inexact:
            continue
        assert told == (abs(value(tends.stands_for, point) / value(expr, point) - 1) <= eps)


def test_closeness_counts_only_where_the_limit_was_taken():
    found = closeness(limit(sympy.Max(N, 40) / (N + 1), "N -> oo"), "50 %", "N")  # 1/N <= 1/2, but 40 until N = 40
    assert str(found) == "N >= 40" and prove_closeness(found).trust == "kernel"


def test_a_wrong_closeness_is_refuted():
    found = closeness(limit(MATMUL, "D = F >> B"), "1 %", "D")
    wrong = closeness(limit(MATMUL, "D = F >> B"), "2 %", "D")
    with pytest.raises(Refuted) as caught:
        certify(found.statement, wrong.cases)
    point = caught.value.counterexample
    assert 100 * point["B"] <= point["D"] < 200 * point["B"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: closeness(limit(MATMUL, "D = F >> B"), 0.01, "D"),
         "epsilon '0.01': write it as text, such as '1 %' or '0.01', or as a fraction"),
        (lambda: closeness(limit(MATMUL, "D = F >> B"), "little", "D"),
         "epsilon 'little': expected a positive number, such as '1 %' or '0.01'"),
        (lambda: closeness(limit(MATMUL, "D = F >> B"), "1e999999999", "D"),
         "epsilon '1e999999999': expected a positive number, such as '1 %' or '0.01'"),
        (lambda: closeness(limit(MATMUL, "D = F >> B"), "1/0", "D"),
         "epsilon '1/0': expected a positive number, such as '1 %' or '0.01'"),
        (lambda: closeness(limit(MATMUL, "D = F >> B"), -1, "D"),
         "epsilon '-1': expected a positive number, such as '1 %' or '0.01'"),
        (lambda: closeness(limit(MATMUL, "D = F >> B"), "1%", "Z"), "unknown symbol 'Z'; known: B, D"),
        (lambda: closeness(limit(D * F / (D + F), "D -> oo"), "1%", "N"), "unknown symbol 'N'; known: D, F"),
        (lambda: closeness(limit(R * MATMUL, "D = F >> B"), "1%", "R"),
         "the relative error 2*B/D is free of R: another symbol decides"),
        (lambda: closeness(limit((x - y) / z, "z -> oo"), "1%", "z"),
         "the limit 0 has no relative error in closed form"),
    ],
)  # fmt: skip
def test_what_closeness_refuses(make, message):
    with pytest.raises(RoofproofError) as caught:
        make()
    assert str(caught.value) == message


def test_an_exact_limit_is_close_always_and_every_point_has_one_leading_term_at_most():
    assert str(closeness(limit(D / (D + F), "D ~ F -> oo"), "1%", "D")) == "always"
    found = regimes((x**3 + y**3 + z) / (x * y + 1))
    for w in product(range(-3, 4), repeat=3):
        assert len(at(found, w)) <= 1
