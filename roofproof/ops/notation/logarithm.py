"""The binary logarithm as a term of its own, exact at powers of two."""

from typing import Any

from sympy import Expr, Function, Integer, log


class log2(Function):  # type: ignore[misc]
    """Binary logarithm: one opaque term for the algebra, an integer at every power of two.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> 5*N*log2(N), (5*N*log2(N)).subs(N, 1024)               # 5 * 1024 * 10
    (5*N*log2(N), 51200)
    >>> log2(Integer(1)/8), log2(3)
    (-3, log2(3))

    SymPy writes `log(N)/log(2)`, a quotient of two terms neither of which is rational, even where it is 10.
    """

    nargs = (1,)
    is_extended_real = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return the whole exponent of a power of two; anything else stays as it is."""
        if not x.is_Rational or not x.is_positive:
            return None
        if x.p & (x.p - 1) or x.q & (x.q - 1):
            return None
        return Integer(x.p.bit_length() - x.q.bit_length())

    def _eval_is_nonnegative(self) -> bool | None:
        (x,) = self.args
        if x.is_Rational:
            return bool(x >= 1)
        return True if x.is_Symbol and x.is_integer and x.is_positive else None

    def _eval_rewrite_as_log(self, x: Expr, **hints: Any) -> Expr:
        return log(x) / log(Integer(2))

    def _eval_evalf(self, precision: int) -> Expr:
        return self.rewrite(log)._eval_evalf(precision)

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 / (self.args[0] * log(Integer(2)))

    def _latex(self, printer: Any) -> str:
        return rf"\log_{{2}}{{\left({printer._print(self.args[0])} \right)}}"
