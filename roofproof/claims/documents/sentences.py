"""The sentence around a formula: a condition in its words, `when $b > 2$ it is $a > 1$`, is one of what it states."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofproof.claims.documents.places import SourceFormula

_WORDS = re.compile(
    r"\b(?:if|when|whenever|unless|provided|assum(?:e|ing)|suppos(?:e|ing)|as long as|then|otherwise|except|in case"
    r"|in (?:this|that) case)\b|若|如果|假如|倘若|假设|假定|只要|除非|(?<![相应适正])当(?![前然中今代下时地年天])"
    r"|(?<![规原法准否])则|否则|那么|此时|这时|情况下|条件下|(?<![小同及临随暂平按实当])时(?=[，,、\s])",
    re.IGNORECASE,
)
_DENIALS = re.compile(
    r"\b(?:never|false(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?|fails?|mistake(?:nly|n|s)?|cannot|impossible|no longer"
    r"|nobody|no[ -]one|hardly|contrary to|need not (?:be|hold)|(?:may|might|would|could) (?:think|expect|believe)"
    r"|not (?:true|hold|have|the case|always|necessarily|in general))\b"
    r"|n['’]t (?:true|hold|have|the case|always|necessarily)\b"
    r"|不成立|并非|错误|不对|不可能|不会|未必|不一定|没有?人|无人"
    r"|误以为|误认为|[?？]",
    re.IGNORECASE,
)
_PLAIN = (
    r"(?! (?:\w+ly |also |be )*(?:(?:re)?write|(?:re)?written|recall|note|see|seen|shown?|express(?:ed)?|defined?"
    r"|computed?|calculated?|simplif(?:y|ied)|reduced?|approximated?|estimated?|derived?|obtain(?:ed)?|checked|proved"
    r"|assumed?|neglect(?:ed)?|ignored?|read|stated|summarized|therefore|thus|hence)\b)"
)  # `can be written as $a = b$` states it
_POSSIBLE = re.compile(  # of a sentence in which each formula is a `$`: what holds for some, or at times
    r"\b(?:there(?: is| are| must be| will be|['’]s) (?:an?|one|some|no|always|indeed|values|numbers|cases)\b"
    r"(?=[^$,;:]{0,60}\$)|exists?|for some|some(?! (?:algebra|care|work)\b)(?=[\w ]{0,60}\$)"
    r"|(?:at least|at most|exactly) one|such that|no(?= ?\$)"
    rf"|can be{_PLAIN}|can (?:find|choose|pick|happen)|could be{_PLAIN}|(?-i:may){_PLAIN}"
    r"|might|possible that|possibly|perhaps|maybe|sometimes|occasionally)\b"
    r"|存在(?!于|在|内存|显存|缓存)|(?<=\$)使得|(?<=\$ )使得|有一个(?=[^$，,。；]{0,60}\$)"
    r"|某[个些一]|某(?= ?\$)|至少有一|也许|或许|(?<![所只没])有时(?![间刻])|(?<![不尽])可能",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\b(?:for|with|where|given|at|as|once|under|while|let|on|until|any|every|each|all|subject to|limit|limit of"
    r"|regime|case)|设|令|取|其中"
    r"|任意|所有|每个)(?:\s+that)?[\s~]*\Z",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[\s~]+")
_NOTHING = re.compile(r"(?:\s+that)?[\s~,:，：]*")
_ALSO = re.compile(r"\s*(?:,?\s*(?:and|or)|、|和|且|与|以及|或)\s*")
_AFTER = re.compile(r"\s*(?:时(?![间刻])|的(?:时候|极限下|条件下))")
_STOPS = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\b[Ff]ig)(?<!\b[Ee]q)(?<!\b[Ss]ec)(?<!resp)(?<!\bvs)[.!][\"')]*(?=\s)|[。！]"
    r"|(?<=[?？])|\n[ \t>]*\n(?!\s{0,60}(?:where|for|if|when|whenever|unless|provided|with|at)\b)"
    r"|\n[ \t>]*(?:#|[-*+][ \t]|\d+[.)][ \t])|\||\\(?:item|section|subsection|paragraph|chapter|par)\b"
)
_PASSED = re.compile(r"^[ >]*(```|~~~).*?^[ >]*\1[^\n]*$|`[^`\n]*`|<!--.*?-->", re.MULTILINE | re.DOTALL)
_OPENED = re.compile(r"(?:\$\$?|\\\\?[\[(])\Z")
_COMMENTS = re.compile(r"(?<!\\)%[^\n]*")
_ENDS = re.compile(r"[.。!?！？](?:\s|\\end\{[^{}]*\}|\\label\{[^{}]*\})*\Z")
ASSUMED = ("let", "assume", "assuming", "suppose", "given", "设", "令", "取", "假设", "假定")
"""Words of an assumption that goes on to the end of a section."""
_LEADS = ("then", "则", "那么", "此时", "这时")  # after a condition, and none by themselves


@dataclass(frozen=True, slots=True)
class Sentence:
    """The formulas of a sentence, by their places in the document, and the conditions that its words make.

    `under` are the formulas right after a word such as `when`, each with its word in `words`; `word` is such a word
    that has no formula after it, or one that denies or asks what is stated, or says that it holds for some or at times.
    """

    formulas: tuple[int, ...]
    under: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    word: str = ""


def sentences(text: str, found: Sequence[SourceFormula], tex: bool) -> Iterator[Sentence]:
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


def is_condition(word: str) -> bool:
    """Tell whether a word makes a condition even of what is told in words after it.

    >>> is_condition("whenever"), is_condition("for")
    (True, False)
    """
    return _WORDS.fullmatch(word) is not None


def defines_for_all(word: str) -> bool:
    """Tell whether a name that is defined under a word, or after it, is so for what the text says next.

    >>> [defines_for_all(word) for word in ("with", "Let", "then", "unless", "never", "may")]
    [True, True, True, False, False, False]
    """
    lasting = (*ASSUMED, *_LEADS)
    beside = f"${word}$"  # a word of `_POSSIBLE` may need the formula before it or after it
    return word.lower() in lasting or not any(each.match(beside, 1) for each in (_WORDS, _DENIALS, _POSSIBLE))


def is_denial(word: str) -> bool:
    """Tell whether a word denies what a sentence states, or asks for it.

    >>> is_denial("never"), is_denial("?"), is_denial("when")
    (True, True, False)
    """
    return _DENIALS.fullmatch(word) is not None


def _parts(gap: str, tex: bool) -> list[str]:
    return _STOPS.split(_OPENED.sub("", (_COMMENTS if tex else _PASSED).sub(" ", gap)))


def _sentence(places: list[int], gaps: list[str]) -> Iterator[Sentence]:
    if not places:
        return
    gaps = [_BLANKS.sub(" ", gap) for gap in gaps]  # a line may end within `such that`
    under: dict[int, str] = {}
    alone: list[str] = []
    for k, gap in enumerate(gaps):
        after = _AFTER.match(gap) if k else None
        words = list(_WORDS.finditer(gap, after.end() if after else 0))
        if k < len(places) and (before := _BEFORE.search(gap)):
            under[places[k]] = before[0].split()[0]
        if k < len(places) and words and _NOTHING.fullmatch(gap, words[-1].end()):
            under[places[k]] = words.pop()[0]
        if 0 < k < len(places) and _ALSO.fullmatch(gap) and places[k - 1] in under:
            under[places[k]] = under[places[k - 1]]
        if after:
            under.setdefault(places[k - 1], after[0].strip())
        alone += [word[0] for word in words]
    if under:
        alone = [word for word in alone if word.lower() not in _LEADS]
    alone += [word[0] for each in (_DENIALS, _POSSIBLE) for word in each.finditer("$".join(gaps))]
    yield Sentence(tuple(places), tuple(under), tuple(under.values()), (*alone, "")[0])
