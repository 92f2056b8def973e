"""A student's derivation, checked line by line: the first line that is not equivalent to the right condition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import sympy

from roofproof.claims.answers.question import SOLVED, Question
from roofproof.claims.answers.reading import read_condition
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.compute_bound import compute_bound

_TWO_WAYS = r"<=+>|⇔|⟺|\\iff(?![a-z])|\\(?:Long)?[lL]eftrightarrow(?![a-z])"
_ONE_WAY = r"=+>|⇒|⟹|\\implies(?![a-z])|\\(?:Long)?[rR]ightarrow(?![a-z])"
_BETWEEN = re.compile(rf"\s*({_TWO_WAYS}|{_ONE_WAY}|\\\\|[\n;；])\s*")
_COMPARES = re.compile(r"[<>≤≥＜＞≲≳]|\\(?:[lg]eq?|[lg]eqslant|[lg]t)(?![a-z])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
NEAR = Fraction(1, 200)  # the relative error that is allowed for a rounded ridge point
MOST = 12  # lines


@dataclass(frozen=True, slots=True)
class WrongLine:
    """The first wrong line of a derivation: its number, counted from 1, its text, and the line before it."""

    place: int
    line: str
    before: str


def lines_of(text: str, asked: Question) -> list[tuple[str, bool]]:
    """Return the lines of a derivation, each with whether it only follows from the one before, or else the whole text.

    >>> from roofproof import op
    >>> lines_of("I > R <=> BDF > R(BD + BF + DF) => B > R", Question(op("matmul"), unknown="B"))
    [('I > R', False), ('BDF > R(BD + BF + DF)', False), ('B > R', True)]
    >>> lines_of("B > 240; F large", Question(op("matmul"), unknown="B"))
    [('B > 240; F large', False)]
    """
    whole = [(text, False)]
    parts = _BETWEEN.split(text.strip().strip("$"))
    lines, signs = [p.strip(" $") for p in parts[::2]], ["", *parts[1::2]]
    found = [(line, re.fullmatch(_ONE_WAY, sign) is not None) for line, sign in zip(lines, signs, strict=True) if line]
    if asked.asks not in SOLVED or not 1 < len(found) <= MOST:
        return whole
    return found if all(_COMPARES.search(line) for line, _ in found) else whole


def first_wrong_line(lines: list[tuple[str, bool]], asked: Question) -> WrongLine | None:
    """Return the first line, apart from the last, that is not equivalent to the operation being compute-bound.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), unknown="B")
    >>> first_wrong_line(lines_of("I > R <=> BDF > R(BD + BF) <=> B > R", asked), asked)
    WrongLine(place=2, line='BDF > R(BD + BF)', before='I > R')

    A line after `=>` may be weaker. Raises Unreadable for a line that cannot be read.
    """
    before = ""
    for place, (line, follows) in enumerate(lines[:-1], 1):
        if not holds_where(line, asked, follows):
            return WrongLine(place, line, before)
        before = line
    return None


def holds_where(line: str, asked: Question, follows: bool = True) -> bool:
    """Return whether a line is equivalent to the right condition, or follows from it, in the case of the key."""
    from roofproof.claims.judge.judge import judge_quietly
    from roofproof.claims.language import Claim
    from roofproof.claims.language.environment import Environment
    from roofproof.formula.reader import read_statement, read_value
    from roofproof.formula.tree import Number, Op, Tree

    at = {n: sympy.Integer(v) for n, v in asked.at.items()}
    condition = asked.faster.condition if asked.against else compute_bound(asked.ceilings)
    condition = substitute(condition, at)
    known: dict[str, sympy.Expr] = {n: v for n, v in asked.symbols.items() if isinstance(v, sympy.Rational)} | at
    names = {n: Number(Fraction(int(v.p), int(v.q)), str(v)) for n, v in known.items()}
    let: dict[str, Tree] = dict(names)
    sizes = [*asked.symbols]
    if len(asked.ceilings) == 1 and "I" not in asked.symbols:
        let["I"] = read_value(plain(asked.ceilings[0].intensity), sizes)
        sizes.append("I")
    theirs = read_condition(_exact(line, asked), sizes)
    always = {sympy.true: "0 < 1", sympy.false: "1 < 0"}
    ours = read_statement(always.get(condition) or plain(condition), sizes)
    said: Tree = Op("=>", (ours, theirs)) if follows else Op("<=>", (theirs, ours))
    if asked.key.when != sympy.true:
        said = Op("=>", (read_statement(plain(asked.key.when), sizes), said))
    claim = Claim("line", line, said, Environment(let=let), let)
    return judge_quietly(claim, quick=True).kind == "verified"


def _exact(line: str, asked: Question) -> str:
    """Return a line with the exact ridge point in place of a rounded one."""
    values = [Fraction(int(r.p), int(r.q)) for r in asked.ridges.values()]

    def whole(found: re.Match[str]) -> str:
        near = [v for v in values if len(found[0]) > 1 and abs(Fraction(found[0]) / v - 1) <= NEAR]
        return f"({near[0]})" if near else found[0]

    return _NUMBER.sub(whole, line)
