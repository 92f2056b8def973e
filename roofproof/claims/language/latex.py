r"""Answers in LaTeX: `B > \frac{R}{1 - R(1/D + 1/F)}`, as the same tree that plain text gives.

pylatexenc splits LaTeX into macros with their arguments; it knows no definitions and runs nothing. What it finds is
written out in plain notation, with the offset of every sign, and read as that is. A letter is
a symbol of its own, so `BDF` is a product; `\text{math}` and subscripts are part of one name: `T_{math}` is T_math.
Cases are read as the one of which the condition holds: `a > 1 & \text{if } b > 2 \\ ...` as `a > 1 and b > 2 or ...`.
"""

import re
from collections.abc import Collection
from typing import Any

from pylatexenc import latexwalker as tex

from roofproof.claims.language.latex_macros import (
    FRACTIONS,
    GREEK,
    NOT_VALUES,
    PREFIXED,
    ROWED,
    SIGNS,
    SILENT,
    differential,
    parsed,
    refuse_mixed,
    refuse_transpose,
    refuse_words,
    settled,
    without_separators,
)
from roofproof.claims.language.latex_parts import (
    JOINING,
    WHERE,
    WORDS,
    Operator,
    gathered,
    is_label,
    opening,
    refuse_indexed,
    rows,
    statements,
    text_of,
)
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.reader import Reader
from roofproof.formula.tokens import Token, error_at, tokens
from roofproof.formula.tree import Tree
from roofproof.formula.units import is_word, unit_of
from roofproof.sentences import Sentence

MAX_LATEX = 10_000  # characters
OTHERWISE = ("otherwise", "else", "否则")
_NEVER, _ALWAYS = ("never", "永不"), ("always", "总是")
_SPELLED = {"s": "second", "J": "joule", "W": "watt"}  # after a number
_LARGE = ("k", "K", "M", "G", "T", "B", "b", "P")
_PIECE = re.compile(
    r"(?<![A-Za-z])(?:max|min|floor|ceil|sqrt)(?=\s*\()|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z]|\s+|.",
    re.DOTALL,
)


def read_latex(text: str, declared: Collection[str] = ()) -> Tree:
    r"""Return the tree of an answer written in LaTeX: a proposition or a value.

    >>> from roofproof.formula.printing import to_text
    >>> to_text(read_latex(r"B > \frac{R}{1 - R(1/D + 1/F)}"))
    'B > R / (1 - R (1 / D + 1 / F))'

    Raises RoofproofError with the column for macros that are no mathematics and for what the grammar refuses.
    """
    if len(text) > MAX_LATEX:
        raise RoofproofError("LaTeX of <count> characters; at most <most> are read", count=len(text), most=MAX_LATEX)
    whole = without_separators(text)
    found = statements(parsed(whole))
    writer = Writer(whole, frozenset(declared))
    writer.together(found)
    found_tokens = settled(writer.tokens(), declared, writer.words)
    node = Reader(text, found_tokens, declared, latex=True).whole()
    refuse_indexed(node)
    return node


_APPLIED = re.compile(r"(?<![A-Za-z])(log_?2|ceil|floor|min|max|abs)$")  # a function, which takes what is in braces


def _word(node: Any) -> str:
    """Return the letters and digits inside `{...}` or `\\text{...}`."""
    is_macro = isinstance(node, tex.LatexMacroNode)
    if is_macro and node.macroname in WORDS and node.nodeargd and node.nodeargd.argnlist:
        return _word(node.nodeargd.argnlist[-1])
    if is_macro and node.macroname in (*GREEK, "max", "min"):
        return str(node.macroname)
    inside = node.nodelist if isinstance(node, tex.LatexGroupNode) else [node]
    if len(inside) == 1 and isinstance(inside[0], tex.LatexMacroNode) and inside[0] is not node:
        return _word(inside[0])
    letters = "".join(str(n.chars) if isinstance(n, tex.LatexCharsNode) else "?" for n in inside)
    word = letters.replace(" ", "").replace("-", "_").replace(",", "_")
    if not re.fullmatch("[A-Za-z0-9_]+", word):
        raise error_at(node.pos, "<letters> is no word of letters and digits", letters=quoted(letters))
    return word


class Writer:
    """Writes nodes of LaTeX in the notation of the grammar, and keeps where each sign came from."""

    piece = _PIECE  # a number, a function, a letter, blanks or a sign

    def __init__(self, source: str, declared: frozenset[str]) -> None:
        self.source, self.declared = source, declared
        self.words: set[str] = set()  # written as words: \text{math}
        self.units: set[int] = set()  # the pieces that are units: \text{GB/s}
        self.pieces: list[tuple[str, int, int]] = []
        self.bars = 0

    def tokens(self) -> list[Token]:
        """Return the text as tokens of the grammar, each with its position."""
        after = [piece[:1] for piece, _, _ in self.pieces[1:]] + [""]
        pieces = [  # a name that follows a unit directly is no part of it
            (f"{piece} " if k in self.units and after[k].isalnum() else piece, start, end)
            for k, (piece, start, end) in enumerate(self.pieces)
        ]
        places = [(start, end) for piece, start, end in pieces for _ in piece]
        owners = [k for k, (piece, _, _) in enumerate(pieces) for _ in piece]
        try:
            read = tokens("".join(piece for piece, _, _ in pieces), "an answer")
        except RoofproofError as problem:
            raise RoofproofError(
                re.sub(r"^column (\d+)", lambda found: f"column {places[int(found[1]) - 1][0] + 1}", str(problem))
            ) from None
        found: list[Token] = []
        for token in read:
            if owners[token.at] in self.units:
                if token.text == "/" or (found and found[-1].kind == "unit" and found[-1].text[-1:] == "/"):
                    found[-1] = found[-1]._replace(text=found[-1].text + token.text)
                    continue
                token = token._replace(kind="unit")
            found.append(token._replace(at=places[token.at][0], end=places[token.end - 1][1]))
        return found

    def write(self, start: int, end: int, *parts: str | list[Any]) -> None:
        """Write signs and nodes; the first sign came from the start, the last from the end."""
        for i, part in enumerate(parts, 1):
            if isinstance(part, str):
                begin = end - 1 if 1 < i == len(parts) else start
                self.pieces.append((part, begin, start + 1 if i == 1 < len(parts) else end))
            else:
                self.nodes(part)

    def nodes(self, nodes: list[Any]) -> None:
        mark = ""  # the ^ or _ that stands just before
        for node in gathered(nodes):
            start, end = node.pos, node.pos + node.len
            if isinstance(node, tex.LatexCharsNode):
                mark = self.chars(node.chars, start, mark)
                continue
            if mark == "_":
                self.lower(self.subscript(node), start, end)
            else:
                self.node(node, start, end, mark == "^")
            mark = ""
        if mark == "_":
            raise error_at(len(self.source) - 1, "'_' with nothing after it")

    def together(self, found: list[list[Any]]) -> None:
        """Write statements, all of which are made."""
        if len(found) == 1:
            return self.nodes(found[0])
        for k, nodes in enumerate(found):
            at = nodes[0].pos
            self.write(at, at + 1, " and (" if k else "(", nodes)
            self.write(at, at + 1, ")")

    def node(self, node: Any, start: int, end: int, raised: bool) -> None:
        match node:
            case Operator(function=function, parts=[first, *others]):
                self.write(start, end, f" {function}(", first)
                for part in others:
                    self.write(start, end, ", ", part)
                self.write(end - 1, end, ") ")
            case tex.LatexGroupNode(nodelist=[]) if not raised:
                pass  # {} separates
            case tex.LatexGroupNode(nodelist=inside):
                if raised and self.source[start:end].replace(" ", "") == "{T}":
                    refuse_transpose(f"{self.source[:start].rstrip()[-2:]}T", start - 1, self.declared)
                before = "".join(piece for piece, _, _ in self.pieces[-4:]).rstrip()
                number = self.source[start + 1 : end].lstrip(" {")[:1].isdigit()
                if not raised and number and re.search(r"[\w)]$", before) and not _APPLIED.search(before):
                    kind = "number" if before[-1].isdigit() else "factor"  # 2 {40} is set as 240
                    raise error_at(
                        start,
                        "braces after a <kind>; write '^{...}' for a power, '\\cdot' for a product",
                        kind=Sentence(kind),
                    )
                if raised and re.fullmatch(r"\{\s*\(\s*\w+\s*\)\s*\}", self.source[start:end]):
                    raise error_at(start, "a number or a name in brackets above may be an index or a power")
                self.write(start, end, "(", inside, ")")
            case tex.LatexMacroNode():
                self.macro(node, start, end)
            case tex.LatexMathNode(nodelist=inside):
                if raised:
                    raise error_at(start, "'$' inside a formula")
                self.nodes(inside)
            case tex.LatexEnvironmentNode(environmentname="cases" | "dcases") if not raised:
                self.cases(node)
            case tex.LatexEnvironmentNode(environmentname=name) if name.rstrip("*") in ROWED and not raised:
                self.together(statements([node]))
            case tex.LatexSpecialsNode(specials_chars="~"):
                self.write(start, end, " ")
            case tex.LatexSpecialsNode(specials_chars="''"):
                self.prime(start, end)
                self.prime(start, end)
            case tex.LatexCommentNode():
                raise error_at(start, "a comment; expected one formula")
            case _:
                raise error_at(start, "an environment or sign that is no formula; expected one formula")

    def chars(self, text: str, start: int, mark: str) -> str:
        """Write characters after a mark, and return the mark that they end with."""
        refuse_words(self.source, text, start, self.declared)
        refuse_transpose(text, start, self.declared)
        for match in self.piece.finditer(text):
            piece, at, end = match[0], start + match.start(), start + match.end()
            if piece.isspace():
                if not set(piece) <= set(" \t\r\n"):
                    raise error_at(at, "a control character; in quotes of Python or TOML a backslash is doubled")
                self.write(at, end, " ")
                continue
            if mark == "_" and not piece.isalnum():
                raise error_at(at, "a subscript is letters or digits, not <piece>", piece=quoted(piece))
            if mark and len(piece) > 1:
                said = "in LaTeX <what> lowers <first> alone; write <cure>"
                said = "in LaTeX <what> raises to <first> alone; write <cure>" if mark == "^" else said
                cure = quoted(f"{mark}{{{piece}}}")
                raise error_at(at, said, what=quoted(mark + piece), first=quoted(piece[0]), cure=cure)
            if mark == "_":
                self.lower(piece, at, end)
            elif piece == "|":
                self.bars += 1
                self.write(at, end, "abs(" if self.bars % 2 else ")")
            elif piece == "'" and self.named():
                self.prime(at, end)
            elif piece in "&#@\"'\\$":
                raise error_at(at, "<piece> has no meaning in a formula", piece=quoted(piece))
            elif piece != "_":
                name = piece.isalpha() and piece.isascii() and piece not in ARITHMETIC
                self.write(at, end, f"{piece} " if name else {"=": "==", "~": " "}.get(piece, piece))
            mark = piece if piece in ("^", "_") else ""
        return mark

    def last(self) -> str:
        """Return the last token that is no blank."""
        return next((p.strip() for p, _, _ in reversed(self.pieces) if p.strip()), "")

    def named(self, name: str = r"[A-Za-z]\w* ") -> bool:
        """Tell whether what was written last is a name."""
        return bool(self.pieces) and re.fullmatch(name, self.pieces[-1][0]) is not None

    def extend(self, suffix: str, end: int) -> None:
        """Attach a subscript or a prime to the name just written: `R'` is the name R_."""
        name, begin, _ = self.pieces.pop()
        self.write(begin, end, f"{name.rstrip()}{suffix} ")

    def subscript(self, node: Any) -> str:
        """Return the subscript of a name."""
        return _word(node)

    def lower(self, word: str, start: int, end: int) -> None:
        while self.pieces and self.pieces[-1][0] == " ":
            self.pieces.pop()
        if not self.named("[A-Za-z][A-Za-z0-9]* "):
            raise error_at(start, "a subscript stands after a name")
        self.extend(f"_{word}", end)

    def prime(self, start: int, end: int) -> None:
        if not self.named():
            raise error_at(start, "a prime stands after a name")
        self.extend("_", end)

    def cases(self, node: Any) -> None:
        """Write cases as the disjunction of what holds in each."""
        start, end = node.pos, node.pos + node.len
        at = start, start + 1
        conditions: list[list[Any]] = []
        joined = ""
        self.write(*at, "(")
        for row in rows(node.nodelist):
            if len(row) != 2:
                raise error_at(
                    start, "a case is a statement, '&' and its condition; this has <count> parts", count=len(row)
                )
            (said, stated), (word, where) = opening(row[0]), opening(row[1])
            where = where[1:] if word in WHERE else where
            if word not in OTHERWISE:
                conditions.append(where)
            if said in _NEVER:
                continue
            self.write(*at, f"{joined}(")
            joined = " or "
            if said not in _ALWAYS:
                self.write(*at, "(", stated, ") and ")
            if word in OTHERWISE:
                self.write(*at, "not (")
                for i, each in enumerate(conditions):
                    self.write(*at, " or (" if i else "(", each, ")")
                self.write(*at, "))")
            else:
                self.write(*at, "(", where, "))")
        if not joined:
            raise error_at(start, "cases of which none ever holds")
        self.write(end - 1, end, ")")

    def word(self, node: Any, start: int, end: int) -> None:
        """Write words: a unit after a number or a product, a name everywhere else."""
        text = text_of(node)
        if text in WHERE:
            raise error_at(start, "<text> stands in cases; elsewhere write '... \\implies ...'", text=quoted(text))
        alone = self.source[end : end + 1] not in ("_", "(")
        if alone and (unit := self.unit_here(text, start)):
            if begun := self.unit_begun():
                unit, start = f"{self.pieces[begun][0]}/{unit}", self.pieces[begun][1]
                del self.pieces[begun:]
            self.units.add(len(self.pieces))
            self.write(start, end, unit)
            return
        if alone and text not in self.declared and PREFIXED.fullmatch(text):
            raise error_at(start, "<text> is a unit; it stands after a number or a name", text=quoted(text))
        word = _word(node.nodeargd.argnlist[-1])
        if word[0].isdigit() or not word.strip("_"):
            raise error_at(start, "<word> is no name", word=quoted(word))
        self.words.add(word)
        self.write(start, end, f"{word} ")

    def unit_begun(self) -> int:
        """Return the place of the unit that a `/` was written after last, 0 for none: no unit is the first piece."""
        kept = [k for k, (piece, _, _) in enumerate(self.pieces) if piece.strip()][-2:]
        slash = len(kept) == 2 and self.pieces[kept[1]][0].strip() == "/"
        return kept[0] if slash and kept[0] in self.units else 0

    def unit_here(self, text: str, start: int) -> str:
        """Return the unit that words are where they stand, or nothing; refuse one that may be a number as well.

        The `s` of `900 \\text{GB}/\\text{s}` makes one unit of it and what stands before.
        """
        if (begun := self.unit_begun()) and unit_of(f"{self.pieces[begun][0]}/{text}") is not None:
            return text
        last = self.last()
        number = last[-1:].isdigit() or last[-1:] in (")", "%")
        spelled = _SPELLED.get(text, text) if number else text
        if not last or text in self.declared or not (number or re.fullmatch(r"\w+", last)):
            return ""
        if number and text in _LARGE:
            raise error_at(start, "<text> after a number: a unit or a factor? write it out", text=quoted(text))
        unit = unit_of(spelled)
        return spelled if unit is not None and (number or any(map(is_word, spelled.split("/")))) else ""

    def macro(self, node: Any, start: int, end: int) -> None:
        name = node.macroname
        arguments = [a for a in (node.nodeargd.argnlist if node.nodeargd else []) if a is not None]
        if name in FRACTIONS:
            if len(arguments) != 2:
                raise error_at(start, "'\\<name>' takes two arguments", name=name)
            if (
                differential(arguments[1])
                and differential(arguments[0], r"(\s*[A-Za-z])?")
                and "d" not in self.declared
            ):
                raise error_at(start, "a derivative, or d over d? write the fraction without d, or declare d")
            refuse_mixed(self.last(), self.source[start:end], start)
            self.write(start, end, "((", arguments[:1], ")/(", arguments[1:], "))")
        elif name == "sqrt":
            if not arguments:
                raise error_at(start, r"'\sqrt' takes an argument in braces")
            if len(arguments) == 1:
                self.write(start, end, "sqrt(", arguments, ")")
            else:
                degree = arguments[0]
                self.write(start, end, "(", arguments[1:], ")")
                self.write(start, end, "^(1/")
                self.write(degree.pos, degree.pos + degree.len, "(", degree.nodelist, ")")
                self.write(end - 1, end, ")")
        elif name in WORDS and text_of(node) in JOINING:
            self.write(start, end, JOINING[text_of(node)])
        elif name == "num" and arguments:
            self.nodes(arguments)
        elif name in WORDS:
            if not arguments:
                raise error_at(start, "'\\<name>' as an argument stands in braces, as in {\\<name>{...}}", name=name)
            self.word(node, start, end)
        elif name in GREEK or name in ("log", "ln"):
            self.write(start, end, f"{name} ")
        elif name in SIGNS:
            self.write(start, end - len(node.macro_post_space or ""), f" {SIGNS[name]} ")
        elif name in NOT_VALUES:
            raise error_at(start, NOT_VALUES[name], macro=quoted(chr(92) + name)[1:-1])
        elif name == "tag" and not is_label(node):
            raise error_at(start, "a tag is a label; write what a statement holds under beside it")
        elif name not in SILENT:
            known = [*SIGNS, *FRACTIONS, *WORDS, "sqrt", *GREEK]
            message = unknown("macro", name, known)
            if "did you mean" not in str(message):
                raise error_at(start, "the macro <macro> is not known in a formula", macro=quoted(chr(92) + name)[1:-1])
            raise error_at(start, message.said)
