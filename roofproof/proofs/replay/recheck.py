"""Rechecking: replays each step of a certificate through the rules of the proof checker, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term

NOTHING = frozenset[Formula]()


def rechecked(data: dict[str, Any]) -> list[Theorem]:
    """Return the theorems that the steps of a certificate prove, in order.

    >>> from roofproof.proofs.kernel.kernel import arith, assume
    >>> from roofproof.proofs.replay.certificate import to_json
    >>> x, y, one = Term("v", "x"), Term("v", "y"), Term("q", 1, 1)
    >>> data = to_json(arith((">", ("+", y, one), ("+", x, one)), [assume((">", y, x))], [(one, [0])]))
    >>> rechecked(data)[-1]
    y > x |- y + 1 > x + 1
    >>> data["formulas"][1][2][2][1] = 2                                    # y + 1 > x + 2 does not follow
    >>> rechecked(data)
    Traceback (most recent call last):
    roofproof.proofs.kernel.terms.KernelError: the certificate does not add up to the goal

    Raises KernelError for a step that its rule does not give. Raises KernelError, LookupError, TypeError or ValueError
    for data that is not a certificate.
    """
    formulas = [tree(f) for f in data["formulas"]]
    alone = [frozenset([f]) for f in formulas]  # each formula is hashed only once
    proved: list[Theorem] = []
    for step in data["theorems"]:
        if any(type(k) is not int or k < 0 for k in (step["conclusion"], *step["hypotheses"], *step["premises"])):
            raise KernelError("a number of what is not there")
        said = formulas[step["conclusion"]]
        made = _by_rule(step["rule"], said, [proved[k] for k in step["premises"]], step["certificate"])
        if made.conclusion != said or made.hypotheses != NOTHING.union(*(alone[k] for k in step["hypotheses"])):
            raise KernelError("the rule gives another theorem")
        proved.append(made)
    return proved


def tree(j: Any) -> Any:
    """Convert nested lists to the tuples of a term or formula. Large integers are read from text.

    >>> tree([">", ["v", "x"], ["q", "9007199254740992", 1]])
    ('>', ('v', 'x'), ('q', 9007199254740992, 1))
    >>> tree(["q", "0x10", 1])                                              # the form of the longest integers
    ('q', 16, 1)
    """
    match j:
        case ["q", p, q]:
            return Term("q", *(int(n, 0) if isinstance(n, str) else int(n) for n in (p, q)))
        case ["v", name]:
            return Term("v", name)
        case ["tends", a, names, b]:
            return Formula("tends", tree(a), tuple(names), tree(b))
        case [head, *parts]:
            return (head, *map(tree, parts))
    return j


def _by_rule(rule: str, said: Formula, given: Sequence[Theorem], told: Any) -> Theorem:
    """Apply a rule to its premises to derive the stated conclusion."""
    match rule, said, given:
        case "assume", _, []:
            return kernel.assume(said)
        case "discharge", ("=>", formula, _), [theorem]:
            return kernel.discharge(theorem, formula)
        case "cases", _, [split, *branches]:
            return kernel.cases(split, branches)
        case "propositional", _, _:
            return kernel.propositional(said, given)
        case "arith", _, _:
            entries = [(tree(e["times"]), e["premises"]) for e in told["sum"]]
            return kernel.arith(said, given, entries, told["positive"], tree(told["multiplier"]))
        case "square", (_, ("*", t, _), _), []:
            return kernel.square(t)
        case "trichotomy", (_, (_, a, b), *_), []:
            return kernel.trichotomy(a, b)
        case "definition", _, []:
            return kernel.definition(tree(told["term"]))
        case "logarithm", _, [equation]:
            return kernel.logarithm(equation)
        case "exponential", (_, (_, base, _), _), [equation]:
            return kernel.exponential(base, equation)
        case "rising", (_, (_, *base, _), _), [strict]:
            return kernel.rising(strict, *base)
        case "integral", (_, t), _:
            return kernel.integral(t, given)
        case "gap", _, [strict, difference]:
            return kernel.gap(strict, difference)
        case "instantiate", _, [theorem]:
            return kernel.instantiate(theorem, {name: tree(t) for name, t in told["values"].items()})
        case "tends", (_, t, growing, value), []:
            return kernel.tends(t, growing, value, told["positive"])
    raise KernelError(f"no rule of this kernel with such premises: {rule}")
