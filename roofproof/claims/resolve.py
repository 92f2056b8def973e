"""Resolution of the words in a claim: names, products of names, units, counts, chips. Ambiguous words are rejected.

`2BDF` is 2 B D F if these are names in use, `1e6 rows/s` is a rate. `0.4 s` is a time if dimensions allow nothing
else. `50k`, `6 B` next to other units, Euler's e, and a chip in place of a number are errors with a suggestion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from roofproof.claims.language.environment import Environment
from roofproof.errors import RoofproofError, quoted
from roofproof.formats import ALIASES, BITS
from roofproof.formula.conditions import constant
from roofproof.formula.dimensions import Known, dimension_of
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.magnitudes import BINARY
from roofproof.formula.plain import letters_in
from roofproof.formula.printing import to_text
from roofproof.formula.reader import REFERENCE, SEVERAL_WAYS, TWO_WAYS, counted_words
from roofproof.formula.tokens import Token, error_at, tokens
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantity,
    Reference,
    Tree,
    introduced_names,
    is_op,
    names_in,
    rebuild,
    walk,
    walk_with_values,
)
from roofproof.formula.units import (
    COUNTS,
    JOULE,
    LEAST_WORD,
    MEASURES,
    PLAIN,
    SECOND,
    SPELLED,
    Dimension,
    Unit,
    is_unit,
    per,
)
from roofproof.hardware import chip_names
from roofproof.hardware.resources import LEVELS, LINKS
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from roofproof.claims.language.book import Claim

LARGE = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12}
COUNTED = LARGE | {"B": 9}  # before a counted word, and glued to a number: 7B parameters. Elsewhere B is any name
LEAST = 4  # shorter chip names may be variables: t4 and a10 look like t3 and a9
FORMATS = frozenset((*BITS, *ALIASES))
CHANNELS = frozenset((*LEVELS, *LINKS))  # ordinary names, except in a claim about chips or operations
_NO_UNIT = Unit("", Fraction(1), PLAIN)
_MEASURED = re.compile(r"[0-9.)]\s*[sJW]\b|/\s*\(?\s*[sJW]\b|\b[sJW]\s*\^")


# --- before a claim is read ---------------------------------------------------------------------------


class ClaimWords(NamedTuple):
    """The words of a claim, as known before it is parsed.

    `declared` are names of several letters. `letters` are names of one letter, whose products may be words. `counts`
    are words that count things if they are units. `measured` is true if something may be a unit or a name.
    """

    declared: frozenset[str]
    letters: frozenset[str]
    counts: frozenset[str]
    measured: bool


def words_of(
    texts: Sequence[str],
    given: str,
    names: Collection[str],
    sizes: Callable[[Reference], Collection[str]] = lambda _: (),
) -> ClaimWords:
    """Return the words of a claim as known before it is parsed. `sizes` returns the sizes of an operation.

    >>> words = words_of(["flops(matmul) == 2BDF * heads", "rows > 2 n"], "BW > 3", ["r"], lambda op: ["B", "D", "F"])
    >>> sorted(words.declared), sorted(words.letters)
    (['BW', 'r'], ['B', 'D', 'F', 'n', 'r'])
    """
    found = [(text, _tokens(text)) for text in (*texts, given)]
    named = {*names}
    for operation in (op for text, every in found for op in _operations(text, every)):
        with suppress(RoofproofError):  # reported when the claim is parsed
            named.update(sizes(operation))
    joined = [token for _, every in found for token in (*every, Token(";", ";", -1, -1))]
    counts = counted_words(joined)
    apart = frozenset[str]().union(*(counted_words(every) for _, every in found)) - counts
    declared = frozenset({name for name in named if len(name) > 1} | {*names} | _introduced_alone(found[-1][1]))
    letters = letters_in(joined) | {name for name in named if len(name) == 1}
    declared |= _repeated(joined, letters)
    return ClaimWords(
        declared | apart, frozenset(letters), counts, bool(counts) or any(map(_MEASURED.search, (*texts, given)))
    )


def _tokens(text: str) -> list[Token]:
    """Return the tokens of a text, or none if it cannot be tokenized. Parsing the claim reports that error."""
    try:
        return tokens(text) if text.strip() else []
    except RoofproofError:
        return []


def _operations(text: str, found: Sequence[Token]) -> Iterator[Reference]:
    """Yield the arguments of functions that take an operation first."""
    for called, bracket, first in zip(found, found[1:], found[2:], strict=False):
        function = FUNCTIONS.get(called.text) if bracket.kind == "(" else None
        if function and any(kinds[0] == "op" for kinds in function.signatures):
            word = REFERENCE.match(text, first.at)
            if first.kind == "string" or word:
                yield Reference("op", first.text[1:-1] if first.kind == "string" else str(word and word[0]))


def _repeated(found: Sequence[Token], letters: Collection[str]) -> set[str]:
    """Return the words in capitals that occur twice and in which only one letter is a name: names, not products.

    >>> sorted(_repeated(tokens("BW + BDG > BW + BDG + BT + 2BH - 2BH"), "BD"))
    ['BW']
    """
    uses = Counter(token.text for token in found if token.kind == "name")
    glued = {word.text for number, word in pairwise(found) if number.kind == "number" and number.end == word.at}
    words = {
        word for word, count in uses.items() if count > 1 < len(word) and word.isalpha() and word.isupper()
    } - glued
    return {word for word in words if not is_unit(word) and sum(letter in letters for letter in word) == 1}


def _introduced_alone(given: Sequence[Token]) -> set[str]:
    """Return the names that are the only name in a condition: `BDF > 1; D, F integer`."""
    parts: list[set[str]] = [set()]
    for token in given:
        if token.kind in (";", "and"):
            parts.append(set())
        elif token.kind == "name":
            parts[-1].add(token.text)
    return {name for part in parts if len(part) == 1 for name in part}


# --- a claim that was parsed with units wherever they are possible --------------------------------------


def units_fit(claim: Claim, counts: Collection[str]) -> bool:
    """Return whether the letters and counted words that were read as units can only be units.

    None of them may be a name anywhere in the claim. Each comparison that contains one must be between values of one
    known dimension, in at least two units: with a name in place of the unit, the dimensions would differ. If the units
    cancel, as in `60 images/s * 2 s == 120`, at least one of them must be more than a letter.

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
    doubtful = {*MEASURES, *counts}
    read = {word for part in parts if isinstance(part, Quantity) for word in _marks(part.unit.text)} & doubtful
    used = {*let, *claim.given.names, *(claim.regime.growing if claim.regime else ())}
    used |= {part.name for part in parts if isinstance(part, Name)} | {*sizes(claim.proposition, claim.environment)}
    known: dict[str, Dimension | None] = {}
    for name, value in let.items():
        known[name] = dimension_of(_with_plain_numbers(value), known)
    compared = [part for part in parts if isinstance(part, Comparison) and _sources(part, let)[1] & doubtful]
    return bool(read) and bool(compared) and not read & used and all(_fits(c, let, known) for c in compared)


def _marks(unit: str) -> set[str]:
    """Return the words of a unit that may be names: a unit of one letter, and counted words."""
    words = unit.split("/")
    return {word for word in words if len(words) == 1 or word not in MEASURES}


def _fits(comparison: Comparison, let: Mapping[str, Tree], known: Known) -> bool:
    found = {dimension_of(_with_plain_numbers(operand), known) for operand in comparison.operands}
    open_names = any(known.get(name) is None for name in _names_outside_calls(comparison))
    several = len(_sources(comparison, let)[0]) > 1
    cancelled = any(
        isinstance(part, Quantity) and part.unit.dimension != PLAIN and part.unit.text not in MEASURES
        for part in walk_with_values([comparison], let)
    )
    return len(found) == 1 and None not in found and (PLAIN not in found or cancelled) and not open_names and several


def _with_plain_numbers(node: Tree) -> Tree:
    """Return a tree whose bare numbers are dimensionless quantities: `60 / (1 s)` is in 1/s."""
    if constant(node) is not None:
        return Quantity(node, _NO_UNIT)
    return rebuild(node, _with_plain_numbers) if is_op(node, "*", "/") else node


def _sources(node: Tree, let: Mapping[str, Tree]) -> tuple[set[str], set[str]]:
    """Return the units and functions that give a value its dimension, and the words in its units."""
    parts = [*walk_with_values([node], let)]
    calls = [part for part in parts if isinstance(part, Call) and any(isinstance(a, Reference) for a in part.arguments)]
    units = {part.unit.text for part in parts if isinstance(part, Quantity)}
    words = {word for unit in units for word in _marks(unit)}
    return units | {call.function for call in calls if dimension_of(call) is not None}, words


def _names_outside_calls(node: Tree) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    for part in () if isinstance(node, Call) else node.parts:
        yield from _names_outside_calls(part)


# --- a claim that was parsed with names wherever they are possible --------------------------------------


def introduced(node: Tree, names: Collection[str], environment: Environment) -> set[str]:
    """Return the names that a claim introduces as numbers. `names` are in use elsewhere.

    An assumption on a single name, `let`, a regime, a size of an operation and a variable of a function introduce one.

    >>> from roofproof.formula.conditions import read_conditions
    >>> from roofproof.formula.reader import read_statement
    >>> env = Environment(given=read_conditions("hbm > 0; e < x"))
    >>> sorted(introduced(read_statement("flops(dot) > hbm e"), (), env))
    ['N', 'hbm']
    """
    let, given = environment.let, environment.given
    parts = walk_with_values([node, *given.conditions], let)
    alone = {name for condition in given.conditions for name in names_in(condition) if names_in(condition) == (name,)}
    known = {*names} - {*given.names} | {*let, *given.domains, *alone} | introduced_names(parts)
    return known.union(*(sizes(part, environment) for part in parts))


def sizes(node: Tree, environment: Environment) -> Iterator[str]:
    """Yield the names of the sizes of the operations in a node."""
    for part in walk(node):
        if isinstance(part, Reference) and part.kind == "op":
            yield from (s.name for s in environment.operation(part).dims)


def is_pi(node: Tree, names: Collection[str], environment: Environment) -> bool:
    """Return whether `pi` in a claim is the number, because nothing introduces a name `pi`.

    >>> from roofproof.formula.conditions import read_conditions
    >>> from roofproof.formula.reader import read_statement
    >>> says = read_statement("2 pi r > 6 r")
    >>> is_pi(says, (), Environment()), is_pi(says, (), Environment(given=read_conditions("pi > 0")))
    (True, False)
    """
    return _stands_for_itself("pi", node, names, environment)


def names_pi(node: Tree, environment: Environment) -> bool:
    """Return whether `pi` in a claim is a name and not the number."""
    let = environment.let
    return let.get("pi") != Constant("pi") and Name("pi") in walk_with_values(
        [node, *environment.given.conditions], let
    )


def _stands_for_itself(name: str, node: Tree, names: Collection[str], environment: Environment) -> bool:
    parts = walk_with_values([node, *environment.given.conditions], environment.let)
    return Name(name) in parts and name not in introduced(node, names, environment)


def refuse_doubts(text: str, node: Tree, names: Collection[str], known: Known, environment: Environment) -> None:
    """Reject a word that may be a unit, a power of ten, the constant e, a chip or an operation, if nothing decides it.

    `names` are in use elsewhere, `known` has the dimensions of values, and `environment` has the values themselves.

    >>> from roofproof.formula.reader import read_statement
    >>> for text in ("2 s h == 4 h", "3 GHz * 2 s == 6"):
    ...     refuse_doubts(text, read_statement(text), (), {}, Environment())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 9: '2 s' can be read two ways; write '2 seconds' or '2 * s'
    """
    _refuse_constants(text, node, names, environment)
    places = [*_after_numbers(text, node)]
    counted = [*_before_counts(node)]
    let = environment.let.values()
    apart = {id(name) for _, name in (*places, *counted)}
    used = {n.name for n in walk(node) if isinstance(n, Name) and id(n) not in apart}
    used |= {*names, *(name for value in let for name in names_in(value)), *sizes(node, environment)}
    letters = {name.name for _, name in places if name.name in SPELLED}
    alone = len(letters) > 1 and (letters & {"J", "W"} or set(names_in(node)) <= letters - used)  # 6 J / (2 W)
    measured = bool(alone) or any(has_a_unit(part, known) for part in (node, *let, *environment.given.conditions))
    for start, name in (*counted, *places):
        if name.name not in used:
            _refuse_reading(text, start, name, (start, name) in counted, measured)
    check_names(node, names, environment)


def _refuse_reading(text: str, start: int, name: Name, counted: bool, measured: bool) -> None:
    """Reject a name after a number, or after a unit and a slash: `50k`, `7B params`, `2 s`, `4 GB/ms/s`, `GB/GPU`."""
    number, letter = text[start : name.span[0]], name.name
    before, spelled = number.strip(), SPELLED.get(letter, "")
    ways = []
    large = COUNTED if counted or number[-1:].isdigit() else LARGE
    if before[-1:].isdigit() and letter in large:
        ways.append(f"{before} * 10^{large[letter]}")
    if before[-1:].isdigit() and letter[:-1] in LARGE and letter in BINARY:
        ways.append(f"{before} * 2^{BINARY[letter]}")
    if before == "/" and not spelled and len(letter) >= LEAST_WORD and number == "/":
        raise error_at(
            start,
            "<word> is not a unit; leave it out, or write <quotient> for a value of that name",
            word=quoted(letter), quotient=quoted(f"/ {letter}"),
        )  # fmt: skip
    if spelled and not counted and (measured or ways):
        one = spelled.removesuffix("s")
        if before == "/":
            ways.append(f"/{spelled}")
        elif before[-1:].isdigit():
            ways.append(f"{before} {one if before == '1' else spelled}")
        else:
            ways.append(f"{before} * 1 {one}")
    if ways:
        ways.append(f"{before} {letter}" if before == "/" else f"{before} * {letter}")
        said = dict(zip(("first", "second", "third"), map(quoted, ways), strict=False))
        whole = quoted(text[start : name.span[1]])
        raise error_at(start, SEVERAL_WAYS if len(ways) == 3 else TWO_WAYS, whole=whole, **said)


def refuse_units_named(node: Tree, used: Collection[str]) -> None:
    """Reject a unit in one text of a claim that is a name in another.

    >>> from roofproof.formula.reader import read_value
    >>> refuse_units_named(read_value("3 Pb"), {"Pb"})
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '3 Pb' can be read two ways; write '3 * Pb' for that name
    """
    for part in walk(node):
        if isinstance(part, Quantity) and part.unit.text in used:
            whole, amount = to_text(part), to_text(part.amount)
            raise error_at(
                part.span[0],
                "<whole> can be read two ways; write <product> for that name",
                whole=quoted(whole),
                product=quoted(f"{amount} * {part.unit.text}"),
            )


def _refuse_constants(text: str, node: Tree, names: Collection[str], environment: Environment) -> None:
    """Reject `e^x` if nothing introduces a name `e` (see `introduced`): authors mean Euler's number.

    Proofs cannot use that constant, and if `e` were a name for any number, a true claim would be refuted.
    """
    if not _stands_for_itself("e", node, names, environment):
        return
    for part in walk(node):
        power = is_op(part, "^") and part.args[0] == Name("e") and not isinstance(part.args[1], Number)
        if power or (isinstance(part, Call) and part.function == "log" and "e" in names_in(part)):
            raise error_at(
                part.span[0],
                "<power>: Euler's number is not supported; if e is a name, declare it, as in given = 'e > 0'",
                power=quoted(text[slice(*part.span)]),
            )
    found = [n for n in walk(node) if n == Name("e")]
    raise error_at(
        found[0].span[0] if found else 0,
        "<name> is not supported as a constant; if it is a name, declare it, as in given = '<name> > 0'",
        name="e",
    )


def refuse_counts(
    texts: Mapping[str, tuple[str, Sequence[Tree]]], known: Collection[str], measured: bool = True
) -> None:
    """Reject counted words, and rates such as `60/s`, that are not used as names: they would stand for any number.

    `texts` are the texts of one claim by field, with their trees. `known` are the names that the claim introduces. If
    nothing in the claim has a unit (`measured` is false), a counted word may be a name. The exception is a comparison
    with a plain number in a claim without other names.

    >>> from roofproof.formula.reader import read_statement
    >>> for says in ("2 rows * 3 byte == rows * 6 byte", "2400e6/s * x byte == 38.4 GB/s"):
    ...     refuse_counts({"says": (says, [read_statement(says)])}, ())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: says: column 1: '2400e6/s' can be read two ways; write '2400e6 / (1 second)', or \
given = 's > 0' for a value of that name
    """
    found = [
        (where, *each)
        for where, (text, nodes) in texts.items()
        for node in nodes
        for each in (*_uncounted(text, node), *_large(text, node), *(_letters(text, node) if measured else ()))
    ]
    places = {id(name) for _, _, _, name, _ in found}
    every = [part for _, nodes in texts.values() for node in nodes for part in walk(node)]
    used = {*known, *(n.name for n in every if isinstance(n, Name) and id(n) not in places)}
    if not measured and not (used <= MEASURES and any(map(_with_a_number, every))):  # 8 cores * 4 == 32
        found = [each for each in found if each[3].name in COUNTED]
    for where, start, end, name, unit in found:
        if name.name not in used:
            whole = texts[where][0][start:end]
            problem = error_at(
                start,
                "<whole> can be read two ways; write <unit>, or given = '<own> > 0' for a value of that name",
                whole=quoted(whole + ")" * (whole.count("(") - whole.count(")"))), unit=quoted(unit), own=name.name,
            )  # fmt: skip
            raise RoofproofError("<where>: <problem>", where=where, problem=problem)


def _with_a_number(node: Tree) -> bool:
    """Return whether one side of a comparison is a plain number."""
    return isinstance(node, Comparison) and any(constant(operand) is not None for operand in node.operands)


def _uncounted(text: str, node: Tree) -> Iterator[tuple[int, int, Name, str]]:
    """Yield each rate, and each number with a word that it seems to count: start, end, name, and the likely meaning."""
    for start, name in _after_numbers(text, node):
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


def _letters(text: str, node: Tree) -> Iterator[tuple[int, int, Name, str]]:
    """Yield seconds, joules and watts after a number: `2 s`."""
    for start, name in _after_numbers(text, node):
        if name.name in MEASURES and text[start : name.span[0]].strip()[-1:].isdigit():
            yield start, name.span[1], name, f"{text[start : name.span[0]].strip()} {SPELLED[name.name]}"


def _large(text: str, node: Tree) -> Iterator[tuple[int, int, Name, str]]:
    """Yield letters that may be a power of ten, right after a number: `8k`, and `7B` before an operator or the end."""
    for part in walk(node):
        factors = part.args if is_op(part, "*") else ()
        for number, name, *after in zip(factors, factors[1:], (*factors[2:], None), strict=False):
            if (
                isinstance(number, Number)
                and isinstance(name, Name)
                and name.span == (number.span[1], name.span[0] + 1)
            ):
                goes_on = after[0] is not None and not text[name.span[1] : after[0].span[0]].strip(" (")
                large = LARGE if goes_on else COUNTED
                if name.name in large:
                    yield number.span[0], name.span[1], name, f"{number.text} * 10^{large[name.name]}"


def _before_counts(node: Tree) -> Iterator[tuple[int, Name]]:
    """Yield each name between a number and a counted word, with the offset of the number: `7 B parameters`."""
    for part in walk(node):
        match part:
            case Quantity(amount=Op("*", (*_, Number(span=(start, _)), Name() as name)), unit=unit):
                if unit.text.rstrip("s") in COUNTS:
                    yield start, name


def _after_numbers(text: str, node: Tree) -> Iterator[tuple[int, Name]]:
    """Yield names directly after a number, or after a unit and a slash, with the offset where the phrase begins."""
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
    """Return whether a factor is a number, or a power, quotient or sum of numbers: 1000, 2^30, (1 + 2)."""
    return not any(isinstance(part, Name | Quantity | Call) for part in walk(node))


def _may_be_time(before: Tree, name: Name) -> bool:
    """Return whether a letter at the end of a product may be seconds, as in `2 n s`, or hours, as in `3 kW h`."""
    power = isinstance(before, Quantity) and before.unit.dimension == per(JOULE, SECOND)
    return (name.name == "s" and isinstance(before, Quantity | Name)) or (name.name == "h" and power)


def has_a_unit(node: Tree, known: Known) -> bool:
    """Return whether any part of a value or a statement has a dimension.

    >>> from roofproof.formula.reader import read_statement
    >>> [has_a_unit(read_statement(says), {}) for says in ("2 GB > x", "2 x > y")]
    [True, False]
    """
    measured = (part for part in walk(node) if isinstance(part, Quantity | Call))
    return any(dimension_of(part, known) not in (None, PLAIN) for part in measured)


# --- chips, operations and resources -------------------------------------------------------------------


def check_names(node: Tree, names: Collection[str], environment: Environment) -> None:
    """Reject the name of a chip, an operation or a resource in place of a number, if nothing introduces it as a name.

    >>> from roofproof.formula.reader import read_statement
    >>> check_names(read_statement("intensity(matmul) > tpu-v5e"), (), Environment())
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 21: 'tpu-v5e' is a chip, not a number; write a quantity such as \
ridge(tpu-v5e, bf16), or declare a name of your own with given = 'tpu > 0'
    """
    known = introduced(node, names, environment)
    for part, name, kind, example in _things(node, environment):
        if known.isdisjoint(first := names_in(part)):
            raise error_at(
                part.span[0],
                "<name> is <kind>, not a number; write a quantity such as <example>, or declare a name of "
                "your own with given = '<own> > 0'",
                name=quoted(name), kind=Sentence(kind), example=example.format(name), own=first[0],
            )  # fmt: skip


def _things(node: Tree, environment: Environment) -> Iterator[tuple[Tree, str, str, str]]:
    """Yield each chip, operation or resource in place of a number: tree, name, kind, and an example of a number."""
    chips = {*environment.chips, *(name for name in chip_names() if len(name) >= LEAST)}
    references = [part for part in walk(node) if isinstance(part, Reference)]
    operations = {*environment.ops, *(part.text for part in references if part.kind == "op")}
    resources = FORMATS | CHANNELS if references else FORMATS
    for part in walk(node):
        name = part.name if isinstance(part, Name) else _hyphened(part)
        if name in chips:
            yield part, name, "a chip", "ridge({}, bf16)"
        elif name in operations:
            yield part, name, "an operation", "flops({})"
        elif name in resources:
            yield part, name, "a resource", "rate(tpu-v5e, {})"


def _hyphened(node: Tree) -> str:
    """Return the hyphenated word that a difference of names spells, such as `tpu-v5e`, or an empty text."""
    if not is_op(node, "+") or not all(is_op(term, "-") for term in node.args[1:]):
        return ""
    words = (term.args[0] if is_op(term, "-") else term for term in node.args)
    return "-".join(getattr(word, "name", "") or getattr(word, "text", "") for word in words)
