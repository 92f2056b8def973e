"""Lower bounds on the bytes that any schedule moves between a memory of M bytes and the memory beyond it.

Bytes move one at a time, and a run is cut into phases of X bytes each. A phase uses at most M + X bytes: those in the
memory at its start, those that it moves in, and partial sums that it begins, whose later move out counts for it. With
weights s_j and t_i (weights.py), the lemma of Hölder, Brascamp and Lieb bounds the points of a phase. A weighted mean
bounds the product in that lemma, and so

    moved >= (points / most points of a phase - 1) X,        best for X = M/(sigma - 1), sigma = sum of s_j > 1:

    moved >= product of length_i^(1 - t_i) * ((sigma - 1)/M)^(sigma - 1) * product of (bytes_j/s_j)^s_j - M/(sigma - 1)

Schedules may recompute products and start several partial sums for one result. The bounds do not cover results
computed without making each product (a fast algorithm, or three tensors multiplied two at a time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from roofproof.bounds.nests import Nest
from roofproof.bounds.weights import Weights, useful
from roofproof.derive.limits.dominant_term import fresh
from roofproof.errors import Undecided
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import ByKernel, Known, Model
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity, sizes_in

LEMMA = (
    "the lemma of Hölder, Brascamp and Lieb for projections (Christ, Demmel, Knight, Scanlon and Yelick 2013; Dinh and "
    "Demmel 2020), which is a hypothesis here and a theorem of Coq in what --coq writes"
)
PHASES = (
    "phases of equal traffic (Hong and Kung 1981), which are a hypothesis here and a theorem of Coq about every run in "
    "what --coq writes"
)
fraction = Term.rational


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the bytes that any schedule moves, `leading - offset`, and its theorem.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> [bound] = lower_bounds(nest_of(op("matmul")))
    >>> bound.value                                            # 2 B D F/sqrt(S) elements, S = M/2, of 2 bytes; less 2 M
    4*sqrt(2)*B*D*F/sqrt(M) - 2*M
    >>> bound.known.trust, len(bound.known.statement.assumptions)          # lemma, room, phases, name of the root
    ('kernel', 4)
    """

    nest: Nest
    weights: Weights
    memory: sympy.Symbol

    @property
    def power(self) -> Fraction:
        """The exponent e of a bound that decreases as M^(-e)."""
        return self.weights.total - 1

    @property
    def short(self) -> bool:
        """Whether the bound is for short loops: it contains a fractional power of the length of some loop."""
        return any(self.weights.loops)

    @cached_property
    def leading(self) -> sympy.Expr:
        """The leading term for large sizes."""
        lengths = (n ** (1 - sympy.Rational(t)) for n, t in zip(self.nest.lengths, self.weights.loops, strict=True))
        return sympy.Mul(*lengths, self.factor, self.memory ** -sympy.Rational(self.power))

    @cached_property
    def factor(self) -> sympy.Expr:
        """The constant factor of the leading term."""
        pairs = zip(self.nest.arrays, self.weights.arrays, strict=True)
        parts = [sympy.Rational(a.width / s) ** sympy.Rational(s) for a, s in pairs if s]
        return sympy.Rational(self.power) ** sympy.Rational(self.power) * sympy.Mul(*parts)

    @property
    def offset(self) -> sympy.Expr:
        """The bytes of one phase, subtracted because the last phase may be incomplete."""
        return self.memory / sympy.Rational(self.power)

    @property
    def value(self) -> sympy.Expr:
        """The bound, in bytes."""
        return self.leading - self.offset

    @cached_property
    def known(self) -> Known:
        """The bound as a theorem: the bytes moved plus one phase are at least the leading term, a root."""
        terms = Terms(self)
        try:
            theorem = _rooted(terms, to_a_power(terms))
        except KernelError:
            raise Undecided("the bounds of <op> have powers too high to prove", op=self.nest.name) from None
        statement = Statement("", (*terms.hypotheses, terms.root), theorem.conclusion, "lower-bound")
        return Known(statement, ByKernel(theorem))


def lower_bounds(nest: Nest, memory: sympy.Symbol | None = None) -> tuple[LowerBound, ...]:
    """Return the lower bounds that decrease with the memory, one per useful set of weights. All of them hold."""
    symbol = memory or memory_symbol(nest)
    return tuple(LowerBound(nest, weights, symbol) for weights in useful(nest))


def memory_symbol(nest: Nest) -> sympy.Symbol:
    """Return the symbol for the bytes of memory: M, unless a size has that name.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> memory_symbol(nest_of(op("matmul"))), memory_symbol(nest_of(op("bf16[M,K], bf16[K,N] -> bf16[M,N]")))
    (M, M')
    """
    return quantity(fresh("M", {s.name for s in nest.points.free_symbols}))


def compulsory(nest: Nest) -> Known:
    """Return the bytes that move with any memory size, as a statement by convention.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> compulsory(nest_of(op("matmul"))).statement.says
    'bytes that move in any memory = 2*B*D + 2*B*F + 2*D*F'
    """
    about = "bytes that move in any memory"
    goal = Formula("=", Term("v", about), to_term(nest.compulsory))
    return Known(
        Statement(about, (), goal, "bytes", sizes=sizes_in(nest.compulsory)),
        Model("each operand is read once at least, and each result is written"),
    )


class Terms:
    """The formulas of one bound, raised to the power k (the denominator of the weights), so all are polynomials."""

    def __init__(self, bound: LowerBound) -> None:
        nest, weights = bound.nest, bound.weights
        taken = {s.name for s in nest.points.free_symbols} | {bound.memory.name}
        self.k = k = weights.denominator
        self.a = a = int(weights.total * k)
        self.counts = weights.counts(k)
        self.loops = [int(t * k) for t in weights.loops]
        self.M = to_term(bound.memory)
        self.moved, self.most = (Term("v", fresh(name, taken)) for name in ("moved", "phase"))
        self.r: Term = Term("v", fresh("r", taken))
        self.lengths = [to_term(n) for n in nest.lengths]
        self.points: Term = Term("*", *self.lengths)
        self.X: Term = Term("*", Term("q", k, a - k), self.M)
        self.both: Term = Term("*", Term("q", a, a - k), self.M)  # M + X
        self.whole: Term = Term("+", self.moved, self.X)
        used = [(array, n) for array, n in zip(nest.arrays, self.counts, strict=True) if n]
        self.elements = [Term("v", fresh(f"elements of {array.name}", taken)) for array, _ in used]
        pairs = list(zip(used, self.elements, strict=True))
        self.parts = [(n, times(array.width / n, e)) for (array, n), e in pairs]
        self.bytes: Term = Term("+", *(times(array.width, e) for (array, _), e in pairs))
        self.product: Term = Term("*", *(Term("^", e, n) for (_, n), e in pairs))  # of elements_j^(k s_j)
        self.widths = Fraction(1)
        for array, n in used:
            self.widths *= (array.width / n) ** n
        self.short: Term = Term(
            "*", ONE, *(Term("^", n, t) for n, t in zip(self.lengths, self.loops, strict=True) if t)
        )
        self.names = sorted(name for _, name in [*self.elements, self.M, self.moved, self.most, self.r])
        self.names += sorted(s.name for s in nest.points.free_symbols)

    @property
    def hypotheses(self) -> tuple[Formula, Formula, Formula]:
        """The hypotheses: the lemma, the bytes a phase can use, and that the phases cover all points."""
        lemma = Formula(">=", Term("*", self.product, self.short), Term("^", self.most, self.k))
        room = Formula(">=", self.both, self.bytes)
        enough = Formula(">=", Term("*", self.whole, self.most), Term("*", self.X, self.points))
        return lemma, room, enough

    @property
    def constant(self) -> Term:
        """The constant factor of the leading term, to the power k."""
        return fraction(self.widths * self.k**self.k * (self.a - self.k) ** (self.a - self.k))

    @property
    def least(self) -> Term:
        """The leading term to the power k, times M^(a - k)."""
        rest = (Term("^", n, self.k - t) for n, t in zip(self.lengths, self.loops, strict=True) if self.k > t)
        return Term("*", self.constant, *rest)

    @property
    def falling(self) -> Term:
        return Term("^", self.M, self.a - self.k)

    @property
    def root(self) -> Formula:
        """The definition of r as the leading term."""
        return Formula("=", Term("*", Term("^", self.r, self.k), self.falling), self.least)


def to_a_power(terms: Terms) -> Theorem:
    """Prove `(moved + X)^k M^(a - k) >= leading term^k M^(a - k)` from the three hypotheses."""
    from roofproof.proofs.search.certificates import weighted_mean

    k, a, names = terms.k, terms.a, [n for n in terms.names if n != terms.r[1]]
    lemma, room, enough = map(kernel.assume, terms.hypotheses)
    mean = weighted_mean(terms.parts)
    scale = Term("q", a**a, 1)
    # (M + X)^a >= a^a prod (w_j e_j/n_j)^n_j: the sum of bytes lies between
    filled = kernel.arith(
        Formula(">=", Term("^", terms.both, a), Term("*", scale, fraction(terms.widths), terms.product)),
        [room, mean],
        [(powers_between(terms.both, terms.bytes, a), [0]), (ONE, [1])],
        names,
    )
    phases = raised(enough, k, names)
    certificate = [  # ((moved + X)^k L) * filled + a^a W ((moved + X)^k * lemma + phases)
        (Term("*", Term("^", terms.whole, k), terms.short), [0]),
        (Term("*", scale, fraction(terms.widths), Term("^", terms.whole, k)), [1]),
        (Term("*", scale, fraction(terms.widths)), [2]),
    ]
    goal = Formula(">=", Term("*", Term("^", terms.whole, k), terms.falling), terms.least)
    factor = Term("*", Term("q", a**a, (a - k) ** a), terms.short, Term("^", terms.M, k))
    return kernel.arith(goal, [filled, lemma, phases], certificate, names, factor)


def _rooted(terms: Terms, found: Theorem) -> Theorem:
    """Prove `moved + X >= r` from the bound on (moved + X)^k, where r is its root."""
    goal = Formula(">=", terms.whole, terms.r)
    denied = Formula(">", terms.r, terms.whole)
    premises = [kernel.assume(denied), found, kernel.assume(terms.root)]
    between = Term("*", terms.falling, powers_between(terms.r, terms.whole, terms.k))
    false = kernel.arith(Formula("false"), premises, [(between, [0]), (ONE, [1]), (Term("q", -1, 1), [2])], terms.names)
    return kernel.propositional(goal, [kernel.discharge(false, denied)])


def powers_between(x: Term, y: Term, n: int) -> Term:
    """Return (x^n - y^n)/(x - y), a sum of products.

    >>> from roofproof.proofs.kernel.terms import show
    >>> show(powers_between(Term("v", "x"), Term("v", "y"), 2))
    'x^1*y^0 + x^0*y^1'
    """
    return Term("+", *(Term("*", Term("^", x, n - 1 - i), Term("^", y, i)) for i in range(n)))


def raised(more: Theorem, n: int, names: Sequence[str]) -> Theorem:
    """Derive `x^n >= y^n` from `x >= y`, if both are sums of products of positive terms.

    >>> raised(kernel.assume(Formula(">=", Term("v", "x"), Term("v", "y"))), 2, ["x", "y"]).conclusion
    ('>=', ('^', ('v', 'x'), 2), ('^', ('v', 'y'), 2))
    """
    _, x, y = more.conclusion
    return kernel.arith(
        Formula(">=", Term("^", x, n), Term("^", y, n)), [more], [(powers_between(x, y, n), [0])], names
    )


def times(value: Fraction, term: Term) -> Term:
    """Return the product of a number and a term."""
    return Term("*", fraction(value), term)
