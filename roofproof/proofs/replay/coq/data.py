"""Terms, formulas and certificates as data of the Coq library. Repeated terms are defined once and used by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.replay.certificate import before
from roofproof.proofs.replay.coq.words import listed, numeral

BINARY = {"+": "Add", "*": "Mul", "/": "Div", "max": "Max", "min": "Min", "power": "Power"}
UNARY = {"sqrt": "Sqrt", "floor": "Floor", "ceil": "Ceil", "log2": "Log2"}
RELATIONS = {">": "Gt", ">=": "Ge", "=": "Eq"}
LOGIC = {"and": "And", "or": "Or", "=>": "Imp", "<=>": "Iff"}
Node = tuple[Any, ...]  # a constructor of the library and its arguments


def term_node(t: Term) -> Node:
    """Return a term as nodes with two arguments for each operator, nested to the left.

    >>> term_node(Term("+", Term("v", "x"), Term("q", 1, 2), Term("v", "y")))
    ('Add', ('Add', ('Var', 'x'), ('Num', 1, 2)), ('Var', 'y'))
    """
    match t:
        case ("v", name):
            return ("Var", name)
        case ("q", p, q):
            return ("Num", p, q)
        case ("^", a, n):
            return ("Pow", term_node(a), n)
        case ("+" | "*" as op,):
            return ("Num", 0 if op == "+" else 1, 1)
        case (head, *parts) if head in BINARY:
            made, *others = map(term_node, parts)
            for other in others:
                made = (BINARY[head], made, other)
            return made
        case (head, a) if head in UNARY:
            return (UNARY[head], term_node(a))
    raise KernelError(f"not a term: {t!r}")


def formula_node(f: Formula) -> Node:
    """Return a formula as nodes with two arguments for each connective, nested to the right.

    >>> formula_node(Formula("and", Formula("true"), Formula("int", Term("v", "x")), Formula("false")))
    ('And', ('Yes',), ('And', ('Int', ('Var', 'x')), ('No',)))
    """
    match f:
        case (">" | ">=" | "=" as relation, a, b):
            return (RELATIONS[relation], term_node(a), term_node(b))
        case ("int", a):
            return ("Int", term_node(a))
        case ("tends", a, growing, b):
            return ("Tends", term_node(a), growing, term_node(b))
        case ("not", g):
            return ("Not", formula_node(g))
        case ("true",) | ("and",):
            return ("Yes",)
        case ("false",) | ("or",):
            return ("No",)
        case (head, *parts):
            *others, made = map(formula_node, parts)
            for other in reversed(others):
                made = (LOGIC[head], other, made)
            return made
    raise KernelError(f"not a formula: {f!r}")


class Pool:
    """A pool of repeated nodes, each defined once and used by name. Variables are numbered from 1.

    >>> pool = Pool(["x"])
    >>> pool.count(formula_node((">", ("*", ("v", "x"), ("v", "x")), ("*", ("v", "x"), ("v", "x")))))
    >>> pool.text(formula_node(Formula(">", Term("*", Term("v", "x"), Term("v", "x")), Term("q", 0, 1))))
    'Gt u1 (Num 0 1)'
    >>> pool.taken()
    ['Definition u1 := Mul (Var 1) (Var 1).']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.places = {name: k for k, name in enumerate(names, 1)}
        self._counts: Counter[Node] = Counter()
        self._named: dict[Node, str] = {}
        self._definitions: list[str] = []

    def count(self, node: Node) -> None:
        """Count each part of a node that will be written. The inside of a part is counted only once."""
        todo = [node]
        while todo:
            part = todo.pop()
            if type(part) is tuple and part and type(part[0]) is str and part[0] not in ("Var", "Num"):
                self._counts[part] += 1
                if self._counts[part] == 1:
                    todo += part[1:]

    def text(self, node: Node, bracket: bool = False) -> str:
        """Return a node in Coq's notation."""
        if node in self._named:
            return self._named[node]
        match node:
            case ("Var", name):
                made = f"Var {self.places[name]}"
            case ("Num", p, q):
                made = f"Num {numeral(p)} {numeral(q)}"
            case ("Pow", a, n):
                made = f"Pow {self.text(a, True)} {n}"
            case ("Tends", a, growing, b):
                numbers = listed(self.places[n] for n in growing)
                made = f"Tends {self.text(a, True)} {numbers} {self.text(b, True)}"
            case (head, *parts):
                made = " ".join([head, *(self.text(p, True) for p in parts)])
        if self._counts[node] > 1 and len(node) > 1:
            name = self._named[node] = f"u{len(self._named) + 1}"
            self._definitions.append(f"Definition {name} := {made}.")
            return name
        return f"({made})" if bracket and len(node) > 1 else made

    def taken(self) -> list[str]:
        """Return the definitions made since the last call."""
        made, self._definitions = self._definitions, []
        return made


def rule_argument_terms(theorem: Theorem) -> list[Node]:
    """Return the terms among the arguments of the rules of a certificate."""
    found: list[Node] = []
    for step in before(theorem):
        match step.rule, step.certificate:
            case "arith", (entries, _, multiplier):
                found += [term_node(m) for m, _ in entries] + [term_node(multiplier)]
            case "instantiate", values:
                found += [term_node(t) for _, t in values]
            case "definition", (t,):
                found.append(term_node(t))
    return found


def steps(theorem: Theorem, pool: Pool | None) -> tuple[list[Formula], list[str]]:
    """Return the formulas of a certificate, and each of its steps in Coq's notation (no steps without a pool)."""
    ordered = before(theorem)
    places: dict[Formula, int] = {}
    numbers = {step: k for k, step in enumerate(ordered)}
    made = []
    for k, step in enumerate(ordered):
        given = listed(k - numbers[p] for p in step.premises)
        hypotheses = listed(places.setdefault(h, len(places) + 1) for h in sorted(step.hypotheses, key=repr))
        said = places.setdefault(step.conclusion, len(places) + 1)
        if pool is not None:
            made.append(f"Step {_rule(step, pool)} {given} {hypotheses} {said}")
    return list(places), made


def _rule(step: Theorem, pool: Pool) -> str:
    def text(t: Term) -> str:
        return pool.text(term_node(t), True)

    match step.rule, step.certificate:
        case "arith", (entries, positive, multiplier):
            summands = listed(f"({text(m)}, {listed(i + 1 for i in chosen)})" for m, chosen in entries)
            names = listed(sorted(pool.places[n] for _, n in positive))
            return f"(Arith {summands} {names} {text(multiplier)})"
        case "tends", (positive,):
            return f"(Limits {listed(sorted(pool.places[n] for _, n in positive))})"
        case "instantiate", values:
            return f"(Instantiate {listed(f'({pool.places[n]}, {text(t)})' for n, t in values)})"
        case "definition", (t,):
            return f"(Define {max(len(t) - 2, 0)} {text(t)})"
    return step.rule.capitalize()
