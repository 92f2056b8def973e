// The page that writes the line to embed, and shows how it looks.
const asked = document.getElementById("asked");
const preview = document.getElementById("preview");
const blocks = { html: (line) => line, myst: (line) => `\`\`\`{raw} html\n${line}\n\`\`\``, quarto: (line) => `\`\`\`{=html}\n${line}\n\`\`\`` };
const lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const address = new URL("embed.mjs", import.meta.url).href;
const attribute = (text) => text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
let late;

function show() {
  const { ask, op, chip, for: unknown } = Object.fromEntries(new FormData(asked));
  const given = Object.entries({ op, chip, for: unknown, ask, lang }).filter(([, value]) => value);
  const line = `<script type="module" src="${address}" ${given.map(([name, value]) => `data-${name}="${attribute(value)}"`).join(" ")}></script>`;
  for (const code of document.querySelectorAll("code[data-form]")) code.textContent = blocks[code.dataset.form](line);
  clearTimeout(late);
  late = setTimeout(() => {
    const frame = document.createElement("iframe");
    const hash = new URLSearchParams([...given.filter(([name]) => name !== "lang" && name !== "ask"), ...(ask ? [["asks", ask]] : []), ["bare", "1"]]);
    Object.assign(frame, { src: `${ask ? "check" : "operation"}.html#${hash}`, title: op, loading: "lazy" });
    preview.replaceChildren(frame);
  }, 500);
}
asked.addEventListener("input", show);
asked.addEventListener("submit", (event) => event.preventDefault());
addEventListener("message", ({ data, source }) => {
  const frame = preview.querySelector("iframe");
  if (frame?.contentWindow === source && data?.roofproofHeight > 0) frame.style.height = `${Math.ceil(data.roofproofHeight)}px`;
});
show();
