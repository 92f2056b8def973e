// The banks that come along: each exercise in the variant that the seed settles, graded here; nothing is sent or kept.
import { ask } from "./engine.mjs";
import { grading } from "./grading.mjs";
import { address, lang, putAddress, say, showProgress } from "./page.mjs";

const choosing = document.getElementById("choosing");
const { bank, seed } = choosing.elements;
const banks = [...document.querySelectorAll(".bank")];
const right = new Map(); // exercises that were answered: whether rightly
let round = 0; // what is shown now; answers to earlier questions are dropped

const tasks = () => [...document.querySelectorAll(`.bank[data-bank="${CSS.escape(bank.value)}"] .task`)];
const fields = (task) => ({ bank: bank.value, id: task.dataset.id, seed: seed.value, lang });

function score() {
  const rightly = [...right.values()].filter(Boolean).length;
  document.getElementById("score").textContent = say(choosing.dataset.score, { right: rightly, total: tasks().length });
}

function answerable(task) {
  const form = document.getElementById("answer-form").content.firstElementChild.cloneNode(true);
  form.elements.answer.setAttribute("aria-describedby", task.querySelector(".question").id);
  task.append(form);
  grading(form, form.querySelector(".feedback"), form.elements.hint, () => ["grade", fields(task)], (grade) => {
    right.set(task.dataset.id, grade.passed);
    score();
  });
}

async function show() {
  const now = ++round;
  right.clear();
  for (const each of banks) each.hidden = each.dataset.bank !== bank.value;
  putAddress({ bank: bank.value, seed: seed.value });
  score();
  if (!seed.checkValidity() || !seed.value) return;
  for (const task of tasks()) {
    task.querySelector("form")?.remove();
    task.setAttribute("aria-busy", "true");
  }
  for (const task of tasks()) {
    let found;
    try {
      found = await ask("exercise", fields(task));
    } catch (problem) {
      if (now === round) document.getElementById("score").textContent = problem.message;
      for (const each of tasks()) each.removeAttribute("aria-busy");
      return;
    }
    if (now !== round) return;
    task.querySelector(".question").textContent = found.text;
    task.removeAttribute("aria-busy");
    answerable(task);
  }
}

const given = address();
if (banks.some((each) => each.dataset.bank === given.bank)) bank.value = given.bank;
if (/^[0-9]{1,18}$/.test(given.seed ?? "")) seed.value = given.seed;
choosing.addEventListener("change", show);
choosing.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("another").addEventListener("click", () => {
  seed.value = String(1 + Math.floor(Math.random() * 999_999));
  show();
});
if (showProgress()) {
  choosing.hidden = false;
  show();
}
