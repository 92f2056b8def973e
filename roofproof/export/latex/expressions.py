r"""Expressions in the LaTeX of a textbook, such as `\frac{BDF}{BD + DF + BF}`, not in that of SymPy.

It changes how SymPy's printer writes products, fractions, sums and names. `roofproof.formula.latex.read_latex`
parses all of its output as the original expressions.
"""

import re
from collections.abc import Sequence
from functools import cmp_to_key, lru_cache
from typing import Any, TypedDict, Unpack

import sympy
from sympy.printing.latex import LatexPrinter

from roofproof.derive.algebra.text import decimals, is_isolated
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.latex import GREEK

FORMS = ("fraction", "reciprocal")
FUNCTIONS = ("log2", "exp2", "ceiling", "floor", "Abs", "Max", "Min")
COLLECTED = 100  # coefficients of at least this size are factored out of their terms


class Notation(TypedDict, total=False):
    """Options for formulas, as described in `latex`."""

    order: Sequence[sympy.Expr]
    siunitx: bool
    display: bool
    inline: bool


def latex(expression: sympy.Expr, *, form: str = "fraction", **notation: Unpack[Notation]) -> str:
    r"""Return an expression as a person would write it.

    >>> from roofproof.symbols import dimension, quantity
    >>> (B, D, F), R = map(dimension, "BDF"), quantity("R")
    >>> print(latex(B*D*F/(B*D + D*F + B*F), order=(B*D, D*F, B*F)))
    \frac{BDF}{BD + DF + BF}
    >>> print(latex(R*D*F/(D*F - R*(D + F))))
    \frac{RDF}{DF - R(D + F)}
    >>> print(latex(R*D*F/(D*F - R*(D + F)), form="reciprocal"))      # above and below over D F
    \frac{R}{1 - R(1/D + 1/F)}
    >>> print(latex(quantity("B_crit")*quantity("FLOPs")/quantity("s_x")))
    \frac{B_{\text{crit}}\,\text{FLOPs}}{s_x}

    The `form` is "fraction" or "reciprocal". `order` lists terms that come first in every sum, in that order (those of
    the tensors, for example). `siunitx` puts numbers of many digits in `\num{...}`. `display` writes `\dfrac`, and
    `inline` a slash, as in a line of text. Raises RoofproofError for another form.
    """
    if form not in FORMS:
        raise RoofproofError(f"form {quoted(form)}: expected {' or '.join(FORMS)}")
    flags = (notation.get(name, False) for name in ("siunitx", "display", "inline"))
    return _latex(expression, form, tuple(notation.get("order", ())), *flags)


@lru_cache(10_000)  # the same formula occurs in several lines, languages and formats
def _latex(
    expression: sympy.Expr, form: str, order: tuple[sympy.Expr, ...], siunitx: bool, display: bool, inline: bool
) -> str:
    notation = Notation(order=order, siunitx=siunitx, display=display)
    if strange := [f for f in expression.atoms(sympy.Function) if type(f).__name__ not in FUNCTIONS]:
        raise _no_latex(min(map(str, strange)))
    if form == "reciprocal":
        expression = reciprocal(expression)
    printer = HousePrinter(expression, notation)
    return printer.inside(expression) if inline else str(printer.doprint(expression))


def _signed(terms: Sequence[str]) -> list[str]:
    """Return the terms of a sum with the sign between them in front of each but the first."""
    return [terms[0], *(f"- {t[1:]}" if t[0] == "-" else f"+ {t}" for t in terms[1:])]


def symbol(name: str) -> str:
    r"""Return a name as mathematics: `d_k`, `B_{\text{crit}}`, `\text{FLOPs}`, `\alpha`, and `R_` as R with a prime.

    >>> print(symbol("s_x"), symbol("T_math"), symbol("seq"), symbol("alpha"), symbol("R_"), symbol("D1"))
    s_x T_{\text{math}} \text{seq} \alpha R' D_1
    """
    bare = name.rstrip("_")
    primes = "'" * (len(name) - len(bare)) if bare else ""
    head, _, tail = (bare or name).partition("_")
    if not tail and (numbered := re.fullmatch("([A-Za-z])([0-9]+)", head)):
        head, tail = numbered.groups()
    text = f"\\{head}" if head in GREEK else head if len(head) == 1 else _upright(head or name)
    if head and tail:
        text += "_" + (tail if len(tail) == 1 else f"{{{_subscript(tail)}}}")
    return text + primes


def reciprocal(expression: sympy.Expr) -> sympy.Expr:
    """Return a fraction with the sizes in its numerator divided out: R D F/(D F - R (D + F)) as R/(1 - R (...)).

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> reciprocal(B*D*F/(B*D + D*F + B*F))
    1/(1/F + 1/D + 1/B)

    Anything else is returned unchanged.
    """
    above, below = sympy.fraction(expression)
    common, factor = _split(above)
    terms = sympy.Add.make_args(sympy.expand(below))
    plain = all(p.is_Symbol or p.is_Rational for p in sympy.Mul.make_args(factor))
    groups: dict[sympy.Expr, list[sympy.Expr]] = {}
    for term in terms:
        sizes, rest = _split(term)
        groups.setdefault(rest, []).append(sizes / common)
    harmonic = all(sympy.fraction(each)[0] == 1 for group in groups.values() for each in group)
    if common == 1 or len(terms) < 2 or not plain or not harmonic:
        return expression
    least = sympy.gcd_list([abs(rest.as_coeff_Mul()[0]) for rest in groups])
    made = [_times(rest / least, group) for rest, group in groups.items()]
    return factor / least * sympy.Pow(sympy.Add(*made, evaluate=False) if len(made) > 1 else made[0], -1)


def _split(term: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Split a term into its sizes (which are whole numbers) and everything else."""
    factors = sympy.Mul.make_args(term)
    sizes = [f for f in factors if (base := f.as_base_exp()[0]).is_Symbol and base.is_integer]
    return sympy.Mul(*sizes), sympy.Mul(*(f for f in factors if f not in sizes))


def _times(factor: sympy.Expr, parts: Sequence[sympy.Expr]) -> sympy.Expr:
    """Return an unevaluated product, in which a number is not multiplied into the sum."""
    total = sympy.Add(*parts)
    if factor == 1 or not total.is_Add:
        return factor * total
    return sympy.Mul(*sympy.Mul.make_args(factor), total, evaluate=False)


def _no_latex(what: object) -> RoofproofError:
    return RoofproofError(f"no LaTeX for {quoted(what)}: expected an expression of sizes and rates")


def _upright(word: str) -> str:
    return rf"\text{{{word.replace('_', '-')}}}"


def _subscript(tail: str) -> str:
    if tail.isdigit():
        return tail
    return f"\\{tail}" if tail in GREEK else _upright(tail)


class HousePrinter(LatexPrinter):  # type: ignore[misc]
    """A printer of products without signs, one fraction per product, slashes inside fractions, positive terms first."""

    printmethod = None  # an expression's own printing would not follow this style

    def __init__(self, expression: sympy.Basic, notation: Notation) -> None:
        super().__init__({"order": "old"})
        self.first = {_monomial(term): place for place, term in reversed(list(enumerate(notation.get("order", ()))))}
        self.siunitx, self.display = notation.get("siunitx", False), notation.get("display", False)
        self.taken = {s.name for s in expression.free_symbols}
        self.depth = 0  # of nested fractions and exponents

    def inside(self, expression: sympy.Basic) -> str:
        """Write an expression inside a fraction or an exponent."""
        self.depth += 1
        text = str(self._print(expression))
        self.depth -= 1
        return text

    # --- sums ---------------------------------------------------------------------------------------

    def _print_Add(self, expr: sympy.Add, order: str | None = None) -> str:
        return " ".join(_signed(self.terms(expr)))

    def terms(self, expr: sympy.Add) -> list[str]:
        """Write the terms of a sum, in order."""
        return [str(self._print(term)) for term in self._as_ordered_terms(expr)]

    def _as_ordered_terms(self, expr: sympy.Add, order: str | None = None) -> list[sympy.Expr]:
        terms = _collected(sorted(sympy.Add.make_args(expr), key=cmp_to_key(_before)))
        last = len(self.first)
        return sorted(
            terms, key=lambda t: (t.could_extract_minus_sign(), t.is_number, self.first.get(_monomial(t), last))
        )

    # --- products and fractions ---------------------------------------------------------------------

    def _print_Mul(self, expr: sympy.Mul) -> str:
        if is_isolated(expr):
            return self._print_ComplexRootOf(expr)
        number, above, below = _parts(expr)
        sign = "-" if number < 0 else ""
        number = abs(number)
        p, q = sympy.Integer(number.p), sympy.Integer(number.q)
        if not below and q == 1:
            return sign + self._product(p, above)
        if self.depth:
            bottom = self._product(q, below)
            lone = not below or (len(below) == 1 and q == 1)
            return f"{sign}{self._product(p, above)}/{bottom if lone else self.bracketed(bottom)}"
        self.depth += 1
        top, bottom = self._product(p, above, alone=True), self._product(q, below, alone=True)
        self.depth -= 1
        return rf"{sign}\{'d' * self.display}frac{{{top}}}{{{bottom}}}"

    def _product(self, number: sympy.Integer, factors: Sequence[sympy.Expr], alone: bool = False) -> str:
        """Write factors side by side. `alone` means that braces already hold the product together."""
        pieces = [str(self._print(number))] if number != 1 or not factors else []
        for factor in sorted(factors, key=_place):
            text = str(self._print(factor))
            bare = not factor.is_Add and not (factor.is_Rational and not factor.is_Integer)
            pieces.append(text if bare or (alone and len(factors) == 1 and not pieces) else self.bracketed(text))
        return _join_factors(pieces)

    def bracketed(self, text: str) -> str:
        """Put parentheses around a text, as tall as the text."""
        return rf"\left({text}\right)" if re.search(r"\\d?frac|\\sqrt", text) else f"({text})"

    # --- powers and numbers -------------------------------------------------------------------------

    def _print_Pow(self, expr: sympy.Pow) -> str:
        base, exponent = expr.as_base_exp()
        if exponent.could_extract_minus_sign():
            return self._print_Mul(expr)
        if exponent.is_Rational and exponent.p == 1 and exponent.q != 1:
            degree = "" if exponent.q == 2 else f"[{exponent.q}]"
            return rf"\sqrt{degree}{{{self._print(base)}}}"
        text = str(self._print(base))
        if not (base.is_Symbol or (base.is_Integer and base.is_positive and len(text) < 5)):
            text = self.bracketed(text)
        shown = self.inside(exponent)
        return f"{text}^{shown if len(shown) == 1 else '{' + shown + '}'}"

    def _print_Integer(self, expr: sympy.Integer) -> str:
        digits = str(abs(int(expr)))
        sign = "-" if expr < 0 else ""
        short = digits.rstrip("0")
        if len(digits) > 9 and len(short) <= 6:
            mantissa = short[0] + ("." + short[1:] if len(short) > 1 else "")
            power = len(digits) - 1
            if self.siunitx:
                return rf"{sign}\num{{{mantissa}e{power}}}"
            lead = "" if mantissa == "1" else mantissa + r" \times "
            return f"{sign}{lead}10^{{{power}}}"
        return sign + (rf"\num{{{digits}}}" if self.siunitx and len(digits) > 4 else digits)

    def _print_Rational(self, expr: sympy.Rational) -> str:
        return self._print_Mul(expr) if expr.q != 1 else self._print_Integer(expr)

    # --- names and functions ------------------------------------------------------------------------

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> str:
        numbered = re.fullmatch("([A-Za-z])([0-9]+)", expr.name)
        if numbered and "_".join(numbered.groups()) in self.taken:
            return _upright(expr.name)
        return symbol(expr.name)

    def _print_ComplexRootOf(self, expr: sympy.Expr) -> str:
        digits = decimals(expr)
        return (rf"\num{{{digits}}}" if self.siunitx else digits) + r"\ldots"

    def _print_log2(self, expr: sympy.Expr, exp: str | None = None) -> str:
        (x,) = expr.args
        text = str(self._print(x))
        return rf"\log_2{' ' + text if x.is_Symbol else self.bracketed(text)}"

    def _print_exp2(self, expr: sympy.Expr, exp: str | None = None) -> str:
        return rf"2^{{{self.inside(expr.args[0])}}}"

    def _print_Max(self, expr: sympy.Expr, exp: str | None = None) -> str:
        name = type(expr).__name__.lower()
        parts = sorted(str(self._print(a)) for a in expr.args)
        return rf"\{name}{self.bracketed(', '.join(parts))}"

    _print_Min = _print_Max

    def _print_ceiling(self, expr: sympy.Expr, exp: str | None = None) -> str:
        fence = {"ceiling": "ceil", "floor": "floor", "Abs": "vert"}[type(expr).__name__]
        text = str(self._print(expr.args[0]))
        left, right = (r"\left", r"\right") if r"frac" in text else ("", "")
        return rf"{left}\l{fence} {text} {right}\r{fence}"

    _print_floor = _print_Abs = _print_ceiling

    def emptyPrinter(self, expr: Any) -> str:
        """Raise RoofproofError for an expression that this style does not cover."""
        raise _no_latex(expr)


def _before(one: sympy.Expr, other: sympy.Expr) -> int:
    """Compare terms by the order "old" of SymPy's printers: by value, else by their last power, else as SymPy does.

    SymPy matches both terms again each time, which takes longer than the rest of the printing.
    """
    if one.is_Rational and other.is_Rational:
        return int(one > other) - int(one < other)
    powers = _last_power(one), _last_power(other)
    by_power = 0 if None in powers else sympy.Basic.compare(*powers)
    return int(by_power or sympy.Basic.compare(one, other))


@lru_cache(10_000)
def _last_power(term: sympy.Expr) -> sympy.Expr | None:
    number, base, power = map(sympy.Wild, ("p1", "p2", "p3"))
    return (term.match(number * base**power) or {}).get(power)


def _monomial(term: sympy.Expr) -> sympy.Expr:
    return term.as_coeff_Mul()[1]


def _parts(expr: sympy.Expr) -> tuple[sympy.Rational, list[sympy.Expr], list[sympy.Expr]]:
    """Split a product into its number, its factors, and its divisors."""
    number, above, below = sympy.Integer(1), list[sympy.Expr](), list[sympy.Expr]()
    for factor in sympy.Mul.make_args(expr):
        base, exponent = factor.as_base_exp()
        if factor.is_Rational:
            number *= factor
        elif factor.is_Add and all(t.could_extract_minus_sign() for t in factor.args):
            number = -number
            above.append(-factor)
        elif exponent.could_extract_minus_sign():
            below.append(base**-exponent)
        else:
            above.append(factor)
    return number, above, below


def _place(factor: sympy.Expr) -> tuple[int, Any]:
    """Return the sort key of a factor: numbers, rates, sizes, roots, sums, functions, each in the order of SymPy."""
    base = factor.as_base_exp()[0]
    rank = 0 if base.is_number else 2 if base.is_Symbol else 4 if base.is_Add else 5
    if factor.is_Pow and factor.exp.is_Rational and not factor.exp.is_Integer:
        rank = 3
    elif base.is_Symbol and not base.is_integer:
        rank = 1
    return rank, factor.sort_key()


def _join_factors(pieces: Sequence[str]) -> str:
    """Join factors, with a dot only between two numbers, and a blank between a command and a letter."""
    text = ""
    for place, piece in enumerate(pieces):
        if text and (piece[0].isdigit() or piece.startswith(r"\num")) and (text[-1].isdigit() or text[-1] == "}"):
            text += r" \cdot "
        elif text and piece[0].isalpha() and re.search(r"\\[A-Za-z]+$", text):
            text += " "
        elif text and ((place == 1 and text[:4] == r"\num") or r"\text{" in (piece[:6], pieces[place - 1][:6])):
            text += r"\,"
        text += piece
    return text


def _collected(terms: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Factor out a large coefficient: 197000 D + 197000 F becomes 197000 (D + F)."""
    groups: dict[sympy.Rational, list[sympy.Expr]] = {}
    for term in terms:
        number, rest = term.as_coeff_Mul()
        key = number if abs(number) >= COLLECTED and rest != 1 else sympy.Dummy()
        groups.setdefault(key, []).append(term)
    if len(groups) < 2:
        return list(terms)
    return [group[0] if len(group) == 1 else _times(key, [t / key for t in group]) for key, group in groups.items()]
