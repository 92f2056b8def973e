"""Verdicts on claims: a line with details for each, and the errata report of a claims file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import sympy

from roofproof.claims.kinds import SILENT, UNDECIDED
from roofproof.claims.printed import shown, stated_on_right
from roofproof.claims.results import counted, summary
from roofproof.errors import RoofproofError
from roofproof.export.doc import (
    Code,
    Decimal,
    Doc,
    Formula,
    Inline,
    Line,
    Message,
    Say,
    Section,
    Table,
    Typed,
    between,
    say,
)
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.to_text import inline_text, lines_text
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement
from roofproof.formula.tree import Comparison, is_op
from roofproof.formula.units import BYTE, PLAIN, dimension_text
from roofproof.proofs.known import PRINTED
from roofproof.sentences import Name, columns, padded

if TYPE_CHECKING:
    from roofproof.claims.judge.verdict import Report, Verdict
    from roofproof.claims.results import Result
    from roofproof.formula.units import Unit
    from roofproof.ops import Operation

NUMBERED = re.compile(r"(?P<number>-?[\d.]+(?:/\d+|e\d+)?)(?P<decimal> \([^()]*\))?")
NUMBER = re.compile(r"[\d.e+-]+(?: ?[%A-Za-z/]+)?")  # with its unit, shown as printed
KINDS = {
    "verified": "verified",
    "rounded": "rounded",
    "approximate": "approximate",
    "conditional": "conditional",
    UNDECIDED: "undecided",
    "refuted": "refuted",
    "not-checkable": "not-checkable",
    "unusable": "unusable",
    "stopped": "stopped",
    "draft": "draft",
}
COUNTS = {
    "checked": "<count> checked",
    "right": "<count> right",
    "wrong": "<count> wrong",
    "not-checkable": "<count> not checkable",
    "unusable": "<count> unusable",
    "stopped": "<count> stopped",
    "draft": "<count> drafts",
}
GROUPS = {
    "refuted": "Errata",
    "conditional": "Conditions left out",
    UNDECIDED: "Open",
    "unusable": "Unusable",
    "stopped": "Stopped",
    "approximate": "True in the limit",
    "rounded": "True to the digits printed",
    "verified": "Expected otherwise",
    "not-checkable": "Not checkable",
}
"""The verdicts in the order of an errata report."""
MEANS = {
    "refuted": "What is wrong, with what is right.",
    "conditional": "True under a side condition that the text does not name.",
    UNDECIDED: "Claims that roofproof could not decide.",
    "unusable": "Claims that could not be read.",
    "stopped": "Claims that were not judged to the end; a limit of time was over.",
    "approximate": "Approximations, each with its exact form and its error.",
    "rounded": "Rounded numbers, each with its exact value.",
    "verified": "True as written, though the claims file expects another verdict.",
    "not-checkable": "Opinions and history, though the claims file expects another verdict.",
}


def results_text(results: Sequence[Result], lang: str = "en") -> str:
    """Return the counts, then a line for each claim: whether it is as expected, the verdict and the reasons."""
    width = max((columns(r.id) for r in results), default=0)
    lines = []
    for r in results:
        mark = "??" if r.verdict is None else "--" if r.draft else "ok" if r.as_expected else "!!"
        kind, said = inline_text(say(KINDS[r.kind]), lang), inline_text(result_details(r), lang)
        lines.append(f"{mark} {padded(r.id, width)}  {padded(kind, 13)}  {said}".rstrip())
        if r.verdict is not None:
            lines += [f"     {inline_text(Message(line), lang)}" for line in r.read_back]
            if r.steps:
                from roofproof.export.explain.steps import explain_steps

                lines += [f"     {line}" for line in lines_text(explain_steps(r.steps), lang)]
    return "\n".join([inline_text(counts_phrase(results), lang), "", *lines])


def counts_phrase(results: Sequence[Result]) -> Inline:
    """Return the number of claims that were checked, are right, are wrong, or were not checked."""
    counts = {kind: n for kind, n in counted(results).items() if n or kind == "checked"}
    every: dict[str, Inline] = {kind: say(COUNTS[kind], count=str(n)) for kind, n in counts.items()}
    judged = [every.pop(kind) for kind in ("right", "wrong") if kind in every]
    first = every.pop("checked")
    head = say("<checked>: <judged>", checked=first, judged=between(judged, say(", "))) if judged else first
    return between([head, *every.values()], say("; "))


def result_details(r: Result, *, trust: bool = True) -> Inline:
    """Return the details of a result's verdict, or the reason why there is no verdict."""
    if r.verdict is None:
        return Message(r.problem)
    return (between(details(r.verdict, trust=trust), say("; ")), *([] if r.as_expected else ["  ", _expected(r)]))


def _expected(r: Result) -> Inline:
    kind = say(KINDS[r.expect])
    if r.expected_slip:
        return say("(expected <kind>, mistake <slip>)", kind=kind, slip=r.expected_slip)
    return say("(expected <kind>)", kind=kind)


def with_unit(exact: str, unit: Unit | None) -> str:
    """Return the exact value, in the unit that the claim states.

    >>> from roofproof.formula.units import unit_of
    >>> with_unit("8192/654296875 (0.0000125203)", unit_of("us")), with_unit("8e10", unit_of("GB"))
    ('8192/654296875 s (12.5203 us)', '80 GB')
    >>> with_unit("197000/819 (240.537)", unit_of("FLOP/B")), with_unit("B*D*F", unit_of("FLOP"))
    ('197000/819 FLOP/B (240.537)', 'B*D*F')
    """
    found = NUMBERED.fullmatch(exact) if unit else None
    if unit is None or found is None:
        return exact
    value = sympy.Rational(found["number"]) / sympy.Rational(unit.factor)
    worked = shown(value)
    if "(" not in worked:
        return f"{worked} {unit.text}"
    if unit.factor == 1:
        return f"{found['number']} {unit.text}{found['decimal'] or ''}"
    base = "bytes" if unit.dimension == BYTE else "" if unit.dimension == PLAIN else dimension_text(unit.dimension)
    return f"{' '.join(filter(None, (found['number'], base)))} ({worked.partition(' (')[2][:-1]} {unit.text})"


def details(v: Verdict | Report, *, trust: bool = True) -> list[Inline]:
    """Return the details of a verdict, such as how it was proved, the condition, the exact value and the mistake."""
    parts: list[Inline] = []
    if trust and v.kind not in SILENT:
        parts.append(say(PRINTED[v.trust]))
    if v.condition:
        parts.append(say("when <condition>", condition=Typed(v.condition)))
    if v.exact and v.kind != "verified":
        parts.append(say("exactly <value>", value=Typed(with_unit(v.exact, v.unit))))
    if v.error_bound:
        parts.append(Message(v.error_bound))
    if v.kind == "refuted" and v.counterexample:
        parts.append(say("fails at <sizes>", sizes=_point(v)))
    if v.slip and v.slip != "none fits":
        known = mistake_phrase(v.slip)
        found = Say("mistake: <name>", {"name": v.slip, "said": known}, "错误：<said>")
        parts.append(found if known else say("mistakes not searched to the end"))
    if v.note:
        parts.append(Message(v.note))
    return parts


def _point(v: Verdict | Report) -> Inline:
    every = (v.counterexample or {}).items()
    return between((Formula(k, "=", Typed(str(x))) if k.isidentifier() else f"{k} = {x}" for k, x in every), ", ")


def explain_report(results: Sequence[Result], title: str, ops: Mapping[str, Operation] | None = None) -> Doc:
    """Return an errata report: the number of verdicts of each kind, then every claim that needs attention.

    Wrong claims come first, in one table with the correction and the reason. Claims that need a condition, are open, or
    are true only in the limit or after rounding follow. `ops` are the operations that the claims name.
    """
    rows = tuple((say(KINDS[kind]), str(n)) for kind, n in summary(results).items())
    counts = Section((), (Table((say("verdict"), say("claims")), rows, "lr"),))
    return Doc(say("Verdicts on <title>", title=title), (counts, *_errata(results), *_groups(results, ops or {})))


def _errata(results: Sequence[Result]) -> Iterator[Section]:
    """Yield the table of wrong claims: the place, the printed value, the correction and the reason."""
    wrong = [(r, r.verdict) for r in results if r.kind == "refuted" and r.verdict is not None]
    if wrong:
        head = (say("where"), say("about"), say("printed"), say("right"), say("why"))
        rows = tuple(
            (r.source or Name(r.id), *_sides(r.says), _right(v.exact or "", v.unit), _why(v)) for r, v in wrong
        )
        yield Section((), (Line(say(MEANS["refuted"])), Table(head, rows, "ppppp")), say(GROUPS["refuted"]))


def _sides(says: str) -> tuple[Inline, Inline]:
    """Return the subject of a claim and the value that the text states, or the whole claim if it has no two sides.

    >>> from roofproof.export.to_text import inline_text
    >>> [inline_text(side) for side in _sides("ridge(h100-sxm, bf16) ~= 298 FLOP/B")]
    ['ridge("h100-sxm", bf16)', '298 FLOP/B']
    >>> [inline_text(side) for side in _sides("1 < 2 < 3")]
    ['', '1 < 2 < 3']
    """
    with suppress(RoofproofError):
        node = read_statement(says)
        if isinstance(node, Comparison) and not node.relations[1:] and node.relations[0] in ("==", "~=", "->"):
            about, said = map(to_text, stated_on_right(node, {}).operands)
            return Typed(about), said if NUMBER.fullmatch(said) else Typed(said)
        if is_op(node, "<=>"):
            return Typed(to_text(node.args[0])), Typed(to_text(node.args[1]))
    return (), Typed(says)


def _right(exact: str, unit: Unit | None = None) -> Inline:
    """Return the correct value: a decimal in the unit of the claim, or both computed sides of a claim.

    >>> from roofproof.export.to_text import inline_text
    >>> [inline_text(_right(exact)) for exact in ("19780/67 (295.224)", "10737418240", "2 k against 3")]
    ['≈ 295.22', '≈ 1.0737e10', '2 k against 3']
    """
    one, against, other = exact.partition(" against ")
    if against:
        return say("<one> against <other>", one=_right(one), other=_right(other))
    if found := NUMBERED.fullmatch(exact):
        value = sympy.Rational(found["number"]) / sympy.Rational(unit.factor if unit else 1)
        return (Formula(Decimal(value, equals=False)), f" {unit.text}" if unit else "")
    return Typed(exact) if exact else ()


def _why(v: Verdict | Report) -> Inline:
    if v.slip and (known := mistake_phrase(v.slip)):
        return known
    return say("it fails at <sizes>", sizes=_point(v)) if v.counterexample else ()


def _named(some: Sequence[Result], ops: Mapping[str, Operation]) -> Iterator[Line]:
    """Yield the definition of each operation that the claims name."""
    used = {word for r in some for word in re.findall(r"\w+", r.says)}
    for name, op in ops.items():
        if name in used:
            yield Line(say("operation <name>: <what>", name=Code(name), what=Code(op.name)))


def _groups(results: Sequence[Result], ops: Mapping[str, Operation]) -> Iterator[Section]:
    for kind, heading in GROUPS.items():
        some = [r for r in results if r.kind == kind]
        if kind in ("verified", "not-checkable"):
            some = [r for r in some if not r.as_expected]
        part = say(heading)
        if some:
            heads = () if kind == "refuted" else (Line(say(MEANS[kind])),)
            if rows := (*heads, *_named(some, ops)):
                yield Section((), rows, part)
        for r in some:
            source = say("<id>: <source>", id=Name(r.id), source=r.source)
            yield Section(source if r.source else Name(r.id), tuple(map(Line, _entry(r))), part)


def _entry(r: Result) -> Iterator[Inline]:
    """Yield the entry of a claim in a report: the claim, the correction, the reason, and how it was proved."""
    yield say("claim: <claim>", claim=Typed(r.says) if r.says else say("none"))
    v = r.verdict
    if v is None:
        yield say("<kind>: <problem>", kind=say(KINDS[r.kind]), problem=Message(r.problem))
        return
    if v.exact:
        yield say("right is <value>", value=_right(v.exact, v.unit))
    if v.condition:
        yield say("true when <condition>", condition=Typed(v.condition))
    if v.error_bound:
        yield say("error: <error>", error=Typed(v.error_bound))
    if v.counterexample:
        yield say("it fails at <sizes>", sizes=_point(v))
    if v.slip and (known := mistake_phrase(v.slip)):
        yield say("the mistake: <mistake>", mistake=known)
    if v.note:
        yield say("note: <note>", note=Message(v.note))
    verdict = say("verdict: <kind>, <how>", kind=say(KINDS[v.kind]), how=say(PRINTED[v.trust]))
    yield verdict if r.as_expected else (verdict, " ", _expected(r))
