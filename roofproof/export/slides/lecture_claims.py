"""What a lecture claims, and what its sources print wrong: each statement judged when the slides are written."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

import sympy

from roofproof.claims.judging.judge import judge
from roofproof.claims.kinds import VERIFIED
from roofproof.claims.language import Claim, Environment, read_expression, read_proposition, to_boolean, to_sympy
from roofproof.claims.verifying import verify
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.derivation_lines import number
from roofproof.export.latex.expressions import latex
from roofproof.export.slides.deck_context import plain
from roofproof.export.slides.model import Math
from roofproof.export.text.formatting import digits
from roofproof.hardware import Rate
from roofproof.proofs import ByKernel


def figure(value: Any, significant: int = 5) -> Math:
    r"""Return a number as a formula, with the sign for `about` where digits are left out.

    >>> print(figure(sympy.Rational(9850, 41)).tex, figure(sympy.Integer(197) * 10**12).tex)
    {\approx}\,240.24 1.97 \times 10^{14}
    """
    text = digits(exact_number(value), significant)
    shown = number(text.removeprefix("≈ "), False)
    return Math(r"{\approx}\," * text.startswith("≈") + shown.removeprefix(r"1 \times "))


def exact_number(value: Any) -> sympy.Expr:
    """Return a number or a figure of a chip; raise RoofproofError for anything else, and for what is not exact."""
    if isinstance(value, Rate):
        return sympy.Rational(value.value.numerator, value.value.denominator)
    if not isinstance(value, sympy.Expr) or not value.is_number or value.has(sympy.Float):
        raise RoofproofError(f"expected an exact number, got {value}; sizes are given as in .at(D=4096)")
    return value


def proved(says: str) -> sympy.logic.boolalg.Boolean:
    """Return a statement that the proof kernel proves.

    >>> proved("a + b <= 2 max(a, b)")
    a + b <= 2*Max(a, b)

    Raises RoofproofError for any other statement.
    """
    tree = read_proposition(says)
    verdict = judge(Claim(says, says, tree, Environment()))
    if (verdict.kind, verdict.trust) != (VERIFIED, ByKernel.trust):
        raise RoofproofError(f"expected what the proof kernel proves; {says} is {verdict.kind} ({verdict.trust})")
    return to_boolean(tree)


@cache
def errata(book: str, *ids: str) -> list[dict[str, Math]]:
    """Return claims of a book that the engine refutes: as it is printed, and what is right where a formula says it.

    >>> errata("all-about-rooflines", "S2-73")                                            # 9.89e14/3.35e12
    [{'printed': Math(tex='298'), 'right': Math(tex='{\\\\approx}\\\\,295.22')}]

    Raises RoofproofError for a book or a claim that is not there, and for one that is not refuted.
    """
    path, found = str(files("roofproof.claims") / "textbooks" / f"{book}.toml"), {}
    for result in verify([path], ids, workers=1):
        if result.verdict is None or result.verdict.kind != "refuted":
            raise RoofproofError(f"{result.id}: expected what is refuted, got {result.problem or result.kind}")
        exact = result.verdict.exact or ""
        printed = re.split("<=>|==|~=", result.says)[-1]
        printed = re.sub(r"rate\(\w+, (\w+)\)", lambda rate: "P" if rate[1] == "bf16" else "W_net", printed)
        if " against " in exact:  # two values that the source takes for one: the first is the one it uses
            printed, exact = (side.partition(" (")[0] for side in exact.split(" against "))
        elif limit := re.match("in the limit (.*?);", exact):
            exact = limit[1]
        right = {"right": _formula(exact.partition(" (")[0], True)} if exact else {}
        found[result.id] = {"printed": _formula(printed, False), **right}
    return [found[each] for each in ids]


def _formula(text: str, shorter: bool) -> Math:
    """Return a number in decimals, a bound with its decimals, any other formula as high as on display."""
    try:
        value = to_sympy(read_expression(text.strip()))
    except RoofproofError:
        relation = to_boolean(read_proposition(text.strip()))
        if relation.rhs.is_number and not relation.rhs.is_Integer:
            return Math(f"{latex(relation.lhs)} {relation.rel_op} {plain(relation.rhs)}")
        tex = condition(relation)
    else:
        if value.is_number:
            return figure(value)
        tex = latex(sympy.factor(value) if shorter else value)
    return Math(rf"\displaystyle {tex}\vphantom{{\Bigg\vert}}" if r"\frac" in tex else tex)
