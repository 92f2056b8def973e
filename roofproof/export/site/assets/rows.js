// A box that filters the rows of a long table.
for (const table of document.querySelectorAll("table.rows")) {
  const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);
  const label = document.createElement("label");
  const said = document.createElement("span");
  const box = document.createElement("input");
  label.className = "rows-filter";
  said.textContent = table.dataset.filter;
  box.type = "search";
  box.addEventListener("input", () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [row, text] of rows) row.hidden = !wanted.every((word) => text.includes(word));
  });
  label.append(said, box);
  table.parentElement.before(label);
}
