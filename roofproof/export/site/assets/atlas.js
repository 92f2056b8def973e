// The index of the atlas: search, filters and order; what is chosen stands in the address, after #, so that it can be shared.
// A classic script, so that it runs on a page opened from disk, too.
(() => {
  const form = document.querySelector(".finder");
  const status = form.querySelector(".count");
  const atlas = document.querySelector(".atlas");
  const families = [...atlas.querySelectorAll(".family")];
  const cards = families.flatMap((family, f) => [...family.querySelectorAll(".card")].map((node, place) => ({
    node, family, place: [f, place], name: node.dataset.name, formats: node.dataset.formats.split(" "),
    text: node.querySelector(".what").textContent.toLowerCase() + " " + family.dataset.family, there: node.querySelector(".there"),
  })));
  const lines = new Map(); // chip: {operation: [[format, ridge points, kind, answer, size], ...]}
  const fields = ["q", "family", "chip", "format", "sort"];
  const chosen = () => Object.fromEntries(fields.map((name) => [name, form.elements[name].value.trim()]));

  window.showChip = (name, found) => { lines.set(name, found); show(); };

  const fetchChip = (name) => {
    if (!name || lines.has(name)) return;
    lines.set(name, null); // under way
    const script = document.createElement("script");
    script.src = `${document.body.dataset.root}assets/chips/${encodeURIComponent(name)}.js`;
    script.onerror = () => { lines.set(name, {}); show(); };
    document.head.append(script);
  };

  const told = (kind, text) => {
    if (kind === "always" || kind === "never") return status.dataset[kind];
    if (kind !== "above" && kind !== "below") return status.dataset.open;
    return text || status.dataset.nosize;
  };

  const piece = (format, ridges, answer) => {
    const node = document.createElement("span");
    const strong = document.createElement("b");
    strong.textContent = answer;
    node.append(`${format}  R ${ridges}:  `, strong);
    return node;
  };

  function show() {
    const { q, family, chip, format, sort } = chosen();
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
    const there = chip ? lines.get(chip) : null;
    fetchChip(chip);
    let count = 0;
    for (const card of cards) {
      const own = there ? (there[card.name] ?? []).filter((line) => !format || line[0] === format) : null;
      const fits = (!family || card.family.dataset.family === family) && (!format || card.formats.includes(format))
        && wanted.every((word) => card.text.includes(word)) && (!own || own.length > 0);
      card.node.hidden = !fits;
      card.size = own && own.length ? Math.min(...own.map(([, , kind, , size]) => (kind === "always" ? 0 : kind === "above" && size !== null ? size : Infinity))) : Infinity;
      card.there.replaceChildren(...(fits && own ? [card.node.dataset.at] : []), ...(fits && own ? own.map(([f, r, kind, text]) => piece(f, r, told(kind, text))) : []));
      count += fits;
    }
    const order = sort === "name" ? (a, b) => a.name.localeCompare(b.name) : sort === "size" ? (a, b) => a.size - b.size || a.name.localeCompare(b.name) : null;
    if (order) {
      families[0].querySelector(".cards").append(...[...cards].sort(order).map((card) => card.node));
    } else {
      for (const card of cards) card.family.querySelector(".cards").append(card.node);
    }
    families.forEach((node, place) => {
      const heading = node.querySelector("h2");
      heading.dataset.own ??= heading.textContent;
      heading.textContent = order ? form.elements.sort.selectedOptions[0].textContent : heading.dataset.own;
      node.hidden = order ? place > 0 : cards.every((card) => card.family !== node || card.node.hidden);
    });
    status.textContent = count ? status.dataset.some.replace("<count>", count).replace("<total>", cards.length) : status.dataset.none;
    const state = new URLSearchParams(Object.entries(chosen()).filter(([, value]) => value)).toString();
    if (state !== location.hash.slice(1) && (state || location.hash.includes("="))) history.replaceState(null, "", state ? `#${state}` : location.pathname);
  }

  const read = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) {
      const field = form.elements[name];
      field.value = state.get(name) ?? "";
      if (field.value === "" && field.tagName === "SELECT") field.selectedIndex = 0;
    }
    show();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", read);
  form.hidden = false;
  read();
})();
