"""z3 as an oracle for what the kernel's tactics do not reach: real arithmetic, denominators cleared.

A formula counts as proved only when z3 finds its negation unsatisfiable; `unknown` is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import sign
from roofproof.proofs.terms import ONE, ZERO, Formula, Polynomial, Term, mul, normal, variables

DEFAULT_MS = 3_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver said: `unsat` (proved), `sat` with a point where it is rational, or `unknown`."""

    said: str
    point: dict[str, Fraction] | None = None
    reason: str = ""


ORACLES = ("z3", "cvc5", "both")


def refute(
    formulas: Sequence[Formula],
    integers: Sequence[str] = (),
    milliseconds: int = DEFAULT_MS,
    oracle: str = "z3",
) -> Answer:
    """Ask an SMT solver whether the formulas can hold together; `both` counts only what z3 and cvc5 agree on.

    >>> x = ("v", "x")
    >>> refute([(">", x, ("q", 1, 1)), (">", ("q", 0, 1), x)]).said                  # x > 1 and 0 > x
    'unsat'

    Raises RoofproofError for an unknown oracle, and for cvc5 where it is not installed.
    """
    if oracle not in ORACLES:
        raise RoofproofError(f"unknown oracle {oracle!r}; expected one of {', '.join(ORACLES)}")
    if oracle == "cvc5":
        return _cvc5(script(formulas, integers), milliseconds)
    import z3

    encoder = _Encoder(z3, formulas, integers)
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    for formula in formulas:
        solver.add(encoder.formula(formula))
    solver.add(*encoder.side)
    said = str(solver.check())
    if oracle == "both":
        second = _cvc5(script(formulas, integers), milliseconds).said
        if second != said:
            return Answer("unknown", reason=f"z3 says {said}, cvc5 says {second}")
    if said == "sat":
        return Answer(said, _point(solver.model(), encoder, formulas))
    return Answer(said, reason=solver.reason_unknown() if said == "unknown" else "")


def _cvc5(text: str, milliseconds: int) -> Answer:
    try:
        import cvc5
    except ImportError:
        raise RoofproofError("the oracle cvc5 is not installed; pip install 'roofproof[cvc5]'") from None
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    return Answer(said if said in ("sat", "unsat") else "unknown", reason=said)


def script(formulas: Sequence[Formula], integers: Sequence[str] = ()) -> str:
    """Return an SMT-LIB 2 script whose answer is `unsat` exactly when the formulas contradict each other.

    >>> print(script([(">", ("q", 0, 1), ("v", "x")), (">", ("v", "x"), ("q", 0, 1))]).splitlines()[-1])
    (check-sat)
    """
    import z3

    encoder = _Encoder(z3, formulas, integers)
    solver = z3.Solver()
    for formula in formulas:
        solver.add(encoder.formula(formula))
    solver.add(*encoder.side)
    logic = "(set-logic ALL)" if integers or encoder.rounds else "(set-logic QF_NRA)"
    return f"; unsat proves the statement\n{logic}\n{solver.to_smt2().partition(chr(10))[2].strip()}"


class _Encoder:
    def __init__(self, z3: Any, formulas: Sequence[Formula], integers: Sequence[str]) -> None:
        self.z3, self.integers = z3, set(integers)
        self.side: list[Any] = []
        self.rounds = False
        self.open: dict[Formula, int] = {}
        self.positive = frozenset(f[1] for f in formulas if f[0] == ">" and f[1][0] == "v" and f[2] == ZERO)
        self.opaque: dict[Term, Any] = {}
        self.names: dict[str, Any] = {}

    def variable(self, name: str) -> Any:
        if name not in self.names:
            made = self.z3.Real(name)
            if name in self.integers:
                whole = self.z3.Int(f"{name}!int")
                self.side.append(made == self.z3.ToReal(whole))
            self.names[name] = made
        return self.names[name]

    def atom(self, term: Term) -> Any:
        if term[0] == "v":
            return self.variable(term[1])
        if term not in self.opaque:
            z3, made = self.z3, self.z3.Real(f"t{len(self.opaque)}!{term[0]}")
            self.opaque[term] = made
            if term[0] in ("max", "min"):
                args = [self.number(t) for t in term[1:]]
                self.side.append(z3.Or(*(made == a for a in args)))
                self.side.extend(made >= a if term[0] == "max" else made <= a for a in args)
            elif term[0] == "sqrt":
                inner = self.number(term[1])
                self.side.append(z3.Implies(inner >= 0, z3.And(made * made == inner, made >= 0)))
            else:
                self.rounds = True
                whole, inner = z3.Int(f"{made}!int"), self.number(term[1])
                self.side.append(made == z3.ToReal(whole))
                low, high = (made, inner) if term[0] == "floor" else (inner, made)
                self.side.extend([low <= high, high < low + 1])
        return self.opaque[term]

    def number(self, term: Term) -> Any:
        """A term inside max, sqrt and the like; a fraction becomes a fresh number q with q * den = num."""
        num, den = normal(term, [])
        if den == ONE:
            return self.polynomial(num)
        made, bottom = self.z3.Real(f"q{len(self.side)}!"), self.polynomial(den)
        self.side.append(self.z3.Implies(bottom != 0, made * bottom == self.polynomial(num)))
        return made

    def polynomial(self, p: Polynomial) -> Any:
        z3 = self.z3
        parts = []
        for monomial, c in p.items():
            factors = [self.atom(a) for a, e in monomial for _ in range(e)]
            if c != 1 or not factors:
                factors.insert(0, z3.RealVal(f"{c.numerator}/{c.denominator}"))
            parts.append(factors[0] if len(factors) == 1 else z3.Product(*factors))
        return parts[0] if len(parts) == 1 else z3.Sum(*parts) if parts else z3.RealVal(0)

    def formula(self, f: Formula) -> Any:
        z3 = self.z3
        head, *parts = f
        if head in (">", ">=", "="):
            # a - b = num/den; where a divisor is zero the value is unknown, so the atom is left open there
            divisors: list[Polynomial] = []
            num, den = normal(("+", parts[0], ("*", ("q", -1, 1), parts[1])), divisors)
            turn = sign(den, self.positive)
            if turn < 0:
                num = mul(num, {(): Fraction(-1)})
            cleared = self.polynomial(num if head == "=" or turn else mul(num, den))
            atom = {">": cleared > 0, ">=": cleared >= 0, "=": cleared == 0}[head]
            unknown = [self.polynomial(d) for d in divisors if not sign(d, self.positive)]
            if not unknown:
                return atom
            free = z3.Bool(f"undefined{self.open.setdefault(f, len(self.open) + 1)}")
            return z3.If(z3.And(*(d != 0 for d in unknown)), atom, free)
        if head == "int":
            self.rounds = True
            return self.number(parts[0]) == z3.ToReal(z3.Int(f"int!{parts[0]!r}"))
        if head in ("true", "false"):
            return z3.BoolVal(head == "true")
        args = [self.formula(p) for p in parts]
        if head == "not":
            return z3.Not(args[0])
        if head in ("and", "or"):
            return z3.And(*args) if head == "and" else z3.Or(*args)
        return z3.Implies(*args) if head == "=>" else args[0] == args[1]


def _point(model: Any, encoder: _Encoder, formulas: Sequence[Formula]) -> dict[str, Fraction] | None:
    import z3

    point = {}
    for name in sorted(frozenset[str]().union(*(variables(f) for f in formulas))):
        found = model.eval(encoder.variable(name), model_completion=True)
        if not z3.is_rational_value(found):
            return None
        point[name] = Fraction(found.numerator_as_long(), found.denominator_as_long())
    return point
