"""Letters that are units as well: beside other units `2 s` may be two seconds, or twice what is named s."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from roofproof.claims.language.environment import Environment
from roofproof.claims.language.things import introduced, sizes
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.conditions import constant
from roofproof.formula.dimensions import Known, dimension_of
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.printing import to_text
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantity,
    Tree,
    is_op,
    names_in,
    walk,
    walk_with_values,
)
from roofproof.formula.units import COUNTS, JOULE, MEASURES, PLAIN, SECOND, SPELLED, Dimension, per

if TYPE_CHECKING:
    from roofproof.claims.language.book import Claim

LEAST_WORD = 3  # letters from which a name right after a unit and a slash is taken for a word
LARGE = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12}
COUNTED = LARGE | {"B": 9}  # before what is counted, and glued to a number: 7B parameters; elsewhere B is any name


def refuse_letters(text: str, node: Tree, names: Collection[str], known: Known, environment: Environment) -> None:
    """Refuse a letter that may be a unit or a name, where nothing tells which.

    `names` are in use elsewhere, `known` has the dimensions of values, `environment` the values themselves.

    >>> from roofproof.formula.reader import read_statement
    >>> for text in ("2 s h == 4 h", "3 GHz * 2 s == 6"):
    ...     refuse_letters(text, read_statement(text), (), {}, Environment())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 9: '2 s' can be read two ways; write '2 seconds' or '2 * s'
    """
    _refuse_constants(text, node, names, environment)
    doubtful = [(start, name) for start, name in _doubtful(text, node) if name.name in SPELLED]
    let = environment.let.values()
    letters = {name.name for _, name in doubtful}
    places = {id(name) for _, name in (*_doubtful(text, node), *_counted(node))}
    used = {n.name for n in walk(node) if isinstance(n, Name) and id(n) not in places}
    used |= {*names, *(name for value in let for name in names_in(value)), *sizes(node, environment)}
    _refuse_thousands(text, node, used)
    _refuse_per(text, node, used)
    alone = len(letters) > 1 and (letters & {"J", "W"} or set(names_in(node)) <= letters - used)  # 6 J / (2 W)
    if not doubtful or not (alone or any(has_a_unit(part, known) for part in (node, *let))):
        return
    for start, name in doubtful:
        if name.name not in used:
            before = text[start : name.span[0]].strip()
            word = SPELLED[name.name]
            unit = f"/{word}" if before == "/" else f"{before} {word.removesuffix('s') if before == '1' else word}"
            if not before[-1:].isdigit() and before != "/":
                unit = f"{before} * 1 {word.removesuffix('s')}"
            raise error_at(
                start,
                "<whole> can be read two ways; write <first> or <second>",
                whole=quoted(text[start : name.span[1]]),
                first=quoted(unit),
                second=quoted(f"{before} {name.name}" if before == "/" else f"{before} * {name.name}"),
            )


def letters_fit(claim: Claim) -> bool:
    """Tell whether the letters of a claim that was read with `letters` can be nothing but units.

    None of them is a name anywhere in the claim, and each comparison that has one is between values of one known
    dimension, in two units at least: with a name in its place these would contradict each other, or nobody names it.

    >>> from roofproof.claims.language.book import book_from_text
    >>> for says in ("36 J / 90 W <= 0.4 s", "lower(matmul, tpu-v5e) < 2 s", "3 s >= 3 n", "3 s > 2 s"):
    ...     [claim] = book_from_text(f'claim = [{{id = "a", says = "{says}", let = {{B = 1, D = 1, F = 1}}}}]').claims
    ...     print(says, "|", "s" in names_in(claim.proposition))
    36 J / 90 W <= 0.4 s | False
    lower(matmul, tpu-v5e) < 2 s | False
    3 s >= 3 n | True
    3 s > 2 s | True
    """
    assert claim.proposition is not None
    let, nodes = claim.environment.let, (claim.proposition, *claim.given.conditions)
    parts = [*walk_with_values(nodes, let)]
    letters = {part.unit.text for part in parts if isinstance(part, Quantity)} & MEASURES
    used = {*let, *claim.given.names, *(claim.regime.growing if claim.regime else ())}
    used |= {part.name for part in parts if isinstance(part, Name)} | {*sizes(claim.proposition, claim.environment)}
    known: dict[str, Dimension | None] = {}
    for name, value in let.items():
        known[name] = dimension_of(value, known)
    compared = [part for part in parts if isinstance(part, Comparison) and _sources(part, let) & MEASURES]
    return bool(letters) and bool(compared) and not letters & used and all(_fits(c, let, known) for c in compared)


def _fits(comparison: Comparison, let: Mapping[str, Tree], known: Known) -> bool:
    found = {dimension_of(_without_numbers(operand), known) for operand in comparison.operands}
    open_names = any(known.get(name) is None for name in _names_outside_calls(comparison))
    return len(found) == 1 and found.isdisjoint({None, PLAIN}) and not open_names and len(_sources(comparison, let)) > 1


def _without_numbers(node: Tree) -> Tree:
    """Return a product without its factors that are numbers or their powers: `3.8 * 10^(-1) s` is in seconds."""
    if not is_op(node, "*"):
        return node
    rest = tuple(f for f in node.args if constant(f.args[0] if is_op(f, "^") else f) is None)
    return replace(node, args=rest) if len(rest) > 1 else rest[0] if rest else node


def _sources(node: Tree, let: Mapping[str, Tree]) -> set[str]:
    """Return the sources of a value's dimension: units, and functions that have one."""
    parts = [*walk_with_values([node], let)]
    called = {part.function for part in parts if isinstance(part, Call)}
    units = {part.unit.text for part in parts if isinstance(part, Quantity)}
    return units | {name for name in called if isinstance(FUNCTIONS[name].dimension, tuple)}


def _names_outside_calls(node: Tree) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    for part in () if isinstance(node, Call) else node.parts:
        yield from _names_outside_calls(part)


def refuse_units_named(node: Tree, used: Collection[str]) -> None:
    """Refuse a unit in one text of a claim that is a name in another.

    >>> from roofproof.formula.reader import read_value
    >>> refuse_units_named(read_value("3 Pb"), {"Pb"})
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '3 Pb' can be read two ways; write '3 * Pb' for what is named so
    """
    for part in walk(node):
        if isinstance(part, Quantity) and part.unit.text in used:
            whole, amount = to_text(part), to_text(part.amount)
            raise error_at(
                part.span[0],
                "<whole> can be read two ways; write <product> for what is named so",
                whole=quoted(whole),
                product=quoted(f"{amount} * {part.unit.text}"),
            )


def _refuse_constants(text: str, node: Tree, names: Collection[str], environment: Environment) -> None:
    """Refuse `e^x`, where nothing introduces a name that is spelled so: people mean Euler's number.

    It has no place in a proof here, and as a name of any number it would refute what is true. A name is introduced
    by what is assumed of it alone, by `let` or a regime, as the size of an operation, or as what a function is about.
    """
    if not _stands_for_itself("e", node, names, environment):
        return
    for part in walk(node):
        power = is_op(part, "^") and part.args[0] == Name("e") and not isinstance(part.args[1], Number)
        if power or (isinstance(part, Call) and part.function == "log" and "e" in names_in(part)):
            raise error_at(
                part.span[0],
                "<power> is read with e as a name, and Euler's number is not worked with; if it is a name, say so, as "
                "in given = 'e > 0'",
                power=quoted(text[slice(*part.span)]),
            )
    found = [n for n in walk(node) if n == Name("e")]
    raise error_at(
        found[0].span[0] if found else 0,
        "<name> is read as a name, and the constant is not worked with; if it is a name, say so, as in "
        "given = '<name> > 0'",
        name="e",
    )


def is_pi(node: Tree, names: Collection[str], environment: Environment) -> bool:
    """Tell whether `pi` in a claim is the number: nothing introduces a name that is spelled so.

    >>> from roofproof.formula.conditions import read_conditions
    >>> from roofproof.formula.reader import read_statement
    >>> says = read_statement("2 pi r > 6 r")
    >>> is_pi(says, (), Environment()), is_pi(says, (), Environment(given=read_conditions("pi > 0")))
    (True, False)
    """
    return _stands_for_itself("pi", node, names, environment)


def names_pi(node: Tree, environment: Environment) -> bool:
    """Tell whether a claim calls something pi that is not the number."""
    let = environment.let
    return let.get("pi") != Constant("pi") and Name("pi") in walk_with_values(
        [node, *environment.given.conditions], let
    )


def _stands_for_itself(name: str, node: Tree, names: Collection[str], environment: Environment) -> bool:
    parts = walk_with_values([node, *environment.given.conditions], environment.let)
    return Name(name) in parts and name not in introduced(node, names, environment)


def _refuse_thousands(text: str, node: Tree, used: Collection[str]) -> None:
    """Refuse `50k`, which may be fifty thousand, and `7B parameters`, where nothing else is named so."""
    counted = [*_counted(node)]
    for start, name in (*_doubtful(text, node), *counted):
        number, letter = text[start : name.span[0]], name.name
        large = COUNTED if (start, name) in counted or number[-1:].isdigit() else LARGE
        if letter in large and letter not in used and (digits := number.rstrip())[-1:].isdigit():
            ways = {"first": f"{digits} * 10^{large[letter]}", "second": f"{digits} * {letter}"}
            said = "<whole> can be read two ways; write <first> or <second>"
            if letter in SPELLED and (start, name) not in counted:
                ways |= {"second": f"{digits} {SPELLED[letter]}", "third": ways["second"]}
                said = "<whole> can be read several ways; write <first>, <second> or <third>"
            raise error_at(start, said, whole=quoted(number + letter), **{k: quoted(way) for k, way in ways.items()})


def _counted(node: Tree) -> Iterator[tuple[int, Name]]:
    """Yield the name between a number and what it counts, with the place of the number."""
    for part in walk(node):
        match part:
            case Quantity(amount=Op("*", (*_, Number(span=(start, _)), Name() as name)), unit=unit):
                if unit.text.rstrip("s") in COUNTS:
                    yield start, name


def _refuse_per(text: str, node: Tree, used: Collection[str]) -> None:
    """Refuse `600 GB/s/GPU`, where nothing else is named GPU: no unit, and hardly a name."""
    for start, name in _doubtful(text, node):
        if text[start : name.span[0]] == "/" and len(name.name) >= LEAST_WORD and name.name not in used:
            raise error_at(
                start,
                "<word> is no unit; leave it out, or write <quotient> for a value that is named so",
                word=quoted(name.name),
                quotient=quoted(f"/ {name.name}"),
            )


def refuse_counts(texts: Mapping[str, tuple[str, Sequence[Tree]]], known: Collection[str]) -> None:
    """Refuse what people count by, and a rate such as `60/s`, where nothing else is named so: it would be any number.

    `texts` are those of one claim, in which something has a unit, with their trees, by where they stand; `known` are
    the names that it introduces.

    >>> from roofproof.formula.reader import read_statement
    >>> for says in ("2 rows * 3 byte == 6 rows byte", "2400e6/s * 16 byte == 38.4 GB/s"):
    ...     refuse_counts({"says": (says, [read_statement(says)])}, ())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: says: column 1: '2400e6/s' can be read two ways; write '2400e6 / (1 second)', or \
given = 's > 0' for a value that is named so
    """
    found = [(where, *each) for where, (text, nodes) in texts.items() for n in nodes for each in _uncounted(text, n)]
    places = {id(name) for _, _, _, name, _ in found}
    every = [part for _, nodes in texts.values() for node in nodes for part in walk(node)]
    used = {*known, *(n.name for n in every if isinstance(n, Name) and id(n) not in places)}
    for where, start, end, name, unit in found:
        if name.name not in used:
            whole = texts[where][0][start:end]
            problem = error_at(
                start,
                "<whole> can be read two ways; write <unit>, or given = '<own> > 0' for a value that is named so",
                whole=quoted(whole + ")" * (whole.count("(") - whole.count(")"))), unit=quoted(unit), own=name.name,
            )  # fmt: skip
            raise RoofproofError("<where>: <problem>", where=where, problem=problem)


def _uncounted(text: str, node: Tree) -> Iterator[tuple[int, int, Name, str]]:
    """Yield where a number and what it seems to count begin and end, or a rate, the name, and what is meant by both."""
    for start, name in _doubtful(text, node):
        number = text[start : name.span[0]].strip()
        power = LARGE.get(name.name[0], 0) if name.name[1:] == "T" else 0  # 2400 MT/s: transfers
        if number[-1:].isdigit() and (power or len(name.name) >= LEAST_WORD):
            yield start, name.span[1], name, f"{number} * 10^{power}" if power else number
    for part in walk(node):
        match part:
            case Quantity(amount=Op("*", (Number(span=(start, _)) as many, Name() as name)), unit=unit):
                if unit.dimension == SECOND and len(name.name) >= LEAST_WORD:
                    yield start, name.span[1], name, f"{many.text} {unit.text}"
            case Op("/", (_, Name(span=(_, end)) as name), span=(start, _)) if name.name in MEASURES:
                above = text[start:end].rpartition("/")[0].strip()
                yield start, end, name, f"{above} / (1 {SPELLED[name.name].removesuffix('s')})"
            case Op("^", (Name() as name, Op("-", (Number(text="1"),))), span=(start, end)):
                if name.name in MEASURES:  # s^-1
                    yield start, end, name, f"1 / (1 {SPELLED[name.name].removesuffix('s')})"


def _doubtful(text: str, node: Tree) -> Iterator[tuple[int, Name]]:
    """Yield names directly after a number, or after a unit and a slash, with the place where the reading begins."""
    measured = {id(part.amount) for part in walk(node) if isinstance(part, Quantity)}  # 8 s byte: a name before a unit
    for part in walk(node):
        match part:
            case Op("*", factors) if id(part) not in measured:
                for k, (number, name) in enumerate(pairwise(factors)):
                    after = text[name.span[1] : factors[k + 2].span[0]] if k + 2 < len(factors) else "*"
                    between = text[number.span[1] : name.span[0]].strip()
                    joined = not between.strip(" )")
                    last = k + 2 == len(factors) and isinstance(name, Name) and _may_be_time(number, name)
                    if (_is_number(number) or last) and isinstance(name, Name) and joined and after.strip(" ()"):
                        yield number.span[0] - len(between), name
            case Op("/", (Quantity(span=(_, end)), Name(span=(start, _)) as name)):
                if text[end:start] == "/":
                    yield end, name


def _is_number(node: Tree) -> bool:
    """Tell whether a factor is a number, written out or as a power, quotient or sum of such: 1000, 2^30, (1 + 2)."""
    return not any(isinstance(part, Name | Quantity | Call) for part in walk(node))


def _may_be_time(before: Tree, name: Name) -> bool:
    """Tell whether a letter at the end of a product may be seconds, as in `2 n s`, or hours, as in `3 kW h`."""
    power = isinstance(before, Quantity) and before.unit.dimension == per(JOULE, SECOND)
    return (name.name == "s" and isinstance(before, Quantity | Name)) or (name.name == "h" and power)


def has_a_unit(node: Tree, known: Known) -> bool:
    """Tell whether something in a value or a statement has a dimension.

    >>> from roofproof.formula.reader import read_statement
    >>> [has_a_unit(read_statement(says), {}) for says in ("2 GB > x", "2 x > y")]
    [True, False]
    """
    measured = (part for part in walk(node) if isinstance(part, Quantity | Call))
    return any(dimension_of(part, known) not in (None, PLAIN) for part in measured)
