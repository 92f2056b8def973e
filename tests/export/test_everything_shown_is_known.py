"""Everything that is shown is known: every formula and every number of every form of an answer is in its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from everything_shown import Shown, Tree
from formula_values import OPERATIONS
from typeset_all import lent

from roofproof import chip, evaluate, op, threshold
from roofproof.atlas.on_chips import compare
from roofproof.derive.algebra import text
from roofproof.derive.limits import limits
from roofproof.derive.limits.limits import Limit, limit
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.sweeps import evaluation
from roofproof.errors import RoofproofError, Undecided
from roofproof.export import notebook
from roofproof.export.latex import derivation_lines
from roofproof.export.latex.derivations import derivation
from roofproof.export.notebook import in_html, in_latex
from roofproof.export.outline import Row, outline, time_rows
from roofproof.export.plots import maps, regions
from roofproof.export.record import record
from roofproof.export.slides import operation_slides, tensors
from roofproof.export.slides.deck_context import TITLE, clipped
from roofproof.export.slides.decks import deck
from roofproof.export.slides.known import known
from roofproof.export.slides.operation_slides import SOURCE, OperationSlides
from roofproof.export.slides.study import studied
from roofproof.export.slides.terms import Words
from roofproof.export.slides.writing import beamer, marp
from roofproof.export.text import solution
from roofproof.export.text.comparisons import comparison_text
from roofproof.export.text.formatting import rounded
from roofproof.export.text.solution import worked_solution
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import Chip
from roofproof.ops import Operation, entries, parse_operation
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import ProvedThreshold, prove_limit, sweep_formulas
from roofproof.proofs.known import PROVED, Figure, weakest
from roofproof.proofs.provers.statements import Refuted
from roofproof.symbols import dimension


@dataclass(frozen=True)
class Question:
    name: str
    chip: str
    unknown: str
    sized: bool
    regime: str | None = None

    def __str__(self) -> str:
        return f"{self.name} on {self.chip or 'no chip'} for {self.unknown or 'nothing'}{' at sizes' * self.sized}"

    def parts(self) -> tuple[Operation, Chip | None, ProvedThreshold | None, dict[str, int]]:
        op = parse_operation(self.name)
        on = None if not self.chip else lent(op) if self.chip == "its own" else chip(self.chip)
        point = {k: v for k, v in usual_sizes(op).items() if k != self.unknown} if self.sized else {}
        return op, on, threshold(op, on, self.unknown, point, self.regime) if self.unknown else None, point


def questions() -> Iterator[Question]:
    for name, entry in entries().items():
        op = entry()
        for on in ("", "its own", "h100-sxm"):
            for unknown in ("", *(s.name for s in op.dims)):
                for sized in (False, True):
                    yield Question(name, on, unknown, sized)


def looked_at(question: Question) -> Shown | None:
    """Return what is shown in answer to a question and is not known; None where there is no answer."""
    try:
        op, on, proved, point = question.parts()
        told = outline(op, on, proved, point)
    except Refuted:
        raise
    except RoofproofError:
        return None
    in_lines = outline(op, on, proved, point, steps=True)
    all_known = [*in_lines.known, *(proved.derivation if proved else ())]
    all_known += [k for row in (time_rows(op, on, point) if on else ()) for k in row.known]
    rates = [row.about for row in told.rows("figure")] + [row.about.rate for row in told.rows("other", "other-time")]
    names = [op.name, *(t for r in rates for t in (r.convention, r.status, r.source, r.variant))]
    names += [f"{t.name}:{t.dtype}[{','.join(str(s).replace(' ', '') for s in t.shape)}]" for t in op.tensors]
    names += [str(t) for t in op.tensors] + [t.name for t in op.tensors] + [t.dtype for t in op.tensors]
    names += [*op.demands, *op.footprint, op.convention, op.source]
    if on is not None:
        names += [on.name, on.title]
    given = [*op.conditions, *map(sympy.Integer, point.values())]
    given += [each for row in in_lines.rows("step") for each in row.about.by]  # what a reason names
    given += [each for t in op.tensors for each in (*t.shape, sympy.sympify(t.times))]
    numbers = "|".join(rf"(?<![\w*/^])\({row.number}\)(?![*/^])" for row in in_lines.rows("step") if row.number) or "$^"
    shown = Shown(Tree(all_known, given), names)
    shown.plain(worked_solution(op, on, proved, point))
    shown.record(record(op, on, proved, point, 0))
    shown.latex(derivation(op, on, proved, point))
    for thing in (op, proved):
        if thing is not None:
            shown.latex(in_latex(thing) or "")
            shown.html(re.sub(numbers, " ", in_html(thing) or ""))
    if on is not None:
        shown.wrong += [wrong for deck in on_slides(question, on, point, names, given) for wrong in deck.wrong]
    if proved is not None and on is not None:
        with suppress(Undecided):  # a table solves with its ridge points as symbols
            shown.markdown(comparison_text(compare(op, question.unknown, [on], point), markdown=True))
    return shown


def on_slides(
    question: Question, on: Chip, point: Mapping[str, int], names: list[str], given: list[sympy.Basic]
) -> Iterator[Shown]:
    """Yield what the deck of a question shows as Beamer and as Markdown; nothing where there is no deck."""
    op, words = parse_operation(question.name), Words("en")
    try:
        study = studied(op, question.name, [on], question.unknown or None, point)
    except RoofproofError:
        return
    slides = OperationSlides(study, words)
    told = list(known(slides))
    sources = [k.warrant.rate.source for k in told if isinstance(k.warrant, Figure)]
    names = [*names, *(text for source in sources for text in (source, clipped(source, SOURCE).rstrip("…")))]
    names += [
        clipped(question.name, TITLE),
        clipped(question.name, 30),
        on.title.partition(" (")[0],
        *(e.about for e in entries().values() if e.name == question.name),
    ]
    given = [*given, *map(sympy.Integer, study.full_sizes.values())]
    steps = (row.about for section in slides.step_sections for row in section.rows if row.key == "step")
    given += [each for step in steps for each in step.by]  # of limits that slides alone tell
    made = deck([(question.name, op)], [on], "en", question.unknown or None, point)
    as_beamer, as_markdown = Shown(Tree(told, given), names), Shown(Tree(told, given), names)
    as_beamer.beamer(beamer(made))
    as_markdown.marp(marp(made, lambda block: ""))
    assert as_beamer.checked == as_markdown.checked > 0
    yield from (as_beamer, as_markdown)


EVERY = list(questions())
FOUND = [Question("fft", "its own", "", False), Question("matmul", "its own", "F", True)]  # wrong once
FOUND += [Question("sliding-window-attention", "h100-sxm", "L", sized) for sized in (False, True)]
FOUND += [Question("sliding-window-attention", on, "L", False, "L -> oo") for on in ("", "h100-sxm")]
FOUND += [Question("chunked-prefill-attention", on, unknown, False) for on, unknown in (("h100-sxm", "S"), ("", "L"))]
FOUND += [Question("ssd", "its own", "c", True), Question("attention", "h100-sxm", "L", True)]
FOUND += [Question("grouped-matmul", "its own", "k", True), Question("stream-copy", "its own", "", False)]
FOUND += [Question("sddmm", "its own", "Z", True), Question("blocked-stencil", "h100-sxm", "b", True)]
FOUND += [Question("spmm", "h100-sxm", "N", False), Question("depthwise-convolution", "h100-sxm", "C", True)]
ROOT = Question("blocked-stencil", "h100-sxm", "T", True)  # told by its polynomial
SEVERAL = [Question("softmax", "h100-sxm", "", False), Question("sharded-matmul", "its own", "B", True)]
SLOW = {"prefill", "generate", "decode-step", "training-step"} | {
    "convolution", "transposed-convolution", "convolution-3d"
}  # fmt: skip
SAMPLE = [*[q for q in EVERY if q.name not in SLOW][13::101], *FOUND, *SEVERAL, ROOT]
ONE = Question("matmul", "tpu-v5e", "B", True)
ORDERED = Question("flops bf16 = 3 D; bytes memory = D + 2 F + B", "tpu-v5e", "B", False, "D >> F >> B")


@pytest.mark.parametrize("question", SAMPLE, ids=str)
def test_everything_shown_is_known(question: Question) -> None:
    shown = looked_at(question)
    assert shown is None or shown.wrong == []


@pytest.mark.long
@pytest.mark.parametrize("question", EVERY, ids=str)
def test_everything_shown_is_known_of_every_operation(question: Question) -> None:
    shown = looked_at(question)
    assert shown is None or shown.wrong == []


def test_other_orders_of_growth_are_known() -> None:
    shown = looked_at(ORDERED)
    assert shown is not None and shown.wrong == []


def test_most_is_looked_at() -> None:
    shown = looked_at(ONE)
    assert shown is not None and shown.wrong == [] and shown.checked > 150


# --- it can fail: each of these shows something that is not known ----------------------------------


def wrong() -> list[str]:
    shown = looked_at(ONE)
    assert shown is not None
    return shown.wrong


def test_an_integer_of_its_own_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Row.integer.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Row, "integer", property(lambda row: real(row) and real(row) + 1))
    assert wrong().count("274") >= 3  # text, JSON, LaTeX; 273 is known


def test_another_ridge_point_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution, "about", lambda value: f"≈ {rounded(value * sympy.Rational(101, 100)).text}")
    assert "242.94" in wrong()  # 240.54 * 1.01


def test_another_rounding_in_latex_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation_lines, "approximately", lambda value, siunitx=False: r"\approx 240.55")
    assert "240.55" in wrong()


def test_a_formula_of_its_own_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Row.value.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Row, "value", property(lambda row: real(row) * (1 + 2 * (row.key == "intensity"))))
    found = wrong()
    assert any("3*B*D*F" in text for text in found) and any("3BDF" in text for text in found)


def test_a_number_in_a_sentence_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Catalogue.say
    more = {"at": "; 5 * B"}
    monkeypatch.setattr(Catalogue, "say", lambda self, key, **parts: real(self, key, **parts) + more.get(key, ""))
    assert "5 * B" in wrong()


def test_another_line_of_a_proof_in_a_notebook_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = notebook.told

    def told(found: Any, words: Catalogue) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
        for heading, pairs in real(found, words):
            yield (
                heading,
                [
                    (left.replace("I =", "I = 7 *") if "step by step" in heading else left, right)
                    for left, right in pairs
                ],
            )

    monkeypatch.setattr(notebook, "told", told)
    assert any("7 * B*D*F" in text for text in wrong())


def test_another_number_on_a_slide_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = operation_slides.approximately
    monkeypatch.setattr(operation_slides, "approximately", lambda value: real(value * sympy.Rational(101, 100)))
    assert wrong().count("242.94") >= 4  # 240.54 * 1.01, in the ridge point and in the threshold, in both forms


def test_another_formula_on_a_slide_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "latex", lambda *args, **more: "7B")  # in shapes
    assert wrong().count("7B") >= 2


def test_an_integer_answer_that_is_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CriticalSize, "integer", property(lambda found: 274))
    with pytest.raises(Refuted, match="smallest integer B = 274: false at B = 273"):
        looked_at(ONE)


def test_another_root_of_a_polynomial_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "which_root", lambda root: f", {root.index}")  # LaTeX remembers what it made
    shown = looked_at(ROOT)
    assert shown is not None and {*shown.wrong} == {"root(x**4 - 1752*x - 407*x**2 - 26*x**3 - 5120 = 0, 1)"}


# --- maps of regions, formulas of sweeps, other orders of growth ------------------------------------


def worth(term: Any, point: Mapping[str, Any]) -> Any:
    """Return the value of a term at a point."""
    head, *parts = term
    if head in ("v", "q"):
        return point[parts[0]] if head == "v" else Fraction(*parts)
    if head == "^":
        return worth(parts[0], point) ** parts[1]
    return OPERATIONS[head](*(worth(part, point) for part in parts))


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
    values = {at: [float(v) for t in terms if (v := worth(t, {across: Fraction(at)}))] for at, _ in points}
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
        same = abs(float(worth(formula.statement.goal[2], point)) - value) <= 1e-9 * abs(value)
        if known.trust not in PROVED or not same:
            wrong.append(quantity)
    return wrong


SWEPT = [pytest.param(name, marks=[pytest.mark.long] if i % 8 else []) for i, name in enumerate(entries())]


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


def test_a_limit_of_its_own_in_another_order_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = limits.orders
    monkeypatch.setattr(limits, "orders", lambda *asked: tuple((order, 7 * v) for order, v in real(*asked)))
    shown = looked_at(ORDERED)
    assert shown is not None and "21*D/(D + 2*F)" in shown.wrong
