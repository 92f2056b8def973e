"""The last slides of an operation: the threshold and its proof, numbers per chip, the roofline, what the rule hides."""

from collections.abc import Iterator

import sympy

from roofproof.atlas.on_chips import OnChip
from roofproof.derive.inequalities.cases import Above, Always, Below, Cases, Never, substitute
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.critical_size import rule_of_thumb
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.derivation_lines import approximately, intensity_name, number, regime, time_line
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.latex.thresholds import fitted
from roofproof.export.outline import Row, time_rows
from roofproof.export.slides.deck_context import DeckContext, figure, key, named, plain, shown
from roofproof.export.slides.frames import dimensions, limit_of
from roofproof.export.slides.model import Block, Bullets, Frame, Inline, Math, Picture, Table, Text
from roofproof.export.slides.terms import join
from roofproof.export.text.formatting import in_seconds
from roofproof.hardware import Chip
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.provers.roofline import bounded

CASES = 4  # cases that a slide shows
WIDEST = 46.0  # em that they may take before they are too small to read
CHIPS = 10  # chips on one slide
DRAWN = 4  # chips in one figure
CONDITION = 24.0  # em that a condition takes in a line of text


def last_frames(deck: DeckContext) -> Iterator[Frame]:
    """Yield the slides from the threshold on."""
    study = deck.study
    if study.proved is None:
        yield without_threshold(deck)
    elif study.never:
        yield never(deck, study.proved)
    else:
        yield threshold_frame(deck, study.proved)
        yield on_chip(deck, study.proved)
    if study.proved is not None:
        yield from per_chip(deck)
    yield from how_long(deck)
    yield from roofline_frame(deck)
    if study.proved is not None and not study.never:
        yield from what_is_hidden(deck, study.proved)


def threshold_frame(deck: DeckContext, proved: ProvedThreshold) -> Frame:
    """Return the slide of the threshold with the ridge point as a symbol: condition, cases, proof."""
    found = proved.found
    several = len(found.ceilings) > 1
    sign = rf" \text{{ {deck.style.say('and')} }} "
    above = sign.join(f"{intensity_name(c.channel, several)} > {latex(c.symbol)}" for c in found.ceilings)
    blocks: list[Block] = [Text(deck.words("exactly-when", condition=Math(above)))]
    blocks += _cases(deck, found.symbolic)
    blocks.append(_status(deck, proved))
    return Frame(deck.titled("threshold-title"), tuple(blocks))


def _cases(deck: DeckContext, found: Cases) -> list[Block]:
    short, names = fitted(deck.style, found)
    text = cases(short, lang=deck.words.language, order=deck.style.order)
    rows = deck.definitions(names)
    if len(found) > CASES or width(text) > WIDEST or len(rows) > 5:
        return [Text(deck.words("many-cases", count=len(found), command=deck.command()))]
    return [shown([text]), *([shown(rows)] if rows else [])]


def _status(deck: DeckContext, proved: ProvedThreshold) -> Text:
    symbols = [dimensions(deck).tex, *(latex(c.symbol) for c in proved.found.ceilings)]
    how = deck.words(proved.trust)
    return Text(deck.words("proved-for-all", how=how, dims=Math(r",\, ".join(s for s in symbols if s))))


def on_chip(deck: DeckContext, proved: ProvedThreshold) -> Frame:
    """Return the slide of the threshold with the figures of the chip, and at sizes."""
    words, study, found = deck.words, deck.study, proved.found
    ridges = [Math(f"{latex(c.symbol)} {approximately(c.ridge)}") for c in found.ceilings if c.ridge is not None]
    with_ridges = (named(study.chip), " (", *join(ridges, words["comma"]), ")")
    blocks: list[Block] = [Text(words("cases-on-chip", chip=with_ridges))]
    if not fitted(deck.style, found.cases)[1]:  # else with names for its parts, as on the slide before
        blocks += _cases(deck, found.cases)
    for row in deck.outline.rows("point"):
        sizes = deck.threshold_sizes
        blocks += [Text(words("at-colon", sizes=sizes))] if sizes else []
        blocks.append(key(_answer(deck, row)))
    for rule in proved.rules:
        if rule.threshold is not None and (said := _rule(deck, rule.threshold)):
            where = Math(regime(rule.proved.limit.regime.text))
            blocks.append(Text(words("rule-in", regime=where, rule=said)))
    blocks.append(_status(deck, proved))
    return Frame(deck.titled("chip-title"), tuple(blocks))


def _answer(deck: DeckContext, row: Row) -> Inline:
    bound, integer = row.about.at_point, row.integer
    if isinstance(bound, Never | Always) or integer is None:
        return (deck.decimal(bound),)
    how = "largest-integer" if isinstance(bound, Below) else "smallest-integer"
    return deck.words(how, answer=deck.decimal(bound), integer=Math(f"{symbol(deck.study.unknown)} = {integer}"))


def _rule(deck: DeckContext, found: Cases) -> Inline:
    """Return a rule of thumb, or nothing where it is no single bound without a condition."""
    if len(found) != 1 or found.cases[0].when != sympy.true:
        return ()
    bound = found.cases[0].threshold
    if isinstance(bound, Never | Always):
        return (Math(rf"\text{{{deck.style.say(bound.kind)}}}"),)
    if isinstance(bound, Above | Below) and not bound.at.free_symbols:
        return (deck.decimal(bound),)
    if isinstance(bound, Above | Below):
        sign = ">" if isinstance(bound, Above) else "<"
        return (Math(f"{symbol(deck.study.unknown)} {sign} {deck.style.latex(bound.at, inline=True)}"),)
    return ()


def never(deck: DeckContext, proved: ProvedThreshold) -> Frame:
    """Return the slide that says that no size will do on this chip, and why."""
    words = deck.words
    blocks: list[Block] = [key(words("never-here", chip=named(deck.study.chip)))]
    several = len(proved.found.ceilings) > 1
    for c in proved.found.ceilings:
        assert c.ridge is not None
        known = bounded(c)
        if known is not None:
            blocks.append(Text(words("never-why")))
            sign = "=" if known.statement.goal[0] == "=" else "<"
            most = f"{sign} {deck.style.latex(known.statement.shows[0])}"
            name = intensity_name(c.channel, several)
            blocks.append(shown([rf"{name} &{most} < {latex(c.symbol)} {approximately(c.ridge)}"]))
            break
    else:
        blocks.append(Text(words("never-case")))
        blocks += _cases(deck, proved.found.symbolic)
        first = proved.found.ceilings[0]
        value = Math(plain(first.ridge))
        blocks.append(Text(words("never-fails", symbol=Math(latex(first.symbol)), ridge=value)))
    blocks.append(_status(deck, proved))
    return Frame(deck.titled("never-title"), tuple(blocks))


def without_threshold(deck: DeckContext) -> Frame:
    """Return the slide of an operation that has no threshold: never, always, or no closed form."""
    words, study = deck.words, deck.study
    chip = named(study.chip)
    if study.obstacle == "no-flops":
        blocks: list[Block] = [key(words("never-here", chip=chip)), Text(words("never-flops"))]
        return Frame(deck.titled("never-title"), (*blocks, *_times(deck)))
    if study.obstacle == "no-bytes":
        return Frame(deck.titled("always-title"), (key(words("always-here", chip=chip)), Text(words("always-bytes"))))
    if study.obstacle == "several-formats":
        formats = ", ".join(name for name, amount in study.op.compute.items() if not amount.is_zero)
        return Frame(deck.titled("unsolved-title"), (Text(words("several-formats", formats=formats)),))
    reason: list[Block] = [Text(words("unsolved-why", reason=study.reason))] if study.reason else []
    for name, ridge in next(n.ridges for n in study.numbers if n.chip is study.chip).items():
        compute, _, channel = name.partition("/")
        value = substitute(study.op.compute[compute] / study.op.bytes(channel), study.full_sizes)
        if value.is_number:
            said = {"value": Math(approximately(value)), "ridge": Math(approximately(ridge))}
            sizes = deck.at(study.full_sizes)
            reason.append(key(words("at-these-sizes", sizes=sizes, **said) if sizes else words("at-any-size", **said)))
    title = "chip-title" if study.obstacle == "no-dims" else "unsolved-title"
    return Frame(deck.titled(title), tuple(reason))


def _times(deck: DeckContext) -> list[Block]:
    """Return how long moving the bytes takes, as a formula and at the sizes."""
    study, words = deck.study, deck.words
    blocks: list[Block] = []
    for name, amount in time(study.op, study.chip).items():
        if name in study.op.compute:
            continue
        value = substitute(amount, study.full_sizes)
        bandwidth = supply(study.chip, name)
        over = rf"\frac{{\text{{bytes}}}}{{{figure(bandwidth).tex}}}"
        short = in_seconds(value)
        sign = "=" if short.exact else r"\approx"
        prefixed = r"\mu\text{s}" if short.unit == "us" else rf"\text{{{short.unit}}}"
        blocks.append(Text(words("bytes-time")))
        blocks.append(shown([rf"T &= {over}"]))
        answer = Math(rf"T {sign} {number(short.text, False)}\,{prefixed}")
        blocks.append(Text(words("at-sizes", sizes=deck.at(study.full_sizes), answer=answer)))
    return blocks


def per_chip(deck: DeckContext) -> Iterator[Frame]:
    """Yield tables with a row for each chip: peak, bandwidths, ridge points, and the size that is needed."""
    study, words = deck.study, deck.words
    assert study.proved is not None
    found = study.proved.found
    header: list[Inline] = [words("chip"), (f"{found.ceilings[0].compute}",)]
    header += [words("memory") if c.channel == "memory" else (c.channel,) for c in found.ceilings]
    header += [(Math(latex(c.symbol)),) for c in found.ceilings]
    header.append(words("needs", dim=Math(symbol(study.unknown))))
    rows = [_row(deck, n, len(found.ceilings)) for n in study.numbers]
    sizes = deck.threshold_sizes
    above = (Text(words("at-colon", sizes=sizes)),) if sizes else ()
    align = "l" + "r" * (len(header) - 2) + "l"
    for start in range(0, len(rows), CHIPS):
        table = Table(tuple(header), tuple(rows[start : start + CHIPS]), align)
        yield Frame(deck.titled("chips-title"), (*above, table))


def _row(deck: DeckContext, numbers: OnChip, channels: int) -> tuple[Inline, ...]:
    chip = (named(numbers.chip),)
    if numbers.missing:
        return (chip, deck.words("no-figure"), *((),) * (2 * channels + 1))
    there = ceilings(deck.study.op, numbers.chip)
    cells: list[Inline] = [(figure(there[0].rests_on[0]),)]
    cells += [(figure(c.rests_on[1]),) for c in there]
    cells += [(Math(plain(c.ridge)),) for c in there]
    bound = numbers.at_sizes
    if bound is None:
        return (chip, *cells, ())
    integer = numbers.integer
    whole: Inline = () if integer is None else (" (", Math(str(integer)), ")")
    return (chip, *cells, (deck.decimal(bound), *whole))


def how_long(deck: DeckContext) -> Iterator[Frame]:
    """Yield the slide of the times of an operation in parts: of each resource, and as these overlap."""
    study = deck.study
    if not study.op.parts or study.op.flops.is_zero:
        return
    told = (line for row in time_rows(study.op, study.chip, study.full_sizes) for line in time_line(deck.style, row))
    lines = [rf"{line.left} &{line.sign} {line.right[0]} \quad \text{{{line.because}}}" for line in told]
    sizes = Text(deck.words("at-colon", sizes=deck.at(study.full_sizes)))
    yield Frame(deck.titled("times-title"), (sizes, shown(lines)))


def roofline_frame(deck: DeckContext) -> Iterator[Frame]:
    """Yield the slide with the figure, where the operation can be drawn."""
    from roofproof.export.plots import roofline

    study = deck.study
    chips = [n.chip for n in study.numbers if not n.missing][:DRAWN]
    try:
        drawn = roofline([study.op], chips, [study.full_sizes], deck.words.language)
    except RoofproofError:  # no FLOPs, or no bytes: nothing to draw
        return
    about = deck.words("at-head", sizes=deck.at(study.full_sizes))
    yield Frame(deck.titled("roofline-title"), (Picture(lambda: drawn, about),))


def what_is_hidden(deck: DeckContext, proved: ProvedThreshold) -> Iterator[Frame]:
    """Yield the slide of what the rule of thumb leaves out: a condition, how far it is off, other sources."""
    study, words, found = deck.study, deck.words, proved.found
    rows = tuple(row for n in study.numbers if (row := _compared(deck, proved, n)))[:CHIPS]
    limits = [p.limit.stands_for for c in found.ceilings if (p := limit_of(deck, c)) is not None]
    items: list[Inline] = []
    if not rows and limits and width(deck.style.latex(limits[0])) < CONDITION:
        items.append(words("hidden-no-rule", limit=deck.math(limits[0])))
    first = found.symbolic.cases[0]
    if (rows or items) and len(found.symbolic) == 2 and first.when != sympy.true:
        said = condition(first.when, lang=words.language, order=deck.style.order, inline=True)
        if width(said) < CONDITION:
            other = Math(rf"\text{{{deck.style.say(found.symbolic.cases[1].threshold.kind)}}}")
            items.append(words("hidden-condition", condition=Math(said), answer=other))
    title = "hidden-title" if rows or items else "others-title"
    items += _other_sources(deck)
    sizes = deck.threshold_sizes
    blocks: list[Block] = [Text(words("at-colon", sizes=sizes))] if rows and sizes else []
    header = (words("chip"), words("rule-of-thumb"), words("exactly"), words("truth-over-rule"))
    blocks += [Table(header, rows, "lllr")] if rows else []
    blocks += [Bullets(tuple(items))] if items else []
    if blocks:
        yield Frame(deck.titled(title), tuple(blocks))


def _compared(deck: DeckContext, proved: ProvedThreshold, n: OnChip) -> tuple[Inline, ...] | None:
    if n.missing or n.at_sizes is None:
        return None
    by_rule = _rule_there(deck, proved, n.chip)
    if by_rule is None:
        return None
    ratio: Inline = ()
    if isinstance(n.at_sizes, Above) and n.at_sizes.at.is_number and by_rule.at != 0:
        ratio = (Math(plain(n.at_sizes.at / by_rule.at)),)
    return (named(n.chip),), (deck.decimal(by_rule),), (deck.decimal(n.at_sizes),), ratio


def _rule_there(deck: DeckContext, proved: ProvedThreshold, chip: Chip) -> Above | None:
    """Return what the rule of thumb says on a chip, at the sizes, where it is one lower bound."""
    there = {c.channel: c for c in ceilings(deck.study.op, chip)}
    answers = []
    for rule in proved.rules:
        found = rule_of_thumb(rule.proved.limit, there[rule.channel], proved.found.unknown)
        if found is not None:
            answers.append(found.at(deck.study.sizes))
    if len(answers) == 1 and isinstance(answers[0], Above) and answers[0].at.is_number:
        return answers[0]
    return None


def _other_sources(deck: DeckContext) -> list[Inline]:
    x = symbol(deck.study.unknown)
    answers: list[Inline] = []
    for row in deck.outline.rows("other")[:3]:
        said = deck.words("never") if row.integer is None else (Math(f"{x} = {row.integer}"),)
        answers.append((f"{row.about.rate.resource} ", figure(row.about.rate), " → ", *said))
    return [deck.words("other-sources", answers=join(answers, "; "))] if answers else []
