"""Logarithms of products as sums, and powers of sums as products.

Proofs rely on this file. Like kernel.py and terms.py, it uses only the standard library.
"""

from __future__ import annotations

from roofproof.proofs.kernel.terms import Term, minus


def log_of(t: Term, inside: list[Term]) -> Term:
    """Expand log2(t), and append to `inside` the terms that must be positive for the result to be valid.

    >>> inside = []
    >>> log_of(("*", ("q", 2, 1), ("^", ("v", "x"), 3)), inside)           # log2(2 x^3) = 1 + 3 log2(x)
    ('+', ('q', 1, 1), ('*', ('q', 3, 1), ('log2', ('v', 'x'))))
    >>> inside
    [('v', 'x')]
    """
    match t:
        case ("q", 2, 1):
            return Term("q", 1, 1)
        case ("*", *factors):
            return Term("+", *(log_of(f, inside) for f in factors))
        case ("/", x, y):
            return minus(log_of(x, inside), log_of(y, inside))
        case ("^", x, n):
            return Term("*", Term("q", n, 1), log_of(x, inside))
        case ("power", x, exponent):
            return Term("*", exponent, log_of(x, inside))
        case ("sqrt", x):
            return Term("*", Term("q", 1, 2), log_of(x, inside))
    inside.append(t)
    return Term("log2", t)


def power_of(base: Term, t: Term) -> Term:
    """Expand base^t, valid if the base is positive.

    >>> power_of(("q", 3, 1), ("+", ("v", "n"), ("q", -2, 1)))             # 3^(n - 2) = 3^n * 1/3^2
    ('*', ('power', ('q', 3, 1), ('v', 'n')), ('/', ('q', 1, 1), ('^', ('q', 3, 1), 2)))
    """
    match t:
        case ("+", *parts):
            return Term("*", *(power_of(base, p) for p in parts))
        case ("q", n, 1 | 2 as root):
            raised = Term("^", base if root == 1 else Term("sqrt", base), abs(n))
            return raised if n >= 0 else Term("/", Term("q", 1, 1), raised)
    return Term("power", base, t)
