r"""Formulas in the texts of exercises and slides: TeX between two `$`, checked once and shown as written.

Only listed macros are allowed. None of them reads a file, makes a definition or opens an environment. The characters
`%` (unescaped) and `^^` are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.latex import FRACTIONS, GREEK, SIGNS
from roofproof.formula.tex import Group, Macro, Node, parse_tex

Values = Mapping[str, str | int]
LONGEST = 2_000  # characters of a formula
WORDS = ("text", "textrm", "textit", "textbf", "mbox")
ACCENTS = ("hat", "bar", "tilde", "vec", "overline", "dot", "widehat", "underline", "mathtt", "mathcal", "boldsymbol")
_SPACES = (*",;:! ", "quad", "qquad", "displaystyle", "textstyle")
_OTHERS = (
    "mathrm mathbf mathit mathsf operatorname boxed sqrt log ln exp max min sum prod arg lim sup inf gcd sin cos tanh "
    "bmod ell partial ldots cdots dots prime circ top star forall exists pm mp sim propto equiv in mid otimes odot "
    "oplus mapsto gets leftarrow left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr lceil rceil "
    "lfloor rfloor lvert rvert lbrace rbrace langle rangle { } %"
)
_OF_A_FONT = {"approxeq", "thickapprox", "leqslant", "leqq", "geqslant", "geqq"}  # these need an extra package
MACROS = {*SIGNS, *GREEK, *FRACTIONS, *WORDS, *ACCENTS, *_SPACES, *_OTHERS.split()} - _OF_A_FONT
_SIGNS = re.compile(r"[A-Za-z0-9+\-=<>:*/|!()\[\],;.?'^_]?")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:[eE]([+-]?\d+))?")
_IN_WORDS = re.compile(r"[A-Za-z0-9 .,:;!?()/+\-=*'\u00c0-\u024f\u3001-\u3017\u4e00-\u9fff\uff01-\uff5e]*")
_GAP = re.compile(r"\{\s*([A-Za-z]\w*)\s*\}")
_FILLED = re.compile(rf"(\\(?:{'|'.join(WORDS)})\s*)(\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})|{_GAP.pattern}")


@dataclass(frozen=True, slots=True)
class TexFormula:
    """A formula in TeX, and the names of its filled gaps."""

    tex: str
    gaps: tuple[str, ...] = ()


def formula(source: str, values: Values | None = None) -> TexFormula:
    r"""Return a formula with its gaps filled: `{name}` is a gap if `values` has the name, else it is TeX.

    >>> formula(r"{D}^2 B_{crit}", {"D": 4096})
    TexFormula(tex='{4096}^2 B_{crit}', gaps=('D',))

    Raises RoofproofError for unlisted macros or characters, for unclosed braces, and for a missing argument.
    """
    text, values = " ".join(source.split()), values or {}
    try:
        if not 0 < len(text) <= LONGEST:
            raise RoofproofError("a formula of <count> characters; expected 1 to <most>", count=len(text), most=LONGEST)
        _refuse_unsafe(parse_tex(text), values)
    except RoofproofError as problem:
        raise RoofproofError(
            "$<text>$: <problem>", text=text if len(text) <= 60 else text[:57] + "...", problem=problem
        ) from None
    tex = re.sub(r"\\([lg])t(?![A-Za-z])", lambda sign: "<" if sign[1] == "l" else ">", text)  # LaTeX has no \lt
    used = tuple(name for name in dict.fromkeys(_GAP.findall(text)) if name in values)
    return TexFormula(_FILLED.sub(lambda found: _filled(found, values), tex), used)


def _refuse_unsafe(nodes: Sequence[Node], values: Values) -> None:
    """Raise RoofproofError for unlisted characters or macros, and for a gap next to a number: 2{D} would show 24096."""
    beside = ""
    for before, node in pairwise(("", *(node for node in nodes if node != " "), "")):
        put_to = before in ("^", "_") or (isinstance(before, Macro) and before.name in ACCENTS)
        if put_to and node in ("", "^", "_", "'"):
            raise RoofproofError("<macro> is missing an argument", macro=_said(before))
        if isinstance(node, Macro):
            _refuse_macro(node, values)
        elif isinstance(node, Group) and not node.math:
            if not put_to and (name := _name(node)) and name not in values:
                raise RoofproofError(
                    "the gap {<name>} has no values; list them, as vary = { <name> = [1, 2] }", name=name
                )
            _refuse_unsafe(node.inside, values)
        elif not (isinstance(node, str) and _SIGNS.fullmatch(node)):
            cure = r"put words into \text{...}" if str(node).isalpha() else "write it as a macro, or leave it out"
            raise RoofproofError("<said> is not a sign of a formula; <cure>", said=_said(node), cure=cure)
        if put_to or node in ("^", "_", "'") or (isinstance(node, Macro) and node.name in _SPACES):
            continue
        number = "gap" if _NUMBER.fullmatch(str(values.get(_name(node), ""))) else "digit" * str(node).isdigit()
        if {beside, number} in ({"gap"}, {"gap", "digit"}):
            raise RoofproofError(r"a gap next to a number reads as one number; put \cdot between them")
        beside = number


def _refuse_macro(macro: Macro, values: Values) -> None:
    if macro.name not in MACROS:
        raise RoofproofError("<said> cannot be used in a formula; leave it out", said=_said(macro))
    for argument in macro.arguments:
        if macro.name not in WORDS:
            _refuse_unsafe(argument, values)
            continue
        for node in argument:
            if _name(node) not in values and not (isinstance(node, str) and _IN_WORDS.fullmatch(node)):
                cure = "write letters, digits and stops"
                raise RoofproofError(
                    "<said> is inside the text of \\<name>; <cure>", said=_said(node), name=macro.name, cure=cure
                )


def _said(node: Node) -> str:
    return quoted(f"\\{node.name}" if isinstance(node, Macro) else node if isinstance(node, str) else "{$"[node.math])


def _name(node: Node) -> str:
    """Return the name in braces if there is nothing else in them, else "". It is a gap if it has values."""
    found = isinstance(node, Group) and not node.math and _GAP.fullmatch(f"{{{''.join(map(str, node.inside))}}}")
    return found[1] if found else ""


def _filled(found: re.Match[str], values: Values) -> str:
    """Return a filled gap (numbers as math, words as text), or the text of a word macro with its gaps filled."""
    if found[1]:
        said = _GAP.sub(lambda gap: _in_words(str(values[gap[1]])) if gap[1] in values else gap[0], found[2])
        return f"{found[1]}{{{said.strip('{}')}}}"
    value = str(values.get(found[3], ""))
    if number := _NUMBER.fullmatch(value):
        return rf"{{{number[1]} \times 10^{{{int(number[2])}}}}}" if number[2] else f"{{{value}}}"
    return rf"{{\text{{{_in_words(value)}}}}}" if found[3] in values else found[0]


def _in_words(value: str) -> str:
    """Return a value as text, with `-` for `_` and spaces for other characters that are special in TeX."""
    return "".join(sign if _IN_WORDS.fullmatch(sign) else "-" if sign == "_" else " " for sign in value)
