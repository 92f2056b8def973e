r"""LaTeX taken apart by pylatexenc, which runs nothing; what each macro of a formula stands for."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from pylatexenc import latexwalker as tex
from pylatexenc.macrospec import ParsedMacroArgs, std_environment, std_macro

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.arithmetic import error_at
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
    macros += [std_macro(name, "{") for name in ("num", "tag", "boxed", *_TEXTS)]
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
