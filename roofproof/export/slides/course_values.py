"""The values on the slides of a course: solved operations, and the format of every kind of value."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Self

import sympy

from roofproof.derive.algebra.logic import Iff
from roofproof.derive.inequalities.cases import Above, Case, Cases, Never, substitute, with_bounds
from roofproof.derive.inequalities.integers import integer_answer
from roofproof.derive.roofline.intensities import intensity
from roofproof.derive.roofline.ridges import ridge
from roofproof.errors import MissingFigure, RoofproofError, quoted, refuse_unknown, unknown
from roofproof.export.explain.slides import cited, tensors
from roofproof.export.explain.steps import row_line
from roofproof.export.explain.threshold import notation
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.leaves import approximately, number_tex, regime
from roofproof.export.numbers import seconds
from roofproof.export.outline import step_sections
from roofproof.export.plots.inputs import chip_name
from roofproof.export.slides.course_claims import exact_number, figure
from roofproof.export.slides.model import Block, Math, computed
from roofproof.export.slides.study import Study, studied
from roofproof.export.slides.terms import SlideWords
from roofproof.export.to_frames import blocks_of
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation, parse_operation
from roofproof.ops.combine import at as at_sizes
from roofproof.proofs.provers.critical_size import ProvedThreshold, Rule

if TYPE_CHECKING:
    from roofproof.bounds import Bound


class WordKey(str):
    """The key of a word that the slides translate."""


class Solved:
    """An operation on a chip, solved for a dimension at sizes, and derived only once.

    >>> from roofproof import chip
    >>> matmul = Solved({}, "matmul", "B", on=chip("tpu-v5e@scaling-book"), D=4096, F=4096)
    >>> matmul.limit, matmul.at(B=64, D=1024, F=1024).error                  # 64/1024 + 64/1024
    (B, 1/8)
    >>> print(matmul.at(D=1024, F=1024).exact)                               # 240.24/(1 - 240.24 * 2/1024)
    B > 2521600/5571

    Raises RoofproofError for an unknown value.
    """

    def __init__(self, orders: dict[Any, Any], text: str, unknown: str | None = None, on: Chip | None = None,
                 over: str = "", name: str = "", engine: str = "", **sizes: int) -> None:  # fmt: skip
        op = parse_operation(text)
        self._dims = op.dims
        op = op if unknown else at_sizes(op, **sizes)
        op = _on_engine(op, engine) if engine else op
        if over:  # only this memory or link
            op = op.as_one_kernel(reads=(), writes=(), links={over: op.bytes(over)})
        self.op, self.chip, self._sizes, self._orders = (
            replace(op, name=name or op.name),
            on,
            {} if unknown else dict(sizes),
            orders,
        )
        self.channel = next((channel for channel in op.demands if channel not in op.compute), "")
        self._study = cache(lambda: studied(op, op.name, [on] if on else [], unknown, sizes))

    def at(self, **sizes: int) -> Self:
        """Return the same operation at other sizes."""
        dims = [s.name for s in self._dims]
        for name, size in sizes.items():
            refuse_unknown("dimension", name, dims, of=self.op.name)
            if not (isinstance(size, int | sympy.Integer) and size > 0):
                raise RoofproofError(
                    "<name> of <other>: expected a whole number from 1, got <size>",
                    name=name,
                    other=self.op.name,
                    size=quoted(size),
                )
        other = copy(self)
        other._sizes = sizes
        return other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in VALUES:
            raise unknown("value of an operation", name, ("at", "chip", "op", *VALUES))
        value = VALUES[name](self)
        if isinstance(value, sympy.Expr):
            value = substitute(value, self._sizes)
            self._orders[value] = [tensor.elements for tensor in self.op.tensors]  # the order of terms in its sums
        return value

    @property
    def study(self) -> Study:
        """The study behind the slides of the operation."""
        return self._study()

    def _proved(self) -> ProvedThreshold:
        if (study := self._study()).proved is None:
            raise RoofproofError(
                "<name> has no threshold: <what>", name=self.op.name, what=study.reason or study.obstacle
            )
        return study.proved

    def _rule(self) -> Rule:
        if not (rules := self._proved().rules):
            raise RoofproofError("<name> has no rule of thumb", name=self.op.name)
        return rules[0]

    def _ruled(self) -> Cases | WordKey:
        """Return the rule of thumb, or the exact threshold if it does not depend on other sizes."""
        if any(rule.threshold for rule in self._proved().rules):
            return self._solved(self._rule().threshold)
        exact: Cases | WordKey = self.exact
        sizes = {s.name for case in self._proved().found.symbolic for s in case.symbols} & {*self._study().sizes}
        if isinstance(exact, Cases) and sizes - {self._proved().found.unknown.name}:
            raise RoofproofError(
                "<name> has no rule of thumb; declare what its sizes are, `h: width`", name=self.op.name
            )
        return exact

    def _bounds(self) -> "Bound":
        """Return the lower bound on the traffic of the operation, which falls as the memory grows."""
        from roofproof.bounds import bound  # an optional package

        found = bound(self.op)
        if not found.lower or found.regions.never_below is None:
            raise RoofproofError("no memory helps <name>: its bytes do not fall with one", name=self.op.name)
        return found

    def _needed(self) -> sympy.Expr:
        """Return the bytes of memory up to which no schedule is compute-bound on the chip."""
        regions = self._bounds().regions
        assert regions.never_below is not None
        found: sympy.Expr = regions.never_below.subs(regions.ridge, self._proved().found.ceilings[0].ridge)
        return found

    def _of_unit(self, unit: str) -> sympy.Expr:
        """Return the FLOPs of one compute unit of an operation that may use several."""
        if unit not in self.op.compute:
            raise unknown("compute unit", unit, self.op.units)
        return self.op.compute[unit]

    def _solved(self, found: Cases | None) -> Cases | WordKey:
        """Return a threshold at the sizes: one lower bound, or `never`."""
        study = self._study()
        there = found.at({**study.sizes, **study.numbers[0].ridges, **self._sizes}) if found else None
        if isinstance(there, Above) and there.strict:
            return Cases(self._proved().found.unknown, (Case(sympy.true, there),))
        if not isinstance(there, Never):
            raise RoofproofError("expected one lower bound of <name>, got <there>", name=self.op.name, there=there)
        return WordKey("never")


VALUES: dict[str, Callable[[Solved], Any]] = {
    "flops": lambda w: w.op.flops,
    "vector": lambda w: w._of_unit("fp32-vector"),
    "exponentials": lambda w: w._of_unit("exp"),
    "bytes": lambda w: w.op.bytes(w.channel),
    "intensity": lambda w: intensity(w.op, w.channel).value,
    "limit": lambda w: w._rule().limit.value if w._proved().rules else w.intensity,
    "error": lambda w: w._rule().limit.relative_error,
    "regime": lambda w: computed(regime(w._rule().limit.regime.text)),
    "ridge": lambda w: w._proved().found.ceilings[0].ridge,
    "threshold": lambda w: _factored(w._proved().found.symbolic),
    "condition": lambda w: w._proved().found.symbolic.cases[0].when,
    "exact": lambda w: w._solved(w._proved().found.symbolic),
    "rule": lambda w: w._ruled(),
    "traffic": lambda w: w._bounds().lower[-1].value,
    "memory": lambda w: w._bounds().regions.never_below,
    "kibibytes": lambda w: w._needed() / 1024,
    "trust": lambda w: WordKey(w._proved().trust),
    "source": lambda w: (w.op.source,),
    "size": lambda w: w._study().full_sizes,
    "sizes": lambda w: _equal(w._sizes or w._study().sizes),
    "shape": lambda w: {t.name: computed(f"[{', '.join(map(latex, t.shape))}]") for t in w.op.tensors},
    "steps": lambda w: lambda words, orders: _lines(w, words),
    "tensors": lambda w: lambda words, orders: _tensors(w, words),
}
"""The values of an operation that a document may use, by name."""


def _on_engine(op: Operation, engine: str) -> Operation:
    """Return an operation moved to a compute unit that has its format, such as fp32 arithmetic to `fp32-vector`."""
    format = engine.removesuffix("-vector")

    def moved(demand: Mapping[str, sympy.Expr]) -> dict[str, sympy.Expr]:
        other = {name: amount for name, amount in demand.items() if name != format}
        return {**other, engine: demand[format] + other.get(engine, 0)} if format in demand else other

    return op.map_kernels(lambda k: k.on_units(moved))


def _factored(found: Cases) -> Cases:
    """Return a threshold with its bounds factored if possible, such as 2R(n - 1)."""
    return Cases(found.unknown, tuple(Case(c.when, with_bounds(c.threshold, sympy.factor)) for c in found))


def _lines(work: Solved, words: SlideWords) -> Block:
    """Return the proof of a threshold line by line, up to the end of its first case."""
    section = next(s for s in step_sections(work._proved()) if s.key == "steps-threshold")
    cases = [k for k, row in enumerate(section.rows) if row.key == "branch"]
    rows = section.rows[: cases[1]] if len(cases) > 1 else section.rows
    return blocks_of(map(row_line, rows), *notation(work.op), words.language)[0]


def _tensors(work: Solved, words: SlideWords) -> Block:
    study = work._study()
    return blocks_of((tensors(study.op, study.full_sizes),), *notation(study.op), words.language)[0]


def _equal(sizes: Mapping[str, int]) -> Math:
    """Return sizes, with equal ones in one chain: D = F = 4096, B = 241."""
    groups: dict[int, list[str]] = {}
    for name, size in sizes.items():
        groups.setdefault(int(size), []).append(name)
    return computed(r",\; ".join(" = ".join([*names, str(size)]) for size, names in groups.items()))


def _plain_value(value: Any) -> Any:
    return exact_number(value) if isinstance(value, Figure) else value


def _unless_never(write: Callable[..., Any], value: Any, *more: Any) -> Any:
    return value if isinstance(value, WordKey) else write(value, *more)


FILTERS: dict[str, Callable[..., Any]] = {
    "whole": sympy.Integer,
    "simple": lambda v: sympy.factor(sympy.cancel(v)),
    "terms": lambda v: sympy.expand(sympy.cancel(v)),
    "slash": lambda v: lambda words, orders: computed(latex(v, order=orders.get(v, ()), inline=True)),
    "number": figure,
    "percent": lambda v: computed(figure(100 * v, 3).tex + r"\,\%"),
    "times": lambda v: WordKey("unchanged") if v == 1 else computed(rf"\times {figure(sympy.factor(v), 3).tex}"),
    "about": lambda v: computed(approximately(exact_number(v))),
    "reached": lambda v, ridge: sympy.Min(1, exact_number(v / ridge)),
    "bound": lambda found: found.cases[0].threshold.at,
    "integer": lambda found: sympy.Integer(integer_answer(found.cases[0].threshold)),
    "decimal": lambda found: computed(f"{latex(found.unknown)} > {number_tex(found.cases[0].threshold.at)}"),
    "least": lambda found: computed(rf"{latex(found.unknown)} \geq {integer_answer(found.cases[0].threshold)}"),
}
FILTERS = {name: partial(_unless_never, write) for name, write in FILTERS.items()}
FILTERS["over"] = lambda a, b: WordKey("") if WordKey in (type(a), type(b)) else _plain_value(a) / _plain_value(b)
"""The filters that format or convert a value: `<< matmul.exact | bound | number(4) >>`."""


def best(wanted: str, chip: Chip) -> str:
    """Return the wanted format or the nearest one for which the chip has a peak, with its compute unit.

    >>> from roofproof import chip
    >>> [best("bf16", chip(name)) for name in ("tpu-v5e", "snapdragon-8-gen-3", "apple-m2", "raspberry-pi-5")]
    ['bf16', 'fp16', 'fp32', 'fp32-vector']

    Raises MissingFigure for a chip that has none of them.
    """
    tried = dict.fromkeys((wanted, "fp16", "bf16", "fp32", "fp32-vector"))
    found = next((name for name in tried if chip.has(name)), None)
    if found is None:
        said = f"chip {quoted(chip.name)} has no peak in {', '.join(tried)}"
        raise MissingFigure(said, chip.name, wanted)
    return found


def half_precision(chip: Chip) -> str:
    """Return the two-byte format for which a chip has a peak.

    >>> from roofproof import chip
    >>> half_precision(chip("tpu-v5e"))
    'bf16'

    Raises MissingFigure for a chip that has none.
    """
    return next((name for name in ("bf16", "fp16") if chip.has(name)), "") or chip.peak("bf16").resource


def _link(chip: Chip) -> Figure | WordKey:
    """Return the rate of the link to other chips, or the word for a missing spec."""
    try:
        return chip.rate(chip.link)
    except MissingFigure:
        return WordKey("no spec")


def _time(amount: Any, rate: Figure) -> tuple[str | Math, ...]:
    r"""Return the time of an amount at a rate.

    >>> from roofproof import chip
    >>> from sympy import Integer
    >>> _time(Integer(10**9), chip("tpu-v5e@scaling-book").rate("bf16"))         # 1e9 / 1.97e14
    ('≈ 5.0761 ', Math(tex='\\mu\\text{s}'))
    """
    text = seconds(amount / exact_number(rate)).removeprefix("= ")
    return (text.removesuffix("us"), computed(r"\mu\text{s}")) if text.endswith(" us") else (text,)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "half": half_precision,
    "has": lambda chip, name: not isinstance(_link(chip), WordKey) if name == "link" else chip.has(name),
    "link": _link,
    "ridge": ridge,
    "sources": lambda *rates: ("; ".join(dict.fromkeys(cited(rate.source) for rate in rates)),),
    "status": lambda rate: WordKey(f"{rate.status.replace('-', ' ')}||figure"),
    "time": _time,
}
"""The functions that a gap may call."""


def for_slide(value: Any, words: SlideWords, orders: Mapping[Any, Any]) -> Any:
    """Return a value as a slide shows it in a language: a formula, words, a table, or a function that draws a figure.

    >>> for_slide(WordKey("never"), SlideWords("zh"), {}), for_slide(sympy.Rational(1, 2), SlideWords("zh"), {})
    (('永不',), Math(tex='\\\\frac{1}{2}'))
    """
    match value:
        case Solved():
            due = "name a value of it, as << matmul.intensity >>"
            raise RoofproofError("<name> is an operation; <due>", name=value.op.name, due=due)
        case WordKey():
            return words(value) if value else ()
        case int():
            return computed(str(value))
        case Chip():
            return (chip_name(value).partition(" @")[0],)
        case Cases(cases=(Case(threshold=Above(at=at)),)) if at.is_number:
            return computed(f"{latex(value.unknown)} > {number_tex(at)}")
        case Cases():
            return computed(cases(value, lang=words.language, form="reciprocal"))
        case sympy.Expr():
            return computed(latex(value, order=orders.get(value, ())))
        case Iff(args=sides):
            return computed(r" \Leftrightarrow ".join(condition(s, lang=words.language, inline=True) for s in sides))
        case sympy.logic.boolalg.Boolean():
            return computed(condition(value, lang=words.language, inline=True))
    return value(words, orders) if callable(value) else value
