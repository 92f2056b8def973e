"""The values of the names in a claim, and the regime it stands in: those that the text told before it, in its scope."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from roofproof.claims.documents.reading import Statement
from roofproof.claims.documents.scopes import Scope, inside
from roofproof.claims.language.book import MAX_LET
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Comparison, Name, Op, names_in


@dataclass(frozen=True, slots=True)
class _Definition:
    place: int
    scope: Scope
    value: str
    number: bool


def with_definitions(
    stated: Mapping[int, list[Statement]], scopes: Mapping[int, Scope], apart: Collection[int]
) -> Iterator[tuple[int, list[Statement]]]:
    """Yield what formulas state, in order, each claim with the values of the names that the text defined before it.

    A value holds in its section or exercise and what lies inside that, and not in the next one; a formula without a
    value of its own there is that of the whole document where it is the only one. A name that is defined in two ways
    has no one value, and stays a name; `apart` are formulas such as `at $T = 3$`.
    """
    defined: dict[str, list[_Definition]] = {}
    for k, each in sorted(stated.items()):
        for name, value in (pair for said in each for pair in said.let if k not in apart):
            number = not names_in(read_value(value))
            defined.setdefault(name, []).append(_Definition(k, scopes[k], value, number))
    parted: set[str] = set()  # names that are defined case by case
    for k in sorted(stated):
        known = {name: value for name, each in defined.items() if (value := _value(each, k, scopes[k]))}
        yield k, [_with_values(said, known, parted) for said in stated[k]]
        parted.update(name for said in stated[k] for name in _cases_of(said))


def _value(defined: Sequence[_Definition], place: int, scope: Scope) -> str:
    """Return the one value that a name has at a place, nothing where it has none or several."""
    around = [each for each in defined if inside(scope, each.scope)]
    if around:
        nearest = max(len(each.scope) for each in around)
        around = [each for each in around if len(each.scope) == nearest]
    elif any(each.number for each in defined):
        return ""
    else:
        around = list(defined)
    one = len({each.value for each in around}) == 1 and any(each.place < place for each in around)
    return around[0].value if one else ""


def regime_above(told: Sequence[tuple[int, Scope, str]], place: int, scope: Scope) -> str:
    """Return the regime that was stated last before a place, in its scope or one around it.

    >>> told = [(1, (2,), "D, F >> B"), (3, (2, 8), "N -> oo")]
    >>> regime_above(told, 2, (2,)), regime_above(told, 5, (2, 8)), regime_above(told, 5, (9,))
    ('D, F >> B', 'N -> oo', '')
    """
    return next((text for k, other, text in reversed(told) if k < place and inside(scope, other)), "")


def _with_values(said: Statement, known: Mapping[str, str], parted: Collection[str]) -> Statement:
    if names := sorted(names_of(said).intersection(parted)):
        why = f"{names[0]} is defined case by case; write each case as a claim of its own"
        return replace(said, kind="unread", text=why, let=())
    return replace(said, let=_values(said, known)) if said.kind == "claim" else said


def _cases_of(said: Statement) -> Iterator[str]:
    """Yield the name that a case of a definition is of: `x > 2 => f == x`."""
    node = read_statement(said.text) if said.kind == "definition" and not said.let else None
    match node:
        case Op("=>", (_, Comparison(operands=(Name(name=name), *_)))):
            yield name


def _values(said: Statement, known: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the values of the names in a claim, after those that these need; none where they go in a circle."""
    found, begun = {name: "" for name, _ in said.let}, set[str]()

    def settle(text: str) -> None:
        for name in sorted(_words(text) & known.keys() - found.keys()):
            if name in found:
                continue
            if name in begun or len(begun) > MAX_LET:
                raise RecursionError
            begun.add(name)
            settle(known[name])
            found[name] = known[name]

    try:
        for text in (said.text, said.given, *(value for _, value in said.let)):
            settle(text)
    except RecursionError:
        return said.let
    return (*((name, value) for name, value in found.items() if value), *said.let)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


@lru_cache(maxsize=4096)
def names_of(said: Statement) -> frozenset[str]:
    """Return the names in a claim; none for anything else."""
    return frozenset(names_in(read_statement(said.text))) if said.kind == "claim" else frozenset()
