"""The short answer of `derive`: one line, and a summary that fits on a screen (`threshold` has the full answer)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.relational import Relational

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Below, Case, bounds
from roofproof.errors import RoofproofError
from roofproof.export.doc import (
    Bounded,
    Decimal,
    Doc,
    Formula,
    Inline,
    Line,
    Quotient,
    Regime,
    Row,
    Seconds,
    Section,
    TextOrTypeset,
    between,
    bracketed,
    say,
    sizes,
)
from roofproof.export.explain.threshold import (
    HEADINGS,
    PHRASES,
    TIME_REASONS,
    estimate_phrases,
    integer_phrase,
    joined_conditions,
    known_by,
    notation,
    status,
    time_of,
)
from roofproof.export.outline import TIMES, Outline
from roofproof.export.outline import Row as Known
from roofproof.proofs.known import ByKernel
from roofproof.sentences import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofproof.derive.roofline.critical_size import CriticalSize
    from roofproof.proofs import ProvedThreshold
    from roofproof.proofs.provers.critical_size import Rule

MOST = 60  # characters of all cases in the first line (longer cases appear only in the summary)
LONGEST = 120  # the same limit for a single case or a rule of thumb
LEFT_OUT = ("read", "write", "point", "other", "other-time", "proof", "limit-proof", "resting", "for-all", "figure")
"""The lines that appear only in the full answer, or in another place here."""


def answer_line(found: Outline, proved: ProvedThreshold | None, point: Mapping[str, int]) -> Inline:
    """Return the answer in one line.

    >>> from roofproof import chip, op, threshold
    >>> from roofproof.export.outline import outline
    >>> from roofproof.export.to_text import inline_text
    >>> at = {"D": 4096, "F": 4096}
    >>> made = threshold("matmul", "h100-sxm", "B", at=at)
    >>> inline_text(answer_line(outline(made.found.op, made.chip, made, at), made, at))       # 2BDF/R > bytes
    'compute-bound for B >= 345 (B > 344.95) on h100-sxm at D = 4096, F = 4096 [proved]'

    With all sizes given, it is the smallest or largest integer size. Otherwise it is the rule of thumb with its regime,
    or the cases. Without a size to solve for, it is the minimum time or the intensity.
    """
    if proved is None:
        return _without_threshold(found, point)
    critical = proved.found
    sized = critical.at_point is not None
    answer = _at_sizes(found, critical) if sized else _in_general(found, proved)
    estimated = critical.share is not None and proved.trust == ByKernel.trust
    how = say("[proved for the estimate]") if estimated else status(proved.trust)
    return (_where(answer, found, critical.point if sized else {}), " ", how)


def _where(answer: Inline, found: Outline, point: Mapping[str, int]) -> Inline:
    """Return an answer followed by its chip and sizes."""
    chip = found.chip.name if found.chip else ""
    if chip and point:
        return say("<answer> on <chip> at <sizes>", answer=answer, chip=chip, sizes=sizes(point))
    if chip:
        return say("<answer> on <chip>", answer=answer, chip=chip)
    return say("<answer> at <sizes>", answer=answer, sizes=sizes(point)) if point else answer


def _compute_bound_for(critical: CriticalSize, where: Inline) -> Inline:
    """Return the sentence that the operation is compute-bound, or keeps a share of the peak, for these sizes."""
    if critical.share is None:
        return say("compute-bound for <where>", where=where)
    from roofproof.derive.roofline.share import percent

    form = "once started, keeps <share> of the calibrated peak for <where>"
    if not critical.share.ceilings:
        form = "keeps <share> of the peak for <where>"
    return say(form, share=percent(critical.share.value), where=where)


def _at_sizes(found: Outline, critical: CriticalSize) -> Inline:
    """Return the answer at the sizes: the integer first, then the exact bound in brackets."""
    [row] = found.rows("point")
    x, there = critical.unknown, row.threshold
    if there.kind == "never":
        return _never(critical)
    if there.kind == "always":
        return _always(critical)
    bound = Bounded(x, there, short=True)
    if not isinstance(there, Above | Below) or (row.integer is None and critical.share):
        return _compute_bound_for(critical, (bound, integer_phrase(row)))
    allowed, beside = critical.allowed, bracketed(bound)
    reached = there if row.integer is None else type(there)(sympy.Integer(row.integer), strict=False)
    conditions = joined_conditions(allowed.unimplied_conditions(reached), row.integer is not None)
    if row.integer is None:
        if not conditions:
            return (say("not compute-bound for any whole <name>", name=x), beside)
        form = "not compute-bound for any whole <name> with <conditions>"
        return (say(form, name=x, conditions=conditions), beside)
    such = say(" and <conditions>", conditions=conditions) if conditions else ()
    whole = Formula(x, ">=" if isinstance(there, Above) else "<=", row.integer)
    step = say(", in multiples of <step>", step=sympy.Integer(allowed.multiple_of)) if allowed.multiple_of > 1 else ()
    exact = there.at == row.integer and not there.strict
    large = isinstance(there, Above) and _too_large(found, {**critical.point, str(x): int(row.integer)})
    room = say(", more than the memory of the chip holds,") if large else ()
    return _compute_bound_for(critical, (whole, step, such, () if exact else beside, room))


def _too_large(found: Outline, at: Mapping[str, int]) -> bool:
    """Return whether the tensors of an operation are known to be larger than the main memory of its chip."""
    from roofproof.derive.roofline.floors import stored_bytes

    stored, room = (None, None) if found.chip is None else stored_bytes(found.op, found.chip)
    if stored is None or room is None:
        return False
    sizes = {s: sympy.Integer(at[s.name]) for s in stored.free_symbols if s.name in at}
    return bool(stored.xreplace(sizes).is_number and stored.xreplace(sizes) > sympy.Rational(room.value))


def _always(critical: CriticalSize) -> Inline:
    if critical.share is None:
        return say("compute-bound for every <name>", name=critical.unknown)
    return _compute_bound_for(critical, say("every <name>", name=critical.unknown))


def _never(critical: CriticalSize) -> Inline:
    if critical.share is None:
        return say("never compute-bound")
    from roofproof.derive.roofline.share import percent

    return say("never keeps <share> of the peak", share=percent(critical.share.value))


def _in_general(found: Outline, proved: ProvedThreshold) -> Inline:
    """Return the answer for all sizes: the only case, the rule of thumb with its regime, or the cases."""
    critical = proved.found
    rule = _rule(proved) if len(critical.cases) > 1 else None
    cases = rule.threshold if rule and rule.threshold else _shorter(found.rows("cases")).about
    regime = [] if rule is None else [Regime(rule.limit.regime.text)]
    reached = [case for case in cases if case.threshold.kind != "never"]
    if not reached:
        answer, when = _never(critical), regime
    elif not _is_short(reached, LONGEST if rule or len(cases) == 1 else MOST):
        return _compute_bound_for(critical, _without_formula(critical, reached, len(cases)))
    elif len(reached) == 1:
        [case] = reached
        answer = say("compute-bound") if rule and _is_far_out(rule) else _in_case(critical, case)
        when = [*([] if case.when == sympy.true else [_condition(case)]), *regime]
    else:
        every = [(_bounds(critical, case), say(" when <condition>", condition=_condition(case))) for case in reached]
        answer, when = _compute_bound_for(critical, between(every, say(", or "))), []
        answer = say("<answer>, as <condition>", answer=answer, condition=regime[0]) if regime else answer
    return say("<answer> when <condition>", answer=answer, condition=between(when, say(" and "))) if when else answer


def _rule(proved: ProvedThreshold) -> Rule | None:
    """Return the rule of thumb, or None for an unrequested one that says only that a growing unknown is large."""
    found = next((rule for rule in proved.rules if rule.threshold is not None), None)
    if found is None or (proved.regime is None and _is_far_out(found)):
        return None
    if any(case.threshold.kind != "never" and _has_specs(case) for case in found.threshold or ()):
        return next((rule for rule in proved.symbolic_rules if rule.threshold is not None), found)
    return found


def _has_specs(case: Case) -> bool:
    """Return whether a formula contains chip specs as numbers, so that it is shorter with the ridge point."""
    parts = [*bounds(case.threshold), *([case.when] if len(case.when.free_symbols) > 1 else [])]
    return any(len(str(n)) > 3 for part in parts if part.free_symbols for n in part.atoms(sympy.Rational))


def _is_far_out(rule: Rule) -> bool:
    """Return whether a rule of thumb bounds a growing unknown only by `always` or `never`."""
    kinds = {case.threshold.kind for case in rule.threshold or ()}
    grows = rule.threshold is not None and rule.threshold.unknown.name in rule.limit.regime.growing
    return grows and kinds <= {"always", "never"}


def _in_case(critical: CriticalSize, case: Case) -> Inline:
    return (
        _always(critical) if case.threshold.kind == "always" else _compute_bound_for(critical, _bounds(critical, case))
    )


def _bounds(critical: CriticalSize, case: Case) -> Inline:
    """Return the bound on the unknown in a case, with exact fractions rounded."""
    if case.threshold.kind == "always":
        return say("every <name>", name=critical.unknown)
    return Bounded(critical.unknown, case.threshold, short=True)


def _condition(case: Case) -> Inline:
    """Return the condition of a case, with a long fraction rounded."""
    when = case.when
    bounded = isinstance(when, Relational) and when.lhs.is_Symbol and when.rhs.is_number and when.rel_op[0] in "<>"
    if bounded and len(plain(when.rhs)) > len("1/100"):
        side = Above if when.rel_op[0] == ">" else Below
        return Bounded(when.lhs, side(when.rhs, strict="=" not in when.rel_op), short=True)
    return when


def _without_formula(critical: CriticalSize, reached: Sequence[Case], cases: int) -> Inline:
    """Return the direction of the bound and the number of cases it applies to, if the formulas exceed one line."""
    forms = {"above": "<name> above a threshold", "below": "<name> below a threshold"}
    kinds = {case.threshold.kind for case in reached}
    where = say(forms.get(kinds.pop() if len(kinds) == 1 else "", "some <name>"), name=critical.unknown)
    if cases == 1:
        return where
    return say("<where>, in <count> of <all> cases", where=where, count=len(reached), all=cases)


def _is_short(cases: Sequence[Case], most: int = MOST) -> bool:
    """Return whether cases fit into the first line."""
    return sum(len(plain(part)) for case in cases for part in (*bounds(case.threshold), case.when)) <= most


def _without_threshold(found: Outline, point: Mapping[str, int]) -> Inline:
    how = (" ", status(ByKernel.trust))
    if moved := found.rows("moves-only"):
        return _line(moved[0], found).left
    if (lower := found.rows("lower")) and lower[0].value.is_number:
        longest = [row.about for row in found.rows("resource") if row.value == lower[0].value]
        time = Seconds(lower[0].value, bare=True)
        bound = say("minimum <time>", time=time)
        if longest:
            bound = say("minimum <time> (<resource>)", time=time, resource=Resource(longest[0]))
        return (_where(bound, found, point), how)
    intensities = found.rows("intensity")
    if not intensities:
        return _where(found.op.name, found, {})
    shown = Formula("I", "=", intensities[0].value)
    if len(intensities) > 1:
        form = "<intensity> FLOP/B of <unit>"
        every = [say(form, intensity=row.value, unit=row.about) for row in intensities]
        return (say("I = <list>", list=between(every, ", ")), how)
    return ((shown, " FLOP/B"), _limit(found, intensities[0]), how)


def _limit(found: Outline, row: Known) -> Inline:
    """Return the limit of the intensity in the default regime, or nothing if there is no limit to add."""
    from roofproof.derive.limits.limits import limit
    from roofproof.derive.roofline.critical_size import default_regime

    regime = default_regime(found.op, None)
    try:
        made = None if regime is None else limit(row.value, regime)
    except RoofproofError:
        made = None
    if made is None or made.value == row.value:
        return ()
    return say(", which tends to <limit> as <regime>", limit=made.value, regime=Regime(made.regime.text))


def brief(found: Outline, proved: ProvedThreshold | None, point: Mapping[str, int]) -> Doc:
    """Return the answer and a one-screen summary: counts, intensity, ridge point and closed form."""
    sections = []
    moves_only = bool(found.rows("moves-only"))
    for section in found.sections:
        if moves_only and section.key.startswith(("flops", "intensity", "threshold")):
            continue  # already in the answer line
        if rows := tuple(_rows(section.rows, found, proved)):
            sections.append(Section(_heading(section, found), rows, (), section.key == "time"))
    given = tuple(line for row in found.rows("figure") for line in PHRASES["figure"](row, found))
    sections += [Section(say("specs"), given)] if given else []
    if proved is not None:
        [row] = found.rows("for-all")
        [line] = PHRASES["for-all"](row, found)
        assert isinstance(line, Line)
        how = say("<how>, <domain>", how=known_by(proved.trust), domain=line.left)
        sections.append(Section(say("proof"), (Line(how),)))
    return Doc(answer_line(found, proved, point), tuple(sections), *notation(found.op))


def _heading(section: Any, found: Outline) -> Inline:
    if section.key == "estimate":
        return say("estimate, not proved")
    if section.key == "intensity-over" and section.about == "memory":
        return say("intensity")
    return say(HEADINGS[section.key], channel=Resource(section.about))


def _rows(rows: tuple[Known, ...], found: Outline, proved: ProvedThreshold | None) -> Iterator[Row]:
    tensors = any(row.key == "total" for row in rows)
    cases = [row for row in rows if row.key == "cases"]
    for row in rows:
        if row.key in LEFT_OUT and (tensors or row.key not in ("read", "write")):
            continue
        if row.key == "total":
            yield replace(_line(row, found), right=None)
        elif row.key == "ridge":
            yield _ridge(row, found)
        elif row.key == "estimate":
            yield from map(Line, estimate_phrases(row.about, brief=True))
        elif row.key in TIMES and row.value.is_number:
            yield Line(Seconds(row.value), say(TIME_REASONS[row.key]), time_of(row.about))
        elif row.key in ("cases", "with") and len(cases) > 1:
            if row is _shorter(cases):
                yield from PHRASES["cases"](row, found)
        elif row.key == "rule" and proved is not None and proved.found.at_point is None:
            continue  # already in the answer line
        else:
            yield from PHRASES[row.key](row, found)


def _shorter(cases: Sequence[Known]) -> Known:
    """Return the cases with the specs of the chip if there are fewer of them, else those with the ridge point."""
    symbolic, solved = cases[0], cases[-1]
    return solved if len(solved.about.cases) < len(symbolic.about.cases) else symbolic


def _line(row: Known, found: Outline) -> Line:
    [line] = PHRASES[row.key](row, found)
    assert isinstance(line, Line)
    return line


def _ridge(row: Known, found: Outline) -> Line:
    """Return a ridge point as a quotient of two specs and a decimal number."""
    c = row.about
    if c.share or row.value.is_Integer:
        return _line(row, found)
    peak, bandwidth = (rate.value for rate in c.rests_on)
    text = row.known[0].statement.says.rpartition(" = ")[0]
    shown = Formula(c.symbol, "=", Quotient(peak, bandwidth), Decimal(row.value))
    return Line((TextOrTypeset(text, shown), " ", Decimal(row.value), " FLOP/B"))
