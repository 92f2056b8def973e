"""The slides of an operation, one section each: bytes moved, intensity, threshold with its proof, and numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.inequalities.cases import Above, Always, Below, Cases, Never, Threshold, case_at, substitute
from roofproof.derive.limits.limits import Limit, limit
from roofproof.derive.limits.regime import Regime as AsRegime
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.errors import RoofproofError
from roofproof.export.doc import (
    Bounded,
    Code,
    Convention,
    Decimal,
    Display,
    Doc,
    Duration,
    FigureNote,
    Formula,
    Inline,
    Line,
    Listed,
    Mark,
    Number,
    Picture,
    Regime,
    Say,
    Section,
    Table,
    between,
    bracketed,
    say,
    sizes,
)
from roofproof.export.doc import Row as DocRow
from roofproof.export.explain.library import about
from roofproof.export.explain.steps import row_line
from roofproof.export.explain.threshold import (
    PHRASES,
    STATUS,
    TIME_REASONS,
    bound_when,
    limit_phrases,
    notation,
    time_of,
)
from roofproof.export.outline import Row, outline, sections_of, time_rows
from roofproof.export.to_text import inline_text
from roofproof.ops import Operation, entries
from roofproof.ops.roles import ANY, role_of
from roofproof.proofs.known import Known
from roofproof.proofs.provers import roofline
from roofproof.proofs.provers.critical_size import background_assumptions
from roofproof.proofs.provers.rule_of_thumb import misleads
from roofproof.proofs.steps.answer import limit_steps_or_reason, threshold_steps_or_reason
from roofproof.proofs.steps.step import Reason
from roofproof.say import LANGUAGES, table
from roofproof.sentences import Resource

if TYPE_CHECKING:
    from roofproof.derive.on_chips import OnChip
    from roofproof.export.slides.study import Study
    from roofproof.hardware import Chip
    from roofproof.ops import Entry

TENSORS = 7  # tensors that a table lists one by one
SIGNED = 4  # tensors whose formats and shapes fit on one line
TERMS = 9  # terms of a printed sum (a longer sum is described by its number of terms)
CASES = 4  # cases on one slide
LINES = 12  # lines of a proof on one slide
OTHERS = 8  # other published specs in one table
NAME = 40  # characters of a chip's name
CHIPS = 10  # chips in one table
DRAWN = 4  # chips in one plot
WHOLE = {
    ("smallest", False): "<answer>, so <integer> is the smallest",
    ("largest", False): "<answer>, so <integer> is the largest",
    ("smallest", True): "<answer>, and <integer> is the smallest that is allowed",
    ("largest", True): "<answer>, and <integer> is the largest that is allowed",
}
SAME = {
    "integer": "The integer is the same with every other published spec.",
    "answer": "The answer is the same with every other published spec.",
}
PARTS = ("setup", "moved", "work", "limit", "ridge", "threshold", "steps", "numbers", "times", "roofline")
"""The parts that the slides of an operation may have, in order."""
EINSUM = re.compile(r"->|@|\[")


def explain_slides(study: Study) -> Doc:
    """Return the slides of an operation from its study.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> doc = explain_slides(studied(op("matmul"), "matmul", [chip("tpu-v5e")]))
    >>> [section.part for section in doc.sections]
    ['setup', 'moved', 'work', 'limit', 'ridge', 'threshold', 'steps', 'numbers', 'roofline']
    """
    order, taken = notation(study.op)
    letters = {s.name for case in _proved_cases(study) for s in case.symbols}
    return Doc(title_of(study), tuple(_Slides(study).sections()), order, taken | letters)


def _proved_cases(study: Study) -> tuple[Any, ...]:
    proved = study.proved or study.multi_unit_threshold
    return tuple(proved.found.cases) if proved else ()


def title_of(study: Study) -> Inline:
    """Return the name of an operation, or a description if it has no name.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> text = "bf16[B,D], bf16[D,F] -> bf16[B,F]"
    >>> title_of(studied(op(text), text, [chip("tpu-v5e")])).parts
    {'tensors': ('x1', ', ', 'x2')}
    """
    label = study.label
    if label != study.op.name and not label.endswith(".toml"):
        return _cut(label, 3 * NAME)
    if not re.search(r"[\[\]=;,@>]", study.op.name):
        return _cut(study.op.name, 3 * NAME)
    if study.op.reads and EINSUM.search(label):
        return say("product of <tensors>", tensors=between((t.name for t in study.op.reads), ", "))
    return say("a custom operation")


class _Slides:
    """A study with the answer that its slides show."""

    def __init__(self, study: Study) -> None:
        self.study, self.op, self.chip = study, study.op, study.chip
        self.proved = study.proved or study.multi_unit_threshold
        self.there = study.full_sizes
        self.found = outline(study.op, study.chip, self.proved, study.sizes if self.proved else self.there)
        self.ceilings: tuple[Ceiling, ...] = self.proved.found.ceilings if self.proved else ()
        self.channels = [name for name in self.op.demands if name not in self.op.compute]

    def sections(self) -> Iterator[Section]:
        """Yield the slides in order."""
        yield self._slide("setup", say("setup"), self._setup(), _NOTES["setup"])
        yield self._slide("moved", say("what is moved"), self._moved(), _NOTES["moved"])
        if self.study.obstacle != "no-flops":
            yield self._slide("work", say("FLOPs and intensity"), self._work(), _NOTES["work"])
        if rows := tuple(self._limit()):
            yield self._slide("limit", say("the limit and its error"), rows, _NOTES["limit"])
        if self.proved:
            ridge = say("the ridge point of <chip>", chip=chip_title(self.chip))
            yield self._slide("ridge", ridge, self._ridge(), _NOTES["ridge"])
        yield from self._threshold()
        yield from self._steps()
        if self.proved and not self.study.never:
            yield self._slide("numbers", say("on the chip, in numbers"), self._numbers(), _NOTES["numbers"])
        if (self.op.parts or len(self.op.compute) > 1) and self.op.units:
            yield self._slide("times", say("how long it takes"), self._times(), _NOTES["times"])
        if (picture := self._picture()) is not None:
            slide = self._slide("roofline", say("on the roofline"), (), _NOTES["roofline"])
            yield replace(slide, picture=picture)

    def _slide(self, part: str, what: Inline, rows: Iterable[DocRow], note: str) -> Section:
        return Section(say("<op>: <what>", op=title_of(self.study), what=what), tuple(rows), part, note=say(note))

    def _answer_lines(self, *keys: str) -> Iterator[Any]:
        """Yield the lines of the answer with these keys."""
        for row in self.found.rows(*keys):
            yield from PHRASES[row.key](row, self.found)

    def _sizes_of(self, *every: sympy.Basic) -> Inline:
        names = {s.name for each in every for s in each.free_symbols}
        return sizes({s.name: self.there[s.name] for s in self.op.dims if s.name in names})

    # --- the operation and its bytes

    def _setup(self) -> Iterator[DocRow]:
        op, entry = self.op, entries().get(self.study.label.partition(":")[0])
        if entry:
            yield Line(about(entry), key=True)
            yield from (Line(said) for said in does(entry))
        if op.reads and op.writes and len(op.tensors) <= SIGNED:
            sides = (between(some, ",  ") for some in (op.reads, op.writes))
            yield Line(between(sides, ("  ", Formula("->"), "  ")))
        elif not entry and not self.study.label.endswith(".toml") and self.study.label != title_of(self.study):
            yield Line(Code(self.study.label))
        if op.dims:
            yield Line(self._dims())
        yield Line(say("Chip: <chip>", chip=chip_title(self.chip)))
        if op.convention:
            yield Line(say("Convention: <how>", how=Convention(op.convention)))
        if conditions := assumptions(op):
            yield Line(say("Provided that <what>", what=between(map(_condition, conditions), ", ")))

    def _dims(self) -> Inline:
        roles = {s: role_of(self.op, s.name) for s in self.op.dims}
        if any(role.name == ANY for role in roles.values()):
            return say("<dims>: positive sizes", dims=Listed(tuple(roles)))
        each = (say("<dim> (<what>)", dim=Formula(s.name), what=role) for s, role in roles.items())
        return say("Sizes: <sizes>", sizes=between(each, say(", ")))

    def _moved(self) -> Iterator[DocRow]:
        if self.op.tensors or self.op.traffic:
            yield tensors(self.op, self.there)
        else:
            yield Line(say("It moves no bytes: there is nothing to wait for."), key=True)

    # --- FLOPs, bytes, the intensity and its limit

    def _work(self) -> Iterator[DocRow]:
        for row in self.found.rows("flops"):
            if not row.value.is_zero:
                [line] = PHRASES["flops"](row, self.found)
                assert isinstance(line, Line)
                yield replace(line, left=shortened_sum(row.value), right=None)
        for name in self.channels:
            below = name if len(self.channels) > 1 else ""
            yield Line(shortened_sum(self.op.bytes(name)), subject=Formula(Mark("", "bytes", below), "="))
        if self.channels:
            yield from self._answer_lines("intensity")
        for c in self.ceilings:
            if c.intensity.free_symbols:
                value = Formula(self._intensity(c), Decimal(substitute(c.intensity, self.there)))
                where = self._sizes_of(c.intensity)
                yield Line(say("At <sizes>: <answer>", sizes=where, answer=(value, " FLOP/B")))

    def _intensity(self, c: Ceiling) -> Mark:
        return Mark("I", "I", c.label if len(self.ceilings) > 1 else "")

    @cached_property
    def limits(self) -> dict[Ceiling, Limit]:
        """The limit of each intensity: by the rule of thumb, as the unknown grows, or as all sizes that may grow do."""
        told = {rule.channel: rule.limit for rule in self.study.proved.rules} if self.study.proved else {}
        supposed = background_assumptions(self.op, self.proved.found) if self.proved else ()
        found: dict[Ceiling, Limit] = {}
        for c in (c for c in self.ceilings if not c.intensity.is_number):
            names = tuple(sorted(s.name for s in c.intensity.free_symbols if role_of(self.op, s.name).grows))
            for growing in ((self.study.unknown,), names):
                if c.channel in told:
                    found[c] = told[c.channel]
                elif c not in found and names and set(growing) <= set(names):
                    try:
                        found[c] = limit(c.intensity, AsRegime.of(growing), supposed)
                    except RoofproofError:
                        continue  # it depends on the relative growth of the sizes
        return found

    def _limit(self) -> Iterator[DocRow]:
        for c, found in self.limits.items():
            if len(self.limits) > 1:
                yield Line(next(limit_phrases(found, self._intensity(c))))
                continue
            lines = self._limit_lines(found)
            if not lines and found.leading_value == c.intensity:  # the limit is obvious
                continue
            yield from lines or map(Line, limit_phrases(found, self._intensity(c)))
            if found.where != sympy.true and lines:
                yield Line(say("This error holds where $<condition>$.", condition=found.where))
            error = found.relative_error if found.growth is None else found.growth_error
            if error not in (None, 0) and substitute(found.where, self.there) == sympy.true:
                off = substitute(found.leading_value / c.intensity - 1, self.there)
                value = Formula(Decimal(abs(off), equals=False))
                yield Line(say("At <sizes> that is <error>.", sizes=self._sizes_of(error), error=value))

    def _limit_lines(self, found: Limit) -> tuple[DocRow, ...]:
        """Return the derivation of a limit line by line, or nothing if it is trivial or too long for a slide."""
        [section] = sections_of([limit_steps_or_reason(found, "")])
        lines = tuple(map(row_line, section.rows))
        return lines if 2 < len(lines) <= LINES and section.rows[0].key != "untold" else ()

    # --- the ridge point and the threshold

    def _ridge(self) -> Iterator[DocRow]:
        yield from self._answer_lines("ridge")
        yield Line(say("Compute-bound exactly when the intensity lies above it."), key=True)
        head = (say("spec"), say("value"), say("source"))
        rows = []
        for row in self.found.rows("figure"):
            rate = row.about
            source = (": ", cited(rate.source)) if rate.source not in ("", rate.status) else ()
            rows.append((rate.resource, Number(rate), (FigureNote("", rate.status), *source)))
        yield Table(head, tuple(rows), "lrl")

    def _threshold(self) -> Iterator[Section]:
        study, chip = self.study, chip_title(self.chip)
        title, rows = say("where it is compute-bound"), self._solved
        if study.obstacle == "no-flops" or study.never:
            title, rows = say("never compute-bound"), self._never
        elif study.obstacle == "no-bytes":
            said = say("Compute-bound on <chip> at every size.", chip=chip)
            nothing = say("It moves no bytes: there is nothing to wait for.")
            note = "Nothing is moved, so nothing but computing takes time."
            yield self._slide("threshold", say("always compute-bound"), (Line(said, key=True), Line(nothing)), note)
            return
        elif not self.proved:
            note = "There is no single bound here; the slide says why."
            yield self._slide("threshold", say("no closed form"), self._unsolved(), note)
            return
        yield self._slide("threshold", title, rows(), _NOTES["never" if rows == self._never else "threshold"])

    def _solved(self) -> Iterator[DocRow]:
        assert self.proved is not None
        if len(self.op.units) > 1:
            units = between(self.op.units, ", ")
            form = "Its arithmetic runs on several compute units: <units>; each has a peak of its own."
            yield Line(say(form, units=units))
        yield Line(bound_when(self.ceilings))
        yield from self._answer_lines("sizes")
        cases = self._cases
        if len(cases) > CASES:
            yield Line(say("At <sizes>, one of <count> cases:", sizes=sizes(self.there), count=str(len(cases))))
            for case in (c for c in cases if self._holds(c.when)):
                yield Display(Cases(cases.unknown, (replace(case, when=sympy.true),)))
                yield Line(say("where <condition>", condition=case.when))
        else:
            yield Display(cases)
        yield self._status()

    @property
    def _cases(self) -> Cases:
        found: Cases = self.found.rows("cases")[0].about
        return found

    def _holds(self, when: sympy.Basic) -> bool:
        """Return whether a condition holds at the sizes and on the chip of the slides."""
        return bool(substitute(when, {**self.there, **self._ridges()}) == sympy.true)

    def _ridges(self) -> dict[str, sympy.Expr]:
        return {c.symbol.name: c.ridge for c in self.ceilings if c.ridge is not None}

    def _status(self) -> Line:
        assert self.proved is not None
        found, how = self.proved.found, say(STATUS[self.proved.trust])
        if found.searched:
            form = "Status: <how>, for every whole <dims> from 1 to <last>, at these sizes."
            return Line(say(form, how=how, dims=Formula(found.unknown), last=str(found.searched)))
        ridges = () if found.at_sizes_only else (c.symbol for c in self.ceilings)
        names = Listed(tuple(dict.fromkeys((*found.symbols, *ridges))))
        return Line(say("Status: <how>, for all <dims> $> 0$.", how=how, dims=names))

    def _never(self) -> Iterator[DocRow]:
        yield Line(say("Never compute-bound on <chip>, at any size.", chip=chip_title(self.chip)), key=True)
        if self.study.obstacle == "no-flops":
            yield Line(say("It does no FLOPs: its intensity is $0$, and moving the bytes is all it costs."))
            yield from self._times()
            return
        if bounded := tuple(self._answer_lines("bounded")):
            yield from bounded
        else:
            yield Line(say("It is compute-bound only where"))
            yield Display(self._cases)
        values = between((Formula(n, Decimal(r)) for n, r in self._ridges().items()), ", ")
        yield Line(say("and here <ridges>, which no size can make up for.", ridges=values))
        yield self._status()

    def _unsolved(self) -> Iterator[DocRow]:
        if self.study.reason:
            yield Line(say("No threshold in closed form: <reason>.", reason=self.study.reason))
        for c in ceilings(self.op, self.chip):
            value = substitute(c.intensity, self.there)
            if value.is_number and c.ridge is not None:
                told = {"value": Formula(Decimal(value)), "ridge": Formula(Decimal(c.ridge))}
                where = self._sizes_of(c.intensity)
                form = "At <sizes>: $I$ <value>, against $R$ <ridge>." if where else "$I$ <value>, against $R$ <ridge>."
                yield Line(say(form, **({"sizes": where} if where else {}), **told), key=True)

    def _steps(self) -> Iterator[Section]:
        """Yield the steps from the intensity to the answer, with the cases of a long proof on separate slides."""
        told = list(sections_of(threshold_steps_or_reason(self.proved))) if self.proved else []
        for section in told:
            rows = self._applicable_lines(section.rows)
            if rows[0].key == "untold" or (section.key == "steps-sizes" and len(told) > 1):
                continue
            places = [k for k, row in enumerate(rows) if row.key == "branch" and k] or [len(rows)]
            parts = [rows[a:b] for a, b in zip([0, *places], [*places, len(rows)], strict=True) if a < b]
            shown: list[list[Row]] = []
            for part in parts:
                if shown and len(shown[-1]) + len(part) <= LINES:
                    shown[-1] += part
                else:
                    shown.append([*part])
            for n, some in enumerate(shown, 1):
                what: Inline = say("from the intensity to the answer")
                what = (what, bracketed(f"{n}/{len(shown)}")) if len(shown) > 1 else what
                yield self._slide("steps", what, map(row_line, some), _NOTES["steps"])

    def _applicable_lines(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """Return lines without final substitutions of specs and, if there are many cases, only the one that applies."""
        places = [k for k, row in enumerate(rows) if row.key == "branch"]
        parts = [rows[a:b] for a, b in zip([0, *places], [*places, len(rows)], strict=True) if a < b]
        many = len(places) > CASES
        kept = [p for p in parts if p[0].key != "branch" or not many or self._holds(p[0].about)]
        shown = (p[:-1] if p[-1].key == "step" and p[-1].about.reason is Reason.FIGURE else p for p in kept)
        return tuple(row for part in shown for row in part)

    # --- numbers

    def _numbers(self) -> Iterator[DocRow]:
        """Yield the answer at the sizes, and the answers with other specs or on other chips."""
        assert self.proved is not None
        for row in self.found.rows("point"):
            if (there := self._sizes_of(*self._symbols)) != ():
                yield Line(say("At <sizes>:", sizes=there))
            yield Line(self._answer(row), key=True)
        yield from self._tables()
        every = len(self._decided) == len(self.found.rows("other"))
        if len(self.study.chips) == 1 and self._decided and every and not self._others:
            whole = any(row.integer is not None for row in self._decided)
            yield Line(say(SAME["integer" if whole else "answer"]))
        shown = [(n, rule) for n in self.study.numbers if (rule := self.rule_there(n)) is not None]
        if len(self.study.chips) == 1:
            for n, rule in shown:
                yield from self._rule(n, rule)
        elif found := sorted(row.integer for row in self._decided if row.integer is not None):
            x, chip = self.study.unknown, chip_title(self.chip)
            ends = {"low": Formula(x, "=", sympy.Integer(found[0])), "high": Formula(x, "=", sympy.Integer(found[-1]))}
            yield Line(say("With other published specs of <chip>: from <low> to <high>", chip=chip, **ends))
        match self.proved.found.symbolic.cases:  # only for a second case that one word describes
            case [holding, other] if shown and isinstance(other.threshold, Never | Always):
                form = "A condition the rule leaves out: <condition>. Without it: <answer>."
                yield Line(say(form, condition=holding.when, answer=say(other.threshold.kind)))

    def _answer(self, row: Row) -> Inline:
        """Return the threshold at the sizes and the integer answer."""
        threshold: Threshold = row.threshold
        asked = row.about.allowed.conditions
        answer: Inline = Bounded(row.about.unknown, threshold, short=True)
        if not isinstance(threshold, Never | Always):
            if row.integer is not None:
                form = WHOLE["largest" if isinstance(threshold, Below) else "smallest", bool(asked)]
                answer = say(form, answer=answer, integer=Formula(row.about.unknown, "=", row.integer))
            elif asked:
                answer = say("<answer>, where no integer is allowed", answer=answer)
        else:
            answer = (answer, *([why] if (why := self._why(row)) else []))
        return answer

    def _why(self, row: Row) -> Inline:
        """Return the condition that fails if no size works."""
        failing = [c.when for c in row.about.symbolic if c.threshold.kind != "never" and c.when != sympy.true]
        if row.threshold.kind != "never" or len(failing) != 1:
            return ()
        ridges = between((Formula(n, Decimal(r)) for n, r in self._ridges().items()), ", ")
        return (say(", since <condition> fails", condition=failing[0]), bracketed(ridges))

    @property
    def _symbols(self) -> set[sympy.Symbol]:
        """The sizes on which the threshold depends."""
        assert self.proved is not None
        return {s for case in self.proved.found.symbolic for s in case.symbols} - {self.proved.found.unknown}

    def _tables(self) -> Iterator[Table]:
        needed = say("<dim> needed", dim=Formula(self.study.unknown))
        ridges = [Formula(c.symbol) for c in self.ceilings]
        if len(self.study.chips) == 1:
            if others := self._others:
                usual = [self._at_point(n) for n in self.study.numbers]
                values = [Formula(Decimal(c.ridge, equals=False)) for c in self.ceilings if c.ridge is not None]
                rows = [(say("the specs above"), *values, *usual)]
                for row in others:
                    there = {**self._ridges(), **{str(k): v for k, v in row.ridges.items()}}
                    values = [Formula(Decimal(there[c.symbol.name], equals=False)) for c in self.ceilings]
                    rows.append((row.about.rate, *values, self._other(row)))
                yield Table((say("with these specs"), *ridges, needed), tuple(rows), "l" + "r" * len(ridges) + "r")
            return
        names: list[Inline] = [*dict.fromkeys(c.compute for c in self.ceilings)]
        names += [say("memory") if c == "memory" else c for c in dict.fromkeys(c.channel for c in self.ceilings)]
        extra = (say("rule of thumb"), say("exact over rule"))
        compared = any(self.rule_there(n) is not None for n in self.study.numbers)
        head = (say("chip"), *names, *ridges, needed, *(extra if compared else ()))
        rows = [self._row(n, len(head), compared) for n in self.study.numbers]
        align = "l" + "r" * (len(head) - 1)
        for start in range(0, len(rows), CHIPS):
            yield Table(head, tuple(rows[start : start + CHIPS]), align)

    @property
    def _others(self) -> tuple[Row, ...]:
        """The answers with other published specs: none if all agree, and if there are many, only those that differ."""
        others = self._decided
        same = [(row.integer, row.unmet) for row in self.found.rows("point")]
        differ = tuple(row for row in others if [(row.integer, row.unmet)] != same)
        return differ if len(others) > OTHERS or not differ else others

    @property
    def _decided(self) -> tuple[Row, ...]:
        """The other published specs for which the sizes determine the answer."""
        every = self.found.rows("other")
        return tuple(row for row in every if any(k.statement.kind == "at-point" for k in row.known))

    def _row(self, n: OnChip, width: int, compared: bool) -> tuple[Inline, ...]:
        name = chip_title(n.chip)
        if n.missing or n.unfit:
            lack = say("blocks do not fit") if n.unfit else say("no spec")
            return (name, lack, *((),) * (width - 2))
        there = ceilings(self.op, n.chip)
        rates = [{c.compute: c.rests_on[0] for c in there}, {c.channel: c.rests_on[1] for c in there}]
        cells: list[Inline] = [Number(rate) for each in rates for rate in each.values()]
        cells += [Formula(Decimal(c.ridge, equals=False)) for c in there if c.ridge is not None]
        cells += [self._at_point(n)]
        if compared:
            rule = self.rule_there(n)
            cells += [(), ()] if rule is None else [self._bound(rule), self._ratio(n, rule)]
        return (name, *cells)

    def _at_point(self, n: OnChip) -> Inline:
        """Return the threshold of a chip at the sizes, with the integer in brackets."""
        if n.at_sizes is None or self.proved is None:
            return ()
        row = Row("point", n.known)
        shown = Bounded(self.proved.found.unknown, row.threshold, short=True)
        return shown if row.integer is None else (shown, bracketed(Formula(sympy.Integer(row.integer))))

    def _other(self, row: Row) -> Inline:
        if row.integer is not None:
            return Formula(self.study.unknown, "=", sympy.Integer(row.integer))
        return say("no such size") if row.unmet else say("never")

    def _rule(self, n: OnChip, rule: Known) -> Iterator[Line]:
        for row in self.found.rows("rule")[:1]:
            regime = Regime(row.about.limit.regime.text)
            told: Inline = say("Rule of thumb for <regime>: <rule>", regime=regime, rule=self._bound(rule))
            ratio = self._ratio(n, rule)
            yield Line((told, bracketed(say("exact over rule"), say(": "), ratio)) if ratio != () else told)

    def _bound(self, rule: Known) -> Inline:
        assert self.proved is not None
        return Bounded(self.proved.found.unknown, Above(rule.statement.value), short=True)

    def _ratio(self, n: OnChip, rule: Known) -> Inline:
        if isinstance(n.at_sizes, Above) and n.at_sizes.at.is_number and rule.statement.value != 0:
            return Formula(Decimal(n.at_sizes.at / rule.statement.value, equals=False))
        return ()

    def rule_there(self, n: OnChip) -> Known | None:
        """Return the rule of thumb's bound on a chip, or None unless it is one lower bound near the exact one."""
        if n.missing or n.at_sizes is None or self.study.proved is None:
            return None
        found = self.study.threshold_by_chip.get(n.chip, self.study.proved)
        here = found is not self.study.proved or n.chip is self.chip
        rules = found.rules if here else self.study.proved.symbolic_rules
        every = [rule.threshold for rule in rules if rule.threshold is not None]
        there = {**self.study.sizes, **n.ridges}
        match [case_at(rule.cases, there) for rule in every if not misleads(rule, found.found.symbolic, there)]:
            case [Above(at=at)] if substitute(at, there).is_number:
                return roofline.divided("rule of thumb", at, sympy.Integer(1), there)
        return None

    # --- times and the plot

    def _times(self) -> Iterator[DocRow]:
        if self.there:
            yield Line(say("At <sizes>:", sizes=sizes(self.there)))
        rows = time_rows(self.op, self.chip, self.there)
        if self.study.obstacle == "no-flops":
            rows = tuple(row for row in rows if row.key == "resource" and row.about not in self.op.compute)
        for row in rows:
            yield Line(Duration(row.value), say(TIME_REASONS[row.key]), time_of(row.about))

    def _picture(self) -> Picture | None:
        """Return a plot of the operation on the rooflines of some chips, or None if it cannot be drawn."""
        from roofproof.export.plots import roofline as drawn

        able = (n.chip for n in self.study.numbers if not n.missing and not n.unfit)
        chips = [chip for chip in able if chip not in self.study.threshold_by_chip][:DRAWN]
        try:
            figures = {lang: drawn([self._named(lang)], chips, [self.there], lang) for lang in LANGUAGES}
        except RoofproofError:  # no FLOPs, or no bytes: nothing to draw
            return None
        return Picture(lambda lang: figures[lang], say("at <sizes>", sizes=sizes(self.there)))

    def _named(self, lang: str) -> Operation:
        """Return the operation under the name that the titles use."""
        return replace(self.op, name=inline_text(title_of(self.study), lang))


def tensors(op: Operation, there: Any) -> Table:
    """Return a table of the bytes that an operation moves: its largest tensors one by one, and the bytes over links.

    >>> from roofproof import op
    >>> [row[-1] for row in tensors(op("dot"), {"N": 4}).rows]
    [2*N, 2*N, 2, 4*N + 2]
    """
    found = outline(op, None, None, {})
    every = found.rows("read", "write")
    most = sorted(every, key=lambda row: -substitute(row.value, there))[:TENSORS]
    rest = [row for row in every if row not in most] if len(every) > TENSORS + 1 else []
    rows: list[tuple[Inline, ...]] = [(r.about, say(r.key), shortened_sum(r.value)) for r in every if r not in rest]
    if rest:
        small = say("<count> smaller tensors", count=str(len(rest)))
        rows.append((small, (), shortened_sum(sympy.Add(*(row.value for row in rest)))))
    rows += [(say("over <link>", link=Resource(row.about)), (), shortened_sum(row.value)) for row in found.rows("over")]
    total = bool(op.tensors) and len(rows) > 1 and set(op.traffic) <= {"memory"}
    if total:
        rows.append((say("total"), (), shortened_sum(op.bytes())))
    return Table((say("tensor"), say("moved"), say("bytes")), tuple(rows), "lll", total)


def shortened_sum(amount: sympy.Expr) -> Inline:
    """Return a sum, or its number of terms if it has many."""
    terms = sympy.Add.make_args(amount)
    return say("a sum of <count> terms", count=str(len(terms))) if len(terms) > TERMS else amount


def does(entry: Entry) -> tuple[Say, ...]:
    """Return the description of a library operation, or nothing for an added operation without one."""
    said = _does().get(entry.name)
    return (Say(said, {}, table()["what"].get(entry.name, "")),) if said and not entry.words else ()


@cache
def _does() -> dict[str, str]:
    return tomllib.loads((files("roofproof.export.slides") / "what.toml").read_text(encoding="utf-8"))


def _condition(each: sympy.Basic) -> Inline:
    if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
        whole, part = each.lhs.args
        return say("<part> divides <whole>", part=Formula(part), whole=Formula(whole))
    return each


def chip_title(chip: Chip) -> str:
    """Return the name of a chip as its maker prints it, without remarks but with its variant.

    >>> from roofproof import chip
    >>> chip_title(chip("h100-sxm"))
    'NVIDIA H100 SXM5 80GB'
    """
    title = (chip.title or chip.name).partition(" (")[0]
    _, at, variant = chip.name.partition("@")
    shown = " ".join((f"{title} @{variant}" if at and chip.title else title).split())
    return _cut(shown, NAME)


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


_SHORTER = (
    (r" \((?:prints|cites).*", ""),
    (r" ?@[0-9a-f]{7,}", ""),
    (r" ?\([^()]*[\u4e00-\u9fff][^()]*\)", ""),  # a Chinese title
    (r" \(\d{4}-\d\d-\d\d\)", ""),
    (r"https?://(?:www\.)?([^/\s;,)]+)[^\s;,)]*", r"\1"),
    (r"(?:[\w.-]+/){2,}([\w.-]+)", r"\1"),  # only the file name of a path
    (r"\b([\w-]+) [\w-]+/\1\b", r"\1"),
)


def cited(source: str) -> str:
    """Return a source shortened for a slide: its site, or its project and file.

    >>> cited("NVIDIA ai-dynamo/aiconfigurator @095f58a51 aic-core/src/systems/h100_sxm.yaml (prints 3350GB/s)")
    'NVIDIA ai-dynamo/aiconfigurator h100_sxm.yaml'
    >>> cited("scaling-book Future-Outlier/scaling-book @37acb5ea (2026-07-13) tpus.md table")
    'scaling-book tpus.md table'
    >>> cited("Google Cloud TPU docs https://docs.cloud.google.com/tpu/docs/v5e")
    'Google Cloud TPU docs docs.cloud.google.com'
    """
    for pattern, kept in _SHORTER:
        source = re.sub(pattern, kept, source)
    return source


_NOTES = {
    "setup": "This is the operation: what goes in, what comes out, and what its sizes are called.",
    "moved": "Count the bytes, one tensor after the other: what is read, and what is written.",
    "work": "FLOPs over bytes: that is the arithmetic intensity.",
    "limit": "This is what the intensity comes to when some sizes are much larger than others, "
    "and how far off that is.",
    "ridge": "Now the chip: peak over bandwidth. The specs are published, with their sources next to them.",
    "threshold": "Intensity against ridge point, solved for one size, with the condition for it.",
    "never": "No size is large enough here. The reason stands on the slide.",
    "steps": "Go through it line by line. Each line says what was done to the one before.",
    "numbers": "Now substitute the specs of this chip.",
    "times": "How long each resource takes at these sizes. The longest time decides.",
    "roofline": "Where the operation lies: on the slope the bandwidth decides, on the flat part the peak.",
}
