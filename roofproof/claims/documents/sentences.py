"""The sentence around a formula: a condition in its words, `when $b > 2$ it is $a > 1$`, is one of what it states."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofproof.claims.documents.places import Formula

_WORDS = re.compile(
    r"\b(?:if|when|whenever|unless|provided|assuming|suppose|supposing|as long as|then|otherwise|except"
    r"|in (?:this|that) case)\b|若|如果|假如|倘若|假设|只要|除非|(?<![相应适正])当(?![前然中今代下时地年天])"
    r"|(?<![规原法准否])则|否则|那么|此时|这时|情况下",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:for|with|where|given|at|as|once|under|while)[\s~]*\Z", re.IGNORECASE)
_AFTER = re.compile(r"\s*(?:时(?![间刻])|的时候)")
_STOPS = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\b[Ff]ig)(?<!\b[Ee]q)(?<!\b[Ss]ec)(?<!resp)(?<!\bvs)[.!?][\"')]*(?=\s)|[。！？]"
    r"|\n[ \t>]*\n(?!\s*(?:where|for|if|when|whenever|unless|provided|with|at)\b)"
    r"|\n[ \t>]*(?:#|[-*+][ \t]|\d+[.)][ \t])|\||\\(?:item|section|subsection|paragraph|chapter|par)\b"
)
_PASSED = re.compile(r"^[ >]*(```|~~~).*?^[ >]*\1[^\n]*$|`[^`\n]*`|<!--.*?-->", re.MULTILINE | re.DOTALL)
_OPENED = re.compile(r"(?:\$\$?|\\\\?[\[(])\Z")
_COMMENTS = re.compile(r"(?<!\\)%[^\n]*")
_ENDS = re.compile(r"[.。!?！？](?:\s|\\end\{[^{}]*\}|\\label\{[^{}]*\})*\Z")
_LEADS = ("then", "则", "那么", "此时", "这时")  # after a condition, and none by themselves


@dataclass(frozen=True, slots=True)
class Sentence:
    """The formulas of a sentence, by their places in the document, and the conditions that its words make.

    `under` are the formulas right after a word such as `when`; `word` is such a word that has no formula after it.
    """

    formulas: tuple[int, ...]
    under: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    word: str = ""


def sentences(text: str, found: Sequence[Formula], tex: bool) -> Iterator[Sentence]:
    r"""Yield the sentences of a document that have formulas, in order.

    >>> from roofproof.claims.documents.places import formulas
    >>> text = "So $a > 1$. When $b > 2$, it is $c > 3$. If so, $d > 4$."
    >>> for each in sentences(text, formulas(text), False):
    ...     print([each.formulas, each.under, each.words, each.word])
    [(0,), (), (), '']
    [(1, 2), (1,), ('When',), '']
    [(3,), (), (), 'If']
    """
    places: list[int] = []
    gaps: list[str] = [""]
    for k, each in enumerate(found):
        first, *rest = _parts(text[found[k - 1].stop if k else 0 : each.start], tex)
        gaps[-1] += first
        for part in rest:
            yield from _sentence(places, gaps)
            places, gaps = [], [part]
        places.append(k)
        gaps.append("")
        if _ENDS.search(each.text):
            yield from _sentence(places, gaps)
            places, gaps = [], [""]
    if found:
        gaps[-1] += _parts(text[found[-1].stop :], tex)[0]
        yield from _sentence(places, gaps)


def _parts(gap: str, tex: bool) -> list[str]:
    return _STOPS.split(_OPENED.sub("", (_COMMENTS if tex else _PASSED).sub(" ", gap)))


def _sentence(places: list[int], gaps: list[str]) -> Iterator[Sentence]:
    if not places:
        return
    under: dict[int, str] = {}
    alone: list[str] = []
    for k, gap in enumerate(gaps):
        words = list(_WORDS.finditer(gap))
        if k < len(places) and (before := _BEFORE.search(gap)):
            under[places[k]] = before[0].strip()
        if k < len(places) and words and not gap[words[-1].end() :].strip(" \t\n~,:，："):
            under[places[k]] = words.pop()[0]
        if k and (after := _AFTER.match(gap)):
            under.setdefault(places[k - 1], after[0].strip())
        alone += [word[0] for word in words]
    if under:
        alone = [word for word in alone if word.lower() not in _LEADS]
    yield Sentence(tuple(places), tuple(under), tuple(under.values()), (*alone, "")[0])
