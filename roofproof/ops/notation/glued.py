"""Words that may be products: `BDF` is a name, or B D F where these are sizes."""

import re
from collections.abc import Collection, Iterable

from roofproof.errors import quoted
from roofproof.ops.notation.arithmetic import error_at

TWO_WAYS = "<whole> can be read two ways; write <first> or <second>"
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
    found = [match for word in words if (match := _glued(text, word, sizes))]
    if found:
        first = min(found, key=lambda match: match.start())
        number, word = first.groups()
        raise error_at(
            first.start(),
            GLUED,
            whole=quoted(first[0]),
            product=quoted(" ".join(filter(None, (number, *word)))),
            name=quoted(f"{word[0]}_{word[1:]}"),
        )


def _glued(text: str, word: str, sizes: Collection[str]) -> re.Match[str] | None:
    product = all(letter in sizes for letter in word)
    if len(word) < 2 or not word.isalpha() or not (product or word.isupper()):
        return None
    number = r"(\d[\d.]*(?:[eE][-+]?\d+)?)" + "?" * product
    return re.search(rf"(?<![\w.]){number}({word})(?!\w)", text)
