// Examples of the reference, run by the engine of this page: what comes out is held to what stands there.
import { ask } from "./engine.mjs";
import { say } from "./page.mjs";

for (const button of document.querySelectorAll("button.run")) {
  const told = button.nextElementSibling;
  button.hidden = location.protocol === "file:";
  button.addEventListener("click", async () => {
    button.disabled = true;
    told.textContent = "…";
    try {
      const { lines, differ, text } = await ask("example", { name: button.dataset.name });
      told.textContent = differ ? `${say(button.dataset.some, { differ, lines })} ${text}` : say(button.dataset.done, { lines });
    } catch (problem) {
      told.textContent = problem.message;
    }
    button.disabled = false;
  });
}
