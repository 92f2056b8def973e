"""The mistakes of the catalogue in words."""

from __future__ import annotations

from roofproof.claims.slips.catalogue import slip_of
from roofproof.export.words.catalogue import Catalogue
from roofproof.sentences import filled

_NAMELY = ("other-width", "other-figure", "other-chip")  # what they are about is told after the sentence


def slip_said(slip: str, lang: str = "en", about: str = "") -> str:
    """Return a slip as a sentence, two as one; nothing for what is none.

    >>> slip_said("dropped-tensor:z"), slip_said("none fits")
    ('the bytes of z were not counted', '')
    >>> slip_said("multiply-add-once+bits")
    'a multiply-add was counted as one FLOP; it is two; and bits were taken for bytes, or the reverse'
    """
    words = Catalogue(lang, "slips")
    if "+" in slip:
        first, second = (slip_said(each, lang) for each in slip.split("+"))
        return words.say("both-slips", first=first, second=second)
    if (found := slip_of(slip)) is None:
        return ""
    what = slip.removeprefix(found.name).removeprefix(":") or about
    said = filled(found.zh or found.says if lang == "zh" else found.says, {"what": what or words["a-tensor"]})
    if not what or found.name not in _NAMELY:
        return said
    unit, _, vector = what.partition("-")
    what = words.say("on-vectors", format=unit) if vector == "vector" else words.get(f"figure-{what}", what)
    return words.say("namely", said=said, what=what.partition(" (")[0])  # a chip without the remarks on its title
