"""The claims of a lecture, and the errors of its sources: each is verified when the slides are written."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

import sympy
from sympy.core.relational import Relational

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import REFUTED, VERIFIED
from roofproof.claims.language import Claim, Environment, read_book, to_boolean
from roofproof.claims.language.book import Unusable
from roofproof.claims.printed import both_computed, stated_on_right
from roofproof.errors import RoofproofError, refuse_unknown, unknown
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.leaves import number, number_tex
from roofproof.export.numbers import rounded
from roofproof.export.slides.model import Math, computed
from roofproof.formula.reader import read_statement
from roofproof.formula.to_sympy import to_value
from roofproof.formula.tree import Call, Comparison, Name, Reference, Tree, is_op
from roofproof.hardware import Figure
from roofproof.proofs import ByKernel, threshold

MANY = 7  # digits from which a coefficient is rounded


def figure(value: Any, significant: int = 5) -> Math:
    r"""Return a number as a formula, with the sign for "about" if digits are left out.

    >>> print(figure(sympy.Rational(9850, 41)).tex, figure(sympy.Integer(197) * 10**12).tex)
    {\approx}\,240.24 1.97 \times 10^{14}
    """
    short = rounded(exact_number(value), significant)
    return computed(r"{\approx}\," * (not short.exact) + number(short.text, False).removeprefix(r"1 \times "))


def exact_number(value: Any) -> sympy.Expr:
    """Return an exact number or a spec of a chip as a number, or raise RoofproofError for anything else."""
    if isinstance(value, Figure):
        return sympy.Rational(value.value)
    if not isinstance(value, sympy.Expr) or not value.is_number or value.has(sympy.Float):
        raise RoofproofError("expected an exact number, got <value>; sizes are given as in .at(D=4096)", value=value)
    return value


def proved(says: str) -> sympy.logic.boolalg.Boolean:
    """Return a statement that the proof checker proves.

    >>> proved("a + b <= 2 max(a, b)")
    a + b <= 2*Max(a, b)

    Raises RoofproofError for any other statement.
    """
    verdict = judged(says)[1]
    if (verdict.kind, verdict.trust) != (VERIFIED, ByKernel.trust):
        raise RoofproofError(
            "expected what the proof checker proves; <says> is <kind> (<trust>)",
            says=says,
            kind=verdict.kind,
            trust=verdict.trust,
        )
    return to_boolean(read_statement(says))


@cache
def judged(says: str) -> tuple[Claim, Verdict]:
    """Return a statement of a course as a claim, with its verdict."""
    claim = Claim(says, says, read_statement(says), Environment())
    return claim, judge(claim)


@cache
def errata(book: str, *ids: str) -> list[dict[str, Math]]:
    """Return refuted claims of a claims file: the printed formula and, if it can be written, the correct one.

    `times` is the quotient of the two if they are numbers.

    >>> [found] = errata("all-about-rooflines", "S2-73")                                  # 9.89e14/3.35e12
    >>> found["printed"].tex, found["right"].tex, found["times"].tex
    ('298', '{\\\\approx}\\\\,295.22', '{\\\\approx}\\\\,1.01')

    Raises RoofproofError for an unknown claims file or claim, and for a claim that is not refuted.
    """
    return [_erratum(claim) for claim, _ in refuted(book, *ids)]


@cache
def refuted(book: str, *ids: str) -> tuple[tuple[Claim, Verdict], ...]:
    """Return refuted claims of a claims file with their verdicts. Raises RoofproofError as `errata` does."""
    books = files("roofproof.claims") / "textbooks"
    known = [each.name.removesuffix(".toml") for each in books.iterdir() if each.name.endswith(".toml")]
    if book not in known or not ids:
        expected = 'expected a book and a claim of it, as "roofline-notes S1-13"'
        raise RoofproofError(expected) if book in known else unknown("book", book, known)
    path = str(books / f"{book}.toml")
    claims = {claim.id: claim for claim in read_book(path).claims}
    found = []
    for each in ids:
        refuse_unknown("claim", each, claims)
        if isinstance(claim := claims[each], Unusable):
            raise RoofproofError(claim.message)
        if (verdict := judge(claim)).kind != REFUTED:
            raise RoofproofError("<id>: expected what is refuted, got <kind>", id=claim.id, kind=verdict.kind)
        found.append((claim, verdict))
    return tuple(found)


def _erratum(claim: Claim) -> dict[str, Math]:
    try:
        return _formulas(claim)
    except RoofproofError:  # no formula for a root, a sum or a time, so a sentence describes the error
        return {}


def _formulas(claim: Claim) -> dict[str, Math]:
    env, node = claim.environment, claim.proposition
    if is_op(node, "<=>"):
        derived, said = node.args
        right = _rule(claim, derived, said)
        return {"printed": _formula(to_boolean(said, functions={"rate": _rate})), **({"right": right} if right else {})}
    if not isinstance(node, Comparison) or node.relations[1:] or "!=" in node.relations:
        return {}
    if both_computed(node, env.let):  # two values that the source equates: the first is the one it uses
        printed, exact = map(env.to_sympy, node.operands)
    else:
        ours, theirs = stated_on_right(node, env.let).operands
        printed, exact = to_value(theirs), sympy.factor(env.to_sympy(ours))
    found = {"printed": _formula(printed), "right": _formula(exact)}
    quotient = printed / exact if printed.is_number and exact.is_number and not exact.is_zero else None
    return found if quotient is None else {**found, "times": figure(quotient, 3)}


def _rate(call: Call) -> sympy.Symbol:
    """Return the symbol of a spec in a formula: a peak, or the bandwidth of a link."""
    link = call.arguments[1]
    return sympy.Symbol("P" if isinstance(link, Reference) and link.text == "bf16" else "W_net", positive=True)


def _rule(claim: Claim, derived: Tree, said: Tree) -> Math | None:
    """Return the rule of thumb in the regime of a claim that states when an operation is compute-bound."""
    if claim.regime is None or not isinstance(derived, Call) or not isinstance(said, Comparison):
        return None
    op, chip = claim.environment.operation(derived.arguments[0]), claim.environment.chip(derived.arguments[1])
    name = next(each.name for each in said.operands if isinstance(each, Name))
    [rule] = threshold(op, chip, name, regime=claim.regime).rules
    return None if rule.threshold is None else _formula(rule.threshold.cases[0].threshold.holds(rule.threshold.unknown))


def _formula(value: sympy.Basic) -> Math:
    """Return a number or a numeric bound in decimals, or any other formula at the height of a displayed one."""
    if value.is_number:
        return figure(value)
    if isinstance(value, Relational) and value.rhs.is_number and not value.rhs.is_Integer:
        return computed(f"{latex(value.lhs)} {value.rel_op} {number_tex(value.rhs)}")
    tex = condition(value) if isinstance(value, sympy.logic.boolalg.Boolean) else latex(value)
    if (short := re.sub(rf"\d{{{MANY},}}", lambda whole: figure(sympy.Integer(whole[0]), 3).tex, tex)) != tex:
        tex = short.replace(r"{\approx}\,", "")
        tex = rf"{{\approx}}\,{tex}"
    return computed(rf"\displaystyle {tex}\vphantom{{\Bigg\vert}}" if r"\frac" in tex else tex)
