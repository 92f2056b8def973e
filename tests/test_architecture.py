"""The shape of the code, read from its syntax trees: who imports whom, and what no file may do."""

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "roofproof"

# Who may import whom: cli -> commands -> export -> teach -> {claims, audit, atlas} -> proofs -> derive
# -> {ops, hardware}; trace -> ops.
DERIVED = {"derive", "ops", "hardware"}
PROVED = DERIVED | {"proofs"}
SAID = PROVED | {"claims", "audit", "atlas", "trace"}
BELOW = {
    "cli": {"commands"},
    "commands": SAID | {"teach", "export"},
    "pytest_plugin": SAID,
    "export": SAID | {"teach"},
    "teach": PROVED | {"claims", "trace"},
    "claims": PROVED,
    "audit": PROVED,
    "atlas": PROVED,
    "trace": {"ops"},
    "proofs": DERIVED,
    "derive": {"ops", "hardware"},
    "ops": set[str](),
    "hardware": set[str](),
    "display": {"export"},  # when a notebook shows something, and not before
}

# Inside derive and proofs: which of its rooms a room may import.
INNER = {
    "derive": {
        "algebra": set[str](),
        "inequalities": {"algebra"},
        "roofline": {"algebra", "inequalities", "limits"},
        "limits": {"algebra", "inequalities"},
        "optima": {"algebra", "inequalities"},
        "sweeps": {"algebra", "roofline"},
    },
    "proofs": {
        "kernel": set[str](),
        "powers": {"kernel"},
        "names": {"kernel"},
        "translate": {"kernel", "powers", "names"},
        "oracles": {"kernel", "names", "translate"},
        "statement": {"kernel", "names", "oracles"},
        "known": {"kernel", "oracles", "statement"},
        "derivation": {"kernel", "known"},
        "search": {"kernel", "translate", "oracles", "statement", "known"},
        "provers": {"kernel", "names", "translate", "oracles", "statement", "known", "derivation", "search"},
        "replay": {"kernel", "translate", "oracles", "statement", "known", "derivation", "search", "provers"},
        "steps": {"oracles", "kernel", "translate", "statement", "known", "search", "provers"},
    },
}
TOP = {"cli", "commands", "display", "export", "pytest_plugin"}  # nobody imports from them
# Below all rooms.
BASE = {
    "_lazy", "_moved", "apart", "clock", "confined", "errors", "formats", "processors", "sentences", "symbols", "toml",
    "unfinished",
}  # fmt: skip
MODULES = ["roofproof", *(f"roofproof.{room}" for room in BELOW if room not in TOP | BASE)]
FRONT = {"__init__", "__main__"}  # the door: hands out names of every room
HEAVY = {"sympy", "z3", "lark", "pint", "flint", "numpy"}  # libraries that cost time to import

# Names whose call would run text as code, or make a number of text without saying how.
BUILTINS = {"eval", "exec", "compile"}
EVALUATORS = BUILTINS | {"sympify", "parse_expr", "parse_latex", "nsimplify", "S", "lambdify"}
COMPILER = "roofproof/derive/sweeps/compiled.py"  # formulas to functions of arrays
FLOATS = {"float", "Float", "N", "evalf"}
EXACT = ["proofs", "claims", "teach", "audit", "atlas", "trace", "derive", "hardware"]
FLOAT_REASON = re.compile(r"# float: \S+")  # on the line itself: where a float is right, and why


def sources(under: Path = PACKAGE) -> list[Path]:
    return sorted(p for p in under.rglob("*.py") if "__pycache__" not in p.parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def part(path: Path) -> str:
    """Return the room or the module at the top of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of every import, wherever in the file it stands."""
    package = ["roofproof", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *filter(None, [node.module])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant):
                    yield node.lineno, str(argument.value)


def called(node: ast.Call) -> str:
    """Return the last name of what is called; a method such as z3's `model.eval` is not the built-in."""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        builtin = isinstance(owner, ast.Name) and owner.id in {"builtins", "__builtins__"}
        return "" if node.func.attr in BUILTINS and not builtin else node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


@pytest.mark.parametrize("path", [p for p in sources() if part(p) not in FRONT], ids=short)
def test_imports_run_one_way(path: Path) -> None:
    own = part(path)
    allowed = BELOW.get(own, set()) | BASE | ({own} if own in BELOW else set())
    for line, name in imports(path):
        if name.split(".")[0] == "roofproof":
            target = name.split(".")[1] if "." in name else "the package itself"
            assert target in allowed | {"__version__"}, f"{short(path)}:{line}: {own} must not import {name}"


def inner() -> Iterator[tuple[str, str, int]]:
    """Yield each import inside derive or proofs against its direction: the file, what it imports, the line."""
    for room, below in INNER.items():
        for path in sources(PACKAGE / room):
            own = path.relative_to(PACKAGE / room).parts[0].removesuffix(".py")
            for line, name in imports(path):
                target = name.split(".")[2] if name.startswith(f"roofproof.{room}.") else own
                if own in below and target != own and target not in below[own]:
                    yield short(path), file_of(name), line


def file_of(name: str) -> str:
    """Return the file that an import takes, named as a path in the package, or the room where it takes that."""
    parts = name.split(".")
    found = (PACKAGE.joinpath(*parts[1:k]).with_suffix(".py") for k in range(len(parts), 1, -1))
    return next((short(p) for p in found if p.exists()), name)


def test_imports_inside_a_room_run_one_way() -> None:
    told = [f"{path}:{line} imports {target}" for path, target, line in inner()]
    assert not told, "\n".join(told)


@pytest.mark.parametrize("room", INNER)
def test_every_part_of_a_room_has_its_place(room: str) -> None:
    parts = {p.relative_to(PACKAGE / room).parts[0].removesuffix(".py") for p in sources(PACKAGE / room)}
    assert parts == set(INNER[room]) | {"__init__"}


def test_what_a_notebook_shows_is_drawn_late() -> None:
    """The formatters know the types by their names, and import the room that draws when something is shown."""
    top = [node for node in tree(PACKAGE / "display.py").body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not top
    code = "import sys, roofproof.display, roofproof.hardware.chips\n"
    code += "print(*(n for n in sys.modules if n.startswith('roofproof.export')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "\n"


def test_every_part_of_the_package_has_its_place() -> None:
    parts = {part(p) for p in sources()}
    assert parts <= set(BELOW) | BASE | FRONT


def test_the_kernel_stands_alone() -> None:
    """What has to be trusted is the kernel and the terms it is about: four files and the standard library."""
    below = {"kernel": ("clearing", "terms", "transcendental"), "clearing": ("terms",), "transcendental": ("terms",)}
    room = PACKAGE / "proofs" / "kernel"
    assert {p.stem for p in sources(room)} == {"kernel", "clearing", "transcendental", "terms", "__init__"}
    for path in sources(room):
        for line, found in imports(path):
            inside = found.startswith(tuple(f"roofproof.proofs.kernel.{b}." for b in below.get(path.stem, ())))
            assert inside or found.split(".")[0] in sys.stdlib_module_names, f"{short(path)}:{line}: {found}"


def test_importing_the_kernel_imports_nothing_else() -> None:
    code = "import sys, roofproof.proofs.kernel.kernel; print(*(n for n in sys.modules if n.startswith('roofproof')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = {name.removeprefix("roofproof.proofs.kernel.") for name in done.stdout.split()}
    rooms = {"roofproof", "roofproof.proofs", "roofproof.proofs.kernel", "roofproof._lazy", "roofproof._moved"}
    assert files == {"kernel", "clearing", "transcendental", "terms"} | rooms


@pytest.mark.parametrize("path", sources(), ids=short)
def test_nothing_evaluates_text(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and called(node) in EVALUATORS:
            if called(node) == "sympify" and any(k.arg == "strict" for k in node.keywords):
                strict = next(k.value for k in node.keywords if k.arg == "strict")
                if isinstance(strict, ast.Constant) and strict.value is True:
                    continue  # this one refuses text
            if called(node) == "lambdify" and short(path) == COMPILER:
                own = next((k.value for k in node.keywords if k.arg == "dummify"), None)
                if isinstance(own, ast.Constant) and own.value is True:
                    continue  # this one gets formulas of listed functions alone, and names every symbol itself
            pytest.fail(f"{short(path)}:{node.lineno}: {called(node)}(...) may run text; sympify needs strict=True")


@pytest.mark.parametrize("path", [p for room in EXACT for p in sources(PACKAGE / room)], ids=short)
def test_exact_rooms_hold_no_float(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree(path)):
        literal = isinstance(node, ast.Constant) and isinstance(node.value, float | complex)
        made = isinstance(node, ast.Call) and called(node) in FLOATS
        if literal or made:
            assert isinstance(node, ast.expr)
            reason = FLOAT_REASON.search(lines[node.lineno - 1])
            assert reason, f"{short(path)}:{node.lineno}: a float without '# float: why'"


def test_no_file_needs_more_than_four_hundred_lines() -> None:
    tests = sources(ROOT / "tests")
    long = {short(p): n for p in [*sources(), *tests] if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert not long


@pytest.mark.parametrize("room", ["derive", "hardware", "ops", "proofs"])
def test_a_link_at_the_root_leads_to_each_room(room: str) -> None:
    link = ROOT / room
    assert link.is_symlink()
    assert os.readlink(link) == f"roofproof/{room}"


def public(room: str) -> Iterator[tuple[str, object]]:
    """Yield the classes and functions that a room, or the package itself, offers by name."""
    module = importlib.import_module(room)
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if callable(thing) and getattr(thing, "__module__", "").startswith("roofproof"):
            yield name, thing


@pytest.mark.parametrize("room", MODULES)
def test_public_names_show_an_example(room: str) -> None:
    bare = [name for name, thing in public(room) if ">>> " not in (thing.__doc__ or "")]
    assert not bare, f"{room}: no example in the docstring of {', '.join(bare)}"


@pytest.mark.parametrize("room", MODULES)
def test_rooms_say_what_they_offer(room: str) -> None:
    assert list(public(room)), f"{room} offers nothing in __all__"


def after(code: str, where: Path) -> str:
    """Run `code` in a fresh interpreter in an empty home and return what it printed."""
    environment = os.environ | {"HOME": str(where), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=where, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("module", ["roofproof", "roofproof.hardware", "roofproof.cli"])
def test_importing_is_light_and_leaves_no_trace(module: str, tmp_path: Path) -> None:
    code = f"import sys, {module}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    assert after(code, tmp_path).strip() == ""
    assert not list(tmp_path.iterdir())


def tracked() -> list[Path]:
    """Return the files under version control, or every plain source where there is no checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        return [*sources(), *sources(ROOT / "tests"), *ROOT.glob("*.md"), *ROOT.glob("*.toml")]
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [p for p in paths if p.is_file() and not p.is_symlink()]


# Spelled with brackets so that this file does not match itself.
PRIVATE = {
    "a path of one machine": r"(?<![\w.])/(wor[k]|roo[t]|hom[e]|op[t]|User[s])/",
    "a package host or its settings": r"py[p]i\.org|python[h]osted|--(extra-)?index-[u]rl|--find-[l]inks",
    "how the text was made": r"(?i)\bsessio[n]s?\b",
}


@pytest.mark.parametrize("what", PRIVATE)
def test_files_speak_of_the_project_alone(what: str) -> None:
    pattern = re.compile(PRIVATE[what])
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{short(path)}:{number}: {line.strip()[:80]}")
    assert not found, f"names {what}:\n" + "\n".join(found)
