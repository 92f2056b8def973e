"""What is drawn, swept and warned of is known: curves of maps, formulas of sweeps, limits in other orders of growth."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from typeset_all import lent

from roofproof import chip, evaluate, op
from roofproof.derive.limits.limits import Limit, limit
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.sweeps import evaluation
from roofproof.errors import RoofproofError
from roofproof.export.plots import maps, regions
from roofproof.ops import entries
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import prove_limit, sweep_formulas
from roofproof.proofs.known import PROVED, weakest
from roofproof.proofs.oracles.enclosure import value_at
from roofproof.symbols import dimension


def worth(term: Any, point: Mapping[str, Any]) -> float:
    """Return the value of a term at a point, to 64 bits."""
    return float(sum(value_at(term, {name: Fraction(size) for name, size in point.items()}, 64))) / 2


def bounds_in(formula: Any, unknown: str) -> Iterator[Any]:
    """Yield what an unknown is compared with."""
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
    """Return the points of the curves of a map at which no known bound lies."""
    figure = regions(op(name), chip(on), unknown, across, at)
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
    real = maps.holding
    monkeypatch.setattr(maps, "holding", lambda *a: [(low * 1.001, high) for low, high in real(*a)])
    assert off_the_map(*MAPS[0])


QUANTITIES = ("flops", "bytes", "intensity", "lower", "upper", "attainable")


def off_the_formula(name: str) -> list[str]:
    """Return the quantities of an operation whose swept values are not those of the formula that is known."""
    one = entries()[name]()
    on, sizes = lent(one), usual_sizes(one)
    point = {**sizes, **{f"rate of {r}": supply(on, r).value for r in one.demands}}
    wrong = []
    for quantity in (*QUANTITIES, *(f"time:{r}" for r in one.demands)):
        try:
            value = evaluate(one, sizes, quantity, on if quantity not in QUANTITIES[:3] else None)
        except RoofproofError:
            continue  # it has no such quantity
        known = sweep_formulas(one, [quantity], [on])
        *_, formula = known.of(quantity)
        same = abs(worth(formula.statement.goal[2], point) - value) <= 1e-9 * abs(value)
        if known.trust not in PROVED or not same:
            wrong.append(quantity)
    return wrong


SWEPT = [pytest.param(name, marks=[pytest.mark.long] if i % 8 else []) for i, name in enumerate(entries())]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SWEPT)
def test_every_formula_of_a_sweep_is_known(name: str) -> None:
    assert off_the_formula(name) == []


def test_another_formula_of_a_sweep_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = evaluation.formula
    monkeypatch.setattr(evaluation, "formula", lambda *asked: (2 * real(*asked)[0], real(*asked)[1]))
    assert off_the_formula("matmul") == [*QUANTITIES, "time:bf16", "time:memory"]


def unknown_orders(found: Limit) -> list[sympy.Expr]:
    """Return the limits in other orders of growth that an answer warns of and nobody knows."""
    known = prove_limit(found).derivation.of("order")
    assert weakest(known) in PROVED
    return [value for _, value in found.orders if value not in [k.statement.shows[1] for k in known]]


def test_every_other_order_of_growth_is_known() -> None:
    D, F = dimension("D"), dimension("F")
    found = limit(D / (D + F), "D >> F >> B")
    assert len(found.orders) == 3 and unknown_orders(found) == []
    assert unknown_orders(replace(found, orders=(("D >> F >> B", D),))) == [D]
