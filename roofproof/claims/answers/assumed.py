"""Conditions in an answer that hold for all sizes of the operation: `W <= L` in `W >= 641 and W <= L`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import sympy
from sympy.core.relational import Relational

from roofproof.claims.answers.question import SOLVED, Question
from roofproof.claims.answers.reading import read_condition
from roofproof.claims.answers.tokens import Unreadable
from roofproof.claims.language.environment import to_boolean
from roofproof.derive.roofline.memory_fit import no_larger
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError


def without_assumed(parts: Sequence[str], asked: Question) -> tuple[list[str], list[str]]:
    """Return the parts of an answer, split into those that may fail and those that hold for all allowed sizes.

    >>> from roofproof import chip, op
    >>> asked = Question(op("sliding-window-attention"), chip("h100-sxm"), "W", at={"L": 4096})
    >>> without_assumed(["W <= 4096", "W >= 641"], asked), without_assumed(["W > 640", "W ≤ L"], asked)
    ((['W >= 641'], ['W <= 4096']), (['W > 640'], ['W ≤ L']))

    If all parts hold for all sizes, they are all kept.
    """
    if asked.asks not in SOLVED or len(parts) < 2:
        return [*parts], []
    left_out = [part for part in parts if _is_assumed(part, asked, part == parts[0])]
    kept = [part for part in parts if part not in left_out]
    return (kept, left_out) if kept else ([*parts], [])


def _is_assumed(text: str, asked: Question, stated: bool) -> bool:
    with suppress(Unreadable, RoofproofError):
        node = read_condition(text.replace("$", ""), [*asked.symbols])
        said = to_boolean(node, asked.symbols.__getitem__)
        order = {form for c in map(no_larger, asked.op.conditions) for form in (c, getattr(c, "reversed", c))}
        if said in order:
            return True
        sizes, here = asked.compared, {s: n for s, n in asked.symbols.items() if s != asked.unknown}
        at = said.subs({here[name]: sympy.Integer(n) for name, n in asked.at.items() if name in here})
        if isinstance(at, Relational) and at.free_symbols == {sizes.unknown} and (sizes.bounds or not stated):
            return sizes.drop_vacuous_bounds(solve(at, sizes.unknown).at({})).kind == "always"
    return False
