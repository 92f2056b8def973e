// Compiles Python files with the interpreter that will run them: FOLDER of the interpreter, the files, the compiled ones.
// These are an archive of the standard library, which Python reads by itself, or a bundle: the names and sizes of files in
// a line of JSON, and the files one after another, compressed by zstd, which that interpreter has and older ones lack.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, given, made] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ packages: [] });
python.FS.writeFile("/given.zip", new Uint8Array(readFileSync(given)));
python.runPython(`
import ast
import json
from compression import zstd
from importlib import _bootstrap_external, util
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ZipFile("/given.zip").extractall("/given")
# Our own source stays beside what is compiled of it; of the rest that alone goes. Its docstrings, which nobody reads there, are
# empty: they are a tenth of what would travel.
ours, standard = Path("/given/roofproof").is_dir(), Path("/given/os.py").is_file()
home = "/lib/python314.zip" if standard else "/lib/python3.14/site-packages"
for path in Path("/given").rglob("*.py"):
    source, name = path.read_bytes(), f"{home}/{path.relative_to('/given')}"
    tree = ast.parse(source, name)
    for node in [] if ours else ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[0].value.value = ""
    code = compile(tree, name, "exec", dont_inherit=True, optimize=1 if standard else 0)
    made = Path(util.cache_from_source(path)) if ours else path.with_suffix(".pyc")
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(_bootstrap_external._code_to_hash_pyc(code, util.source_hash(source), False))
kept = sorted(path for path in Path("/given").rglob("*") if path.is_file() and (ours or path.suffix != ".py"))
content = {path.relative_to("/given").as_posix(): path.read_bytes() for path in kept}
if standard:
    with ZipFile("/made", "w", ZIP_DEFLATED, compresslevel=9) as made:
        for name, each in content.items():
            made.writestr(ZipInfo(name), each, ZIP_DEFLATED)
else:
    table = json.dumps([[name, len(each)] for name, each in content.items()], separators=(",", ":")).encode() + b"\\n"
    Path("/made").write_bytes(zstd.compress(table + b"".join(content.values()), level=19))
`);
writeFileSync(made, python.FS.readFile("/made"));
