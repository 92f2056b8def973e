r"""Signs of paper that the claim language has no word for: labels above a name, `\mu s`, `7\text{M}`.

`T^{\text{ring}}`, `I_{ridge}^{NVLink}` and `I^*` are names, and so are written as `T_{ring}` would be; a power has
numbers and letters above it.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from pylatexenc.latexwalker import LatexCharsNode, LatexGroupNode, LatexMacroNode
from pylatexenc.macrospec import ParsedMacroArgs

from roofproof.claims.language.latex_macros import refuse_transpose
from roofproof.claims.language.latex_parts import WORDS, cut, text_of

LARGE = {"M": 6, "百万": 6, "万": 4, "亿": 8, "million": 6, "billion": 9, "百": 2, "千": 3, "十亿": 9}
"""Words after a number that are its factor, as a power of ten; K may be 1024 as well, and B bytes or billions."""
_STARS = {"*": "star", "∗": "star", "⋆": "star", "†": "dagger"}
_STAR = re.compile(r"\^\s*([*∗⋆†])")
_OF_NAMES = re.compile(r"(?<=[0-9])\s?(?:百万|万|亿)|(?<=[0-9])\s?[µμ]s(?![A-Za-z])|[α-ωΑ-Ω]")
_SPELLED = re.compile(rf"(?<=[0-9])\s?M(?![A-Za-z0-9_^(])|{_OF_NAMES.pattern}")
_STAR_MACROS = {"ast": "star", "star": "star", "dagger": "dagger", "max": "max", "min": "min"}
_LABELS = (  # words in small letters that are put above a name; any other such word may be a product
    "max", "min", "opt", "peak", "ring", "tree", "comp", "comm", "comms", "mem", "math", "ridge", "total", "new", "old",
    "ideal", "actual", "eff", "prefill", "decode", "lower", "upper", "train", "fwd", "bwd", "hbm", "ici", "dcn",
)  # fmt: skip
_NAMED = re.compile(r"[A-Za-z]*[A-Z][A-Za-z]*[a-z][A-Za-z]*|[a-z]+[A-Z][A-Za-z]*")


def unlabelled(nodes: list[Any], one_name: Callable[[str], bool], micro: bool, million: bool) -> list[Any]:
    r"""Return nodes with labels below their names and microseconds as one word.

    `one_name` tells of capitals such as `NVL` if the document has them as a name; `micro` is whether `\mu s` is a unit,
    `million` whether `7M` is a number.

    >>> from roofproof.claims.language.latex_macros import parsed
    >>> found = unlabelled(parsed(r"I^*_c + 5\mu s"), str.isupper, True, True)
    >>> [text_of(n) or getattr(n, "chars", "{...}") for n in found]
    ['I', '_c', '_', '{...}', ' + 5', 'μs']
    """
    found: list[Any] = []
    rest = list(nodes)
    while rest:
        node = rest.pop(0)
        chars = node.chars if isinstance(node, LatexCharsNode) else ""
        if one := (_SPELLED if million else _OF_NAMES).search(chars):
            word = cut(node, *one.span())
            made = _macro(word) if "Α" <= one[0] <= "ω" else _word(word, one[0].strip().replace("µ", "μ"))
            rest[:0] = [part for part in (cut(node, 0, one.start()), made, cut(node, one.end())) if part.len]
        elif (star := _STAR.search(chars)) is not None:
            found += [cut(node, 0, star.start())] if star.start() else []
            rest = [*([cut(node, star.end())] if chars[star.end() :] else []), *rest]
            rest = _lowered(found, _STARS[star[1]], node, star.start(), rest)
        elif chars.rstrip().endswith("^") and rest and (label := _label(rest[0], found, node, one_name)):
            at = chars.rindex("^")
            found += [cut(node, 0, at)] if at else []
            rest = _lowered(found, label, rest[0], 0, rest[1:])
        elif micro and (unit := _microseconds(node, rest)):
            word, rest = unit
            found.append(word)
        else:
            found.append(node)
    return found


def _label(above: Any, before: list[Any], mark: Any, one_name: Callable[[str], bool]) -> str:
    """Return the superscript of a name as its label, nothing where it is a power."""
    inside = above.nodelist if isinstance(above, LatexGroupNode) else [above]
    inside = [node for node in inside if node.latex_verbatim().strip()]
    if len(inside) != 1:
        return ""
    [one] = inside
    macro = getattr(one, "macroname", "")
    if macro in _STAR_MACROS:
        return _STAR_MACROS[macro]
    if word := text_of(one) if macro in WORDS else "":
        if word in ("T", "⊤"):
            refuse_transpose("K^T", one.pos - 2, ())
        return word if not re.fullmatch(r"[0-9.]+", word) else ""
    text = getattr(one, "chars", "").strip()
    if text in _STARS:
        return _STARS[text]
    named = len(text) > 2 and _NAMED.fullmatch(text)
    base = re.search(r"\w", "".join(n.latex_verbatim() for n in before[-2:]) + mark.chars)
    return text if base and (named or text in _LABELS or (len(text) > 1 and text.isupper() and one_name(text))) else ""


def _lowered(found: list[Any], label: str, at: Any, offset: int, rest: list[Any]) -> list[Any]:
    """Put a label below the name that ends `found`, after what stands below it already; return what is left."""
    chars = getattr(rest[0], "chars", "") if rest else ""
    if chars.lstrip().startswith("_"):  # I^*_c is I_c^*
        begin = len(chars) - len(chars.lstrip())
        if chars[begin + 1 :].strip():
            found.append(cut(rest[0], begin, begin + 2))
            rest = [*([cut(rest[0], begin + 2)] if chars[begin + 2 :] else []), *rest[1:]]
        elif len(rest) > 1:
            found += rest[:2]
            rest = rest[2:]
    state, place = at.parsing_state, {"pos": at.pos + offset, "len": 1}
    word = LatexCharsNode(parsing_state=state, chars=label, **place)
    found.append(LatexCharsNode(parsing_state=state, chars="_", **place))
    found.append(LatexGroupNode(parsing_state=state, nodelist=[word], delimiters=("{", "}"), **place))
    return rest


def _microseconds(node: Any, rest: list[Any]) -> tuple[Any, list[Any]] | None:
    r"""Return `\mu s`, `\mu\text{s}` or `\mathrm{\mu s}` as one word, and what stands after it."""
    macro = getattr(node, "macroname", "")
    if macro in WORDS and node.nodeargd and node.nodeargd.argnlist:
        inside = re.sub(r"\s", "", node.nodeargd.argnlist[-1].latex_verbatim())
        return (_word(node, "μs"), rest) if inside == r"{\mus}" else None
    if macro != "mu" or not rest:
        return None
    after, *others = rest
    if text_of(after) == "s":
        return _word(node, "μs"), others
    if re.match(r"s(?![A-Za-z_^(])", getattr(after, "chars", "")):
        return _word(node, "μs"), [*([cut(after, 1)] if after.chars[1:] else []), *others]
    return None


def _macro(node: Any) -> Any:
    """Return a Greek letter as its macro."""
    name = unicodedata.name(node.chars).rpartition(" ")[2]
    word = name.lower() if "SMALL" in unicodedata.name(node.chars) else name.capitalize()
    place = {"parsing_state": node.parsing_state, "pos": node.pos, "len": node.len}
    return LatexMacroNode(macroname=word.replace("lamda", "lambda"), nodeargd=None, macro_post_space="", **place)


def _word(node: Any, text: str) -> Any:
    state, place = {"parsing_state": node.parsing_state}, {"pos": node.pos, "len": node.len}
    inside = LatexGroupNode(nodelist=[_chars(node, text)], delimiters=("{", "}"), **state, **place)
    arguments = ParsedMacroArgs(argspec="{", argnlist=[inside])
    return LatexMacroNode(macroname="text", nodeargd=arguments, macro_post_space="", **state, **place)


def _chars(node: Any, text: str) -> Any:
    return LatexCharsNode(parsing_state=node.parsing_state, chars=text, pos=node.pos, len=node.len)
