r"""Formulas in the texts of exercises: TeX between two `$`, read sign by sign, for TeX and for plain text.

What is read is a closed list of macros of mathematics, each with its arguments; a macro that reads files, defines or
measures is none of them, nor is a comment, an environment or a category code. So what comes out stands safely in a
document, on a page of MathJax or KaTeX, and on a card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.latex import FRACTIONS, GREEK, SIGNS

LONGEST, DEEPEST = 2_000, 30  # signs of a formula, braces inside one another
_OF_A_FONT = ("approxeq", "thickapprox", "leqslant", "leqq", "geqslant", "geqq")  # needs a package more
_OPERATORS = {
    **{name: sign for name, sign in SIGNS.items() if sign in ("*", "/", "->", "=>", "<=>", "and", "or", "not")
       or set(sign) <= set("<>=~!") if name not in _OF_A_FONT},
    "pm": "+-", "mp": "-+", "sim": "~", "propto": "~", "equiv": "==", "in": "in", "mid": "|", 
    "otimes": "(x)", "odot": "(.)", "oplus": "(+)", "mapsto": "|->", "gets": "<-", "leftarrow": "<-",
}  # fmt: skip
_NAMES = {
    **{name: name for name in (*GREEK, "log", "ln", "exp", "max", "min", "sum", "prod", "arg", "lim", "sup", "inf",
                               "gcd", "sin", "cos", "tanh", "bmod", "ell", "partial")},
    "infty": "infinity", "ldots": "...", "cdots": "...", "dots": "...", "prime": "'", "circ": "o", "top": "T",
    "forall": "for all", "exists": "exists", "%": "%", "star": "*",
}  # fmt: skip
_SPACES = {*",;:! ", "quad", "qquad", "displaystyle", "textstyle"}
_OPENING = {"lceil": "ceil(", "lfloor": "floor(", "lvert": "|", "{": "{", "lbrace": "{", "langle": "<"}
_CLOSING = {"rceil": ")", "rfloor": ")", "rvert": "|", "}": "}", "rbrace": "}", "rangle": ">"}
_SIZED = {"big", "Big", "bigg", "Bigg", *(f"{b}{s}" for b in ("big", "Big", "bigg", "Bigg") for s in "lr")}
_FONTS = {"mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathcal", "operatorname", "boldsymbol"}
_ACCENTS = {"hat", "bar", "tilde", "vec", "overline", "dot", "widehat", "underline", "boxed"}
_WORDS = {"text", "textrm", "textit", "textbf", "mbox"}
_SIGNS = {"operator": "+-=<>:", "sign": "*/|!", "opening": "([", "closing": ")]", "point": ",;.?"}
_TOKEN = re.compile(r"\s+|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.", re.S)
_GAP = re.compile(r"\{\s*([A-Za-z]\w*)\s*\}")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:[eE]([+-]?\d+))?")
_IN_WORDS = re.compile(r"[A-Za-z0-9 .,:;!?()/+\-=*'\u00c0-\u024f\u3001-\u3017\u4e00-\u9fff\uff01-\uff5e]*")


@dataclass(frozen=True, slots=True)
class TexFormula:
    """A formula: in TeX, in plain ASCII, and the gaps that were filled in it."""

    tex: str
    plain: str
    gaps: tuple[str, ...] = ()

    @property
    def on_page(self) -> str:
        r"""The TeX as it stands on a page: nothing in it begins a tag.

        >>> formula("B<D").on_page
        'B\\lt D'
        """
        return re.sub("([<>]) *", lambda sign: r"\lt " if sign[1] == "<" else r"\gt ", self.tex)


@dataclass(frozen=True, slots=True)
class _Item:
    tex: str
    plain: str
    kind: str  # atom, number, gap (a number filled in), fraction, sum, product, operator, sign, opening, closing, ...
    raised: bool = False  # has an exponent or a prime: TeX takes no second one


def formula(source: str, values: Mapping[str, str | int] | None = None) -> TexFormula:
    r"""Return a formula with its gaps filled: `{name}` is one where `values` has the name; other braces are TeX's.

    >>> print(formula(r"B > \frac{R}{2} \cdot D_{\text{in}}").plain)
    B > R/2 * D_in
    >>> formula(r"{D}^2 B_{crit}", {"D": 4096})
    TexFormula(tex='{4096}^2 B_{crit}', plain='4096^2 B_crit', gaps=('D',))
    >>> formula(r"\input{secrets}")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: $\input{secrets}$: '\\input' is no macro that is read here; do without it

    Raises RoofproofError for what is none of the macros read, for braces that do not close, and for a missing argument.
    """
    if len(source) > LONGEST:
        raise RoofproofError(f"a formula of {len(source)} signs; at most {LONGEST} are read")
    reader = _Reader(source.strip(), values or {})
    items = reader.items("")
    tex = "".join(item.tex for item in items).strip()
    if not tex:
        raise reader.error("an empty formula; write one between two $")
    return TexFormula(" ".join(tex.split()), _joined(items), tuple(dict.fromkeys(reader.gaps)))


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, source: str, values: Mapping[str, str | int]) -> None:
        self.source, self.values = source, values
        self.place = self.depth = 0
        self.gaps: list[str] = []

    def error(self, why: str) -> RoofproofError:
        shown = " ".join(self.source.split())
        return RoofproofError(f"${shown if len(shown) <= 60 else shown[:57] + '...'}$: {why}")

    def next(self) -> str:
        """Return the sign or macro that is next, "" at the end."""
        found = _TOKEN.match(self.source, self.place)
        return found[0] if found else ""

    def take(self) -> str:
        found = self.next()
        self.place += len(found)
        return found

    def blanks(self) -> None:
        if self.next().isspace():
            self.take()

    def items(self, end: str) -> list[_Item]:
        """Return the items before `end`, a brace, a bracket or `\\right`, which is taken too."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} braces inside one another")
        found: list[_Item] = []
        while (token := self.next()) != end:
            if not token:
                raise self.error(f"{quoted(end)} is missing")
            if token in "^_'":
                self._script(found)
                continue
            found.append(self.item(bare=True))
        self.take()
        self.depth -= 1
        self._refuse_run_together(found)
        return found

    def item(self, bare: bool = False) -> _Item:
        """Return one item; `bare` braces hold more than a name, which would be a gap without values."""
        token = self.next()
        if token == "{":
            return self._group(bare)
        self.take()
        if token.startswith("\\"):
            return self._macro(token[1:])
        if token.isspace():
            return _Item(" ", "", "space")
        if re.fullmatch(r"[0-9.]+", token) and token != ".":
            return _Item(token, token, "number")
        if re.fullmatch("[A-Za-z]", token):
            return _Item(token, token, "atom")
        for kind, signs in _SIGNS.items():
            if token in signs:
                return _Item(token, token, kind)
        cure = r"put words into \text{...}" if token.isalpha() else "write it as a macro of TeX, or leave it out"
        raise self.error(f"{quoted(token)} is no sign of a formula; {cure}")

    def _group(self, bare: bool = False) -> _Item:
        if gap := self._gap():
            return gap
        name = _GAP.match(self.source, self.place)
        if bare and name:
            raise self.error(f"the gap {{{name[1]}}} has no values; list them, as vary = {{ {name[1]} = [1, 2] }}")
        self.take()
        inner = self.items("}")
        tex = "{" + "".join(item.tex for item in inner) + "}"
        solid = [item for item in inner if item.kind != "space"]
        if len(solid) == 1:
            kind = "sign" if solid[0].kind in ("point", "operator") else solid[0].kind  # 1{,}024
            return replace(solid[0], tex=tex, kind="product" if solid[0].raised else kind, raised=False)
        return _Item(tex, _joined(inner), _kind(solid))

    def _gap(self) -> _Item | None:
        """Return a gap that is next, filled: a number as it is, a word as a word."""
        found = _GAP.match(self.source, self.place)
        if found is None or found[1] not in self.values:
            return None
        self.place = found.end()
        self.gaps.append(found[1])
        value = str(self.values[found[1]])
        if number := _NUMBER.fullmatch(value):
            tex = rf"{number[1]} \times 10^{{{int(number[2])}}}" if number[2] else value
            return _Item(f"{{{tex}}}", value, "gap")
        return _Item(rf"{{\text{{{_in_words(value)}}}}}", value, "atom")

    def argument(self, of: str) -> _Item:
        """Return the argument of a macro, of `^` or of `_`: braces, or one sign."""
        self.blanks()
        token = self.next()
        if not token or token in ("}", "]", "^", "_", "'", r"\right"):
            raise self.error(f"{quoted(of)} lacks what it is put to")
        if (
            len(token) > 1 and token[0].isdigit()
        ):  # of \frac12 TeX takes one digit, and of x^10, which is no power of ten
            if of in ("^", "_"):
                raise self.error(f"{of}{token} takes the first digit alone; write {of}{{{token}}}")
            self.place += 1
            return _Item(token[0], token[0], "number")
        found = self.item()
        if not found.plain:
            raise self.error(f"{quoted(of)} lacks what it is put to")
        return found

    def _script(self, found: list[_Item]) -> None:
        while found and found[-1].kind == "space":
            found.pop()
        if not found or found[-1].kind in ("operator", "point", "opening"):
            raise self.error(f"{quoted(self.next())} has nothing before it")
        base = found.pop()
        tex, plain = base.tex, base.plain if base.kind not in ("fraction", "sum", "product") else f"({base.plain})"
        seen = "^" * base.raised
        while self.next() and self.next() in "^_'":
            sign = self.take()
            above = sign if sign == "_" else "^"
            if above in seen and not (sign == "'" and tex.endswith("'")):
                raise self.error(f"{quoted(sign)} stands twice on one sign; put braces")
            seen += above
            if sign == "'":
                tex, plain = f"{tex}'", f"{plain}'"
                continue
            here = self.place
            put = self.argument(sign)
            word = re.fullmatch(r"\s*\{\s*([A-Za-z]+)\s*\}", self.source[here : self.place])
            said = word[1] if sign == "_" and word and put.kind == "product" else put.plain
            simple = re.fullmatch(r"[\w'*.]+", said)
            tex += sign + (put.tex if len(put.tex) == 1 or put.tex.startswith("{") else f"{{{put.tex}}}")
            plain += sign + (said if simple else f"({said})")
        kind = "atom" if base.kind in ("fraction", "sum", "product") else base.kind
        found.append(_Item(tex, plain, kind, "^" in seen))

    def _macro(self, name: str) -> _Item:
        tex = f"\\{name}"
        if name in _WORDS:
            return self._words(name)
        if name in FRACTIONS:
            above, below = self.argument(tex), self.argument(tex)
            plain = f"{_enclosed(above, 'sum')}/{_enclosed(below, 'sum', 'product', 'fraction')}"
            return _Item(f"{tex}{_braced(above)}{_braced(below)}", plain, "fraction")
        if name == "sqrt":
            return self._root()
        if name in _FONTS:
            put = self.argument(tex)
            return _Item(tex + _braced(put), re.sub(r"(?<=\w) (?=\w)", "", put.plain), "atom")
        if name in _ACCENTS:
            put = self.argument(tex)
            plain = f"({put.plain})" if name in ("underline", "boxed") else f"{name}({put.plain})"
            return _Item(tex + _braced(put), plain, "atom")
        if name == "left":
            return self._fenced()
        if name in _SIZED:
            put = self._fence(tex)
            kind = {"l": "opening", "r": "closing"}.get(name[-1], "sign")
            return _Item(_apart(tex, put.tex) + put.tex, put.plain, kind)
        if name in ("lt", "gt"):
            return _Item("<" if name == "lt" else ">", "<" if name == "lt" else ">", "operator")
        for table, kind in ((_OPERATORS, "operator"), (_OPENING, "opening"), (_CLOSING, "closing"), (_NAMES, "atom")):
            if name in table:
                return _Item(self._ended(tex), table[name], kind if table[name] != "%" else "sign")
        if name in _SPACES:
            return _Item(self._ended(tex), "", "space")
        raise self.error(f"{quoted(tex)} is no macro that is read here; do without it")

    def _ended(self, tex: str) -> str:
        return _apart(tex, self.source[self.place : self.place + 1])

    def _words(self, name: str) -> _Item:
        self.blanks()
        if self.next() != "{":
            raise self.error(f"\\{name} lacks its words in braces")
        if (gap := _GAP.match(self.source, self.place)) and gap[1] in self.values:
            said = self._filled()
        else:
            self.take()
            said = ""
            while (sign := self.next()) != "}":
                if not sign:
                    raise self.error("'}' is missing")
                if sign == "{" and (found := _GAP.match(self.source, self.place)) and found[1] in self.values:
                    said += self._filled()
                    continue
                if not _IN_WORDS.fullmatch(sign.replace("\n", " ")):
                    raise self.error(f"{quoted(sign)} stands in the words of \\{name}; write letters, digits and stops")
                said += self.take()
            self.take()
        return _Item(f"\\{name}{{{said}}}", " ".join(said.split()), "atom")

    def _filled(self) -> str:
        found = _GAP.match(self.source, self.place)
        assert found is not None
        self.place = found.end()
        self.gaps.append(found[1])
        return _in_words(str(self.values[found[1]]))

    def _root(self) -> _Item:
        self.blanks()
        if self.next() != "[":
            put = self.argument("\\sqrt")
            return _Item(f"\\sqrt{_braced(put)}", f"sqrt({put.plain})", "atom")
        self.take()
        degree = self.items("]")
        put = self.argument("\\sqrt")
        tex = f"\\sqrt[{''.join(item.tex for item in degree)}]{_braced(put)}"
        return _Item(tex, f"({put.plain})^(1/{_joined(degree)})", "atom")

    def _fenced(self) -> _Item:
        before = self._fence(r"\left")
        inner = self.items(r"\right")
        after = self._fence(r"\right")
        within = "".join(item.tex for item in inner)
        tex = rf"\left{_apart(before.tex, within)}{within}\right{after.tex}"
        kind = "atom" if before.plain and after.plain else "sum"
        return _Item(tex, f"{before.plain}{_joined(inner)}{after.plain}", kind)

    def _fence(self, of: str) -> _Item:
        """Return a bracket after `\\left`, `\\right` or `\\big`; a point is none."""
        self.blanks()
        token = self.take()
        if token in ("(", ")", "[", "]", "|", "/"):
            return _Item(token, token, "sign")
        if token == "." and not of.startswith("\\big"):
            return _Item(token, "", "sign")
        for table in (_OPENING, _CLOSING):
            if token.startswith("\\") and token[1:] in table:
                return _Item(token, table[token[1:]], "sign")
        raise self.error(f"{quoted(of)} is followed by no bracket; write one, as {of}(")

    def _refuse_run_together(self, found: list[_Item]) -> None:
        """Refuse a number filled in beside another number: 2{D} would be read as 24096."""
        solid = [item for item in found if item.kind != "space"]
        for first, second in pairwise(solid):
            if {first.kind, second.kind} in ({"gap"}, {"gap", "number"}):
                raise self.error(r"a gap beside a number would be read as one number; put \cdot between them")


def _kind(items: list[_Item]) -> str:
    """Return the kind of a run of items for the signs around it: a sum, or a product."""
    return "sum" if any(item.kind in ("operator", "point") for item in items) else "product"


def _enclosed(item: _Item, *kinds: str) -> str:
    loose = item.kind in kinds or ("product" in kinds and "/" in item.plain and item.kind != "atom")
    return f"({item.plain})" if loose else item.plain


def _braced(item: _Item) -> str:
    return item.tex if item.tex.startswith("{") and item.tex.endswith("}") else f"{{{item.tex}}}"


def _apart(tex: str, after: str) -> str:
    """Return a macro with a blank where a letter would run into its name."""
    return f"{tex} " if tex[-1:].isalpha() and tex.startswith("\\") and re.match("[A-Za-z]", after) else tex


def _in_words(value: str) -> str:
    r"""Return a value as words inside `\text{...}`: signs that mean something to TeX left out.

    >>> _in_words("my_chip {x} $50\\input")
    'my-chip  x   50 input'
    """
    return "".join(sign if _IN_WORDS.fullmatch(sign) else "-" if sign == "_" else " " for sign in value)


def _joined(items: list[_Item]) -> str:
    """Return items as plain text: blanks between factors, brackets about a fraction among them."""
    solid: list[tuple[_Item, bool]] = []
    blank = False
    for item in items:
        if item.kind == "space":
            blank = True
        else:
            solid.append((item, blank))
            blank = False
    text = ""
    for place, (item, after_blank) in enumerate(solid):
        before = solid[place - 1][0].kind if place else ""
        following = solid[place + 1][0].kind if place + 1 < len(solid) else ""
        value = ("atom", "number", "gap", "fraction", "product", "sum")
        plain = item.plain
        apart = after_blank or plain[:1].isalpha()  # f(x) and 2 (x + y) as they were written, and B ceil(x)
        beside = before in (*value, "closing", "sign") or following in (*value, "opening", "sign")
        if item.kind in ("fraction", "sum") and beside:
            plain = f"({plain})"
        if item.kind == "operator":
            unary = before in ("", "operator", "opening", "point", "sign")
            text += plain if unary and plain in "+-" else f" {plain} "
        elif item.kind == "point":
            text += f"{plain} "
        elif before in (*value, "closing") and (item.kind in value or (item.kind == "opening" and apart)):
            text += f" {plain}"
        else:
            text += plain
    return " ".join(text.split())
