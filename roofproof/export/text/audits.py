"""The outcome of an audit as text."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from roofproof.audit.audits import Audit, Regime
from roofproof.audit.guard import JudgedFormula
from roofproof.derive.algebra.text import plain

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
      at B = 4, D = 8, F = 16: 512, where 1024 is right
      mend: add B*D*F
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


def guard_text(judged: Sequence[JudgedFormula]) -> str:
    """Return the verdict on each formula of a list, and how many are as expected.

    >>> from pathlib import Path
    >>> from roofproof.audit.guard import guarded
    >>> print(guard_text(list(guarded(Path("examples/tool.formulas.toml")))).splitlines()[0])
    Product.flops, flops of matmul: equal, for all sizes
    """
    lines = []
    for one in judged:
        if one.found is None:
            lines.append(f"{one.name}: cannot be judged: {one.error}")
            continue
        first, *rest = _outcome(one.found)
        unlike = "" if one.as_expected else f"NOT AS EXPECTED ({one.expect}): "
        lines += [f"{one.name}, {one.quantity} of {one.op}: {unlike}{first}", *rest]
    right = sum(one.as_expected for one in judged)
    said = "all as expected" if right == len(judged) else f"{len(judged) - right} not as expected"
    return "\n".join([*lines, f"{len(judged)} formulas: {said}"])


def _outcome(found: Audit) -> list[str]:
    if found.verdict == "equal":
        return ["equal, for all sizes" if found.how == "symbols" else "equal"]
    if found.verdict == "near":
        return [f"the same to nine digits at all of {found.points} sizes tried, which proves nothing about others"]
    grows = "" if found.growth is None else f"{_plain(found.growth)} when all sizes grow alike"
    if found.ratio is not None:
        grows = "" if found.growth == found.ratio and found.ratio.free_symbols else grows
        said = f"different: the function gives {_plain(found.ratio)} of what is derived{grows and ', and ' + grows}"
        return [said, *_mend(found)]
    lines = ["different: the function gives, of what is derived,"]
    several = len({regime.name for regime in found.regimes}) > 1
    lines += [f"  {_regime(regime, several)}" for regime in found.regimes[:MOST]]
    return [*lines, *([f"  {grows}"] if grows else [])]


def _mend(found: Audit) -> list[str]:
    """Return where two forms part, and what makes theirs right."""
    lines = []
    if found.apart is not None:
        at, theirs, ours = found.apart
        place = ", ".join(f"{name} = {size}" for name, size in at.items())
        lines.append(f"  at {place}: {theirs}, where {ours} is right")
    if found.mend is not None:
        less = found.apart is not None and found.apart[1] > found.apart[2]
        lacks = -found.mend if less else found.mend
        amount = _plain(min(sympy.factor(lacks), sympy.expand(lacks), key=lambda form: str(form).startswith("-")))
        same = f", as much as the traffic of {' and '.join(found.tensors)}" if found.tensors else ""
        lines.append(f"  mend: {'take off' if less else 'add'} {amount}{same}")
    return lines


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
