"""What the document of the slides of an operation, `templates/operations.j2`, asks for: lines, formulas, answers."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import sympy

from roofproof.atlas.on_chips import OnChip
from roofproof.derive.inequalities.cases import Above, Always, Below, Cases, Never, substitute
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.derive.roofline.ridges import ridge, supply
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.derivation_lines import approximately, intensity_name, number, regime, time_line
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.latex.thresholds import fitted
from roofproof.export.latex.words import between
from roofproof.export.outline import Row, time_rows
from roofproof.export.slides.deck_context import clipped, figure, named, plain
from roofproof.export.slides.model import Block, Code, Formula, Inline, Math, Table, Text
from roofproof.export.slides.proof_slides import ProofSlides
from roofproof.export.slides.study import Study
from roofproof.export.slides.tensors import signature
from roofproof.export.slides.terms import Words, join
from roofproof.export.text.formatting import in_seconds
from roofproof.hardware.units import decimal
from roofproof.ops import entries
from roofproof.proofs.provers.critical_size import Rule, rules
from roofproof.proofs.provers.roofline import bounded
from roofproof.proofs.provers.rule_of_thumb import misleads

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
    >>> from roofproof.export.slides.terms import Words
    >>> slides = OperationSlides(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), Words("en"))
    >>> slides.work.lines[:2], slides.answer[-2]                       # 240.54/(1 - 240.54 * 2/4096) = 272.55
    (('\\\\text{FLOPs} &= 2BDF', '\\\\text{bytes} &= 2BD + 2DF + 2BF'), Math(tex='B = 273'))
    """

    def __init__(self, study: Study, words: Words) -> None:
        super().__init__(study, words)
        self.label, self.typed = (study.label,), (Code(study.label),)
        self.chip, self.sizes, self.signature = (named(study.chip),), self.at(study.full_sizes), signature(self.op)
        self.entry = entries().get(study.label.partition(":")[0])  # where it was asked for by its name there
        self.dims = Math(r",\, ".join(symbol(s.name) for s in self.op.dims))
        self.formats = ", ".join(name for name, amount in self.op.compute.items() if not amount.is_zero)

    @property
    def conditions(self) -> Inline:
        return join(map(self._condition, assumptions(self.op)), self.words["comma"])

    def _condition(self, each: sympy.Basic) -> Inline:
        if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
            whole, part = map(self.math, each.lhs.args)
            return self.words("divides", part=part, whole=whole)
        return (Math(condition(each, lang=self.words.language, inline=True)),)

    # --- FLOPs, intensity, its limit, the ridge point

    @property
    def work(self) -> Formula:
        """The FLOPs, the bytes and the intensity they make."""
        op, lines = self.op, []
        channels = [name for name in op.demands if name not in op.compute]
        for row in self.outline.rows("flops"):
            if not row.value.is_zero:
                left = r"\text{FLOPs}" if len(op.compute) == 1 else rf"\text{{FLOPs}}_{{\text{{{row.about}}}}}"
                lines += self.equation(left, "=", row.value)
        for row in self.outline.rows("flops-total"):
            lines += self.equation(r"\text{FLOPs}", "=", row.value)
        for channel in channels:
            left = rf"\text{{bytes}}_{{\text{{{channel}}}}}" if len(channels) > 1 else r"\text{bytes}"
            lines += self.equation(left, "=", op.bytes(channel))
        for row in self.outline.rows("intensity") if self.proved else ():
            lines += self.equation(intensity_name(row.about, len(channels) > 1), "=", row.value)
        return Formula(tuple(lines))

    @property
    def ridges(self) -> Formula:
        lines = []
        for row in self.outline.rows("ridge"):
            peak, bandwidth = (number(decimal(r.value), False) for r in row.about.rests_on)
            over = rf"\frac{{{peak}\ \text{{FLOP/s}}}}{{{bandwidth}\ \text{{B/s}}}}"
            lines.append(rf"{self.style.latex(row.about.symbol)} &= {over} {approximately(row.value)}\ \text{{FLOP/B}}")
        return Formula(tuple(lines))

    @property
    def figures(self) -> Iterator[dict[str, Inline | Math]]:
        """The figures of the chip, each with its kind of source, and which."""
        for rate in (row.about for row in self.outline.rows("figure")):
            status = rate.status.replace(" ", "-")
            kind = self.words(status) if status in self.words else (rate.status,)
            source = clipped(re.sub(r"https?://\S+", "", rate.source), SOURCE)
            colon = ": " if self.words.language == "en" else "："
            known = join([kind, (source,)], colon) if source else kind
            yield {"resource": (rate.resource,), "value": figure(rate), "source": known}

    # --- without a threshold

    @property
    def transfers(self) -> Iterator[dict[str, Formula | Math]]:
        """How long moving the bytes takes over each channel, as a formula and at the sizes."""
        for name, amount in time(self.op, self.study.chip).items():
            if name not in self.op.compute:
                over = rf"T &= \frac{{\text{{bytes}}}}{{{figure(supply(self.study.chip, name)).tex}}}"
                short = in_seconds(substitute(amount, self.study.full_sizes))
                sign = "=" if short.exact else r"\approx"
                unit = r"\mu\text{s}" if short.unit == "us" else rf"\text{{{short.unit}}}"
                answer = Math(rf"T {sign} {number(short.text, False)}\,{unit}")
                yield {"formula": Formula((over,)), "answer": answer}

    @property
    def compared(self) -> Iterator[dict[str, Math]]:
        """Each intensity at the sizes beside its ridge point."""
        for channel in (name for name in self.op.demands if name not in self.op.compute):
            value = substitute(self.op.flops / self.op.bytes(channel), self.study.full_sizes)
            above = ridge(self.study.chip, self.formats, channel)
            if value.is_number:
                yield {"value": Math(approximately(value)), "ridge": Math(approximately(above))}

    # --- the threshold

    @property
    def found(self) -> CriticalSize:
        """The threshold that was found."""
        assert self.proved is not None
        return self.proved.found

    @property
    def symbols(self) -> Math:
        """All names that the proof is about."""
        several = self.study.engines.found.ceilings if self.study.engines else ()
        ridges = dict.fromkeys(latex(c.symbol) for c in (*self.ceilings, *several))
        return Math(r",\, ".join(s for s in (self.dims.tex, *ridges) if s))

    @property
    def condition(self) -> Math:
        sign = between(self.style.say("and"))
        return Math(sign.join(f"{intensity_name(c.channel, self.several)} > {latex(c.symbol)}" for c in self.ceilings))

    @property
    def cases(self) -> list[Block]:
        return self._cases(self.found.symbolic)

    @property
    def engines(self) -> list[Block]:
        """Where an operation on several engines is compute-bound; nothing where that is not known."""
        return self._cases(self.study.engines.found.symbolic) if self.study.engines else []

    @property
    def cases_there(self) -> list[Block]:
        """The cases with the figures of the chip; with names for parts they are those of the slide before."""
        return [] if fitted(self.style, self.found.cases)[1] else self._cases(self.found.cases)

    def _cases(self, found: Cases) -> list[Block]:
        short, names = fitted(self.style, found)
        text = cases(short, lang=self.words.language, order=self.style.order)
        rows = self.definitions(names)
        if len(found) > CASES or width(text) > WIDEST or len(rows) > 5:
            return [Text(self.words("many-cases", count=len(found), command=self.command()))]
        return [Formula((text,)), *([Formula(tuple(rows))] if rows else [])]

    @property
    def bound(self) -> Formula | None:
        """The bound of an intensity that stays below the ridge point at all sizes."""
        for c in self.ceilings:
            if known := bounded(c):
                sign = "=" if known.statement.goal[0] == "=" else "<"
                most = f"{sign} {self.style.latex(known.statement.shows[0])}"
                name = intensity_name(c.channel, self.several)
                return Formula((rf"{name} &{most} < {latex(c.symbol)} {approximately(c.ridge)}",))
        return None

    @property
    def first_ridge(self) -> dict[str, Math]:
        """The ridge point that no size makes up for."""
        return {"symbol": Math(latex(self.ceilings[0].symbol)), "value": Math(plain(self.ceilings[0].ridge))}

    @property
    def chip_with_ridges(self) -> Inline:
        ridges = [Math(f"{latex(c.symbol)} {approximately(c.ridge)}") for c in self.ceilings if c.ridge is not None]
        return (*self.chip, " (", *join(ridges, self.words["comma"]), ")")

    @property
    def answer(self) -> Inline:
        """The threshold at the sizes, and the integer answer; nothing where the sizes do not decide."""
        return next(map(self._answer, self.outline.rows("point")), ())

    def _answer(self, row: Row) -> Inline:
        bound, integer, asked = row.threshold, row.integer, row.about.allowed.conditions
        if integer is None and asked and not isinstance(bound, Never):
            return self.words("no-allowed", answer=self.decimal(bound))
        if isinstance(bound, Never | Always) or integer is None:
            return (self.decimal(bound),)
        how = f"{'largest' if isinstance(bound, Below) else 'smallest'}-{'allowed' if asked else 'integer'}"
        return self.words(how, answer=self.decimal(bound), integer=self.equals(integer))

    def equals(self, integer: int) -> Math:
        return Math(f"{symbol(self.study.unknown)} = {integer}")

    @property
    def rules(self) -> Iterator[dict[str, Math]]:
        """Each rule of thumb that is a single bound without a condition."""
        for rule in self.proved.rules if self.proved else ():
            if rule.threshold is not None and (said := self._rule(rule.threshold)):
                yield {"regime": Math(regime(rule.proved.limit.regime.text)), "bound": said}

    def _rule(self, found: Cases) -> Math | None:
        if len(found) != 1 or found.cases[0].when != sympy.true:
            return None
        bound = found.cases[0].threshold
        if isinstance(bound, Above | Below) and bound.at.free_symbols:
            sign = ">" if isinstance(bound, Above) else "<"
            return Math(f"{symbol(self.study.unknown)} {sign} {self.style.latex(bound.at, inline=True)}")
        return self.decimal(bound) if isinstance(bound, Never | Always | Above | Below) else None

    # --- chips, times, figure, and what the rule of thumb hides

    @property
    def per_chip(self) -> Iterator[Table]:
        """Tables with a row for each chip: peak, bandwidths, ridge points, and the size that is needed."""
        above = self._above
        if not above:
            return
        header: list[Inline] = [self.words("chip"), *((c,) for c in dict.fromkeys(c.compute for c in above))]
        header += [self.words("memory") if c == "memory" else (c,) for c in dict.fromkeys(c.channel for c in above)]
        header += [(Math(latex(c.symbol)),) for c in above]
        header.append(self.words("needs", dim=Math(symbol(self.study.unknown))))
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
            return (chip, self.words("unfit" if numbers.unfit else "no-figure"), *((),) * (width - 2))
        there = ceilings(self.op, numbers.chip)
        rates = [{c.compute: c.rests_on[0] for c in there}, {c.channel: c.rests_on[1] for c in there}]
        cells: list[Inline] = [(figure(rate),) for each in rates for rate in each.values()]
        cells += [(Math(plain(c.ridge)),) for c in there]
        if numbers.at_sizes is None:
            return (chip, *cells, ())
        whole: Inline = () if numbers.integer is None else (" (", Math(str(numbers.integer)), ")")
        return (chip, *cells, (self.decimal(numbers.at_sizes), *whole))

    @property
    def times(self) -> Formula | None:
        """How long an operation in parts takes: each resource, and as these overlap."""
        if not self.op.parts or self.op.flops.is_zero:
            return None
        rows = time_rows(self.op, self.study.chip, self.study.full_sizes)
        lines = (line for row in rows for line in time_line(self.style, row))
        return Formula(
            tuple(rf"{line.left} &{line.sign} {line.right[0]} \quad \text{{{line.because}}}" for line in lines)
        )

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

    def rule_there(self, n: OnChip) -> Above | None:
        """Return what the rule of thumb says on a chip that has a threshold, where it is one lower bound."""
        if n.missing or n.at_sizes is None or self.proved is None:
            return None
        found = self.study.apart.get(n.chip, self.proved)
        here = found is not self.proved or n.chip is self.study.chip
        rules = [r.threshold for r in (found.rules if here else self.rules_with_ridges) if r.threshold is not None]
        there = {**self.study.sizes, **n.ridges}
        match [rule.at(there) for rule in rules if not misleads(rule, found.found.symbolic, there)]:
            case [Above() as one] if one.at.is_number:
                return one
        return None

    def _compared(self, n: OnChip, rule: Above) -> dict[str, Any]:
        assert n.at_sizes is not None
        ratio: Inline = ()
        if isinstance(n.at_sizes, Above) and n.at_sizes.at.is_number and rule.at != 0:
            ratio = (Math(plain(n.at_sizes.at / rule.at)),)
        chip = (named(n.chip),)
        return {"chip": chip, "rule": self.decimal(rule), "truth": self.decimal(n.at_sizes), "ratio": ratio}

    @property
    def hidden(self) -> list[Inline]:
        """What the rule of thumb leaves out: that there is none, a condition."""
        if self.proved is None or self.study.never:
            return []
        rows, items = self.rules_there, []
        limits = [p.limit.stands_for for c in self.ceilings if (p := self.proved_limits.get(c.channel))]
        if not rows and limits:
            short = width(self.style.latex(limits[0], inline=True)) < CONDITION  # no line is broken within it
            told = self.words("hidden-no-rule", limit=self.math(limits[0]))
            items.append(told if short else self.words("hidden-no-rule-long"))
        if not (rows or items):
            return items
        match self.found.symbolic.cases:  # a second bound is no answer in a word: it stands where the threshold does
            case [first, other] if first.when != sympy.true and isinstance(other.threshold, Never | Always):
                said = condition(first.when, lang=self.words.language, order=self.style.order, inline=True)
                if width(said) < CONDITION:
                    answer = Math(rf"\text{{{self.style.say(other.threshold.kind)}}}")
                    items.append(self.words("hidden-condition", condition=Math(said), answer=answer))
        return items

    @property
    def others(self) -> Inline:
        """The answers with other published figures."""
        if self.proved is None or self.study.never:
            return ()
        answers = []
        for row in self.outline.rows("other")[:3]:
            none = self.words("no-such-size" if row.unmet else "never")
            said = none if row.integer is None else (self.equals(row.integer),)
            answers.append((f"{row.about.rate.resource} ", figure(row.about.rate), " → ", *said))
        return join(answers, "; ")
