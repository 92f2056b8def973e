"""Terms of the proof kernel as text and as TeX, without evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofproof.formula.magnitudes import decimal
from roofproof.proofs.kernel.terms import Term


def format_term(term: Term, tex: bool = False) -> str:
    r"""Return a term as text or as TeX, without evaluation.

    >>> term = Term("/", Term("*", Term("q", 2, 1), Term("q", 64, 1), Term("v", "D")), Term("q", 10**12, 1))
    >>> print(format_term(term), format_term(term, tex=True))
    2*64*D/1e12 \frac{2 \cdot 64 D}{1 \times 10^{12}}
    """
    match term:
        case ("q", p, q):
            text = decimal(Fraction(p, q))
            return number(text) if tex else text
        case ("v", name):
            if not tex:
                return str(name)
            from roofproof.export.latex.expressions import symbol  # slow to import, and not needed for text

            return symbol(name)
        case ("+", *parts):
            return " + ".join(format_term(p, tex) for p in parts)
        case ("*", *parts):
            return "".join(_joined(parts, tex))
        case ("/", above, below):
            if tex:
                return rf"\frac{{{format_term(above, tex)}}}{{{format_term(below, tex)}}}"
            return f"{_bracketed(above, tex)}/{_bracketed(below, tex, '*', '/')}"
        case ("^", base, power):
            below = _bracketed(base, tex, "*", "/", "^")
            return f"{below}^{{{power}}}" if tex else f"{below}^{power}"
        case ("max" | "min" as head, *parts):
            inner = ", ".join(format_term(p, tex) for p in parts)
            return rf"\{head}\left({inner}\right)" if tex else f"{head}({inner})"
        case (head, *parts):
            return f"{head}({', '.join(format_term(p, tex) for p in parts)})"
    return str(term)


def number(text: str) -> str:
    r"""Return a number written as `1.97e14` in TeX.

    >>> print(number("1.97e14"))
    1.97 \times 10^{14}
    """
    mantissa, _, power = text.partition("e")
    return rf"{mantissa} \times 10^{{{power}}}" if power else mantissa


def _joined(parts: list[Term], tex: bool) -> Iterator[str]:
    for place, part in enumerate(parts):
        if place and tex:
            yield r" \cdot " if _bracketed(part, tex)[0].isdigit() else " "
        elif place:
            yield "*"
        yield _bracketed(part, tex)


def _bracketed(term: Term, tex: bool, *heads: str) -> str:
    text = format_term(term, tex)
    return f"({text})" if term[0] in ("+", *heads) else text
