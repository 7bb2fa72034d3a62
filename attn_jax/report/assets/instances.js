// Search and filter instances; open one under every measure.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const { element, foreign, number, options } = attn;
  const get = (id) => document.getElementById(id);
  const RANGES = ["length", "max_attention", "exact_jsd"];
  const PAGE = 60; // entries of the list at a time
  let run, index, chosen, shown = PAGE, turn = 0;

  const label = (value) => (value === null ? "\u2013" : index.labels[value] ?? String(value));
  const text = (row) => [...row.question, ...row.tokens].join(" ").toLowerCase();

  function within(row, name) {
    const [low, high] = [get(`${name}-low`).value, get(`${name}-high`).value];
    if (low === "" && high === "") return true;
    return row[name] !== null && (low === "" || row[name] >= Number(low)) && (high === "" || row[name] <= Number(high));
  }
  function matches(row) {
    const is = (id, value) => get(id).value === "" || get(id).value === String(value);
    const right = row.gold === row.prediction ? 1 : 0;
    return is("gold", row.gold) && is("prediction", row.prediction) && is("correct", right) && is("seed", row.seed)
      && RANGES.every((name) => within(row, name)) && text(row).includes(get("text").value.trim().toLowerCase());
  }
  function sorted(rows) {
    const column = get("sort").value.replace("-", "");
    if (!column) return rows;
    const sign = get("sort").value.startsWith("-") ? -1 : 1;
    const key = (row) => (row[column] === null ? Infinity : sign * row[column]);
    return [...rows].sort((a, b) => key(a) - key(b));
  }

  function entry(row) {
    const decided = row.prediction === null ? "" : `${label(row.prediction)}${row.gold === row.prediction ? "" : ", wrong"}`;
    const words = row.tokens.filter((_, i) => row.mask[i]).slice(0, 24).join(" ");
    return element("li", {}, element("button", { type: "button", "aria-pressed": String(row === chosen), onclick: () => open(row) },
      element("span", { class: "id" }, foreign(row.id)), element("span", { class: row.gold === row.prediction ? "decided" : "decided wrong" }, foreign(decided)),
      element("span", { class: "start" }, foreign(words))));
  }
  function list() {
    const rows = sorted(index.rows.filter(matches));
    const held = index.total > index.rows.length ? ` (of ${index.total.toLocaleString("en")} in the run, evenly spread)` : "";
    get("count").textContent = `${rows.length.toLocaleString("en")} of ${index.rows.length.toLocaleString("en")} instances${held}`;
    const more = rows.length > shown
      ? element("li", {}, element("button", { type: "button", onclick: () => { shown += PAGE; list(); } }, "Show more")) : "";
    get("list").replaceChildren(...rows.slice(0, shown).map(entry), more);
    return rows;
  }

  function facts(row) {
    const probability = row.probabilities[row.prediction];
    const told = [
      ["Predicted", row.prediction === null ? null : `${label(row.prediction)} at ${number(probability)}`], ["Gold", row.gold === null ? null : label(row.gold)],
      ["Words", row.length], ["Largest weight", row.max_attention === null ? null : number(row.max_attention)],
      ["JSD, exact", row.exact_jsd === null ? null : number(row.exact_jsd)], ["search", row.search_jsd === null ? null : number(row.search_jsd)],
      ["null", row.null_jsd === null ? null : number(row.null_jsd)], ["τ with gradients", row.tau_gradient === null ? null : number(row.tau_gradient)],
      ["τ with deletion", row.tau_loo === null ? null : number(row.tau_loo)], ["Seed", row.seed],
    ];
    return element("p", { class: "facts" }, ...told.filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => element("span", {}, `${name} `, element("b", {}, foreign(String(value))))));
  }

  async function open(row) {
    chosen = row;
    turn += 1;
    const mine = turn;
    attn.remember([["run", run.slug], ["id", row.id], ["seed", row.seed]]);
    const parts = [element("h2", {}, foreign(row.id)), facts(row)];
    if (row.question.length) parts.push(element("p", { class: "question" }, row.chunk < 0 ? "Written: " : "Question: ", foreign(row.question.join(" "))));
    if (row.chunk >= 0) {
      const weights = (await attn.load(`instances-${run.slug}-${row.chunk}`))[row.place];
      parts.push(element("p", { class: "actions" }, weights.decoder
        ? element("a", { href: `what-if.html#${new URLSearchParams([["run", run.slug], ["id", row.id], ["seed", row.seed]])}` }, "Change its attention") : ""));
      parts.push(attn.heatmap.map(row, weights, index.labels));
    }
    if (row.alignment >= 0) parts.push(attn.alignment.view(await attn.load(`alignment-${run.slug}-${row.alignment}`)));
    if (mine !== turn) return;
    get("detail").replaceChildren(...parts);
    for (const button of get("list").querySelectorAll("[aria-pressed]")) button.setAttribute("aria-pressed", "false");
    list();
  }

  async function changed(next, found) {
    [run, index, shown] = [next, found, PAGE];
    const classes = index.labels.map((name, i) => [i, name]);
    options(get("gold"), [["", "any"], ...classes]);
    options(get("prediction"), [["", "any"], ...classes]);
    options(get("seed"), [["", "any"], ...[...new Set(index.rows.map((row) => row.seed))].map((seed) => [seed, seed])]);
    const state = attn.state();
    const wanted = state.get("run") === run.slug ? index.rows.find((row) => row.id === state.get("id") && String(row.seed) === state.get("seed")) : null;
    chosen = null;
    const rows = list();
    if (wanted ?? rows[0]) await open(wanted ?? rows[0]);
  }

  get("more").open = innerWidth > 768;
  const refilter = () => { shown = PAGE; if (index) list(); };
  get("controls").addEventListener("input", (event) => { if (event.target.id !== "run") refilter(); });
  get("controls").addEventListener("submit", (event) => event.preventDefault());
  const runs = await attn.picker(get("run"), changed);
  if (!runs.length) get("count").textContent = "No run here has instances: only records were given.";
});
