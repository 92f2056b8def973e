"""Formulas that others write as text in Python's arithmetic, as functions of sizes that `audit` judges.

The text is parsed and never run: a formula by itself, a function or a method of a file in Python, or a manifest in the
form of TileOPs, which has a text for `flops` and for `bytes` of each operation.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy

from roofproof.audit.elsewhere import MOST_DEGREE
from roofproof.audit.reading import Callee, ExternalName, Reader, contents, degree, parsed
from roofproof.errors import MissingExtra, RoofproofError, quoted, unknown
from roofproof.symbols import dimension
from roofproof.toml import read_bytes

MAX_TEXT = 4_000  # characters
MAX_BYTES = 4 * 1024**2
QUANTITIES = ("flops", "bytes")
LISTED = re.compile(r"(.+?\.ya?ml):(.+)")
PLACE = re.compile(r"(.+?\.py):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)((?:\[\w+\])?)")

MEMBER = re.compile(r"[A-Z]\w*\.\w+")  # of an enumeration


def formula(text: str, *dims: str, **names: Any) -> Callable[..., Any]:
    """Return a text as a function of sizes: each of its names is arithmetic of dimensions, or one of `dims` itself.

    >>> from roofproof import op
    >>> from roofproof.audit import audit
    >>> theirs = formula("(M*K + K*N + M*N) * elem_bytes", M="B", K="D", N="F", elem_bytes=2)
    >>> audit(theirs, op("matmul"), "bytes").verdict
    'equal'
    >>> audit(formula("2*tokens*n*k // 2", tokens="B", n="D", k="F"), op("matmul")).ratio
    1/2

    Raises RoofproofError for a name that is not given, and for what is no such text.
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError(f"a formula of {len(text)} characters; at most {MAX_TEXT} are read")
    text = text.strip()
    said = f"formula {quoted(text, 60)}: expected arithmetic of sizes, as Python writes it"
    tree = parsed(text, "eval", said)
    try:
        return _of_sizes(Reader(text, _bound(dict(zip(dims, dims, strict=True)) | names)).number(tree.body))
    except (RecursionError, MemoryError):
        raise RoofproofError(said) from None


def formula_in(place: str, *dims: str, **names: Any) -> Callable[..., Any]:
    """Return the closed form of a function in a file, `FILE.py:NAME` or `FILE.py:CLASS.METHOD`, as a function of sizes.

    >>> from roofproof import op
    >>> from roofproof.audit import audit
    >>> theirs = formula_in("examples/other_tool.py:Product.flops", rows="B", inner="D", columns="F", bias=False)
    >>> audit(theirs, op("matmul")).verdict
    'equal'

    Nothing of the file runs. `names`, and the `dims` that are named as in the file, are the values of what it does not
    say: parameters, attributes (`rows` or `self.rows`), entries (`config["rows"]` is `rows` or `config.rows`), imported
    functions, each by a text of dimensions, a number, True, False, None, or a member of an enumeration. Of a result in
    parts `NAME[0]` and `NAME[flops]` are one. Raises RoofproofError for what is not given, and for a part that is no
    arithmetic of sizes, with its line.
    """
    found = PLACE.fullmatch(place)
    if found is None:
        raise RoofproofError(f"expected FILE.py:FUNCTION or FILE.py:CLASS.METHOD, got {quoted(place)}")
    path, name, part = found.groups()
    given = {**dict(zip(dims, dims, strict=True)), **names}
    return formula_from(read_bytes(path, MAX_BYTES, "file "), path, name, given, names, part.strip("[]"))


def formula_from(
    content: bytes, path: str, name: str, given: Mapping[str, Any], due: Iterable[str] = (), part: str = ""
) -> Callable[..., Any]:
    """Return a function of what a file in Python holds, as `formula_in` does; of what is given, `due` has to be read.

    >>> formula_from(b"def f(n): return 2 * n", "x.py", "f", {"n": "B"})(B=3)
    6
    """
    if len(content) > MAX_BYTES:
        raise RoofproofError(f"{quoted(path, 200)}: larger than {MAX_BYTES // 1024**2} MiB")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise RoofproofError(f"{quoted(path, 200)}: not UTF-8 text") from None
    body = contents(parsed(text, "exec", f"{quoted(path, 200)}: no Python"))
    reader = Reader(text, _bound(given), lambda node: f"{path}, line {getattr(node, 'lineno', 0)}: ", body)
    try:
        value = _result(reader, name, part, path)
    except (RecursionError, MemoryError):
        raise RoofproofError(f"{path}: {name} is nested too deeply") from None
    for each in sorted(set(due) - reader.used):
        raise RoofproofError(f"{path}: {name} reads no {quoted(each)}; what is given has to be read")
    return _of_sizes(value)


def _result(reader: Reader, name: str, part: str, path: str) -> sympy.Expr:
    """Evaluate a function at the values given; each parameter that is not, and has no default, is outside."""
    owner, dot, method = name.rpartition(".")
    first = reader.body.get(owner if dot else name)
    if first is None:
        raise unknown(f"name of {path}", owner if dot else name, reader.body)
    own = ExternalName("self", first) if isinstance(first, ast.ClassDef) else None
    callee: Any = Callee(first) if own is None else None
    if own is not None:
        node = ast.copy_location(ast.Attribute(ast.Name("self"), method), first)
        callee = reader.evaluated(ast.fix_missing_locations(node), ({"self": own},)) if dot else None
    if callee is None or isinstance(callee, ExternalName):
        raise RoofproofError(f"{path}: {name} is no function and no method of a class")
    if isinstance(callee, Callee):
        asked = callee.node.args
        every = [*asked.posonlyargs, *asked.args][callee.own is not None :]
        free = every[: len(every) - len(asked.defaults)]
        given = {p.arg: reader.given(p.arg) for p in (*every, *asked.kwonlyargs)}
        named = {n: found.value for n, found in given.items() if found is not None}
        named |= {p.arg: ExternalName(p.arg) for p in free if p.arg not in named}
        callee = reader.called(callee, [], named, callee.node)
    at: ast.AST = first
    if part:
        if isinstance(callee, dict):
            callee = callee.get(part)
        elif isinstance(callee, tuple) and part.isdecimal() and int(part) < len(callee):
            callee = callee[int(part)]
        else:
            raise reader.refused(at, f"what {name} returns has no part {quoted(part)}")
    if isinstance(callee, tuple | dict):
        parts = ", ".join(f"{name}[{k}]" for k in (callee if isinstance(callee, dict) else range(len(callee))))
        raise reader.refused(at, f"{name} returns several values; name one: {parts}")
    if not isinstance(callee, bool | sympy.Expr | ExternalName):
        raise reader.refused(at, f"{name} returns no number")
    return reader.as_number(at, callee)


def _bound(names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each name, in dimensions."""
    found = {}
    for name, value in names.items():
        if not isinstance(value, str):
            found[name] = _plain(name, value)
            continue
        if len(value) > MAX_TEXT:
            raise RoofproofError(f"{quoted(name)}: a value of {len(value)} characters; at most {MAX_TEXT} are read")
        tree = parsed(value.strip(), "eval", f"{name}={quoted(value, 60)}: expected arithmetic of dimensions")
        if isinstance(tree.body, ast.Attribute) and MEMBER.fullmatch(value.strip()):
            found[name] = ExternalName(value.strip())
            continue
        said = {node.id: dimension(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)}
        found[name] = Reader(value.strip(), said, lambda _, name=name: f"{name}: ").evaluated(tree.body)  # type: ignore[misc]
    return found


def _plain(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() < 64:
        return sympy.Integer(value)
    if isinstance(value, list | tuple):
        return tuple(_bound({name: each})[name] for each in value)
    raise RoofproofError(f"{quoted(name)}: {quoted(value)}: expected text, a whole number, true, false or a list")


def _of_sizes(value: sympy.Expr) -> Callable[..., Any]:
    """Return an expression as a function whose parameters are its sizes."""
    if degree(value) > MOST_DEGREE:
        raise RoofproofError(f"a formula of degree {degree(value)}; at most {MOST_DEGREE} is read")
    sizes = sorted(value.free_symbols, key=str)

    def of_sizes(*args: Any, **named: Any) -> Any:
        at = dict(zip((s.name for s in sizes), args, strict=False)) | named
        found = value.xreplace({s: sympy.sympify(at[s.name], strict=True) for s in sizes})
        return int(found) if found.is_Integer else found

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    of_sizes.__signature__ = inspect.Signature([inspect.Parameter(s.name, kind) for s in sizes])  # type: ignore[attr-defined]
    return of_sizes


def formula_of(text: str, dims: Sequence[str], names: Mapping[str, Any], quantity: str = "flops") -> Callable[..., Any]:
    """Return the formula that a text names: a place in a file, `FILE.py:NAME` or `FILE.yaml:NAME`, or its text.

    >>> formula_of("examples/formulas.yaml:RMSNorm", ["B", "D"], {"M": "B", "N": "D"})(B=2, D=8)      # 4 * 2 * 8
    64
    """
    if (found := LISTED.fullmatch(text)) is not None:
        path, name = found.groups()
        every = manifest(path)
        if name not in every:
            raise unknown(f"operation of {path}", name, every)
        if quantity not in QUANTITIES:
            raise unknown("quantity of a manifest", quantity, QUANTITIES)
        return formula(every[name][quantity], *dims, **names)
    return formula_in(text, *dims, **names) if is_place(text) else formula(text, *dims, **names)


def is_place(text: str) -> bool:
    """Tell whether a text names a function or an operation of a file.

    >>> is_place("perf.py:GEMM.flops"), is_place("2*M*N*K"), is_place("module:function")
    (True, False, False)
    """
    return PLACE.fullmatch(text) is not None or LISTED.fullmatch(text) is not None


def names_in(text: str) -> dict[str, Any]:
    """Read values of names as they are typed, separated by commas.

    >>> names_in("M=B, shape=[N, C], self.bias=False")
    {'M': 'B', 'shape': '[N, C]', 'self.bias': 'False'}
    """
    parts, depth, start = [], 0, 0
    for k, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    found: dict[str, Any] = {}
    for part in filter(str.strip, [*parts, text[start:]]):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            raise RoofproofError(f"names {quoted(part.strip())}: expected NAME=VALUE, such as M=B or bias=False")
        if found.setdefault(name, value) != value:
            raise RoofproofError(f"names: {quoted(name)} is given twice")
    return found


def manifest(path: str) -> dict[str, dict[str, str]]:
    """Return the texts of a manifest in YAML: `flops` and `bytes` of each operation that has both as text.

    >>> manifest("examples/formulas.yaml")["RMSNorm"]["bytes"]
    '(2 * M * N + N) * elem_bytes'

    Raises RoofproofError for a file that is none. PyYAML reads it, which is loaded here alone.
    """
    content = read_bytes(path, MAX_BYTES, "manifest ")
    try:
        import yaml
    except ImportError:
        raise MissingExtra("PyYAML", "yaml") from None
    try:
        table = yaml.safe_load(content)
    except (yaml.YAMLError, RecursionError, LookupError, AttributeError, TypeError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else "a value that is none"  # such as 2001-99-99, !!timestamp x
        raise RoofproofError(f"{quoted(path, 200)}: no YAML: {why}") from None
    if not isinstance(table, dict):
        raise RoofproofError(f"{quoted(path, 200)}: expected a table of operations, each with roofline")
    found = {}
    for name, entry in table.items():
        text = entry.get("roofline") if isinstance(entry, dict) else None
        if isinstance(text, dict) and all(isinstance(text.get(q), str) for q in QUANTITIES):
            found[str(name)] = {q: text[q] for q in QUANTITIES}
    return found
