"""What the words of the engine mean, each said once: demand over supply, each counted or printed.

`intensity(matmul)` is FLOPs over bytes, `ridge(tpu-v5e, bf16)` a peak over a bandwidth, `time` a demand over a rate.
A word gives the term that it stands for. The value that is worked with is that term in SymPy, a proof rests on the
definitions on the way to it, and `in_definitions.py` writes the same by the names of a file. No fraction is cancelled
in a term: that a simpler form is the same is left to the proof kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.roofline.communication import alpha_beta
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.energy import each
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.intensities import reduced
from roofproof.derive.roofline.ridges import one_way, supplier, supply
from roofproof.derive.roofline.waves import blocks, sms
from roofproof.errors import RoofproofError, Undecided, quoted, refuse_unknown
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Name, Reference, Tree, text_of
from roofproof.hardware import Figure as Figured
from roofproof.hardware.resources import canonical_resource, is_compute
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY, channel, compute_resource
from roofproof.proofs.kernel.terms import Formula, Term, show, substitute, variables
from roofproof.proofs.known import ByDefinition, Figure, Known, Model
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_expr, to_formula, with_functions
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from roofproof.claims.language.environment import Environment
    from roofproof.derive.roofline.share import Share

Of = Callable[[Tree], Term]
Amount = tuple[Term, Term]  # by its name, and worked out
STEP = "step!"  # by which a variable rises
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


class NoValue(Undecided):
    """What is asked for does not exist, with what is known of that."""

    def __init__(self, says: str, known: Iterable[Known] = ()) -> None:
        super().__init__(says)
        self.known = tuple(known)


@dataclass(frozen=True)
class Found:
    """What a call comes to, where it comes to anything, and what is known of that.

    `hint` is what its meaning may use beside it, such as the place at which a minimum is taken; `whole` are the bounds
    of sums, which are whole; `partly` says that something is false for some values of other names, `point` where.
    Where `proofs` are a function, they wait until the claim turns out to hold.
    """

    value: sympy.Expr | Boolean
    where: tuple[Boolean, ...] = ()
    proofs: tuple[Known, ...] | Callable[[], Iterable[Known]] = ()
    hint: Any = None
    notes: tuple[str, ...] = ()
    whole: tuple[Formula, ...] = ()
    partly: tuple[Known, ...] = ()
    point: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """A statement that has to be known of a value: one of `goals`, where what is `given` holds."""

    goals: tuple[Formula, ...]
    given: tuple[Formula, ...] = ()
    says: Boolean | None = None  # the first goal in the names of algebra, where roots are taken out for a proof
    integers: frozenset[str] = frozenset()
    somewhere: bool = False  # it is known at a point


@dataclass(frozen=True)
class Word:
    """A word that has to be found: what finds its value, and what is due of this value in terms of the call."""

    find: Callable[[Environment, Call], Found]
    due: Callable[[Environment, Call, Found], Iterable[Due]]


@dataclass(frozen=True)
class Value:
    """A call with what it comes to, believed by what its word means."""

    call: Call
    found: Found
    proved: Callable[[], tuple[Known, ...]]

    @property
    def expr(self) -> Any:
        """The value, an expression or a condition."""
        return self.found.value

    @property
    def where(self) -> tuple[Boolean, ...]:
        """Where the call has a value."""
        return self.found.where

    @property
    def domain(self) -> tuple[Formula, ...]:
        """Where the call has a value, as formulas."""
        return tuple(to_formula(w, with_functions) for w in self.where)

    @cached_property
    def rests(self) -> tuple[Known, ...]:
        """What the value rests on; raises Undecided where something that is due of it is not known."""
        return self.proved()

    @property
    def known(self) -> Known:
        """The statement that the call has this value where it has one."""
        value: Term = Term("v", str(self.expr)) if self.expr.is_infinite else with_functions(self.expr)
        goal = Formula("=", Term("v", to_text(self.call)), value)
        return Known(Statement("", self.domain, goal, "value"), ByDefinition(value, self.rests))


def value(env: Environment, call: Call) -> sympy.Expr:
    """Return the exact value of a word of the engine: what its term comes to, an intensity in lowest terms.

    >>> from roofproof.claims.language.environment import Environment
    >>> from roofproof.formula.reader import read_value
    >>> value(Environment(), read_value("intensity(matmul)"))
    B*D*F/(B*D + B*F + D*F)
    """
    term = env.terms.term(call)
    symbols = {name: env.symbol(name) for name in variables(term)}
    as_usual = all(symbol == quantity(name) for name, symbol in symbols.items())
    found = to_expr(term) if as_usual else to_expr(term, symbols.__getitem__)
    return reduced(found) if call.function == "intensity" else found


def definitions(env: Environment, call: Call, term: Of) -> tuple[Known, ...]:
    """Return what the term of a word rests on.

    >>> from roofproof.claims.language.environment import Environment
    >>> from roofproof.formula.reader import read_value
    >>> from roofproof.proofs.from_tree import to_term
    >>> for each in definitions(Environment(), read_value("intensity(matmul)"), to_term):
    ...     print(each.statement.says, "by", each.trust)
    flops(matmul) = 2*B*D*F by model
    bytes(matmul) = 2*B*D + 2*B*F + 2*D*F by model
    intensity(matmul) = flops(matmul)/bytes(matmul) by model

    `term` gives the term of a name and of what else stands in the call.
    """
    words = _Definitions(env, term)
    words.word(call)
    return tuple(words.known)


def exceeded(env: Environment, ceiling: Ceiling, operation: Tree, term: Of) -> tuple[Formula, tuple[Known, ...]]:
    """State that an engine takes longer than a channel: FLOPs over bytes exceed the ridge point."""
    words, of = _Definitions(env, term), to_text(operation)
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


class Words:
    """The terms of words in the values of the sizes; those who derive from it note on the way what they rest on, or
    write a demand, a figure and a quotient by names.
    """

    def __init__(self, env: Environment, value: Of) -> None:
        self.env, self.value = env, value  # the term of an argument that is a value

    def word(self, call: Call) -> Term | None:
        """Return the term that a call stands for; None for one that has to be found, such as a limit."""
        meaning = MEANINGS.get(call.function)
        return None if meaning is None else meaning(self, call, *call.arguments)

    def says(self, name: str, value: Term, convention: str) -> Term:
        """Return a value that is defined by a convention."""
        return value

    def printed(self, figure: Figured) -> Term:
        """Return a figure of a chip as it is printed."""
        return Term.rational(figure.value)

    def counted(self, name: str, amount: sympy.Expr) -> Term:
        """Return an amount of an operation in the values of its sizes."""
        counted = self.says(name, with_functions(amount), COUNT)
        meant = variables(counted) & {*self.env.let, *self.env.signs}
        found: Term = substitute(counted, {n: self.value(Name(n)) for n in meant})
        return found

    def flops(self, op: Tree, engine: str, said: str) -> Amount:
        """Return the FLOPs of an operation, of one engine or, where none is named, of all."""
        return Term("v", said), self.counted(said, flops_of(self.env.operation(op), engine))

    def bytes(self, op: Tree, over: str, said: str) -> Amount:
        """Return the bytes that an operation moves over a channel."""
        return Term("v", said), self.counted(said, self.env.operation(op).bytes(over))

    def figure(self, chip: Tree, figure: Figured) -> Amount:
        """Return a figure of a chip."""
        return Term("v", figure.resource), self.printed(figure)

    def over(self, above: Term, below: Term, kind: str) -> Term:
        """Return a quotient: an intensity, a ridge point, seconds or another."""
        return Term("/", above, below)

    def quotient(self, call: Call, above: Amount, below: Amount, kind: str = "") -> Term:
        """Return the quotient that a call stands for."""
        self.says(to_text(call), Term("/", above[0], below[0]), CONVENTIONS[kind])
        return self.over(above[1], below[1], kind)

    def demand(self, op: Tree, resource: str) -> Amount:
        """Return what an operation demands of a resource."""
        held, said = self.env.operation(op), f"{to_text(op)}: {resource}"
        return self.flops(op, resource, said) if resource in held.compute else self.bytes(op, resource, said)

    def time(self, op: Tree, chip: Tree, resource: str) -> tuple[Amount, Amount]:
        """Return the demand of a resource, and the rate that supplies it."""
        return self.demand(op, resource), self.figure(chip, supply(self.env.chip(chip), resource))


class _Definitions(Words):
    """The terms of words, and the definitions that they rest on."""

    def __init__(self, env: Environment, value: Of) -> None:
        super().__init__(env, value)
        self.known = list[Known]()

    def says(self, name: str, value: Term, convention: str) -> Term:
        goal = Formula("=", Term("v", name), value)
        self.known.append(Known(Statement(show(goal), (), goal, "definition"), Model(convention)))
        return value

    def printed(self, figure: Figured) -> Term:
        goal = Formula("=", Term("v", figure.resource), Term.rational(figure.value))
        self.known.append(Known(Statement("", (), goal, "figure"), Figure(figure)))
        return super().printed(figure)


# --- demands and supplies ------------------------------------------------------------------------------


def _flops(words: Words, call: Call, op: Tree, *engine: Tree) -> Term:
    return words.flops(op, compute_resource(text_of(engine[0])) if engine else "", to_text(call))[1]


def flops_of(op: Operation, engine: str) -> sympy.Expr:
    """Return the FLOPs of an operation, of one engine or, where none is named, of all."""
    if engine:
        refuse_unknown("compute resource", engine, op.compute, of=op.name)
    return op.compute[engine] if engine else op.flops


def _bytes(words: Words, call: Call, op: Tree, *over: Tree) -> Term:
    return words.bytes(op, _channel(over), to_text(call))[1]


def _channel(over: Sequence[Tree]) -> str:
    """Return the channel that the last argument of a call names, the memory where it is left out."""
    return channel(text_of(over[0])) if over else MEMORY


def _rate(words: Words, call: Call, chip: Tree, resource: Tree) -> Term:
    on = words.env.chip(chip)
    return words.figure(chip, on.rate(supplier(on, text_of(resource))))[1]


def _capacity(words: Words, call: Call, chip: Tree, resource: Tree) -> Term:
    on = words.env.chip(chip)
    return words.figure(chip, on.capacity(supplier(on, text_of(resource))))[1]


def _ceiling(words: Words, call: Call, chip: Tree, name: Tree, *of: Tree) -> Term:
    return words.printed(words.env.chip(chip).ceiling(text_of(name), *map(text_of, of)))


def _trait(words: Words, call: Call, chip: Tree, name: Tree) -> Term:
    on = words.env.chip(chip)
    if (found := on.trait(text_of(name))) is None:
        raise RoofproofError(
            "chip <chip> has no spec <figure>; it has <listed>",
            chip=quoted(on.name), figure=quoted(text_of(name)), listed=", ".join(on.resources),
        )  # fmt: skip
    return words.printed(found)


# --- quotients of the two ------------------------------------------------------------------------------


def _intensity(words: Words, call: Call, op: Tree, *over: Tree) -> Term:
    held = words.env.operation(op)
    if held.bytes(_channel(over)) == 0:
        raise RoofproofError(
            "<op> moves no bytes over <channel>; its intensity there is not defined",
            op=held.name, channel=_channel(over),
        )  # fmt: skip
    flops = words.flops(op, "", to_text(Call("flops", (op,))))
    moved = words.bytes(op, _channel(over), to_text(Call("bytes", call.arguments)))
    return words.quotient(call, flops, moved, "intensity")


def _ridge(words: Words, call: Call, chip: Tree, compute: Tree, *over: Tree) -> Term:
    on = words.env.chip(chip)
    peak = words.figure(chip, on.peak(text_of(compute)))
    bandwidth = one_way(on, on.bandwidth(supplier(on, _channel(over))))
    return words.quotient(call, peak, words.figure(chip, bandwidth), "ridge")


def _balance(words: Words, call: Call, chip: Tree, compute: Tree, *over: Tree) -> Term:
    on = words.env.chip(chip)
    byte, flop = each(on, text_of(over[0]) if over else MEMORY), each(on, text_of(compute))
    return words.quotient(call, words.figure(chip, byte), words.figure(chip, flop), "balance")


def _time(words: Words, call: Call, op: Tree, chip: Tree, *resource: Tree) -> Term:
    demands = words.env.operation(op).demands
    if not resource and len(demands) != 1:
        raise RoofproofError(
            "<op> has one time for each resource; name one as the third argument (<resources>), or use lower "
            "(their maximum) or upper (their sum)",
            op=words.env.operation(op).name,
            resources=", ".join(demands),
        )
    [chosen] = [_demanded(words.env.operation(op), text_of(name)) for name in resource] or demands
    return words.quotient(call, *words.time(op, chip, chosen), "seconds")


def _demanded(op: Operation, text: str) -> str:
    """Return the resource that a text names, of those that an operation demands."""
    name = text if text == MEMORY else canonical_resource(text)
    resource = name if is_compute(name) else channel(name)
    if resource not in op.demands:
        raise RoofproofError(
            "<op> does not use <resource>; it uses <resources>",
            op=op.name,
            resource=text,
            resources=", ".join(op.demands),
        )
    return resource


def _of_all(words: Words, call: Call, op: Tree, chip: Tree, *caches: Tree) -> Term:
    """Return the longest time of an engine or a channel for `lower`, the sum of all for `upper`."""
    held, on, hidden = words.env.operation(op), words.env.chip(chip), _hidden(words, chip, caches)
    within = {s.resource: s.within for s in on_one_engine(held, on)[1]} if call.function == "lower" else {}
    times: dict[str, list[Amount]] = {}
    for resource in held.demands:
        demand, rate = words.time(op, chip, resource)
        if hidden is not None and resource == MEMORY:
            demand = _beyond(demand[0], hidden[0]), _beyond(demand[1], hidden[1])
        seconds = Term("/", demand[0], rate[0]), words.over(demand[1], rate[1], "seconds")
        times.setdefault(within.get(resource, resource), []).append(seconds)
    engines = [tuple(_joined("+", side) for side in zip(*parts, strict=True)) for parts in times.values()]
    head = "max" if call.function == "lower" and times else "+"
    whole, found = (_joined(head, [engine[side] for engine in engines]) for side in (0, 1))
    words.says(to_text(call), whole, CONVENTIONS["seconds"])
    return found


def _joined(head: str, terms: Sequence[Term]) -> Term:
    return terms[0] if len(terms) == 1 else Term(head, *terms)


def _hidden(words: Words, chip: Tree, caches: Sequence[Tree]) -> Amount | None:
    """Return the bytes that the last cache holds, where a call is about warm caches: `lower(op, chip, warm)`."""
    if not caches:
        return None
    refuse_unknown("kind of caches", text_of(caches[0]), ("warm",))
    from roofproof.derive.roofline.floors import cache_of

    return words.figure(chip, held) if (held := cache_of(words.env.chip(chip))) else None


def _beyond(moved: Term, cached: Term) -> Term:
    """Return bytes but for those in a cache.

    >>> _beyond(Term("v", "bytes"), Term("v", "l2"))
    ('max', ('+', ('v', 'bytes'), ('*', ('q', -1, 1), ('v', 'l2'))), ('q', 0, 1))
    """
    return Term("max", Term("+", moved, Term("*", Term("q", -1, 1), cached)), Term("q", 0, 1))


def _attainable(words: Words, call: Call, first: Tree, second: Tree, *more: Tree) -> Term:
    if not more:  # an operation on a chip: its FLOPs in the shortest time
        flops, least = words.flops(first, "", to_text(Call("flops", (first,)))), Call("lower", call.arguments)
        return words.quotient(call, flops, (Term("v", to_text(least)), _of_all(words, least, first, second)))
    on, (at, *over) = words.env.chip(first), more
    rates: list[Figured] = [on.peak(text_of(second)), supply(on, text_of(over[0]) if over else MEMORY)]
    most, bandwidth = (words.figure(first, rate)[1] for rate in rates)
    return Term("min", most, Term("*", words.value(at), bandwidth))


# --- energy, blocks, estimates -------------------------------------------------------------------------


def _energy(words: Words, call: Call, op: Tree, chip: Tree) -> Term:
    """Return the energy of all that an operation demands."""
    demands, on = words.env.operation(op).demands, words.env.chip(chip)
    parts = [Term("*", words.demand(op, name)[1], words.printed(each(on, name))) for name in demands]
    return words.says(to_text(call), Term("+", *parts), CONVENTIONS["energy"])


def _waves(words: Words, call: Call, op: Tree, chip: Tree) -> Term:
    """Return the number of waves of an operation's blocks."""
    return words.says(to_text(call), Term("ceil", Term("/", *_grid(words, op, chip))), CONVENTIONS["waves"])


def _wave_efficiency(words: Words, call: Call, op: Tree, chip: Tree) -> Term:
    rounds = _waves(words, Call("waves", call.arguments), op, chip)
    grid, cores = rounds[1][1:]
    return words.says(to_text(call), Term("/", grid, Term("*", cores, rounds)), CONVENTIONS["waves"])


def _grid(words: Words, op: Tree, chip: Tree) -> tuple[Term, Term]:
    grid = words.counted(f"blocks({to_text(op)})", blocks(words.env.operation(op)))
    return grid, with_functions(sms(words.env.chip(chip)))


def _estimate(words: Words, call: Call, op: Tree, chip: Tree, *corner: Tree) -> Term:
    """Return the seconds of an estimate, or the share of the peak that is kept by it."""
    from roofproof.derive.roofline.keeping import share_of

    held, on, said = words.env.operation(op), words.env.chip(chip), to_text(op)
    found = share_of(held, on, Fraction(1, 2), text_of(corner[0]) if corner else None)
    [one] = ceilings(held, on)
    flops = words.flops(op, one.compute, f"{said}: {one.compute}")
    moved = words.bytes(op, one.channel, f"bytes({said})")
    a, q = (
        Term("/", amount, Term("*", _calibrated(words, name, share, found), words.printed(rate)))
        for (_, amount), name, share, rate in zip(
            (flops, moved), "ed", (found.compute, found.memory), one.rests_on, strict=True
        )
    )
    squares = Term("+", Term("^", a, 2), Term("^", q, 2))
    corners: dict[str, Term] = {"max": Term("max", a, q), "sum": Term("+", a, q), "root": Term("sqrt", squares)}
    seconds = Term("+", _calibrated(words, "start", found.start, found), corners[found.corner])
    estimated = seconds if call.function == "estimate" else Term("/", a, seconds)
    return words.says(to_text(call), estimated, CONVENTIONS[call.function])


def _calibrated(words: Words, name: str, value: Fraction, found: Share) -> Term:
    said = f"estimate: {found.ceilings.source}" if found.ceilings else "estimate: figures reached in full"
    return words.says(name, Term.rational(value), said)


def _alpha_beta(words: Words, call: Call, op: Tree, *chip: Tree) -> Term:
    """Return the seconds of a collective, its starts and its bytes."""
    held, said = words.env.operation(op), to_text(op)
    if not chip:
        return words.says(to_text(call), words.counted(f"time({said})", alpha_beta(held)), CONVENTIONS["alpha_beta"])
    alpha_beta(held, on := words.env.chip(chip[0]))  # refuses what has no steps, and a link that the chip lacks
    parts = list[Term]()
    for link, steps in held.hops.items():
        hop = on.trait(f"{link}-latency")
        end = "" if len(held.hops) == 1 else f"_{link.replace('-', '_')}"
        start = words.value(Name(f"t{end}")) if hop is None else words.printed(hop)
        parts.append(Term("*", words.counted(f"steps({said}, {link})", steps), start))
        moved = words.counted(f"bytes({said}, {link})", held.demands.get(link, sympy.Integer(0)))
        parts.append(Term("/", moved, words.printed(supply(on, link))))
    return words.says(to_text(call), Term("+", *parts), CONVENTIONS["alpha_beta"])


NAMED: dict[str, Callable[..., Term]] = {  # of these a file of theorems has definitions by name
    "attainable": _attainable, "bytes": _bytes, "capacity": _capacity, "flops": _flops, "intensity": _intensity,
    "lower": _of_all, "rate": _rate, "ridge": _ridge, "time": _time, "upper": _of_all,
}  # fmt: skip
MEANINGS = {
    **NAMED, "alpha_beta": _alpha_beta, "balance": _balance, "ceiling": _ceiling, "energy": _energy,
    "estimate": _estimate, "share": _estimate, "trait": _trait, "wave_efficiency": _wave_efficiency, "waves": _waves,
}  # fmt: skip
DIRECT: dict[str, Callable[[Environment, Call], sympy.Expr]] = dict.fromkeys(MEANINGS, value)
