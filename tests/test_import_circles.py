"""No file needs itself: imports of files make no circle, late ones included; those for types alone are left out."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "roofproof"
# What is still to be mended: files that need each other.
REMAINING = [
    {
        "claims/judging/comparing.py", "claims/judging/in_regime.py", "claims/judging/judge.py",
        "claims/numbers/rounded_threshold.py",
    },
]  # fmt: skip


@cache
def offered() -> dict[str, str]:
    """Return the home of each name that a room offers, from the stub beside its `__init__.py`."""
    homes = {}
    for stub in PACKAGE.rglob("__init__.pyi"):
        room = ".".join(stub.parent.relative_to(ROOT).parts)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                homes |= {f"{room}.{a.asname or a.name}": f"{node.module}.{a.name}" for a in node.names}
            elif isinstance(node, ast.Assign):
                homes[f"{room}.{ast.unparse(node.targets[0])}"] = homes[f"{room}.{ast.unparse(node.value)}"]
    return homes


def file_of(name: str) -> Path | None:
    """Return the file that an import takes; of a name that a room offers, the file it is from."""
    while name in offered():
        name = offered()[name]
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        for path in (ROOT.joinpath(*parts[:k]).with_suffix(".py"), ROOT.joinpath(*parts[:k], "__init__.py")):
            if path.exists():
                return path
    return None


def names(node: ast.AST) -> Iterator[str]:
    """Yield the full name of every import below a node, but for those that only a type checker makes."""
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


def graph(under: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the files that each file of the package imports."""
    found = {}
    for path in sorted(under.rglob("*.py")):
        taken = (file_of(n) for n in names(ast.parse(path.read_text(encoding="utf-8"))) if n.startswith("roofproof"))
        found[short(path)] = {short(t) for t in taken if t is not None and t != path}
    return found


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of files that reach each other.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]
    True
    """
    reached: dict[str, set[str]] = {}
    for start in imports:
        seen, todo = set[str](), [start]
        while todo:
            new = imports[todo.pop()] - seen
            seen |= new
            todo += new
        reached[start] = seen
    sets = {frozenset(b for b in reached[a] if a in reached[b]) for a in imports if a in reached[a]}
    return sorted(map(set, sets), key=sorted)


def test_files_import_in_no_circle() -> None:
    assert circles(graph()) == REMAINING


def test_late_imports_are_seen_and_those_for_types_alone_are_not() -> None:
    late = "def f():\n    from roofproof.ops import Operation\n"
    typed = "if TYPE_CHECKING:\n    from roofproof.ops import Operation\nelse:\n    import roofproof.errors\n"
    assert [*names(ast.parse(late))] == ["roofproof.ops.Operation"]
    assert [*names(ast.parse(typed))] == ["roofproof.errors"]
    assert file_of("roofproof.ops.Operation") == PACKAGE / "ops" / "operation.py"
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]
