// Compiles Python files with the interpreter that will run them: FOLDER of the interpreter, the files, the compiled ones.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, given, made] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ packages: [] });
python.FS.writeFile("/given.zip", new Uint8Array(readFileSync(given)));
python.runPython(`
import os
from compileall import compile_dir
from pathlib import Path
from py_compile import PycInvalidationMode
from zipfile import ZIP_DEFLATED, ZipFile

ZipFile("/given.zip").extractall("/given")
# Our own source stays beside what is compiled of it; of the libraries that alone goes, of Python's without its docstrings.
ours, standard = Path("/given/roofproof").is_dir(), Path("/given/os.py").is_file()
home = "/lib/python314.zip" if standard else "/lib/python3.14/site-packages"
if not compile_dir("/given", quiet=1, legacy=not ours, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
                   stripdir="/given", prependdir=home, optimize=2 if standard else -1):
    raise SystemExit("a file could not be compiled")
with ZipFile("/made.zip", "w", ZIP_DEFLATED) as made:
    for path in sorted(Path("/given").rglob("*")):
        if path.is_file() and (ours or path.suffix != ".py"):
            made.write(path, path.relative_to("/given"))
`);
writeFileSync(made, python.FS.readFile("/made.zip"));
