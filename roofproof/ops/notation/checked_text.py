"""What is refused of a text before it is parsed, so that hostile input stays cheap."""

import re

from roofproof.errors import RoofproofError
from roofproof.ops.notation.arithmetic import error_at

MAX_TEXT = 10_000  # characters
MAX_NESTING = 200  # parentheses inside one another, signs one after another
MAX_NAME = 100  # characters

_STRINGS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_OPERATOR_SIGNS = "×·⋅∙÷−√⁰¹²³⁴⁵⁶⁷⁸⁹→"


def check_text(text: str, what: str, *, signs: str = "", braces: bool = False) -> None:
    """Refuse, before any parsing, a text that is empty, too long, too deep, unbalanced or not in ASCII.

    >>> check_text("f(x", "an expression")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 2: '(' is never closed
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError(
            "<what> of <count> characters; at most <most> are read", what=what, count=len(text), most=MAX_TEXT
        )
    if braces:  # then there may be strings, too; what is in them is not looked at
        text = _STRINGS.sub(lambda match: '"' * len(match[0]), text)
    if not text.strip():
        raise RoofproofError("expected <what>, but the text is empty", what=what)
    closers = {"(": ")", "[": "]"} | ({"{": "}"} if braces else {})
    opened: list[tuple[str, int]] = []
    for column, sign in enumerate(text, 1):
        if sign in closers:
            opened.append((sign, column))
            if len(opened) > MAX_NESTING:
                raise error_at(column - 1, "more than <most> parentheses inside one another", most=MAX_NESTING)
        elif sign in closers.values():
            if not opened:
                raise error_at(column - 1, "<sign> closes nothing", sign=repr(sign))
            opener, there = opened.pop()
            if closers[opener] != sign:
                parts = {"sign": repr(sign), "due": repr(closers[opener]), "opened": repr(opener), "column": there}
                raise error_at(column - 1, "expected <due> for <opened> in column <column>, got <sign>", **parts)
        elif not (" " <= sign <= "~" or sign in "\t\r\n\f\v" or sign in _OPERATOR_SIGNS or sign in signs):
            from roofproof.ops.notation.signs import foreign_sign

            raise foreign_sign(text, column - 1)
    if opened:
        raise error_at(opened[-1][1] - 1, "<sign> is never closed", sign=repr(opened[-1][0]))
    chain = re.search(rf"(?:[-+−√^*²³]\s*){{{MAX_NESTING + 1}}}", text)
    if chain:
        raise error_at(chain.start(), "more than <most> signs one after another", most=MAX_NESTING)
    word = re.search(rf"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]{{{MAX_NAME},}}", text)
    if word:
        count = len(word[0])
        raise error_at(
            word.start(), "a name of <count> characters; at most <most> are read", count=count, most=MAX_NAME
        )
    grouped = re.search(r"(?<![A-Za-z0-9_.])[0-9][0-9.]*(_)", text)
    if grouped:
        raise error_at(grouped.start(1), "'_' after a digit; write the digits without it")
