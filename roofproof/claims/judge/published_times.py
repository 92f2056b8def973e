"""What a verdict says of a published time: how far it is from the floor, and what takes that long."""

from __future__ import annotations

from dataclasses import replace

import sympy

from roofproof.channels import BETWEEN_CHIPS
from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import NOT_CHECKABLE, REFUTED, SILENT, VERIFIED
from roofproof.claims.language import Claim
from roofproof.claims.language.holds import Held
from roofproof.claims.printed import decimal
from roofproof.derive import time
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.formula.reader import read_statement
from roofproof.formula.tree import Call, Comparison
from roofproof.sentences import Sentence, joined

MICROSECONDS = 10**6
DIGITS = 5


def with_floor(claim: Claim, verdict: Verdict) -> Verdict:
    """Return the verdict on a row of a table of times with the factor between the time and the floor, proved.

    >>> from roofproof.claims.language.book import book_from_text
    >>> table = "hold = [{id = 'a', op = 'dot', chip = 'tpu-v5e', table = 'N time[us]\\\\n819000 8'}]"
    >>> [row] = book_from_text(table.replace("'", '"')).claims          # 4 * 819000 bytes at 819 GB/s
    >>> with_floor(row, judge(row)).note
    '2 times the minimum, 4 us of memory'

    The verdict on anything else is returned as it is. Bytes between chips refute no measured time.
    """
    held = claim.held
    if held is None or verdict.kind in SILENT:
        return verdict
    if verdict.kind == REFUTED and not (held.floor or held.slower) and _longest(claim, held)[0] in BETWEEN_CHIPS:
        why = Sentence("beyond the model: bytes between chips are those of one algorithm, which another may beat")
        return Verdict(NOT_CHECKABLE, note=why)
    proposition = read_statement(f"{held.factor} == 1", claim.let)
    assert isinstance(proposition, Comparison)
    factor = claim.environment.to_sympy(proposition.operands[0])
    if not factor.is_Rational:
        return verdict
    exactly = f"{held.factor} == {factor.p}/{factor.q}"
    proved = judge(replace(claim, says=exactly, proposition=read_statement(exactly, claim.let), held=None))
    if proved.kind != VERIFIED:
        return verdict
    note = joined("<first>; <second>", dict.fromkeys((verdict.note, _told(claim, held, factor, verdict.holds))))
    return replace(verdict, note=note, known=(*verdict.known, *proved.known))


def _told(claim: Claim, held: Held, factor: sympy.Rational, holds: bool) -> str:
    resource, floor = _longest(claim, held)
    parts = {"floor": decimal(floor * MICROSECONDS, DIGITS), "resource": resource, "factor": decimal(factor, DIGITS)}
    if factor < 1 and not holds:
        return Sentence(
            "<factor> of the minimum, <floor> us of <resource>: the time, a spec of <chip> or the count is wrong",
            **parts, chip=held.chip,
        )  # fmt: skip
    return Sentence("<factor> times the minimum, <floor> us of <resource>", **parts)


def _longest(claim: Claim, held: Held) -> tuple[str, sympy.Rational]:
    """Return the resource that takes longest, and its time in seconds."""
    env = claim.environment
    read = read_statement(f"{held.lower} > 0", claim.let)
    assert isinstance(read, Comparison)
    call = read.operands[0]
    assert isinstance(call, Call)
    op, chip = env.operation(call.arguments[0]), env.chip(call.arguments[1])
    taken = {name: env.bound(one) for name, one in time(on_one_engine(op, chip)[0], chip, held.warm).items()}
    return max(taken.items(), key=lambda pair: sympy.Rational(pair[1]))
