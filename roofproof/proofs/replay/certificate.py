"""Certificates: a theorem and its whole proof as JSON for an independent checker. See docs/certificates.md."""

from collections.abc import Sequence
from typing import Any

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula

FORMAT = "roofproof certificate 2"
LONG = 10_000  # bits: Python limits the conversion of longer integers to decimals
EXACT = 2**53  # JSON readers may round integers of this size or more, so they are written as text


def to_json(theorem: Theorem, says: str = "") -> dict[str, Any]:
    """Return the theorem and the numbered theorems of its proof, each with its rule and the rule's arguments.

    >>> from roofproof.proofs.kernel.kernel import arith, assume
    >>> x, y, one = ("v", "x"), ("v", "y"), ("q", 1, 1)
    >>> less = assume(Formula(">", y, x))                                  # y > x, so y + 1 > x + 1
    >>> made = to_json(arith((">", ("+", y, one), ("+", x, one)), [less], [(one, [0])]))
    >>> made["formulas"]
    [['>', ['v', 'y'], ['v', 'x']], ['>', ['+', ['v', 'y'], ['q', 1, 1]], ['+', ['v', 'x'], ['q', 1, 1]]]]
    >>> [(step["rule"], step["premises"], step["hypotheses"], step["conclusion"]) for step in made["theorems"]]
    [('assume', [], [0], 0), ('arith', [0], [0], 1)]
    >>> made["theorems"][1]["certificate"]["sum"]
    [{'times': ['q', 1, 1], 'premises': [0]}]

    `says` is the statement in words. It is not checked.
    """
    return {"format": FORMAT, "says": says, **steps_of(before(theorem))}


def steps_of(ordered: Sequence[Theorem]) -> dict[str, Any]:
    """Return theorems as steps that refer to formulas and earlier steps by number. Premises must come first."""
    formulas: dict[Formula, int] = {}
    steps = []
    places = {t: k for k, t in enumerate(ordered)}
    for step in ordered:
        hypotheses = [formulas.setdefault(h, len(formulas)) for h in sorted(step.hypotheses, key=repr)]
        steps.append(
            {
                "rule": step.rule,
                "premises": [places[p] for p in step.premises],
                "hypotheses": hypotheses,
                "conclusion": formulas.setdefault(step.conclusion, len(formulas)),
                "certificate": certificate_arguments(step),
            }
        )
    return {"formulas": [as_lists(f) for f in formulas], "theorems": steps}


def before(*theorems: Theorem) -> list[Theorem]:
    """Return theorems and all their direct and indirect premises, each once, premises first."""
    ordered: dict[Theorem, None] = {}
    todo = [*reversed(theorems)]
    while todo:
        missing = [p for p in todo[-1].premises if p not in ordered]
        if missing:
            todo += missing
        else:
            ordered[todo.pop()] = None
    return list(ordered)


def certificate_arguments(step: Theorem) -> dict[str, Any]:
    """Return the arguments of a rule beyond premises and conclusion."""
    match step.rule, step.certificate:
        case "arith", (entries, positive, multiplier):
            entries = [{"times": as_lists(m), "premises": list(chosen)} for m, chosen in entries]
            return {"sum": entries, "positive": sorted(n for _, n in positive), "multiplier": as_lists(multiplier)}
        case "tends", (positive,):
            return {"positive": sorted(n for _, n in positive)}
        case "instantiate", values:
            return {"values": {name: as_lists(t) for name, t in values}}
        case "definition", (term,):
            return {"term": as_lists(term)}
    return {}


def as_lists(f: Any) -> Any:
    """Return a term or a formula as lists, with large integers as text and the longest in hexadecimal.

    >>> as_lists(("^", ("q", 2**60, 1), 2))
    ['^', ['q', '1152921504606846976', 1], 2]
    """
    if isinstance(f, tuple):
        return [as_lists(p) for p in f]
    return (hex(f) if f.bit_length() > LONG else str(f)) if isinstance(f, int) and abs(f) >= EXACT else f
