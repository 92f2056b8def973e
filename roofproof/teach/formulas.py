r"""Formulas in the texts of exercises and slides: TeX between two `$`, which every format shows as its author wrote it.

It is checked once. Its macros are a closed list of mathematics: none reads a file, defines, measures or opens an
environment; nor is there a comment, a category code or a sign that begins a tag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_letters, digits

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.latex import FRACTIONS, GREEK, SIGNS
from roofproof.formula.tex import Group, Macro, Node, taken_apart

Values = Mapping[str, str | int]
LONGEST = 2_000  # signs of a formula
WORDS = ("text", "textrm", "textit", "textbf", "mbox")
ACCENTS = ("hat", "bar", "tilde", "vec", "overline", "dot", "widehat", "underline", "mathtt", "mathcal", "boldsymbol")
_SPACES = (*",;:! ", "quad", "qquad", "displaystyle", "textstyle")
_OTHERS = (
    "mathrm mathbf mathit mathsf operatorname boxed sqrt log ln exp max min sum prod arg lim sup inf gcd sin cos tanh "
    "bmod ell partial ldots cdots dots prime circ top star forall exists pm mp sim propto equiv in mid otimes odot "
    "oplus mapsto gets leftarrow left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr lceil rceil "
    "lfloor rfloor lvert rvert lbrace rbrace langle rangle { } %"
)
_OF_A_FONT = {"approxeq", "thickapprox", "leqslant", "leqq", "geqslant", "geqq"}  # needs a package more
MACROS = {*SIGNS, *GREEK, *FRACTIONS, *WORDS, *ACCENTS, *_SPACES, *_OTHERS.split()} - _OF_A_FONT
_SIGNS = {*ascii_letters, *digits, *"+-=<>:*/|!()[],;.?'^_"}
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:[eE]([+-]?\d+))?")
_IN_WORDS = re.compile(r"[A-Za-z0-9 .,:;!?()/+\-=*'\u00c0-\u024f\u3001-\u3017\u4e00-\u9fff\uff01-\uff5e]*")
_GAP = re.compile(r"\{\s*([A-Za-z]\w*)\s*\}")
_FILLED = re.compile(rf"(\\(?:{'|'.join(WORDS)})\s*)(\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})|{_GAP.pattern}")


@dataclass(frozen=True, slots=True)
class TexFormula:
    """A formula in TeX, and the gaps that were filled in it."""

    tex: str
    gaps: tuple[str, ...] = ()

    @property
    def on_page(self) -> str:
        r"""The TeX as it stands on a page: nothing in it begins a tag.

        >>> formula("B<D").on_page
        'B\\lt D'
        """
        return re.sub("([<>]) *", lambda sign: r"\lt " if sign[1] == "<" else r"\gt ", self.tex)


def formula(source: str, values: Values | None = None) -> TexFormula:
    r"""Return a formula with its gaps filled: `{name}` is one where `values` has the name; other braces are TeX's.

    >>> formula(r"{D}^2 B_{crit}", {"D": 4096})
    TexFormula(tex='{4096}^2 B_{crit}', gaps=('D',))
    >>> formula(r"\input{secrets}")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: $\input{secrets}$: '\\input' is no macro that is read here; do without it

    Raises RoofproofError for what is none of the macros read, for braces that do not close, and for a missing argument.
    """
    if len(source) > LONGEST:
        raise RoofproofError(f"a formula of {len(source)} signs; at most {LONGEST} are read")
    text = " ".join(source.split())
    try:
        if not text:
            raise RoofproofError("an empty formula; write one between two $")
        _refuse_unsafe(taken_apart(text), values or {})
    except RoofproofError as problem:
        raise RoofproofError(f"${text if len(text) <= 60 else text[:57] + '...'}$: {problem}") from None
    return _filled(re.sub(r"\\([lg])t(?![A-Za-z])", lambda sign: "<" if sign[1] == "l" else ">", text), values or {})


def _refuse_unsafe(nodes: Sequence[Node], values: Values) -> None:
    """Refuse signs and macros that are not listed, and a number filled in beside another: 2{D} would show 24096."""
    number = ""
    for before, node in pairwise(("", *(node for node in nodes if node != " "), "")):
        put_to = before in ("^", "_") or (isinstance(before, Macro) and before.name in ACCENTS)
        if put_to and node in ("", "^", "_", "'"):
            raise RoofproofError(f"{_said(before)} lacks what it is put to")
        if isinstance(node, Macro):
            _refuse_macro(node, values)
        elif isinstance(node, Group) and not node.math:
            if not put_to and (name := _name(node)) and name not in values:
                cure = f"list them, as vary = {{ {name} = [1, 2] }}"
                raise RoofproofError(f"the gap {{{name}}} has no values; {cure}")
            _refuse_unsafe(node.inside, values)
        elif node and node not in _SIGNS:
            said = _said(node)
            cure = r"put words into \text{...}" if said[1:-1].isalpha() else "write it as a macro, or leave it out"
            raise RoofproofError(f"{said} is no sign of a formula; {cure}")
        if put_to or node in ("^", "_", "'") or (isinstance(node, Macro) and node.name in _SPACES):
            continue
        beside, number = number, _number(node, values)
        if {beside, number} in ({"gap"}, {"gap", "digit"}):
            raise RoofproofError(r"a gap beside a number would be read as one number; put \cdot between them")


def _refuse_macro(macro: Macro, values: Values) -> None:
    if macro.name not in MACROS:
        raise RoofproofError(f"{_said(macro)} is no macro that is read here; do without it")
    for argument in macro.arguments:
        if macro.name not in WORDS:
            _refuse_unsafe(argument, values)
            continue
        for node in argument:
            if not (_name(node) in values or (isinstance(node, str) and _IN_WORDS.fullmatch(node))):
                cure = "write letters, digits and stops"
                raise RoofproofError(f"{_said(node)} stands in the words of \\{macro.name}; {cure}")


def _said(node: Node) -> str:
    return quoted(f"\\{node.name}" if isinstance(node, Macro) else node if isinstance(node, str) else "{$"[node.math])


def _name(node: Node) -> str:
    """Return the name that stands alone in braces, a gap where it has values, or nothing."""
    inside = node.inside if isinstance(node, Group) else ()
    found = _GAP.fullmatch(f"{{{''.join(each if isinstance(each, str) else '$' for each in inside)}}}")
    return found[1] if found else ""


def _number(node: Node, values: Values) -> str:
    """Return "gap" for a number that fills a gap, "digit" for a digit that is written, nothing for all else."""
    if isinstance(node, str):
        return "digit" if node and node in digits else ""
    return "gap" if _NUMBER.fullmatch(str(values.get(_name(node), ""))) else ""


def _filled(text: str, values: Values) -> TexFormula:
    """Return a formula with its gaps filled: a number as it is, words as words."""
    used: list[str] = []

    def value(name: str) -> str:
        used.append(name)
        return str(values[name])

    def filled(found: re.Match[str]) -> str:
        if found[1]:
            said = _GAP.sub(lambda gap: _in_words(value(gap[1])) if gap[1] in values else gap[0], found[2])
            return f"{found[1]}{{{said.strip('{}')}}}"
        if found[3] not in values:
            return found[0]
        number = _NUMBER.fullmatch(value(found[3]))
        if number and number[2]:
            return rf"{{{number[1]} \times 10^{{{int(number[2])}}}}}"
        return f"{{{number[0]}}}" if number else rf"{{\text{{{_in_words(str(values[found[3]]))}}}}}"

    return TexFormula(_FILLED.sub(filled, text), tuple(dict.fromkeys(used)))


def _in_words(value: str) -> str:
    r"""Return a value as words inside `\text{...}`: signs that mean something to TeX left out.

    >>> _in_words("my_chip {x} $50\\input")
    'my-chip  x   50 input'
    """
    return "".join(sign if _IN_WORDS.fullmatch(sign) else "-" if sign == "_" else " " for sign in value)
