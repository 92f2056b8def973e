// A question of one's own: it stands in the address, so that it can be shared; the answer is graded by the engine.
import { start } from "./engine.mjs";
import { grading } from "./grading.mjs";
import { address, putAddress, say, showProgress } from "./page.mjs";

const form = document.getElementById("answering");
const asked = document.getElementById("asked");
const fields = ["op", "asks", "chip", "for", "at", "regime"];
const solved = ["threshold", "smallest", "largest", "rule"];
const chosen = () => Object.fromEntries(fields.map((name) => [name, asked.elements[name].value.trim()]));

function question() {
  const { op, asks, chip, for: unknown, at, regime } = chosen();
  const given = { op, asks, at, regime };
  if (solved.includes(asks)) given.for = unknown;
  if (solved.includes(asks) || ["time", "ridge", "bound"].includes(asks)) given.chip = chip;
  return given;
}

function told() {
  const { op, asks, chip, for: unknown, at, regime } = question();
  const words = form.dataset;
  const sentence = words[`ask${asks[0].toUpperCase()}${asks.slice(1)}`];
  document.getElementById("question").textContent = say(sentence, {
    op, x: unknown ?? "", chip: chip ? say(words.on, { chip }) : "", at: at ? say(words.at, { at }) : "", regime: regime ? say(words.in, { regime }) : "",
  });
}

const clear = grading(form, document.getElementById("feedback"), document.getElementById("hint"), () => ["check", question()]);

function read() {
  const given = address();
  if (given.op !== undefined) asked.elements.at.value = ""; // the usual sizes are those of the first question
  for (const name of fields) if (given[name] !== undefined) asked.elements[name].value = given[name];
  if (asked.elements.asks.value === "") asked.elements.asks.value = "threshold";
  told();
}
asked.addEventListener("input", (event) => {
  if (event.target.name === "op") asked.elements.at.value = "";
  clear();
  told();
  putAddress(chosen());
});
asked.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", read);
read();
if (showProgress()) {
  form.elements.answer.addEventListener("focus", start, { once: true });
} else {
  for (const each of form.elements) each.disabled = true;
}
