// Compiles Python files with the interpreter that will run them: FOLDER of the interpreter, the files, the compiled ones.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, given, made] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ packages: [] });
python.FS.writeFile("/given.zip", new Uint8Array(readFileSync(given)));
python.runPython(`
import ast
from importlib import _bootstrap_external, util
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

ZipFile("/given.zip").extractall("/given")
# Our own source stays beside what is compiled of it; of the rest that alone goes. Docstrings, which nobody reads there, are
# empty: they are a tenth of what would travel.
ours, standard = Path("/given/roofproof").is_dir(), Path("/given/os.py").is_file()
home = "/lib/python314.zip" if standard else "/lib/python3.14/site-packages"
for path in Path("/given").rglob("*.py"):
    source, name = path.read_bytes(), f"{home}/{path.relative_to('/given')}"
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[0].value.value = ""
    code = compile(tree, name, "exec", dont_inherit=True, optimize=1 if standard else 0)
    made = Path(util.cache_from_source(path)) if ours else path.with_suffix(".pyc")
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(_bootstrap_external._code_to_hash_pyc(code, util.source_hash(source), False))
with ZipFile("/made.zip", "w", ZIP_DEFLATED) as made:
    for path in sorted(Path("/given").rglob("*")):
        if path.is_file() and (ours or path.suffix != ".py"):
            made.write(path, path.relative_to("/given"))
`);
writeFileSync(made, python.FS.readFile("/made.zip"));
