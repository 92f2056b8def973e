// What the pages with answers share: an answer goes to the engine, and its grade is told with hints, one at a time.
import { ask } from "./engine.mjs";
import { lang } from "./page.mjs";

const line = (text, name = "p") => Object.assign(document.createElement(name), { textContent: text });

/** Lets a form grade its answer: `question()` gives the kind and the fields, `done(grade)` hears of each grade. */
export function grading(form, feedback, hint, question, done = () => {}) {
  const words = { first: hint.textContent, more: hint.dataset.more ?? form.dataset.more, solution: hint.dataset.solution ?? form.dataset.solution };
  const button = form.querySelector("button[type=submit]");
  let grade, given = 0;

  const show = () => {
    const [verdict, ...said] = grade.text.split("\n").map((text) => text.trim());
    const head = line(verdict);
    head.className = `verdict ${grade.passed ? "right" : grade.grade}`;
    feedback.replaceChildren(head, ...(grade.passed ? said : said.slice(0, 1)).map((text) => line(text)));
    if (grade.hints.length === 0 && !grade.passed) feedback.append(...said.slice(1).map((text) => line(text)));
    const list = document.createElement("ol");
    list.append(...grade.hints.slice(0, given).map((text) => line(text, "li")));
    if (given) feedback.append(list);
    hint.hidden = given >= grade.hints.length;
    hint.textContent = given === 0 ? words.first : given + 1 < grade.hints.length ? words.more : words.solution;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = form.elements.answer.value;
    button.disabled = true;
    try {
      const [kind, fields] = question();
      grade = await ask(kind, { ...fields, answer, lang });
      given = 0;
      show();
      done(grade);
    } catch (problem) {
      hint.hidden = true;
      feedback.replaceChildren(Object.assign(line(problem.message), { className: "problem" }));
    }
    button.disabled = false;
  });
  hint.addEventListener("click", () => {
    given += 1;
    show();
  });
  return () => {
    feedback.replaceChildren();
    hint.hidden = true;
  };
}
