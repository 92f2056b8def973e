"""The mistakes of the catalogue in words."""

from __future__ import annotations

from roofproof.claims.slips.catalogue import slip_of
from roofproof.export.words.catalogue import Catalogue
from roofproof.sentences import filled

_NAMELY = (
    "other-width",
    "other-figure",
    "other-chip",
    "rounded-input",
)  # what they are about is told after the sentence


def slip_said(slip: str, lang: str = "en", *abouts: str) -> str:
    """Return a slip as a sentence, two as one; nothing for what is none. It may be about several things.

    >>> slip_said("dropped-tensor:z"), slip_said("none fits")
    ('the bytes of z were not counted', '')
    >>> slip_said("other-figure", "en", "tf32", "fp16-vector")
    'another figure of the same chip was used (tf32; fp16, vector unit)'
    >>> slip_said("multiply-add-once+bits")
    'a multiply-add was counted as one FLOP; it is two; and bits were taken for bytes, or the reverse'
    """
    words = Catalogue(lang, "slips")
    if "+" in slip:
        first, second = (slip_said(each, lang) for each in slip.split("+"))
        return words.say("both-slips", first=first, second=second)
    if (found := slip_of(slip)) is None:
        return ""
    own = slip.removeprefix(found.name).removeprefix(":")
    every = [own] if own else [each for each in abouts if each]
    what = words["semicolon"].join(every) or words["a-tensor"]
    said = filled(found.zh or found.says if lang == "zh" else found.says, {"what": what})
    if not every or found.name not in _NAMELY:
        return said
    return words.say("namely", said=said, what=words["semicolon"].join(_named(each, words) for each in every))


def _named(what: str, words: Catalogue) -> str:
    unit, _, vector = what.partition("-")
    named = words.say("on-vectors", format=unit) if vector == "vector" else words.get(f"figure-{what}", what)
    return named.partition(" (")[0]  # a chip without the remarks on its title
