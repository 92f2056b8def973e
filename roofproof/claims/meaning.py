"""The meanings of the functions of the claim language that have a definition, each as a term.

`intensity(matmul)` is FLOPs over bytes, `ridge(tpu-v5e, bf16)` a peak over a bandwidth, `time` a demand over a rate.
The value of a call is its term in SymPy, and a proof rests on the definitions that lead to the term. With
`in_definitions.py`, the same functions write terms with the names of a Coq file. Fractions in a term are not reduced:
the proof checker proves that a simpler form is equal.
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
from roofproof.derive.roofline.engines import merge_shared_formats
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
Amount = tuple[Term, Term]  # the name, and the value
STEP = "step!"  # the name of the increment of a variable
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
    """The error that a requested value does not exist, with the statements that prove it."""

    def __init__(self, says: str, known: Iterable[Known] = ()) -> None:
        super().__init__(says)
        self.known = tuple(known)


@dataclass(frozen=True)
class Found:
    """The value that was found for a call, the conditions for it to exist (`where`), and its proofs.

    `hint` is extra data for checking the value, such as the place where a minimum is attained. `whole` states that the
    bounds of sums are integers. `partly` states that something is false for some values of other names, and `point` is
    such a point. If `proofs` is a function, it is called only if the claim turns out to hold.
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
class Requirement:
    """A requirement on a value: one of `goals` must be known under the assumptions `given`."""

    goals: tuple[Formula, ...]
    given: tuple[Formula, ...] = ()
    says: Boolean | None = None  # the first goal in SymPy, for proofs that eliminate roots
    integers: frozenset[str] = frozenset()
    somewhere: bool = False  # it must be known at some point only


@dataclass(frozen=True)
class Word:
    """A function whose value is searched for: the search, and the requirements on the value in terms of the call."""

    find: Callable[[Environment, Call], Found]
    due: Callable[[Environment, Call, Found], Iterable[Requirement]]


@dataclass(frozen=True)
class Value:
    """A call with its value, which satisfies the requirements of its function."""

    call: Call
    found: Found
    proved: Callable[[], tuple[Known, ...]]

    @property
    def expr(self) -> Any:
        """The value: an expression or a condition."""
        return self.found.value

    @property
    def where(self) -> tuple[Boolean, ...]:
        """The conditions under which the call has a value."""
        return self.found.where

    @property
    def domain(self) -> tuple[Formula, ...]:
        """The conditions under which the call has a value, as formulas."""
        return tuple(to_formula(w, with_functions) for w in self.where)

    @cached_property
    def rests(self) -> tuple[Known, ...]:
        """The statements that the value rests on. Raises Undecided for a requirement that is not known."""
        return self.proved()

    @property
    def known(self) -> Known:
        """The statement that the call has this value on its domain."""
        value: Term = Term("v", str(self.expr)) if self.expr.is_infinite else with_functions(self.expr)
        goal = Formula("=", Term("v", to_text(self.call)), value)
        return Known(Statement("", self.domain, goal, "value"), ByDefinition(value, self.rests))


def value(env: Environment, call: Call) -> sympy.Expr:
    """Return the exact value of a call as a SymPy expression, with an intensity in lowest terms.

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
    """Return the definitions that the term of a call rests on.

    >>> from roofproof.claims.language.environment import Environment
    >>> from roofproof.formula.reader import read_value
    >>> from roofproof.proofs.from_tree import to_term
    >>> for each in definitions(Environment(), read_value("intensity(matmul)"), to_term):
    ...     print(each.statement.says, "by", each.trust)
    flops(matmul) = 2*B*D*F by model
    bytes(matmul) = 2*B*D + 2*B*F + 2*D*F by model
    intensity(matmul) = flops(matmul)/bytes(matmul) by model

    `term` returns the terms of the arguments of the call.
    """
    words = _Definitions(env, term)
    words.term_of(call)
    return tuple(words.known)


def exceeded(env: Environment, ceiling: Ceiling, operation: Tree, term: Of) -> tuple[Formula, tuple[Known, ...]]:
    """Return the formula "FLOPs over bytes exceed the ridge point" for one ceiling, and its definitions."""
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
    """Return the ceilings that `compute_bound` compares, restricted to the compute units and links that are named."""
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


class CallTerms:
    """The terms of calls, in the values of the sizes.

    Subclasses record the definitions that a term rests on, or write demands, specs and quotients by name.
    """

    def __init__(self, env: Environment, value: Of) -> None:
        self.env, self.value = env, value  # `value` returns the term of an argument

    def term_of(self, call: Call) -> Term | None:
        """Return the term of a call, or None if its value has to be searched for, as with a limit."""
        meaning = MEANINGS.get(call.function)
        return None if meaning is None else meaning(self, call, *call.arguments)

    def says(self, name: str, value: Term, convention: str) -> Term:
        """Return a value that a convention defines."""
        return value

    def printed(self, figure: Figured) -> Term:
        """Return a spec of a chip as its published number."""
        return Term.rational(figure.value)

    def counted(self, name: str, amount: sympy.Expr) -> Term:
        """Return an amount of an operation, with the values of its sizes substituted."""
        counted = self.says(name, with_functions(amount), COUNT)
        meant = variables(counted) & {*self.env.let, *self.env.signs}
        found: Term = substitute(counted, {n: self.value(Name(n)) for n in meant})
        return found

    def flops(self, op: Tree, engine: str, said: str) -> Amount:
        """Return the FLOPs of an operation on one compute unit, or on all if none is named."""
        return Term("v", said), self.counted(said, flops_of(self.env.operation(op), engine))

    def bytes(self, op: Tree, over: str, said: str) -> Amount:
        """Return the bytes that an operation moves over a memory level or link."""
        return Term("v", said), self.counted(said, self.env.operation(op).bytes(over))

    def figure(self, chip: Tree, figure: Figured) -> Amount:
        """Return a spec of a chip."""
        return Term("v", figure.resource), self.printed(figure)

    def over(self, above: Term, below: Term, kind: str) -> Term:
        """Return a quotient of a kind: an intensity, a ridge point, seconds or another."""
        return Term("/", above, below)

    def quotient(self, call: Call, above: Amount, below: Amount, kind: str = "") -> Term:
        """Return the quotient that a call means."""
        self.says(to_text(call), Term("/", above[0], below[0]), CONVENTIONS[kind])
        return self.over(above[1], below[1], kind)

    def demand(self, op: Tree, resource: str) -> Amount:
        """Return the FLOPs or bytes that an operation demands of a resource."""
        held, said = self.env.operation(op), f"{to_text(op)}: {resource}"
        return self.flops(op, resource, said) if resource in held.compute else self.bytes(op, resource, said)

    def time(self, op: Tree, chip: Tree, resource: str) -> tuple[Amount, Amount]:
        """Return the demand of a resource, and the rate that supplies it."""
        return self.demand(op, resource), self.figure(chip, supply(self.env.chip(chip), resource))


class _Definitions(CallTerms):
    """The terms of calls, with a record of the definitions that they rest on."""

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


def _flops(words: CallTerms, call: Call, op: Tree, *engine: Tree) -> Term:
    return words.flops(op, compute_resource(text_of(engine[0])) if engine else "", to_text(call))[1]


def flops_of(op: Operation, engine: str) -> sympy.Expr:
    """Return the FLOPs of an operation on one compute unit, or on all if none is named."""
    if engine:
        refuse_unknown("compute resource", engine, op.compute, of=op.name)
    return op.compute[engine] if engine else op.flops


def _bytes(words: CallTerms, call: Call, op: Tree, *over: Tree) -> Term:
    return words.bytes(op, _channel(over), to_text(call))[1]


def _channel(over: Sequence[Tree]) -> str:
    """Return the memory level or link that the last argument of a call names, main memory if it is omitted."""
    return channel(text_of(over[0])) if over else MEMORY


def _rate(words: CallTerms, call: Call, chip: Tree, resource: Tree) -> Term:
    on = words.env.chip(chip)
    return words.figure(chip, on.rate(supplier(on, text_of(resource))))[1]


def _capacity(words: CallTerms, call: Call, chip: Tree, resource: Tree) -> Term:
    on = words.env.chip(chip)
    return words.figure(chip, on.capacity(supplier(on, text_of(resource))))[1]


def _ceiling(words: CallTerms, call: Call, chip: Tree, name: Tree, *of: Tree) -> Term:
    return words.printed(words.env.chip(chip).ceiling(text_of(name), *map(text_of, of)))


def _trait(words: CallTerms, call: Call, chip: Tree, name: Tree) -> Term:
    on = words.env.chip(chip)
    if (found := on.trait(text_of(name))) is None:
        raise RoofproofError(
            "chip <chip> has no spec <figure>; it has <listed>",
            chip=quoted(on.name), figure=quoted(text_of(name)), listed=", ".join(on.resources),
        )  # fmt: skip
    return words.printed(found)


# --- quotients of demands and supplies -----------------------------------------------------------------


def _intensity(words: CallTerms, call: Call, op: Tree, *over: Tree) -> Term:
    held = words.env.operation(op)
    if held.bytes(_channel(over)) == 0:
        raise RoofproofError(
            "<op> moves no bytes over <channel>; its intensity there is not defined",
            op=held.name, channel=_channel(over),
        )  # fmt: skip
    flops = words.flops(op, "", to_text(Call("flops", (op,))))
    moved = words.bytes(op, _channel(over), to_text(Call("bytes", call.arguments)))
    return words.quotient(call, flops, moved, "intensity")


def _ridge(words: CallTerms, call: Call, chip: Tree, compute: Tree, *over: Tree) -> Term:
    on = words.env.chip(chip)
    peak = words.figure(chip, on.peak(text_of(compute)))
    bandwidth = one_way(on, on.bandwidth(supplier(on, _channel(over))))
    return words.quotient(call, peak, words.figure(chip, bandwidth), "ridge")


def _balance(words: CallTerms, call: Call, chip: Tree, compute: Tree, *over: Tree) -> Term:
    on = words.env.chip(chip)
    byte, flop = each(on, text_of(over[0]) if over else MEMORY), each(on, text_of(compute))
    return words.quotient(call, words.figure(chip, byte), words.figure(chip, flop), "balance")


def _time(words: CallTerms, call: Call, op: Tree, chip: Tree, *resource: Tree) -> Term:
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
    """Return the resource that a text names. The operation must use it."""
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


def _of_all(words: CallTerms, call: Call, op: Tree, chip: Tree, *caches: Tree) -> Term:
    """Return the longest time of a compute unit, memory level or link for `lower`, the sum of all for `upper`."""
    held, on, hidden = words.env.operation(op), words.env.chip(chip), _hidden(words, chip, caches)
    within = {s.resource: s.within for s in merge_shared_formats(held, on)[1]} if call.function == "lower" else {}
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


def _hidden(words: CallTerms, chip: Tree, caches: Sequence[Tree]) -> Amount | None:
    """Return the capacity of the last-level cache for a call with warm caches: `lower(op, chip, warm)`."""
    if not caches:
        return None
    refuse_unknown("kind of caches", text_of(caches[0]), ("warm",))
    from roofproof.derive.roofline.floors import cache_of

    return words.figure(chip, held) if (held := cache_of(words.env.chip(chip))) else None


def _beyond(moved: Term, cached: Term) -> Term:
    """Return the bytes that exceed the capacity of a cache.

    >>> _beyond(Term("v", "bytes"), Term("v", "l2"))
    ('max', ('+', ('v', 'bytes'), ('*', ('q', -1, 1), ('v', 'l2'))), ('q', 0, 1))
    """
    return Term("max", Term("+", moved, Term("*", Term("q", -1, 1), cached)), Term("q", 0, 1))


def _attainable(words: CallTerms, call: Call, first: Tree, second: Tree, *more: Tree) -> Term:
    if not more:  # an operation on a chip: its FLOPs in the shortest time
        flops, least = words.flops(first, "", to_text(Call("flops", (first,)))), Call("lower", call.arguments)
        return words.quotient(call, flops, (Term("v", to_text(least)), _of_all(words, least, first, second)))
    on, (at, *over) = words.env.chip(first), more
    rates: list[Figured] = [on.peak(text_of(second)), supply(on, text_of(over[0]) if over else MEMORY)]
    most, bandwidth = (words.figure(first, rate)[1] for rate in rates)
    return Term("min", most, Term("*", words.value(at), bandwidth))


# --- energy, blocks, estimates -------------------------------------------------------------------------


def _energy(words: CallTerms, call: Call, op: Tree, chip: Tree) -> Term:
    """Return the energy of the FLOPs and bytes of an operation."""
    demands, on = words.env.operation(op).demands, words.env.chip(chip)
    parts = [Term("*", words.demand(op, name)[1], words.printed(each(on, name))) for name in demands]
    return words.says(to_text(call), Term("+", *parts), CONVENTIONS["energy"])


def _waves(words: CallTerms, call: Call, op: Tree, chip: Tree) -> Term:
    """Return the number of waves in which the blocks of an operation run."""
    return words.says(to_text(call), Term("ceil", Term("/", *_grid(words, op, chip))), CONVENTIONS["waves"])


def _wave_efficiency(words: CallTerms, call: Call, op: Tree, chip: Tree) -> Term:
    rounds = _waves(words, Call("waves", call.arguments), op, chip)
    grid, cores = rounds[1][1:]
    return words.says(to_text(call), Term("/", grid, Term("*", cores, rounds)), CONVENTIONS["waves"])


def _grid(words: CallTerms, op: Tree, chip: Tree) -> tuple[Term, Term]:
    grid = words.counted(f"blocks({to_text(op)})", blocks(words.env.operation(op)))
    return grid, with_functions(sms(words.env.chip(chip)))


def _estimate(words: CallTerms, call: Call, op: Tree, chip: Tree, *corner: Tree) -> Term:
    """Return the estimated time for `estimate`, or the share of the peak at that time for `share`."""
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


def _calibrated(words: CallTerms, name: str, value: Fraction, found: Share) -> Term:
    said = f"estimate: {found.ceilings.source}" if found.ceilings else "estimate: figures reached in full"
    return words.says(name, Term.rational(value), said)


def _alpha_beta(words: CallTerms, call: Call, op: Tree, *chip: Tree) -> Term:
    """Return the time of a collective: a latency for each step, and the bytes over the rate of each link."""
    held, said = words.env.operation(op), to_text(op)
    if not chip:
        return words.says(to_text(call), words.counted(f"time({said})", alpha_beta(held)), CONVENTIONS["alpha_beta"])
    alpha_beta(held, on := words.env.chip(chip[0]))  # rejects an operation without steps, and a link the chip lacks
    parts = list[Term]()
    for link, steps in held.hops.items():
        hop = on.trait(f"{link}-latency")
        end = "" if len(held.hops) == 1 else f"_{link.replace('-', '_')}"
        start = words.value(Name(f"t{end}")) if hop is None else words.printed(hop)
        parts.append(Term("*", words.counted(f"steps({said}, {link})", steps), start))
        moved = words.counted(f"bytes({said}, {link})", held.demands.get(link, sympy.Integer(0)))
        parts.append(Term("/", moved, words.printed(supply(on, link))))
    return words.says(to_text(call), Term("+", *parts), CONVENTIONS["alpha_beta"])


NAMED: dict[str, Callable[..., Term]] = {  # a Coq file has definitions for these
    "attainable": _attainable, "bytes": _bytes, "capacity": _capacity, "flops": _flops, "intensity": _intensity,
    "lower": _of_all, "rate": _rate, "ridge": _ridge, "time": _time, "upper": _of_all,
}  # fmt: skip
MEANINGS = {
    **NAMED, "alpha_beta": _alpha_beta, "balance": _balance, "ceiling": _ceiling, "energy": _energy,
    "estimate": _estimate, "share": _estimate, "trait": _trait, "wave_efficiency": _wave_efficiency, "waves": _waves,
}  # fmt: skip
DIRECT: dict[str, Callable[[Environment, Call], sympy.Expr]] = dict.fromkeys(MEANINGS, value)
