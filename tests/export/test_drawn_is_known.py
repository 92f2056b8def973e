"""Curves of maps, formulas of sweeps and limits in other orders of growth are all `Known`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from typeset_all import lent

from roofproof import chip, evaluate, op
from roofproof.audit.audits import derived_forms
from roofproof.derive import sweeps
from roofproof.derive.limits.limits import Limit, limit
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError, Undecided
from roofproof.export.plots import Figure, achieved, achieving, critical, maps, regions, threshold_curve, times, timing
from roofproof.ops import entries
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import Derivation, certify
from roofproof.proofs.known import PROVED, Known, Unproved, weakest
from roofproof.proofs.oracles.points import value_at
from roofproof.proofs.translate import with_functions
from roofproof.symbols import dimension


def worth(term: Any, point: Mapping[str, Any]) -> float:
    """Return the value of a term at a point, to 64 bits."""
    return float(sum(value_at(term, {name: Fraction(size) for name, size in point.items()}, 64))) / 2


def bounds_in(formula: Any, unknown: str) -> Iterator[Any]:
    """Yield the terms that an unknown is compared with."""
    head, *parts = formula
    if head in (">", ">=") and ("v", unknown) in parts:
        yield parts[1 - parts.index(("v", unknown))]
    elif head in ("and", "or", "not", "<=>", "=>"):
        for part in parts:
            yield from bounds_in(part, unknown)


MAPS = [
    ("matmul", "tpu-v5e", "B", "D", {"F": 4096}), ("sharded-matmul", "tpu-v5e", "B", "D", {"F": 4096, "n": 4}),
    ("flash-attention", "h100-sxm", "L", "h", {"k": 128}), ("matmul", "h100-sxm", "D", "B", {"F": "D"}),
]  # fmt: skip


def off_the_map(name: str, on: str, unknown: str, across: str, at: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the points on the curves of a map that match no known bound."""
    return off_the_known(regions(op(name), chip(on), unknown, across, at), unknown, across)


def off_the_curve(name: str, on: str, unknown: str, across: str, at: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the points on threshold curves that match no known bound, except on guides and the frame."""
    figure = threshold_curve(op(name), [chip(on)], unknown, across, at)
    bold = tuple(curve for curve in figure.curves if curve.stroke is not None)
    assert bold
    off = off_the_known(replace(figure, curves=bold), unknown, across)
    return [point for point in off if figure.y.low < point[1] < figure.y.high]


def off_the_known(figure: Figure, unknown: str, across: str) -> list[tuple[float, float]]:
    """Return the points on the curves of a figure that match no known bound."""
    cases = [k.statement for k in figure.known if k.statement.kind == "case"]
    assert weakest(figure.known) in PROVED and cases
    terms = {t for s in cases for f in (s.goal, *s.assumptions) for t in bounds_in(s.spelled_out(f), unknown)}
    points = [point for curve in figure.curves for point in curve.points]
    values = {at: [v for t in terms if (v := worth(t, {across: at}))] for at, _ in points}
    return [(at, level) for at, level in points if not any(abs(v - level) < 1e-9 * v for v in values[at])]


@pytest.mark.parametrize("asked", MAPS, ids=lambda asked: f"{asked[0]} on {asked[1]}")
def test_every_curve_of_a_map_is_a_known_bound(asked: tuple[Any, ...]) -> None:
    assert off_the_map(*asked) == []


def test_a_curve_of_its_own_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = maps.intervals_at
    monkeypatch.setattr(maps, "intervals_at", lambda *a: [(low * 1.001, high) for low, high in real(*a)])
    assert off_the_map(*MAPS[0])


CURVES = [*MAPS[:2], ("sliding-window-attention", "h100-sxm", "L", "W", {"k": 128, "h": 32}), MAPS[3]]


@pytest.mark.parametrize("asked", CURVES, ids=lambda asked: f"{asked[0]} on {asked[1]}")
def test_every_curve_of_a_critical_size_is_a_known_bound(asked: tuple[Any, ...]) -> None:
    assert off_the_curve(*asked) == []


def test_a_critical_size_of_its_own_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = critical.values
    monkeypatch.setattr(critical, "values", lambda *a: real(*a) * 1.001)
    assert off_the_curve(*CURVES[0])


def test_an_asymptote_is_a_known_limit() -> None:
    figure = threshold_curve(op("matmul"), [chip("tpu-v5e")], "B", "D", {"F": "D"})
    [limit_known] = [k for k in figure.known if k.statement.kind == "limit"]
    assert any(f"{float(limit_known.statement.value):.4g}" in str(label) for label in figure.labels)


def test_an_asymptote_that_is_not_proved_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    value_proofs = Limit.value_proofs
    monkeypatch.setattr(Limit, "value_proofs", lambda found: [*map(unproved, value_proofs(found))])
    figure = threshold_curve(op("matmul"), [chip("tpu-v5e")], "B", "D", {"F": "D"})
    assert "∞" not in str(figure.labels)


def unknown_marks(figure: Figure) -> list[float]:
    """Return the sizes marked along B in a figure that are not known bounds."""
    assert figure.marks
    terms = [t for k in figure.known if k.statement.kind == "case" for t in bounds_in(k.statement.goal, "B")]
    known = [worth(t, {}) for t in terms]
    return [mark.at[0] for mark in figure.marks if not any(abs(mark.at[0] - v) < 1e-9 * v for v in known)]


ACHIEVED: list[dict[str, int | str]] = [{"D": 4096, "F": 4096}, {"D": 1024, "F": 1024}, {"D": 128, "F": 128}]


def marked() -> tuple[Figure, Figure]:
    """Return a figure of achieved rates and a figure of times."""
    matmul, v5e = op("matmul"), chip("tpu-v5e")
    return achieved(matmul, v5e, "B", ACHIEVED), times(matmul, v5e, "B", ACHIEVED[0])


def test_every_critical_size_that_is_marked_is_known() -> None:
    assert [unknown_marks(figure) for figure in marked()] == [[], []]


def test_a_mark_of_its_own_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = achieving.value
    monkeypatch.setattr(achieving, "value", lambda bound: real(bound) * 1.001)
    off, timed = marked()
    assert len(unknown_marks(off)) == 2 and unknown_marks(replace(timed, known=()))


def test_a_critical_size_that_is_not_proved_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    real = achieving.threshold

    def doubted(*asked: Any) -> Any:
        found = real(*asked)
        return replace(found, solved=Derivation(tuple(map(unproved, found.solved))))

    monkeypatch.setattr(achieving, "threshold", doubted)
    monkeypatch.setattr(timing, "certify", lambda *asked: Derivation(tuple(map(unproved, certify(*asked)))))
    assert not any(figure.marks for figure in marked())
    assert not marked()[1].areas  # the longest time may change at a size that is not known


def unproved(known: Known) -> Known:
    return Known(known.statement, Unproved("nobody looked"))


@pytest.mark.parametrize("drawn", [regions, threshold_curve])
def test_what_is_not_proved_is_not_drawn(drawn: Any) -> None:
    figure = drawn(op("matmul"), chip("tpu-v5e") if drawn is regions else [chip("tpu-v5e")], "B", "D", {"F": 4096})
    with pytest.raises(Undecided, match="is not proved, so it is not drawn"):
        replace(figure, known=(*figure.known, unproved(figure.known[-1])))


QUANTITIES = ("flops", "bytes", "intensity", "lower", "upper", "attainable")


def swept(one: Any, quantity: str, on: Any) -> sympy.Expr:
    """Return the expression that a sweep evaluates, from the counts of the operation and the rates of a chip."""
    times = {r: demand / sympy.Rational(supply(on, r).value) for r, demand in one.demands.items()}
    flops = sympy.Add(*one.compute.values())  # only operations with one compute unit are swept
    forms = {"flops": flops, "bytes": one.bytes(), "upper": sum(times.values())}
    if quantity in forms or quantity == "intensity":
        return forms.get(quantity, flops / one.bytes())
    if quantity.startswith("time:"):
        return times[quantity.removeprefix("time:")]
    least = sympy.Max(*derived_forms(one, "lower", on).values())
    return least if quantity == "lower" else flops / least


def off_the_formula(name: str) -> list[str]:
    """Return the quantities of an operation whose swept values do not follow from its counts and rates."""
    one = entries()[name]()
    on, sizes = lent(one), usual_sizes(one)
    point = dict(sizes)
    wrong = []
    for quantity in (*QUANTITIES, *(f"time:{r}" for r in one.demands)):
        try:
            value = evaluate(one, sizes, quantity, on if quantity not in QUANTITIES[:3] else None)
        except RoofproofError:
            continue  # it has no such quantity
        exact = worth(with_functions(swept(one, quantity, on)), point)
        if abs(exact - value) > 1e-9 * abs(value):
            wrong.append(quantity)
    return wrong


SWEPT = [pytest.param(name, marks=[pytest.mark.long] if i % 8 else []) for i, name in enumerate(entries())]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SWEPT)
def test_every_value_of_a_sweep_is_that_of_its_formula(name: str) -> None:
    assert off_the_formula(name) == []


def test_another_formula_of_a_sweep_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sweeps.formula
    monkeypatch.setattr(sweeps, "formula", lambda *asked: (2 * real(*asked)[0], real(*asked)[1]))
    assert off_the_formula("matmul") == [*QUANTITIES, "time:bf16", "time:memory"]


def unknown_orders(found: Limit) -> list[sympy.Expr]:
    """Return the limits in other orders of growth that an answer warns of but that are not known."""
    known = found.derivation.of("order")
    assert weakest(known) in PROVED
    return [way.value for _, way in found.orders if str(way.value) not in [str(k.statement.value) for k in known]]


def test_every_other_order_of_growth_is_known() -> None:
    D, F = dimension("D"), dimension("F")
    found = limit(D / (D + F), "D >> F >> B")
    assert len(found.orders) == 3 and unknown_orders(found) == []
    (text, way), *_ = found.orders
    with pytest.raises(AssertionError):
        unknown_orders(replace(found, orders=((text, replace(way, value=D, stages=())),)))
