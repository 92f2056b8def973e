"""Imports between files form no cycle. Late imports count, and imports only for types do not."""

import ast

from architecture import PACKAGE, file_of, graph, names


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of files that import each other, directly or not.

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
    assert circles(graph()) == []


def test_late_imports_are_seen_and_those_for_types_alone_are_not() -> None:
    late = "def f():\n    from roofproof.ops import Operation\n"
    typed = "if TYPE_CHECKING:\n    from roofproof.ops import Operation\nelse:\n    import roofproof.errors\n"
    assert [*names(ast.parse(late))] == ["roofproof.ops.Operation"]
    assert [*names(ast.parse(typed))] == ["roofproof.errors"]
    assert file_of("roofproof.ops.Operation") == PACKAGE / "ops" / "operation.py"
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]
