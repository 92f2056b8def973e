"""All that the slides of an operation say, as known statements, worked out when it is asked for."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

import sympy

from roofproof.atlas.on_chips import OnChip
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import MissingFigure
from roofproof.export.outline import time_rows
from roofproof.export.slides.course_claims import exact_number
from roofproof.export.slides.operation_slides import OperationSlides
from roofproof.export.slides.tensors import smaller
from roofproof.proofs.known import Known
from roofproof.proofs.provers.limit_proofs import ProvedLimit
from roofproof.proofs.provers.roofline import divided, figure, ridge


def known(slides: OperationSlides) -> Iterator[Known]:
    """Yield the outline, what it comes to at the sizes and on each chip, and how far the rule of thumb is off.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> from roofproof.export.slides.terms import Words
    >>> slides = OperationSlides(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), Words("en"))
    >>> [k.statement.says for k in known(slides)][-1]                          # 1/(1 - 240.54 * 2/4096)
    'exact over rule = 209664/185039'
    """
    study, op, sizes = slides.study, slides.op, slides.study.full_sizes
    yield from slides.outline.known
    for section in slides.step_sections:
        yield from (k for row in section.rows for k in row.known)
    if rest := [row.value for row in smaller(slides)]:
        yield divided("bytes of smaller tensors", sympy.Add(*rest), sympy.Integer(1), {})
    for channel in (name for name in op.demands if name not in op.compute):
        yield divided("I", op.flops, op.bytes(channel), sizes)
        for compute in op.compute:
            with suppress(MissingFigure):  # of an engine that nothing is done on; a slide has no ridge point either
                peak, bandwidth = (exact_number(supply(study.chip, name)) for name in (compute, channel))
                yield divided("R", peak, bandwidth, {})
    for row in time_rows(op, study.chip, sizes):
        yield from row.known
    for c in slides.ceilings:
        if c.channel in slides.proved_limits:
            yield from _limit(slides.proved_limits[c.channel], c.intensity, sizes)
    if (told := study.proved or study.engines) is not None:
        yield from told.derivation
        for numbers in study.numbers:
            if not numbers.missing:
                yield from _on_chip(slides, numbers)


def _limit(proved: ProvedLimit, intensity: sympy.Expr, sizes: Mapping[str, int]) -> Iterator[Known]:
    yield from proved.derivation
    error = proved.limit.relative_error if proved.limit.growth is None else proved.limit.growth_error
    if error is not None:
        settled = proved.limit.settled
        rule, far = proved.limit.stands_for, settled.back(settled.expr)  # the error is that of what is left far out
        sign = 1 if substitute((rule - far) / far - error, sizes) == 0 else -1
        yield divided("error", sign * (rule - intensity), intensity, sizes)
        if not error.has(sympy.Abs):  # else the rule is too small somewhere, too large elsewhere
            yield divided("error", sign * (rule - far), far, {}, error)


def _on_chip(slides: OperationSlides, numbers: OnChip) -> Iterator[Known]:
    for c in ceilings(slides.op, numbers.chip):
        yield from map(figure, c.rests_on)
        yield ridge(c)
    yield from numbers.known
    if (rule := slides.rule_there(numbers)) and (exact := getattr(numbers.at_sizes, "at", None)) is not None:
        yield divided("exact over rule", exact, rule.at, {})
