"""A second opinion on a verdict from points, with the reason if the verdict is wrong."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from independent.claims import UNDEFINED, Stated
from independent.reading import Unread, read


@dataclass(frozen=True)
class Opinion:
    """An opinion: right, wrong, open (undecided or refused), or unconfirmed (no evidence either way)."""

    kind: str
    why: str = ""


RIGHT = Opinion("right")


def shown(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in sorted(point.items())) or "all values"


def sampled(claim: Stated, random: Random, tries: int, loose: bool) -> list[tuple[dict[str, Fraction], Any]]:
    """Return sampled points and the truth at each. In a regime a point gives the sizes that do not grow."""
    if claim.regime is None:
        return [(p, claim.truth(p, loose=loose)) for p in claim.points(random, tries)]
    return [(p, claim.far_truth(p, random, loose)) for p in claim.fixed(random, tries)]


def opinion(claim: Stated, record: Mapping[str, Any], random: Random, tries: int = 25) -> Opinion:
    """Return the opinion on a verdict: a record with `verdict`, `condition` and `counterexample`."""
    verdict = record["verdict"]
    if verdict in ("undecided", "not-checkable", "unusable"):
        return Opinion("open", record.get("note") or "")
    if verdict == "refuted":
        return _refuted(claim, record, random, tries)
    if verdict == "conditional":
        return _conditional(claim, record, random, tries)
    loose = verdict != "verified"
    found = sampled(claim, random, tries, loose)
    for point, truth in found:
        if truth in (False, UNDEFINED) and not (loose and _near_print(claim, point)):
            return Opinion("wrong", f"{verdict}, but {_word(truth)} at {shown(point)}{_far(claim)}")
    told = [t for _, t in found if t is not None]
    if not told:
        return Opinion("unconfirmed", f"{verdict}; no point was worked out")
    if verdict == "rounded":
        strict = [t for _, t in sampled(claim, random, tries, False)]
        if strict and all(t is True for t in strict):
            return Opinion("wrong", "rounded, but true exactly")
    return RIGHT


def _far(claim: Stated) -> str:
    return ", far out" if claim.regime else ""


def _word(truth: Any) -> str:
    return "not defined" if truth == UNDEFINED else "false"


def _near_print(claim: Stated, point: Mapping[str, Fraction]) -> bool:
    """Return whether a name is near a printed number, which may be rounded."""
    return any(abs(v - p) * 10 <= p for v in point.values() for p in claim.printed if p > 8)


def _refuted(claim: Stated, record: Mapping[str, Any], random: Random, tries: int) -> Opinion:
    given = {k: Fraction(v) for k, v in (record.get("counterexample") or {}).items()}
    point = {n: given[n] for n in claim.names if n in given}
    if claim.regime is None and given and len(point) == len(claim.names):
        if not claim.inside(point):
            return Opinion("wrong", f"refuted by {shown(point)}, which the claim does not speak of")
        truth = claim.truth(point, loose=True)
        if truth in (True, UNDEFINED):
            how = "true" if truth is True else _word(truth)
            return Opinion("wrong", f"refuted by {shown(point)}, where it is {how}")
        if truth is False:
            return RIGHT
    if claim.regime is not None and given:
        stay = {n: v for n, v in point.items() if n not in claim.regime.growing}
        if claim.far_truth(stay, random, True) is False or _fails_along(claim, given):
            return RIGHT
    found = sampled(claim, random, 8 * tries, True)
    if any(t is False for _, t in found):
        return RIGHT
    if any(t == UNDEFINED for _, t in found):
        return Opinion("unconfirmed", "refuted; nowhere seen false, somewhere undefined")
    varied = set(claim.names) - (claim.regime.growing if claim.regime else set())
    if all(t is True for _, t in found) and len(found) >= (tries if varied else 1):
        return Opinion("wrong", f"refuted, but true at each of {len(found)} points{_far(claim)}")
    return Opinion("unconfirmed", "refuted; nowhere seen false")


def _fails_along(claim: Stated, given: Mapping[str, Fraction]) -> bool:
    """Return whether a claim fails at ever larger points on a curve through a point.

    On the curve each name grows as a power of the first. A claim such as `F != 2 D^2` fails only on such a curve.
    """
    assert claim.regime is not None
    moving = sorted((n for n in claim.names if n in claim.regime.growing and n in given), key=given.__getitem__)
    stay = {n: v for n, v in given.items() if n in claim.names and n not in moving}
    if not moving or set(moving) | set(stay) != set(claim.names):
        return False
    for powers in product((1, 2, 3, 4), repeat=len(moving) - 1):
        truths = []
        for factor in (1, 10**6, 10**40):
            far = {n: given[n] * Fraction(factor) ** p for n, p in zip(moving, (1, *powers), strict=True)}
            truths.append(claim.truth({**stay, **far}, 40, loose=True) if claim.inside({**stay, **far}, 40) else None)
        if truths == [False, False, False]:
            return True
    return False


def _conditional(claim: Stated, record: Mapping[str, Any], random: Random, tries: int) -> Opinion:
    text = record.get("condition") or ""
    try:
        condition = read(_in_signs(text), set(claim.let))
    except Unread:
        return Opinion("unconfirmed", f"the condition {text!r} is not read")
    witness, needed = False, False
    for point, reach in _near_or_far(claim, random, 8 * tries):
        met, truth = claim.asked(condition, point), claim.truth(point, reach, loose=True)
        if met is True and truth in (False, UNDEFINED):
            return Opinion("wrong", f"conditional on {text}, but {_word(truth)} at {shown(point)}")
        witness |= met is True and truth is True
        needed |= truth in (False, UNDEFINED)
    if not witness:
        return Opinion("unconfirmed", f"conditional on {text}; no point meets it")
    if not needed:
        return Opinion("unconfirmed", f"conditional on {text}; nowhere seen to need it")
    return RIGHT


def _near_or_far(claim: Stated, random: Random, count: int) -> Iterator[tuple[dict[str, Fraction], int]]:
    if claim.regime is None:
        yield from ((point, 0) for point in claim.points(random, count))
        return
    for stay in claim.fixed(random, count):
        for way in range(3):
            far = claim.regime.values(150, random, way)
            point = {**stay, **{n: v for n, v in far.items() if n in claim.names}}
            if claim.inside(point, 150):
                yield point, 150


def _in_signs(text: str) -> str:
    """Return a condition with `is an integer` written with `floor`, and `=` as `==`."""
    text = re.sub(r"(.+?) is not an integer", r"floor(\1) != \1", text)
    text = re.sub(r"(.+?) is an integer", r"floor(\1) == \1", text)
    return re.sub(r"(?<![<>!=])=(?!=)", "==", text)
