"""Conversion of an interval to a bound: `M ∈ [152, ∞)` becomes `M >= 152`."""

from __future__ import annotations

import re

_INTERVAL = re.compile(r"(?:(\w+) ?(?P<within>∈|in|属于|belongs to) ?)?([(\[\]]) ?([^,;]+) ?[,;] ?([^;]+?) ?([)\]\[])$")
_INFINITE = re.compile(r"\+? ?(?:∞|inf|infinity|oo|无穷|无穷大|正无穷|正无穷大)", re.IGNORECASE)
_NOTHING_BELOW = re.compile(r"- ?(?:∞|inf|infinity|oo|无穷|无穷大)|负无穷大?|0|1", re.IGNORECASE)
_DIGITS_IN_GROUPS = re.compile(r"\([1-9]\d{0,2}(?:, ?\d{3})+\)")


def as_bound(text: str, unknown: str) -> str:
    """Return an interval of a size as a bound. Sizes are at least 1, so (0, 9] becomes `<= 9`.

    >>> as_bound("(151.75, ∞)", "M"), as_bound("[1, 9]", "Z"), as_bound("B ∈ (100, 200]", "B"), as_bound("(1,024)", "B")
    ('M > 151.75', 'Z <= 9', '100 < B <= 200', '(1,024)')

    Other texts are returned unchanged: a number with grouped digits, a missing end, another name.
    """
    text = re.sub(rf"^(.+<=? ?{re.escape(unknown)}) ?<=? ?∞$", r"\1", text)  # 272 < B < ∞
    found = _INTERVAL.fullmatch(text)
    if found is None or (found[1] not in (None, unknown)) or not (_closed(found[4]) and _closed(found[5])):
        return text
    if not found["within"] and _DIGITS_IN_GROUPS.fullmatch(text):
        return text
    opens, low, high, closes = found[3], found[4].strip(), found[5].strip(), found[6]
    above, below = (">=" if opens == "[" else ">"), ("<=" if closes == "]" else "<")
    if _INFINITE.fullmatch(high):
        # (-∞, ∞) and (0, ∞) contain every size
        return f"{unknown} {above} {'0' if _NOTHING_BELOW.fullmatch(low) and low not in '01' else low}"
    if _NOTHING_BELOW.fullmatch(low) and not (low == "1" and opens != "["):
        return f"{unknown} {below} {high}"
    return f"{low} {'<=' if opens == '[' else '<'} {unknown} {below} {high}"


def _closed(end: str) -> bool:
    """Return whether parentheses match in an end of an interval."""
    depth = 0
    for sign in end:
        depth += (sign in "([") - (sign in ")]")
        if depth < 0:
            return False
    return depth == 0
