"""One operation on many chips: the ridge points and the threshold on each chip, from one proof."""

from __future__ import annotations

from collections.abc import Iterator

from roofproof.derive.inequalities.cases import Above
from roofproof.derive.on_chips import Comparison, OnChip
from roofproof.derive.roofline.share import percent
from roofproof.export.doc import (
    Bounded,
    Decimal,
    Display,
    Doc,
    Formula,
    Inline,
    Line,
    Number,
    Regime,
    Row,
    Section,
    Table,
    TextOrTypeset,
    between,
    say,
    sizes,
)
from roofproof.export.explain.threshold import assuming, bound_when, estimate_phrases, notation, status
from roofproof.proofs.known import PRINTED

NAMED = 4  # chips that the answer lists one by one
LACKS = {
    "unfit": "blocks do not fit",
    "no-figure": "no spec <figure>",
    "no-ceilings": "no calibrated rates",
    "none-found": "none found, open beyond",
}


def explain_comparison(found: Comparison) -> Doc:
    """Return a comparison as a document of two parts: the result proved for all chips, and the table.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.on_chips import thresholds
    >>> from roofproof.export.to_text import table_text
    >>> [found] = thresholds(op("matmul"), "B", [chip("tpu-v5e")], {"D": 4096, "F": 4096})
    >>> doc = explain_comparison(found)
    >>> print(*table_text(doc.sections[1].rows[-1], "en"), sep="\\n")
    chip     bf16            R         compute-bound  integer B
    tpu-v5e  1.97e14 FLOP/s  ≈ 240.54  B > 272.55     273
    """
    title: Inline = say("<op>, solved for <x>", op=found.op.name, x=found.unknown)
    if found.point:
        title = say("<solved>, at <sizes>", solved=title, sizes=sizes(found.point))
    return Doc(title, (Section((), tuple(_for_all(found))), Section((), tuple(_on_each(found)))), *notation(found.op))


def comparison_answer(found: Comparison) -> Inline:
    """Return the answer at the sizes in one line, chip by chip or as a range, or None if a chip has no exact answer.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.on_chips import thresholds
    >>> from roofproof.export.to_text import inline_text
    >>> chips = [chip("tpu-v5e"), chip("h100-sxm")]
    >>> [found] = thresholds(op("matmul"), "B", chips, {"D": 4096, "F": 4096})
    >>> inline_text(comparison_answer(found))                  # the exact bounds, 272.55 and 344.95, are in the table
    'matmul: compute-bound for B >= 273 on tpu-v5e, B >= 345 on h100-sxm at D = 4096, F = 4096 [proved]'
    >>> [found] = thresholds(op("matmul"), "B", chips, {"D": 512, "F": 512})
    >>> inline_text(comparison_answer(found))                  # 2 * 295.22 is more than 512
    'matmul: compute-bound for B >= 3983 on tpu-v5e, never on h100-sxm at D = 512, F = 512 [proved]'
    """
    rows = [row for row in found.rows if row.integer is not None and isinstance(row.at_sizes, Above)]
    never = [row.chip.name for row in found.rows if row.at_sizes is not None and row.at_sizes.kind == "never"]
    if found.share is not None or found.by_rule or len(rows) + len(never) < len(found.rows):
        return None
    x, trust = found.unknown, found.trust
    each = [say("<bound> on <chip>", bound=Formula(x, ">=", row.integer), chip=row.chip.name) for row in rows]
    if len(rows) > NAMED:
        rows.sort(key=lambda row: int(row.integer or 0))
        form, few = "<bound> on <chip>", (rows[0], rows[-1])
        ends = [say(form, bound=Formula(x, ">=", row.integer), chip=row.chip.name) for row in few]
        where: Inline = say("<first> to <last>", first=ends[0], last=ends[1])
    else:
        where = between(each, say(", "))
    answer = say("compute-bound for <where>", where=where) if rows else say("never compute-bound")
    if never:
        chips: Inline = ", ".join(never) if len(never) <= NAMED else say("<count> chips", count=len(never))
        answer = say("<answer>, never on <chip>" if rows else "<answer> on <chip>", answer=answer, chip=chips)
    if found.point:
        answer = say("<answer> at <sizes>", answer=answer, sizes=sizes(found.point))
    return (say("<name>: <answer>", name=found.op.name, answer=answer), " ", status(trust))


def _for_all(found: Comparison) -> Iterator[Row]:
    """Yield the part common to all chips: the formula, its assumptions, and how it was proved."""
    if found.own_format:
        yield Line(found.own_format)
    if found.left_out:
        yield Line(say("left out, as the chips have no spec: <units>", units=", ".join(found.left_out)))
    yield from (Line(s.sentence) for s in found.shared)
    if found.one_formula:
        share = next((r.share for r in found.rows if r.share), None)
        yield Line(TextOrTypeset("", bound_when(found.proved.found.ceilings, share)))
        yield Display(found.proved.found.symbolic, None)
    else:
        form = "no short closed form for all chips was found; <x> at these sizes, for each chip by itself:"
        yield Line(say(form, x=found.unknown))
    if taken := found.proved.found.supposed:
        yield assuming(taken)
    yield Line(say(PRINTED[found.trust]))


def _on_each(found: Comparison) -> Iterator[Row]:
    """Yield the table, preceded by the rule of thumb that its answers use if they are not exact."""
    if found.by_rule and found.rule is None:
        yield Line(say("the sizes do not decide; name more of them with --at"))
    elif found.by_rule:
        regime = Regime(found.proved.rules[0].limit.regime.text)
        yield Line(say("by the rule of thumb (<regime>), not exact:", regime=regime))
    if found.share is not None:
        shares = {(s.ceilings, s.corner): s for row in found.rows if (s := row.share) is not None}
        yield from (Line(TextOrTypeset("", said)) for s in shares.values() for said in estimate_phrases(s))
    yield comparison_table(found)


def comparison_table(found: Comparison) -> Table:
    """Return the comparison as a table with a row for each chip."""
    compute = found.proved.found.ceilings[0].compute
    started = found.share is not None and any(row.started for row in found.rows)
    answer = say("keeps <share>", share=percent(found.share.value)) if found.share else say("compute-bound")
    head: list[Inline] = [say("chip"), compute, *found.symbols, answer]
    head += [say("integer <x>", x=found.unknown)] * found.pointed
    head += [say("with the start")] * started + [say("estimate of")] * (found.share is not None)
    rows = (_row(found, row, compute, started) for row in found.rows)
    align = "l" + "r" * (len(head) - 1)
    return Table(tuple(head), tuple((*row, *[""] * (len(head) - len(row))) for row in rows), align)


def _row(found: Comparison, row: OnChip, compute: str, started: bool) -> list[Inline]:
    chip: Inline = TextOrTypeset(row.chip.name, row.chip.title or row.chip.name)
    if row.missing or row.unfit:
        lack, figure = row.lack
        return [chip, say(LACKS[lack], figure=figure)]
    cells = [chip, Number(row.chip.peak(compute))]
    cells += [Decimal(row.ridges[s.name], equals=False) for s in found.symbols]
    cells.append(_answer(found, row))
    none: Inline = say("no such size") if row.unmet else ""
    cells += [none if row.integer is None else row.integer] * found.pointed
    cells += [none if row.started_integer is None else row.started_integer] * started
    if row.share is not None:
        whose = row.share.of or say("its own") if row.share.ceilings else say("not calibrated")
        cells.append((row.share.corner, say("; "), whose))
    return cells


def _answer(found: Comparison, row: OnChip) -> Inline:
    answer = say("depends on the sizes") if row.at_sizes is None else Bounded(found.unknown, row.at_sizes, short=True)
    return say("<answer> (exact)", answer=answer) if row.exact and found.by_rule else answer
