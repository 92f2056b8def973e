"""What the sources of the lecture print wrong: each statement judged when the slides are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import sympy

from roofproof.claims.language import read_expression, read_proposition, to_boolean, to_sympy
from roofproof.claims.verifying import Result, verify
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.expressions import latex
from roofproof.export.slides.lecture_parts import ABOUT, V5P, Said, figure, name, work
from roofproof.export.slides.model import Bullets, Frame, Inline, Math, Text
from roofproof.hardware import any_chip

NUMBERS = (
    ("roofline-lecture", "S0-53"), ("roofline-lecture", "S0-47"),
    ("roofline-notes", "S1-13"), ("roofline-analysis", "S3-31"),
    ("all-about-rooflines", "S2-73"), ("edge-llm-performance", "S4-77"),
)  # fmt: skip
FORMULAS = (
    ("roofline-analysis", "S3-6"), ("roofline-lecture", "S0-61"), ("all-about-rooflines", "S2-47"),
    ("edge-llm-performance", "S4-106"),
)  # fmt: skip


COMPARED = (("roofline-lecture", "S0-73"), ("roofline-lecture", "S0-31"))  # what is said of two numbers, in words


@dataclass(frozen=True, slots=True)
class Erratum:
    """A statement of a source that is wrong: as it is printed, what is right, and the slip by its name."""

    id: str
    printed: Math
    right: Math
    slip: str


def errata(say: Said) -> list[Frame]:
    """Return the slides that list what is printed wrong, numbers first."""
    frames: list[Frame] = []
    for title, claims in (("errata-numbers", NUMBERS), ("errata-formulas", FORMULAS)):
        rows = [(say(f"about-{e.id}"), e.printed, e.right, _slip(say, e)) for e in refuted(claims)]
        table = say.table(["errata-what", "errata-printed", "errata-right", "errata-slip"], rows, "lccl")
        said = Text(say("errata-judged")) if claims is FORMULAS else Bullets(_compared(say))
        frames.append(say.frame(title, table, said, section="" if frames else "errata-section"))
    return frames


def _compared(say: Said) -> tuple[Inline, ...]:
    """Return a sentence for each statement that confuses two numbers."""
    chip = name(any_chip(V5P))
    return tuple(say(f"compared-{e.id}", first=e.printed, second=e.right, chip=chip) for e in refuted(COMPARED))


@cache
def refuted(claims: tuple[tuple[str, str], ...]) -> tuple[Erratum, ...]:
    """Return the claims that the engine refutes, in order, with what it finds instead; each is judged once.

    >>> [(e.printed.tex, e.right.tex) for e in refuted((("all-about-rooflines", "S2-73"),))]     # 9.89e14/3.35e12
    [('298', '{\\\\approx}\\\\,295.22')]
    """
    found: dict[str, Result] = {}
    for book in dict.fromkeys(book for book, _ in claims):
        path = str(files("roofproof.claims") / "textbooks" / f"{book}.toml")
        found |= {r.id: r for r in verify([path], [each for at, each in claims if at == book], workers=1)}
    return tuple(_erratum(found[each]) for _, each in claims if _is_wrong(found[each]))


def _is_wrong(result: Result) -> bool:
    return result.verdict is not None and result.verdict.kind == "refuted"


def _erratum(result: Result) -> Erratum:
    assert result.verdict is not None
    exact = result.verdict.exact or ""
    printed = re.split("<=>|==|~=", result.says)[-1]
    printed = re.sub(r"rate\(\w+, (\w+)\)", lambda rate: "P" if rate[1] == "bf16" else "W_net", printed)
    if " against " in exact:  # two values that the source takes for one: the first is the one it uses
        printed, exact = (side.partition(" (")[0] for side in exact.split(" against "))
    elif limit := re.match("in the limit (.*?);", exact):
        exact = limit[1]
    right = _formula(exact.partition(" (")[0], True) if exact else _two_chips()
    return Erratum(result.id, _formula(printed, False), right, result.verdict.slip or "")


def _formula(text: str, shorter: bool) -> Math:
    """Return a number in decimals, a bound with its decimals, any other formula as the house writes it."""
    try:
        value = to_sympy(read_expression(text.strip()))
    except RoofproofError:
        relation = to_boolean(read_proposition(text.strip()))
        at = relation.rhs
        if at.is_number and not at.is_Integer:
            return Math(f"{latex(relation.lhs)} {relation.rel_op} {figure(at).tex.removeprefix(ABOUT)}")
        return _tall(condition(relation))
    return figure(value) if value.is_number else _tall(latex(sympy.factor(value) if shorter else value))


def _two_chips() -> Math:
    """Return when a product over two chips is compute-bound: its times, as the engine has them."""
    (over,) = ceilings(work("split-matmul", "D").op)
    peak, link = sympy.Symbol("P", positive=True), sympy.Symbol("W_net", positive=True)
    return _tall(condition(sympy.Gt(over.flops / peak, over.moved / link, evaluate=False)))


def _tall(formula: str) -> Math:
    """Return a formula with its fractions as high as on display, and room above and below them in a table."""
    return Math(rf"\displaystyle {formula}\vphantom{{\Bigg\vert}}" if r"\frac" in formula else formula)


def _slip(say: Said, erratum: Erratum) -> Inline:
    """Return the slip that the engine names; where it names none in the time that it takes, what the text shows."""
    return say(f"slip-{erratum.slip}" if say.has(f"slip-{erratum.slip}") else f"why-{erratum.id}")
