// The engine as a page asks it: `await ask("derive", {operation: "matmul", chip: "h100-sxm", unknown: "B"})`.
// All values are text. An answer that cannot be given is an Error whose message is one line.

let worker;
let state = { stage: "idle", loaded: 0, total: 0 };
let number = 0;
let running;
const waiting = [];
const listeners = new Set();

/** Tells how far the engine is: {stage, loaded, total, text}; returns a function that ends it. */
export function onprogress(listener) {
  listeners.add(listener);
  listener(state);
  return () => listeners.delete(listener);
}

/** Begins to load the engine, if nothing did before. */
export function start() {
  if (worker) return;
  tell({ stage: "loading", loaded: 0, total: 0 });
  if (location.protocol === "file:") return fail("file:");
  worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.stage === "failed") return fail(data.text);
    if (data.stage) return tell(data);
    const done = running;
    running = undefined;
    if (done?.id === data.id) done.settle(data.answer);
    next();
  };
  worker.onerror = (event) => fail(event.message || "the worker could not be started");
}

/** Asks a question; one that `signal` ends before its turn is never put, one that runs is answered to nobody. */
export function ask(kind, payload, { signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const question = { id: ++number, kind, payload, reject };
    question.settle = (answer) => (answer.error === undefined ? resolve(answer) : reject(new Error(answer.error)));
    signal?.addEventListener("abort", () => {
      const place = waiting.indexOf(question);
      if (place >= 0) waiting.splice(place, 1);
      reject(signal.reason);
    });
    waiting.push(question);
    if (state.stage === "failed") return fail(state.text);
    start();
    next();
  });
}

/** Asks only the newest question: an older one that waits is dropped, so that a slider never runs behind. */
export function newest() {
  let last;
  return (kind, payload) => {
    last?.abort(new DOMException("a newer question", "AbortError"));
    last = new AbortController();
    return ask(kind, payload, { signal: last.signal });
  };
}

/** Ends what runs, with the worker; the next question starts another. */
export function stop() {
  worker?.terminate();
  worker = undefined;
  const ended = [running, ...waiting.splice(0)].filter(Boolean);
  running = undefined;
  tell({ stage: "idle", loaded: 0, total: 0 });
  for (const question of ended) question.reject(new DOMException("stopped", "AbortError"));
}

function next() {
  if (running || !worker || !waiting.length) return;
  running = waiting.shift();
  worker.postMessage({ id: running.id, kind: running.kind, payload: running.payload });
}

function tell(now) {
  state = now;
  for (const listener of listeners) listener(state);
}

function fail(text) {
  tell({ stage: "failed", loaded: 0, total: 0, text });
  for (const question of [running, ...waiting.splice(0)].filter(Boolean)) question.reject(new Error(text));
  running = undefined;
}
