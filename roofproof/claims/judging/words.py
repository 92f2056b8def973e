"""What the words of the engine come to in a claim: demand over supply, each counted or printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofproof.claims.language.environment import Environment, demanded, warm
from roofproof.derive.roofline.ridges import supplier, supply
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Reference, Tree
from roofproof.hardware import Capacity, Rate
from roofproof.ops.resources import channel, compute_resource
from roofproof.proofs.kernel.terms import Term

Amount = tuple[str, Term]  # by its name, and worked out


class Words:
    """The words of one claim; how a demand, a figure and a quotient are written is left to those who use them:
    `judging/definitions.py` writes them out, in the values of the sizes; `in_definitions.py` by the names of a file.
    """

    def __init__(self, env: Environment, value: Callable[[Tree], Term]) -> None:
        self.env, self.value = env, value  # the term of an argument that is a value

    def flops(self, op: Tree, engine: str, said: str) -> Amount:
        """Return the FLOPs of an operation, of one engine or, where none is named, of all."""
        raise NotImplementedError

    def bytes(self, op: Tree, over: str, said: str) -> Amount:
        """Return the bytes that an operation moves over a channel."""
        raise NotImplementedError

    def figure(self, chip: Tree, figure: Rate | Capacity) -> Amount:
        """Return a figure of a chip."""
        raise NotImplementedError

    def quotient(self, call: Call, above: Amount, below: Amount, kind: str = "") -> Term:
        """Return the quotient that a call stands for: an intensity, a ridge point, seconds or neither."""
        raise NotImplementedError

    def word(self, call: Call) -> Term | None:
        """Return the term that a call stands for; None for one that has to be found, such as a limit."""
        match call.function, call.arguments:
            case "flops", (op, *engine):
                return self.flops(op, compute_resource(text(engine[0])) if engine else "", to_text(call))[1]
            case "bytes", (op, *over):
                return self.bytes(op, channel_of(over), to_text(call))[1]
            case "intensity", (op, *over):
                flops = self.flops(op, "", to_text(Call("flops", (op,))))
                moved = self.bytes(op, channel_of(over), to_text(Call("bytes", call.arguments)))
                return self.quotient(call, flops, moved, "intensity")
            case "ridge", (chip, compute, *over):
                on = self.env.chip(chip)
                peak = self.figure(chip, on.peak(text(compute)))
                return self.quotient(call, peak, self.figure(chip, supply(on, channel_of(over))), "ridge")
            case "rate", (chip, resource):
                on = self.env.chip(chip)
                return self.figure(chip, on.rate(supplier(on, text(resource))))[1]
            case "capacity", (chip, resource):
                on = self.env.chip(chip)
                return self.figure(chip, on.capacity(supplier(on, text(resource))))[1]
            case "time", (op, chip, *resource):
                return self.seconds(call, op, chip, text(resource[0]) if resource else "")
            case "lower" | "upper", (op, chip, *_):
                return self.seconds_of_all(call, op, chip)
            case "attainable", (op, chip):
                flops, least = self.flops(op, "", to_text(Call("flops", (op,)))), Call("lower", call.arguments)
                return self.quotient(call, flops, (to_text(least), self.seconds_of_all(least, op, chip)))
            case "attainable", (chip, compute, at, *over):
                on = self.env.chip(chip)
                rates = on.peak(text(compute)), supply(on, text(over[0]) if over else "memory")
                most, bandwidth = (self.figure(chip, rate)[1] for rate in rates)
                return Term("min", most, Term("*", self.value(at), bandwidth))
        return None

    def seconds(self, call: Call, op: Tree, chip: Tree, resource: str) -> Term:
        """Return the time of one resource, the first where none is named."""
        asked = self.env.operation(op)
        chosen = demanded(asked, resource) if resource else next(iter(asked.demands))
        return self.quotient(call, *self.time(op, chip, chosen), "seconds")

    def seconds_of_all(self, call: Call, op: Tree, chip: Tree) -> Term:
        """Return the longest time of a resource for `lower`, the sum of all for `upper`."""
        raise NotImplementedError

    def cached(self, call: Call, chip: Tree) -> Amount | None:
        """Return the bytes that the last cache holds, where a call is about warm caches."""
        if not warm(call):
            return None
        from roofproof.derive.roofline.floors import cache_of

        return self.figure(chip, held) if (held := cache_of(self.env.chip(chip))) else None

    def time(self, op: Tree, chip: Tree, resource: str) -> tuple[Amount, Amount]:
        """Return the demand of a resource, and the rate that supplies it."""
        held, said = self.env.operation(op), f"{to_text(op)}: {resource}"
        demand = self.flops(op, resource, said) if resource in held.compute else self.bytes(op, resource, said)
        return demand, self.figure(chip, supply(self.env.chip(chip), resource))


def beyond_cache(moved: Term, cached: Term) -> Term:
    """Return bytes but for those in a cache.

    >>> beyond_cache(Term("v", "bytes"), Term("v", "l2"))
    ('max', ('+', ('v', 'bytes'), ('*', ('q', -1, 1), ('v', 'l2'))), ('q', 0, 1))
    """
    return Term("max", Term("+", moved, Term("*", Term("q", -1, 1), cached)), Term("q", 0, 1))


def channel_of(over: Sequence[Tree]) -> str:
    """Return the channel that the last argument of a call names, the memory where it is left out."""
    return channel(text(over[0])) if over else "memory"


def text(reference: Tree) -> str:
    """Return the text of a name of an operation, a chip or a resource."""
    return reference.text.strip() if isinstance(reference, Reference) else ""
