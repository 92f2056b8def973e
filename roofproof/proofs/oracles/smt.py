"""z3 as an oracle for statements beyond the kernel's tactics: real arithmetic, with denominators cleared.

A formula counts as proved only if z3 finds its negation unsatisfiable. The answer `unknown` is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any

from roofproof.derive.algebra.budget import MILLION, spend
from roofproof.errors import RoofproofError, Stopped
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, add, mul, normal, variables
from roofproof.sentences import Sentence

STEPS = 3 * MILLION  # per query
UNIT = 2  # steps per unit of z3's count, of which z3 does 0.2 to 3 million per second
HEAVY = 16  # the same for several variables in high powers, or rounding of reals: 0.08 million units per second
HIGH = 6
STOP = 60_000  # milliseconds until the query is stopped: a solver can hang between two units


@dataclass(frozen=True, slots=True)
class SmtAnswer:
    """The solver's answer: `unsat` (proved), `sat` (with a point if it is rational), or `unknown`."""

    said: str
    point: dict[str, Fraction] | None = None
    reason: str = ""


ORACLES = ("z3",)


def refute(
    formulas: Sequence[Formula], integers: Sequence[str] = (), steps: int = STEPS, oracle: str = "z3"
) -> SmtAnswer:
    """Ask an SMT solver whether the formulas can hold together.

    >>> x = Term("v", "x")
    >>> refute([Formula(">", x, Term("q", 1, 1)), Formula(">", Term("q", 0, 1), x)]).said  # x > 1 and 0 > x
    'unsat'

    Raises RoofproofError for an unknown oracle.
    """
    if oracle not in ORACLES:
        raise RoofproofError(f"unknown oracle {oracle!r}; expected one of {', '.join(ORACLES)}")
    import z3

    encoder = _Encoder(z3, formulas, integers)
    solver = encoder.solver(formulas)
    if encoder.mixed:  # z3 gets lost here: first try without integrality, which only admits more solutions
        loose = _Encoder(z3, formulas, (), whole=False)
        if checked(loose.solver(formulas), steps // loose.unit // 2, loose.unit) == "unsat":
            return SmtAnswer("unsat")
        steps //= 2
        for way in ("grobner", "horner"):  # z3 does not count their steps
            solver.set(f"arith.nl.{way}", False)
    said = checked(solver, steps // encoder.unit, encoder.unit)
    if said == "sat":
        return SmtAnswer(said, _point(solver.model(), encoder, formulas))
    return SmtAnswer(said, reason=_no_answer("z3") if said == "unknown" else "")


@cache
def version(oracle: str = "z3") -> str:
    """Return the release of a solver.

    >>> version("z3").count(".") >= 2
    True
    """
    from importlib.metadata import version as release

    return release({"z3": "z3-solver"}[oracle])


def checked(solver: Any, units: int, unit: int = 1) -> str:
    """Return the answer of a z3 solver within this many units of its own count, and spend the steps used.

    The solver must be the only one in its context. Raises Stopped if it hangs between two units.
    """
    solver.set("rlimit", max(1, units))
    solver.set("timeout", STOP)
    said = str(solver.check())
    counted = solver.statistics()
    used = counted.get_key_value("rlimit count") if "rlimit count" in counted.keys() else 0  # noqa: SIM118
    spend(unit * used)
    if said == "unknown" and used < units and solver.reason_unknown() in ("timeout", "canceled"):
        raise Stopped(Sentence("stopped: <solver> timed out after <seconds> s", solver="z3", seconds=STOP // 1000))
    return said


def _no_answer(solver: str) -> str:
    """Return our own message that a solver gave up: its reasons, such as `canceled`, do not help a reader."""
    return Sentence("<solver> reached its step limit without an answer", solver=solver)


def script(formulas: Sequence[Formula], integers: Sequence[str] = (), answer: str = "unsat") -> str:
    """Return an SMT-LIB 2 script whose answer is `unsat` if and only if the formulas contradict each other.

    >>> print(script([(">", ("q", 0, 1), ("v", "x")), (">", ("v", "x"), ("q", 0, 1))]).splitlines()[-1])
    (check-sat)
    """
    import z3

    encoder = _Encoder(z3, formulas, integers)
    solver = encoder.solver(formulas)
    logic = "(set-logic ALL)" if integers or encoder.rounds else "(set-logic QF_NRA)"
    return f"; {answer} proves the statement\n{logic}\n{solver.to_smt2().partition(chr(10))[2].strip()}"


class _Encoder:
    """Formulas as z3 terms: polynomials compared with zero, over the integers if all atoms of one are integral.

    Each encoder has its own context: in a shared one, z3's answers would depend on the order of queries.
    """

    def __init__(self, z3: Any, formulas: Sequence[Formula], integers: Sequence[str], whole: bool = True) -> None:
        self.z3, self.context, self.integers, self.whole = z3, z3.Context(), set(integers), whole
        self.side: list[Any] = []
        self.rounds = self.multiplied = False
        self.quotients = self.degree = 0
        self.open: dict[Formula, int] = {}
        self.opaque: dict[Term, Any] = {}
        self.positive = frozenset(f[1] for f in formulas if f[0] == ">" and f[1][0] == "v" and f[2] == ZERO)

    def solver(self, formulas: Sequence[Formula]) -> Any:
        """Return a solver with the formulas and the definitions of their terms."""
        solver = self.z3.Solver(ctx=self.context)
        for formula in formulas:
            solver.add(self.formula(formula))
        solver.add(*self.side)
        return solver

    @property
    def unit(self) -> int:
        """Steps per unit of the solver's count."""
        return HEAVY if self.mixed or (self.degree >= HIGH and len(self.opaque) > 2) else UNIT

    @property
    def mixed(self) -> bool:
        """Whether rounding is mixed with real variables, some of them multiplied."""
        real = any(not self.integral(t) for t in self.opaque)
        return self.whole and self.rounds and real and self.multiplied

    def integral(self, term: Term) -> bool:
        return self.whole and (term[0] in ("floor", "ceil") or (term[0] == "v" and term[1] in self.integers))

    def atom(self, term: Term) -> Any:
        """Return the z3 variable of a variable, or of a term such as a maximum, whose definition is added to `side`."""
        if term not in self.opaque:
            z3, head = self.z3, term[0]
            # No user-written name contains "!", so none of these clashes with a name in the statement.
            name = term[1] if head == "v" else f"{head}!{len(self.opaque) + 1}"
            self.opaque[term] = (z3.Int if self.integral(term) else z3.Real)(name, self.context)
            itself: Polynomial = {((term, 1),): Fraction(1)}
            if head in ("max", "min"):
                over = [add(itself, self.number(t), -1) for t in term[1:]]
                self.side.append(z3.Or(*(self.compare(p, "=") for p in over)))
                turned = over if head == "max" else [mul(p, {(): Fraction(-1)}) for p in over]
                self.side.extend(self.compare(p, ">=") for p in turned)
            elif head == "sqrt":
                inside = self.number(term[1])
                square = self.compare(add(mul(itself, itself), inside, -1), "=")
                meaning = z3.And(square, self.compare(itself, ">="))
                self.side.append(z3.Implies(self.compare(inside, ">="), meaning))
            elif head == "power" and (term[1] in self.positive or (term[1][0] == "q" and term[1][1] > 0)):
                self.side.append(self.compare(itself, ">"))
            elif head in ("floor", "ceil"):
                self.rounds = True
                sign = 1 if head == "floor" else -1
                left = mul(add(self.number(term[1]), itself, -1), {(): Fraction(sign)})  # in [0, 1)
                self.side += [self.compare(left, ">="), self.compare(add({(): Fraction(1)}, left, -1), ">")]
        return self.opaque[term]

    def number(self, term: Term) -> Polynomial:
        """Return the polynomial of a term inside max, sqrt, ..., with a variable q, q * den = num, for a fraction."""
        divisors: list[Polynomial] = []
        num, den = normal(term, divisors)
        if all(set(d) == {()} for d in (den, *divisors)):
            return {m: Fraction(c) / den[()] for m, c in num.items()}
        self.quotients += 1
        name = Term("v", f"quotient!{self.quotients}")
        fresh: Polynomial = {((name, 1),): Fraction(1)}
        zero = [self.compare(d, "=") for d in (den, *divisors)]  # if one is zero, the value is unknown
        self.side.append(self.z3.Or(*zero, self.compare(add(mul(fresh, den), num, -1), "=")))
        return fresh

    def compare(self, p: Polynomial, relation: str) -> Any:
        """Return `p > 0`, `p >= 0` or `p = 0`, over the integers (with integer coefficients) if p is integral."""
        z3 = self.z3
        whole = all(self.integral(a) for m in p for a, _ in m)
        scale = lcm(*(c.denominator for c in p.values())) if whole else 1
        parts = []
        self.degree = max([self.degree, *(e for monomial in p for _, e in monomial)])
        for monomial, c in p.items():
            factors = [self.atom(a) for a, e in monomial for _ in range(e)]
            self.multiplied |= len(factors) > 1
            if not whole:
                factors = [z3.ToReal(f) if f.is_int() else f for f in factors]
            if c * scale != 1 or not factors:
                value = int(c * scale) if whole else f"{c.numerator}/{c.denominator}"
                number = (z3.IntVal if whole else z3.RealVal)(value, self.context)
                factors.insert(0, number)
            parts.append(factors[0] if len(factors) == 1 else z3.Product(*factors))
        total = parts[0] if len(parts) == 1 else z3.Sum(*parts) if parts else z3.IntVal(0, self.context)
        return {">": total > 0, ">=": total >= 0, "=": total == 0}[relation]

    def formula(self, f: Formula) -> Any:
        z3 = self.z3
        head, *parts = f
        if head in (">", ">=", "="):
            # a - b = num/den. If a divisor is zero, the value is unknown, so the atom is left open.
            divisors: list[Polynomial] = []
            num, den = normal(Term("+", parts[0], Term("*", Term("q", -1, 1), parts[1])), divisors)
            turn = sign(den, self.positive)
            if turn < 0:
                num = mul(num, {(): Fraction(-1)})
            atom = self.compare(num if head == "=" or turn else mul(num, den), head)
            unknown = [self.compare(d, "=") for d in divisors if not sign(d, self.positive)]
            if not unknown:
                return atom
            free = z3.Bool(f"undefined!{self.open.setdefault(f, len(self.open) + 1)}", self.context)
            return z3.If(z3.Or(*unknown), free, atom)
        if head == "int":
            self.rounds = True
            whole = Term("floor", parts[0])
            return self.formula(Formula("=", whole, parts[0]))
        if head in ("true", "false"):
            return z3.BoolVal(head == "true", self.context)
        args = [self.formula(p) for p in parts]
        if not args:  # an empty conjunction or disjunction: z3 would create it in the default context
            return z3.BoolVal(head == "and", self.context)
        if head == "<=>":
            return args[0] == args[1]
        return {"not": z3.Not, "and": z3.And, "or": z3.Or, "=>": z3.Implies}[head](*args)


def _point(model: Any, encoder: _Encoder, formulas: Sequence[Formula]) -> dict[str, Fraction] | None:
    import z3

    point = {}
    for name in sorted(frozenset[str]().union(*(variables(f) for f in formulas))):
        found = model.eval(encoder.atom(Term("v", name)), model_completion=True)
        if z3.is_int_value(found):
            point[name] = Fraction(found.as_long())
        elif z3.is_rational_value(found):
            point[name] = Fraction(found.numerator_as_long(), found.denominator_as_long())
        else:
            return None
    return point
