"""The result of an audit: the formula of a function, the derived formula, and their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from roofproof.audit.audits import Audit, Regime
from roofproof.audit.guard import JudgedFormula
from roofproof.derive.algebra.text import plain
from roofproof.export.doc import Doc, Formula, Inline, Line, Message, Section, TextOrTypeset, between, say, sizes
from roofproof.sentences import Resource

HOW = {
    "symbols": "evaluated symbolically",
    "samples": "fitted to exact values, checked at others",
    "values": "no closed form found, only values compared",
    "type": "depends on the type of its arguments, only values at integers compared",
}
MOST = 8  # regimes shown
SHOWN = 40  # characters of an exact ratio


def explain_audit(found: Audit, undenied: Sequence[str] = ()) -> Doc:
    """Return how a function differs from the derivation, with both formulas.

    `undenied` lists the access that the system does not deny to the process in which the function ran.

    >>> from roofproof import op
    >>> from roofproof.audit.audits import audit
    >>> from roofproof.export.to_text import untitled_text
    >>> print(untitled_text(explain_audit(audit(lambda B, D, F: B*D*F, op("matmul")))))    # a multiply-add counted once
    differs: add B*D*F
    the function    B*D*F    (evaluated symbolically)
    the derivation  2*B*D*F
    the function gives 1/2 times the derived value, and 1/2 when all sizes grow alike
    at B = 4, D = 8, F = 16: 512, where 1024 is right
    """
    theirs = "?" if found.theirs is None else _expression_phrase(found.theirs)
    both = (
        Line(theirs, ("(", say(HOW[found.how]), ")"), subject=say("the function")),
        Line(_expression_phrase(found.ours), subject=say("the derivation")),
    )
    notes: list[Inline] = []
    if found.assumed:
        notes.append(say("assuming <conditions>", conditions=between(found.assumed, say(" and "))))
    if found.decimals:
        notes.append(say("constants read as the decimals printed: <which>", which=", ".join(found.decimals)))
    if undenied:
        form = "note: this system does not deny the function <what>; only Python does"
        notes.append(say(form, what=", ".join(undenied)))
    first, *rest = _outcome(found)
    answer = Section((), (Line(first),))
    return Doc((), (answer, Section((), both, labels=True), Section((), tuple(map(Line, (*notes, *rest))))))


def explain_guard(judged: Sequence[JudgedFormula]) -> Doc:
    """Return the verdict on each formula of a list, and the number that are as expected.

    >>> from pathlib import Path
    >>> from roofproof.audit.guard import audit_list
    >>> from roofproof.export.to_text import untitled_text
    >>> judged = list(audit_list(Path("examples/tool.formulas.toml")))
    >>> print(untitled_text(explain_guard(judged)).splitlines()[0])
    Product.flops, flops of matmul: equal, for all sizes
    """
    right = sum(one.as_expected for one in judged)
    said = say("<count> formulas: all as expected", count=len(judged))
    if right < len(judged):
        said = say("<count> formulas: <wrong> not as expected", count=len(judged), wrong=len(judged) - right)
    return Doc((), (Section((), tuple(map(Line, (*_judged(judged), said)))),))


def _judged(judged: Sequence[JudgedFormula]) -> Iterator[Inline]:
    for one in judged:
        if one.found is None:
            yield say("<name>: cannot be judged: <why>", name=one.name, why=Message(str(one.error)))
            continue
        first, *rest = _outcome(one.found)
        unlike = () if one.as_expected else say("NOT AS EXPECTED (<kind>): ", kind=one.expect)
        subject = {"name": one.name, "quantity": one.quantity, "op": one.op}
        yield say("<name>, <quantity> of <op>: <outcome>", outcome=(unlike, first), **subject)
        yield from (("  ", each) for each in rest)


def _outcome(found: Audit) -> Iterator[Inline]:
    alike: Inline = None
    if found.growth is not None:
        alike = say("<ratio> when all sizes grow alike", ratio=_expression_phrase(found.growth))
    if found.verdict == "equal":
        yield say("equal, for all sizes") if found.how == "symbols" else say("equal")
    elif found.verdict == "near":
        form = "the same to nine digits at all of <count> sizes tried, which proves nothing about others"
        yield say(form, count=found.points)
    elif found.ratio is not None:
        said = say("the function gives <ratio> times the derived value", ratio=_expression_phrase(found.ratio))
        same = found.growth == found.ratio and bool(found.ratio.free_symbols)
        said = said if alike is None or same else say("<what>, and <more>", what=said, more=alike)
        cure = _cure(found)
        yield say("differs: <how>", how=said if cure is None else cure)
        yield from () if cure is None else (said,)
        yield from _example(found)
    else:
        yield say("differs: the ratio to the derived value depends on the sizes")
        several = len({regime.name for regime in found.regimes}) > 1
        yield from (("  ", _regime(regime, several)) for regime in found.regimes[:MOST])
        if alike is not None:
            yield "  ", alike


def _example(found: Audit) -> Iterator[Inline]:
    """Yield sizes at which the two forms differ."""
    if found.apart is not None:
        at, theirs, ours = found.apart
        form = "at <sizes>: <theirs>, where <right> is right"
        yield say(form, sizes=sizes(at), theirs=str(theirs), right=str(ours))


def _cure(found: Audit) -> Inline:
    """Return the term to add or subtract that corrects the function, or None."""
    if found.mend is None:
        return None
    above = found.apart is not None and found.apart[1] > found.apart[2]
    terms = ((less, -found.mend if less else found.mend) for less in (above, not above))
    ways = ((less, form(term)) for less, term in terms for form in (sympy.factor, sympy.expand))
    less, lacks = min(ways, key=lambda way: plain(_together(way[1])).startswith("-"))
    amount = _expression_phrase(lacks)
    said = say("subtract <amount>", amount=amount) if less else say("add <amount>", amount=amount)
    if found.tensors:
        tensors = between(found.tensors, say(" and "))
        said = say("<what>, as much as the traffic of <tensors>", what=said, tensors=tensors)
    return said


def _regime(regime: Regime, several: bool) -> Inline:
    ratio, at = (
        _expression_phrase(regime.ratio),
        between((Formula(n, "=", size) for n, size in regime.at.items()), ", "),
    )
    if several:
        return say(
            "the ratio is <ratio> where <resource> takes longest, as at <sizes>",
            ratio=ratio,
            resource=Resource(regime.name),
            sizes=at,
        )
    return say("the ratio is <ratio> at <sizes>", ratio=ratio, sizes=at)


def _expression_phrase(expr: sympy.Expr) -> Inline:
    if expr.is_Rational and len(str(expr)) > SHOWN:  # a quotient of floats
        return f"≈ {expr.evalf(6)}"
    if expr.is_Function and str(expr.func) == "Max":
        return TextOrTypeset(f"max({', '.join(sorted(plain(_together(each)) for each in expr.args))})", expr)
    return _together(expr)


def _together(expr: sympy.Expr) -> sympy.Expr:
    """Return an expression as one fraction, or unchanged if it has no denominator."""
    whole = expr.together()
    return expr if whole.as_numer_denom()[1] == 1 else whole
