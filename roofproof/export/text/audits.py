"""The outcome of an audit as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofproof.audit.audits import Audit, Regime
from roofproof.derive.algebra.text import plain

if TYPE_CHECKING:
    import sympy

HOW = {
    "symbols": "symbols went through it",
    "samples": "found from exact values, checked at others",
    "values": "no closed form was found: only its values were compared",
    "type": "it looks at the type of its arguments: only its values for whole numbers were compared",
}
MOST = 8  # regimes shown
SHOWN = 40  # characters of an exact ratio


def audit_text(found: Audit, undenied: Sequence[str] = ()) -> str:
    """Set a function beside the derivation, and tell how the two differ.

    `undenied` is what the system does not deny the process that the function ran in.

    >>> from roofproof import op
    >>> from roofproof.audit.audits import audit
    >>> print(audit_text(audit(lambda B, D, F: B*D*F, op("matmul"))))     # a multiply-add counted once
    the function    B*D*F    (symbols went through it)
    the derivation  2*B*D*F
    different: the function gives 1/2 of what is derived, and 1/2 when all sizes grow alike
    """
    lines = [
        f"the function    {'?' if found.theirs is None else _plain(found.theirs)}    ({HOW[found.how]})",
        f"the derivation  {_plain(found.ours)}",
    ]
    if found.assumed:
        lines.append(f"assuming {' and '.join(map(plain, found.assumed))}")
    if found.decimals:
        lines.append(f"constants read as the decimals printed: {', '.join(found.decimals)}")
    if undenied:
        lines.append(f"note: this system does not deny the function {', '.join(undenied)}; only Python does")
    return "\n".join([*lines, *_outcome(found)])


def _outcome(found: Audit) -> list[str]:
    if found.verdict == "equal":
        return ["equal, for all sizes" if found.how == "symbols" else "equal"]
    if found.verdict == "near":
        return [f"the same to nine digits at all of {found.points} sizes tried, which proves nothing about others"]
    grows = "" if found.growth is None else f"{_plain(found.growth)} when all sizes grow alike"
    if found.ratio is not None:
        return [f"different: the function gives {_plain(found.ratio)} of what is derived{grows and ', and ' + grows}"]
    lines = ["different: the function gives, of what is derived,"]
    several = len({regime.name for regime in found.regimes}) > 1
    lines += [f"  {_regime(regime, several)}" for regime in found.regimes[:MOST]]
    return [*lines, *([f"  {grows}"] if grows else [])]


def _regime(regime: Regime, several: bool) -> str:
    at = ", ".join(f"{name} = {size}" for name, size in regime.at.items())
    return f"{_plain(regime.ratio)} {f'where {regime.name} takes longest, ' if several else ''}as at {at}"


def _plain(expr: sympy.Expr) -> str:
    if expr.is_Rational and len(str(expr)) > SHOWN:  # a quotient of floats
        return f"≈ {expr.evalf(6)}"
    if expr.is_Function and str(expr.func) == "Max":
        return f"max({', '.join(sorted(map(_plain, expr.args)))})"
    whole = expr.together()  # one denominator; where there is none, the sum as it stands
    return plain(expr if whole.as_numer_denom()[1] == 1 else whole)
