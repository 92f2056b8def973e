"""The worked solution of a question: each line with its reason, and two hints."""

from __future__ import annotations

from fractions import Fraction

import sympy

from roofproof.claims.answers.question import LABELS, Question
from roofproof.claims.answers.worked import AS_GIVEN, worked
from roofproof.claims.answers.worked import Line as Known
from roofproof.export.doc import (
    Convention,
    Decimal,
    Doc,
    Formula,
    Inline,
    KernelTerm,
    Line,
    Mark,
    Quotient,
    Regime,
    Seconds,
    Section,
    between,
    say,
)
from roofproof.export.numbers import in_seconds, rounded
from roofproof.export.terms import format_term
from roofproof.proofs.kernel.terms import Term
from roofproof.proofs.steps.lines import Bound
from roofproof.proofs.translate import to_expr

LONG, SMALL = 10**7, 100  # smaller integers need no decimal, fractions with smaller denominators are printed exactly
LETTERS = {"I", "R", "P", "W", "T"}
NAMES = {
    "FLOPs": "FLOPs",
    "bytes": "bytes",
    "share": "share",
    "steps": "steps",
    "multiply-adds": "multiply-adds",
    "FLOPs of one": "FLOPs of one",
    "bytes of a piece": "bytes of a piece",
    "bytes read": "bytes read",
    "bytes written": "bytes written",
}
BOUND = {"compute-bound": "compute-bound", "memory-bound": "memory-bound", "communication-bound": "communication-bound"}
WHY = {
    "multiply-adds": "one for each term of each sum: multiply the sizes of all loops",
    "counted": "<convention>",
    "stated": "as stated",
    "part": "this part alone",
    "added": "added up",
    "all-of-them": "times how many there are",
    "no-schedule": "of every schedule, with M bytes of memory and a phase more",
    "memory-needed": "the largest memory for which this is so",
    "read": "read, elements of <size> bytes",
    "read-one": "read, elements of 1 byte",
    "write-one": "written, elements of 1 byte",
    "write": "written, elements of <size> bytes",
    "all-read": "read: <names>",
    "all-written": "written: <names>",
    "moved": "as stated",
    "moved-tensors": "<names>, each moved once",
    "piece": "each chip has one",
    "steps": "each step passes one piece on to the neighbour",
    "put-in": "substitute <values>",
    "figures-in": "substitute the ridge point",
    "intensity": "FLOPs over bytes",
    "part-of": "the part: <name>",
    "whole": "the whole: <name>",
    "share": "the part over the whole, not over the rest",
    "peak": "peak for <format>",
    "bandwidth": "bandwidth of <channel>",
    "ridge": "ridge point: peak over bandwidth",
    "kept-calibrated": "estimate, not proved: the intensity that keeps <share> of the calibrated peak, once started",
    "kept-of-figures": "estimate, not proved: the intensity that keeps <share> of the peak, at datasheet rates",
    "time-compute": "computing: FLOPs over the peak",
    "time-memory": "memory: bytes over the bandwidth",
    "time-link": "link: bytes over its bandwidth",
    "starts": "<name>: a start for each step, and the bytes over the rate of the link",
    "faster": "where the first takes less, solved for <unknown>",
    "overlap": "both overlap, so the longest decides",
    "longest": "the longest decides: <label>",
    "limit": "when <regime>",
    "solved": "I > R, solved for <unknown>",
    "solved-kept": "I >= R_s, solved for <unknown>",
    "smallest": "the smallest whole number above",
    "largest": "the largest whole number below",
}
PLAN = {
    "flops": "How many multiply-adds, or how many operations an element, and how many of these are there?",
    "bytes": "List everything that is read and everything that is written back, with the bytes of an element.",
    "intensity": "Count the operations, count the bytes, and divide the first by the second.",
    "memory": "Bound the bytes of every schedule by the memory, and compare the FLOPs with R times the bytes.",
    "ridge": "The ridge point is the peak over the bandwidth, both in units without a prefix.",
    "time": "Divide each demand by its rate: operations by the peak, bytes by the bandwidth. The longest time decides.",
    "bound": "Work out how long computing takes and how long moving the bytes takes, and compare.",
    "share": "A share is the part over the whole; the whole includes the part.",
    "rule": "What does the arithmetic intensity tend to? Set that above the ridge point.",
    "threshold": "Write the arithmetic intensity without dropping a term, set it above the ridge point, and solve.",
    "smallest": "Write the arithmetic intensity without dropping a term, set it above the "
    "ridge point, solve, and round up.",
    "largest": "Write the arithmetic intensity without dropping a term, set it above the "
    "ridge point, solve, and round down.",
}


def explain_worked(asked: Question) -> Doc:
    """Return the worked solution of a question.

    >>> from roofproof import op
    >>> from roofproof.export.to_text import untitled_text
    >>> print(untitled_text(explain_worked(Question(op("dot"), asks="intensity"))))
    FLOPs = 2*N - 1                    every product and addition counted
    bytes = 2*N + 2*N + 2 = 4*N + 2    x, y, z, each moved once
    I = (2*N - 1)/(4*N + 2)            FLOPs over bytes
    """
    return Doc(
        (), (Section((), tuple(Line(_statement_phrase(k, asked), _why(k, asked)) for k in worked(asked).lines)),)
    )


def two_hints(asked: Question) -> tuple[Inline, Inline]:
    """Return two hints: the method, and the first line (or the counting rule, if the first line is the answer).

    >>> from roofproof import op
    >>> from roofproof.export.to_text import inline_text
    >>> print(*map(inline_text, two_hints(Question(op("dot"), asks="intensity"))), sep="\\n")
    Count the operations, count the bytes, and divide the first by the second.
    Begin with this: FLOPs = 2*N - 1 (every product and addition counted).
    """
    first, *rest = explain_worked(asked).sections[0].rows
    assert isinstance(first, Line)
    told = say("Check how it is counted: <why>.", why=first.right)
    if rest:
        told = say("Begin with this: <line> (<why>).", line=first.left, why=first.right)
    return say(PLAN[asked.asks]), told


def hinted(own: tuple[Inline, ...], asked: Question) -> tuple[Inline, ...]:
    """Return the hints of an exercise, preceded by hints from its derivation if it has fewer than two.

    >>> from roofproof import op
    >>> from roofproof.export.to_text import inline_text
    >>> inline_text(hinted(("How many bytes has an element?",), Question(op("dot"), asks="bytes"))[0])
    'Begin with this: bytes of x = 2*N (read, elements of 2 bytes).'
    """
    return (*two_hints(asked), *own)[-2:] if len(own) < 2 else own


def _statement_phrase(line: Known, asked: Question) -> Inline:
    name, statement = _name(line.name), line.known.statement
    if line.case is not None:
        bound = Bound(sympy.Symbol(asked.unknown), line.case.threshold)
        when = line.case.when
        return bound if when == sympy.true else say("<what>, if <condition>", what=bound, condition=when)
    if statement.goal[0] == "tends":
        return Formula(name, "->", statement.value)
    if line.why == "no-schedule":
        more, less = (to_expr(side) for side in statement.goal[1:])
        return Formula(more, ">=", less)
    if line.why == "longest":
        pairs = [(_seconds(a), ">" if a != b else "=", _seconds(b)) for _, a, b in statement.goal[1:]]
        return between((Formula(*pair) for pair in pairs), ", ") or say(BOUND[asked.key.label])
    value = sympy.Integer(statement.integer) if statement.kind == "integer" else statement.value
    before = [each for side in line.sides[:-1] if not _same(side, line.sides[-1]) for each in ("=", KernelTerm(side))]
    return Formula(name, *before, *_value(line, value))


def _same(one: Term, other: Term) -> bool:
    """Return whether two terms are the same up to the order of sums and products."""
    first, second = (sorted(sorted(each.split("*")) for each in format_term(t).split(" + ")) for t in (one, other))
    return first == second


def _value(line: Known, value: sympy.Expr) -> tuple[Inline, ...]:
    """Return the value of a line with the correct sign (= or ≈): exact if it is short, and as a decimal."""
    if not value.is_Rational or line.known.statement.kind == "integer":
        return "=", value
    timed, unit = line.name.startswith("T"), {"P": "FLOP/s", "W": "B/s"}.get(line.name, "")
    if value.is_Integer and value < LONG and not unit:
        return "=", value
    short = Seconds(value) if timed else Decimal(value, unit=unit, down=line.known.statement.kind == "memory")
    if (in_seconds if timed else rounded)(value).exact or not (value.is_Integer or (not timed and value.q < SMALL)):
        return (short,)
    return "=", value, short


def _why(line: Known, asked: Question) -> Inline:
    parts: dict[str, Inline] = dict(line.parts)
    if "convention" in parts:
        if line.parts["convention"] in ("", AS_GIVEN):
            return say(WHY["stated"])
        parts["convention"] = Convention(line.parts["convention"])
    if line.parts.get("label") in LABELS:
        parts["label"] = say(BOUND[line.parts["label"]])
    if "regime" in parts:
        parts["regime"] = Regime(line.parts["regime"])
    if "values" in parts:
        parts["values"] = between(map(_substituted_value, line.parts["values"].split(", ")), say(", "))
    one = f"{line.why}-one"  # byte, not bytes
    return say(WHY[one] if parts.get("size") == "1" and one in WHY else WHY[line.why], **parts)


def _substituted_value(value: str) -> Formula:
    name, number = value.split(" = ")
    return Formula(name, "=", sympy.Integer(number) if number.isdecimal() else Quotient(Fraction(number), None))


def _name(name: str) -> Inline:
    head, _, tail = name.partition("_")
    if head in LETTERS and tail:
        return Mark(name, head, tail)
    if name in NAMES:
        return say(NAMES[name])
    what, _, which = name.partition(" of ")
    if what == "FLOPs":
        return say("FLOPs of <name>", name=which)
    return say("bytes of <name>", name=which) if what == "bytes" else name


def _seconds(term: Term) -> Seconds:
    return Seconds(sympy.Rational(term[1], term[2]), bare=True)
