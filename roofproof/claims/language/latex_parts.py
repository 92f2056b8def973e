r"""Parts of LaTeX as pylatexenc gives it: rows and columns, sums and limits, the words inside `\text{...}`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
)

from roofproof.claims.language.latex_macros import FRAMES, JOINS, RELATIONS, ROWED, SIGNS, SILENT
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import Call, Name, Tree, name_of, walk

WORDS = (
    "text", "mathrm", "mathit", "operatorname", "textrm", "mathsf", "mathbf", "mbox", "textit", "textup", "textnormal",
)  # fmt: skip
JOINING = {
    "and": " and ", "or": " or ", "not": " not ", "if and only if": " <=> ", "iff": " <=> ",
    "且": " and ", "或": " or ", "非": " not ", "当且仅当": " <=> ",
    "i.e.": " <=> ", "that is": " <=> ", "equivalently": " <=> ", "or equivalently": " <=> ",
    "即": " <=> ", "亦即": " <=> ", "也就是": " <=> ", "等价于": " <=> ",
}  # fmt: skip
WHERE = (
    "if", "when", "whenever", "for", "for all", "for every", "for any", "where", "provided", "provided that",
    "as long as", "assuming", "assuming that", "given", "given that", "若", "当", "如果", "只要", "假设", "其中",
)  # fmt: skip
"""What a condition may begin with."""
THEN = ("then", ", then", "则", "，则", "那么", "，那么", "时", "时，", "时有")
"""What may stand between a condition and what it is of."""
ENDS = ".,;。，；、"
TWO = r"two statements, or one and its condition? write '\text{and}' or '\implies'"
_QUADS = ("quad", "qquad")
_BLANKS = (" ", ";", ":")  # which may stand between factors
_QUANTIFIERS = ("forall", "exists", "because", "therefore")


def statements(nodes: list[Any]) -> list[list[Any]]:
    r"""Part a formula into what it states: each row and column, and what `\quad` or a comma sets apart.

    >>> from roofproof.claims.language.latex_macros import parsed
    >>> found = statements(parsed(r"\begin{aligned} T &= 2a, & S &= 3b \\ &= 4c \end{aligned}"))
    >>> ["".join(node.latex_verbatim() for node in nodes).strip() for nodes in found]
    ['T = 2a = 4c', 'S = 3b']

    A row goes on with what stands above it where it begins with a sign, or that ends with one.
    """
    return [part for parts in in_rows(nodes) for part in parts]


def in_rows(nodes: list[Any]) -> list[list[list[Any]]]:
    r"""Part a formula into rows and columns, and each of these into what `\quad` or a comma sets apart.

    >>> from roofproof.claims.language.latex_macros import parsed
    >>> [len(parts) for parts in in_rows(parsed(r"\begin{aligned} T &= 2a, && S = 3b \\ U &= 4c \end{aligned}"))]
    [2, 1]

    A column that has no sign of its own to be aligned at, `&& b > 2`, is beside what stands left of it, as after
    `\quad`; one that begins with `\text{when}` is its condition.
    """
    columns: dict[int, list[Any]] = {}
    found: list[list[Any]] = []
    for row in rows(_unframed(nodes)):
        last = -1
        for k in range(0, len(row), 2):
            cells = _beside(row[k : k + 2])
            if not any(map(is_said, cells)):
                continue
            above = columns.get(last if last >= 0 and _breaks_off(columns[last]) else k)
            alone = sum(any(map(is_said, cell)) for cell in row[k : k + 2]) == 1
            if above is not None and (_goes_on(cells) or _breaks_off(above)):
                if _conditional(above) and _relates(cells):
                    raise error_at(_first(cells).pos, TWO)
                without_end(above)
                above += cells
            elif last >= 0 and (alone or _opens_where(cells)):
                columns[last] += [_quad(_first(cells)), *cells]
                continue
            elif len(found) == 1 and _opens_where(cells):
                without_end(found[0])
                found[0] += cells
            else:
                columns[k] = cells
                found.append(cells)
            last = k
    return [list(_apart(said)) for said in found]


def _beside(cells: list[list[Any]]) -> list[Any]:
    """Return the two cells of a column as one, parted where the first is a statement and the second begins another."""
    first, *rest = cells
    second = rest[0] if rest else []
    if not (_stated(first) and any(map(is_said, second))) or _breaks_off(first) or _goes_on(second):
        return first + second
    return [*first, _quad(_first(second)), *second]


def _quad(node: Any) -> Any:
    return LatexMacroNode(parsing_state=node.parsing_state, macroname="quad", pos=node.pos, len=0)


def _first(nodes: list[Any]) -> Any:
    return next(node for node in nodes if is_said(node))


def _opens_where(nodes: list[Any]) -> bool:
    """Tell whether nodes begin with a word such as "where"."""
    return any(map(is_said, nodes)) and text_of(_first(nodes)) in WHERE


def _unframed(nodes: list[Any]) -> list[Any]:
    """Return the inside of `$...$` or of an environment that is all there is, but for what ends a sentence."""
    said = [node for node in nodes if is_said(node)]
    match said:
        case [LatexMathNode(nodelist=inside)]:
            return _unframed(inside)
        case [LatexEnvironmentNode(environmentname=name, nodelist=inside), *after] if all(map(_is_end, after)):
            if name.rstrip("*") in ROWED:
                return list(inside[1:] if name.startswith("alignedat") or name.startswith("alignat") else inside)
            if name.rstrip("*") in FRAMES:
                return _unframed(inside)
    return nodes


def _apart(nodes: list[Any]) -> Iterator[list[Any]]:
    r"""Yield what `\quad` parts, and what a comma parts where relations stand on both sides of it."""
    parts: list[list[Any]] = [[]]
    marks: list[Any] = []  # what stands between two parts
    depth = 0
    for node in nodes:
        blank = getattr(node, "macroname", "") in _BLANKS and any(map(is_said, parts[-1]))
        if depth == 0 and (blank or getattr(node, "macroname", "") in _QUADS):
            parts.append([])
            marks.append(node)
        elif isinstance(node, LatexCharsNode):
            start = 0
            for i, sign in enumerate(node.chars):
                depth += (sign in "([") - (sign in ")]")
                if sign in ",;，；" and depth == 0:
                    parts[-1].append(cut(node, start, i))
                    parts.append([])
                    marks.append(cut(node, i, i + 1))
                    start = i + 1
            parts[-1].append(cut(node, start, len(node.chars)))
        else:
            parts[-1].append(node)
    found = [parts[0]]
    for mark, part in zip(marks, map(_unbracketed, parts[1:]), strict=True):
        before = found[-1]
        comma = isinstance(mark, LatexCharsNode)
        if not any(map(is_said, part)):
            before += [mark] * comma
        elif getattr(mark, "macroname", "") in _BLANKS:
            if _stated(before) and _stated(part) == "<" and not (_goes_on(part) or _breaks_off(before)):
                raise error_at(mark.pos, TWO)  # x^2 > 4 \ x > 2
            before += [mark, *part]
        elif not any(map(is_said, before)) or _belongs(before, part, comma):
            if _conditional(before) and _relates(part):
                raise error_at(mark.pos, TWO)
            before += part
        elif not (_stated(_condition(before)) and _stated(part)) and comma:
            before += [mark, *part]
        elif _conditional(before) != _conditional(part) or (
            _stated(before) and _stated(part) not in ("", _stated(before))
        ):
            raise error_at(mark.pos, TWO)
        else:
            found.append(part)
    for part in found:
        without_end(part)
        if any(map(is_said, part)):
            yield part


def opens_with_words(nodes: list[Any]) -> bool:
    r"""Tell whether nodes begin with words and a value: `\text{whenever } x > 2`, `\forall x > 2`.

    These may be a condition of what stands before; `\text{Time} = 3` and `\text{Time}_1 = 3` are none.
    """
    first, *rest = [node for node in nodes if is_said(node)]
    if not isinstance(first, LatexMacroNode) or first.macroname not in (*WORDS, *_QUANTIFIERS):
        return False
    after = rest[0] if rest else None
    sign = str(getattr(after, "chars", "")).strip()[:1]
    return not (sign in tuple("_(^*/+-") or getattr(after, "macroname", "") in SIGNS or (rest and _relates(rest)))


def without_end(nodes: list[Any]) -> None:
    """Take away the comma or the stop that ends nodes."""
    while nodes and (_is_end(nodes[-1]) or not is_said(nodes[-1])):
        nodes.pop()
    if nodes and isinstance(last := nodes[-1], LatexCharsNode):
        nodes[-1] = cut(last, 0, len(last.chars.rstrip(ENDS + " \n\t")))


def _belongs(before: list[Any], part: list[Any], comma: bool) -> bool:
    """Tell whether a part goes on with the one before it: it is a condition, or a word or sign joins them."""
    first, last = (next(node for node in side if is_said(node)) for side in (part, before[::-1]))
    if {text_of(first), text_of(last)} & JOINING.keys():
        return True
    if text_of(first) in (*WHERE, *THEN) or text_of(last) in (*WHERE, *THEN):
        return True
    return not comma and (_goes_on(part) or _breaks_off(before))


def _unbracketed(part: list[Any]) -> list[Any]:
    r"""Return `(\text{when } b > 2)` without its brackets; refuse `(b > 2)`, which may be a condition as well."""
    said = [node for node in part if is_said(node)]
    if not said or str(getattr(said[0], "chars", "")).strip()[:1] not in tuple("(（"):
        return part
    if str(getattr(said[-1], "chars", "")).strip(ENDS + " ")[-1:] not in tuple(")）"):
        return part
    first, last = said[0].chars.lstrip(), said[-1].chars.rstrip(ENDS + " ")
    if said[0] is said[-1]:
        inside = [cut(said[0], len(said[0].chars) - len(first) + 1, len(last) - 1)]
    else:
        begun = cut(said[0], len(said[0].chars) - len(first) + 1, len(said[0].chars))
        inside = [begun, *part[part.index(said[0]) + 1 : part.index(said[-1])], cut(said[-1], 0, len(last) - 1)]
    depth = [0]
    for sign in "".join(getattr(node, "chars", "") for node in inside):
        depth.append(depth[-1] + (sign in "([（") - (sign in ")]）"))
    if min(depth) < 0 or not _stated(inside):
        return part  # (a + b) c = d (e + f); (in seconds)
    if not _opens_where(inside):
        raise error_at(said[0].pos, TWO)
    return inside


def cut(node: Any, start: int, end: int | None = None) -> Any:
    """Return the part of a node of characters between two places."""
    text = node.chars[start:end]
    return LatexCharsNode(parsing_state=node.parsing_state, chars=text, pos=node.pos + start, len=len(text))


def is_label(node: Any) -> bool:
    r"""Tell whether a node is no `\tag`, or one that holds a label; `\tag{if $x > 2$}` is part of what is said."""
    return node.macroname != "tag" or not re.search(r"\s|[<>=≤≥$]", node.latex_verbatim().strip())


def is_said(node: Any) -> bool:
    r"""Tell whether a node is part of what is stated; blanks, `\left` and `\label` are none."""
    return not _is_blank(node) and (getattr(node, "macroname", "") not in SILENT or not is_label(node))


def _is_end(node: Any) -> bool:
    return isinstance(node, LatexCharsNode) and not node.chars.strip(ENDS + " \n\t")


def _conditional(nodes: list[Any]) -> bool:
    """Tell whether a statement has a condition in words; of several either all have one, or it may be of each."""
    return any(text_of(node) in WHERE for node in nodes)


def _condition(nodes: list[Any]) -> list[Any]:
    r"""Return the nodes after the last `\text{when}`, of which a comma parts the names; all where there is none."""
    last = max((k for k, node in enumerate(nodes) if text_of(node) in WHERE), default=-1)
    return nodes[last + 1 :]


def _stated(nodes: list[Any]) -> str:
    """Return which relations stand among nodes: `=` for equations, `<` for all others, nothing where there is none."""
    found = set("".join(getattr(node, "chars", "") for node in nodes)) & set("=<>≈≤≥")
    signs = {SIGNS.get(getattr(node, "macroname", ""), "") for node in nodes} & set(RELATIONS)
    return "<" if found & set("<>≤≥") or signs - {"~="} else "=" if found or signs else ""


def _goes_on(nodes: list[Any]) -> bool:
    """Tell whether nodes begin with a sign, with `{}` before one, or with a word that joins."""
    first = next((node for node in nodes if is_said(node)), None)
    sign = str(getattr(first, "chars", "")).strip()[:1]
    joined = getattr(first, "nodelist", None) == [] or text_of(first) in JOINING  # {} + b; \text{and} b
    return joined or sign in tuple("=<>+-≈≤≥") or SIGNS.get(getattr(first, "macroname", ""), "") in JOINS


def _relates(nodes: list[Any]) -> bool:
    """Tell whether nodes begin with a sign between two values, with which a chain goes on."""
    first = _first(nodes)
    sign = str(getattr(first, "chars", "")).strip()[:1]
    return sign in tuple("=<>≈≤≥") or SIGNS.get(getattr(first, "macroname", ""), "") in RELATIONS


def _breaks_off(nodes: list[Any]) -> bool:
    """Tell whether nodes end with a sign after which something is due."""
    last = next((node for node in reversed(nodes) if is_said(node)), None)
    sign = str(getattr(last, "chars", "")).strip()[-1:]
    return sign in tuple("=<>+-*/≈≤≥") or SIGNS.get(getattr(last, "macroname", ""), "") in (*JOINS, "not")


def rows(nodes: list[Any]) -> list[list[list[Any]]]:
    """Part the inside of an environment at its `\\\\` and `&`; rows that are empty are left out."""
    rows: list[list[list[Any]]] = [[[]]]
    for node in nodes:
        if isinstance(node, LatexMacroNode) and node.macroname in ("intertext", "shortintertext"):
            raise error_at(node.pos, "words between rows may be a condition of them; write formulas of their own")
        if isinstance(node, LatexMacroNode) and node.macroname == "\\":
            rows.append([[]])
        elif isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
            rows[-1].append([])
        else:
            rows[-1][-1].append(node)
    return [row for row in rows if any(not _is_blank(node) for cell in row for node in cell)]


def _is_blank(node: Any) -> bool:
    return isinstance(node, LatexCharsNode) and not node.chars.strip()


def opening(cell: list[Any]) -> tuple[str, list[Any]]:
    """Return the words that a cell begins with, and the cell without the comma or the stop that ends it."""
    kept = [node for node in cell if not _is_blank(node)]
    if kept and isinstance(last := kept[-1], LatexCharsNode) and last.chars.rstrip()[-1] in ",.;":
        text = last.chars.rstrip()[:-1]
        shorter = LatexCharsNode(parsing_state=last.parsing_state, chars=text, pos=last.pos, len=len(text))
        kept = [*kept[:-1], *([shorter] if text.strip() else [])]
    return (text_of(kept[0]) if kept else ""), kept


def text_of(node: Any) -> str:
    r"""Return the words inside `\text{...}`, or nothing for what is no text."""
    if not isinstance(node, LatexMacroNode) or node.macroname not in WORDS:
        return ""
    if node.nodeargd is None or not node.nodeargd.argnlist:  # as in \frac\text{a}, which TeX refuses too
        return ""
    inside = node.nodeargd.argnlist[-1]
    parts = inside.nodelist if isinstance(inside, LatexGroupNode) else [inside]
    if any(not isinstance(part, LatexCharsNode) for part in parts):
        return ""
    return " ".join("".join(part.chars for part in parts).split())


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


def refuse_indexed(node: Tree) -> None:
    r"""Refuse `\sum_{i=1}^n x_i` and `\lim_{n \to \infty} a_n`: their names would stand for the same value at each i.

    >>> from roofproof.formula.reader import read_value
    >>> refuse_indexed(read_value("sum(i x_j, i, 1, n)"))
    >>> refuse_indexed(read_value("sum(x_i, i, 1, n)"))
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
    """Return subscript and superscript, by mark, and the nodes after them."""
    found: dict[str, list[Any]] = {}
    while nodes:
        first, *rest = nodes
        if _is_blank(first) or getattr(first, "macroname", "") in ("limits", "nolimits", "displaystyle"):
            nodes = rest
            continue
        text = getattr(first, "chars", "")
        mark = text.lstrip()[:1]
        if mark not in ("_", "^") or mark in found:
            break
        tail = cut(first, len(text) - len(text.lstrip()) + 1)
        if tail.chars.strip():
            at = len(tail.chars) - len(tail.chars.lstrip())
            found[mark], nodes = [cut(tail, at, at + 1)], [cut(tail, at + 1), *rest]
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
            return _named([*below[:k], cut(node, 0, at)]), _said([cut(node, at + 1), *below[k + 1 :]])
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
                done = [*body, cut(node, 0, i)]
                if sign in "+-" and not _bracketed(done):
                    raise error_at(node.pos + i, "two readings after <name>; put brackets around what it is of",
                                   name=f"'{name}'")  # fmt: skip
                return _whole(done, name), [cut(node, i), *nodes[k + 1 :]]
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
    return [node for node in nodes if not _is_blank(node)]
