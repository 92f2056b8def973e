// The page of a book: each claim is judged in turn, its verdict is a row as it comes, the errata sheet is last.
import { ask, start, stop } from "./engine.mjs";
import { lang, save, say, showHtml, showProgress } from "./page.mjs";

const by = (id) => document.getElementById(id);
const asked = by("asked");
const { claims: box, file } = asked.elements;
const MOST = 2 * 1024 * 1024; // bytes that the engine reads of a book
let sheet;

function cell(text, tag = "td") {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function row({ id, kind, verdict, known, html, as_expected }, says) {
  const made = document.createElement("tr");
  made.className = `verdict ${verdict}${as_expected ? "" : " unexpected"}`;
  const name = cell(id, "th");
  name.scope = "row";
  const formula = document.createElement("code");
  formula.textContent = says;
  if (says) name.append(document.createElement("br"), formula);
  const more = cell("");
  showHtml(more, html);
  made.append(name, cell(kind), cell(known), more);
  return made;
}

async function judge() {
  const [text, name] = [box.value, file.files[0]?.name ?? "book"];
  let done = 0;
  let total = 0;
  sheet = undefined;
  by("problem").textContent = "";
  by("rows").replaceChildren();
  by("counts").replaceChildren();
  by("errata").hidden = true;
  by("stop").hidden = false;
  by("judge").disabled = true;
  try {
    const book = await ask("claims", { text, name, lang });
    const counts = new Map();
    total = book.claims.length;
    by("problem").textContent = book.problems.join(" ");
    by("verdicts").hidden = false;
    for (const [number, { says }] of book.claims.entries()) {
      const told = { done, total };
      by("done").textContent = say(asked.dataset.progress, told);
      by("progress").value = done / total;
      const found = await ask("verify", { text, name, number: String(number), lang });
      done += 1;
      by("rows").append(row(found, says));
      counts.set(found.kind, (counts.get(found.kind) ?? 0) + 1);
      by("counts").replaceChildren(...[...counts].map(([kind, count]) => cell(`${kind} ${count}`, "li")));
    }
    by("done").textContent = say(asked.dataset.progress, { done, total });
    by("progress").value = 1;
    sheet = await ask("errata", { text, name, lang });
    by("sheet").textContent = sheet.text;
    by("errata").hidden = false;
  } catch (error) {
    if (error.name === "AbortError") by("done").textContent = say(asked.dataset.stopped, { done, total });
    else by("problem").textContent = error.message;
  } finally {
    by("stop").hidden = true;
    by("judge").disabled = false;
  }
}

if (showProgress()) {
  asked.addEventListener("submit", (event) => {
    event.preventDefault();
    judge();
  });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const large = chosen.size > MOST;
    by("problem").textContent = large ? say(asked.dataset.large, { size: (chosen.size / 1e6).toFixed(1) }) : "";
    if (!large) box.value = await chosen.text();
  });
  by("example").addEventListener("click", () => (box.value = by("example-text").content.textContent));
  by("stop").addEventListener("click", stop);
  by("download").addEventListener("click", () => sheet && save(sheet));
  start();
}
