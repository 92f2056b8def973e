"""What the words of the engine stand for in a claim, as definitions: demand over supply, each counted or printed.

`intensity(matmul)` is FLOPs over bytes, `ridge(tpu-v5e, bf16)` a peak over a bandwidth, `time` a demand over a rate.
No fraction is cancelled here: that a simpler form is the same is left to the proof kernel.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy

from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Name, Node, Reference
from roofproof.claims.language.printing import to_text
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.ridges import supplier, supply
from roofproof.errors import RoofproofError
from roofproof.hardware import Capacity, Rate
from roofproof.hardware.resources import canonical_resource, is_compute
from roofproof.ops.resources import channel, compute_resource
from roofproof.proofs.kernel.terms import Formula, Term, show, substitute, variables
from roofproof.proofs.known import Figure, Known, Model
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions

Of = Callable[[Node], Term]
Defined = tuple[Term, tuple[Known, ...]]
COUNT = "counted of the operation: two FLOPs a multiply-add, each tensor moved once"
RATIO = "FLOPs over bytes"
RIDGE = "peak over bandwidth"
TIME = "demand over rate"
ATTAINED = "FLOPs over the shortest time"


def definition(env: Environment, call: Call, term: Of) -> Defined | None:
    """Return the term of a word of the engine and the definitions that it rests on; None for what has to be found.

    >>> from roofproof.claims.language import read_expression
    >>> from roofproof.claims.language.kernel_form import to_term
    >>> value, known = definition(Environment(), read_expression("intensity(matmul)"), to_term)
    >>> for each in known:
    ...     print(each.statement.says, "by", each.trust)
    flops(matmul) = 2*B*D*F by model
    bytes(matmul) = 2*B*D + 2*B*F + 2*D*F by model
    intensity(matmul) = flops(matmul)/bytes(matmul) by model

    `term` gives the term of a name and of what else stands in the call.
    """
    words = _Words(env, term)
    made = _MADE.get(call.function)
    return None if made is None or (value := made(words, call)) is None else (value, tuple(words.known))


def exceeded(env: Environment, ceiling: Ceiling, operation: Node, term: Of) -> tuple[Formula, tuple[Known, ...]]:
    """Return that an engine takes longer than a channel: FLOPs over bytes is more than the ridge point."""
    words, of = _Words(env, term), to_text(operation)
    flops = words.counted(f"flops({of}, {ceiling.compute})", ceiling.flops)
    moved = words.counted(f"bytes({of}, {ceiling.channel})", ceiling.moved)
    ridge: Term = ("v", ceiling.symbol.name)
    if ceiling.rests_on:
        ridge = ("/", *map(words.figure, ceiling.rests_on))
    if ceiling.moved.is_positive:
        return (">", ("/", flops, moved), ridge), tuple(words.known)
    return (">", flops, ("*", ridge, moved)), tuple(words.known)


def named_ceilings(
    env: Environment, operation: Node, chip: Node | None = None, *resources: Node
) -> tuple[Ceiling, ...]:  # fmt: skip
    """Return what an operation must exceed to be compute-bound, over the channels and engines named alone."""
    op = env.operation(operation)
    found = ceilings(op, None if chip is None else env.chip(chip))
    channels = {c.channel for c in found}
    for text in (r.text for r in resources if isinstance(r, Reference)):
        if text in op.compute:
            found = tuple(c for c in found if c.compute == text)
            continue
        if channel(text) not in channels:
            raise RoofproofError(
                "<name> moves nothing over <channel>; it uses <names>",
                name=op.name,
                channel=text,
                names=", ".join(sorted(channels)),
            )
        found = tuple(c for c in found if c.channel == channel(text))
    return found


class _Words:
    """The definitions that one call needs."""

    def __init__(self, env: Environment, term: Of) -> None:
        self.env, self.term, self.known = env, term, list[Known]()

    def counted(self, name: str, amount: sympy.Expr) -> Term:
        """Return what is counted of an operation, in the values of its sizes."""
        counted = with_functions(amount)
        self.says(name, counted, COUNT)
        names = {n: self.term(Name(n)) for n in variables(counted)}
        made: Term = substitute(counted, {n: t for n, t in names.items() if t != ("v", n)})
        return made

    def figure(self, figure: Rate | Capacity) -> Term:
        value = figure.value
        said: Term = ("q", value.numerator, value.denominator)
        goal: Formula = ("=", ("v", figure.resource), said)
        self.known.append(Known(Statement(show(goal), (), goal, "figure"), Figure(figure)))
        return said

    def says(self, name: str, value: Term, convention: str) -> None:
        goal: Formula = ("=", ("v", name), value)
        self.known.append(Known(Statement(show(goal), (), goal, "definition"), Model(convention)))

    # --- one method a word ------------------------------------------------------------------------------

    def flops(self, call: Call) -> Term:
        op, *of = call.arguments
        held = self.env.operation(op)
        amount = held.compute[_compute(of[0])] if of else held.flops
        return self.counted(to_text(call), amount)

    def bytes(self, call: Call) -> Term:
        op, *over = call.arguments
        return self.counted(to_text(call), self.env.operation(op).bytes(channel(_text(over[0])) if over else "memory"))

    def intensity(self, call: Call) -> Term:
        parts = [Call("flops", call.arguments[:1]), Call("bytes", call.arguments)]
        value: Term = ("/", self.flops(parts[0]), self.bytes(parts[1]))
        self.says(to_text(call), ("/", *(("v", to_text(p)) for p in parts)), RATIO)
        return value

    def ridge(self, call: Call) -> Term:
        on, compute, *over = call.arguments
        chip = self.env.chip(on)
        rates = chip.peak(_text(compute)), supply(chip, channel(_text(over[0])) if over else "memory")
        self.says(to_text(call), ("/", *(("v", r.resource) for r in rates)), RIDGE)
        return ("/", *map(self.figure, rates))

    def rate(self, call: Call) -> Term:
        chip = self.env.chip(call.arguments[0])
        return self.figure(chip.rate(supplier(chip, _text(call.arguments[1]))))

    def capacity(self, call: Call) -> Term:
        chip = self.env.chip(call.arguments[0])
        return self.figure(chip.capacity(supplier(chip, _text(call.arguments[1]))))

    def times(self, call: Call) -> list[tuple[Term, Term]]:
        """Return the time of each resource: in figures, and by name."""
        op, chip = self.env.operation(call.arguments[0]), self.env.chip(call.arguments[1])
        found: list[tuple[Term, Term]] = []
        for resource, demand in op.demands.items():
            rate = supply(chip, resource)
            name = f"{to_text(call.arguments[0])}: {resource}"
            found.append((
                ("/", self.counted(name, demand), self.figure(rate)),
                ("/", ("v", name), ("v", rate.resource)),
            ))  # fmt: skip
        return found

    def time(self, call: Call) -> Term | None:
        found = self.times(call)
        resources = list(self.env.operation(call.arguments[0]).demands)
        if len(call.arguments) == 2:
            chosen = 0
        else:
            text = _text(call.arguments[2])
            name = text if text == "memory" else canonical_resource(text)
            chosen = resources.index(name if is_compute(name) else channel(name))
        value, named = found[chosen]
        self.says(to_text(call), named, TIME)
        return value

    def attainable(self, call: Call) -> Term:
        if len(call.arguments) == 2:
            op = self.env.operation(call.arguments[0])
            parts = [Call("flops", call.arguments[:1]), Call("lower", call.arguments)]
            value: Term = ("/", self.counted(to_text(parts[0]), op.flops), self.lower(parts[1]))
            self.says(to_text(call), ("/", *(("v", to_text(p)) for p in parts)), ATTAINED)
            return value
        first, compute, at, *over = call.arguments
        on = self.env.chip(first)
        rates = on.peak(_text(compute)), supply(on, _text(over[0]) if over else "memory")
        peak, bandwidth = map(self.figure, rates)
        return ("min", peak, ("*", self.term(at), bandwidth))

    def lower(self, call: Call) -> Term:
        return self._of_times(call, "max")

    def upper(self, call: Call) -> Term:
        return self._of_times(call, "+")

    def _of_times(self, call: Call, head: str) -> Term:
        found = self.times(call)
        value, named = (parts[0] if len(parts) == 1 else (head, *parts) for parts in zip(*found, strict=True))
        self.says(to_text(call), named, TIME)
        return value


def _text(reference: Node) -> str:
    assert isinstance(reference, Reference)
    return reference.text.strip()


def _compute(reference: Node) -> str:
    return compute_resource(_text(reference))


_MADE: dict[str, Callable[[_Words, Call], Term | None]] = {
    "flops": _Words.flops, "bytes": _Words.bytes, "intensity": _Words.intensity, "ridge": _Words.ridge,
    "rate": _Words.rate, "capacity": _Words.capacity, "time": _Words.time, "lower": _Words.lower,
    "upper": _Words.upper, "attainable": _Words.attainable,
}  # fmt: skip
