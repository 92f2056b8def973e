r"""How wide a formula is set, in em: an estimate from above, so that lines are broken before TeX has to."""

from functools import lru_cache
from typing import Any

from roofproof.claims.language.latex import GREEK, parsed

_SCRIPT = 0.72  # size of what is raised or lowered
_WIDE = {"M": 0.97, "W": 0.95, "m": 0.88, "w": 0.72, "I": 0.45, "i": 0.35, "j": 0.41, "l": 0.31, "t": 0.37, "f": 0.55}
_RELATION, _BINARY = 1.34, 1.23  # with the space on both sides
_MACROS = {
    "cdot": 0.73, "times": _BINARY, "log": 1.5, "max": 1.9, "min": 1.8, "quad": 1.0, "qquad": 2.0, "infty": 1.0,
    "lceil": 0.5, "rceil": 0.5, "lfloor": 0.5, "rfloor": 0.5, "lvert": 0.3, "rvert": 0.3, "left": 0.25, "right": 0.25,
    ",": 0.17, ":": 0.22, ";": 0.28, " ": 0.33, "colon": 0.5, "displaystyle": 0.0, "mid": 0.9, "%": 0.84, "&": 0.78,
    "#": 0.84, "_": 0.5, "$": 0.5, "{": 0.5, "}": 0.5, "allowbreak": 0.0, "textbackslash": 0.5,
}  # fmt: skip
_TEXTS = ("text", "mathrm", "textrm", "operatorname", "texttt", "emph", "textbf")


@lru_cache(maxsize=4096)
def width(formula: str) -> float:
    r"""Return the width of a formula in em, at least what TeX will need.

    >>> 2 < width("BDF") < 3
    True
    >>> width(r"\frac{a + b + c}{d}") - width("a + b + c") < 0.5
    True
    >>> width(r"\text{one word}") > width(r"\text{one}")
    True
    """
    return _nodes(parsed(formula), False)


def _nodes(nodes: list[Any], text: bool) -> float:
    total, script = 0.0, False
    rows: list[float] = []
    for node in nodes:
        kind = type(node).__name__
        scale = _SCRIPT if script else 1.0
        script = False
        if kind == "LatexCharsNode":
            for sign in node.chars:
                if sign in "^_" and not text:
                    script = True
                    continue
                total += _sign(sign, text) * (_SCRIPT if script else scale)
                script, scale = False, 1.0
        elif kind == "LatexGroupNode":
            total += scale * _nodes(node.nodelist, text)
        elif kind == "LatexMathNode":
            total += _nodes(node.nodelist, False)
        elif kind == "LatexEnvironmentNode":
            total += _nodes(node.nodelist, text) + 1.5
        elif kind == "LatexSpecialsNode":
            total += 1.0 if node.specials_chars == "&" else 0.5
        elif kind == "LatexMacroNode" and node.macroname == "\\":
            rows.append(total)
            total = 0.0
        elif kind == "LatexMacroNode":
            total += scale * _macro(node, text)
    return max([*rows, total])


def _macro(node: Any, text: bool) -> float:
    name = node.macroname
    arguments = [a for a in (node.nodeargd.argnlist if node.nodeargd else []) if a is not None]
    if name in ("frac", "dfrac", "tfrac", "cfrac"):
        return max(_nodes([a], text) for a in arguments) + 0.3
    if name == "sqrt":
        return _nodes([arguments[-1]], text) + 1.05
    if name in _TEXTS:
        return sum(_nodes([a], True) for a in arguments)
    if name in ("num", "qty"):
        return sum(_nodes([a], True) for a in arguments) + 0.2 * len(arguments) + 0.5
    if name in GREEK:
        return 0.65
    return _MACROS.get(name, _RELATION)


def _sign(sign: str, text: bool) -> float:
    if sign.isspace():
        return 0.33 if text else 0.0
    if ord(sign) > 0x2E7F:
        return 1.0
    if text:
        return 0.74 if sign.isupper() or sign in "mw" else 0.48
    if sign in "<>=":
        return _RELATION
    if sign in "+-":
        return _BINARY
    if sign in "()[]":
        return 0.4
    if sign in _WIDE:
        return _WIDE[sign]
    return 0.8 if sign.isupper() else 0.52
