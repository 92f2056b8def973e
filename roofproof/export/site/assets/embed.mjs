// One line in any page: <script type="module" src=".../assets/embed.mjs" data-op="matmul" data-chip="h100-sxm" data-for="B"></script>
// puts a live threshold there, or with data-ask="smallest" a question; data-lang="zh" in Chinese. It is a frame of this
// site, so that neither page touches the other. A module runs once however often it is named: it looks for all its lines.
const site = new URL("..", import.meta.url);
const frames = new Map();

for (const script of document.querySelectorAll("script[src]")) {
  if (script.src !== import.meta.url || script.dataset.shown) continue;
  script.dataset.shown = "yes";
  const { lang = "en", ask = "", op = "matmul", chip = "", at = "", regime = "" } = script.dataset;
  const given = { op, chip, for: script.dataset.for ?? "", at, regime, asks: ask, bare: "1" };
  const page = new URL(`${lang === "zh" ? "zh/" : ""}${ask ? "check" : "operation"}.html`, site);
  page.hash = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
  const frame = document.createElement("iframe");
  Object.assign(frame, { src: page.href, loading: "lazy", title: `roofproof: ${op}` });
  Object.assign(frame.style, { width: "100%", border: "0", height: "30rem", colorScheme: "normal" });
  script.after(frame);
  frames.set(frame, page.origin);
}

addEventListener("message", ({ data, source }) => {
  for (const frame of frames.keys()) {
    const height = Number(data?.roofproofHeight);
    if (frame.contentWindow === source && height > 0 && height < 10_000) frame.style.height = `${Math.ceil(height)}px`;
  }
});
