"""Conversion between PyTorch and SymPy sizes, and the decisions about sizes made while tracing.

A size is a symbol of a ShapeEnv. PyTorch's questions about it are decided by the conditions if possible. Otherwise,
decisions that the framework needs become conditions, and questions from the user's own code are refused.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from functools import reduce
from math import lcm
from pathlib import Path
from types import FrameType
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from roofproof.errors import RoofproofError
from roofproof.ops.notation.where import condition_text
from roofproof.sentences import Sentence
from roofproof.trace.ordering import margins
from roofproof.trace.problems import SIZES, users
from roofproof.trace.program import Place
from roofproof.trace.sizes import KnownSizes

PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107)
TRIED = 5000
QUOTIENTS = ("IntTrueDiv", "FloatTrueDiv")  # PyTorch's names for n / w
ENTRY = str(Path(__file__).with_name("entry.py"))  # its callers are not traced
WORDS = ("sym_node.py", "symbolic_shapes.py", "recording.py", "_sym_dispatch_mode.py")  # they evaluate sizes


def user_place(frame: FrameType | None) -> Place | None:
    """Return the innermost line of the user's code, from a frame outwards."""
    while frame is not None and frame.f_code.co_filename != ENTRY:
        file = frame.f_code.co_filename
        if users(file) or file.startswith("<doctest"):
            return Place(Path(file).name, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


class TorchSizes(KnownSizes):
    """The sizes in one ShapeEnv, with the conditions that are assumed.

    >>> from roofproof.symbols import dimension
    >>> B = dimension("B")
    >>> sizes = TorchSizes([B], [sympy.Eq(sympy.Mod(B, 2), 0)])
    >>> sizes.of_torch(sizes.size(3 * B) // 2), sizes.of_torch(sizes.size(B + 1) // 3)
    (3*B/2, floor(B/3 + 1/3))
    >>> sizes.conditions                                                   # PyTorch treats size 1 separately
    [Eq(Mod(B, 2), 0), B >= 2]
    """

    def __init__(self, names: Iterable[Symbol], conditions: Iterable[Boolean]) -> None:
        from torch._dynamo.source import ConstantSource  # creates PyTorch's cache folder, so not on import

        super().__init__(conditions)
        self._less: dict[Any, bool] = {}
        self._decided: dict[Any, bool | None] = {}
        self._ours: dict[Any, Expr] = {}
        self._known: dict[Any, Expr] = {}
        symbols = sorted(set(names), key=str)
        for symbol in symbols:
            if not any(gap == symbol - n for gap in margins(self.conditions) for n in range(2, 99)):
                self.assume(sympy.Ge(symbol, 2, evaluate=False))
        self.environment = RecordingShapeEnv(self)
        self.values = example(symbols, self.conditions)
        for symbol, value in self.values.items():
            source = ConstantSource(symbol.name)
            theirs = self.environment.create_symbol(value, source, DimDynamic.DYNAMIC, None)
            self.framework_sizes[symbol] = self.environment.create_symintnode(theirs, hint=value, source=source)
            self._ours[theirs] = symbol

    def of_torch(self, size: Any) -> Expr:
        """Return a PyTorch size as a SymPy expression."""
        return Integer(size) if isinstance(size, int) else self.of_expression(size.node.expr)

    def of_expression(self, size: Any) -> Any:
        """Return an expression or relation of PyTorch's symbols as one of roofproof's symbols."""
        if size in self._ours.values() or size in (sympy.true, sympy.false):
            return size
        if size not in self._known:
            self._known[size] = self._made(size)
        return self._known[size]

    def _made(self, size: Any) -> Expr:
        if not size.args:
            return sympy.Rational(float(size)) if size.is_Float else self._ours.get(size, size)  # float: 16.0 is 16
        name, args = type(size).__name__, [self.of_expression(a) for a in size.args]
        match name:
            case "FloorDiv" | "CleanDiv":
                return self.quotient(*args)
            case "CeilDiv":
                return self.quotient(args[0] + args[1] - 1, args[1])
            case "Mod" | "PythonMod":
                return self.remainder(*args)
            case "Max":
                return reduce(self.greatest, args)
            case "Min":
                return reduce(self.least, args)
            case "ToFloat":  # exact, since sizes are far below 2^53
                return args[0]
            case "IntTrueDiv" | "FloatTrueDiv":
                return sympy.cancel(args[0] / args[1])
            case "TruncToInt" | "FloorToInt":
                return self.quotient(*sympy.fraction(sympy.together(args[0])))
            case "CeilToInt":
                return -self.quotient(*sympy.fraction(sympy.together(-args[0])))
            case "ModularIndexing":
                return self.remainder(self.quotient(args[0], args[1]), args[2])
        made = {"Add": sympy.Add, "Mul": sympy.Mul, "Pow": sympy.Pow, "PowByNatural": sympy.Pow}.get(name)
        if made is None and not isinstance(size, Boolean):
            of = ", ".join(sorted(str(self._ours.get(s, s)) for s in size.free_symbols))
            raise RoofproofError(
                "a value that <function> makes of the size <sizes> is used here; give <sizes> a number in the shapes",
                function=name, sizes=of,
            )  # fmt: skip
        return made(*args) if made is not None else type(size)(*args)

    def assume(self, condition: Boolean) -> None:
        """Add a condition. A lower bound on one size, such as N >= 3, replaces weaker ones."""
        condition = self._unequal(condition) if isinstance(condition, sympy.Ne) else self._plain(condition)
        if (bound := _least(condition)) is not None:
            symbol, least = bound
            told = [c for c in self.conditions if (b := _least(c)) is not None and b[0] == symbol and b[1] < least]
            self.conditions = [c for c in self.conditions if c not in told]
            condition = sympy.Ge(symbol, least, evaluate=False)
        super().assume(condition)
        self._less.clear()
        self._decided.clear()
        self._known.clear()  # simplified quotients depend on the conditions

    def _plain(self, condition: Boolean) -> Boolean:
        """Return `x == Min(x, a)` as `x <= a`, and of several alternatives the one that the example sizes meet."""
        if isinstance(condition, sympy.Or):
            condition = next((c for c in condition.args if c.subs(self.values) == sympy.true), condition)
        if isinstance(condition, sympy.Eq):
            for size, least in (condition.args, condition.args[::-1]):
                if isinstance(least, sympy.Min) and len(least.args) == 2 and size in least.args:
                    return sympy.Le(size, next(a for a in least.args if a != size), evaluate=False)
        return condition

    def _unequal(self, condition: Boolean) -> Boolean:
        """Turn `x != n` for the least value n into a lower bound: multiples of 8 other than 8 are at least 16."""
        factors = sympy.factor_list(condition.lhs - condition.rhs)[1]
        gap = sympy.Mul(*(f for f, _ in factors if not self.less(Integer(0), f)))
        symbol = next(iter(gap.free_symbols), None)
        if symbol is None or not (number := symbol - gap).is_Integer or number < 1:
            return condition
        exact = (
            c.lhs.args for c in self.conditions if isinstance(c, sympy.Eq) and c.lhs.func == sympy.Mod and c.rhs == 0
        )
        step = lcm(*(int(part) for size, part in exact if size == symbol and part.is_Integer))
        first = number == step or (number % step == 0 and self.less(number - step, symbol))
        return sympy.Ge(symbol, number + step) if first else condition

    def less(self, small: Expr, large: Expr) -> bool:
        """Return whether a size is known to be smaller: above the lower bounds, the gap has no negative coefficient."""
        gap = large - small
        if gap not in self._less:
            self._less[gap] = self._positive(gap)
        return self._less[gap]

    def _positive(self, gap: Expr) -> bool:
        gap = sympy.expand(gap)
        if gap.is_number or not gap.is_polynomial():
            return bool(gap > 0) if gap.is_number else KnownSizes.less(self, Integer(0), gap)
        found, others = {s: 1 for s in gap.free_symbols}, False
        for least in margins(self.conditions):
            symbol, n = next(iter(least.free_symbols), None), -least.subs(dict.fromkeys(least.free_symbols, 0))
            if symbol is not None and least == symbol - n:
                found[symbol] = max(found.get(symbol, 1), n)
            else:
                others = True
        terms = sympy.Poly(gap.xreplace({s: s + found[s] for s in gap.free_symbols}), *gap.free_symbols).as_dict()
        if all(c >= 0 for c in terms.values()):
            return bool(terms.get((0,) * len(gap.free_symbols), 0) > 0)
        return others and not all(c <= 0 for c in terms.values()) and KnownSizes.less(self, Integer(0), gap)

    @property
    def words(self) -> dict[str, str]:
        """The names of symbols in PyTorch's messages, mapped to the user's names."""
        return {str(theirs): ours.name for theirs, ours in self._ours.items()}

    def decided(self, question: Any) -> bool | None:
        """Decide a relation between sizes by the conditions, or return None if they leave it open."""
        if question not in self._decided:
            self._decided[question] = self._decide(question)
        return self._decided[question]

    def _decide(self, question: Any) -> bool | None:
        asked = self.of_expression(question)
        if asked in (sympy.true, sympy.false):
            return bool(asked)
        if isinstance(asked, sympy.Not):
            inner = self.decided(asked.args[0])
            return None if inner is None else not inner
        if isinstance(asked, sympy.And | sympy.Or):
            parts = [self.decided(part) for part in asked.args]
            settles = isinstance(asked, sympy.Or)
            return settles if settles in parts else None if None in parts else not settles
        if not isinstance(asked, Relational):
            return None
        gap = sympy.cancel(asked.lhs - asked.rhs)
        more, less = self.less(Integer(0), gap), self.less(gap, Integer(0))
        match asked.rel_op:
            case "==" | "!=":
                factors = [f for f, _ in sympy.factor_list(gap)[1]] if gap != 0 and not (more or less) else []
                more = more or (bool(factors) and all(self.less(Integer(0), f) for f in factors))
                equal = True if gap == 0 else False if more or less else None
                return equal if equal is None or asked.rel_op == "==" else not equal
            case ">" | "<=":
                above = True if more else False if less or gap == 0 or self.less(gap, Integer(1)) else None
                return above if above is None or asked.rel_op == ">" else not above
        below = True if less else False if more or gap == 0 or self.less(Integer(-1), gap) else None
        return below if below is None or asked.rel_op == "<" else not below


class RecordingShapeEnv(ShapeEnv):  # type: ignore[misc]
    """A ShapeEnv that answers PyTorch's questions about sizes."""

    def __init__(self, sizes: TorchSizes) -> None:
        super().__init__(duck_shape=False, allow_scalar_outputs=False, allow_dynamic_output_shape_ops=False)
        self.sizes = sizes

    def evaluate_expr(
        self, orig_expr: Any, hint: Any = None, fx_node: Any = None, size_oblivious: bool = False,
        fallback_value: bool | None = None, *, forcing_spec: bool = False,
    ) -> Any:  # fmt: skip
        """Decide by the conditions. If they leave it open and the framework asks, assume the example's answer."""
        if orig_expr.is_number or orig_expr in (sympy.true, sympy.false):
            return orig_expr
        if not isinstance(orig_expr, Relational | BooleanFunction):  # a symbol is a Boolean to SymPy
            size = self.sizes.of_expression(orig_expr)
            if size.is_Integer:
                return size
            if (known := self._maybe_evaluate_static(orig_expr)) is not None:
                return known
            sizes_of_it = ", ".join(sorted(map(str, size.free_symbols)))
            if any(type(part).__name__ in QUOTIENTS for part in sympy.preorder_traversal(orig_expr)):
                raise RoofproofError(
                    "the quotient <size> is used as a value here; write n // w for int(n / w), or give <sizes> a "
                    "number in the shapes",
                    size=size.args[0] if isinstance(size, sympy.floor) else size, sizes=sizes_of_it,
                )  # fmt: skip
            if size.is_Symbol:
                raise RoofproofError(
                    "the code uses the size <size> as a value; give it a number in --shapes, or use --unrolled "
                    "<size> for a loop over layers", size=size,
                )  # fmt: skip
            raise RoofproofError(
                "the size <size> is used as a value here; give <sizes> a number in the shapes",
                size=size, sizes=sizes_of_it,
            )  # fmt: skip
        if (found := self.sizes.decided(orig_expr)) is not None:
            return sympy.true if found else sympy.false
        if (known := self._maybe_evaluate_static(orig_expr, size_oblivious=size_oblivious)) is not None:
            return known
        if fallback_value is not None:  # the answer for sizes in general
            return sympy.true if fallback_value else sympy.false
        holds = bool(orig_expr.xreplace(self.backed_var_to_val))
        asked = self.sizes.of_expression(orig_expr)
        if _asks(sys._getframe()):
            raise RoofproofError("whether <question> is open: <what>", question=asked, what=Sentence(SIZES))
        for part in sympy.And.make_args(asked if holds else sympy.Not(asked)):
            self.sizes.assume(part)
        return sympy.true if holds else sympy.false


def _least(condition: Boolean) -> tuple[Symbol, Expr] | None:
    """Return the size that a condition bounds from below and its bound, or None for any other condition."""
    for gap in margins([condition]):
        if len(gap.free_symbols) == 1 and (least := gap - (symbol := next(iter(gap.free_symbols)))).is_Integer:
            return symbol, -least
    return None


def _asks(frame: FrameType | None) -> bool:
    """Return whether the user's own code, not the framework, asks a question."""
    while frame is not None:
        file = frame.f_code.co_filename
        name = Path(file).name
        inside = name in WORDS or file == __file__ or file.endswith("torch/__init__.py") or file.startswith("<string")
        if not inside and "functools" not in name and "contextlib" not in name:
            return users(file) or "<doctest" in file
        frame = frame.f_back
    return False


def example(symbols: list[Symbol], conditions: Iterable[Boolean]) -> dict[Symbol, int]:
    """Return sizes that meet the conditions, all different if possible.

    >>> from roofproof.symbols import dimension
    >>> h, d = dimension("h"), dimension("d")
    >>> found = example([d, h], [sympy.Eq(sympy.Mod(d, 2 * h), 0, evaluate=False)])
    >>> found[d] % (2 * found[h])
    0

    Raises RoofproofError if none are found.
    """
    conditions = list(conditions)
    numbers = {int(n) for c in conditions for n in c.atoms(Integer) if 0 < n < 10**6}
    step = reduce(lcm, numbers, 1) if numbers else 1
    dice = random.Random(0)
    for k in range(TRIED):
        primes = dice.sample(PRIMES, min(len(symbols), len(PRIMES))) if k else PRIMES[2:]
        found: dict[Symbol, int] = {}
        for i, symbol in enumerate(dice.sample(symbols, len(symbols)) if k else symbols):
            factors = [1, step, *(v for v in found.values()), *(step * v for v in found.values())] if k else [1]
            found[symbol] = primes[i % len(primes)] * dice.choice(factors) * (1 + i // len(primes))
        if all(c.subs(found) == sympy.true for c in conditions):
            return found
    said = "; ".join(map(condition_text, conditions))
    cure = "say what a size is, as in h = g*r"
    raise RoofproofError(f"--where: no sizes to trace with were found that meet {said}; {cure}")
