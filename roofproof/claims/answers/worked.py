"""A derivation of the key of a question, as a teacher writes it: a few known statements that end with the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import sympy

from roofproof.claims.answers.proved import basis, same_threshold
from roofproof.claims.answers.question import SOLVED, Key, Question, label_times, regime_limit
from roofproof.derive.inequalities.cases import Case, Never, bounds, substitute
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.intensities import intensity
from roofproof.derive.roofline.share import percent
from roofproof.formula.magnitudes import decimal
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.kernel.terms import substitute as put
from roofproof.proofs.known import ByExactValue, Known, Model, Unwarranted, weakest
from roofproof.proofs.provers.critical_size import ProvedThreshold, at_sizes
from roofproof.proofs.provers.roofline import cancelled, counted, divided, equated, figure, ridge
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.times import timed
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined, to_formula, with_functions
from roofproof.symbols import sizes_in

AS_GIVEN = "as given"
MULTIPLY_ADD = "2 FLOPs per multiply-add"
RING = "ring over"
STARTS = "a start for each step, and the bytes over the rate of the link"
FEW = 6  # with more tensors, they do not get a line each
MOST = 8  # lines
NAMES = {"flops": "FLOPs", "bytes": "bytes", "intensity": "I", "ridge": "R", "time": "T", "memory": "M",
         "share": "share"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A line: the name of a quantity, a known statement about it, and the key of the sentence that explains it.

    `parts` fill the gaps of the sentence: names, sizes, conventions, but no results.
    """

    name: str
    known: Known
    why: str
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Term, ...]:
        """The values of the name in order: the expression, if it is not evaluated yet, and the result."""
        statement = self.known.statement
        if statement.kind == "integer":
            return () if statement.integer is None else (Term.rational(statement.integer),)
        if statement.goal[0] != "=":
            return ()
        _, left, right = statement.goal
        return (right,) if left[0] == "v" or left == right else (left, right)

    @property
    def case(self) -> Case | None:
        """The threshold that the line states, or None."""
        return _case(self.known)


def _case(known: Known) -> Case | None:
    about = known.statement.about
    return about[1] if isinstance(about, tuple) else None


@dataclass(frozen=True, slots=True)
class Worked:
    """The derivation of a question. Raises Unwarranted if the last line is not the key.

    >>> from roofproof import chip, op
    >>> for line in worked(Question(op("matmul"), asks="intensity", at={"B": 2, "D": 4, "F": 4})).lines:
    ...     print(line.name, "|", line.known.statement.says, "|", line.known.trust)
    FLOPs | FLOPs in bf16 = 2*B*D*F | model
    bytes | bytes over memory = 2*B*D + 2*B*F + 2*D*F | kernel
    I | I = B*D*F/(B*D + B*F + D*F) | kernel
    I | I = 1 | kernel
    >>> Worked(Question(op("dot"), asks="flops"), worked(Question(op("matmul"), asks="flops")).lines)
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: a derivation that ends in 'FLOPs = 2*B*D*F' is not one of the key
    """

    asked: Question
    lines: tuple[Line, ...]

    def __post_init__(self) -> None:
        last = self.lines[-1]
        if not _is_key(last, self.asked.key, self.asked):
            raise Unwarranted(f"a derivation that ends in {last.known.statement.says!r} is not one of the key")

    @property
    def trust(self) -> str:
        """The weakest trust of any line."""
        return weakest(line.known for line in self.lines)


@lru_cache(maxsize=256)
def worked(asked: Question) -> Worked:
    """Return the derivation of a question.

    >>> from roofproof import chip, op
    >>> asked = Question(op("matmul"), chip("tpu-v5e"), "B", at={"D": 4096, "F": 4096}, asks="smallest")
    >>> [line.known.statement.says for line in worked(asked).lines][-3:]
    ['B > R*D*F/(D*F - R*(D + F))', 'B > 50432000/185039', 'smallest integer B = 273']

    Raises RoofproofError for a key that cannot be derived.
    """
    return Worked(asked, tuple(_lines(asked)))


def _is_key(last: Line, key: Key, asked: Question) -> bool:
    statement = last.known.statement
    if asked.asks == "bound":
        return bool(statement.goal == _longest(asked, key.label))
    if key.integer is not None:
        return statement.kind == "integer" and statement.integer == key.integer
    if asked.asks in SOLVED:
        case = last.case
        return case is not None and same_threshold(case.threshold, key.threshold) and case.when == key.when
    if asked.far:
        return bool(statement.goal[0] == "tends" and statement.value == key.value)
    return last.name.startswith(NAMES[asked.asks]) and statement.goal[-1] == with_functions(key.value)


def _lines(asked: Question) -> Iterator[Line]:
    op, at = asked.op, asked.at
    match asked.asks:
        case "flops":
            yield from _flops(op)
            yield from _with_sizes("FLOPs", op.flops, at)
        case "bytes":
            yield from _bytes(op, asked.channel)
            yield from _with_sizes("bytes", op.bytes(asked.channel), at)
        case "intensity":
            yield from _quotient(op, asked.channel)
            if _depends_on(value := intensity(op, asked.channel).value, at):
                known = divided("I", op.flops, op.bytes(asked.channel), at, substitute(value, at))
                yield Line("I", known, "put-in", _sizes(at))
            if asked.far and (limit := regime_limit(asked)) is not None:
                yield Line("I", limit.tends, "limit", {"regime": limit.regime.text})
        case "share":
            yield from _share(asked)
        case "ridge":
            yield from _figures(asked.ceilings[0])
        case "memory":
            from roofproof.bounds.memory import memory_needed

            yield from _figures(asked.ceilings[0])
            _, every, found = memory_needed(op, asked.ceilings[0])
            yield Line("Q", every, "no-schedule")
            yield Line("M", found, "memory-needed")
        case "time" | "bound":
            yield from _times(asked)
        case _:
            yield from _solved(asked)


def _flops(op: Operation) -> Iterator[Line]:
    """Yield the count of the FLOPs: part by part, or as two per multiply-add."""
    known = {k.statement.kind: k for k in counted(op) if k.statement.kind == "flops"}
    convention = {"convention": op.convention}
    parts, each = [part for part in op.parts if part.units], op.flops.as_coeff_Mul()
    if 1 < len(parts) < MOST and sympy.expand(sum(p.flops for p in parts) - op.flops) == 0:
        for place, part in enumerate(parts, 1):
            name = f"FLOPs of {part.name or f'part {place}'}"
            yield Line(name, _defined(name, part.flops, part.convention), "part", {"name": part.name})
        term = Term("+", *(with_functions(part.flops) for part in parts))
        yield Line("FLOPs", equated("FLOPs", term, op.flops, "flops"), "added")
    elif len(op.compute) == 1 and op.convention.startswith(MULTIPLY_ADD):
        adds = sympy.factor(op.flops / 2)
        yield Line("multiply-adds", _defined("multiply-adds", adds, "one for each term of each sum"), "multiply-adds")
        twice = Term("*", Term("q", 2, 1), with_functions(adds))
        yield Line("FLOPs", equated("FLOPs", twice, op.flops, "flops"), "counted", convention)
    elif len(op.compute) == 1 and op.convention not in ("", AS_GIVEN) and each[0] not in (1, op.flops):
        yield Line("FLOPs of one", _defined("FLOPs of one", each[0], op.convention), "counted", convention)
        term = Term("*", with_functions(each[0]), with_functions(each[1]))
        yield Line("FLOPs", equated("FLOPs", term, op.flops, "flops"), "all-of-them")
    else:
        last = known.get("flops")
        yield Line("FLOPs", last or _defined("FLOPs", op.flops, op.convention), "counted", convention)  # or 0 FLOPs


def _defined(name: str, amount: sympy.Expr, convention: str) -> Known:
    goal = Formula("=", Term("v", name), with_functions(amount))
    return Known(Statement(name, (), goal, "flops", sizes=sizes_in(amount)), Model(convention or AS_GIVEN))


def _bytes(op: Operation, channel: str) -> Iterator[Line]:
    """Yield the bytes of each tensor that is read or written, and their sum."""
    if op.convention.startswith(RING):
        yield from _ring(op.bytes(channel))
        return
    moved = [("read", t) for t in op.reads] + [("write", t) for t in op.writes] if channel == MEMORY else []
    if 1 < len(moved) <= FEW:
        for (way, tensor), known in zip(moved, (k for k in counted(op) if k.statement.kind == "bytes"), strict=False):
            parts = {"name": tensor.name, "size": str(tensor.traffic / tensor.elements)}
            yield Line(f"bytes of {tensor.name}", known, way, parts)
    elif moved:
        for way, some in (("read", op.reads), ("written", op.writes)):
            total = sympy.Add(*(t.traffic for t in some))
            term = Term("+", *(with_functions(t.traffic) for t in some))
            parts = {"names": ", ".join(t.name for t in some)}
            yield Line(f"bytes {way}", equated(f"bytes {way}", term, total, "total"), f"all-{way}", parts)
    yield from _moved(op, channel, "added" if moved else "moved")


def _ring(amount: sympy.Expr) -> Iterator[Line]:
    """Yield the bytes over a link of a ring: one piece per step."""
    pieces = next(s for s in sorted(amount.free_symbols, key=str) if amount.subs(s, 1) == 0)  # one chip sends nothing
    whole = sympy.Mul(*(f for f in sympy.Mul.make_args(amount) if pieces not in f.free_symbols and not f.is_number))
    piece, steps = whole / pieces, sympy.factor(amount * pieces / whole)
    yield Line("bytes of a piece", _defined("bytes of a piece", piece, "a piece for each chip"), "piece")
    yield Line("steps", _defined("steps", steps, "a piece a step"), "steps")
    term = Term("*", with_functions(steps), with_functions(piece))
    yield Line("bytes", equated("bytes", term, amount, "total"), "all-of-them")


def _moved(op: Operation, channel: str, why: str = "moved") -> Iterator[Line]:
    known = [k for k in counted(op) if k.statement.kind in ("bytes", "total")]
    own = [k for k in known if str(k.statement.about) == f"bytes over {channel}"] or known
    if own:
        listed = ", ".join(t.name for t in op.tensors) if channel == MEMORY else ""
        parts = {"names": listed} if listed else {}
        yield Line("bytes", own[-1], "moved-tensors" if listed and why == "moved" else why, parts)


def _with_sizes(name: str, value: sympy.Expr, at: Mapping[str, int]) -> Iterator[Line]:
    """Yield a value with the given sizes substituted, if it depends on one of them."""
    if _depends_on(value, at):
        sizes: dict[str, Term] = {size: Term("q", number, 1) for size, number in at.items()}
        known = equated(name, put(with_functions(value), sizes), substitute(value, at), "quotient")
        yield Line(name, known, "put-in", _sizes(at))


def _depends_on(value: sympy.Expr, at: Mapping[str, int]) -> bool:
    return bool({s.name for s in value.free_symbols} & set(at))


def _sizes(at: Mapping[str, int]) -> dict[str, str]:
    return {"values": ", ".join(f"{name} = {decimal(Fraction(size))}" for name, size in at.items())}


def _quotient(op: Operation, channel: str) -> Iterator[Line]:
    """Yield FLOPs, bytes, and their quotient."""
    yield from _total(op)
    yield from _moved(op, channel)
    value = intensity(op, channel).value
    yield Line("I", cancelled(op.flops, op.bytes(channel), value, channel), "intensity")


def _total(op: Operation) -> Iterator[Line]:
    known = [k for k in counted(op) if k.statement.kind == "flops"]
    if known:
        yield Line("FLOPs", known[-1], "counted", {"convention": op.convention})


def _share(asked: Question) -> Iterator[Line]:
    op, whole = asked.op, asked.whole
    assert whole is not None
    for each, why in ((op, "part-of"), (whole, "whole")):
        known = next(_total(each)).known
        yield Line(f"FLOPs of {each.name}", known, why, {"name": each.name})
    assert asked.key.value is not None
    cut = sympy.cancel(op.flops / whole.flops)
    yield Line("share", divided("share", op.flops, whole.flops, {}, cut), "share")
    if _depends_on(cut, asked.at):
        yield Line("share", divided("share", op.flops, whole.flops, asked.at), "put-in", _sizes(asked.at))


def _figures(ceiling: Ceiling) -> Iterator[Line]:
    """Yield the peak, the bandwidth, and their quotient."""
    if ceiling.ridge is None:
        return
    peak, bandwidth = ceiling.rests_on
    yield Line("P", figure(peak), "peak", {"format": peak.resource})
    yield Line("W", figure(bandwidth), "bandwidth", {"channel": bandwidth.resource})
    yield Line(ceiling.symbol.name, ridge(ceiling), "ridge")


def _times(asked: Question) -> Iterator[Line]:
    """Yield the demand on each resource, the time of each, and the longest one."""
    assert asked.chip is not None
    op, _ = merge_shared_formats(asked.op, asked.chip)
    if len(op.demands) <= 2:
        for line in (*_total(op), *_moved(op, asked.channel)):
            value = line.known.statement.value
            if not value.is_number:
                yield line
                yield from _with_sizes(line.name, value, asked.at)
    every = {k.statement.label: k for k in timed(asked.op, asked.chip, asked.at) if k.statement.kind == "time"}
    for name in op.demands:
        why = "time-compute" if name in op.compute else "time-memory" if name == MEMORY else "time-link"
        yield Line(f"T_{name}", every[name], why, {"name": name})
    if asked.asks == "time" and len(op.demands) > 1:
        yield Line("T", every["lower"], "overlap")
    if asked.asks == "bound":
        label = asked.key.label
        goal = _longest(asked, label)
        yield Line("", Known(Statement(label, (), goal), ByExactValue({})), "longest", {"label": label})


def _longest(asked: Question, label: str) -> Formula:
    """Return the condition that the resource of a label takes at least as long as any other."""
    times = {name: with_functions(value) for name, value in label_times(asked).items()}
    return Formula("and", *(Formula(">=", times[label], value) for name, value in times.items() if name != label))


def _solved(asked: Question) -> Iterator[Line]:
    """Yield the intensity, the ridge point and the threshold, or two times and the sizes at which one is shorter."""
    if asked.against is not None:
        yield from _faster(asked)
        return
    proved, _ = basis(asked)
    assert proved is not None and asked.unknown is not None
    for one in proved.found.ceilings:
        alone = len(proved.found.ceilings) == 1
        if alone and one.flops == asked.op.flops:
            yield from _total(asked.op)
            yield from _moved(asked.op, one.channel)
        name = "I" if alone else f"I_{one.label}"
        yield Line(name, cancelled(one.flops, one.moved, one.intensity, one.label), "intensity")
        if one.ridge is not None:
            kept = {"share": percent(one.share.value)} if one.share else {}
            calibrated = one.share is not None and one.share.ceilings is not None
            why = "kept-calibrated" if calibrated else "kept-of-figures" if kept else "ridge"
            yield Line(one.symbol.name, ridge(one), why, kept)
    yield from _rule(asked, proved) if asked.asks == "rule" else _exactly(asked, proved)


def _faster(asked: Question) -> Iterator[Line]:
    """Yield the time of each collective, and the sizes at which the first is shorter."""
    key, (_, known) = asked.key, basis(asked)
    for name, time, op in zip(("T_1", "T_2"), asked.faster.times, (asked.op, asked.against), strict=True):
        yield Line(name, _defined(name, time, STARTS), "starts", {"name": op.name if op else ""})
    for one in known:
        case = _case(one)
        if case is not None and (case.threshold, case.when) == (key.threshold, key.when):
            yield Line("", one, "faster", {"unknown": asked.faster.cases.unknown.name})
            return


def _rule(asked: Question, proved: ProvedThreshold) -> Iterator[Line]:
    """Yield the limit of the intensity, and the sizes at which it exceeds the ridge point."""
    key, x = asked.key, proved.found.unknown
    for rule in proved.rules[:1]:
        yield Line("I", rule.limit.tends, "limit", {"regime": rule.limit.regime.text})
        known = ((k, _case(k)) for k in rule.known)
        last = next((k for k, case in known if case is not None and case.threshold == key.threshold), None)
        over = proved.found.ceilings[0].ridge
        if len(proved.found.ceilings) == 1 and over is not None and key.threshold is not None:
            above = Formula(">", with_functions(rule.limit.leading_value), with_functions(over))
            goal = Formula("<=>", above, to_formula(key.threshold.holds(x), with_functions))
            nicer = prove_statement(Statement((x, Case(sympy.true, key.threshold)), (), goal, "rule"))
            last = last if nicer.reason else nicer
        if last is not None:
            yield _solved_for(last, proved)
            return
    yield from _exactly(asked, proved)


def _solved_for(known: Known, proved: ProvedThreshold) -> Line:
    """Return the line with the threshold, for the ridge point or for a share of the peak."""
    shared = any(one.share for one in proved.found.ceilings)
    return Line("", known, "solved-kept" if shared else "solved", {"unknown": proved.found.unknown.name})


def _exactly(asked: Question, proved: ProvedThreshold) -> Iterator[Line]:
    """Yield the threshold as a formula, at the given sizes, and as an integer if the question asks for one."""
    found, key, x = proved.found, asked.key, proved.found.unknown
    every = [(k, case) for k in (*proved.symbolic, *proved.solved) if (case := _case(k)) is not None]
    main = [k for k, case in every if bounds(case.threshold)][:1]
    own = [k for k, case in every if (case.threshold, case.when) == (key.threshold, key.when)][:1]
    if found.at_point is None or found.at_point == Never() or (asked.asks in ("threshold", "rule") and own):
        for known in (*main, *(k for k in own if k not in main)):
            yield _solved_for(known, proved)
        if own or found.at_point is None:
            return
    elif main:
        yield _solved_for(main[0], proved)
    for known in at_sizes(formula_if_defined(found.condition), found, found.point, found.at_point, found.integer):
        if known.statement.kind == "at-point":
            yield Line("", known, "put-in", _sizes(found.point)) if found.point else Line("", known, "figures-in")
        elif known.statement.kind == "integer" and asked.asks in ("smallest", "largest"):
            yield Line(x.name, known, asked.asks)
