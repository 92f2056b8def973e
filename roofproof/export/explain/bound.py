"""Lower bounds on the traffic for a given memory, the best tile, and three regions of ridge points."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

import sympy

from roofproof.bounds import Bound
from roofproof.bounds.regions import NEVER, TILE
from roofproof.derive.inequalities.cases import Always, Case, Never, with_bounds
from roofproof.export.bound_records import bound_record
from roofproof.export.doc import Doc, FewDigits, Formula, Inline, Line, Say, Section, between, say, sizes
from roofproof.export.explain.shown import formula, record
from roofproof.export.explain.threshold import status
from roofproof.formula.magnitudes import prefixed
from roofproof.proofs.known import PRINTED, ByKernel

REGIONS = {
    "no schedule": "here: no schedule is compute-bound",
    "this tile": "here: this tile is compute-bound",
    "open": "here: open, as the memory lies between the two",
}
LEMMA = "the Hölder-Brascamp-Lieb lemma for projections (Christ et al. 2013): assumed here, proved in Coq (--coq)"
PHASES = "phases of equal traffic (Hong and Kung 1981): assumed here, proved in Coq for every run (--coq)"
CONVENTION = "the model: every multiplication is performed; inputs start and outputs end outside the memory"
AT_ONCE = (
    "the model: every product of <count> numbers is made by itself, not two tensors at a time, which may move fewer "
    "bytes; inputs start and outputs end outside the memory"
)
NO_SCHEDULE = "no schedule is compute-bound"
THIS_TILE = "this tile is compute-bound"


def explain_bound(found: Bound) -> Doc:
    """Return a bound as a document.

    >>> from roofproof.bounds import bound
    >>> from roofproof.export.to_text import aligned_text
    >>> from roofproof.ops import parse_operation
    >>> print(aligned_text(explain_bound(bound(parse_operation("dot")))))
    at least 4*N + 2 bytes for any schedule; the best tile moves 4*N + 2 bytes [proved]
    dot: products of x, y, z
    no schedule moves fewer bytes than
      in any memory                   4*N + 2
    best tile: keep z, stream N
      takes                           M = 6
      moves                           4*N + 2
    regions by ridge point R, for large sizes
      no schedule is compute-bound    R >= 1/2, in any memory
    rests on
      the model: every multiplication is performed; inputs start and outputs end outside the memory
      everything else: proved
    """
    nest = found.nest
    title = say("<op>: products of <tensors>", op=nest.name, tensors=", ".join(a.name for a in nest.arrays))
    given = Section(title, tuple(_memory_lines(found)))
    return Doc(_answer(found), (given, *_sections(found)))


def _answer(found: Bound) -> Inline:
    """Return the least traffic and the traffic of the best tile in one line, in numbers if all sizes are given."""
    how: Inline = say("[proved, given the lemma below]") if found.lower else status(ByKernel.trust)
    least, tile = found.least, found.tile
    if found.at and least is not None:
        answer = say("at least <least> for any schedule", least=_amount(least, ROUND_FLOOR))
        answer = _at_once(found, answer)
        if found.reached is not None and tile is not None and found.integer_sides:
            sides = between((Formula(loop, "=", n) for loop, n in found.integer_sides.items()), ", ")
            form = "<least>; a tile of <sides> moves <bytes>"
            answer = say(form, least=answer, sides=sides, bytes=_amount(found.reached, ROUND_CEILING))
        return (answer, " ", how)
    every = [bound.value for bound in found.lower]
    least = every[0] if len(every) == 1 else sympy.Max(*every) if every else found.nest.compulsory
    answer = _at_once(found, say("at least <least> bytes for any schedule", least=least))
    if tile is not None:
        answer = say("<least>; the best tile moves <bytes> bytes", least=answer, bytes=tile.moved(tile.g))
    return (answer, " ", how)


def _at_once(found: Bound, answer: Inline) -> Inline:
    """Return an answer, limited to schedules that multiply all tensors at once if there are three or more."""
    if (count := _factors(found)) < 3:
        return answer
    return say("<answer> that multiplies all <count> tensors at once", answer=answer, count=count)


def _factors(found: Bound) -> int:
    """Return the number of tensors that are multiplied, not counting the result."""
    return len(found.nest.arrays) - 1


def _amount(value: sympy.Expr, rounding: str) -> str:
    """Return bytes with four digits and a prefix, rounded in the direction that keeps the statement true."""
    exact = Decimal(str(value)) if value.is_Integer else Decimal(str(value.evalf(30)))
    if not value.is_Integer and rounding == ROUND_CEILING:
        exact = exact.next_plus()
    step = Decimal(1).scaleb(exact.adjusted() - 3)
    return prefixed(Fraction(exact.quantize(step, rounding)), "B")


def _sections(found: Bound) -> Iterator[Section]:
    yield Section(say("no schedule moves fewer bytes than"), tuple(_least(found)))
    yield _tile(found)
    if found.nest.per_point:
        rows = (*_in_any_memory(found), *_in_this_memory(found), *_on_this_chip(found))
        ridge = found.regions.ridge.name
        yield Section(say("regions by ridge point <ridge>, for large sizes", ridge=ridge), rows)
    if found.at and found.least is not None:
        yield Section(say("at <sizes>", sizes=sizes(found.at)), tuple(_at_sizes(found)))
    yield Section(say("rests on"), tuple(_rests_on(found)))


def _memory_lines(found: Bound) -> Iterator[Line]:
    if found.bytes is not None:
        of: Inline = say("memory")
        if found.level:
            chip = found.chip.name if found.chip else ""
            of = say("memory: <level> of <chip>", level=found.level, chip=chip)
        yield Line(of, FewDigits(sympy.Eq(found.memory, sympy.Rational(found.bytes), evaluate=False)))
    if found.relaxed:
        form = "a relaxation, index by index: <indices>; what holds of it holds of the operation"
        yield Line(say(form, indices="; ".join(found.relaxed)))


def _least(found: Bound) -> Iterator[Line]:
    yield Line(say("in any memory"), FewDigits(found.nest.compulsory))
    for bound in found.lower:
        weights = ", ".join(map(str, bound.weights.arrays))
        yield Line(say("weights <weights>", weights=weights), FewDigits(bound.value))


def _tile(found: Bound) -> Section:
    tile = found.tile
    if tile is None:
        form = "no best tile of this product is known here"
        if found.once:
            form = "every element is used once, so all schedules move the same bytes"
        return Section(say(form), ())
    held, streamed = ", ".join(a.name for a in tile.held), found.nest.lengths[tile.streamed]
    heading = say("best tile: keep <held>, stream <streamed>", held=held, streamed=str(streamed))
    return Section(heading, tuple(_of_tile(found)))


def _of_tile(found: Bound) -> Iterator[Line]:
    tile = found.tile
    assert tile is not None
    g = tile.g if tile.scale_of_memory is None else tile.scale_of_memory
    for loop, side in tile.sides.items():
        yield Line(say("side of <loop>", loop=str(loop)), FewDigits(side))
    yield Line(say("takes"), FewDigits(sympy.Eq(found.memory, tile.footprint(tile.g), evaluate=False)))
    if tile.loops and tile.scale_of_memory is not None:
        yield Line(say("scale"), FewDigits(sympy.Eq(tile.g, g, evaluate=False)))
    yield Line(say("moves"), FewDigits(tile.moved(tile.g)))
    if found.regions.ratio is not None and found.regions.limit is not None:
        yield Line(say("over the bound"), Formula(found.regions.ratio, "->", found.regions.limit))
    if found.integer_sides:
        sides = between((Formula(loop, "=", n) for loop, n in found.integer_sides.items()), ", ")
        yield Line(say("best integer tile: <sides>", sides=sides))


def _in_any_memory(found: Bound) -> Iterator[Line]:
    regions = found.regions
    if regions.never_beyond is not None:
        beyond = sympy.Ge(regions.ridge, regions.never_beyond, evaluate=False)
        yield Line(say(NO_SCHEDULE), say("<what>, in any memory", what=beyond))
    if regions.never_below is not None:
        yield Line(say(NO_SCHEDULE), FewDigits(sympy.Le(found.memory, regions.never_below, evaluate=False)))
    for case in regions.scales or ():
        yield _tile_region(found, case)


def _tile_region(found: Bound, case: Case) -> Line:
    """Return the sizes of memory for which the tile is compute-bound, in one case."""
    tile = found.tile
    assert tile is not None
    when = None if case.when == sympy.true else FewDigits(case.when)
    if isinstance(case.threshold, Never):
        return Line(say("this tile is never compute-bound"), when)
    if isinstance(case.threshold, Always):
        return Line(say("this tile is always compute-bound"), when)
    told = with_bounds(case.threshold, lambda g: sympy.factor_terms(tile.footprint(g)))
    holds: Inline = FewDigits(told.holds(found.memory))
    if when is not None:
        holds = say("<what>, where <condition>", what=holds, condition=case.when)
    return Line(say(THIS_TILE), holds)


def _in_this_memory(found: Bound) -> Iterator[Line]:
    regions, R = found.regions, found.regions.ridge
    if found.bytes is None:
        return
    if (least := regions.never_from(sympy.Rational(found.bytes))) is not None:
        yield Line(say(NO_SCHEDULE), FewDigits(sympy.Ge(R, least, evaluate=False)))
    if found.scale:
        reached = regions.reached_below(sympy.Rational(found.scale))
        yield Line(say(THIS_TILE), FewDigits(sympy.Lt(R, reached, evaluate=False)))


def _on_this_chip(found: Bound) -> Iterator[Line]:
    regions, chip, M = found.regions, found.chip, found.memory
    if found.region is None or chip is None or found.ridge is None:
        return
    ridge = sympy.Rational(found.ridge)
    put = {regions.ridge: ridge}
    about = {"engine": found.engine, "channel": chip.memory, "chip": chip.name}
    yield Line(
        say("<engine> against <channel> of <chip>", **about), FewDigits(sympy.Eq(regions.ridge, ridge, evaluate=False))
    )
    below, reached = regions.never_below, regions.reached_at
    if below is not None:
        yield Line(say(NO_SCHEDULE), FewDigits(sympy.Le(M, below.subs(put), evaluate=False)))
    if reached is not None and reached.subs(put).is_positive:
        yield Line(say(THIS_TILE), FewDigits(sympy.Gt(M, reached.subs(put), evaluate=False)))
    yield Line(say(REGIONS[found.region]))
    yield from _from_sizes(found, ridge)


def _from_sizes(found: Bound, ridge: sympy.Rational) -> Iterator[Line]:
    """Yield the finite sizes from which the chip's region holds."""
    regions, nest, tile = found.regions, found.nest, found.tile
    least = regions.never_from_points(sympy.Rational(found.bytes), ridge)
    if found.region == NEVER and least is not None:
        yield Line(say("holds when"), FewDigits(sympy.Ge(nest.points, least, evaluate=False)))
    if found.region == TILE and tile is not None and found.scale:
        cases = regions.streamed_from(sympy.Rational(found.scale), ridge)
        yield Line(say("holds when"), FewDigits(cases.at({}).holds(nest.lengths[tile.streamed])))


def _at_sizes(found: Bound) -> Iterator[Line]:
    least = found.least
    assert least is not None
    yield Line(say("no schedule moves less than"), FewDigits(least, "down"))
    if found.reached is not None:
        told = say(
            "<bytes>, <ratio> times that", bytes=FewDigits(found.reached), ratio=FewDigits(found.reached / least)
        )
        yield Line(say("the tile moves"), told)


def _rests_on(found: Bound) -> Iterator[Line]:
    if found.lower:
        yield Line(say(LEMMA))
        yield Line(say(PHASES))
    count = _factors(found)
    yield Line(say(CONVENTION) if count < 3 else say(AT_ONCE, count=count))
    yield Line(say("everything else: <how>", how=say(PRINTED[found.derivation.trust])))


@formula.register
def _(found: Bound) -> Doc:
    """Return the bounds and the regions as one formula, in which Q is the bytes moved."""
    values = (found.nest.compulsory, *(b.value for b in found.lower))
    rows = [Line(Formula("Q", ">=", value)) for value in values]
    for line in _in_any_memory(found) if found.nest.per_point else ():
        told: Any = line.right.parts["what"] if isinstance(line.right, Say) else line.right
        statement = told.value if isinstance(told, FewDigits) else told
        if line.left.form in (NO_SCHEDULE, THIS_TILE) and statement.has(found.regions.ridge):
            rows.append(Line(line.right if statement is not told else statement, line.left))
    return Doc((), (Section((), tuple(rows)),))


@record.register
def _(found: Bound) -> dict[str, Any]:
    return bound_record(found)
