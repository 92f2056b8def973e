// What pages of the engine share: how far it is, formulas, files to take along, what the address says.
import katex from "../katex/katex.mjs";
import { onprogress } from "./engine.mjs";

/** The language of the page, as the engine names it. */
export const lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

/** Fills the gaps of a sentence: `<name>`. */
export const say = (sentence, parts = {}) => sentence.replace(/<([a-z]+)>/g, (gap, name) => parts[name] ?? gap);

/** Whether the site has the engine, and what the page says of it; a page without one stays as it is. */
export function showProgress(place = document.querySelector(".engine")) {
  if (place.dataset.engine === "none") return false;
  const [line, bar] = [place.querySelector("p"), place.querySelector("progress")];
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  onprogress(({ stage, loaded, total, text }) => {
    const why = text === "file:" ? "file" : stage === "loading" && !total ? "starting" : stage; // how much, nobody knows yet
    line.textContent = say(place.dataset[why], { loaded: megabytes(loaded), total: megabytes(total), why: text ?? "" });
    line.classList.toggle("problem", stage === "failed");
    place.dataset.stage = stage;
    bar.hidden = !["loading", "starting", "z3"].includes(stage);
    if (stage === "loading" && total) bar.value = loaded / total;
    else bar.removeAttribute("value");
  });
  return true;
}

/** Sets the formulas in an element that the engine marked. */
export function typeset(element) {
  for (const each of element.querySelectorAll(".tex:not(.set)")) setFormula(each, each.textContent, each.classList.contains("large"));
}

/** Sets one formula. */
export function setFormula(element, tex, large = false) {
  katex.render(large ? `\\displaystyle ${tex}` : tex, element, { throwOnError: false, strict: "ignore", maxExpand: 100 });
  element.classList.add("tex", "set");
}

/** Shows HTML that the engine made: text in it is escaped there, formulas are set here. */
export function showHtml(element, html) {
  element.innerHTML = html;
  typeset(element);
}

/** Saves a file that the engine made. */
export function save({ name, text, base64 }) {
  const bytes = base64 === undefined ? text : Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What stands behind # in the address, and a function that puts it there. */
export const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
export function putAddress(values) {
  const given = Object.entries(values).filter(([, value]) => value);
  try {
    history.replaceState(null, "", `#${new URLSearchParams(given)}`);
  } catch {
    // a browser allows so many a second; the next change puts it there
  }
}
