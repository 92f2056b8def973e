r"""A value that is told case by case: `T = \begin{cases} a, & x > 1 \\ b, & \text{otherwise} \end{cases}`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pylatexenc.latexwalker import LatexCharsNode, LatexEnvironmentNode

from roofproof.claims.language.latex import OTHERWISE
from roofproof.claims.language.latex_parts import ENDS, WHERE, opening, rows
from roofproof.formula.tokens import error_at

CASES = ("cases", "dcases")


class CaseBranch(NamedTuple):
    """What is said in one case, its condition, and the conditions before it where it is all that is left."""

    said: list[Any]
    when: list[Any] | None
    otherwise: list[list[Any]]


def by_cases(part: list[Any]) -> Iterator[CaseBranch]:
    r"""Yield the cases of a statement with a value that is told case by case; nothing for one without.

    >>> from roofproof.claims.language.latex_macros import parsed
    >>> found = by_cases(parsed(r"T = \begin{cases} a, & x > 1 \\ b, & \text{otherwise} \end{cases}"))
    >>> for case in found:
    ...     print(*("".join(node.chars for node in nodes or ()) for nodes in case[:2]), len(case.otherwise))
    T = ( a)  x > 1  0
    T = ( b)  1
    """
    places = [k for k, node in enumerate(part) if _is_cases(node)]
    if not places or not any(_says(node) for node in part[: places[0]] + part[places[0] + 1 :]):
        return
    [place, *more] = places
    node = part[place]
    if more:
        raise error_at(part[more[0]].pos, "two values, each case by case; write one of them as a name")
    before: list[list[Any]] = []
    for row in rows(node.nodelist):
        if len(row) != 2:
            raise error_at(node.pos, f"a case is a value, '&' and its condition; this has {len(row)} parts")
        (_, value), (word, when) = opening(row[0]), opening(row[1])
        left, right = (_sign(node, sign) for sign in "()")
        said = [*part[:place], left, *value, right, *part[place + 1 :]]
        if word.rstrip(ENDS) in OTHERWISE:
            yield CaseBranch(said, None, list(before))
            continue
        when = when[1:] if word in WHERE else when
        before.append(when)
        yield CaseBranch(said, when, [])


def _is_cases(node: Any) -> bool:
    return isinstance(node, LatexEnvironmentNode) and node.environmentname in CASES


def _sign(node: Any, sign: str) -> Any:
    return LatexCharsNode(parsing_state=node.parsing_state, chars=sign, pos=node.pos, len=1)


def _says(node: Any) -> bool:
    return bool(node.latex_verbatim().strip(" \n\t.,;"))
