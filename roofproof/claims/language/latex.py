r"""Answers in LaTeX: `B > \frac{R}{1 - R(1/D + 1/F)}`, as the same tree that plain text gives.

pylatexenc splits LaTeX into macros with their arguments; it knows no definitions and runs nothing. What it finds is
written out in the notation of proposition.lark, with the offset of every sign, and read by that grammar. A letter is
a symbol of its own, so `BDF` is a product; `\text{math}` and subscripts are part of one name: `T_{math}` is T_math.
Cases are read as the one of which the condition holds: `a > 1 & \text{if } b > 2 \\ ...` as `a > 1 and b > 2 or ...`.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import Any

from pylatexenc import latexwalker as tex
from pylatexenc.macrospec import std_macro

from roofproof.claims.language.latex_parts import WORDS, opening, rows, text_of
from roofproof.claims.language.latex_tokens import GREEK, settled
from roofproof.claims.language.nodes import Node
from roofproof.claims.language.reading import lexed, read_tokens
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.notation.arithmetic import error_at

MAX_LATEX = 10_000  # characters
MAX_BRACES = 40  # inside one another

_SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "approx": "~=", "le": "<=", "leq": "<=", "leqslant": "<=",
    "ge": ">=", "geq": ">=", "geqslant": ">=", "ne": "!=", "neq": "!=", "lt": "<", "gt": ">", "gg": ">>",
    "to": "->", "rightarrow": "->", "longrightarrow": "->", "Rightarrow": "=>", "implies": "=>",
    "Longrightarrow": "=>", "Leftrightarrow": "<=>", "iff": "<=>", "Longleftrightarrow": "<=>", "infty": "oo",
    "land": "and", "wedge": "and", "lor": "or", "vee": "or", "neg": "not", "lnot": "not", "%": "%",
    "lceil": "ceil(", "rceil": ")", "lfloor": "floor(", "rfloor": ")", "lvert": "abs(", "rvert": ")",
    "{": "(", "}": ")", "lbrace": "(", "rbrace": ")", "max": "max", "min": "min",
}  # fmt: skip
_SILENT = {
    *",;:! ", "quad", "qquad", "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle",
    "thinspace", "limits",
}  # fmt: skip
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
_JOINING = {
    "and": " and ", "or": " or ", "not": " not ", "if and only if": " <=> ",
    "且": " and ", "或": " or ", "非": " not ", "当且仅当": " <=> ",
}  # fmt: skip
_WHERE = ("if", "when", "for", "若", "当")  # what the condition of a case may begin with
_OTHERWISE = ("otherwise", "else", "否则")
_NEVER, _ALWAYS = ("never", "永不"), ("always", "总是")
SIGNS = ("*", "/", "<", ">", "<=", ">=", "!=", "~=", "->", ">>", "=>", "<=>", "and", "or")
_NO_PRODUCT = re.compile(
    r"(?<![A-Za-z])(?P<function>sin|cos|tan|exp|log|ln|lim|max|min|mod)(?![A-Za-z])"
    r"|(?<=[0-9])(?P<unit>[kMGTPE]i?B(?:ps)?|[kMGT]b|[kK]|[mun]s)(?![A-Za-z])"
)
_PIECE = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z]|\s+|.", re.DOTALL)


def read_latex(text: str, declared: Collection[str] = ()) -> Node:
    r"""Return the tree of an answer written in LaTeX: a proposition or a value.

    >>> from roofproof.claims.language import to_text
    >>> to_text(read_latex(r"B > \frac{R}{1 - R(1/D + 1/F)}"))
    'B > R / (1 - R (1 / D + 1 / F))'

    Raises RoofproofError with the column for macros that are no mathematics and for what the grammar refuses.
    """
    if len(text) > MAX_LATEX:
        raise RoofproofError(f"LaTeX of {len(text)} characters; at most {MAX_LATEX} are read")
    writer = _Writer(text, frozenset(declared))
    writer.nodes(parsed(text))
    places = [(start, end) for piece, start, end in writer.pieces for _ in piece]
    try:
        tokens = lexed("".join(piece for piece, _, _ in writer.pieces), "an answer")
    except RoofproofError as problem:
        raise RoofproofError(
            re.sub(r"^column (\d+)", lambda found: f"column {places[int(found[1]) - 1][0] + 1}", str(problem))
        ) from None
    for token in tokens:
        token.start_pos, token.end_pos = places[token.start_pos or 0][0], places[(token.end_pos or 0) - 1][1]
    node: Node = read_tokens(text, settled(tokens, declared, writer.words), declared, plain=True)
    return node


@cache
def _macros() -> Any:
    """Return the macros with arguments that are known: those of pylatexenc, the other fractions, siunitx."""
    known = tex.get_default_latex_context_db()
    more = [*(std_macro(name, "{{") for name in (*_FRACTIONS, "qty")), std_macro("num", "{")]
    known.add_context_category("fractions and numbers", macros=more, prepend=True)
    return known


def parsed(text: str) -> list[Any]:
    """Return LaTeX as the nodes that pylatexenc makes of it; raise RoofproofError with the column for what is none."""
    depth = 0
    for column, sign in enumerate(text, 1):
        depth += (sign == "{") - (sign == "}")
        if depth > MAX_BRACES:
            raise RoofproofError(f"column {column}: more than {MAX_BRACES} braces inside one another")
    try:
        nodes, _, _ = tex.LatexWalker(text, latex_context=_macros(), tolerant_parsing=False).get_latex_nodes()
    except tex.LatexWalkerParseError as problem:
        place = getattr(problem, "pos", None)
        spot = f"column {place + 1}: " if isinstance(place, int) else ""
        raise RoofproofError(f"{spot}not LaTeX: {quoted(' '.join(str(problem.msg).split()), 100)[1:-1]}") from None
    except RecursionError:
        raise RoofproofError("LaTeX nested too deeply") from None
    return list(nodes)


def _differential(argument: Any) -> bool:
    """Tell whether an argument is `dL`: a d and one name."""
    inside = argument.nodelist if isinstance(argument, tex.LatexGroupNode) else [argument]
    return len(inside) == 1 and re.fullmatch(r"\s*d\s*[A-Za-z]\s*", getattr(inside[0], "chars", "")) is not None


def _word(node: Any) -> str:
    """Return the letters and digits inside `{...}` or `\\text{...}`."""
    is_macro = isinstance(node, tex.LatexMacroNode)
    if is_macro and node.macroname in WORDS and node.nodeargd and node.nodeargd.argnlist:
        return _word(node.nodeargd.argnlist[-1])
    if is_macro and node.macroname in GREEK:
        return str(node.macroname)
    inside = node.nodelist if isinstance(node, tex.LatexGroupNode) else [node]
    if len(inside) == 1 and isinstance(inside[0], tex.LatexMacroNode) and inside[0] is not node:
        return _word(inside[0])
    letters = "".join(str(n.chars) if isinstance(n, tex.LatexCharsNode) else "?" for n in inside)
    word = letters.replace(" ", "").replace("-", "_").replace(",", "_")
    if not re.fullmatch("[A-Za-z0-9_]+", word):
        raise error_at(node.pos, f"{quoted(letters)} is no word of letters and digits")
    return word


class _Writer:
    """Writes nodes of LaTeX in the notation of the grammar, and keeps where each sign came from."""

    def __init__(self, source: str, declared: frozenset[str]) -> None:
        self.source, self.declared = source, declared
        self.words: set[str] = set()  # written as words: \text{math}
        self.pieces: list[tuple[str, int, int]] = []
        self.bars = 0

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
        for node in nodes:
            start, end = node.pos, node.pos + node.len
            if isinstance(node, tex.LatexCharsNode):
                mark = self.chars(node.chars, start, mark)
                continue
            if mark == "_":
                self.lower(_word(node), start, end)
            else:
                self.node(node, start, end, mark == "^")
            mark = ""
        if mark == "_":
            raise error_at(len(self.source) - 1, "'_' with nothing after it")

    def node(self, node: Any, start: int, end: int, raised: bool) -> None:
        match node:
            case tex.LatexGroupNode(nodelist=[]) if not raised:
                pass  # {} separates
            case tex.LatexGroupNode(nodelist=inside):
                after_digit = bool(self.pieces) and self.pieces[-1][0][-1:].isdigit()
                if not raised and after_digit and self.source[start + 1 : start + 2].isdigit():
                    raise error_at(start, "braces after a number; write '^{...}' for a power, '\\cdot' for a product")
                self.write(start, end, "(", inside, ")")
            case tex.LatexMacroNode():
                self.macro(node, start, end)
            case tex.LatexMathNode(nodelist=inside):
                if raised:
                    raise error_at(start, "'$' inside a formula")
                self.nodes(inside)
            case tex.LatexEnvironmentNode(environmentname="cases" | "dcases") if not raised:
                self.cases(node)
            case tex.LatexEnvironmentNode(environmentname="aligned" | "split" | "gathered") if not raised:
                self.lines(node)
            case tex.LatexSpecialsNode(specials_chars="''"):
                self.prime(start, end)
                self.prime(start, end)
            case tex.LatexCommentNode():
                raise error_at(start, "a comment; expected one formula")
            case _:
                raise error_at(start, "an environment or sign that is no formula; expected one formula")

    def lines(self, node: Any) -> None:
        """Write the rows of an environment: one that begins with a sign goes on, any other is a statement."""
        for k, row in enumerate(rows(node.nodelist)):
            cells = [n for cell in row for n in cell]
            seen = [n for n in cells if getattr(n, "macroname", "") not in _SILENT and getattr(n, "chars", "x").strip()]
            first = seen[0] if seen else None
            sign = str(getattr(first, "chars", "")).strip()[:1]
            joined = getattr(first, "nodelist", None) == [] or text_of(first) in _JOINING  # {} + b; \text{and} b
            goes_on = joined or sign in tuple("=<>+-") or _SIGNS.get(getattr(first, "macroname", ""), "") in SIGNS
            if k and not goes_on:
                self.write(node.pos, node.pos + 1, " and ")
            self.nodes(cells)

    def chars(self, text: str, start: int, mark: str) -> str:
        """Write characters after a mark, and return the mark that they end with."""
        self.refuse_words(text, start)
        for match in _PIECE.finditer(text):
            piece, at, end = match[0], start + match.start(), start + match.end()
            if piece.isspace():
                if not set(piece) <= set(" \t\r\n"):
                    raise error_at(at, "a control character; in quotes of Python or TOML a backslash is doubled")
                self.write(at, end, " ")
                continue
            if mark == "_" and not piece.isalnum():
                raise error_at(at, f"a subscript is letters or digits, not {quoted(piece)}")
            if mark and len(piece) > 1:
                does = "raises to" if mark == "^" else "lowers"
                raise error_at(at, f"in LaTeX '{mark}{piece}' {does} '{piece[0]}' alone; write '{mark}{{{piece}}}'")
            if mark == "_":
                self.lower(piece, at, end)
            elif piece == "|":
                self.bars += 1
                self.write(at, end, "abs(" if self.bars % 2 else ")")
            elif piece == "'" and self.named():
                self.prime(at, end)
            elif piece in "&#@\"'\\$":
                raise error_at(at, f"{quoted(piece)} has no meaning in a formula")
            elif piece != "_":
                letter = piece.isalpha() and piece.isascii()
                self.write(at, end, f"{piece} " if letter else {"=": "==", "~": " "}.get(piece, piece))
            mark = piece if piece in ("^", "_") else ""
        return mark

    def refuse_words(self, text: str, start: int) -> None:
        """Refuse letters that are no product: the name of a function, a unit or a thousand after a number."""
        for found in _NO_PRODUCT.finditer(text):
            word = found["function"] or found["unit"]
            if not set(word) <= self.declared:
                cure = f"a function is written '\\{word}'"
                said = cure if found["function"] else "a unit or a factor is left out here"
                raise error_at(start + found.start(), f"{quoted(found[0])} is no product of letters; {said}")

    def named(self, name: str = r"[A-Za-z]\w* ") -> bool:
        """Tell whether what was written last is a name."""
        return bool(self.pieces) and re.fullmatch(name, self.pieces[-1][0]) is not None

    def extend(self, suffix: str, end: int) -> None:
        """Attach a subscript or a prime to the name just written: `R'` is the name R_."""
        name, begin, _ = self.pieces.pop()
        self.write(begin, end, f"{name.rstrip()}{suffix} ")

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
                raise error_at(start, f"a case is a statement, '&' and its condition; this has {len(row)} parts")
            (said, stated), (word, where) = opening(row[0]), opening(row[1])
            where = where[1:] if word in _WHERE else where
            if word not in _OTHERWISE:
                conditions.append(where)
            if said in _NEVER:
                continue
            self.write(*at, f"{joined}(")
            joined = " or "
            if said not in _ALWAYS:
                self.write(*at, "(", stated, ") and ")
            if word in _OTHERWISE:
                self.write(*at, "not (")
                for i, each in enumerate(conditions):
                    self.write(*at, " or (" if i else "(", each, ")")
                self.write(*at, "))")
            else:
                self.write(*at, "(", where, "))")
        if not joined:
            raise error_at(start, "cases of which none ever holds")
        self.write(end - 1, end, ")")

    def macro(self, node: Any, start: int, end: int) -> None:
        name = node.macroname
        arguments = [a for a in (node.nodeargd.argnlist if node.nodeargd else []) if a is not None]
        if name in _FRACTIONS:
            if len(arguments) != 2:
                raise error_at(start, f"'\\{name}' takes two arguments")
            if all(map(_differential, arguments)) and "d" not in self.declared:
                raise error_at(start, "a derivative, or d over d? write the fraction without d, or declare d")
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
        elif name in WORDS and text_of(node) in _JOINING:
            self.write(start, end, _JOINING[text_of(node)])
        elif name == "num" and arguments:
            self.nodes(arguments)
        elif name in WORDS and arguments:
            word = _word(arguments[-1])
            if word[0].isdigit():
                raise error_at(start, f"{quoted(word)} is no name")
            if text_of(node) in _WHERE:
                raise error_at(start, f"{quoted(word)} stands in cases; elsewhere write '... \\implies ...'")
            self.words.add(word)
            self.write(start, end, f"{word} ")
        elif name in GREEK or name == "log":
            self.write(start, end, f"{name} ")
        elif name in _SIGNS:
            self.write(start, end - len(node.macro_post_space or ""), f" {_SIGNS[name]} ")
        elif name not in _SILENT:
            known = [*_SIGNS, *_FRACTIONS, *WORDS, "sqrt", *GREEK]
            message = str(unknown("macro", name, known))
            if "did you mean" not in message:
                message = f"the macro {quoted(chr(92) + name)[1:-1]} is not known in a formula"
            raise error_at(start, message)
