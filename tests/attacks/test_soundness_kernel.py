"""Every rule of the kernel proves only true formulas, as two solvers confirm, and no false neighbour of a theorem.

z3, and cvc5 if installed, read each theorem through `second_reading`, which shares nothing with the package. The
negation must not be satisfiable. The neighbours of a theorem differ in a relation, a coefficient, a sign or a
hypothesis. A neighbour that z3 refutes must not be provable. The long run prints the counts:

    python -m pytest -q -s tests/attacks/test_soundness_kernel.py -m long
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
import z3
from hypothesis import given
from rule_attacks import ATTACKS
from second_reading import MINUS, ONE, TWO, Reader, fails_somewhere, minus, over, plus, times, tries

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, term_of, variables
from roofproof.proofs.search import tactics

try:
    import cvc5
except ImportError:
    cvc5 = None

NAMES = [("v", n) for n in "xyz"]
NO_SOLVER = ("logarithm", "exponential", "rising")  # neither solver supports log2 and powers
RULES = tuple(r for r in kernel.RULES if r not in NO_SOLVER)


@cache
def of_attack(rule: str) -> list[Theorem]:
    """Return theorems of a rule without a case in `Maker`, from the calls of its attack."""
    kept = []

    @tries(60)
    @given(ATTACKS[rule])
    def collected(arguments: Any) -> None:
        with suppress(KernelError):
            kept.append(kernel.RULES[rule](*arguments))

    collected()
    return kept


class Maker:
    """A source of random terms, formulas, and theorems by each rule."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def number(self, low: int = -2) -> Term:
        return ("q", self.random.randint(low, 3), self.random.choice((1, 1, 2)))

    def polynomial(self) -> Term:
        parts = [
            times(self.number(), *self.random.choices(NAMES, k=self.random.randrange(3)))
            for _ in range(self.random.randint(1, 3))
        ]
        return plus(*parts)

    def term(self) -> Term:
        r = self.random.random()
        if r < 0.35:
            return self.polynomial()
        if r < 0.6:
            below = self.random.choice((*NAMES, plus(*NAMES[:2]), minus(*NAMES[:2]), times(*NAMES[:2])))
            return over(self.polynomial(), below)
        if r < 0.75:
            return (self.random.choice(("max", "min")), self.polynomial(), self.random.choice(NAMES))
        if r < 0.85:
            return (self.random.choice(("floor", "ceil")), over(self.polynomial(), TWO))
        return self.random.choice(NAMES) if r < 0.95 else ("sqrt", self.polynomial())

    def comparison(self) -> Formula:
        relation = self.random.choice((">", ">=", "="))
        return (relation, self.term(), self.random.choice((ZERO, self.term(), self.random.choice(NAMES))))

    def formula(self, depth: int = 2) -> Formula:
        if depth == 0 or self.random.random() < 0.4:
            return self.comparison()
        head = self.random.choice(("not", "and", "or", "=>", "<=>"))
        return (head, *(self.formula(depth - 1) for _ in range(1 if head == "not" else 2)))

    def positive(self) -> list[str]:
        return [n for _, n in NAMES if self.random.random() < 0.8]

    def made(self, rule: str) -> Theorem:
        """Return a random theorem by a rule, or raise KernelError."""
        match rule:
            case "assume":
                return kernel.assume(self.formula())
            case "discharge":
                inner = self.made(self.random.choice(("arith", "assume", "propositional")))
                chosen = self.random.choice([*inner.hypotheses, self.comparison()])
                return kernel.discharge(inner, chosen)
            case "propositional":
                a, b = self.formula(1), self.formula(1)
                premises = [kernel.assume(a), kernel.assume(("=>", a, b))][: self.random.randint(1, 2)]
                goals = [b, ("or", b, a), ("and", a, b), ("=>", ("not", b), a), ("<=>", a, b), ("not", a)]
                return kernel.propositional(self.random.choice(goals), premises)
            case "cases":
                parts, more = [self.comparison() for _ in range(2)], [kernel.assume(self.comparison())]
                goal = ("or", *parts, self.comparison())
                branches = [kernel.propositional(goal, [kernel.assume(f), *more]) for f in parts]
                split = self.random.choice([("or", *parts), ("or", *parts), ("or", *parts[::-1]), ("and", *parts)])
                return kernel.cases(kernel.assume(split), branches)
            case "arith":
                return self.arith()
            case "identity":
                t = self.term()
                same = (plus(t, ZERO), times(TWO, t, over(ONE, TWO)), self.term())
                return kernel.identity(t, self.random.choice(same))
            case "square":
                return kernel.square(self.term())
            case "trichotomy":
                return kernel.trichotomy(self.term(), self.term())
            case "definition":
                return kernel.definition(self.term())
            case "integral":
                whole = [kernel.assume(("int", v)) for v in NAMES if self.random.random() < 0.6]
                return kernel.integral(self.random.choice((self.polynomial(), self.term())), whole)
            case "gap":
                a, b = self.polynomial(), self.polynomial()
                difference = self.random.choice((minus(a, b), plus(a, times(MINUS, b)), minus(b, a), a))
                relation = self.random.choice((">", ">", ">="))
                return kernel.gap(kernel.assume((relation, a, b)), kernel.assume(("int", difference)))
            case "instantiate":
                inner = self.made(self.random.choice(("arith", "definition", "trichotomy", "assume")))
                return kernel.instantiate(inner, {"x": self.term(), "y": self.random.choice((self.term(), NAMES[0]))})
            case "tends":
                x, y, z = NAMES
                a = self.random.choice((x, times(x, y), plus(x, y), times(x, x)))
                c = self.number()
                t = over(times(c, a), plus(a, z, self.random.choice((ONE, y))))
                value = self.random.choice((c, c, z, ZERO))
                return kernel.tends(self.random.choice((t, plus(t, z))), ["x", "y"], value, ["x", "y", "z"])
        return self.random.choice(of_attack(rule))

    def arith(self) -> Theorem:
        positive = self.positive()
        facts = [self.comparison() for _ in range(self.random.randint(1, 2))]
        premises, signs, polynomials = [kernel.assume(f) for f in facts], [], []
        for f in facts:
            p = kernel.polynomial(f, positive, signs)
            polynomials.append(p)
            signs += [p] if f[0] == ">" else []
        certificate = [
            (self.random.choice((ONE, TWO, *NAMES, plus(*NAMES[:2]))),
             self.random.choices(range(len(facts)), k=self.random.randint(0, 2)))
            for _ in range(self.random.randint(1, 2))
        ]  # fmt: skip
        total = plus(*(times(m, *(term_of(polynomials[i]) for i in chosen)) for m, chosen in certificate))
        goal: Any = self.random.choice((total, over(total, self.random.choice(NAMES)), times(MINUS, total)))
        relation = self.random.choice((">", ">=", "="))
        made: Theorem = kernel.arith((relation, goal, ZERO), premises, certificate, positive)
        return made


def negation(hypotheses: frozenset[Formula], conclusion: Formula) -> z3.Solver:
    reader, solver = Reader(), z3.Solver()
    solver.set("timeout", 400)
    solver.add(*(reader.formula(h) for h in hypotheses), z3.Not(reader.formula(conclusion)), *reader.facts)
    return solver


def by_cvc5(solver: z3.Solver, milliseconds: int = 400) -> str:
    """Return the answer of cvc5 to the same question in SMT-LIB 2."""
    second = cvc5.Solver()
    second.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(second)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "(set-logic ALL)\n" + solver.to_smt2(), "theorem")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(second, symbols).strip() or said
    return said


def neighbours(formula: Formula, random: Random) -> Iterator[Formula]:
    """Yield formulas that differ from a formula in one place."""
    head, *parts = formula
    if head in (">", ">=", "="):
        yield (random.choice([r for r in (">", ">=", "=") if r != head]), *parts)
        yield (head, *parts[::-1])
        yield (head, parts[0], plus(parts[1], ("q", random.choice((1, -1)), random.choice((1, 1000)))))
        yield (head, times(TWO, parts[0]), parts[1])
    elif head in ("and", "or", "=>", "<=>", "not"):
        yield ("not", formula)
        for i, part in enumerate(parts):
            for changed in neighbours(part, random):
                yield (head, *parts[:i], changed, *parts[i + 1 :])
        if head in ("=>", "<=>"):
            yield (head, *parts[::-1])
        if head in ("and", "or"):
            yield ("or" if head == "and" else "and", *parts)


def limit_fails(theorem: Theorem) -> bool:
    """Return whether a limit fails: at exact points far out, the term stays away from the value."""
    _, term, growing, value = theorem.conclusion
    for z in (Fraction(1, 3), Fraction(2)):
        for rates in ((1, 1), (1, 3), (3, 1)):
            gaps = []
            for t in (10**3, 10**6, 10**9):
                point = {"z": z, **{n: Fraction(t) ** r for n, r in zip(growing, rates, strict=True)}}
                gaps.append(abs(evaluated(term, point) - evaluated(value, point)))
            if gaps[2] > gaps[0] / 10 + Fraction(1, 10**6):
                return True
    return False


def evaluated(t: Term, at: dict[str, Fraction]) -> Fraction:
    head, *parts = t
    if head == "q":
        return Fraction(*parts)
    if head == "v":
        return at[parts[0]]
    values = [evaluated(p, at) for p in parts]
    out = values[0] if values else Fraction(0)
    for v in values[1:]:
        out = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}[head](out, v)
    return out


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    maker, counts, wrong = Maker(seed), Counter[str](), []
    for i in range(count):
        rule = RULES[i % len(RULES)]
        theorem = None
        for _ in range(6):
            try:
                theorem = maker.made(rule)
                break
            except KernelError:
                counts["refused"] += 1
        if theorem is None:
            continue
        counts[rule] += 1
        if theorem.conclusion[0] == "tends":
            wrong += [f"{theorem}"] if limit_fails(theorem) else []
            continue
        solver = negation(theorem.hypotheses, theorem.conclusion)
        said = str(solver.check())
        counts[f"z3 {said}"] += 1
        if said == "sat" or fails_somewhere(theorem) is not None:
            wrong.append(f"{theorem}: z3 says {said}")
        if cvc5 is not None:
            second = by_cvc5(solver)
            counts[f"cvc5 {second if second in ('sat', 'unsat') else 'unknown'}"] += 1
            wrong += [f"{theorem}: cvc5 says sat"] if second == "sat" else []
        if i % 3 == 0:
            wrong += not_provable(theorem, maker.random, counts)
    return counts, wrong


def not_provable(theorem: Theorem, random: Random, counts: Counter[str]) -> list[str]:
    """Return the false neighbours of a theorem that the search nevertheless proves."""
    wrong = []
    options = list(neighbours(theorem.conclusion, random))
    for changed in random.sample(options, min(2, len(options))):
        kept = [h for h in sorted(theorem.hypotheses, key=repr) if random.random() < 0.9]
        positive = [(">", ("v", n), ZERO) for n in variables(("and", changed, *kept))]
        if str(negation(frozenset([*kept, *positive]), changed).check()) != "sat":
            continue
        counts["false neighbours"] += 1
        if tactics.prove(changed, kept) is not None:
            wrong.append(f"{kept} |- {changed} is false and proved")
    return wrong


@pytest.mark.parametrize("count", [48, pytest.param(99, marks=pytest.mark.slow)])
def test_rules_both_ways(count: int) -> None:
    counts, wrong = run(count, seed=11)
    assert not wrong, "\n".join(wrong)
    assert all(counts[rule] for rule in RULES), counts
    assert counts["false neighbours"] > count / 20


@pytest.mark.long
def test_rules_both_ways_at_length(capsys: pytest.CaptureFixture[str]) -> None:
    counts, wrong = run(20_000, seed=Random().randrange(10**6))
    with capsys.disabled():
        print("\n" + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_a_broken_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without the check of signs is caught."""
    monkeypatch.setattr(kernel, "sign", lambda p, positive: 1)
    assert any(run(44, seed)[1] for seed in range(11, 16))
