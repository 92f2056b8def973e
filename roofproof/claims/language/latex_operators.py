r"""Sums and limits of LaTeX: `\sum_{i=1}^n f` and `\lim_{n \to \infty} f`, with what they are of."""

from dataclasses import dataclass
from typing import Any

from pylatexenc.latexwalker import LatexCharsNode, LatexGroupNode, LatexMacroNode

from roofproof.claims.language.latex_macros import RELATIONS, SIGNS
from roofproof.claims.language.nodes import Call, Name, Node, name_of, walk
from roofproof.ops.notation.arithmetic import error_at

OPERATORS = {"sum": "sum", "lim": "limit"}
WORD = 3  # letters from which a subscript is a word
_ARROWS = ("to", "rightarrow", "longrightarrow")
_ENDS = "=<>≈≤≥≠→,;，；"


@dataclass(slots=True)
class Operator:
    r"""`\sum` or `\lim` with its parts, each as nodes: what it is of, the name, and where that begins and ends."""

    function: str
    parts: tuple[list[Any], ...]
    pos: int
    len: int


def gathered(nodes: list[Any]) -> list[Any]:
    r"""Return nodes in which each `\sum` and `\lim` is one, with what stands below, above and after it.

    >>> from roofproof.claims.language.latex_macros import parsed
    >>> operator, *rest = gathered(parsed(r"\sum_{i=1}^n 2i = 3"))
    >>> ["".join(node.latex_verbatim() for node in part) for part in operator.parts], rest[0].chars
    ([' 2i ', 'i', '1', 'n'], '= 3')

    What it is of goes on to the next sign between terms or values; raises RoofproofError where a `+` or `-` follows,
    which may belong to it as well.
    """
    for k, node in enumerate(nodes):
        if isinstance(node, LatexMacroNode) and node.macroname in OPERATORS:
            made, rest = _operator(node, nodes[k + 1 :])
            return [*nodes[:k], made, *gathered(rest)]
    return nodes


def _operator(macro: Any, after: list[Any]) -> tuple[Operator, list[Any]]:
    name = f"\\{macro.macroname}"
    scripts, rest = _scripts(after)
    body, rest = _body(rest, name)
    below = scripts.get("_", [])
    mark = "=" if macro.macroname == "sum" else "->"
    index, begin = _bound(below, mark)
    one_sided = begin and str(getattr(begin[-1], "chars", "")).rstrip().endswith(("+", "-"))  # x -> 0^+
    if not index or not begin or one_sided or (mark == "=") != ("^" in scripts):
        example = r"\sum_{i=1}^{n}" if mark == "=" else r"\lim_{n \to \infty}"
        raise error_at(macro.pos, "<name> is read with its bounds alone, as in <example>", name=name, example=example)
    ends = [scripts["^"]] if mark == "=" else []
    if mark == "->" and [getattr(n, "macroname", "") or n.latex_verbatim().strip() for n in begin] in (
        ["infty"],
        ["∞"],
    ):
        begin = []
    bounds = [part for part in (begin, *ends) if part]
    return Operator(OPERATORS[macro.macroname], (body, index, *bounds), macro.pos, macro.len), rest


def refuse_indexed(node: Node) -> None:
    r"""Refuse `\sum_{i=1}^n x_i` and `\lim_{n \to \infty} a_n`: their names would stand for the same value at each i.

    >>> from roofproof.claims.language.reading import read_expression
    >>> refuse_indexed(read_expression("sum(i x_j, i, 1, n)"))
    >>> refuse_indexed(read_expression("sum(x_i, i, 1, n)"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 5: x_i may change with i; write what it is of i
    """
    for call in walk(node):
        if isinstance(call, Call) and call.function in OPERATORS.values() and len(call.arguments) > 1:
            index = name_of(call.arguments[1])
            for part in walk(call.arguments[0]):
                if isinstance(part, Name) and any(index in s and len(s) < WORD for s in part.name.split("_")[1:]):
                    raise error_at(part.span[0], "<name> may change with <index>; write what it is of <index>",
                                   name=part.name, index=index)  # fmt: skip


def _scripts(nodes: list[Any]) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return what stands below and above, by its mark, and the nodes after."""
    found: dict[str, list[Any]] = {}
    while nodes:
        first, *rest = nodes
        if _blank(first) or getattr(first, "macroname", "") in ("limits", "nolimits", "displaystyle"):
            nodes = rest
            continue
        text = getattr(first, "chars", "")
        mark = text.lstrip()[:1]
        if mark not in ("_", "^") or mark in found:
            break
        tail = _cut(first, len(text) - len(text.lstrip()) + 1)
        if tail.chars.strip():
            at = len(tail.chars) - len(tail.chars.lstrip())
            found[mark], nodes = [_cut(tail, at, at + 1)], [_cut(tail, at + 1), *rest]
        elif rest:
            group = rest[0]
            found[mark], nodes = (group.nodelist if isinstance(group, LatexGroupNode) else [group]), rest[1:]
        else:
            break
    return found, nodes


def _bound(below: list[Any], mark: str) -> tuple[list[Any], list[Any]]:
    r"""Part `i = 1` or `n \to \infty` into the name and the value."""
    for k, node in enumerate(below):
        text = getattr(node, "chars", "")
        sign = "=" if mark == "=" else "→"
        if sign in text:
            at = text.index(sign)
            return _named([*below[:k], _cut(node, 0, at)]), _said([_cut(node, at + 1), *below[k + 1 :]])
        if mark == "->" and getattr(node, "macroname", "") in _ARROWS:
            return _named(below[:k]), _said(below[k + 1 :])
    return [], []


def _named(nodes: list[Any]) -> list[Any]:
    """Return the one name among nodes, nothing for several or another thing."""
    said = _said(nodes)
    text = "".join(getattr(node, "chars", "") for node in said).strip()
    return said if (len(text) == 1 and text.isalpha()) or (len(said) == 1 and not text) else []


def _body(nodes: list[Any], name: str) -> tuple[list[Any], list[Any]]:
    """Part nodes where the term ends that an operator is of; a sum after it has two readings, unless in brackets."""
    body: list[Any] = []
    depth = 0
    for k, node in enumerate(nodes):
        if SIGNS.get(getattr(node, "macroname", "")) in RELATIONS and depth == 0:
            return _whole(body, name), nodes[k:]
        text = getattr(node, "chars", "")
        for i, sign in enumerate(text):
            if depth == 0 and (sign in _ENDS or sign in ")]+-"):
                done = [*body, _cut(node, 0, i)]
                if sign in "+-" and not _bracketed(done):
                    raise error_at(node.pos + i, "two readings after <name>; put brackets around what it is of",
                                   name=f"'{name}'")  # fmt: skip
                return _whole(done, name), [_cut(node, i), *nodes[k + 1 :]]
            depth += (sign in "([") - (sign in ")]")
        body.append(node)
    return _whole(body, name), []


def _whole(body: list[Any], name: str) -> list[Any]:
    if not _said(body):
        raise error_at(0, "nothing stands after <name>", name=f"'{name}'")
    return body


def _bracketed(nodes: list[Any]) -> bool:
    """Tell whether nodes are one pair of brackets with what is inside."""
    said = [n for n in _said(nodes) if getattr(n, "macroname", "") not in ("left", "right")]
    text = "".join(getattr(n, "chars", "x") for n in said).strip()
    depth = [0]
    for sign in text:
        depth.append(depth[-1] + (sign == "(") - (sign == ")"))
    return text[:1] == "(" and text[-1:] == ")" and min(depth[1:-1], default=0) > 0


def _said(nodes: list[Any]) -> list[Any]:
    return [node for node in nodes if not _blank(node)]


def _blank(node: Any) -> bool:
    return isinstance(node, LatexCharsNode) and not node.chars.strip()


def _cut(node: Any, start: int, end: int | None = None) -> Any:
    text = node.chars[start:end]
    return LatexCharsNode(parsing_state=node.parsing_state, chars=text, pos=node.pos + start, len=len(text))
