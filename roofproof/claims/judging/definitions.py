"""What the words of the engine stand for in a claim, as definitions: demand over supply, each counted or printed.

`intensity(matmul)` is FLOPs over bytes, `ridge(tpu-v5e, bf16)` a peak over a bandwidth, `time` a demand over a rate.
No fraction is cancelled here: that a simpler form is the same is left to the proof kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy

from roofproof.claims.judging.words import Amount, Words, beyond_cache, text
from roofproof.claims.language.environment import Environment, flops_of
from roofproof.derive.roofline.communication import alpha_beta
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.energy import each
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.share import Share
from roofproof.derive.roofline.waves import blocks, sms
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Name, Reference, Tree
from roofproof.hardware import Figure as Figured
from roofproof.ops.resources import MEMORY, channel
from roofproof.proofs.kernel.terms import Formula, Term, show, substitute, variables
from roofproof.proofs.known import Figure, Known, Model
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions

Of = Callable[[Tree], Term]
Defined = tuple[Term, tuple[Known, ...]]
COUNT = "counted of the operation: two FLOPs a multiply-add, each tensor moved once"
CONVENTIONS = {
    "intensity": "FLOPs over bytes",
    "ridge": "peak over bandwidth",
    "seconds": "demand over rate",
    "balance": "joules a byte over joules a FLOP",
    "energy": "joules of each FLOP and each byte, added up",
    "waves": "blocks over cores, rounded up",
    "estimate": "the start, and the corner of both times by calibrated ceilings",
    "alpha_beta": "a start for each step, and the bytes over the rate of the link",
    "share": "the time of the engine over the estimated time of all",
    "": "FLOPs over the shortest time",
}


def definition(env: Environment, call: Call, term: Of) -> Defined | None:
    """Return the term of a word of the engine and the definitions that it rests on; None for what has to be found.

    >>> from roofproof.formula.reader import read_value
    >>> from roofproof.proofs.from_tree import to_term
    >>> value, known = definition(Environment(), read_value("intensity(matmul)"), to_term)
    >>> for each in known:
    ...     print(each.statement.says, "by", each.trust)
    flops(matmul) = 2*B*D*F by model
    bytes(matmul) = 2*B*D + 2*B*F + 2*D*F by model
    intensity(matmul) = flops(matmul)/bytes(matmul) by model

    `term` gives the term of a name and of what else stands in the call.
    """
    words = _Words(env, term)
    return None if (value := words.word(call)) is None else (value, tuple(words.known))


def exceeded(env: Environment, ceiling: Ceiling, operation: Tree, term: Of) -> tuple[Formula, tuple[Known, ...]]:
    """State that an engine takes longer than a channel: FLOPs over bytes exceed the ridge point."""
    words, of = _Words(env, term), to_text(operation)
    flops = words.counted(f"flops({of}, {ceiling.compute})", ceiling.flops)
    moved = words.counted(f"bytes({of}, {ceiling.channel})", ceiling.moved)
    ridge = Term("v", ceiling.symbol.name)
    if ceiling.rests_on:
        ridge = Term("/", *map(words.printed, ceiling.rests_on))
    if ceiling.moved.is_positive:
        return Formula(">", Term("/", flops, moved), ridge), tuple(words.known)
    return Formula(">", flops, Term("*", ridge, moved)), tuple(words.known)


def named_ceilings(
    env: Environment, operation: Tree, chip: Tree | None = None, *resources: Tree
) -> tuple[Ceiling, ...]:  # fmt: skip
    """Return the ceilings on the way to compute-bound, over the channels and engines named alone."""
    op = env.operation(operation)
    op.refuse_lower_bound()
    found = ceilings(op, None if chip is None else env.chip(chip))
    channels = {c.channel for c in found}
    for name in (r.text for r in resources if isinstance(r, Reference)):
        if name in op.compute:
            found = tuple(c for c in found if c.compute == name)
            continue
        if channel(name) not in channels:
            raise RoofproofError(
                "<name> moves nothing over <channel>; it uses <names>",
                name=op.name,
                channel=name,
                names=", ".join(sorted(channels)),
            )
        found = tuple(c for c in found if c.channel == channel(name))
    return found


class _Words(Words):
    """The definitions that one call needs."""

    def __init__(self, env: Environment, term: Of) -> None:
        super().__init__(env, term)
        self.known = list[Known]()

    def word(self, call: Call) -> Term | None:
        match call.function, call.arguments:
            case "ceiling", (chip, name, *of):
                return self.printed(self.env.chip(chip).ceiling(text(name), *map(text, of)))
            case "trait", (chip, name) if (found := self.env.chip(chip).trait(text(name))) is not None:
                return self.printed(found)
            case "balance", (chip, compute, *over):
                on = self.env.chip(chip)
                byte, flop = (each(on, r) for r in (text(over[0]) if over else "memory", text(compute)))
                return self.quotient(call, self.figure(chip, byte), self.figure(chip, flop), "balance")
            case "energy", (op, chip):
                return self.energy(call, op, chip)
            case "waves", (op, chip):
                return self.waves(call, op, chip)
            case "wave_efficiency", (op, chip):
                rounds = self.waves(Call("waves", call.arguments), op, chip)
                blocks_, cores = (side for side in rounds[1][1:])
                return self.says(to_text(call), Term("/", blocks_, Term("*", cores, rounds)), CONVENTIONS["waves"])
            case "estimate" | "share", (op, chip, *corner):
                return self.estimate(call, op, chip, text(corner[0]) if corner else None)
            case "alpha_beta", (op, *on):
                return self.alpha_beta(call, op, *on)
        return super().word(call)

    def alpha_beta(self, call: Call, op: Tree, chip: Tree | None = None) -> Term:
        """Return the seconds of a collective, its starts and its bytes."""
        held = self.env.operation(op)
        if chip is None:
            return self.says(
                to_text(call), self.counted(f"time({to_text(op)})", alpha_beta(held)), CONVENTIONS["alpha_beta"]
            )
        alpha_beta(held, on := self.env.chip(chip))  # refuses what has no steps, and a link that the chip lacks
        parts = list[Term]()
        for link, steps in held.hops.items():
            said, hop = f"{to_text(op)}, {link}", on.trait(f"{link}-latency")
            end = "" if len(held.hops) == 1 else f"_{link.replace('-', '_')}"
            start = self.value(Name(f"t{end}")) if hop is None else self.printed(hop)
            parts.append(Term("*", self.counted(f"steps({said})", steps), start))
            moved = self.counted(f"bytes({said})", held.demands.get(link, sympy.Integer(0)))
            parts.append(Term("/", moved, self.printed(supply(on, link))))
        return self.says(to_text(call), Term("+", *parts), CONVENTIONS["alpha_beta"])

    def energy(self, call: Call, op: Tree, chip: Tree) -> Term:
        """Return the energy of all that an operation demands."""
        held, parts = self.env.operation(op), list[Term]()
        for resource in held.demands:
            said = f"{to_text(op)}: {resource}"
            demand = self.flops(op, resource, said) if resource in held.compute else self.bytes(op, resource, said)
            parts.append(Term("*", demand[1], self.printed(each(self.env.chip(chip), resource))))
        return self.says(to_text(call), Term("+", *parts), CONVENTIONS["energy"])

    def estimate(self, call: Call, op: Tree, chip: Tree, corner: str | None) -> Term:
        """Return the seconds of an estimate, or the share of the peak that is kept by it."""
        held, on = self.env.operation(op), self.env.chip(chip)
        found = share_of(held, on, Fraction(1, 2), corner)
        [one] = ceilings(held, on)
        said = to_text(op)
        amounts = (self.flops(op, one.compute, f"{said}: {one.compute}"), self.bytes(op, one.channel, f"bytes({said})"))
        reached = (found.compute, found.memory)
        a, q = (
            Term("/", amount, Term("*", self.calibrated(name, share, found), self.printed(rate)))
            for (_, amount), name, share, rate in zip(amounts, "ed", reached, one.rests_on, strict=True)
        )
        squares = Term("+", Term("^", a, 2), Term("^", q, 2))
        corners: dict[str, Term] = {"max": Term("max", a, q), "sum": Term("+", a, q), "root": Term("sqrt", squares)}
        seconds = Term("+", self.calibrated("start", found.start, found), corners[found.corner])
        value = seconds if call.function == "estimate" else Term("/", a, seconds)
        return self.says(to_text(call), value, CONVENTIONS[call.function])

    def calibrated(self, name: str, value: Fraction, found: Share) -> Term:
        said = f"estimate: {found.ceilings.source}" if found.ceilings else "estimate: figures reached in full"
        return self.says(name, Term.rational(value), said)

    def waves(self, call: Call, op: Tree, chip: Tree) -> Term:
        """Return the number of waves of an operation's blocks."""
        grid = self.counted(f"blocks({to_text(op)})", blocks(self.env.operation(op)))
        cores = sms(self.env.chip(chip))
        return self.says(to_text(call), Term("ceil", Term("/", grid, with_functions(cores))), CONVENTIONS["waves"])

    def counted(self, name: str, amount: sympy.Expr) -> Term:
        """Return an amount of an operation in the values of its sizes."""
        counted = with_functions(amount)
        self.says(name, counted, COUNT)
        meant = variables(counted) & {*self.env.let, *self.env.signs}
        made: Term = substitute(counted, {n: self.value(Name(n)) for n in meant})
        return made

    def figure(self, chip: Tree, figure: Figured) -> Amount:
        return figure.resource, self.printed(figure)

    def printed(self, figure: Figured) -> Term:
        said = Term.rational(figure.value)
        goal = Formula("=", Term("v", figure.resource), said)
        self.known.append(Known(Statement(show(goal), (), goal, "figure"), Figure(figure)))
        return said

    def says(self, name: str, value: Term, convention: str) -> Term:
        goal = Formula("=", Term("v", name), value)
        self.known.append(Known(Statement(show(goal), (), goal, "definition"), Model(convention)))
        return value

    def flops(self, op: Tree, engine: str, said: str) -> Amount:
        return said, self.counted(said, flops_of(self.env.operation(op), engine))

    def bytes(self, op: Tree, over: str, said: str) -> Amount:
        return said, self.counted(said, self.env.operation(op).bytes(over))

    def quotient(self, call: Call, above: Amount, below: Amount, kind: str = "") -> Term:
        self.says(to_text(call), Term("/", Term("v", above[0]), Term("v", below[0])), CONVENTIONS[kind])
        return Term("/", above[1], below[1])

    def seconds_of_all(self, call: Call, op: Tree, chip: Tree) -> Term:
        cached = self.cached(call, chip)
        named, values = list[Term](), list[Term]()
        for resource in self.env.operation(op).demands:
            above, below = self.time(op, chip, resource)
            said = Term("v", above[0])
            demand = above[1]
            if cached is not None and resource == MEMORY:
                said, demand = beyond_cache(said, Term("v", cached[0])), beyond_cache(demand, cached[1])
            named.append(Term("/", said, Term("v", below[0])))
            values.append(Term("/", demand, below[1]))
        head = "max" if call.function == "lower" and values else "+"
        whole, value = (terms[0] if len(terms) == 1 else Term(head, *terms) for terms in (named, values))
        self.says(to_text(call), whole, CONVENTIONS["seconds"])
        return value
