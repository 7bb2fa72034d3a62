// Tables: copied as LaTeX, CSV or Markdown; cells that were not run stay out of sight until asked for.
"use strict";
attn.copies = (() => {
  const cells = (table) =>
    [...table.rows]
      .filter((row) => row.offsetParent !== null || !row.classList.contains("absent"))
      .map((row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ")));
  const numeric = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.classList.contains("number"));

  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const tex = (text) =>
    text.replace(/[\\~^&%$#_{}]/g, (c) => TEX[c] ?? `\\${c}`)
      .replaceAll("±", "$\\pm$").replaceAll("\u2013", "--").replaceAll("τ", "$\\tau$").replaceAll("ε", "$\\varepsilon$")
      .replaceAll("✗", "$\\times$").replaceAll("≤", "$\\leq$").replaceAll("≥", "$\\geq$").replaceAll("·", "$\\cdot$");
  const csv = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // A cell that begins like a formula would be run by a spreadsheet; signed numbers are numbers.
  const inert = (text) => (/^[=@\t\r]|^[+-](?![\d.])/.test(text) ? `'${text}` : text);
  const pipe = (text) => text.replace(/[\\|*`<>[\]]/g, (c) => `\\${c}`);

  const forms = {
    LaTeX(table) {
      const [head, ...rows] = cells(table).map((row) => row.map(tex));
      const columns = numeric(table).map((n) => (n ? "r" : "l")).join("");
      const line = (row) => `${row.join(" & ")} \\\\`;
      return [`\\begin{tabular}{${columns}}`, "\\toprule", line(head), "\\midrule", ...rows.map(line), "\\bottomrule", "\\end{tabular}", ""].join("\n");
    },
    CSV: (table) => cells(table).map((row) => row.map((cell) => csv(inert(cell))).join(",")).join("\n") + "\n",
    Markdown(table) {
      const [head, ...rows] = cells(table).map((row) => row.map(pipe));
      const rule = numeric(table).map((n) => (n ? "---:" : "---"));
      return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n";
    },
  };

  // Pages from disk may lack the clipboard's interface; the older way works from a button press.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = attn.element("textarea", { class: "unseen", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  function buttons(table, title) {
    return attn.element("p", { class: "save" }, ...Object.entries(forms).map(([form, make]) => {
      const button = attn.element("button", { type: "button", "aria-label": `Copy ${form}: ${title}` }, `Copy ${form}`);
      button.onclick = async () => {
        await copy(make(table));
        const status = document.getElementById("copied");
        if (status) status.textContent = `${title}: copied as ${form}.`;
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = `Copy ${form}`; }, 1500);
      };
      return button;
    }));
  }
  return { forms, buttons };
})();

document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("absent");
  if (box && box.type === "checkbox") {
    const show = () => document.body.classList.toggle("hide-absent", !box.checked);
    box.addEventListener("change", show);
    show();
  }
  for (const section of document.querySelectorAll("section.grid")) {
    const table = section.querySelector("table");
    if (table) section.querySelector(".scroll").before(attn.copies.buttons(table, section.querySelector("h2").textContent));
  }
});
