"""The sizes that an operation allows, points moved to these sizes, and facts that hold at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd, lcm

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import divided
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.memory_fit import no_larger, requirements
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.symbols import dimension

ROUNDS = 4  # of moving sizes to meet one condition after the other


@dataclass(frozen=True, slots=True)
class SizeConstraints:
    """The sizes that an operation allows, as conditions on them.

    >>> from roofproof.ops import parse_operation
    >>> windows = SizeConstraints.of(parse_operation("sliding-window-attention"))
    >>> names = [dimension(n) for n in "LW"]
    >>> windows.near(names, (3, 8)), windows.near(names, (8, 3))
    ((8, 3), (8, 3))
    >>> SizeConstraints.of(parse_operation("data-parallel")).near([dimension("B"), dimension("X")], (7, 3))  # 3 | 9
    (9, 3)
    """

    conditions: tuple[Boolean, ...] = ()

    @classmethod
    def of(cls, op: Operation, chip: Chip | None = None) -> SizeConstraints:
        """Return the sizes that an operation allows on a chip, in whose memories its blocks must fit."""
        return cls(requirements(op, chip))

    def near(self, symbols: Sequence[sympy.Symbol], point: Sequence[int]) -> tuple[int, ...] | None:
        """Return sizes near a point that meet the conditions on these symbols, or None if none are found.

        Two sizes in the wrong order are exchanged, and a size that must be divisible is rounded up to a multiple.
        """
        at, asked = dict(zip(symbols, point, strict=True)), self.about(symbols)
        for _ in range(ROUNDS if asked else 0):
            for condition in asked:
                if not _holds(condition, at):
                    _move(condition, at, asked)
            if all(_holds(condition, at) for condition in asked):
                break
        else:
            return tuple(point) if not asked else None
        return tuple(at[s] for s in symbols)

    def about(self, symbols: Iterable[sympy.Symbol]) -> tuple[Boolean, ...]:
        """Return the conditions that are about these symbols only."""
        return tuple(c for c in self.conditions if c.free_symbols <= {*symbols})

    def formulas(self) -> tuple[Formula, ...]:
        """Return the conditions as formulas of the proof checker.

        >>> D, n = dimension("D"), dimension("n")
        >>> print(*SizeConstraints((sympy.Eq(sympy.Mod(D, n), 0), n <= 8)).formulas())
        int(D/n) 8 >= n
        """
        return tuple(
            to_formula(c, with_functions) if (pair := divided(c)) is None
            else Formula("int", Term("/", *map(with_functions, pair)))
            for c in self.conditions
        )  # fmt: skip

    def decided(self, relation: Boolean) -> bool | None:
        """Return whether a comparison holds for all these sizes (True) or for none (False), or None if it depends.

        >>> L, W = dimension("L"), dimension("W")
        >>> windows = SizeConstraints((W <= L,))
        >>> windows.decided(W > L), windows.decided(L >= W), windows.decided(L > W)
        (False, True, None)
        """
        held = {form for c in map(no_larger, self.conditions) for form in (c, getattr(c, "reversed", c))}
        return True if relation in held else False if sympy.Not(relation) in held else None

    def simpler(self, expr: sympy.Expr) -> sympy.Expr:
        """Return an expression without the rounding of quotients that are integers for these sizes.

        >>> D, n = dimension("D"), dimension("n")
        >>> SizeConstraints((sympy.Eq(sympy.Mod(D, n), 0),)).simpler(sympy.floor(D / n) + sympy.ceiling(3 * D / n))
        4*D/n
        """
        pairs = [pair for c in self.conditions if (pair := divided(c)) is not None and pair[0].is_Symbol]
        whole = dimension("whole!")

        def exact(rounded: sympy.Expr) -> sympy.Expr:
            inside = rounded.args[0]
            return inside if any(inside.subs(a, b * whole).is_integer for a, b in pairs) else rounded

        rounding = (sympy.floor, sympy.ceiling)
        return expr.replace(lambda e: isinstance(e, rounding), exact) if pairs and expr.has(*rounding) else expr


EVERY = SizeConstraints()


def _holds(condition: Boolean, at: dict[sympy.Symbol, int]) -> bool:
    return bool(substitute(condition, {s.name: n for s, n in at.items()}) == sympy.true)


def _move(condition: Boolean, at: dict[sympy.Symbol, int], asked: Sequence[Boolean]) -> None:
    pair = divided(condition)
    if pair is not None and pair[0].is_Symbol:
        whole = pair[0]
        parts = [p.xreplace(at) for w, p in filter(None, map(divided, asked)) if w == whole]
        if all(part.is_Integer for part in map(sympy.sympify, parts)):
            step = lcm(*map(int, parts))
            at[whole] = step * -(-at[whole] // step)
    elif pair is not None and pair[0].is_Integer and pair[1].is_Symbol:
        at[pair[1]] = gcd(int(pair[0]), at[pair[1]])
    elif pair is None and len(condition.args) == 2 and all(side.is_Symbol for side in condition.args):
        one, other = condition.args
        at[one], at[other] = at[other], at[one]
    elif pair is None and len(condition.free_symbols) == 1:
        [only] = condition.free_symbols
        at[only] = max(1, at[only] // 8)
