// Formulas as [LaTeX, large] pairs on standard input, as HTML and MathML on standard output.
const katex = require("./katex.js");
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const made = JSON.parse(Buffer.concat(chunks).toString("utf8")).map(([tex, large]) => {
    const source = large ? `\\displaystyle ${tex}` : tex;
    try {
      const html = katex.renderToString(source, { throwOnError: true, strict: "ignore" });
      return `<span class="tex set">${html.replace(/<annotation[^]*?<\/annotation>/g, "")}</span>`; // no reader needs LaTeX
    } catch (problem) {
      throw new Error(`${problem.message} IN ${tex}`);
    }
  });
  process.stdout.write(JSON.stringify(made));
});
