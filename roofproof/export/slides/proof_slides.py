"""Limits and proofs line by line on slides: of each intensity, and from the intensity to the answer."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import sympy

from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.limits import Limit, limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.leaves import approximately, intensity_name, regime
from roofproof.export.latex.measure import width
from roofproof.export.outline import Section, sections_of
from roofproof.export.slides.deck_context import DeckContext, first
from roofproof.export.slides.model import Display, Inline, Math
from roofproof.export.slides.steps import HEAD, ROWS, SLIDE, step_blocks, untold, wide
from roofproof.export.slides.study import Study
from roofproof.export.slides.tensors import WIDE
from roofproof.export.slides.terms import SlideWords, join
from roofproof.export.slides.tex import given, tex_of
from roofproof.ops.roles import role_of
from roofproof.proofs.provers.critical_size import background_assumptions
from roofproof.proofs.provers.roofline import cancelled, divided
from roofproof.proofs.steps.answer import told_limit, told_threshold

AT_SIGHT = 2  # lines: the intensity, and what it tends to


class ProofSlides(DeckContext):
    """What the slides of an operation say of limits, and its proofs line by line.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> from roofproof.export.slides.terms import SlideWords
    >>> slides = ProofSlides(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), SlideWords("en"))
    >>> [section.key for section in slides.step_sections]
    ['steps-limit', 'steps-threshold', 'steps-sizes']
    """

    def __init__(self, study: Study, words: SlideWords) -> None:
        super().__init__(study, words)
        self.proved = study.proved
        self.ceilings = study.proved.found.ceilings if study.proved else ()
        self.several = len(self.ceilings) > 1  # channels that it is held against

    @property
    def intensities(self) -> Iterator[dict[str, Inline]]:
        """Each intensity at the sizes on which it depends."""
        sizes = self.study.full_sizes
        for c in self.ceilings:
            if c.intensity.free_symbols:
                there = divided(intensity_name(c.channel, self.several), c.flops, c.moved, sizes)
                answer = tex_of(there, lambda known: f"{known.statement.about} {approximately(first(known))}")
                yield {"sizes": self.at(sizes, (c.intensity,)), "answer": (Math(answer), " FLOP/B")}

    @cached_property
    def proved_limits(self) -> dict[str, Limit]:
        """The limit of each intensity: that of the rule of thumb, else as the unknown, else as all that may grow."""
        found = {rule.channel: rule.limit for rule in self.proved.rules} if self.proved else {}
        given = background_assumptions(self.study.op, self.proved.found) if self.proved else ()
        for c in self.ceilings:
            names = tuple(sorted(s.name for s in c.intensity.free_symbols if role_of(self.study.op, s.name).grows))
            for growing in ((self.study.unknown,), names):
                if names and set(growing) <= set(names) and c.channel not in found:
                    try:
                        found[c.channel] = limit(c.intensity, Regime.of(growing), given)
                    except RoofproofError:
                        continue  # it depends on how fast they grow
        return found

    @property
    def limits(self) -> Iterator[dict[str, Any]]:
        """The limit of each intensity, with what taking it for the intensity neglects."""
        for c in self.ceilings:
            empty = {"channel": c.channel, **dict.fromkeys(("grows", "here", "where", "trust"))}
            if c.intensity.is_number:
                known = cancelled(c.flops, c.moved, c.intensity, c.label)
                yield empty | {"formula": "", "value": self.math(known, first), "error": 0}
            elif c.channel in self.proved_limits:
                yield empty | self._limit(self.proved_limits[c.channel], c)

    def _limit(self, found: Limit, c: Ceiling) -> dict[str, Any]:
        sizes = self.study.full_sizes
        first_line, *more = self.equation("I", r"\to" if found.growth is None else r"\sim", found, taken)
        first_line += r" \qquad (" + given(regime(found.regime.text)) + ")"
        told: dict[str, Any] = {"formula": Display((first_line, *more)), "trust": found.trust}
        told["value"] = self.math(found, taken)
        if width(self.style.latex(found.stands_for)) >= WIDE:
            told["value"] = Math(given(r"\lim I")) if found.growth is None else self.words("the leading term")
        if found.growth is not None:
            told["grows"] = "limit-grows" if found.value == sympy.oo else "limit-vanishes"
            told["grows"] += "" if isinstance(told["value"], Math) else "-so"
        error = found.relative_error if found.growth is None else found.growth_error
        if error is None or error == 0:
            return told | {"error": error}
        told["error"] = Display(tuple(self.equation(r"\varepsilon", "=", found, lambda _: error)))
        if substitute(found.where, sizes) == sympy.true:
            off = found.stands_for - c.intensity
            there = divided("error", -off if substitute(off, sizes).is_negative else off, c.intensity, sizes)
            told |= {"sizes": self.at(sizes, (error,)), "here": self.number(there)}
        if found.where != sympy.true:
            where = tex_of(found, lambda p: condition(p.where, lang=self.words.language, inline=True))
            told["where"] = Math(where)
        return told

    @property
    def steps(self) -> Iterator[Display]:
        """The proof line by line, a slide for each of its parts that fits on one."""
        yield from _together(block for _, blocks in self._told("steps-threshold", "steps-sizes") for block in blocks)

    @property
    def limit_steps(self) -> Iterator[Display]:
        """The proof of each limit line by line, in the same way; none that the limit itself shows."""
        blocks = (block for _, every in self._told("steps-limit") for block in every)
        yield from (block for block in blocks if len(block.lines) > AT_SIGHT)

    @property
    def not_told(self) -> Inline:
        """Why parts of the proof are on no slide, for whoever speaks: they are not told line by line, or do not fit."""
        missing = (each for each, blocks in self._told("steps-threshold", "steps-sizes") if not blocks)
        return join((untold(self.words, each, self.command()) for each in missing), self.words["; "])

    def _told(self, *keys: str) -> Iterator[tuple[Section, list[Display]]]:
        for section in self.step_sections:
            if section.key in keys:
                yield section, list(step_blocks(self.style, self.words, section))

    @cached_property
    def step_sections(self) -> tuple[Section, ...]:
        """The proofs of the limits that are shown and of the threshold, line by line."""
        shown = dict.fromkeys(c.channel for c in self.ceilings if c.channel in self.proved_limits)
        limits = (told_limit(self.proved_limits[name], name if self.several else "") for name in shown)
        proved = self.proved or self.study.engines
        return (*sections_of(limits), *(sections_of(told_threshold(proved)) if proved else ()))


def _together(blocks: Iterable[Display]) -> Iterator[Display]:
    """Yield displays of one proof, those that follow one another as one where they are short and of no cases."""
    before: Display | None = None
    for each in blocks:
        if before is not None:
            both = Display((*before.lines, *each.lines), (*before.reasons, *each.reasons), derived=True)
            cases = any(line.startswith(HEAD) for line in both.lines)
            if not cases and len(both.lines) <= ROWS and wide(both) <= SLIDE:
                before = both
                continue
            yield before
        before = each
    if before is not None:
        yield before


def taken(found: Limit) -> sympy.Expr:
    """Return the eventual form of the intensity."""
    return found.stands_for
