"""The first slides of an operation: what it is, what it moves, its FLOPs and intensity, the limit, the ridge point."""

import re
from collections.abc import Iterator

import sympy

from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.derivation_lines import approximately, intensity_name, number, regime, tensor_name
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.outline import Row
from roofproof.export.slides.deck_context import LINE, DeckContext, clipped, figure, key, named, shown
from roofproof.export.slides.model import Block, Bullets, Code, Frame, Inline, Math, Table, Text
from roofproof.export.slides.terms import join
from roofproof.hardware import Rate
from roofproof.hardware.units import decimal
from roofproof.ops import Operation
from roofproof.ops.tensor import Tensor
from roofproof.proofs.provers.limit_proofs import ProvedLimit, prove_limit

MOST = 7  # tensors that a table shows one by one
WIDE = 12.0  # em that a formula in a table may take
FEW = 4  # tensors that the set-up shows in one line
SOURCE = 44  # signs of a source that stand in a table


def first_frames(deck: DeckContext) -> Iterator[Frame]:
    """Yield the slides up to the ridge point."""
    yield setup(deck)
    yield moved(deck)
    if deck.study.obstacle != "no-flops":
        yield work(deck)
    if deck.study.proved is not None:
        yield from limits(deck)
        yield ridge(deck)


def setup(deck: DeckContext) -> Frame:
    """Return the slide that says what the operation is, and how it is counted."""
    op, words = deck.study.op, deck.words
    blocks: list[Block] = []
    if deck.entry is not None:
        blocks.append(key(words.operation(deck.entry)))
        blocks += _typed(op)
    else:
        blocks.append(Text((Code(deck.study.label),)))
    items: list[Inline] = [words("one-chip", chip=named(deck.study.chip))]
    if op.dims:
        items.insert(0, words("sizes-positive", dims=dimensions(deck)))
    if op.convention:
        items.append(words("counted", how=words.counted(op.convention)))
    if op.conditions:
        said = [_condition(deck, each) for each in op.conditions]
        items.append(words("on-condition", what=join(said, words["comma"])))
    return Frame(deck.titled("setup"), (*blocks, Bullets(tuple(items))), section=(deck.study.label,))


def _typed(op: Operation) -> list[Block]:
    """Return the tensors, from what goes in to what comes out, where they fit a line."""
    sides = [[rf"{_name(t)}\colon \text{{{t.dtype}}}[{_shape(t)}]" for t in some] for some in (op.reads, op.writes)]
    line = r",\quad ".join(sides[0]) + r"\ \to\ " + r",\quad ".join(sides[1])
    return [shown([line])] if all(sides) and len(op.tensors) <= FEW and width(line) < LINE else []


def _name(t: Tensor) -> str:
    name = tensor_name(t)
    return name.strip("$") if name.startswith("$") else rf"\text{{{name}}}"


def _shape(t: Tensor) -> str:
    return ", ".join(latex(size, inline=True) for size in t.shape)


def dimensions(deck: DeckContext) -> Math:
    """Return the sizes of an operation as a list."""
    return Math(r",\, ".join(symbol(s.name) for s in deck.study.op.dims))


def _condition(deck: DeckContext, each: sympy.Basic) -> Inline:
    if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
        whole, part = map(deck.math, each.lhs.args)
        return deck.words("divides", part=part, whole=whole)
    return (Math(condition(each, lang=deck.words.language, inline=True)),)


def moved(deck: DeckContext) -> Frame:
    """Return the table of the tensors, those that move most one by one."""
    op, words, sizes = deck.study.op, deck.words, deck.study.full_sizes
    every = deck.outline.rows("read", "write")
    largest = sorted(every, key=lambda row: -substitute(row.value, sizes))[:MOST]
    few = every if len(every) <= MOST + 1 else tuple(row for row in every if row in largest)
    rows = [_tensor(deck, row) for row in few]
    if rest := [row.value for row in every if row not in few]:
        rows.append((words("smaller-tensors", count=len(rest)), (), (), (), _amount(deck, sympy.Add(*rest))))
    for row in deck.outline.rows("over"):
        rows.append((words("over-link", link=row.about), (), (), (), _amount(deck, row.value)))
    total = bool(op.tensors) and len(rows) > 1 and set(op.traffic) <= {"memory"}
    total = total and width(deck.style.latex(op.bytes(), inline=True)) < 2 * WIDE  # else the next slide has it
    if total:
        rows.append((words("total"), (), (), (), _amount(deck, op.bytes())))
    header = tuple(words(name) for name in ("tensor", "shape", "format", "moved", "bytes"))
    if not op.tensors:  # bytes over links alone have no shape
        header, rows = (words("moved"), words("bytes")), [(row[0], row[4]) for row in rows]
    table = Table(header, tuple(rows), "lllll" if op.tensors else "ll", total)
    return Frame(deck.titled("moved-title"), (table,) if rows else (key(words("always-bytes")),))


def _tensor(deck: DeckContext, row: Row) -> tuple[Inline, ...]:
    t = row.about
    name: Inline = (Math(_name(t)),) if tensor_name(t).startswith("$") else (t.name,)
    times: Inline = () if t.times == 1 else (" ", Math(rf"\times {deck.style.latex(t.times, inline=True)}"))
    return name, (Math(f"[{_shape(t)}]"), *times), (t.dtype,), deck.words(row.key), _amount(deck, row.value)


def _amount(deck: DeckContext, amount: sympy.Expr) -> Inline:
    text = deck.style.latex(amount, inline=True)
    if width(text) > WIDE and amount.is_Add and len(amount.args) > 4:
        return deck.words("long-sum", count=len(amount.args))
    return (Math(text),)


def work(deck: DeckContext) -> Frame:
    """Return the slide of the FLOPs, the bytes and the intensity they make."""
    op, words, found = deck.study.op, deck.words, deck.study.proved
    channels = [name for name in op.demands if name not in op.compute]
    several = len(channels) > 1
    lines = []
    for row in deck.outline.rows("flops"):
        if not row.value.is_zero:
            left = r"\text{FLOPs}" if len(op.compute) == 1 else rf"\text{{FLOPs}}_{{\text{{{row.about}}}}}"
            lines += deck.equation(left, "=", row.value)
    for channel in channels:
        left = rf"\text{{bytes}}_{{\text{{{channel}}}}}" if several else r"\text{bytes}"
        lines += deck.equation(left, "=", op.bytes(channel))
    for row in deck.outline.rows("intensity") if found is not None else ():
        lines += deck.equation(intensity_name(row.about, several), "=", row.value)
    blocks: list[Block] = [shown(lines)]
    if found is not None:
        sizes = deck.study.full_sizes
        for c in found.found.ceilings:
            value = approximately(substitute(c.intensity, sizes))
            if c.intensity.free_symbols:
                answer = (Math(f"{intensity_name(c.channel, several)} {value}"), " FLOP/B")
                blocks.append(Text(words("at-sizes", sizes=deck.at(sizes, (c.intensity,)), answer=answer)))
    return Frame(deck.titled("work-title"), tuple(blocks))


def limits(deck: DeckContext) -> Iterator[Frame]:
    """Yield a slide for the limit of each intensity, with what taking it for the intensity neglects."""
    assert deck.study.proved is not None
    ceilings = deck.study.proved.found.ceilings
    for ceiling in ceilings:
        blocks = tuple(_limit(deck, ceiling))
        if len(ceilings) > 1 and blocks:
            blocks = (Text(deck.words("against", channel=ceiling.channel)), *blocks)
        if blocks:
            yield Frame(deck.titled("limit-title"), blocks)


def limit_of(deck: DeckContext, ceiling: Ceiling) -> ProvedLimit | None:
    """Return the limit of an intensity: that of the rule of thumb, else as the unknown grows, else as all do."""
    if ceiling.channel not in deck.limits:
        deck.limits[ceiling.channel] = _limit_of(deck, ceiling)
    return deck.limits[ceiling.channel]


def _limit_of(deck: DeckContext, ceiling: Ceiling) -> ProvedLimit | None:
    for rule in deck.study.proved.rules if deck.study.proved else ():
        if rule.channel == ceiling.channel:
            return rule.proved
    names = tuple(sorted(s.name for s in ceiling.intensity.free_symbols))
    for growing in ((deck.study.unknown,), names):
        if names and set(growing) <= set(names):
            try:
                return prove_limit(limit(ceiling.intensity, Regime.of(growing)))
            except RoofproofError:
                continue  # it depends on how fast they grow
    return None


def _limit(deck: DeckContext, ceiling: Ceiling) -> Iterator[Block]:
    words = deck.words
    if ceiling.intensity.is_number:
        yield key(words("limit-exact", limit=deck.math(ceiling.intensity)))
        return
    proved = limit_of(deck, ceiling)
    if proved is None:
        return
    found = proved.limit
    sign = r"\to" if found.growth is None else r"\sim"
    where = regime(found.regime.text)
    lines = deck.equation("I", sign, found.stands_for)
    lines[0] += rf" \qquad ({where})"
    yield shown(lines)
    value: Inline = (deck.math(found.stands_for),)
    if width(deck.style.latex(found.stands_for)) >= WIDE:
        value = (Math(r"\lim I"),) if found.growth is None else words("leading-term")
    if found.growth is not None:
        grows = "limit-grows" if found.value == sympy.oo else "limit-vanishes"
        yield Text(words(grows, growth=value))
    error = found.relative_error if found.growth is None else found.growth_error
    if error == 0:
        yield key(words("limit-exact", limit=value))
    elif error is not None:
        yield Text(words("limit-error", limit=value))
        yield shown(deck.equation(r"\varepsilon", "=", error))
        there = substitute(error, deck.study.full_sizes)
        sizes = deck.at(deck.study.full_sizes, (error,))
        if found.where == sympy.true or substitute(found.where, deck.study.full_sizes) == sympy.true:
            yield Text(words("error-here", sizes=sizes, error=deck.number(there)))
        if found.where != sympy.true:
            said = condition(found.where, lang=words.language, inline=True)
            yield Text(words("limit-where", condition=Math(said)))
    yield Text(words("limit-status", how=words(proved.trust)))


def ridge(deck: DeckContext) -> Frame:
    """Return the slide of the ridge points, with where the figures come from."""
    assert deck.study.proved is not None
    words, lines = deck.words, []
    for row in deck.outline.rows("ridge"):
        peak, bandwidth = (number(decimal(r.value), False) for r in row.about.rests_on)
        over = rf"\frac{{{peak}\ \text{{FLOP/s}}}}{{{bandwidth}\ \text{{B/s}}}}"
        lines.append(rf"{deck.style.latex(row.about.symbol)} &= {over} {approximately(row.value)}\ \text{{FLOP/B}}")
    header = tuple(words(name) for name in ("figure", "value", "known-from"))
    rates = [row.about for row in deck.outline.rows("figure")]
    rows = tuple(((r.resource,), (figure(r),), known(deck, r)) for r in rates)
    return Frame(deck.titled("ridge-title"), (
        Text((named(deck.study.chip),)), shown(lines), key(words("ridge-means")), Table(header, rows, "lrl"),
    ))  # fmt: skip


def known(deck: DeckContext, rate: Rate) -> Inline:
    """Return how a figure is known: what kind of source, and which."""
    status = rate.status.replace(" ", "-")
    kind = deck.words(status) if status in deck.words else (rate.status,)
    source = clipped(re.sub(r"https?://\S+", "", rate.source), SOURCE)
    return join([kind, (source,)], ": " if deck.words.language == "en" else "：") if source else kind
