// The engine in a worker: Python, its libraries and roofproof, from the folder `engine/` beside this one.
// Takes {id, kind, payload}; sends {id, answer} for each, and {stage, loaded, total} on the way to being ready.

const folder = new URL("../engine/", import.meta.url);
const loaded = new Map();
let sizes = {};

function tell(stage) {
  const total = Object.keys(sizes).filter((name) => name !== "z3.bin").reduce((sum, name) => sum + sizes[name], 0);
  const sum = [...loaded.values()].reduce((so_far, each) => so_far + each, 0);
  postMessage({ stage, loaded: Math.min(sum, total), total });
}

async function fetched(name) {
  const response = await fetch(new URL(name, folder));
  if (!response.ok) throw new Error(`${name}: the server answers ${response.status}`);
  return response;
}

// A file of which some bytes came is so far loaded; `loaded` is in bytes as they travel.
async function counted(name) {
  const response = await fetched(name);
  const parts = [];
  let length = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded.set(name, (length += value.length));
    tell("loading");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// A bundle, as compiling.mjs makes it; Python inflates it, since not every browser can.
function unpack(python, bytes, home) {
  python.FS.writeFile("/packed", bytes, { canOwn: true });
  python.globals.get("unpack")("/packed", home);
  python.FS.unlink("/packed");
}

// z3 comes when something asks for it, which Python does without waiting: so does this, unless it is there by then.
let z3;

function late(python, home) {
  if (!z3) {
    postMessage({ stage: "z3", loaded: 0, total: sizes["z3.bin"] });
    const request = new XMLHttpRequest();
    request.open("GET", new URL("z3.bin", folder), false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status !== 200) throw new Error(`z3.bin: the server answers ${request.status}`);
    z3 = new Uint8Array(request.response);
    postMessage({ stage: "ready", loaded: 1, total: 1 });
  }
  unpack(python, z3, home);
  z3 = undefined;
}

async function start() {
  sizes = (await (await fetched("engine.json")).json()).sizes;
  const bundles = ["libraries.bin", "roofproof.bin"].map(counted);
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder));
  const python = await loadPyodide({ indexURL: folder.href, packages: [] });
  for (const name of Object.keys(sizes)) if (!name.endsWith(".bin")) loaded.set(name, sizes[name]);
  const home = python.runPython("import site; site.getsitepackages()[0]");
  python.runPython(`
import json, os
from compression import zstd

def unpack(packed, home):
    with zstd.open(packed) as content:
        for name, size in json.loads(content.readline()):
            path = f"{home}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb", buffering=0) as file:
                file.write(content.read(size))
`);
  for (const each of bundles) unpack(python, await each, home);
  tell("starting");
  python.registerJsModule("roofproof_late", { load: () => late(python, home) });
  const engine = python.runPython(`
import sys
from importlib import invalidate_caches
from importlib.machinery import PathFinder

class Late:
    """Finds z3 once it is unpacked."""
    there = False

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "z3" or cls.there:
            return None
        import roofproof_late
        from pyodide.ffi import JsException
        from roofproof.errors import Stopped
        try:
            roofproof_late.load()
        except JsException:
            raise Stopped("stopped: z3 could not be loaded; connect and ask again") from None
        cls.there = True
        invalidate_caches()
        return PathFinder.find_spec(name, path, target)

sys.meta_path.append(Late)
from roofproof.export.site.answers import in_json, warm
warm()
in_json
`);
  postMessage({ stage: "ready", loaded: 1, total: 1 });
  // What will be asked for next, perhaps without a connection; where it does not come now it may then.
  fetched("z3.bin").then((response) => response.arrayBuffer()).then((bytes) => (z3 = new Uint8Array(bytes)), () => undefined);
  return engine;
}

const ready = start();
ready.catch((error) => postMessage({ stage: "failed", text: String(error.message ?? error).trim().split("\n").at(-1) }));

onmessage = async ({ data: { id, kind, payload } }) => {
  try {
    const engine = await ready;
    postMessage({ id, answer: JSON.parse(engine(kind, JSON.stringify(payload))) });
  } catch (error) {
    postMessage({ id, answer: { error: `the engine failed: ${String(error.message ?? error).trim().split("\n").at(-1)}` } });
  }
};
