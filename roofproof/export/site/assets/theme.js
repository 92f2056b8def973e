// Light or dark: what the reader chose, else what the system says. Loaded before the page is drawn.
(() => {
  const page = document.documentElement;
  const kept = (theme) => {
    try {
      if (theme) localStorage.setItem("roofproof-theme", theme);
      return localStorage.getItem("roofproof-theme");
    } catch {
      return theme; // a page from disk may keep nothing
    }
  };
  const chosen = kept();
  if (chosen === "light" || chosen === "dark") page.dataset.theme = chosen;
  // In a frame of another page: without what surrounds it, and as high as it is.
  if (new URLSearchParams(location.hash.slice(1)).get("bare") && window.parent !== window) {
    page.classList.add("bare");
    const tell = () => window.parent.postMessage({ roofproofHeight: document.body.getBoundingClientRect().height }, "*");
    addEventListener("DOMContentLoaded", () => new ResizeObserver(tell).observe(document.body));
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("button.theme")) return;
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = dark ? "light" : "dark";
    kept(page.dataset.theme);
  });
})();
