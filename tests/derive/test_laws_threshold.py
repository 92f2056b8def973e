"""Laws on random einsums and random chips: FLOPs and bytes, thresholds compared with a scan, limits, times.

The tests compute the right side of each law independently, from shapes, formats and specs, in exact fractions.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof import RoofproofError
from roofproof.derive import attainable, intensity, limit, lower, threshold, time, upper
from roofproof.derive.inequalities.cases import Never, Threshold, substitute
from roofproof.export.record import record
from roofproof.hardware import Chip, chip_from_text
from roofproof.ops import Einsum, parse_operation
from roofproof.proofs import threshold as proved_threshold
from roofproof.symbols import quantity

BYTES = {"int4": Fraction(1, 2), "int8": Fraction(1), "bf16": Fraction(2), "fp32": Fraction(4)}
WIDER = {"int4": "int8", "int8": "bf16", "bf16": "fp32", "fp32": "fp64"}
INDICES = "BDFN"
SCAN = 60
FEW = settings(max_examples=max(1, settings().max_examples // 2))  # half of the current profile, for costly laws


@dataclass(frozen=True)
class Sum:
    """An einsum as plain data: the indices and the format of each tensor, with the output last."""

    shapes: tuple[str, ...]
    formats: tuple[str, ...]

    @property
    def text(self) -> str:
        *inputs, output = (f"{f}[{','.join(s)}]" for f, s in zip(self.formats, self.shapes, strict=True))
        return f"{', '.join(inputs)} -> {output} @ bf16-vector"

    @property
    def single(self) -> bool:
        """Whether the einsum is one loop nest, with at most two inputs."""
        return len(self.shapes) < 4

    @property
    def dims(self) -> str:
        return "".join(dict.fromkeys("".join(self.shapes)))

    def flops(self, sizes: dict[str, int]) -> Fraction:
        """Return the FLOPs of contracting two tensors at a time: two per point with a sum, one without."""
        *todo, output = map(set, self.shapes)
        if len(todo) == 1:
            return Fraction(prod(sizes[i] for i in todo[0]) if todo[0] - output else 0)
        count, made = 0, todo.pop(0)
        while todo:
            loops, later = made | todo.pop(0), output.union(*todo)
            count += (2 if loops - later else 1) * prod(sizes[i] for i in loops)
            made = loops & later
        return Fraction(count)

    def tensor_bytes(self, sizes: dict[str, int]) -> list[Fraction]:
        return [BYTES[f] * prod(sizes[i] for i in s) for f, s in zip(self.formats, self.shapes, strict=True)]

    def intensity(self, sizes: dict[str, int]) -> Fraction:
        return self.flops(sizes) / sum(self.tensor_bytes(sizes))


# In half of the cases a size decides, because there are several tensors of two indices and a low ridge point.
pairs = st.lists(st.sampled_from(["BD", "DF", "BF", "FN", "DN", "BDF"]), min_size=2, max_size=3)
shapes = st.lists(st.sampled_from(INDICES), unique=True, max_size=3).map("".join)


@st.composite
def sums(draw: st.DrawFn) -> Sum:
    inputs = draw(st.one_of(pairs, pairs, st.lists(shapes, min_size=1, max_size=3)))
    assume(any(inputs))
    output = draw(st.lists(st.sampled_from(sorted(set("".join(inputs)))), unique=True, max_size=2).map("".join))
    formats = draw(st.lists(st.sampled_from(sorted(BYTES)), min_size=len(inputs) + 1, max_size=len(inputs) + 1))
    one = Sum((*inputs, output), tuple(formats))
    assume(one.flops(dict.fromkeys(one.dims, 1)))
    return one


points = st.fixed_dictionaries({i: st.one_of(st.integers(1, 12), st.sampled_from([64, 100, 4096])) for i in INDICES})
ridges = st.one_of(
    st.builds(Fraction, st.integers(1, 9), st.integers(3, 30)),
    st.builds(Fraction, st.integers(10, 99), st.integers(3, 30)),
    st.builds(lambda m, e: Fraction(m, 10) * 10**e, st.integers(10, 99), st.integers(0, 2)),
)


def chip_of(ridge: Fraction) -> Chip:
    """Return a chip with a given ridge point: its numerator is the peak, its denominator the bandwidth, times 1e9."""
    peak = f"{ridge.numerator}e9 FLOP/s"
    return chip_from_text(f"bf16={peak}, bf16-vector={peak}, hbm={ridge.denominator}e9 B/s")


def fraction(value: object) -> Fraction:
    exact = sympy.Integer(value) if isinstance(value, int) else value
    assert isinstance(exact, sympy.Rational), value
    return Fraction(int(exact.p), int(exact.q))


def at(expr: sympy.Expr, sizes: dict[str, int]) -> Fraction:
    return fraction(substitute(expr, sizes))


def only(one: Sum, sizes: dict[str, int]) -> dict[str, int]:
    return {i: sizes[i] for i in one.dims}


def says(found: Threshold, n: int) -> bool:
    return bool(found.holds(sympy.Integer(n)))


@given(sums(), points, st.integers(2, 5))
def test_flops_and_bytes_are_homogeneous(one: Sum, sizes: dict[str, int], k: int) -> None:
    """With all sizes k times as large, FLOPs grow by k^loops and a tensor by k^rank. One size counts at most once."""
    op = parse_operation(one.text)
    grown = {i: k * n for i, n in sizes.items()}
    assert at(op.flops, sizes) == one.flops(sizes)
    assert at(op.flops, grown) == one.flops(grown)
    if one.single:
        assert at(op.flops, grown) == k ** len(one.dims) * at(op.flops, sizes)
    assert [at(t.bytes, sizes) for t in op.tensors] == one.tensor_bytes(sizes)
    for tensor, shape in zip(op.tensors, one.shapes, strict=True):
        assert at(tensor.bytes, grown) == k ** len(shape) * at(tensor.bytes, sizes)
    assert at(op.bytes(), sizes) == sum(one.tensor_bytes(sizes))
    for i in one.dims if one.single else "":
        assert at(op.flops, {**sizes, i: k * sizes[i]}) == k * at(op.flops, sizes)


@given(sums(), points, st.integers(2, 5))
def test_intensity_is_homogeneous(one: Sum, sizes: dict[str, int], k: int) -> None:
    """Twice the bytes per element halve the intensity. With tensors of one rank its degree is loops - rank."""
    value = intensity(parse_operation(one.text)).value
    assert at(value, sizes) == one.intensity(sizes)
    wide = Sum(one.shapes, tuple(WIDER[f] for f in one.formats))
    assert sympy.cancel(2 * intensity(parse_operation(wide.text)).value - value) == 0
    ranks = {len(s) for s in one.shapes}
    if len(ranks) == 1 and one.single:
        grown = {i: k * n for i, n in sizes.items()}
        assert at(value, grown) == Fraction(k) ** (len(one.dims) - ranks.pop()) * at(value, sizes)


@given(st.data(), sums(), points, ridges)
def test_threshold_is_where_a_scan_finds_it(data: st.DataObject, one: Sum, sizes: dict[str, int], r: Fraction) -> None:
    """The threshold agrees with exact counting at every integer up to a bound, and around the answer."""
    x = data.draw(st.sampled_from(one.dims))
    others = {i: n for i, n in only(one, sizes).items() if i != x}
    found = threshold(parse_operation(one.text), chip_of(r), x, others)
    assert found.at_point is not None

    def holds(n: int) -> bool:
        return one.intensity({**others, x: n}) > r

    near = [n for n in range((found.integer or 1) - 3, (found.integer or 1) + 4) if n > 0]
    for n in [*range(1, SCAN), *near, 10**3, 10**6, 10**12]:
        assert says(found.at_point, n) == holds(n)
    if found.at_point.kind in ("above", "always"):
        first = found.integer
        assert first is not None and holds(first) and (first == 1 or not holds(first - 1))
        if first <= SCAN:
            assert first == next(n for n in range(1, SCAN + 1) if holds(n))
    elif found.at_point.kind == "never":
        assert found.integer is None


@given(st.data(), sums(), points, ridges)
def test_one_case_applies_and_the_symbolic_ridge_agrees(
    data: st.DataObject, one: Sum, sizes: dict[str, int], r: Fraction
) -> None:
    x = data.draw(st.sampled_from(one.dims))
    others = {i: n for i, n in only(one, sizes).items() if i != x}
    found = threshold(parse_operation(one.text), chip_of(r), x)
    assert sum(substitute(c.when, others) == sympy.true for c in found.cases) == 1
    [ceiling] = found.ceilings
    exact = {**others, ceiling.symbol.name: sympy.Rational(r.numerator, r.denominator)}
    whole, numeric = found.symbolic.at(exact), found.cases.at(others)
    for n in [1, 2, 3, 7, 10**2, 10**4, 10**9]:
        assert says(whole, n) == says(numeric, n)


@FEW
@given(st.data(), sums(), ridges)
def test_every_threshold_is_proved(data: st.DataObject, one: Sum, r: Fraction) -> None:
    x = data.draw(st.sampled_from(one.dims))
    assert proved_threshold(parse_operation(one.text), chip_of(r), x).trust == "kernel"


@given(st.integers(1, 10**4), st.integers(1, 10**4), ridges)
def test_strictly_above(d: int, f: int, r: Fraction) -> None:
    """The threshold of matmul is B > R D F / (D F - R (D + F)), or never if D F <= R (D + F)."""
    found = threshold(parse_operation("matmul"), chip_of(r), "B", {"D": d, "F": f})
    room = d * f - r * (d + f)
    if room <= 0:
        assert found.at_point == Never() and found.integer is None
    else:
        assert found.integer == r * d * f // room + 1


@given(st.data(), sums(), points)
def test_limit_errs_by_what_it_says(data: st.DataObject, one: Sum, sizes: dict[str, int]) -> None:
    """|value - I| = e I at every point where the stated error applies, and the error vanishes far out."""
    value = intensity(parse_operation(one.text)).value
    names = sorted(s.name for s in value.free_symbols)
    assume(names)
    growing = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    try:
        found = limit(value, f"{', '.join(growing)} -> oo")
    except RoofproofError as error:
        assert "how fast" in str(error) and "\n" not in str(error)
        return
    stated = found.relative_error if found.growth is None else found.growth_error
    assert stated is not None
    far = {**sizes, **{n: 10**9 * (i + 1) for i, n in enumerate(growing)}}
    for place in (sizes, {n: 7 * v for n, v in sizes.items()}, far):
        f, e, v = one.intensity(only(one, place)), at(stated, place), at(found.leading_value, place)
        if place is far or substitute(found.where, place) == sympy.true:
            assert abs(v - f) == e * f
    assert at(stated, far) < Fraction(1, 10**3)
    if found.value == sympy.oo:
        assert one.intensity(only(one, far)) > 10**6
    elif found.value == 0:
        assert one.intensity(only(one, far)) < Fraction(1, 10**3)


@FEW
@given(sums(), points, st.integers(1, 10**4), st.integers(1, 10**4))
def test_times(one: Sum, sizes: dict[str, int], peak: int, bandwidth: int) -> None:
    """max <= sum <= k max, and the attainable rate is the FLOPs divided by the overlapped time."""
    assume(Fraction(1, 100) <= Fraction(peak, bandwidth))
    op, chip = parse_operation(one.text), chip_from_text(f"bf16-vector={peak}e6 FLOP/s, hbm={bandwidth}e6 B/s")
    flops, moved = one.flops(sizes), sum(one.tensor_bytes(sizes))
    times = {name: at(t, sizes) for name, t in time(op, chip).items()}
    assert times == {"bf16-vector": flops / (peak * 10**6), "memory": moved / (bandwidth * 10**6)}
    low, high = at(lower(op, chip), sizes), at(upper(op, chip), sizes)
    assert low == max(times.values()) and high == sum(times.values())
    assert low <= high <= len(times) * low
    rate = fraction(attainable(*map(sympy.Integer, (peak, bandwidth)), sympy.Rational(str(flops / moved)))) * 10**6
    assert rate <= peak * 10**6 and rate == flops / low
    assert (rate == peak * 10**6) == (flops / moved >= Fraction(peak, bandwidth))


@given(sums())
def test_text_is_read_printed_and_read_alike(one: Sum) -> None:
    parsed = Einsum.parse(one.text)
    assert Einsum.parse(str(parsed)) == parsed
    assert str(Einsum.parse(str(parsed))) == str(parsed)
    a, b = parse_operation(one.text), parse_operation(str(parsed))
    assert (a.demands, a.tensors, a.dims) == (b.demands, b.tensors, b.dims)


REAL = {name: quantity(name) for name in (*INDICES, "R")}


def read(text: str) -> sympy.Expr:
    """Read a string of the record as an expression in positive reals, as in the proofs."""
    return sympy.sympify(text, locals=REAL)


def real(expr: sympy.Basic) -> sympy.Basic:
    return expr.xreplace({s: REAL[s.name] for s in expr.free_symbols})


@FEW
@given(st.data(), sums(), points, st.none() | ridges)
def test_strings_of_the_record_are_the_expressions(
    data: st.DataObject, one: Sum, sizes: dict[str, int], r: Fraction | None
) -> None:
    x = data.draw(st.sampled_from(one.dims))
    point = {i: n for i, n in only(one, sizes).items() if i != x}
    op, chip = parse_operation(one.text), None if r is None else chip_of(r)
    proved = proved_threshold(op, chip, x, point)
    written = json.loads(json.dumps(record(op, chip, proved, point, 0)))
    assert written["dims"] == [s.name for s in op.dims]
    assert (read(written["flops"]), read(written["bytes"])) == (real(op.flops), real(op.bytes()))
    assert read(written["intensity"]) == real(intensity(op).value)
    assert read(written["ridge"]) == (REAL["R"] if r is None else sympy.Rational(str(r)))
    for row, case in zip(written["threshold"]["cases"], proved.found.cases, strict=True):
        assert (row["kind"], read(row["when"])) == (case.threshold.kind, real(case.when))
        if row["kind"] in ("above", "below"):
            assert sympy.cancel(read(row["at"]) - real(case.threshold.at)) == 0
    assert written["threshold"]["integer_at_point"] == proved.found.integer
    for row, rule in zip(written["limits"], proved.rules, strict=True):
        assert read(row["value"]) == real(rule.limit.value)
    if chip is not None:
        for name, value in time(op, chip).items():
            assert sympy.cancel(read(written["time"]["resources"][name]) - real(substitute(value, point))) == 0
