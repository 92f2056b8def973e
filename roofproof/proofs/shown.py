"""What a statement names is what its goal says: a threshold, its condition, and which bound of a time it is."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.inequalities.cases import Case, bounds, with_bounds
from roofproof.proofs.assumptions import ROOT
from roofproof.proofs.translate import isolating, to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.proofs.statement import Statement

SOLVED = ("case", "at-point", "within", "rule", "region-case")  # kinds of statements about a threshold

BOUND_BY = {"lower": "max", "upper": "+", "sequence": "+"}  # the bounds of a time, and what they are of its parts


def misnamed(s: Statement) -> str:
    """Return what a statement names that its goal is not about; nothing where all of it is.

    >>> from roofproof.proofs.statement import Statement
    >>> longest = ("=", ("max", ("v", "a"), ("v", "b")), ("v", "a"))
    >>> misnamed(Statement("time", (), longest, "time", label="lower"))
    ''
    >>> misnamed(Statement("time", (), longest, "time", label="upper"))
    'it is no upper bound'
    """
    if isinstance(s.about, tuple):
        return "" if is_threshold(s) else "it shows another threshold"
    if s.kind in ("time", "other-time") and s.goal[0] == "=" and BOUND_BY.get(s.label, s.goal[1][0]) != s.goal[1][0]:
        return f"it is no {s.label} bound"
    return ""


def is_threshold(s: Statement) -> bool:
    """Tell whether a threshold, and the condition under which it stands, are those of the goal.

    A root of a polynomial has a name in the goal, and what defines it stands among the assumptions.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> from roofproof.proofs.statement import Statement
    >>> from roofproof.symbols import quantity
    >>> x, two = quantity("x"), sympy.Integer(2)
    >>> goal = to_formula(sympy.And(x > two)), to_formula(x > two)
    >>> is_threshold(Statement((x, Case(sympy.true, Above(two))), (), ("<=>", *goal), "case"))
    True
    >>> is_threshold(Statement((x, Case(sympy.true, Above(two + 1))), (), ("<=>", *goal), "case"))
    False
    """
    assert isinstance(s.about, tuple)
    unknown, case = s.about
    if s.kind not in SOLVED or s.goal[0] != "<=>":
        return False
    if case.when != sympy.true and to_formula(case.when, with_functions) not in s.assumptions:
        return False
    roots = sorted({r for b in bounds(case.threshold) for r in parts_of(b, sympy.CRootOf)}, key=str)
    names = sorted(n for n in s.names if n.startswith(ROOT)) if roots else []
    return any(
        _says(s, unknown, case, dict(zip(roots, named, strict=True))) for named in permutations(names, len(roots))
    )


def _says(s: Statement, unknown: sympy.Symbol, case: Case, named: dict[sympy.Expr, str]) -> bool:
    put = {root: sympy.Symbol(name, positive=True) for root, name in named.items()}
    said = with_bounds(case.threshold, lambda b: b.xreplace(put)).holds(unknown)
    defined = all(f in s.assumptions for root, name in put.items() for f in isolating(root, name))
    return defined and to_formula(said, with_functions) == s.goal[2]
