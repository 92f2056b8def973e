r"""LaTeX taken apart by pylatexenc, which runs nothing: what each macro and word stands for, and what is refused."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

from pylatexenc import latexwalker as tex
from pylatexenc.latexwalker import LatexGroupNode
from pylatexenc.macrospec import ParsedMacroArgs, std_environment, std_macro

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.tokens import Token, error_at
from roofproof.sentences import Sentence

MAX_BRACES = 40  # inside one another

SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "approx": "~=", "approxeq": "~=", "thickapprox": "~=",
    "simeq": "~=", "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=",
    "geqq": ">=", "ne": "!=", "neq": "!=", "lt": "<", "gt": ">", "gg": ">>", "ll": "<<",
    "to": "->", "rightarrow": "->", "longrightarrow": "->", "Rightarrow": "=>", "implies": "=>",
    "Longrightarrow": "=>", "Leftrightarrow": "<=>", "iff": "<=>", "Longleftrightarrow": "<=>", "infty": "oo",
    "land": "and", "wedge": "and", "lor": "or", "vee": "or", "neg": "not", "lnot": "not", "%": "%",
    "lceil": "ceil(", "rceil": ")", "lfloor": "floor(", "rfloor": ")", "lvert": "abs(", "rvert": ")",
    "{": "(", "}": ")", "lbrace": "(", "rbrace": ")", "max": "max", "min": "min",
}  # fmt: skip
RELATIONS = ("<", ">", "<=", ">=", "!=", "~=", "->", ">>", "<<", "=>", "<=>")
JOINS = ("*", "/", *RELATIONS, "and", "or")
SILENT = {
    *",;:! ", "quad", "qquad", "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle",
    "thinspace", "limits", "label", "tag", "nonumber", "notag",
}  # fmt: skip
FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
FRAMES = ("equation", "displaymath", "math")
ROWED = ("aligned", "alignedat", "split", "gathered", "align", "alignat", "flalign", "gather", "eqnarray", "multline")
"""Environments of several statements; each may have a star."""

_TEXTS = ("text", "textrm", "textit", "textup", "textnormal", "mbox")  # in which a formula may stand: $...$
_BETWEEN = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?!\d|,\d)")
_OF_SEVERAL = re.compile(r"(?:max|min)\s*(?:\\left)?\s*\([^()]*$")


@cache
def _context() -> Any:
    """Return the macros with arguments that are known: those of pylatexenc, and a few more."""
    known = tex.get_default_latex_context_db()
    macros = [std_macro(name, "{{") for name in (*FRACTIONS, "qty")]
    macros += [std_macro(name, "{") for name in ("num", "tag", "boxed", "operatorname", *_TEXTS)]
    counted = [std_environment(name, "{") for name in ("alignat", "alignat*", "alignedat")]
    known.add_context_category("fractions, numbers, rows", macros=macros, environments=counted, prepend=True)
    return known


def parsed(text: str) -> list[Any]:
    """Return LaTeX as the nodes that pylatexenc makes of it; raise RoofproofError with the column for what is none."""
    depth = 0
    for column, sign in enumerate(text, 1):
        depth += (sign == "{") - (sign == "}")
        if depth > MAX_BRACES:
            raise error_at(column - 1, "more than <most> braces inside one another", most=MAX_BRACES)
    try:
        nodes, _, _ = tex.LatexWalker(text, latex_context=_context(), tolerant_parsing=False).get_latex_nodes()
    except tex.LatexWalkerParseError as problem:
        place = getattr(problem, "pos", None)
        said = Sentence("not LaTeX: <why>", why=quoted(" ".join(str(problem.msg).split()), 100)[1:-1])
        raise (error_at(place, said) if isinstance(place, int) else RoofproofError(said)) from None
    except RecursionError:
        raise RoofproofError("LaTeX nested too deeply") from None
    return [part for node in nodes for part in _apart(node)]


def _apart(node: Any) -> Iterator[Any]:
    r"""Yield the words and the formulas of `\text{when $b > 2$}` one by one, and the inside of a box."""
    if isinstance(node, tex.LatexGroupNode | tex.LatexMathNode | tex.LatexEnvironmentNode):
        node.nodelist = [part for inner in node.nodelist for part in _apart(inner)]
    elif isinstance(node, tex.LatexMacroNode) and node.nodeargd and node.nodeargd.argnlist:
        for argument in node.nodeargd.argnlist:
            list(_apart(argument))  # which holds its parts itself
        [*_, inside] = node.nodeargd.argnlist
        if node.macroname == "boxed" and isinstance(inside, tex.LatexGroupNode):
            yield from inside.nodelist
            return
        if node.macroname in _TEXTS and any(isinstance(n, tex.LatexMathNode) for n in getattr(inside, "nodelist", ())):
            for part in inside.nodelist:
                yield from part.nodelist if isinstance(part, tex.LatexMathNode) else _words(node, inside, part)
            return
    yield node


def _words(node: Any, group: Any, part: Any) -> Iterator[Any]:
    """Yield words between formulas as words of their own."""
    state, place = {"parsing_state": node.parsing_state}, {"pos": part.pos, "len": part.len}
    if not re.search(r"\w", part.latex_verbatim()):
        yield part
    else:
        inside = tex.LatexGroupNode(nodelist=[part], delimiters=group.delimiters, **state, **place)
        arguments = ParsedMacroArgs(argspec="{", argnlist=[inside])
        yield tex.LatexMacroNode(macroname=node.macroname, nodeargd=arguments, macro_post_space="", **state, **place)


def without_separators(text: str) -> str:
    r"""Return LaTeX with `61,000`, `61{,}000` and `61\,000` as one number, at the same length.

    >>> without_separators("61{,}000 > 61,00")
    '   61000 > 61,00'

    Raises RoofproofError for `\max(1,200)`, which may be of one number or of two.
    """

    def joined(found: re.Match[str]) -> str:
        if "{" not in found[0] and "\\" not in found[0] and _OF_SEVERAL.search(text[: found.start()]):
            one, two = found[0].replace(",", ""), found[0].replace(",", ", ")
            said = "<whole> can be read two ways; write <first> or <second>"
            raise error_at(found.start(), said, whole=quoted(found[0]), first=quoted(one), second=quoted(two))
        return re.sub(r"\D", "", found[0]).rjust(len(found[0]))

    return _BETWEEN.sub(joined, text)


GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
]  # fmt: skip

PREFIXED = re.compile(
    r"(?:[kMGTPE]i?(?:B|b|bits?|[bB]ytes?|[bB]ps)|[kMGTPE](?:FLOPs?|FLOPS|OPs?|OPS|Hz|J|W)|[munpµμ]s|[munp]J)(?:/[A-Za-z/]+)?"
)
"""Words that are units and never names: `GB/s`, `ms`."""
CALLED = {"log_2": "log2", "ln": "log"}
"""What takes what follows without brackets, and the name of its function."""


def settled(tokens: list[Token], declared: Collection[str], words: Collection[str] = ()) -> list[Token]:
    r"""Return the tokens with words settled: only arithmetic is known, `\log_2` is called, `D_1` may declare D1.

    `words` were written as words: with a bracket right after it, such a word is a function that is called.
    """
    found: list[Token] = []
    closing: list[int] = []  # places before which a bracket that is not written closes
    for place, token in enumerate(tokens):
        found += [_bracket(")", token) for _ in range(closing.count(place))]
        if token.kind == "name":
            word, rest = token.text, tokens[place + 1 :]
            if word in ("time", "sum", "limit") and word in words:
                raise error_at(token.at, "<token> is not known in LaTeX; write it as plain text", token=quoted(word))
            if word == "log" or re.match("log_(?!2$)", word):
                raise error_at(token.at, r"'\log' is read with its base alone; write '\log_2'")
            if word == "mu" and found and found[-1].kind == "number" and rest and rest[0].text == "s":
                said = "a unit, or a product of letters? write '\\text{us}' or '\\mu \\cdot s'"
                raise error_at(token.at, said)
            kinds = [t.kind for t in rest[:3]]
            if word in words and kinds[:1] == ["("] and word not in declared and word not in ARITHMETIC:
                raise error_at(token.at, "<token> is not known as a function", token=quoted(word))
            if (len(word) == 1 or word in GREEK) and word not in declared and kinds == ["(", "name", ")"]:
                told = "'<word>(<of>)' may be <word> at <of> or a product; write '<word> \\cdot <of>' for the product"
                if token.end == rest[0].at:
                    raise error_at(token.at, told, word=word, of=rest[1].text)
            joined = word.replace("_", "")
            if word in CALLED:
                found.append(token._replace(text=CALLED[word]))
                if rest and rest[0].kind != "(":
                    found.append(_bracket("(", rest[0]))
                    closing.append(_argument_end(tokens, place + 1, f"\\{word}"))
                continue
            if word not in declared and joined in declared and re.fullmatch("[A-Za-z]_[0-9]+", word):
                token = token._replace(text=joined)
        found.append(token)
    return found + [_bracket(")", tokens[-1]) for _ in range(closing.count(len(tokens)))]


def _bracket(sign: str, near: Token) -> Token:
    return near._replace(kind=sign, text=sign)


def _argument_end(tokens: list[Token], start: int, name: str) -> int:
    """Return the place after `x`, `2x`, `x^2` or `x^(...)`, what a function takes without brackets."""
    end = start + 1
    if tokens[start].kind == "number" and end < len(tokens) and tokens[end].kind == "name":
        end += 1
    if end < len(tokens) and tokens[end].kind == "^":
        end += 1
        depth = 0
        while end < len(tokens):
            depth += (tokens[end].kind == "(") - (tokens[end].kind == ")")
            end += 1
            if depth <= 0:
                break
    if end < len(tokens) and tokens[end].kind == "name" and tokens[end].text not in CALLED:  # of one name or of both?
        said = "two readings after <name>; put brackets around what it is of"
        raise error_at(tokens[start].at, said, name=f"'{name}'")
    return end


_NO_PRODUCT = re.compile(
    r"(?<![A-Za-z])(?P<function>sin|cos|tan|exp|log|ln|lim|mod)(?![A-Za-z])|(?<![A-Za-z])(?P<of>max|min)(?![A-Za-z]|\s*\()"
    r"|(?<=[0-9])(?P<unit>[kMGTPE]i?B(?:ps)?|[kMGT]b|[kK]|[mun]s)(?![A-Za-z])"
    r"|(?<=[0-9])\s+(?P<apart>[kMGTPE]i?B(?:ps)?|[mun]s|[kMGTPE](?:FLOP|OP)[sS]?)(?![A-Za-z])"
)
_AFTER_NUMBER = re.compile(r"[0-9]\}?(?:\s|~|\\[ ,;:!]|\{\})+\Z|[0-9]\}\Z")
_TRANSPOSED = re.compile(r"[A-Za-z)]\s*\^\s*T(?![A-Za-z_])")
NOT_VALUES = {
    "sim": r"<macro> may be 'about' or 'grows like'; write '\approx' for about",
    "in": "<macro> is about sets; expected a formula of numbers",
    "propto": "<macro> leaves a factor open; expected an equation",
    "cdots": "<macro> leaves terms out; write them all",
    "dots": "<macro> leaves terms out; write them all",
    "ldots": "<macro> leaves terms out; write them all",
}


def refuse_words(source: str, text: str, start: int, declared: Collection[str]) -> None:
    """Refuse letters that are no product: the name of a function, a unit or a thousand after a number."""
    before = _AFTER_NUMBER.search(source[:start])
    shift = 2 if before else 0  # 16\,GB: the number stands in another node
    for found in _NO_PRODUCT.finditer("1 " * bool(before) + text):
        named = found["function"] or found["of"]
        word = named or found["unit"] or found["apart"]
        if not set(word) <= set(declared):
            said = "<what> is no product of letters; a unit or a factor is left out here"
            said = "<what> is no product of letters; a function is written '\\<word>'" if named else said
            at = start - shift + found.end() - len(found[0].lstrip())
            raise error_at(at, said, what=quoted(found[0].lstrip()), word=word)


def refuse_transpose(text: str, start: int, declared: Collection[str]) -> None:
    """Refuse `K^T`, which may be a transpose, unless T is declared."""
    if (found := _TRANSPOSED.search(text)) and "T" not in declared:
        raise error_at(start + found.start(), "'^T' may be a transpose or a power; write '^{1 T}' for the power")


def refuse_mixed(before: str, fraction: str, start: int) -> None:
    r"""Refuse `3\frac{1}{2}`, on paper three and a half, and a product in the notation of the grammar."""
    parts = re.fullmatch(r"\\[a-z]*frac\s*\{?(\d+)\}?\s*\{?(\d+)\}?\s*", fraction)
    if parts and re.fullmatch(r"\d+", before):
        number = quoted(f"{before} {parts[1]}/{parts[2]}")
        raise error_at(start, "<number> has two readings; write a sum or a product", number=number)


def differential(argument: Any, after: str = r"\s*[A-Za-z]") -> bool:
    """Tell whether an argument is `dL`: a d and one name."""
    inside = argument.nodelist if isinstance(argument, LatexGroupNode) else [argument]
    return len(inside) == 1 and re.fullmatch(rf"\s*d{after}\s*", getattr(inside[0], "chars", "")) is not None
