// The page of an operation: what is typed and dragged goes to the engine, what comes back is shown with its trust.
import { ask, newest, start } from "./engine.mjs";
import { address, lang, putAddress, save, say, setFormula, showHtml, showProgress } from "./page.mjs";

const SHOWN = ["integer", "which", "at", "threshold", "intensity", "ridge", "picture", "lines"];
const by = (id) => document.getElementById(id);
const asked = by("asked");
const { operation, chip, unknown } = asked.elements;
const given = address();
const figures = new Map(); // of the chip, moved by hand: name to {value, unit}
const sizes = new Map(); // name to text
const derive = newest();
let known = ""; // the operation whose dimensions are shown
let seen; // the last answer

operation.value = given.op ?? operation.value;
chip.value = given.chip ?? chip.value;
for (const part of (given.at ?? "").split(",").filter(Boolean)) sizes.set(...part.split("=").map((side) => side.trim()));

const ownChip = () => [...figures].map(([name, { value, unit }]) => `${name}=${value} ${unit}`).join(", ");
const question = () => ({
  operation: operation.value,
  chip: figures.size ? ownChip() : chip.value,
  unknown: unknown.value,
  at: [...sizes].filter(([name]) => name !== unknown.value).map((pair) => pair.join("=")).join(","),
  place: sizes.get(unknown.value) ?? "",
  regime: given.regime ?? "",
  lang,
});

function problem(error) {
  if (error.name === "AbortError") return;
  by("problem").textContent = error.message;
  for (const id of SHOWN) by(id).replaceChildren(); // what stands there is the answer to something else
  by("answer").removeAttribute("aria-busy");
  by("pending").hidden = true;
}

// A number that is not proved for what is asked now says so, until the proof is there.
function pending() {
  by("answer").setAttribute("aria-busy", "true");
  by("trust").hidden = true;
  by("pending").hidden = !by("integer").textContent;
}

async function dimensions() {
  const text = operation.value;
  const found = await ask("operation", { operation: text, lang });
  if (text !== operation.value) return;
  known = text;
  const before = unknown.value || given.for;
  unknown.replaceChildren(...found.dims.map((name) => new Option(name, name)));
  if (found.dims.includes(before)) unknown.value = before;
  for (const name of sizes.keys()) if (!found.dims.includes(name)) sizes.delete(name);
  for (const name of found.dims) if (!sizes.has(name)) sizes.set(name, String(found.sizes[name].usual));
  by("sizes").replaceChildren(...found.dims.map((name) => slider(name, sizeScale(found.sizes[name]), sizes.get(name), (text) => sizes.set(name, text))));
}

async function update() {
  pending();
  try {
    if (operation.value !== known) await dimensions();
    const now = question();
    putAddress({ op: now.operation, chip: figures.size ? now.chip : chip.value, for: now.unknown, at: [...sizes].map((pair) => pair.join("=")).join(","), regime: now.regime });
    show(await derive("derive", now));
    by("problem").textContent = "";
    if (by("proof").open) await showProof();
  } catch (error) {
    problem(error);
  }
}

function show(found) {
  seen = found;
  [by("integer").textContent, by("which").textContent] = found.says;
  by("trust").textContent = found.known;
  by("trust").className = `badge ${found.trust}`;
  by("pending").hidden = true;
  by("trust").hidden = false;
  if (found.at === null) by("at").replaceChildren();
  else setFormula(by("at"), found.at, true);
  showHtml(by("threshold"), found.threshold);
  setAll(by("intensity"), found.intensities);
  by("ridge").textContent = found.ridges.map(({ about }) => `${about} FLOP/B`).join("; ");
  if (found.picture) showHtml(by("picture"), found.picture);
  else by("picture").replaceChildren();
  by("answer").removeAttribute("aria-busy");
  if (!figures.size) showFigures(found.figures);
}

function setAll(element, formulas) {
  element.replaceChildren(...formulas.map((tex) => {
    const each = document.createElement("span");
    setFormula(each, tex, true);
    return each;
  }));
}

async function showProof() {
  showHtml(by("lines"), (await ask("proof", question())).html);
}

// Two scales of sliders: sizes go by quarters of a power of two over the range of their role, figures by a sixteenth of
// one around what is published.
const quarters = (size) => 4 * Math.log2(size);
const sizeScale = ({ least, most }) => ({
  steps: Math.ceil(quarters(most)) - Math.floor(quarters(least)),
  at: (step) => String(Math.min(most, Math.max(least, Math.round(2 ** ((step + Math.floor(quarters(least))) / 4))))),
  step: (text) => Math.round(quarters(Math.max(1, Number(text)))) - Math.floor(quarters(least)),
});
const figureScale = (published) => ({
  steps: 128,
  at: (step) => (step === 64 ? published : Number(Number(published) * 2 ** ((step - 64) / 16)).toPrecision(3)),
  step: (text) => Math.round(64 + 16 * Math.log2(Number(text) / Number(published))),
});

function slider(name, scale, text, put, unit = "") {
  const row = document.createElement("div");
  const [label, range, box, after] = ["label", "input", "input", "span"].map((tag) => document.createElement(tag));
  row.className = "slider";
  label.textContent = name;
  Object.assign(range, { type: "range", min: 0, max: scale.steps, step: 1, value: scale.step(text), id: `slide-${name}` });
  Object.assign(box, { type: "text", inputMode: "numeric", value: text, spellcheck: false });
  label.htmlFor = range.id;
  range.setAttribute("aria-label", say(asked.dataset.slider, { name }));
  range.setAttribute("aria-valuetext", text);
  box.setAttribute("aria-label", say(asked.dataset.value, { name }));
  after.textContent = unit;
  const change = (value) => {
    range.setAttribute("aria-valuetext", value);
    put(value);
    update();
  };
  range.addEventListener("input", () => change((box.value = scale.at(Number(range.value)))));
  box.addEventListener("change", () => {
    range.value = scale.step(box.value);
    change(box.value.trim());
  });
  row.append(label, range, box, after);
  return row;
}

function showFigures(found) {
  const put = (moved) => (text) => {
    for (const { name, value, unit } of found) if (!figures.has(name)) figures.set(name, { value, unit });
    figures.get(moved).value = text;
    by("reset").hidden = false;
  };
  by("figures").replaceChildren(...found.map(({ name, value, unit }) => slider(name, figureScale(value), value, put(name), unit)));
  by("reset").hidden = true;
}

function published() {
  figures.clear();
  update();
}

function typed(box, then) {
  let soon;
  box.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(then, 300);
  });
}

if (showProgress()) {
  typed(operation, update);
  typed(chip, published);
  unknown.addEventListener("change", update);
  by("reset").addEventListener("click", published);
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => event.preventDefault());
  by("proof").addEventListener("toggle", () => by("proof").open && seen && showProof().catch(problem));
  for (const button of document.querySelectorAll("[data-file]")) {
    button.addEventListener("click", async () => {
      by("taken").textContent = asked.dataset.making;
      try {
        const made = await ask("file", { ...question(), what: button.dataset.file });
        save(made);
        by("taken").textContent = say(asked.dataset.made, { name: made.name });
      } catch (error) {
        by("taken").textContent = "";
        problem(error);
      }
    });
  }
  start();
  update();
}
