"""The structure of the code, read from its syntax trees: the allowed imports, and rules for every file."""

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

MODULES = [  # modules with public names
    "roofproof",
    *(
        f"roofproof.{room}"
        for room in ("audit", "claims", "derive", "hardware", "ops", "proofs", "teach", "times", "trace")
    ),
]
HEAVY = {"sympy", "z3", "flint", "numpy"}  # libraries that are slow to import

# Functions that run text as code, or turn text into a number without saying how.
BUILTINS = {"eval", "exec", "compile"}
EVALUATORS = BUILTINS | {"sympify", "parse_expr", "parse_latex", "nsimplify", "S", "lambdify"}
COMPILER = "roofproof/derive/sweeps.py"  # turns formulas into functions of arrays
FLOATS = {"float", "Float", "N", "evalf"}
RENAMED = {  # old names that were replaced by plainer ones
    "_let_go_in_order", "_Lost", "_told_of", "_under_preconditions", "AmountBuilder", "Apart", "as_it_rises",
    "as_rare", "asked_operations", "at_least_zero", "classified", "comes_close", "comes_to", "Counted",
    "done_once", "Doubt", "edged", "Existing", "first_left", "floor_text", "floored", "gone_on", "handed_over",
    "in_child", "in_formulas", "in_order", "judged_by_signs", "keep_sealed", "kernel_form", "LeftOut",
    "letters_fit", "misshown", "Moving", "of_figure", "plainly_positive", "Priced", "refuse_files",
    "refuse_things", "restated", "reworded", "Sought", "stands_for", "swept", "sympy_form", "taken_back",
    "told_by", "told_in_one_line", "told_limit", "told_of", "told_threshold", "touched", "unguarded",
    "unlabelled", "unpriced_demands", "Untold", "Varied", "without_addresses", "without_dead_turns",
    "without_impossible",
}  # fmt: skip
EXACT = ["bounds", "proofs", "claims", "teach", "audit", "trace", "derive", "hardware"]
FLOAT_REASON = re.compile(r"# float: \S+")  # on the line itself: why a float is right there


def sources(under: Path = PACKAGE) -> list[Path]:
    return sorted(p for p in under.rglob("*.py") if "__pycache__" not in p.parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of every import, anywhere in the file."""
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
    """Return the last name of the called function. A method such as z3's `model.eval` is not the built-in."""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        builtin = isinstance(owner, ast.Name) and owner.id in {"builtins", "__builtins__"}
        return "" if node.func.attr in BUILTINS and not builtin else node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def test_what_is_shown_is_drawn_late() -> None:
    """roofproof.answer imports no output code. It loads roofproof.export by name when something is shown."""
    code = "import sys, roofproof.answer, roofproof.hardware.chips\n"
    code += "print(*(n for n in sys.modules if n.startswith('roofproof.export')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "\n"


def test_the_kernel_stands_alone() -> None:
    """The trusted code is the proof kernel and its terms: four files that import only the standard library."""
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
    rooms = {"roofproof", "roofproof.proofs", "roofproof.proofs.kernel", "roofproof._lazy"}
    assert files == {"kernel", "clearing", "transcendental", "terms"} | rooms


def evaluators(path: Path) -> Iterator[str]:
    """Yield each call that may run text.

    A strict sympify rejects text. One file turns formulas of listed functions into functions of arrays, and names every
    symbol itself.
    """
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and called(node) in EVALUATORS:
            given = {k.arg: k.value for k in node.keywords}
            sure = {"sympify": "strict"} | ({"lambdify": "dummify"} if short(path) == COMPILER else {})
            option = given.get(sure.get(called(node)))
            if not (isinstance(option, ast.Constant) and option.value is True):
                yield f"{short(path)}:{node.lineno}: {called(node)}(...) may run text; sympify needs strict=True"


def floats(path: Path) -> Iterator[str]:
    """Yield each float of a file without a reason."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree(path)):
        literal = isinstance(node, ast.Constant) and isinstance(node.value, float | complex)
        made = isinstance(node, ast.Call) and called(node) in FLOATS
        if (literal or made) and isinstance(node, ast.expr) and not FLOAT_REASON.search(lines[node.lineno - 1]):
            yield f"{short(path)}:{node.lineno}: a float without '# float: why'"


def test_nothing_evaluates_text() -> None:
    told = [said for path in sources() for said in evaluators(path)]
    assert not told, "\n".join(told)


def test_exact_rooms_hold_no_float() -> None:
    told = [said for room in EXACT for path in sources(PACKAGE / room) for said in floats(path)]
    assert not told, "\n".join(told)


@pytest.mark.parametrize(
    ("under", "half", "most"), [(PACKAGE, 152, 380), (ROOT / "tests", 160, 350)], ids=["package", "tests"]
)
def test_files_are_short(under: Path, half: int, most: int) -> None:
    """Half of the files are short, and nine in ten are not long. A long idea may take a long file."""
    lengths = sorted(len(p.read_text("utf-8").splitlines()) for p in sources(under))
    assert lengths[len(lengths) // 2] <= half and lengths[len(lengths) * 9 // 10] <= most


@pytest.mark.parametrize("room", ["derive", "hardware", "ops", "proofs"])
def test_a_link_at_the_root_leads_to_each_room(room: str) -> None:
    link = ROOT / room  # a checkout without symbolic links, as Windows has by default, has a file with the target
    target = os.readlink(link) if link.is_symlink() else link.read_text(encoding="utf-8")
    assert target == f"roofproof/{room}"


def public(room: str) -> Iterator[tuple[str, object]]:
    """Yield the public classes and functions of a subpackage, or of the package itself."""
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
    """Run `code` in a fresh interpreter in an empty home, and return its output."""
    environment = os.environ | {"HOME": str(where), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=where, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("module", ["roofproof", "roofproof.hardware", "roofproof.cli"])
def test_importing_is_light_and_leaves_no_trace(module: str, tmp_path: Path) -> None:
    code = f"import sys, {module}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    assert after(code, tmp_path).strip() == ""
    assert not list(tmp_path.iterdir())


SEARCH = {f"roofproof.proofs.search.{name}" for name in ("tactics", "certificates")}
SOLVERS = {f"roofproof.proofs.oracles.{name}" for name in ("smt", "slopes")}
KEPT = {f"roofproof.{name}" for name in ("hardware.calibration", "derive.roofline.share", "derive.roofline.keeping")}
DEEP = {"roofproof.proofs.steps.thresholds", "roofproof.derive.optima.optima", "roofproof.claims.judge.optima"}


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (["derive", "matmul", "--for", "B"], SEARCH | SOLVERS | {"roofproof.hardware.figure"}),
        (["derive", "matmul", "--chip", "tpu-v5e", "--for", "B"], KEPT | {"roofproof.bounds.regions"}),
        (
            ["grade", "--op", "matmul", "--chip", "tpu-v5e", "--for", "B", "--answer", "B > 120"],
            SEARCH
            | SOLVERS
            | KEPT
            | {"roofproof.derive.limits.theorems", "roofproof.ops.combine", "roofproof.formula.dimensions"},
        ),
        (["verify", "one.toml"], DEEP | {"roofproof.proofs.replay.store", "roofproof.claims.judge.steps"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_answer_imports_what_it_asks(command: list[str], without: set[str], tmp_path: Path) -> None:
    """A threshold imports no proof search, and a claim about a threshold imports no optima."""
    says = "compute_bound(matmul, tpu-v5e) <=> B > 243"
    (tmp_path / "one.toml").write_text(f'[[claim]]\nid = "a"\nsays = "{says}"\nexpect = "refuted"\n', "utf-8")
    assert all((ROOT / f"{name.replace('.', '/')}.py").is_file() for name in without)
    code = f"import sys; from roofproof.cli import main; main({command!r}); print(*sys.modules)"
    assert not without & set(after(code, tmp_path).splitlines()[-1].split())


def tracked() -> list[Path]:
    """Return the files under version control, or every plain source file if there is no checkout."""
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


def test_a_thing_that_was_renamed_keeps_its_plain_name() -> None:
    found = [
        f"{short(path)}:{node.lineno}: {node.name}"
        for path in sources()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in RENAMED
    ]
    assert found == [] and not RENAMED & {path.stem for path in sources()}
