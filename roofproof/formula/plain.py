"""Plain arithmetic of sizes, for operations: without functions of operations and chips. Words that count are names."""

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
RESERVED = ("mod", "floordiv", "True", "False", "None")  # words of a framework or of Python
NO_SIZE = "<name> cannot name a size; choose another name"
_PREFIXES = {"k": "*10^3", "K": "*10^3", "M": "*10^6", "G": "*10^9", "T": "*10^12"}
_PREFIXES |= {prefix: f"*2^{power}" for prefix, power in BINARY.items()}
_OF_SYMPY = {"Max": "max", "Min": "min", "ceiling": "ceil", "Abs": "abs"}  # as SymPy prints them


class PlainReader(Reader):
    """A reader of plain arithmetic.

    A word is a product of its letters if these are among `letters` or occur in the text by themselves.
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
        """Refuse a word of a sentence, of Python or of a framework, which cannot name a size."""
        if token.text in RESERVED or is_prose(token.text) or token.text.lower() in SPOKEN:
            raise error_at(token.at, NO_SIZE, name=repr(token.text))
        super().refuse_prose(token)

    def take_form(self, form: re.Pattern[str]) -> Token:
        """Return text that matches a form other than a formula, such as fp32-vector, and move past it."""
        found = form.match(self.text, self.token.at)
        if found is None or self.token.kind == "end":
            self.refuse()
        while self.token.at < found.end() and self.token.kind != "end":
            self.at += 1
        return Token("word", found[0], *found.span())


def plain_conditions(text: str, sizes: Collection[str] = ()) -> Given:
    """Return the conditions on sizes that a text states. `sizes` are known names of sizes.

    >>> plain_conditions("B tokens > 4").names, plain_conditions("2BD > F", "BD").names
    (('B', 'tokens'), ('B', 'D', 'F'))
    """
    from roofproof.formula.conditions import read_conditions

    found = tokens(text, "a condition") if text.strip() else []
    declared = {*_sizes(found), *(size for size in sizes if len(size) > 1)}
    letters = {*letters_in(found), *(size for size in sizes if len(size) == 1)}
    return read_conditions(text, declared, letters=letters, functions=PLAIN_FUNCTIONS)


def _sizes(found: Sequence[Token]) -> set[str]:
    """Return the words that are sizes: counting words such as tokens, and foreign functions that are not called."""
    pairs = [(t.text, after.kind) for t, after in pairwise([*found, Token("end", "", 0, 0)]) if t.kind == "name"]
    called = {word for word, after in pairs if after == "("}
    named = {word for word, _ in pairs if FOREIGN.fullmatch(word)} - called - PLAIN_FUNCTIONS.keys()
    return named | {word for word, _ in pairs if word.removesuffix("s") in COUNTS}


def refuse_prefixes(found: Sequence[Token], known: Collection[str]) -> None:
    """Refuse `8k` if nothing else is named k, since it may be 8 times a size or 8000.

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
    """Return the letters that a word such as 2BDF may be a product of: those by themselves or in several such words.

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
    """Return unit words that are a whole amount, which are names, such as columns of a table."""
    kinds = ["", *(t.kind for t in found), "end"]
    places = zip(found, kinds, kinds[2:], strict=False)
    return {t.text for t, a, b in places if is_word(t.text) and a in ("", "=") and b in (";", "end")}
