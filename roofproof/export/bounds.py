"""What no schedule can beat, told once: lines with a key in the catalogue of words, and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR

import sympy

from roofproof.bounds import Bound
from roofproof.bounds.regions import NEVER, TILE
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Always, Case, Never, with_bounds
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex
from roofproof.export.text.formatting import at_least, at_most, digits, unsigned
from roofproof.export.words.catalogue import Catalogue
from roofproof.sentences import columns, padded


@dataclass(frozen=True, slots=True)
class BoundLine:
    """A line: its words, with gaps for names, and the formulas after them; a heading has none of these."""

    key: str
    formulas: tuple[sympy.Basic, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    heading: bool = False


def lines(found: Bound) -> Iterator[BoundLine]:
    """Yield what is said of a bound, in order."""
    nest, M = found.nest, found.memory
    yield BoundLine(
        "bound-of", parts={"op": nest.name, "tensors": ", ".join(a.name for a in nest.arrays)}, heading=True
    )
    if found.bytes is not None:
        size = sympy.Rational(found.bytes)
        of = {"level": found.level, "chip": found.chip.name if found.chip else ""}
        yield BoundLine("memory-of" if found.level else "memory", (sympy.Eq(M, size, evaluate=False),), of)
    if found.relaxed:
        yield BoundLine("relaxed", parts={"indices": "; ".join(found.relaxed)})
    yield BoundLine("least", heading=True)
    yield BoundLine("in-any-memory", (nest.compulsory,))
    for bound in found.lower:
        yield BoundLine("by-weights", (bound.value,), {"weights": ", ".join(map(str, bound.weights.arrays))})
    yield from _tile(found)
    if nest.per_point:
        yield from _regions(found)
    if found.at and found.least is not None:
        yield BoundLine("at", parts={"sizes": ", ".join(f"{n} = {size}" for n, size in found.at.items())}, heading=True)
        yield BoundLine("no-less", (found.least,))
        if found.reached is not None:
            yield BoundLine("tile-moves", (found.reached, found.reached / found.least))
    yield BoundLine("rests-on", heading=True)
    if found.lower:
        yield BoundLine("lemma")
        yield BoundLine("phases")
    yield BoundLine("convention")
    yield BoundLine("proved", parts={"trust": found.derivation.trust})


def _tile(found: Bound) -> Iterator[BoundLine]:
    nest, tile, M = found.nest, found.tile, found.memory
    if tile is None:
        yield BoundLine("any-order" if found.once else "no-tile", heading=True)
        return
    names = {"held": ", ".join(a.name for a in tile.held), "streamed": str(nest.lengths[tile.streamed])}
    yield BoundLine("best-tile", parts=names, heading=True)
    g = tile.g if tile.scale_of_memory is None else tile.scale_of_memory
    for size, side in tile.sides.items():
        yield BoundLine("side", (side,), {"loop": str(size)})
    yield BoundLine("takes", (sympy.Eq(M, tile.footprint(tile.g), evaluate=False),))
    if tile.loops and tile.scale_of_memory is not None:
        yield BoundLine("scale", (sympy.Eq(tile.g, g, evaluate=False),))
    yield BoundLine("moves", (tile.moved(tile.g),))
    if found.regions.ratio is not None and found.regions.limit is not None:
        yield BoundLine("ratio", (found.regions.ratio, found.regions.limit))
    if found.integer_sides:
        sides = ", ".join(f"{loop} {n}" for loop, n in found.integer_sides.items())
        yield BoundLine("sides-here", parts={"sides": sides})


def _regions(found: Bound) -> Iterator[BoundLine]:
    regions, M = found.regions, found.memory
    R = regions.ridge
    yield BoundLine("regions", parts={"ridge": R.name}, heading=True)
    if regions.never_beyond is not None:
        yield BoundLine("never-any", (sympy.Ge(R, regions.never_beyond, evaluate=False),))
    if regions.never_below is not None:
        yield BoundLine("never", (sympy.Le(M, regions.never_below, evaluate=False),))
    for case in regions.scales or ():
        yield from _tile_region(found, case)
    if found.bytes is not None:
        size = sympy.Rational(found.bytes)
        if (least := regions.never_from(size)) is not None:
            yield BoundLine("never-here", (sympy.Ge(R, least, evaluate=False),))
        if found.scale:
            yield BoundLine(
                "tile-here", (sympy.Lt(R, regions.reached_below(sympy.Rational(found.scale)), evaluate=False),)
            )
    if found.region is not None and found.chip is not None and found.ridge is not None:
        ridge = sympy.Rational(found.ridge)
        put = {R: ridge}
        about = {"engine": found.engine, "channel": found.chip.memory, "chip": found.chip.name}
        yield BoundLine("ridge-here", (sympy.Eq(R, ridge, evaluate=False),), about)
        below, reached = regions.never_below, regions.reached_at
        if below is not None:
            yield BoundLine("never", (sympy.Le(M, below.subs(put), evaluate=False),))
        if reached is not None and reached.subs(put).is_positive:
            yield BoundLine("tile-is", (sympy.Gt(M, reached.subs(put), evaluate=False),))
        yield BoundLine(f"region-{found.region.replace(' ', '-')}")
        yield from _from_sizes(found, ridge)


def _from_sizes(found: Bound, ridge: sympy.Rational) -> Iterator[BoundLine]:
    """Yield from which sizes on it is so, where they are not without end."""
    regions, nest, tile = found.regions, found.nest, found.tile
    least = regions.never_from_points(sympy.Rational(found.bytes), ridge)
    if found.region == NEVER and least is not None:
        yield BoundLine("never-from", (sympy.Ge(nest.points, least, evaluate=False),))
    if found.region == TILE and tile is not None and found.scale:
        cases = regions.streamed_from(sympy.Rational(found.scale), ridge)
        yield BoundLine("tile-from", (cases.at({}).holds(nest.lengths[tile.streamed]),))


def _tile_region(found: Bound, case: Case) -> Iterator[BoundLine]:
    """Yield where the tile is compute-bound in one case, for the memory that it takes."""
    tile = found.tile
    assert tile is not None
    when = () if case.when == sympy.true else (case.when,)
    if isinstance(case.threshold, Never | Always):
        yield BoundLine(f"tile-{case.threshold.kind}", when)
        return
    told = with_bounds(case.threshold, lambda g: sympy.factor_terms(tile.footprint(g)))
    yield BoundLine("tile-is", (told.holds(found.memory), *when))


def bound_text(found: Bound, lang: str = "en") -> str:
    """Return a lower bound as text.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> print(bound_text(bound(parse_operation("dot"))))
    dot: products of x, y, z
    no schedule moves fewer bytes than
      in any memory                   4*N + 2
    best tile: z held, N streamed
      takes                           M = 6
      moves                           4*N + 2
    three regions against R, for sizes without end
      no schedule is compute-bound    R >= 1/2, in any memory
    rests on
      each product is made on its own; operands start, and results end, beyond the memory
      all else proved by kernel
    """
    words = Catalogue(lang, "bounds")
    return "\n".join(_rendered(found, words, plain, lambda text: text))


def _rendered(
    found: Bound, words: Catalogue, formula: Callable[[sympy.Basic], str], name: Callable[[str], str]
) -> Iterator[str]:
    every = list(lines(found))
    said = {id(line): _say(words, line, name) for line in every}
    width = max((columns(said[id(line)]) for line in every if line.formulas and not line.heading), default=0) + 4
    for line in every:
        text = said[id(line)]
        if line.heading or not line.formulas:
            yield text if line.heading else f"  {text}"
        else:
            yield f"  {padded(text, width)}{_after(words, line, formula)}"


def _say(words: Catalogue, line: BoundLine, name: Callable[[str], str]) -> str:
    key = "tile-is" if line.key.startswith("tile-is") else line.key
    return words.say(key, **{gap: name(part) for gap, part in line.parts.items()})


def _after(words: Catalogue, line: BoundLine, formula: Callable[[sympy.Basic], str]) -> str:
    """Return the formulas of a line: an equation of a number in few digits, a ratio with its limit, a case when."""
    first, *rest = line.formulas
    if line.key == "ratio":
        return words.say("tends", ratio=formula(first), limit=formula(rest[0]))
    if line.key == "tile-moves":
        return words.say("times-the-bound", bytes=digits(first), ratio=digits(rest[0]))
    if line.key == "no-less":
        return digits(first, ROUND_FLOOR)
    if line.key == "never-any":
        return words.say("for-any", what=formula(first))
    said = digits(first, ROUND_CEILING) if line.key == "ratio-most" and first.is_number else _rounded(first, formula)
    return words.say("where", what=said, condition=", ".join(map(formula, rest))) if rest else said


def _rounded(statement: sympy.Basic, formula: Callable[[sympy.Basic], str]) -> str:
    """Return a number, or a comparison with one that implies it, in few digits; anything else as a formula."""
    value = statement if isinstance(statement, sympy.Expr) else statement.rhs
    if value.free_symbols:
        return formula(statement)
    if isinstance(statement, sympy.Expr):
        return digits(value)
    text = {">": at_most, "<": at_least}.get(statement.rel_op[0], unsigned)(value)
    exact = value.is_Rational and sympy.Rational(text) == value
    sign = statement.rel_op if statement.rel_op != "==" else "=" if exact else "≈"
    return f"{formula(statement.lhs)} {sign} {text}"


def bound_latex(found: Bound, lang: str = "en") -> str:
    r"""Return a lower bound in LaTeX: a description list with a formula a line.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> print(bound_latex(bound(parse_operation("matmul"))).splitlines()[4])
      \item[weights 1/2, 1/2, 1/2:] $\frac{4BDF\sqrt{2}}{\sqrt{M}} - 2M$
    """
    words = Catalogue(lang, "bounds")
    out, inside = list[str](), False
    for line in lines(found):
        text = _say(words, line, escape)
        if line.heading:
            out += [r"\end{description}"] * inside + [rf"\paragraph{{{text}}}"]
            inside = False
            continue
        out += [r"\begin{description}"] * (not inside)
        inside = True
        if not line.formulas:
            out.append(rf"  \item {text}")
            continue
        told = _after(words, line, lambda e: f"${_formula(e)}$").replace("≈ ", r"$\approx$ ").replace("<=", r"$\le$")
        out.append(rf"  \item[{text}:] {told.replace('>=', chr(92) + 'ge')}")
    return "\n".join([*out, *([r"\end{description}"] * inside)])


def bound_formula(found: Bound) -> str:
    """Return the bounds and the regions as one formula: Q is the bytes that move.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> print(bound_formula(bound(parse_operation("dot"))))
    \\begin{aligned} Q &\\ge 4N + 2 \\\\ R &\\ge \\frac{1}{2} && \\text{no schedule is compute-bound} \\end{aligned}
    """
    words, regions = Catalogue("en", "bounds"), found.regions
    made = [rf"Q &\ge {latex(value)}" for value in (found.nest.compulsory, *(b.value for b in found.lower))]
    for line in _regions(found) if found.nest.per_point else ():
        if line.key in ("never-any", "never", "tile-is") and line.formulas[0].has(regions.ridge):
            left = latex(line.formulas[0].lhs)
            said = f"{left} &{_formula(line.formulas[0]).removeprefix(left).lstrip()}"
            when = rf",\ {_formula(line.formulas[1])}" if line.formulas[1:] else ""
            made.append(rf"{said}{when} && \text{{{words[line.key]}}}")
    return r"\begin{aligned} " + r" \\ ".join(made) + r" \end{aligned}"


def _formula(statement: sympy.Basic) -> str:
    if isinstance(statement, sympy.Expr):
        return latex(statement)
    sign = {"==": "=", ">=": r"\ge", "<=": r"\le", ">": ">", "<": "<"}[statement.rel_op]
    return f"{latex(statement.lhs)} {sign} {latex(statement.rhs)}"
