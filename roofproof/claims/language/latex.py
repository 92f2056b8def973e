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

from roofproof.claims.language.latex_parts import WORDS, opening, rows, text_of
from roofproof.claims.language.latex_tokens import settled
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
_CASES, _LINES = ("cases", "dcases"), ("aligned", "split", "gathered")
GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
]  # fmt: skip
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
    plain = "".join(writer.pieces)
    try:
        tokens = lexed(plain, "an answer")
    except RoofproofError as problem:
        raise RoofproofError(writer.relocated(str(problem))) from None
    for token in tokens:
        start, end = token.start_pos or 0, token.end_pos or 0
        token.start_pos, token.end_pos = writer.starts[start], writer.ends[end - 1]
    node: Node = read_tokens(text, settled(tokens, declared, writer.words), declared, plain=True)
    return node


@cache
def _macros() -> Any:
    """Return the macros with arguments that are known: those of pylatexenc, the other fractions, siunitx."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import std_macro

    known = get_default_latex_context_db()
    more = [*(std_macro(name, "{{") for name in (*_FRACTIONS, "qty")), std_macro("num", "{")]
    known.add_context_category("fractions and numbers", macros=more, prepend=True)
    return known


def parsed(text: str) -> list[Any]:
    """Return LaTeX as the nodes that pylatexenc makes of it; raise RoofproofError with the column for what is none."""
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError

    depth = 0
    for column, sign in enumerate(text, 1):
        depth += (sign == "{") - (sign == "}")
        if depth > MAX_BRACES:
            raise RoofproofError(f"column {column}: more than {MAX_BRACES} braces inside one another")
    try:
        nodes, _, _ = LatexWalker(text, latex_context=_macros(), tolerant_parsing=False).get_latex_nodes()
    except LatexWalkerParseError as problem:
        place = getattr(problem, "pos", None)
        spot = f"column {place + 1}: " if isinstance(place, int) else ""
        raise RoofproofError(f"{spot}not LaTeX: {quoted(' '.join(str(problem.msg).split()), 100)[1:-1]}") from None
    except RecursionError:
        raise RoofproofError("LaTeX nested too deeply") from None
    return list(nodes)


def _differential(argument: Any) -> bool:
    """Tell whether an argument is `dL`: a d and one name."""
    inside = argument.nodelist if type(argument).__name__ == "LatexGroupNode" else [argument]
    return len(inside) == 1 and re.fullmatch(r"\s*d\s*[A-Za-z]\s*", getattr(inside[0], "chars", "")) is not None


class _Writer:
    """Writes nodes of LaTeX in the notation of the grammar, and keeps where each sign came from."""

    def __init__(self, source: str, declared: frozenset[str]) -> None:
        self.source, self.declared = source, declared
        self.words: set[str] = set()  # written as words: \text{math}
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.bars = 0

    def write(self, text: str, start: int, end: int) -> None:
        self.pieces.append(text)
        self.starts += [start] * len(text)
        self.ends += [end] * len(text)

    def relocated(self, message: str) -> str:
        """Return a message about the written text with its column in the source."""
        found = re.match(r"column (\d+): ", message)
        if not found:
            return message
        place = min(int(found[1]) - 1, len(self.starts) - 1)
        column = self.starts[place] if int(found[1]) <= len(self.starts) else len(self.source)
        return f"column {column + 1}: {message[found.end() :]}"

    def nodes(self, nodes: list[Any]) -> None:
        raised = lowered = False  # whether ^ or _ stands just before
        for node in nodes:
            start, end = node.pos, node.pos + node.len
            kind = type(node).__name__
            if kind == "LatexCharsNode":
                raised, lowered = self.chars(node.chars, start, raised, lowered)
                continue
            if lowered:
                self.subscript(node)
            elif kind == "LatexGroupNode":
                if not raised and node.nodelist == []:
                    continue  # {} separates
                if not raised and self.after_digit() and self.source[start + 1 : start + 2].isdigit():
                    raise error_at(start, "braces after a number; write '^{...}' for a power, '\\cdot' for a product")
                self.grouped(node.nodelist, start, end)
            elif kind == "LatexMacroNode":
                self.macro(node, start, end)
            elif kind == "LatexMathNode":
                if raised:
                    raise error_at(start, "'$' inside a formula")
                self.nodes(node.nodelist)
            elif kind == "LatexEnvironmentNode" and node.environmentname in _CASES and not raised:
                self.cases(node)
            elif kind == "LatexEnvironmentNode" and node.environmentname in _LINES and not raised:
                self.lines(node)
            elif kind == "LatexSpecialsNode" and node.specials_chars == "''":
                self.prime(start, end)
                self.prime(start, end)
            else:
                what = "a comment" if kind == "LatexCommentNode" else "an environment or sign that is no formula"
                raise error_at(start, f"{what}; expected one formula")
            raised = lowered = False
        if lowered:
            raise error_at(len(self.source) - 1, "'_' with nothing after it")

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
                self.write(" and ", node.pos, node.pos + 1)
            self.nodes(cells)

    def after_digit(self) -> bool:
        """Tell whether what was written last is a digit."""
        return bool(self.pieces) and self.pieces[-1][-1:].isdigit()

    def grouped(self, nodes: list[Any], start: int, end: int) -> None:
        self.write("(", start, start + 1)
        self.nodes(nodes)
        self.write(")", end - 1, end)

    def chars(self, text: str, start: int, raised: bool, lowered: bool) -> tuple[bool, bool]:
        self.refuse_words(text, start)
        for match in _PIECE.finditer(text):
            piece, at = match[0], start + match.start()
            end = start + match.end()
            if piece.isspace():
                if not set(piece) <= set(" \t\r\n"):
                    raise error_at(at, "a control character; in quotes of Python or TOML a backslash is doubled")
                self.write(" ", at, end)
                continue
            if raised and len(piece) > 1:
                raise error_at(at, f"in LaTeX '^{piece}' raises to '{piece[0]}' alone; write '^{{{piece}}}'")
            if lowered:
                if not piece.isalnum():
                    raise error_at(at, f"a subscript is letters or digits, not {quoted(piece)}")
                if len(piece) > 1:
                    raise error_at(at, f"in LaTeX '_{piece}' lowers '{piece[0]}' alone; write '_{{{piece}}}'")
                self.lower(piece, at, end)
            elif piece.isalpha() and piece.isascii():
                self.write(piece + " ", at, end)
            elif piece == "=":
                self.write("==", at, end)
            elif piece == "|":
                self.bars += 1
                self.write("abs(" if self.bars % 2 else ")", at, end)
            elif piece == "~":
                self.write(" ", at, end)
            elif piece == "'" and self.named():
                self.prime(at, end)
            elif piece in "&#@\"'\\$":
                raise error_at(at, f"{quoted(piece)} has no meaning in a formula")
            elif piece != "_":
                self.write(piece, at, end)
            raised, lowered = piece == "^", piece == "_"
        return raised, lowered

    def refuse_words(self, text: str, start: int) -> None:
        """Refuse letters that are no product: the name of a function, a unit or a thousand after a number."""
        for match in _NO_PRODUCT.finditer(text):
            word = match["function"] or match["unit"]
            if not set(word) <= self.declared:
                cure = f"a function is written '\\{word}'"
                said = cure if match["function"] else "a unit or a factor is left out here"
                raise error_at(start + match.start(), f"{quoted(match[0])} is no product of letters; {said}")

    def lower(self, word: str, start: int, end: int) -> None:
        """Attach a subscript to the name just written."""
        while self.pieces and self.pieces[-1] == " ":
            self._drop()
        if not self.pieces or not re.fullmatch(r"[A-Za-z][A-Za-z0-9]* ", self.pieces[-1]):
            raise error_at(start, "a subscript stands after a name")
        name = self.pieces[-1].rstrip()
        begin = self.starts[-1]
        self._drop()
        self.write(f"{name}_{word} ", begin, end)

    def named(self) -> bool:
        """Tell whether what was written last is a name."""
        return bool(self.pieces) and re.fullmatch(r"[A-Za-z]\w* ", self.pieces[-1]) is not None

    def prime(self, start: int, end: int) -> None:
        """Attach a prime to the name just written: `R'` is the name R_."""
        if not self.named():
            raise error_at(start, "a prime stands after a name")
        name, begin = self.pieces[-1].rstrip(), self.starts[-1]
        self._drop()
        self.write(f"{name}_ ", begin, end)

    def cases(self, node: Any) -> None:
        """Write cases as the disjunction of what holds in each."""
        start, end = node.pos, node.pos + node.len
        conditions: list[list[Any]] = []
        joined = ""
        self.write("(", start, start + 1)
        for row in rows(node.nodelist):
            if len(row) != 2:
                raise error_at(start, f"a case is a statement, '&' and its condition; this has {len(row)} parts")
            (said, stated), (word, where) = opening(row[0]), opening(row[1])
            where = where[1:] if word in _WHERE else where
            if word not in _OTHERWISE:
                conditions.append(where)
            if said in _NEVER:
                continue
            self.write(f"{joined}(", start, start + 1)
            joined = " or "
            if said not in _ALWAYS:
                self.grouped(stated, start, start + 1)
                self.write(" and ", start, start + 1)
            if word in _OTHERWISE:
                self.write("not (", start, start + 1)
                for i, each in enumerate(conditions):
                    self.write(" or " if i else "", start, start + 1)
                    self.grouped(each, start, start + 1)
                self.write(")", start, start + 1)
            else:
                self.grouped(where, start, start + 1)
            self.write(")", start, start + 1)
        if not joined:
            raise error_at(start, "cases of which none ever holds")
        self.write(")", end - 1, end)

    def _drop(self) -> None:
        length = len(self.pieces.pop())
        del self.starts[-length:], self.ends[-length:]

    def subscript(self, node: Any) -> None:
        self.lower(self.word(node), node.pos, node.pos + node.len)

    def word(self, node: Any) -> str:
        """Return the letters and digits inside `{...}` or `\text{...}`."""
        kind = type(node).__name__
        if kind == "LatexMacroNode" and node.macroname in WORDS and node.nodeargd and node.nodeargd.argnlist:
            return self.word(node.nodeargd.argnlist[-1])
        inside = node.nodelist if kind == "LatexGroupNode" else [node]
        if len(inside) == 1 and type(inside[0]).__name__ == "LatexMacroNode" and inside[0] is not node:
            return self.word(inside[0])
        if kind == "LatexMacroNode" and node.macroname in GREEK:
            return str(node.macroname)
        letters = "".join(str(n.chars) if type(n).__name__ == "LatexCharsNode" else "?" for n in inside)
        word = letters.replace(" ", "").replace("-", "_").replace(",", "_")
        if not re.fullmatch("[A-Za-z0-9_]+", word):
            raise error_at(node.pos, f"{quoted(letters)} is no word of letters and digits")
        return word

    def macro(self, node: Any, start: int, end: int) -> None:
        name = node.macroname
        arguments = [a for a in (node.nodeargd.argnlist if node.nodeargd else []) if a is not None]
        if name in _FRACTIONS:
            if len(arguments) != 2:
                raise error_at(start, f"'\\{name}' takes two arguments")
            if all(map(_differential, arguments)) and "d" not in self.declared:
                raise error_at(start, "a derivative, or d over d? write the fraction without d, or declare d")
            self.write("((", start, start + 1)
            self.nodes([arguments[0]])
            self.write(")/(", start, end)
            self.nodes([arguments[1]])
            self.write("))", end - 1, end)
        elif name == "sqrt":
            if not arguments:
                raise error_at(start, r"'\sqrt' takes an argument in braces")
            degree = arguments[0] if len(arguments) == 2 else None
            self.write("(" if degree is not None else "sqrt(", start, start + 1)
            self.nodes([arguments[-1]])
            self.write(")", end - 1, end)
            if degree is not None:
                self.write("^(1/", start, end)
                self.grouped(degree.nodelist, degree.pos, degree.pos + degree.len)
                self.write(")", end - 1, end)
        elif name in WORDS and arguments and text_of(node) in _JOINING:
            self.write(_JOINING[text_of(node)], start, end)
        elif name == "log":
            self.write("log ", start, end)
        elif name == "num" and arguments:
            self.nodes(arguments)
        elif name in WORDS and arguments:
            word = self.word(arguments[-1])
            if word[0].isdigit():
                raise error_at(start, f"{quoted(word)} is no name")
            if text_of(node) in _WHERE:
                raise error_at(start, f"{quoted(word)} stands in cases; elsewhere write '... \\implies ...'")
            self.words.add(word)
            self.write(f"{word} ", start, end)
        elif name in GREEK:
            self.write(f"{name} ", start, end)
        elif name in _SIGNS:
            self.write(f" {_SIGNS[name]} ", start, end - len(node.macro_post_space or ""))
        elif name not in _SILENT:
            known = [*_SIGNS, *_FRACTIONS, *WORDS, "sqrt", *GREEK]
            message = str(unknown("macro", name, known))
            if "did you mean" not in message:
                message = f"the macro {quoted(chr(92) + name)[1:-1]} is not known in a formula"
            raise error_at(start, message)
