r"""LaTeX to the tokens of tokens.py, with offsets into the LaTeX: `\frac{a}{b}` becomes `((a)/(b))`.

A letter is a name of its own, so `BDF` is a product. Words and subscripts are part of one name: `T_{\text{math}}` is
T_math. Words after a number or a name are a unit if they spell one. Rows, columns and commas separate statements, which
`and` joins, and each case is a statement with its condition. Nothing is run, and a macro that is not listed is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.magnitudes import LARGE
from roofproof.formula.reader import RELATIONS, TWO_WAYS, Reader
from roofproof.formula.tokens import MAX_NESTING, MAX_TEXT, SUPERSCRIPTS, Token, check_brackets, error_at, foreign_sign
from roofproof.formula.tokens import SIGNS as WRITTEN
from roofproof.formula.tree import Call, Name, Tree, name_of, walk
from roofproof.formula.units import MEASURES, SPELLED, is_prefixed, is_word, near_unit, unit_of
from roofproof.sentences import Sentence

SIGNS = {  # macros for signs, by the sign
    name: sign
    for sign, names in {
        "*": "cdot times ast", "/": "div", "~=": "approx approxeq thickapprox simeq", "<=": "le leq leqslant leqq",
        ">=": "ge geq geqslant geqq", "!=": "ne neq", "<": "lt", ">": "gt", ">>": "gg", "<<": "ll",
        "->": "to rightarrow longrightarrow", "=>": "Rightarrow implies Longrightarrow",
        "<=>": "Leftrightarrow iff Longleftrightarrow", "oo": "infty", "and": "land wedge", "or": "lor vee",
        "not": "neg lnot",
    }.items()
    for name in names.split()
}  # fmt: skip
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
)  # fmt: skip
FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
TEXTS = ("text", "mathrm", "mathit", "operatorname", "textrm", "mathsf", "mathbf", "mbox", "textit", "textup",
         "textnormal")  # fmt: skip
JOINING = {
    word: sign
    for sign, words in {
        "and": ("and", "且"), "or": ("or", "或"), "not": ("not", "非"),
        "<=>": ("if and only if", "iff", "i.e.", "that is", "equivalently", "or equivalently", "当且仅当", "即", "亦即",
                "也就是", "等价于"),
    }.items()
    for word in words
}  # fmt: skip
CONDITIONS = (
    "if", "when", "whenever", "for", "for all", "for every", "for any", "where", "provided", "provided that",
    "as long as", "assuming", "assuming that", "given", "given that", "若", "当", "如果", "只要", "假设", "其中",
)  # fmt: skip
OTHERWISE, NEVER, ALWAYS = ("otherwise", "else", "否则", "其他情形"), ("never", "永不"), ("always", "总是")
NO_VALUES = {
    "sim": r"<macro> may be 'about' or 'grows like'; write '\approx' for about",
    "in": "<macro> is about sets; expected a formula of numbers",
    "propto": "<macro> leaves a factor open; expected an equation",
    **dict.fromkeys(("cdots", "dots", "ldots"), "<macro> leaves terms out; write them all"),
}
OPERATORS = {"sum": "sum", "lim": "limit"}
TWO = r"ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'"
WORD = 3  # least letters of a subscript that is a word

SILENT = {*",!", "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "thinspace", "limits",
           "nolimits", "nonumber", "notag", "num", "boxed"}  # fmt: skip
_KINDS = {  # other macros, by the kind of their token
    **dict.fromkeys(FRACTIONS, "fraction"), "sqrt": "root", **dict.fromkeys(OPERATORS, "operator"),
    **dict.fromkeys(("lceil", "lfloor", "lvert"), "opening"), **dict.fromkeys(("rceil", "rfloor", "rvert", "}"), ")"),
    **dict.fromkeys(("{", "lbrace"), "("), "rbrace": ")", "%": "unit", **dict.fromkeys(("quad", "qquad"), "apart"),
    **dict.fromkeys(" ;:", "space"), "\\": "row", **dict.fromkeys((*GREEK, "log", "ln", "max", "min"), "name"),
}  # fmt: skip
_OPENING = {"lceil": "ceil", "lfloor": "floor", "lvert": "abs"}
ROWED = ("aligned", "alignedat", "split", "gathered", "align", "alignat", "flalign", "gather", "eqnarray", "multline")
FRAMES = ("equation", "displaymath", "math")
_COMMAS, _ENDS = (",", ";", "，", "；"), (*".,;。，；、",)
_GOING_ON = (*RELATIONS, "<<", "+", "-", "*", "/", "=>", "<=>", "and", "or")
_STATING = (*RELATIONS, "=>", "<=>")
_LARGE = {  # possible meanings of a word after a number
    "K": (r"\cdot 10^3", r"\cdot 2^{10}"),
    "B": (r"\text{ bytes}", r"\cdot 10^9"),
    "b": (r"\text{ bits}", r"\cdot 10^9"),
    **{prefix: (rf"\cdot 10^{{{power}}}", rf"\cdot 2^{{{power // 3 * 10}}}") for prefix, power in LARGE.items()},
}
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?!\d|,\d)")
_OF_SEVERAL = re.compile(r"(?:max|min)\s*(?:\\left)?\s*\([^()]*$")
_FRAME = re.compile(r"(\$\$?)(?P<one>[^$]*)\1|\\\((?P<two>.*)\\\)|\\\[(?P<three>.*)\\\]", re.S)
_LETTERS = re.compile(
    r"(?<![A-Za-z])(?:(?P<function>sin|cos|tan|exp|log|ln|lim|mod)|(?P<of>max|min)(?!\s*\())(?![A-Za-z])"
    r"|[0-9](?:(?P<unit>[kMGTPE]i?B(?:ps)?|[kMGT]b|[kK]|[mun]s)"
    r"|(?:\}\s*|\s+)(?P<apart>[kMGTPE]i?B(?:ps)?|[mun]s|[kMGTPE](?:FLOP|OP)[sS]?))(?![A-Za-z])"
)
_GAP = re.compile(r"\*?\[-?[\d.]+[a-z]{2}\]")  # spacing after a row
_NO_LETTERS = re.compile(rf"\\(?:{'|'.join(TEXTS)}|tag|label|begin|end)\s*\{{[^{{}}]*\}}|\\[A-Za-z]+|\\.")
_PIECE = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<words>\\(?:TEXTS)\s*(?=\{))
  | \\(?P<label>tag|label)\*?\s*(?=\{)
  | \\(?P<edge>begin|end)\s*\{(?P<environment>[A-Za-z]+)\*?\}
  | \\(?P<macro>[A-Za-z]+|[^A-Za-z])
  | (?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<call>(?<![A-Za-z])(?:max|min|floor|ceil|sqrt)(?=\s*(?:\\left\s*)?\())
  | (?P<letter>[A-Za-z])
  | (?P<sign><=>|=>|==|!=|<=|>=|~=|->|>>|<<|\*\*|''|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^ \t\r\n])
    )""".replace("TEXTS", "|".join(TEXTS)),
    re.X,
)


def read_latex(text: str, declared: Collection[str] = ()) -> Tree:
    r"""Return the tree of a formula in LaTeX: a statement, or a value.

    >>> from roofproof.formula.printing import to_text
    >>> to_text(read_latex(r"B > \frac{R}{1 - R(1/D + 1/F)}"))
    'B > R / (1 - R (1 / D + 1 / F))'

    Raises RoofproofError with the column for macros that are not mathematics and for text that the reader refuses.
    """
    return tree_of(text, latex_tokens(text, declared), declared)


def tree_of(text: str, found: Sequence[Token], declared: Collection[str] = ()) -> Tree:
    """Return the tree of the tokens of a text in LaTeX."""
    tree = Reader(text, found, declared, latex=True).parse_all()
    _refuse_indexed(tree)
    return tree


def latex_tokens(text: str, declared: Collection[str] = (), named: Callable[[str], str] | None = None) -> list[Token]:
    r"""Return the tokens of a formula in LaTeX.

    >>> [(t.kind, t.text) for t in latex_tokens(r"2BD \leq 3\,\text{GB}")]
    [('number', '2'), ('name', 'B'), ('name', 'D'), ('<=', '<='), ('number', '3'), ('unit', 'GB')]

    `named` gives a name to words that are not a name, unit or sign. Without it, such words are refused.
    """
    writer = _Writer(text, declared, named)
    stated = _statements(_pieces(text, frozenset(declared)))
    if not stated:
        raise RoofproofError("expected <what>, but the text is empty", what=Sentence("a formula"))
    writer.statements(stated)
    found = writer.called()
    check_brackets((token.kind, token.text, token.at) for token in found)
    return found


# --- pieces: the macros, letters and signs of LaTeX ---------------------------------------------------------------


def _pieces(text: str, declared: frozenset[str]) -> list[Token]:
    """Return the pieces of a text in order: tokens, and pieces still to be written as tokens, such as `fraction`."""
    if len(text) > MAX_TEXT:
        raise RoofproofError("the LaTeX has <count> characters; the limit is <most>", count=len(text), most=MAX_TEXT)
    text = _without_separators(text)
    _refuse_letters(text, declared)
    start = len(text) - len(text.lstrip())
    if frame := _FRAME.fullmatch(text.strip()):
        inside = next(k for k in ("one", "two", "three") if frame[k] is not None)
        return _scanned(text, start + frame.start(inside), start + frame.end(inside))
    return _scanned(text, 0, len(text))


def _scanned(text: str, at: int, stop: int) -> list[Token]:
    found: list[Token] = []
    while text[at:stop].strip(" \t\r\n"):
        match = _PIECE.match(text, at, stop)
        assert match is not None and match.lastgroup
        kind, start, at = match.lastgroup, match.start() + len(match[0]) - len(match[0].lstrip(" \t\r\n")), match.end()
        match kind:
            case "words" | "label":
                end = _closing(text, at, stop)
                inside, at = (at + 1, end), end + 1
                if kind == "words" and text.count("$", *inside):
                    found += _words_and_formulas(text, *inside)
                elif kind == "words":
                    found.append(Token("words", " ".join(text[slice(*inside)].split()), start, at))
                elif match["label"] == "tag" and re.search(r"\s|[<>=≤≥$]", text[slice(*inside)].strip()):
                    raise error_at(start, "a tag is only a label; write the condition of a statement next to it")
            case "environment":
                name = match["environment"]
                if name.startswith("aligned") or name.startswith("alignat"):
                    counted = re.compile(r"\s*\{\d+\}").match(text, at, stop)
                    at = counted.end() if counted and match["edge"] == "begin" else at
                found.append(Token(match["edge"], name, start, at))
            case "macro":
                found += _macro(match["macro"], start, at)
                if match["macro"] == "\\" and (gap := _GAP.match(text, at, stop)):
                    at = gap.end()
            case "number":
                found.append(Token("number", match[kind], start, at))
            case "call" | "letter":
                found.append(Token("name", match[kind], start, at))
            case _:
                found += _sign(text, match[kind], start, at)
    return found


def _macro(name: str, at: int, end: int) -> list[Token]:
    if name in SILENT:
        return []
    if name in _KINDS:
        return [Token(_KINDS[name], name, at, end)]
    if sign := SIGNS.get(name):
        return [Token(sign, sign, at, end)]
    if name in NO_VALUES:
        raise error_at(at, NO_VALUES[name], macro=quoted("\\" + name)[1:-1])
    if name in TEXTS:
        raise error_at(at, "'\\<name>' as an argument needs braces, as in {\\<name>{...}}", name=name)
    message = unknown("macro", name, [*SIGNS, *FRACTIONS, *TEXTS, "sqrt", *GREEK])
    if "did you mean" not in str(message):
        raise error_at(at, "the macro <macro> is not known in a formula", macro=quoted("\\" + name)[1:-1])
    raise error_at(at, message.said)


def _sign(text: str, sign: str, at: int, end: int) -> list[Token]:
    """Return a sign as written on a keyboard, and refuse one that has no meaning."""
    if sign == "''":
        return [Token("'", "'", at, at + 1), Token("'", "'", at + 1, end)]
    if sign == "~":
        return []
    written = "==" if sign == "=" else WRITTEN.get(sign, sign)
    if written in (*_GOING_ON, *_COMMAS, *_ENDS, *"()[]{}^_'|&!:", "not", "oo", "√"):
        return [Token(written, written, at, end)]
    if sign == "π":
        return [Token("name", "pi", at, end)]
    if sign.translate(SUPERSCRIPTS).isdigit():
        return [Token("power", sign, at, end)]
    if sign == "%":
        raise error_at(at, "a comment; expected one formula")
    if sign == "$":
        raise error_at(at, "'$' inside a formula")
    if not sign.isprintable() or sign == "\x7f":
        raise error_at(at, "a control character; in quotes of Python or TOML a backslash is doubled")
    raise foreign_sign(text, at) if not sign.isascii() else error_at(at, "<piece> is not allowed in a formula",
                                                                     piece=quoted(sign))  # fmt: skip


def _words_and_formulas(text: str, at: int, stop: int) -> list[Token]:
    r"""Return the words and the formulas of `\text{when $b > 2$}` one by one."""
    found: list[Token] = []
    for part in re.compile(r"\$(?P<formula>[^$]*)\$|(?P<words>[^$]+)|\$").finditer(text, at, stop):
        if part["formula"] is not None:
            found += _scanned(text, *part.span("formula"))
        elif part["words"] is None:
            raise error_at(part.start(), "'$' inside a formula")
        elif part["words"].strip():
            found.append(Token("words", " ".join(part["words"].split()), *part.span()))
    return found


def _closing(text: str, at: int, stop: int) -> int:
    """Return the position of the brace that closes the one at a position."""
    depth = 0
    for sign in re.compile(r"\\.|[{}]", re.S).finditer(text, at, stop):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth == 0:
            return sign.start()
    raise error_at(at, "<sign> is never closed", sign="'{'")


def _without_separators(text: str) -> str:
    r"""Return LaTeX with `61,000`, `61{,}000` and `61\,000` as one number, at the same length.

    >>> _without_separators("61{,}000 > 61,00")
    '   61000 > 61,00'

    Raises RoofproofError for `\max(1,200)`, which may have one argument or two.
    """

    def joined(found: re.Match[str]) -> str:
        if "{" not in found[0] and "\\" not in found[0] and _OF_SEVERAL.search(text[: found.start()]):
            one, two = found[0].replace(",", ""), found[0].replace(",", ", ")
            parts = {"whole": quoted(found[0]), "first": quoted(one), "second": quoted(two)}
            raise error_at(found.start(), TWO_WAYS, **parts)
        return re.sub(r"\D", "", found[0]).rjust(len(found[0]))

    return _THOUSANDS.sub(joined, text)


def _refuse_letters(text: str, declared: Collection[str]) -> None:
    """Refuse letters that are not a product: the name of a function, or a unit or a prefix after a number."""
    blank = re.sub(r"\\[ ,;:!]|~|\{\}", lambda found: " " * len(found[0]), text)
    blank = _NO_LETTERS.sub(lambda found: "\0" * len(found[0]), blank)
    for found in _LETTERS.finditer(blank):
        named = found["function"] or found["of"]
        word = named or found["unit"] or found["apart"]
        if not set(word) <= set(declared):
            said = "<what> is not a product of letters; a unit or a factor is missing"
            said = "<what> is not a product of letters; a function is written '\\<word>'" if named else said
            raise error_at(found.end() - len(word), said, what=quoted(word), word=word)


# --- statements: separated by rows, columns and commas ------------------------------------------------------------


def _statements(pieces: list[Token]) -> list[list[Token]]:
    r"""Split a formula into its statements, at rows, columns, `\quad` and commas.

    >>> found = _statements(_pieces(r"\begin{aligned} T &= 2a, & S &= 3b \\ &= 4c \end{aligned}", frozenset()))
    >>> ["".join(piece.text for piece in part) for part in found]
    ['T==2a==4c', 'S==3b']

    A row continues the one above it if it begins with a sign, or if the one above ends with a sign.
    """
    columns: dict[int, list[Token]] = {}
    found: list[list[Token]] = []
    for row in _split(_unframed(pieces), "row"):
        parts: list[list[Token]] = []
        cells = _split(row, "&")
        for k in range(0, len(cells), 2):
            first, *others = _parts(_join_cells(*cells[k : k + 2]))
            above = columns.get(k)
            if above and first and (_goes_on(first) or _breaks_off(above)):
                _without_end(above)
                above += first
                columns[k] = others[-1] if others else above
            else:
                others = [part for part in (first, *others) if part]
                columns[k] = others[-1] if others else columns.get(k, [])
            parts += others
        for one, two in pairwise(parts):
            _refuse_two(one, two)
        found += parts
    for part in found:
        _without_end(part)
    return [part for part in found if part]


def _unframed(pieces: list[Token]) -> list[Token]:
    """Return the inside of an environment that is the whole formula, except for final punctuation."""
    while pieces and pieces[0].kind == "begin" and pieces[0].text in (*ROWED, *FRAMES):
        inside, after = _enclosed(pieces, 0)
        if any(piece.kind not in _ENDS for piece in pieces[after:]):
            break
        pieces = inside
    return pieces


def _split(pieces: list[Token], *marks: str) -> list[list[Token]]:
    """Split pieces at marks outside braces and environments."""
    parts: list[list[Token]] = [[]]
    for depth, piece in _deep(pieces, "{begin", "}end"):
        if depth == 0 and piece.kind in marks:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _deep(pieces: Sequence[Token], opening: str, closing: str) -> list[tuple[int, Token]]:
    """Return each piece with its depth in the kinds of brackets that `opening` and `closing` list."""
    depth, found = 0, []
    for piece in pieces:
        opens, closes = ((piece.kind in (*marks, marks[1:])) for marks in (opening, closing))
        found.append((depth + opens, piece))
        depth += opens - closes
    return found


def _join_cells(first: list[Token], second: Sequence[Token] = ()) -> list[Token]:
    """Return the two cells of a column as one, separated if the first is a statement and the second begins another."""
    two = _stated(first) and second and not _breaks_off(first) and not _goes_on(second)
    return [*first, *([Token("apart", "", second[0].at, second[0].at)] if two else []), *second]


def _parts(pieces: list[Token]) -> list[list[Token]]:
    r"""Split pieces at `\quad`, and at a comma if there are relations on both sides of it."""
    found: list[list[Token]] = [[]]
    waiting: list[tuple[Token, list[Token]]] = []
    depth = 0
    for piece in pieces:
        depth += (piece.kind in ("(", "[", "{", "begin", "opening")) - (piece.kind in (")", "]", "}", "end"))
        if depth == 0 and piece.kind in ("apart", "space", *_COMMAS):
            waiting.append((piece, []))
        else:
            (waiting[-1][1] if waiting else found[0]).append(piece)
    for mark, part in waiting:
        before = found[-1]
        comma = mark.kind in _COMMAS
        if not part:
            before += [mark] * comma
        elif not before or _joined(before, part) or (not comma and (_goes_on(part) or _breaks_off(before))):
            before += part
        elif mark.kind == "space":
            if _stated(before) and _stated(part) == "<":
                raise error_at(mark.at, TWO)  # x^2 > 4 \ x > 2
            before += part
        elif comma and not (_stated(before) and _stated(part)):
            before += [mark, *part]
        else:
            _refuse_two(before, part, mark)
            found.append(part)
    return found


def _refuse_two(one: list[Token], two: list[Token], mark: Token | None = None) -> None:
    """Refuse two adjacent statements if the second may be a condition of the first."""
    bracketed = two[0].kind == "(" and two[-1].kind == ")" and _stated(two)
    if bracketed or (_stated(one) and _stated(two) not in ("", _stated(one))):
        raise error_at((two[0] if bracketed or not mark else mark).at, TWO)


def _stated(pieces: Sequence[Token]) -> str:
    """Return the kind of the relations among pieces: `=` for equations, `<` for others, empty if there are none."""
    kinds = {piece.kind for depth, piece in _deep(pieces, "{begin", "}end") if depth == 0} & {*_STATING, "<<"}
    return "<" if kinds - {"==", "~="} else "=" if kinds else ""


def _joined(before: list[Token], part: list[Token]) -> bool:
    return before[-1].text in JOINING or part[0].text in JOINING


def _goes_on(pieces: Sequence[Token]) -> bool:
    """Return whether pieces begin with a sign, with `{}` before one, or with a joining word."""
    empty = [piece.kind for piece in pieces[:2]] == ["{", "}"]
    return empty or pieces[0].kind in _GOING_ON or pieces[0].text in JOINING


def _breaks_off(pieces: Sequence[Token]) -> bool:
    """Return whether pieces end with a sign that needs an operand after it."""
    return bool(pieces) and pieces[-1].kind in (*_GOING_ON, "not")


def _without_end(pieces: list[Token]) -> None:
    while pieces and pieces[-1].kind in (*_ENDS, "apart", "space"):
        pieces.pop()


def _rows_of_cases(inside: list[Token], at: int) -> list[tuple[list[Token], bool, list[list[Token]]]]:
    """Return each case as its statement, whether its conditions are negated, and its conditions."""
    found: list[tuple[list[Token], bool, list[list[Token]]]] = []
    before: list[list[Token]] = []
    for row in _split(inside, "row"):
        cells = _split(row, "&")
        for cell in cells:
            _without_end(cell)
        if not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            said = "a case is a statement, '&' and its condition; this has <count> parts"
            raise error_at(at, said, count=len(cells))
        stated, where = cells
        where = where[1:] if where[0].text in CONDITIONS else where
        if where[:1] and where[0].text.rstrip("".join(_ENDS)) in OTHERWISE:
            if not before:
                raise error_at(at, "an 'otherwise' case without other cases")
            found.append((stated, True, list(before)))
        else:
            before.append(where)
            found.append((stated, False, [where]))
    return found


def _enclosed(pieces: Sequence[Token], k: int) -> tuple[list[Token], int]:
    """Return the inside of the brace or environment that opens at position k, and the position after it."""
    opened: list[Token] = []
    for place in range(k, len(pieces)):
        piece = pieces[place]
        if piece.kind in ("{", "begin"):
            opened.append(piece)
            if len(opened) > MAX_NESTING:
                raise error_at(piece.at, "braces are nested more than <most> deep", most=MAX_NESTING)
        elif piece.kind in ("}", "end"):
            last = opened.pop()
            if (last.kind, last.text) != (("{", "{") if piece.kind == "}" else ("begin", piece.text)):
                raise error_at(piece.at, "<sign> closes nothing", sign=quoted(_piece_text(piece)))
            if not opened:
                return list(pieces[k + 1 : place]), place + 1
    raise error_at(pieces[k].at, "<sign> is never closed", sign=quoted(_piece_text(pieces[k])))


def _piece_text(piece: Token) -> str:
    return rf"\{piece.kind}{{{piece.text}}}" if piece.kind in ("begin", "end") else piece.text


# --- tokens: the pieces, rewritten --------------------------------------------------------------------------------


class _Writer:
    """A writer of pieces as tokens, each of which keeps its position in the text."""

    def __init__(self, text: str, declared: Collection[str], named: Callable[[str], str] | None) -> None:
        self.text, self.declared, self.named = text, frozenset(declared), named
        self.found: list[Token] = []
        self.spelled: set[int] = set()  # positions in the text of names that were written as words
        self.bars = 0

    @property
    def last(self) -> Token:
        """The token that was written last."""
        return self.found[-1] if self.found else Token("", "", 0, 0)

    def add_tokens(self, at: int, end: int, *kinds: str) -> None:
        self.found += [Token(kind, kind, at, end) for kind in kinds]

    def name(self, name: str, at: int, end: int) -> None:
        self.found.append(Token("name", name, at, end))

    def statements(self, parts: list[list[Token]]) -> None:
        """Write statements, joined by `and`."""
        for k, part in enumerate(parts):
            at = part[0].at
            self.add_tokens(at, at + 1, *["and"] * (k > 0), *["("] * (len(parts) > 1))
            first = next((j for j, p in enumerate(part) if p.kind == "begin" and p.text in ("cases", "dcases")), -1)
            whole = _enclosed(part, first)[1] if first >= 0 else 0
            if first > 0 and part[first - 1].kind != "=>":
                self.value_by_cases(part[:first], part[first:whole], part[whole:])
            else:
                self.write(part)
            self.add_tokens(at, at + 1, *[")"] * (len(parts) > 1))

    def write(self, pieces: list[Token]) -> None:
        k = 0
        while k < len(pieces):
            k = self.write_piece(pieces, k)

    def write_piece(self, pieces: list[Token], k: int) -> int:
        """Write the piece at position k, and return the position after it."""
        piece = pieces[k]
        kind, text, at, end = piece
        match kind:
            case "{":
                inside, after = _enclosed(pieces, k)
                self.group(inside, piece, pieces[after - 1].end)
                return after
            case "begin":
                inside, after = _enclosed(pieces, k)
                self.environment(inside, piece, pieces[after - 1].end)
                return after
            case "^" | "_":
                return self.script(pieces, k)
            case "fraction":
                return self.fraction(pieces, k)
            case "root":
                return self.root(pieces, k)
            case "operator":
                return self.operator(pieces, k)
            case "words":
                self.word(piece)
            case "'":
                self.extend("_", piece, "a prime must follow a name")
            case "|":
                self.bars += 1
                if self.bars % 2:
                    self.name("abs", at, end)
                self.add_tokens(at, end, "(" if self.bars % 2 else ")")
            case "opening":
                self.name(_OPENING[text], at, end)
                self.add_tokens(at, end, "(")
            case "(" | ")":
                self.found.append(Token(kind, self.text[at:end] or kind, at, end))
            case "apart" | "space":
                pass
            case "&" | "row" | "}" | "end":
                raise error_at(at, "<sign> closes nothing" if kind in "}end" else "<piece> is not allowed in a formula",
                               sign=quoted(_piece_text(piece)), piece=quoted(self.text[at:end].strip()))  # fmt: skip
            case _:
                self.found.append(piece)
        return k + 1

    def group(self, inside: list[Token], opened: Token, end: int) -> None:
        """Write the inside of braces: a single sign, such as `{=}`, as it is, and anything else in brackets."""
        first = inside[0].kind if inside else ""
        if not inside or (len(inside) == 1 and first in (*_GOING_ON, *_COMMAS)):
            return self.write(inside)
        deeper = next((p.kind for p in inside if p.kind != "{"), "")
        if deeper == "number" and self.last.kind in ("number", "name", ")") and not self.applied():
            factor = "number" if self.last.kind == "number" else "factor"  # 2 {40} is typeset as 240
            said = "braces after a <kind>; write '^{...}' for a power, '\\cdot' for a product"
            raise error_at(opened.at, said, kind=Sentence(factor))
        self.bracketed(inside, opened.at, end)

    def bracketed(self, inside: list[Token], at: int, end: int) -> None:
        self.found.append(Token("(", "{", at, at + 1))
        self.write(inside)
        self.found.append(Token(")", "}", end - 1, end))

    def applied(self) -> bool:
        """Return whether the last token is a function, which takes the braces as its argument."""
        return self.last.text in ("log_2", "ln", *ARITHMETIC)

    def argument(self, pieces: list[Token], k: int, macro: Token) -> tuple[list[Token], int]:
        """Return the argument of a macro at position k, braces or one sign, and the position after it."""
        of = self.text[macro.at : macro.end].strip()
        if k >= len(pieces) or pieces[k].kind in ("}", "end", "&", "row", "^", "_", ")", "apart"):
            raise error_at(macro.at, "<macro> is missing an argument", macro=quoted(of))
        piece = pieces[k]
        if piece.kind == "{":
            return _enclosed(pieces, k)
        if piece.kind in ("fraction", "root", "operator", "begin", "opening"):
            said = "<macro> as an argument needs braces"
            raise error_at(piece.at, said, macro=quoted(self.text[piece.at : piece.end].strip()))
        if piece.kind == "number" and len(piece.text) > 1:
            if macro.kind in "^_":
                said = "in LaTeX <what> lowers only <first>; write <cure>"
                said = "in LaTeX <what> raises only to <first>; write <cure>" if macro.kind == "^" else said
                parts = {"what": quoted(of + piece.text), "first": quoted(piece.text[0])}
                raise error_at(piece.at, said, cure=quoted(f"{of}{{{piece.text}}}"), **parts)
            if not piece.text.isdigit():  # TeX takes only the 1 of 1e-60
                raise error_at(piece.at, "<macro> as an argument needs braces", macro=quoted(piece.text))
            pieces.insert(k + 1, Token("number", piece.text[1:], piece.at + 1, piece.end))
            piece = Token("number", piece.text[0], piece.at, piece.at + 1)  # \frac12 is a half
            pieces[k] = piece
        return [piece], k + 1

    def script(self, pieces: list[Token], k: int) -> int:
        """Write a power, or a subscript as part of the name before it."""
        mark = pieces[k]
        inside, after = self.argument(pieces, k + 1, mark)
        at, end = mark.at, pieces[after - 1].end
        if mark.kind == "_":
            word = self.subscript(inside, at, end)
            self.extend(f"_{word}", Token("_", "", at, end), "a subscript must follow a name")
            return after
        kinds = [piece.kind for piece in inside]
        if kinds == ["name"] and inside[0].text == "T" and "T" not in self.declared and self.last.kind in ("name", ")"):
            said = "'^T' may be a transpose or a power; write '^{1 T}' for the power"
            raise error_at(self.last.at, said)
        if kinds in (["(", "number", ")"], ["(", "name", ")"]):
            raise error_at(inside[0].at, "a number or a name in brackets above may be an index or a power")
        if after < len(pieces) and pieces[after].kind == "^":
            raise error_at(pieces[after].at, "<sign> appears twice; add braces", sign="'^'")
        self.add_tokens(at, at + 1, "^")
        if pieces[k + 1].kind == "{":
            self.bracketed(inside, pieces[k + 1].at, end)
        else:
            self.write(inside)
        return after

    def subscript(self, inside: list[Token], at: int, end: int) -> str:
        """Return a subscript as a word of letters and digits, with `_` for `-` and for a comma."""
        texts = [piece.text for piece in inside if piece.kind not in ("{", "}", "space", "apart")]
        wrong = {piece.kind for piece in inside} - {"name", "number", "words", "-", ",", "{", "}", "space", "apart"}
        shown = self.text[at + 1 : end].strip().removeprefix("{").removesuffix("}")
        return self.plain(shown if wrong or not texts else "".join(texts), inside[0].at if inside else at)

    def plain(self, words: str, at: int) -> str:
        """Return words as one name, with `_` for `-` and for a comma, and without blanks."""
        word = words.replace(" ", "").replace("-", "_").replace(",", "_")
        if words in CONDITIONS or not re.fullmatch("[A-Za-z0-9_]+", word):
            if self.named:
                return self.named(words)
            raise error_at(at, "<letters> is not a word of letters and digits", letters=quoted(words))
        return word

    def extend(self, suffix: str, piece: Token, said: str) -> None:
        """Attach a subscript or a prime to the name just written: `R'` is the name R_."""
        last = self.last
        fits = last.kind == "name" and (piece.kind == "'" or "_" not in last.text) and last.text not in ("max", "min")
        if not fits or (last.at not in self.spelled and last.text in ARITHMETIC - {"log"}):
            raise error_at(piece.at, said)
        self.found[-1] = Token("name", last.text + suffix, last.at, piece.end)

    def fraction(self, pieces: list[Token], k: int) -> int:
        macro = pieces[k]
        above, after = self.argument(pieces, k + 1, macro)
        below, after = self.argument(pieces, after, macro)
        at, end = macro.at, pieces[after - 1].end
        numbers = ["".join(p.text for p in side) for side in (above, below)]
        if re.fullmatch("d[A-Za-z]?/d[A-Za-z]", "/".join(numbers)) and "d" not in self.declared:
            raise error_at(at, "a derivative, or d over d? write the fraction without d, or declare d")
        if self.last.kind == "number" and self.last.text.isdigit() and all(map(str.isdigit, numbers)):
            number = quoted(f"{self.last.text} {numbers[0]}/{numbers[1]}")  # on paper, three and a half
            raise error_at(at, "<number> has two readings; write a sum or a product", number=number)
        self.add_tokens(at, at + 1, "(")
        self.bracketed(above, above[0].at - 1 if above else at, at + 1)
        self.add_tokens(at, at + 1, "/")
        self.bracketed(below, below[0].at - 1 if below else at, end)
        self.add_tokens(end - 1, end, ")")
        return after

    def root(self, pieces: list[Token], k: int) -> int:
        r"""Write `\sqrt{x}` as a call, `\sqrt[3]{x}` as a power."""
        macro, degree = pieces[k], []
        k += 1
        if k < len(pieces) and pieces[k].kind == "[":
            close = next((j for j in range(k, len(pieces)) if pieces[j].kind == "]"), None)
            if close is None:
                raise error_at(pieces[k].at, "<sign> is never closed", sign="'['")
            degree, k = pieces[k + 1 : close], close + 1
        inside, after = self.argument(pieces, k, macro)
        at, end = macro.at, pieces[after - 1].end
        if not degree:
            self.name("sqrt", at, at + 5)
        self.bracketed(inside, at, end)
        if degree:
            self.add_tokens(at, end, "^", "(")
            self.found.append(Token("number", "1", at, end))
            self.add_tokens(at, end, "/")
            self.bracketed(degree, degree[0].at, degree[-1].end)
            self.add_tokens(at, end, ")")
        return after

    def operator(self, pieces: list[Token], k: int) -> int:
        r"""Write `\sum` or `\lim` with its bounds as a call. Its argument ends at the next sign between terms."""
        macro = pieces[k]
        shown = "\\" + macro.text
        scripts: dict[str, list[Token]] = {}
        k += 1
        while k < len(pieces) and pieces[k].kind in ("_", "^") and pieces[k].kind not in scripts:
            mark = pieces[k]
            scripts[mark.kind], k = self.argument(pieces, k + 1, mark)
        is_sum = macro.text == "sum"
        below = scripts.get("_", [])
        middle = next((j for j, p in enumerate(below) if p.kind == ("==" if is_sum else "->")), 0)
        index, begin = below[:middle], below[middle + 1 :]
        one_sided = begin and begin[-1].kind in ("+", "-")  # x -> 0^+
        if [p.kind for p in index] != ["name"] or not begin or one_sided or is_sum != ("^" in scripts):
            said = "<name> is read only with its bounds, as in <example>"
            example = r"\sum_{i=1}^{n}" if is_sum else r"\lim_{n \to \infty}"
            raise error_at(macro.at, said, name=shown, example=example)
        body, k = self.body(pieces, k, shown, macro)
        bounds = [index, begin, scripts["^"]] if is_sum else [index] if begin[0].kind == "oo" else [index, begin]
        self.name(OPERATORS[macro.text], macro.at, macro.end)
        self.add_tokens(macro.at, macro.end, "(")
        self.write(body)
        for part in bounds:
            self.add_tokens(macro.at, macro.end, ",")
            self.write(part)
        self.add_tokens(macro.at, macro.end, ")")
        return k

    def body(self, pieces: list[Token], k: int, shown: str, macro: Token) -> tuple[list[Token], int]:
        """Return the argument of an operator and the position after it. A sum as argument needs brackets."""
        depth, start = 0, k
        while k < len(pieces):
            kind = pieces[k].kind
            if depth == 0 and kind in (*_STATING, "<<", *_COMMAS, ")", "]", "+", "-", "and", "or"):
                whole = pieces[start].kind == "(" and pieces[k - 1].kind == ")"
                if kind in "+-" and not whole:
                    said = "two readings after <name>; put brackets around its argument"
                    raise error_at(pieces[k].at, said, name=f"'{shown}'")
                break
            depth += (kind in ("(", "[", "{", "begin", "opening")) - (kind in (")", "]", "}", "end"))
            k += 1
        if k == start:
            raise error_at(macro.at, "<name> has no argument", name=f"'{shown}'")
        return pieces[start:k], k

    def environment(self, inside: list[Token], opened: Token, end: int) -> None:
        if opened.text in ("cases", "dcases"):
            return self.cases(inside, opened, end)
        if opened.text not in ROWED:
            raise error_at(opened.at, "an environment or sign that is not a formula; expected one formula")
        self.add_tokens(opened.at, opened.end, "(")
        self.statements(_statements(inside))
        self.add_tokens(end - 1, end, ")")

    def cases(self, inside: list[Token], opened: Token, end: int) -> None:
        """Write cases as the disjunction of their statements, each with its condition."""
        at, start = opened.at, opened.end
        rows = [row for row in _rows_of_cases(inside, at) if row[0][0].text not in NEVER]
        if not rows:
            raise error_at(at, "none of the cases can hold")
        self.add_tokens(at, start, "(")
        for k, (stated, denied, conditions) in enumerate(rows):
            self.add_tokens(at, start, *["or"] * (k > 0), "(")
            if stated[0].text not in ALWAYS:
                self.add_tokens(at, start, "(")
                self.write(stated)
                self.add_tokens(at, start, ")", "and")
            self.condition(denied, conditions, at, start)
            self.add_tokens(at, start, ")")
        self.add_tokens(end - 1, end, ")")

    def condition(self, denied: bool, conditions: list[list[Token]], at: int, start: int) -> None:
        """Write the condition of a case: its own, or the negation of all others."""
        self.add_tokens(at, start, *["not"] * denied, "(")
        for k, each in enumerate(conditions):
            self.add_tokens(at, start, *["or"] * (k > 0), "(")
            self.write(each)
            self.add_tokens(at, start, ")")
        self.add_tokens(at, start, ")")

    def value_by_cases(self, before: list[Token], cases: list[Token], after: list[Token]) -> None:
        """Write `T = ...` for a value given by cases: the condition of each case implies the value of that case."""
        opened = cases[0]
        at, start = opened.at, opened.end
        if any(piece.text in ("cases", "dcases") for piece in after):
            raise error_at(at, "two values are given by cases; give one of them a name")
        for k, (value, denied, conditions) in enumerate(_rows_of_cases(cases[1:-1], at)):
            if value[0].text in (*NEVER, *ALWAYS):
                raise error_at(value[0].at, "expected a value")
            self.add_tokens(at, start, *["and"] * (k > 0), "(")
            self.condition(denied, conditions, at, start)
            self.add_tokens(at, start, "=>", "(")
            self.write(before)
            self.bracketed(value, at, start)
            self.write(after)
            self.add_tokens(at, start, ")", ")")

    def word(self, piece: Token) -> None:
        """Write words as a sign, as a unit after a number or a name, or else as a name."""
        _, text, at, end = piece
        if text in JOINING:
            return self.add_tokens(at, end, JOINING[text])
        if self.unit(piece):
            return None
        if text in CONDITIONS and not self.named:
            raise error_at(
                at, "<text> is allowed in cases only; elsewhere write '... \\implies ...'", text=quoted(text)
            )
        word = self.plain(text, at)
        if word[0].isdigit() or not word.strip("_"):
            raise error_at(at, "<word> is not a name", word=quoted(word))
        if word in ("time", *OPERATORS.values()) and word not in self.declared:
            raise error_at(at, "<token> is not known in LaTeX; write it as plain text", token=quoted(word))
        self.spelled.add(at)
        self.name(word, at, end)

    def unit(self, piece: Token) -> bool:
        r"""Write words after a value as a unit, such as `900 \text{GB}/\text{s}`, and return whether they are one."""
        _, text, at, end = piece
        last = self.last
        above = self.found[-2] if last.kind == "/" and len(self.found) > 1 else last
        if above.kind == "unit" and above is not last and unit_of(f"{above.text}/{text}") is not None:
            self.found[-2:] = [Token("unit", f"{above.text}/{text}", above.at, end)]
            return True
        number = last.kind in ("number", ")") or last.text == "%"
        if text in self.declared or self.text[end : end + 1] in ("_", "("):
            return False
        if number and text in _LARGE:  # 7 B may be 7 bytes or 7 billion parameters
            whole, first, second = (f"'{way}'" for way in (self.text[at:end], *_LARGE[text]))
            raise error_at(at, TWO_WAYS, whole=whole, first=first, second=second)
        spelled = SPELLED[text].removesuffix("s") if number and text in MEASURES else text
        known = unit_of(spelled) is not None and (number or any(map(is_word, spelled.split("/"))))
        if known and (number or last.kind in ("name", "unit", "oo")):
            self.found.append(Token("unit", spelled, at, end))
            return True
        if is_prefixed(text.partition("/")[0]):
            raise error_at(at, "<text> is a unit; a unit follows a number or a name", text=quoted(text))
        if number and (near := near_unit(text)):
            raise error_at(at, "<word> is not a unit; did you mean <near>?", word=quoted(text), near=near)
        return False

    # --- calls --------------------------------------------------------------------------------------------------------

    def called(self) -> list[Token]:
        r"""Return the written tokens, with `\log_2 n` as a call, and refuse names that may be a call or a factor."""
        tokens, found = self.found, list[Token]()
        closing: list[int] = []  # positions before which an implied bracket closes
        for k, token in enumerate([*tokens, Token("end", "", len(self.text), len(self.text))]):
            found += [Token(")", ")", tokens[k - 1].end, tokens[k - 1].end) for _ in range(closing.count(k))]
            if token.kind == "name":
                self.refuse_call(tokens, k)
                joined = token.text.replace("_", "")
                if re.fullmatch("[A-Za-z]_[0-9]+", token.text) and token.text not in self.declared >= {joined}:
                    token = token._replace(text=joined)
                if token.text in ("log_2", "ln"):
                    token = token._replace(text="log2" if token.text == "log_2" else "log")
                    if tokens[k + 1 : k + 2] and tokens[k + 1].kind != "(":
                        closing.append(self.argument_end(tokens, k + 1, "\\" + tokens[k].text))
                        found.append(token)
                        token = Token("(", "(", token.end, token.end)
            found.append(token)
        return found[:-1]

    def refuse_call(self, tokens: list[Token], k: int) -> None:
        """Refuse an unknown name that may be a function."""
        token = tokens[k]
        name, following = token.text, [t.kind for t in tokens[k + 1 : k + 4]]
        if name == "log" or re.match("log_(?!2$)", name):
            raise error_at(token.at, "'\\log' is read only with its base; write '\\log_2'")
        if name == "mu" and k and tokens[k - 1].kind == "number" and [t.text for t in tokens[k + 1 : k + 2]] == ["s"]:
            said = "a unit, or a product of letters? write '\\text{us}' or '\\mu \\cdot s'"
            raise error_at(token.at, said)
        if name in self.declared or following[:1] != ["("]:
            return
        if token.at in self.spelled and name not in ARITHMETIC:
            raise error_at(token.at, "<token> is not known as a function", token=quoted(name))
        glued = token.end == tokens[k + 1].at
        if (len(name) == 1 or name in GREEK) and following == ["(", "name", ")"] and glued:
            said = "'<word>(<of>)' may be <word> at <of> or a product; write '<word> \\cdot <of>' for the product"
            raise error_at(token.at, said, word=name, of=tokens[k + 2].text)

    def argument_end(self, tokens: list[Token], k: int, name: str) -> int:
        """Return the position after `x`, `2x`, `x^2` or `x^(...)`, the arguments of a function without brackets."""
        start = tokens[k].at
        two = [token.kind for token in tokens[k : k + 2]]
        call = two == ["name", "("] and tokens[k].text in ARITHMETIC
        k = _after_brackets(tokens, k + 1) if call else k + 2 if two == ["number", "name"] else k + 1
        if k < len(tokens) and tokens[k].kind == "^":
            k = _after_brackets(tokens, k + 1)
        if k < len(tokens) and tokens[k].kind == "name" and tokens[k].text not in ("log_2", "ln"):  # of one or of both?
            said = "two readings after <name>; put brackets around its argument"
            raise error_at(start, said, name=f"'{name}'")
        return k


def _after_brackets(tokens: list[Token], k: int) -> int:
    """Return the position after one token, or after the brackets that open at position k."""
    depth = 0
    while k < len(tokens):
        depth += (tokens[k].kind == "(") - (tokens[k].kind == ")")
        k += 1
        if depth <= 0:
            break
    return k


def _refuse_indexed(tree: Tree) -> None:
    r"""Refuse `\sum_{i=1}^n x_i` and `\lim_{n \to \infty} a_n`: x_i would have the same value at each i.

    >>> from roofproof.formula.reader import read
    >>> _refuse_indexed(read("sum(i x_j, i, 1, n)"))
    >>> _refuse_indexed(read("sum(x_i, i, 1, n)"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 5: x_i may depend on i; write how it depends on i
    """
    for call in walk(tree):
        if isinstance(call, Call) and call.function in OPERATORS.values() and len(call.arguments) > 1:
            index = name_of(call.arguments[1])
            for part in walk(call.arguments[0]):
                if isinstance(part, Name) and any(index in s and len(s) < WORD for s in part.name.split("_")[1:]):
                    said = "<name> may depend on <index>; write how it depends on <index>"
                    raise error_at(part.span[0], said, name=part.name, index=index)
