"""The atlas as a document: each symbolic threshold, then every chip with its ridge points and its integer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from roofproof.derive.atlas import UNFIT, AtlasLine, AtlasPart
from roofproof.export.doc import Decimal, Doc, Inline, Line, Message, Row, Section, Table, between, say, sizes
from roofproof.ops import parse_operation
from roofproof.proofs.known import PRINTED

LACKS = {"figures": "<solved>: no specs on <chips>", "calibrated ceilings": "<solved>: no calibrated rates on <chips>"}
KEEPS = {
    "peak": "<solved>; keeps <share> of the peak, at datasheet rates",
    "calibrated peak": "<solved>; keeps <share> of the calibrated peak, once started, by an estimate",
}


def explain_atlas(found: Iterable[AtlasPart], point: Mapping[str, int], lacking: bool = False) -> Doc:
    """Return the parts of an atlas in order, with the chips that lack a spec if `lacking`.

    >>> from roofproof.derive.atlas import parts
    >>> from roofproof.export.to_text import spaced_text
    >>> found = parts(["matmul:bf16"], ["tpu-v5e", "h100-sxm"], ["B"], {"D": 4096, "F": 4096})
    >>> print(spaced_text(explain_atlas(found, {})))
    matmul:bf16, solved for B
      B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
      never                          otherwise
      chip      peak  R (FLOP/B)  B    proof
      tpu-v5e   bf16  ≈ 240.54    273  proved
      h100-sxm  bf16  ≈ 295.22    345  proved
    """
    sections: list[Section] = []
    problems: list[Row] = []
    for part in found:
        groups: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[AtlasLine]] = {}
        for line in part.lines:
            groups.setdefault((line.cases, line.assuming, line.left_out), []).append(line)
        sections += (Section(_heading(part, lines, point), tuple(_rows(lines))) for lines in groups.values())
        problems += map(Line, _problems(part, lacking))
    if problems:
        sections.append(Section(say("without a threshold"), tuple(problems)))
    return Doc((), tuple(sections))


def _solved(part: AtlasPart) -> Inline:
    return say("<op>, solved for <x>", op=part.op, x=part.unknown)


def _heading(part: AtlasPart, lines: list[AtlasLine], point: Mapping[str, int]) -> Inline:
    heading = _solved(part)
    own = {s.name for s in parse_operation(part.op).dims} - {part.unknown}
    given = {name: size for name, size in point.items() if name in own}
    if given and any(line.at for line in lines):
        heading = say("<solved>, at <sizes>", solved=heading, sizes=sizes(given))
    if not part.kept:
        return heading
    share, _, of = part.kept.partition(" of the ")
    return say(KEEPS[of], solved=heading, share=share)


def _problems(part: AtlasPart, lacking: bool) -> Iterator[Inline]:
    if part.problem:
        yield say("<solved>: <problem>", solved=_solved(part), problem=Message(part.problem))
    elif lacking:
        for what, names in part.lacks.items():
            yield say(LACKS[what], solved=_solved(part), chips=", ".join(names))


def _rows(lines: list[AtlasLine]) -> Iterator[Row]:
    first = lines[0]
    yield from map(_case, first.cases.split("\n"))
    if first.assuming:
        yield Line(say("assuming <conditions>", conditions=between(map(Message, first.assuming), say(" and "))))
    if first.left_out:
        yield Line(say("left out, as the chips have no spec: <units>", units=", ".join(first.left_out)))
    shown = any(line.at for line in lines)
    started, kept = any(line.started for line in lines), any(line.estimate for line in lines)
    head: list[Inline] = [say("chip"), say("peak"), *(f"{name} (FLOP/B)" for name in first.ridges)]
    head += [first.unknown] * shown + [say("with the start")] * started
    head += [say("proof")] + [say("estimate of")] * kept
    rows = []
    for line in lines:
        row: list[Inline] = [line.chip, line.compute, *(Decimal(r, equals=False) for r in line.ridges.values())]
        row += [_number(line)] * shown + ["" if line.started is None else line.started] * started
        rows.append((*row, say(PRINTED[line.trust]), *[Message(line.estimate)] * kept))
    yield Table(tuple(head), tuple(rows), "ll" + "r" * (len(head) - 2))


def _case(text: str) -> Line:
    """Return a line of cases unchanged: a bound, and the condition for it."""
    bound, space, beside = re.fullmatch(r"(.*?)(?:(    +)(.+))?", text).groups("")  # type: ignore[union-attr]
    word, _, condition = beside.partition(" ")
    return Line((Message(bound), space, say(word) if word else "", (" ", Message(condition)) if condition else ""))


def _number(line: AtlasLine) -> Inline:
    if line.at == UNFIT:
        return say("blocks do not fit")
    if line.at in ("always", "never"):
        return say(line.at)
    if line.integer is None:
        return say("no such size")
    return say("up to <n>", n=line.integer) if line.at == "below" else line.integer
