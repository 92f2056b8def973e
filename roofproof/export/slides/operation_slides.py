"""What the document of the slides of an operation, `templates/operations.j2`, asks for: lines, formulas, answers."""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from roofproof.derive.inequalities.cases import Above, Always, Below, Never, Threshold, case_at, substitute
from roofproof.derive.on_chips import OnChip
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError
from roofproof.export.doc import Duration
from roofproof.export.explain.threshold import TIME_REASONS, time_of
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.leaves import approximately, intensity_name, math, number, regime
from roofproof.export.latex.measure import width
from roofproof.export.latex.words import between
from roofproof.export.outline import Row, time_rows
from roofproof.export.slides.deck_context import clipped, figure, first, named, number_tex
from roofproof.export.slides.fitting import fitted
from roofproof.export.slides.model import Block, Code, Display, Inline, Math, Table, Text
from roofproof.export.slides.proof_slides import ProofSlides, taken
from roofproof.export.slides.study import Study
from roofproof.export.slides.tensors import bytes_over, signature
from roofproof.export.slides.terms import SlideWords, join
from roofproof.export.slides.tex import Tex, given, listed, tex_lines, tex_of
from roofproof.export.text.formatting import in_seconds
from roofproof.formula.magnitudes import decimal
from roofproof.ops import entries
from roofproof.ops.roles import ANY, role_of
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Known
from roofproof.proofs.provers import roofline
from roofproof.proofs.provers.critical_size import Rule, rules
from roofproof.proofs.provers.rule_of_thumb import misleads
from roofproof.proofs.provers.thresholds import cases_of
from roofproof.say import figure_note, in_language

SOURCE = 44  # signs of a source that stand in a table
CASES = 4  # cases that a slide shows
WIDEST = 46.0  # em that they may take before they are too small to read
CHIPS = 10  # chips on one slide
DRAWN = 4  # chips in one figure
CONDITION = 24.0  # em that a condition takes in a line of text


class OperationSlides(ProofSlides):
    """The slides of one operation, value by value, in the order of its document.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> from roofproof.export.slides.terms import SlideWords
    >>> slides = OperationSlides(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), SlideWords("en"))
    >>> slides.work.lines[:2], slides.answer[-2]                       # 240.54/(1 - 240.54 * 2/4096) = 272.55
    (('\\\\text{FLOPs} &= 2BDF', '\\\\text{bytes} &= 2BD + 2DF + 2BF'), Math(tex='B = 273'))
    """

    def __init__(self, study: Study, words: SlideWords) -> None:
        super().__init__(study, words)
        self.label, self.typed = (study.label,), (Code(study.label),)
        self.chip, self.sizes, self.signature = (named(study.chip),), self.at(study.full_sizes), signature(self.op)
        self.entry = entries().get(study.label.partition(":")[0])  # where it was asked for by its name there
        self.dims = Math(given(r",\, ".join(symbol(s.name) for s in self.op.dims)))
        self.formats = ", ".join(name for name, amount in self.op.compute.items() if not amount.is_zero)

    @property
    def conditions(self) -> Inline:
        return join(map(self._condition, assumptions(self.op)), self.words[", ||comma"])

    @property
    def roles(self) -> Inline:
        """What the sizes count, where all of them say so."""
        roles = {s: role_of(self.op, s.name) for s in self.op.dims}
        if any(role.name == ANY for role in roles.values()):
            return ()
        parts = (self.words("<dim> (<what>)", dim=Math(given(symbol(s.name))), what=r.in_language(self.words.language))
                 for s, r in roles.items())  # fmt: skip
        return join(parts, self.words[", "])

    def _condition(self, each: sympy.Basic) -> Inline:
        if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
            whole, part = (Math(given(self.style.latex(a, inline=True))) for a in each.lhs.args)
            return self.words("<part> divides <whole>", part=part, whole=whole)
        return (Math(given(condition(each, lang=self.words.language, inline=True))),)

    # --- FLOPs, intensity, its limit, the ridge point

    @property
    def work(self) -> Display:
        """The FLOPs, the bytes and the intensity they make."""
        op = self.op
        lines: list[Tex] = []
        channels = [name for name in op.demands if name not in op.compute]
        for row in self.outline.rows("flops"):
            if not row.value.is_zero:
                left = r"\text{FLOPs}" if len(op.compute) == 1 else rf"\text{{FLOPs}}_{{\text{{{row.about}}}}}"
                lines += self.equation(left, "=", row.known[0], first)
        for channel in channels:
            left = rf"\text{{bytes}}_{{\text{{{channel}}}}}" if len(channels) > 1 else r"\text{bytes}"
            lines += self.equation(left, "=", bytes_over(op, channel), first)
        for row in self.outline.rows("intensity") if self.proved else ():
            lines += self.equation(intensity_name(row.about, len(channels) > 1), "=", row.known[0], first)
        return Display(tuple(lines))

    @property
    def ridges(self) -> Display:
        return Display(tuple(tex_of(row.known[0], self._ridge) for row in self.outline.rows("ridge")))

    def _ridge(self, known: Known) -> str:
        _, (_, *figures), _ = known.statement.goal
        peak, bandwidth = (number(decimal(Fraction(*f[1:])), False) for f in figures)
        over = rf"\frac{{{peak}\ \text{{FLOP/s}}}}{{{bandwidth}\ \text{{B/s}}}}"
        return rf"{_symbol(known)} &= {over} {approximately(first(known))}\ \text{{FLOP/B}}"

    @property
    def figures(self) -> Iterator[dict[str, Inline | Math]]:
        """The specs of the chip, each with its kind of source, and which."""
        for row in self.outline.rows("figure"):
            rate = row.about
            kind = (figure_note("", rate.status, self.words.language),)
            source = clipped(re.sub(r"https?://\S+", "", rate.source), SOURCE)
            colon = ": " if self.words.language == "en" else "："
            known = join([kind, (source,)], colon) if source else kind
            yield {"resource": (rate.resource,), "value": figure(row.known[0]), "source": known}

    # --- without a threshold

    @property
    def transfers(self) -> Iterator[dict[str, Display | Math]]:
        """How long moving the bytes takes over each channel, as a formula and at the sizes."""
        for row in time_rows(self.op, self.study.chip, self.study.full_sizes):
            if row.key == "resource" and row.about not in self.op.compute:
                rate = figure(roofline.figure(supply(self.study.chip, row.about))).tex
                over = given("T") + r" &= \frac{\text{bytes}}{" + rate + "}"
                yield {"formula": Display((over,)), "answer": Math(tex_of(row.known[0], _duration))}

    @property
    def compared(self) -> Iterator[dict[str, Math]]:
        """Each intensity at the sizes beside its ridge point."""
        for channel in (name for name in self.op.demands if name not in self.op.compute):
            value = roofline.divided("I", self.op.flops, self.op.bytes(channel), self.study.full_sizes)
            figures = (self.study.chip.peak(self.formats), supply(self.study.chip, channel))
            peak, bandwidth = (sympy.Rational(figure.value) for figure in figures)
            above = roofline.divided("R", peak, bandwidth, {})
            if first(value).is_number:
                yield {"value": Math(tex_of(value, _about)), "ridge": Math(tex_of(above, _about))}

    # --- the threshold

    @property
    def found(self) -> CriticalSize:
        """The threshold that was found."""
        assert self.proved is not None
        return self.proved.found

    @property
    def symbols(self) -> Math:
        """All names that the proof is about; at given sizes the one that is solved for."""
        if self.proved is not None and self.found.at_sizes_only:
            return Math(given(latex(self.found.unknown)))
        several = self.study.engines.found.ceilings if self.study.engines else ()
        ridges = dict.fromkeys(latex(c.symbol) for c in (*self.ceilings, *several))
        return Math(given(r",\, ".join(s for s in (self.dims.tex, *ridges) if s)))

    @property
    def condition(self) -> Math:
        sign = between(self.style.say("and"))
        above = (given(intensity_name(c.channel, self.several)) + " > " + given(latex(c.symbol)) for c in self.ceilings)
        return Math(listed(above, sign))

    @property
    def cases(self) -> list[Block]:
        assert self.proved is not None
        return self._cases(self.proved.symbolic)

    @property
    def engines(self) -> list[Block]:
        """Where an operation on several engines is compute-bound; nothing where that is not known."""
        return self._cases(self.study.engines.symbolic) if self.study.engines else []

    @property
    def cases_there(self) -> list[Block]:
        """The cases with the specs of the chip; with names for parts they are those of the slide before."""
        assert self.proved is not None
        return [] if fitted(self.style, self.found.cases)[1] else self._cases(self.proved.solved)

    def _cases(self, known: Derivation) -> list[Block]:
        found = cases_of(known)
        short, names = fitted(self.style, found)
        text = cases(short, lang=self.words.language, order=self.style.order)
        rows = self.definitions(names)
        if len(found) > CASES or width(text) > WIDEST or len(rows) > 5:
            return [
                Text(
                    self.words(
                        "<count> cases, too long for a slide; all of them: <command>",
                        count=len(found),
                        command=self.command(),
                    )
                )
            ]
        shown, defined = tex_lines(known, lambda _: [text]), tex_lines(known, lambda _: rows)
        return [Display(shown), *([Display(defined, derived=True)] if defined else [])]

    @property
    def bound(self) -> Display | None:
        """The bound of an intensity that stays below the ridge point at all sizes."""
        for c in self.ceilings:
            if known := roofline.bounded(c):
                sign = "=" if known.statement.goal[0] == "=" else "<"
                most = tex_of(known, lambda known: self.style.latex(first(known)))
                name = given(intensity_name(c.channel, self.several))
                return Display((name + f" &{sign} " + most + " < " + tex_of(roofline.ridge(c), _equals),))
        return None

    @property
    def first_ridge(self) -> dict[str, Math]:
        """The ridge point that no size makes up for."""
        known = roofline.ridge(self.ceilings[0])
        return {"symbol": Math(tex_of(known, _symbol)), "value": Math(tex_of(known, _plain))}

    @property
    def chip_with_ridges(self) -> Inline:
        ridges = [Math(tex_of(roofline.ridge(c), _equals)) for c in self.ceilings if c.ridge is not None]
        return (*self.chip, " (", *join(ridges, self.words[", ||comma"]), ")")

    @property
    def answer(self) -> Inline:
        """The threshold at the sizes, and the integer answer; nothing where the sizes do not decide."""
        return next(map(self._answer, self.outline.rows("point")), ())

    def _answer(self, row: Row) -> Inline:
        bound, integer, asked = row.threshold, row.integer, row.about.allowed.conditions
        if integer is None and asked and not isinstance(bound, Never):
            return self.words("<answer>, where no integer is allowed", answer=self.decimal(row, _threshold))
        if isinstance(bound, Never | Always) or integer is None:
            return (self.decimal(row, _threshold),)
        how = f"{'largest' if isinstance(bound, Below) else 'smallest'}-{'allowed' if asked else 'integer'}"
        return self.words(how, answer=self.decimal(row, _threshold), integer=self.equals(row))

    def equals(self, row: Row) -> Math:
        return Math(given(symbol(self.study.unknown)) + " = " + tex_of(row, _integer))

    @property
    def rules(self) -> Iterator[dict[str, Math]]:
        """Each rule of thumb that is a single bound without a condition."""
        for row in self.outline.rows("rule"):
            if bound := self._rule(row):
                yield {"regime": Math(given(regime(row.about.limit.regime.text))), "bound": bound}

    def _rule(self, row: Row) -> Math | None:
        found = cases_of(row.known)
        if len(found) != 1 or found.cases[0].when != sympy.true:
            return None
        bound = found.cases[0].threshold
        if isinstance(bound, Above | Below) and bound.at.free_symbols:
            sign = " > " if isinstance(bound, Above) else " < "
            return Math(given(symbol(self.study.unknown)) + sign + self.math(row, lambda _: bound.at).tex)
        return self.decimal(row, lambda _: bound) if isinstance(bound, Never | Always | Above | Below) else None

    # --- chips, times, figure, and what the rule of thumb hides

    @property
    def per_chip(self) -> Iterator[Table]:
        """Tables with a row for each chip: peak, bandwidths, ridge points, and the size that is needed."""
        above = self._above
        if not above:
            return
        header: list[Inline] = [self.words("chip"), *((c,) for c in dict.fromkeys(c.compute for c in above))]
        header += [self.words("memory") if c == "memory" else (c,) for c in dict.fromkeys(c.channel for c in above)]
        header += [(Math(given(latex(c.symbol))),) for c in above]
        header.append(self.words("<dim> needed", dim=Math(given(symbol(self.study.unknown)))))
        rows = [self._row(n, len(header)) for n in self.study.numbers]
        align = "l" + "r" * (len(header) - 2) + "l"
        for start in range(0, len(rows), CHIPS):
            yield Table(tuple(header), tuple(rows[start : start + CHIPS]), align)

    @property
    def _above(self) -> tuple[Ceiling, ...]:
        """What the operation is held against, on one engine or on several."""
        return self.study.engines.found.ceilings if self.study.engines else self.ceilings

    def _row(self, numbers: OnChip, width: int) -> tuple[Inline, ...]:
        chip = (named(numbers.chip),)
        if numbers.missing or numbers.unfit:
            return (chip, self.words("blocks do not fit" if numbers.unfit else "no spec"), *((),) * (width - 2))
        there = ceilings(self.op, numbers.chip)
        rates = [{c.compute: c.rests_on[0] for c in there}, {c.channel: c.rests_on[1] for c in there}]
        cells: list[Inline] = [(figure(roofline.figure(rate)),) for each in rates for rate in each.values()]
        cells += [(Math(tex_of(roofline.ridge(c), _plain)),) for c in there]
        if numbers.at_sizes is None:
            return (chip, *cells, ())
        row = Row("point", numbers.known)
        whole: Inline = () if row.integer is None else (" (", Math(tex_of(row, _integer)), ")")
        return (chip, *cells, (self.decimal(row, _threshold), *whole))

    @property
    def times(self) -> Display | None:
        """How long an operation in parts takes: each resource, and as these overlap."""
        if not self.op.parts or not self.op.units:
            return None
        rows = time_rows(self.op, self.study.chip, self.study.full_sizes)
        told = [
            (line, why) for row in rows for line, why in zip(tex_lines(row, self._time), self._why(row), strict=True)
        ]
        return Display(tuple(line for line, _ in told), tuple(why for _, why in told))

    def _time(self, row: Row) -> list[str]:
        name, time = (math(part, self.style.leaves) for part in (time_of(row.about), Duration(row.value)))
        return [f"{name} &{time}".replace(r"\text{us}", r"\mu\text{s}")]

    def _why(self, row: Row) -> list[Inline]:
        return [(in_language(TIME_REASONS[row.key], self.words.language),)]

    @property
    def figure(self) -> Any:
        """What draws the operation on the rooflines of some chips; None where it cannot be drawn."""
        from roofproof.export.plots import roofline

        able = (n.chip for n in self.study.numbers if not n.missing and not n.unfit)
        chips = [chip for chip in able if chip not in self.study.apart][:DRAWN]
        try:
            drawn = roofline([self.op], chips, [self.study.full_sizes], self.words.language)
        except RoofproofError:  # no FLOPs, or no bytes: nothing to draw
            return None
        return lambda words, orders: lambda: drawn

    @property
    def rules_there(self) -> list[dict[str, Any]]:
        """What the rule of thumb says on each chip beside the truth, where each is one lower bound."""
        if self.proved is None or self.study.never:
            return []
        return [self._compared(n, rule) for n in self.study.numbers if (rule := self.rule_there(n))][:CHIPS]

    @cached_property
    def rules_with_ridges(self) -> tuple[Rule, ...]:
        """The rules of thumb with ridge points as symbols, for chips other than that of the slides."""
        return rules(self.op, replace(self.found, condition=self.found.symbolic_condition), None, self.study.chip)

    def rule_there(self, n: OnChip) -> Known | None:
        """Return the bound of the rule of thumb on a chip that has a threshold, where it is one lower bound."""
        if n.missing or n.at_sizes is None or self.proved is None:
            return None
        found = self.study.apart.get(n.chip, self.proved)
        here = found is not self.proved or n.chip is self.study.chip
        rules = [r.threshold for r in (found.rules if here else self.rules_with_ridges) if r.threshold is not None]
        there = {**self.study.sizes, **n.ridges}
        match [case_at(rule.cases, there) for rule in rules if not misleads(rule, found.found.symbolic, there)]:
            case [Above(at=at)] if substitute(at, there).is_number:
                return roofline.divided("rule of thumb", at, sympy.Integer(1), there)
        return None

    def _compared(self, n: OnChip, rule: Known) -> dict[str, Any]:
        truth = Row("point", n.known)
        ratio: Inline = ()
        if isinstance(n.at_sizes, Above) and n.at_sizes.at.is_number and first(rule) != 0:
            over = roofline.divided("exact over rule", n.at_sizes.at, first(rule), {})
            ratio = (Math(tex_of(over, _plain)),)
        bound = self.decimal(rule, lambda rule: Above(first(rule)))
        return {"chip": (named(n.chip),), "rule": bound, "truth": self.decimal(truth, _threshold), "ratio": ratio}

    @property
    def hidden(self) -> list[Inline]:
        """What the rule of thumb leaves out: that there is none, a condition."""
        if self.proved is None or self.study.never:
            return []
        rows, items = self.rules_there, []
        limits = [p for c in self.ceilings if (p := self.proved_limits.get(c.channel))]
        if not rows and limits:
            limit = self.math(limits[0], taken)
            told, short = (
                self.words("There is no rule of thumb here: $I$ goes like <limit>.", limit=limit),
                width(limit.tex) < CONDITION,
            )  # it is not broken
            items.append(
                told
                if short
                else self.words("There is no rule of thumb here: what $I$ goes like stands with its limit.")
            )
        if not (rows or items):
            return items
        match self.found.symbolic.cases:  # a second bound is no answer in a word: it stands where the threshold does
            case [holding, other] if holding.when != sympy.true and isinstance(other.threshold, Never | Always):
                text = condition(holding.when, lang=self.words.language, order=self.style.order, inline=True)
                if width(text) < CONDITION:
                    answer = Math(given(rf"\text{{{self.style.say(other.threshold.kind)}}}"))
                    when = Math(tex_of(self.proved.symbolic, lambda _: text))
                    items.append(
                        self.words(
                            "A condition the rule leaves out: <condition>. Without it: <answer>.",
                            condition=when,
                            answer=answer,
                        )
                    )
        return items

    @property
    def others(self) -> Inline:
        """The answers with other published specs: the three that move the answer most."""
        if self.proved is None or self.study.never:
            return ()
        answers = []
        usual = next((p.integer for p in self.outline.rows("point") if p.integer), 0) or 0
        rows = self.outline.rows("other")
        moved = sorted(rows, key=lambda row: row.integer is not None and -abs(row.integer - usual))[:3]
        for row in (each for each in rows if each in moved):
            none = self.words("no such size" if row.unmet else "never")
            answer = none if row.integer is None else (self.equals(row),)
            answers.append((f"{row.about.rate.resource} ", figure(row.known[0]), " → ", *answer))
        return join(answers, "; ")


def _symbol(ridge: Known) -> str:
    return latex(sympy.Symbol(str(ridge.statement.about)))


def _about(known: Known) -> str:
    return approximately(first(known))


def _equals(ridge: Known) -> str:
    return f"{_symbol(ridge)} {_about(ridge)}"


def _plain(known: Known) -> str:
    return number_tex(first(known))


def _threshold(point: Row) -> Threshold:
    return point.threshold


def _integer(point: Row) -> str:
    return str(point.integer)


def _duration(known: Known) -> str:
    short = in_seconds(first(known))
    unit = r"\mu\text{s}" if short.unit == "us" else rf"\text{{{short.unit}}}"
    sign = "=" if short.exact else r"\approx"
    return rf"T {sign} {number(short.text, False)}\,{unit}"
