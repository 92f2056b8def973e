r"""How wide a formula is set, in em: an estimate from above, so that lines are broken before TeX has to."""

from collections.abc import Sequence
from functools import lru_cache

from roofproof.formula.latex import GREEK
from roofproof.formula.tex import Group, Macro, Node, taken_apart

_SCRIPT = 0.72  # size of what is raised or lowered
_RELATION, _BINARY = 1.34, 1.23  # with the space on both sides
_SIGNS = {
    **dict.fromkeys("<>=", _RELATION), **dict.fromkeys("+-", _BINARY), **dict.fromkeys("()[]", 0.4),
    "M": 0.97, "W": 0.95, "m": 0.88, "w": 0.72, "I": 0.45, "i": 0.35, "j": 0.41, "l": 0.31, "t": 0.37, "f": 0.55,
}  # fmt: skip
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
    return _nodes(taken_apart(formula), False)


def _nodes(nodes: Sequence[Node], text: bool) -> float:
    rows, script, k = [0.0], 1.0, 0
    while k < len(nodes):
        node = nodes[k]
        k += 1
        if node in ("^", "_") and not text:
            script = _SCRIPT
            continue
        if isinstance(node, Macro) and node.name == "\\":
            rows.append(0.0)
            continue
        if isinstance(node, Macro) and node.name == "begin":
            end = _end(nodes, k)
            rows[-1] += _nodes(nodes[k:end], text) + 1.5
            k = end + 1
        else:
            rows[-1] += _node(node, text) * script
        script = 1.0
    return max(rows)


def _end(nodes: Sequence[Node], k: int) -> int:
    """Return the place of the `\\end` of an environment that has begun."""
    depth = 1
    while k < len(nodes) and depth:
        name = getattr(nodes[k], "name", "")
        depth += (name == "begin") - (name == "end")
        k += 1
    return k - 1 if not depth else k


def _node(node: Node, text: bool) -> float:
    """Return the width of a sign, a group or a macro with its arguments."""
    match node:
        case "&" | "~":
            return 1.0 if node == "&" else 0.5
        case str():
            return _sign(node, text)
        case Group(inside=inside, math=math):
            return _nodes(inside, text and not math)
    name, arguments = node.name, node.arguments
    if name.endswith("frac"):
        return max(_nodes(each, text) for each in arguments) + 0.3
    if name == "sqrt":
        return _nodes(arguments[-1], text) + 1.05
    if name in ("num", "qty"):
        return sum(_nodes(each, True) + 0.2 for each in arguments) + 0.5
    if name in _TEXTS:
        return sum(_nodes(each, True) for each in arguments)
    if arguments:
        return sum(_nodes(each, text) for each in arguments) + 0.5
    return 0.65 if name in GREEK else _MACROS.get(name, _RELATION)


def _sign(sign: str, text: bool) -> float:
    if sign.isspace():
        return 0.33 if text else 0.0
    if ord(sign) > 0x2E7F:
        return 1.0
    if text:
        return 0.74 if sign.isupper() or sign in "mw" else 0.48
    return _SIGNS.get(sign, 0.8 if sign.isupper() else 0.52)
