"""The binary logarithm and its inverse as terms of their own, exact at powers of two."""

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Pow, log


class log2(Function):  # type: ignore[misc]
    """The binary logarithm: one opaque term for algebra, and an integer at every power of two.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> 5*N*log2(N), (5*N*log2(N)).subs(N, 1024)               # 5 * 1024 * 10
    (5*N*log2(N), 51200)
    >>> log2(Integer(1)/8), log2(3)
    (-3, log2(3))

    SymPy itself writes `log(N)/log(2)`, a quotient of two irrational terms, even if its value is 10.
    """

    nargs = (1,)
    is_extended_real = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return the integer exponent of a power of two. Anything else is left as it is."""
        if not x.is_Rational or not x.is_positive:
            return None
        if x.p & (x.p - 1) or x.q & (x.q - 1):
            return None
        return Integer(x.p.bit_length() - x.q.bit_length())

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_positive else None

    def _eval_is_nonnegative(self) -> bool | None:
        (x,) = self.args
        if x.is_Rational:
            return bool(x >= 1)
        return True if (x.is_integer and x.is_positive) or (x - 1).is_nonnegative else None

    def _eval_is_positive(self) -> bool | None:
        (x,) = self.args
        return bool(x > 1) if x.is_Rational else (x - 1).is_positive

    def _eval_rewrite_as_log(self, x: Expr, **hints: Any) -> Expr:
        return log(x) / log(Integer(2))

    def _eval_evalf(self, precision: int) -> Expr:
        return self.rewrite(log)._eval_evalf(precision)

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 / (self.args[0] * log(Integer(2)))

    def _latex(self, printer: Any) -> str:
        return rf"\log_{{2}}{{\left({printer._print(self.args[0])} \right)}}"


LARGEST = 20  # largest exponent at which a power of two is written out


class exp2(Function):  # type: ignore[misc]
    """Two to a power: one opaque term for algebra, the inverse of `log2`.

    >>> from roofproof.symbols import quantity
    >>> R = quantity("R")
    >>> exp2(2*R), exp2(2*R).subs(R, 5), exp2(Integer(200)/3), exp2(log2(R))
    (2**(2*R), 1024, 2**(200/3), R)

    SymPy itself writes the third as an integer of twenty digits times a root.
    """

    nargs = (1,)
    is_extended_positive = True
    is_finite = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return a power with a small integer exponent as a number, and that of `log2(x)` as x."""
        if isinstance(x, log2):
            return x.args[0]
        return Integer(2) ** x if x.is_Integer and abs(x) <= LARGEST else None

    def _eval_rewrite_as_Pow(self, x: Expr, **hints: Any) -> Expr:
        return Pow(2, x)

    def _eval_evalf(self, precision: int) -> Expr:
        return Pow(2, self.args[0]._eval_evalf(precision), evaluate=False)._eval_evalf(precision)

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(Pow(2, self.args[0], evaluate=False)))

    def _latex(self, printer: Any) -> str:
        return str(printer._print(Pow(2, self.args[0], evaluate=False)))


def power_of_two(exponent: Expr) -> Expr:
    """Return 2 to an exponent. For a sum with binary logarithms, it is a product without them.

    >>> from roofproof.symbols import quantity
    >>> R, D = quantity("R"), quantity("D")
    >>> power_of_two(R - 2*log2(D))
    2**R/D**2
    """
    logs: list[Expr] = []
    rest: list[Expr] = []
    for term in Add.make_args(exponent.expand() if exponent.has(log2) else exponent):
        share, factor = term.as_coeff_Mul()
        if isinstance(factor, log2) and (2 * share).is_Integer:
            logs.append(Pow(factor.args[0], share))
        else:
            rest.append(term)
    return Mul(*logs, exp2(Add(*rest) if logs else exponent))
