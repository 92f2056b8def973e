"""Plain arithmetic of sizes, in operations: no function of operations and chips, and words that count are names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.magnitudes import BINARY
from roofproof.formula.reader import FOREIGN, SPOKEN, TWO_WAYS, Reader, is_prose
from roofproof.formula.tokens import Token, error_at, tokens
from roofproof.formula.units import COUNTS, is_unit, is_word

if TYPE_CHECKING:
    from roofproof.formula.conditions import Given

PLAIN_FUNCTIONS = {name: FUNCTIONS[name] for name in sorted(ARITHMETIC)}
RESERVED = ("mod", "floordiv", "True", "False", "None")  # words that a framework, or Python, has
NO_SIZE = "<name> cannot name a size; choose another name"
_PREFIXES = {"k": "*10^3", "K": "*10^3", "M": "*10^6", "G": "*10^9", "T": "*10^12"}
_PREFIXES |= {prefix: f"*2^{power}" for prefix, power in BINARY.items()}
_OF_SYMPY = {"Max": "max", "Min": "min", "ceiling": "ceil", "Abs": "abs"}  # as it prints them


class PlainReader(Reader):
    """A reader of plain arithmetic.

    A word is a product of its letters where these are among `letters`, or stand in the text by themselves.
    """

    def __init__(
        self, text: str, found: Sequence[Token], declared: Collection[str] = (), *, letters: Collection[str] = ()
    ) -> None:
        named = [
            token._replace(text=_OF_SYMPY.get(token.text, token.text)) if after.kind == "(" else token
            for token, after in pairwise([*found, Token("end", "", 0, 0)])
        ]
        refuse_prefixes(named, {*declared, *letters})
        known = {*declared, *_sizes(named), *_alone(named)}
        super().__init__(text, named, known, letters={*letters, *letters_in(named)}, functions=PLAIN_FUNCTIONS)

    def refuse_prose(self, token: Token) -> None:
        """Refuse a word of a sentence, of Python or of a framework: a size is not called so."""
        if token.text in RESERVED or is_prose(token.text) or token.text.lower() in SPOKEN:
            raise error_at(token.at, NO_SIZE, name=repr(token.text))
        super().refuse_prose(token)

    def take_form(self, form: re.Pattern[str]) -> Token:
        """Return what is written in a form that is no formula, such as fp32-vector, and go on after it."""
        found = form.match(self.text, self.token.at)
        if found is None or self.token.kind == "end":
            self.refuse()
        while self.token.at < found.end() and self.token.kind != "end":
            self.at += 1
        return Token("word", found[0], *found.span())


def plain_conditions(text: str, sizes: Collection[str] = ()) -> Given:
    """Return the conditions that a text states on sizes, among which are `sizes`.

    >>> plain_conditions("B tokens > 4").names, plain_conditions("2BD > F", "BD").names
    (('B', 'tokens'), ('B', 'D', 'F'))
    """
    from roofproof.formula.conditions import read_conditions

    found = tokens(text, "a condition") if text.strip() else []
    declared = {*_sizes(found), *(size for size in sizes if len(size) > 1)}
    letters = {*letters_in(found), *(size for size in sizes if len(size) == 1)}
    return read_conditions(text, declared, letters=letters, functions=PLAIN_FUNCTIONS)


def _sizes(found: Sequence[Token]) -> set[str]:
    """Return words that count things, such as tokens, and functions of other languages that are not called: sizes."""
    pairs = [(t.text, after.kind) for t, after in pairwise([*found, Token("end", "", 0, 0)]) if t.kind == "name"]
    called = {word for word, after in pairs if after == "("}
    named = {word for word, _ in pairs if FOREIGN.fullmatch(word)} - called - PLAIN_FUNCTIONS.keys()
    return named | {word for word, _ in pairs if word.removesuffix("s") in COUNTS}


def refuse_prefixes(found: Sequence[Token], known: Collection[str]) -> None:
    """Refuse `8k` where nothing else is named k: it may be 8 times a size, or 8000.

    >>> refuse_prefixes(tokens("8k D"), {"k"})
    >>> refuse_prefixes(tokens("8k D"), {"D"})
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '8k' can be read two ways; write '8*k' or '8*10^3'
    """
    glued = [(one, word) for one, word in pairwise(found) if one.kind == "number" and one.end == word.at]
    known = {*known, *(t.text for t in found if t.kind == "name" and all(t is not word for _, word in glued))}
    for number, word in glued:
        if word.text in _PREFIXES and word.text not in known:
            whole, product, value = (number.text + sign for sign in (word.text, f"*{word.text}", _PREFIXES[word.text]))
            raise error_at(number.at, TWO_WAYS, whole=repr(whole), first=repr(product), second=repr(value))


def letters_in(found: Sequence[Token]) -> set[str]:
    """Return the letters that a word such as 2BDF may be a product of: those that stand alone or in several such words.

    >>> sorted(letters_in(tokens("2BDG + B n"))), sorted(letters_in(tokens("2BDF / (3BD)")))
    (['B', 'n'], ['B', 'D'])
    """
    glued = {
        word.text for number, word in pairwise(found)
        if number.kind == "number" and word.kind == "name" and number.end == word.at and not is_unit(word.text)
    }  # fmt: skip
    inside = [letter for word in glued if word.isalpha() and word.isupper() for letter in {*word}]
    alone = {t.text for t in found if t.kind == "name" and len(t.text) == 1}
    return alone | {letter for letter in inside if inside.count(letter) > 1}


def _alone(found: Sequence[Token]) -> set[str]:
    """Return units that are a whole amount: names, as columns of a table are."""
    kinds = ["", *(t.kind for t in found), "end"]
    places = zip(found, kinds, kinds[2:], strict=False)
    return {t.text for t, a, b in places if is_word(t.text) and a in ("", "=") and b in (";", "end")}
