"""The browser version as files: Python, its libraries and roofproof, compiled in advance, and z3 separately."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_STORED, ZipFile

from roofproof.errors import RoofproofError
from roofproof.export.site.runtime import READABLE, archive, cache_folder, cache_read, cache_write, npm_files, pins

SECONDS = 540  # the time limit for compiling, which takes about 15 s
LATE = "z3-solver"
STDLIB = "python_stdlib.zip"
STDLIB_UNUSED = (
    "multiprocessing/", "pydoc_data/", "wsgiref/", "xml/", "xmlrpc/", "ftplib.", "imaplib.", "mailbox.", "optparse.",
    "pickletools.", "plistlib.", "poplib.", "pstats.", "smtplib.",
)  # fmt: skip
SYMPY_UNUSED = tuple(
    f"sympy/{part}/"
    for part in (
        "categories", "crypto", "diffgeom", "holonomic", "liealgebras", "sandbox", "stats", "testing", "vector",
        *(f"physics/{room}" for room in ("biomechanics", "continuum_mechanics", "control", "hep", "mechanics", "optics",
                                         "quantum", "vector")),
        *(f"parsing/{grammar}" for grammar in ("autolev", "c", "fortran", "latex")),
    )
)  # fmt: skip
"""Parts of SymPy that neither SymPy nor roofproof imports. (SymPy's simplification does import physics.units.)"""
FLINT_UNUSED = tuple(
    f"flint/{part}."
    for part in (
        *(f"types/{kind}" for kind in ("acb_mat", "acb_poly", "acb_series", "acb_theta", "arb_mat", "arb_poly",
                                       "arb_series", "fmpq_series", "fmpz_mod_mpoly", "fmpz_series", "fq_default",
                                       "fq_default_poly", "nmod_mpoly", "nmod_series")),
        "functions/showgood",
    )
)  # fmt: skip
"""Types of FLINT that neither SymPy nor roofproof uses. Each type is imported only on first use."""
LEFT_OUT = (".c", ".cpp", ".h", ".pxd", ".pyi", ".pyx", "x86_64-linux-gnu.so", "/RECORD", "/libz3.so.5.3")
LATER = """
def __getattr__(name):
    from importlib import import_module

    if name not in _homes:
        raise AttributeError(name)
    found = globals()[name] = getattr(import_module(_homes[name], __name__), name)
    return found
"""
TESTS = ("/tests/", "/test/", "/testsuite/", "/benchmarks/", "/include/")
OURS_UNUSED = ("export/site/assets/", "trace/aten/", "trace/jaxpr/")
"""Files of roofproof that no answer in a browser needs: assets of pages, and packages that need PyTorch or JAX."""


def engine_files() -> dict[str, bytes]:
    """Return the files of the browser version: the interpreter, three bundles, and `engine.json` with their sizes.

    Raises RoofproofError if an archive is missing and cannot be fetched, or if Node.js is missing.
    """
    interpreter = npm_files("pyodide")
    lock = json.loads(interpreter["pyodide-lock.json"])
    # The folder is complete, so no package is loaded by name from outside.
    interpreter["pyodide-lock.json"] = json.dumps({**lock, "packages": {}}).encode()
    libraries = [name for name in pins()["pip"] if name != LATE]
    made = interpreter | {
        STDLIB: _compiled(interpreter, _standard_library(interpreter), kept=True),
        "libraries.bin": _compiled(interpreter, _wheels(libraries), kept=True),
        "roofproof.bin": _compiled(interpreter, dict(_ours())),
        "z3.bin": _compiled(interpreter, _wheels([LATE]), kept=True),
    }
    sizes = {name: len(content) for name, content in made.items()}
    return made | {"engine.json": json.dumps({"sizes": sizes}, indent=1).encode()}


def _standard_library(interpreter: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the standard library. Compiling them took a third of the start-up time."""
    with ZipFile(BytesIO(interpreter[STDLIB])) as packed:
        names = [name for name in packed.namelist() if not name.endswith("/") and not name.startswith(STDLIB_UNUSED)]
        return {name: packed.read(name) for name in names}


def _wheels(names: Iterable[str]) -> dict[str, bytes]:
    found = {}
    for name in names:
        with ZipFile(BytesIO(archive("pip", name))) as wheel:
            for path in wheel.namelist():
                tested = any(part in path for part in TESTS)
                if not (path.endswith(("/", *LEFT_OUT)) or path.startswith(SYMPY_UNUSED + FLINT_UNUSED) or tested):
                    found[path] = wheel.read(path)
    if "flint/__init__.py" in found:
        found["flint/__init__.py"] = lazy_imports(found["flint/__init__.py"].decode()).encode()
    return found


def lazy_imports(source: str) -> str:
    """Return the source of a package with its types imported on first use, because a browser links each separately.

    >>> print(lazy_imports("from .base import ctx\\nfrom .types.fmpz import fmpz, fmpz_vec").split("\\n\\n")[0])
    from .base import ctx
    _homes = {'fmpz': '.types.fmpz', 'fmpz_vec': '.types.fmpz'}
    """
    body = ast.parse(source).body
    late = [
        n
        for n in body
        if isinstance(n, ast.ImportFrom) and n.level == 1 and str(n.module).startswith(("types.", "functions."))
    ]
    homes = {each.name: f".{node.module}" for node in late for each in node.names}
    kept = ast.unparse(ast.Module([node for node in body if node not in late], []))
    return f"{kept}\n_homes = {homes}\n{LATER}"


def _ours() -> Iterator[tuple[str, bytes]]:
    """Yield the files of this package with their source, so that users can read what runs in the browser."""
    home = Path(str(files("roofproof")))
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if path.is_file() and "__pycache__" not in name and not name.startswith(OURS_UNUSED):
            yield f"roofproof/{name}", path.read_bytes()


def _compiled(interpreter: Mapping[str, bytes], content: Mapping[str, bytes], kept: bool = False) -> bytes:
    """Return Python files compiled and packed by the interpreter that will run them, cached if `kept`.

    A browser would compile them on each visit, which takes longer than everything else.
    """
    script = files(__package__) / "compiling.mjs"
    seen = sha256(script.read_bytes() + interpreter["pyodide.asm.wasm"])
    for name, each in content.items():
        seen.update(f"{name} {len(each)}\n".encode() + each)
    place = cache_folder() / f"{seen.hexdigest()}.made"
    packed = (cache_read(place) if kept else None) or _by_node(interpreter, content, script)
    if kept:
        cache_write(place, packed)
    return packed


def _by_node(interpreter: Mapping[str, bytes], content: Mapping[str, bytes], script: Traversable) -> bytes:
    node = shutil.which("node")
    if node is None:
        raise RoofproofError("the browser version needs Node.js; install it, or <readable>", readable=READABLE)
    with TemporaryDirectory() as home, as_file(script) as path:
        for name, each in interpreter.items():
            (Path(home) / name).write_bytes(each)
        given, made = Path(home) / "given.zip", Path(home) / "made"
        with ZipFile(given, "w", ZIP_STORED) as packed:
            for name, each in content.items():
                packed.writestr(name, each)
        try:
            done = subprocess.run(
                [node, str(path), home, str(given), str(made)], capture_output=True, timeout=SECONDS,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RoofproofError(
                "the build of the browser version took more than <seconds> s; try again on an idle machine",
                seconds=SECONDS,
            ) from None
        if done.returncode or not made.is_file():
            said = done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1][:200]
            raise RoofproofError(
                "<node> could not build the browser version: <said>; expected Node.js 20 or newer", node=node, said=said
            )
        return made.read_bytes()
