"""Words that may be products: `BDF` is a name, or B D F where these are sizes."""

import re
from collections.abc import Collection, Iterable

from roofproof.errors import quoted
from roofproof.formula.tokens import error_at

TWO_WAYS = "<whole> can be read two ways; write <first> or <second>"
_WORD = re.compile(r"(?<![\w.])(\d[\d.]*(?:[eE][-+]?\d+)?)?([A-Za-z]+)(?!\w)")  # with the number before it
GLUED = (
    "<whole> can be read two ways; write <product> for the product, or spell a name of its own in another way, such as "
    "<name>"
)


def refuse_glued(text: str, words: Iterable[str], sizes: Collection[str]) -> None:
    """Refuse a name of a text whose letters are all sizes, and capitals directly after a number.

    >>> refuse_glued("B tokens + BD", ["B", "tokens", "BD"], ["B"])
    >>> refuse_glued("2BD", ["BD"], [])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '2BD' can be read two ways; write '2 B D' for the product, or spell a \
name of its own in another way, such as 'B_D'
    """
    several = {word for word in words if len(word) > 1 and word.isalpha()}
    products = {word for word in several if all(letter in sizes for letter in word)}
    for found in _WORD.finditer(text):
        number, word = found.groups()
        if word in products or (number and word in several and word.isupper()):
            raise error_at(
                found.start(),
                GLUED,
                whole=quoted(found[0]),
                product=quoted(" ".join(filter(None, (number, *word)))),
                name=quoted(f"{word[0]}_{word[1:]}"),
            )
