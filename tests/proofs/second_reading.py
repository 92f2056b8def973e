"""A second interpretation of terms and formulas, with z3 and exact points, for the tests of the proof checker."""

from fractions import Fraction
from itertools import product

import z3
from hypothesis import event, settings

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.oracles import sampling

X, Y, Z = VARIABLES = tuple(("v", n) for n in "xyz")
A, B, D, F = (("v", n) for n in "ABDF")
ONE, TWO, HALF, MINUS = ("q", 1, 1), ("q", 2, 1), ("q", 1, 2), ("q", -1, 1)


def plus(*terms):
    return ("+", *terms)


def minus(a, b):
    return ("+", a, ("*", MINUS, b))


def times(*terms):
    return ("*", *terms)


def over(a, b):
    return ("/", a, b)


class Reader:
    def __init__(self):
        self.root = z3.Function("root", z3.RealSort(), z3.RealSort())
        self.facts = []

    def term(self, t):
        head, *parts = t
        if head == "q":
            return z3.Q(*parts)
        if head == "v":
            return z3.Real(parts[0])
        if head == "^":
            base, out = self.term(parts[0]), z3.RealVal(1)
            for _ in range(parts[1]):
                out = out * base
            return out
        args = [self.term(p) for p in parts]
        if head == "+":
            return z3.Sum(z3.RealVal(0), *args)
        if head == "*":
            return z3.Product(z3.RealVal(1), *args)
        if head == "/":
            return args[0] / args[1]  # total, as in SMT-LIB: some value if the divisor is zero
        if head == "sqrt":
            root = self.root(args[0])
            self.facts.append(z3.Implies(args[0] >= 0, z3.And(root >= 0, root * root == args[0])))
            return root
        if head in ("floor", "ceil"):
            return z3.ToReal(z3.ToInt(args[0])) if head == "floor" else -z3.ToReal(z3.ToInt(-args[0]))
        out = args[0]
        for a in args[1:]:
            out = z3.If(out > a, out, a) if head == "max" else z3.If(out < a, out, a)
        return out

    def formula(self, f):
        head, *parts = f
        if head in (">", ">=", "="):
            a, b = map(self.term, parts)
            return {">": a > b, ">=": a >= b, "=": a == b}[head]
        if head == "int":
            return z3.IsInt(self.term(parts[0]))
        args = [self.formula(p) for p in parts]
        if head == "<=>":
            return args[0] == args[1]
        return {"true": z3.And, "false": z3.Or, "not": z3.Not, "and": z3.And, "or": z3.Or, "=>": z3.Implies}[head](
            *args
        )


VALUES = [Fraction(n, d) for n in (-2, -1, 0, 1, 2, 3) for d in (1, 2)]


def points(names, limit=300):
    pool = VALUES if len(names) < 3 else VALUES[::2]
    return [dict(zip(names, p, strict=True)) for p in product(pool, repeat=len(names))][:: max(1, len(pool) // 6)][
        :limit
    ]


def counterexample(theorem: Theorem):
    """Return a counterexample to the theorem, as a model of z3 or an exact point, or None."""
    reader, solver = Reader(), z3.Solver()
    solver.set("timeout", 1000)
    solver.add(*(reader.formula(h) for h in theorem.hypotheses), z3.Not(reader.formula(theorem.conclusion)))
    solver.add(*reader.facts)
    if solver.check() == z3.sat:
        return solver.model()
    return fails_somewhere(theorem)


def fails_somewhere(theorem: Theorem):
    formulas = [*theorem.hypotheses, theorem.conclusion]
    names = sorted(sampling.variables(("and", *formulas)))
    for point in points(names):
        try:
            if all(sampling.holds(h, point) for h in theorem.hypotheses) and not sampling.holds(
                theorem.conclusion, point
            ):
                return point
        except sampling.Inexact:
            continue
    return None


def attempt(rule, *args, **kwargs):
    """Return the theorem that a rule makes from some input, or None if it refuses."""
    try:
        return rule(*args, **kwargs)
    except KernelError:
        return None


def sound(theorem) -> bool:
    event("refused" if theorem is None else "made")
    return theorem is None or counterexample(theorem) is None


def tries(n: int) -> settings:
    """Return settings for n examples in the default run, and for fifty times as many in the long run."""
    return settings(max_examples=max(n, n * settings.default.max_examples // 100), deadline=None)
