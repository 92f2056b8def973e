r"""Parts of LaTeX as pylatexenc gives it: the rows of an environment, the words inside `\text{...}`."""

from typing import Any

from pylatexenc.latexwalker import LatexCharsNode, LatexGroupNode, LatexMacroNode, LatexSpecialsNode

WORDS = ("text", "mathrm", "mathit", "operatorname", "textrm", "mathsf", "mathbf")


def rows(nodes: list[Any]) -> list[list[list[Any]]]:
    """Part the inside of an environment at its `\\\\` and `&`; rows that are empty are left out."""
    rows: list[list[list[Any]]] = [[[]]]
    for node in nodes:
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
    if not isinstance(node, LatexMacroNode) or node.macroname not in WORDS or not node.nodeargd.argnlist:
        return ""
    inside = node.nodeargd.argnlist[-1]
    parts = inside.nodelist if isinstance(inside, LatexGroupNode) else [inside]
    if any(not isinstance(part, LatexCharsNode) for part in parts):
        return ""
    return " ".join("".join(part.chars for part in parts).split())
