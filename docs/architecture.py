"""Draw the rooms of the package and their imports: `python docs/architecture.py` writes docs/architecture.svg.

A box is a room with the rooms inside it. An arrow is an import, unless a longer path of imports implies it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "roofproof"
PICTURE = ROOT / "docs" / "architecture.svg"
# Each derivation is proved by the step that finds it, so files of both rooms import each other, without cycles.
TOGETHER = dict.fromkeys(("derive", "proofs"), "derive, proofs")
BELOW = "below all rooms"
LEFT = ("display", "audit")  # their arrows cross a row, to the left of its boxes
WIDTH, LINE, GAP, PAD, LETTER = 880, 17, 46, 12, 7


@cache
def offered() -> dict[str, str]:
    """Return the module of each name that a room offers, from the stub next to its `__init__.py`."""
    homes = {}
    for stub in PACKAGE.rglob("__init__.pyi"):
        room = ".".join(stub.parent.relative_to(ROOT).parts)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                given = {f"{room}.{a.asname or a.name}": f"{node.module}.{a.name}" for a in node.names}
                homes |= {name: home for name, home in given.items() if name != home}  # except a room itself
            elif isinstance(node, ast.Assign):
                homes[f"{room}.{ast.unparse(node.targets[0])}"] = homes[f"{room}.{ast.unparse(node.value)}"]
    return homes


def file_of(name: str) -> Path | None:
    """Return the file that an import loads, or for a name that a room offers, the file that defines it."""
    while name in offered():
        name = offered()[name]
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        for path in (ROOT.joinpath(*parts[:k]).with_suffix(".py"), ROOT.joinpath(*parts[:k], "__init__.py")):
            if path.exists():
                return path
    return None


def names(node: ast.AST) -> Iterator[str]:
    """Yield the full name of every import below a node, except imports for type checkers only."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for other in node.orelse:
            yield from names(other)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    else:
        for child in ast.iter_child_nodes(node):
            yield from names(child)


@cache
def graph(under: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the files that each file of the package imports."""
    found = {}
    for path in sorted(under.rglob("*.py")):
        taken = (file_of(n) for n in names(ast.parse(path.read_text(encoding="utf-8"))) if n.startswith("roofproof"))
        found[short(path)] = {short(t) for t in taken if t is not None and t != path}
    return found


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def rooms() -> dict[str, list[str]]:
    """Return each room with the rooms inside it. Top-level files are rooms, too. Those that rooms import form one."""
    imported = {b for a, bs in graph().items() if "/" in a for b in bs if "/" not in b}
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.iterdir()):
        if (path / "__init__.py").exists():
            inside = (p.parent.name for p in path.glob("*/__init__.py"))
            found.setdefault(TOGETHER.get(path.name, path.name), []).extend(sorted(inside))
        elif path.suffix == ".py" and not path.stem.startswith("__"):
            room = BELOW if path.name in imported or path.stem in ("_lazy", "errors") else path.stem
            found.setdefault(room, []).extend([path.stem] if room == BELOW else [])
    return found


def room_of(file: str) -> str:
    first = file.split("/")[0].removesuffix(".py")
    first = TOGETHER.get(first, first)
    return first if first in rooms_once() else BELOW


@cache
def rooms_once() -> dict[str, list[str]]:
    return rooms()


def links() -> dict[str, set[str]]:
    """Return the other rooms that each room imports, except those below all rooms or implied by a longer path."""
    direct: dict[str, set[str]] = {room: set() for room in rooms_once() if room != BELOW}
    for file, taken in graph().items():
        if not file.startswith("__") and (own := room_of(file)) != BELOW:
            direct[own] |= {room_of(t) for t in taken if not t.startswith("__")} - {own, BELOW}
            named = re.findall(r'f"roofproof\.(\w+)\.\{', (PACKAGE / file).read_text(encoding="utf-8"))
            direct[own] |= {TOGETHER.get(room, room) for room in named} - {own}

    def reached(room: str) -> set[str]:
        return direct[room].union(*map(reached, direct[room]))

    return {room: {b for b in to if not any(b in reached(c) for c in to)} for room, to in direct.items()}


def rows() -> list[list[str]]:
    """Return the rooms in rows, with each room in the highest row below all that import it."""
    to = links()

    def depth(room: str) -> int:
        return max((1 + depth(a) for a in to if room in to[a]), default=0)

    depths = {room: depth(room) for room in to}
    return [
        sorted((r for r in to if depths[r] == d), key=lambda r: (r not in LEFT, r))
        for d in range(max(depths.values()) + 1)
    ]


def lines(words: list[str], width: int) -> list[str]:
    """Return words wrapped into lines of at most `width` letters."""
    out: list[str] = []
    for word in words:
        if out and len(out[-1]) + 2 + len(word) <= width:
            out[-1] += f"  {word}"
        else:
            out.append(word)
    return out


def box(name: str, inside: list[str], x: float, y: float, width: float, height: float) -> Iterator[str]:
    yield f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="#f4f6f8" stroke="#5a6672"/>'
    middle = x + width / 2
    yield f'<text x="{middle:g}" y="{y + PAD + 9:g}" font-weight="bold">{name}</text>'
    for k, line in enumerate(inside, 1):
        yield f'<text x="{middle:g}" y="{y + PAD + 9 + k * LINE:g}" fill="#5a6672">{line}</text>'


def svg() -> str:
    """Return the picture as SVG."""
    boxes: list[str] = []
    places: dict[str, tuple[float, float, float, float]] = {}  # left, right, top, bottom
    y = 10.0
    for row in [*rows(), [BELOW]]:
        column = WIDTH / len(row)
        told = {room: lines(rooms_once()[room], int(column / LETTER) - 4) for room in row}
        height = 2 * PAD + LINE * max(map(len, told.values())) + 6
        for k, room in enumerate(row):
            width = max(150, LETTER * max(map(len, [room, *told[room]])) + 2 * PAD)
            x = column * (k + 0.5) - width / 2
            places[room] = (x, x + width, y, y + height)
            boxes += box(room, told[room], x, y, width, height)
        y += height + GAP
    arrows = []
    for room, to in links().items():
        left, right, _, bottom = places[room]
        for k, other in enumerate(sorted(to, key=lambda r: places[r])):
            start = (left + right) / 2 + 14 * (k - (len(to) - 1) / 2)
            first, last, top, _ = places[other]
            there = min(max(start, first + 20), last - 20)
            arrows.append(
                f'<line x1="{start:g}" y1="{bottom:g}" x2="{there:g}" y2="{top - 1:g}" stroke="#5a6672" '
                'marker-end="url(#arrow)"/>'
            )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y - GAP + 10:g}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">',
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z" fill="#5a6672"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
    )
    return "\n".join([*head, *arrows, *boxes, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
