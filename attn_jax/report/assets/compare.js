// One statistic over all runs, or one figure as small multiples.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const { element, options, number } = attn;
  const get = (id) => document.getElementById(id);
  const { runs, metrics, figures, spec } = await attn.load("compare");
  const fields = ["dataset", "encoder", "attention", "variant"];
  let drawing = 0;

  const every = (values) => [["", "all"], ...[...new Set(values)].filter(Boolean).sort().map((v) => [v, v])];
  options(get("metric"), metrics.map((m) => [m.file, `${m.name} (${m.paper})`]));
  options(get("figure"), figures);
  fields.forEach((name, i) => {
    const found = every(runs.map((run) => run.subject[i]));
    options(get(name), found);
    get(name).closest("label").hidden = found.length < 3;
  });
  if (!figures.length) get("what").closest("label").hidden = true;
  for (const [name, value] of attn.state()) if (get(name)?.matches("select")) get(name).value = value;

  const matching = () => runs.filter((run) => fields.every((name, i) => !get(name).value || run.subject[i] === get(name).value));
  const named = (row) => runs[row.run].title + (row.label && !get("label").value ? `, class ${row.label}` : "");
  const far = (row) => (row.published === null ? -1 : Math.abs(row.value - row.published));
  const orders = {
    name: (a, b) => named(a).localeCompare(named(b)),
    value: (a, b) => b.value - a.value,
    difference: (a, b) => far(b) - far(a),
  };
  const interval = (row) => (row.low === null ? "\u2013" : `${number(row.low)} to ${number(row.high)}`);

  async function statistic(turn) {
    const all = await attn.load(get("metric").value);
    const labels = [...new Set(all.map((row) => row.label))].sort();
    const before = get("label").value;
    options(get("label"), [["", "all"], ...labels.filter(Boolean).map((l) => [l, l])]);
    get("label").value = labels.includes(before) ? before : "";
    get("label").closest("label").hidden = labels.filter(Boolean).length < 2;
    const kept = new Set(matching().map((run) => run.place));
    const rows = all
      .filter((row) => kept.has(row.run) && (!get("label").value || row.label === get("label").value))
      .sort(orders[get("sort").value])
      .map((row) => ({ ...row, name: named(row), interval: interval(row) }));
    get("count").textContent = `${rows.length} of ${all.length} figures; circles ours with 95 % intervals, diamonds published.`;
    table(rows);
    const title = get("metric").selectedOptions[0].textContent;
    const printed = rows.some((row) => row.published !== null);
    const titled = (one) => ({ ...one, encoding: { ...one.encoding, x: { ...one.encoding.x, title } } });
    const layer = spec.layer.filter((one) => one.name !== "published" || printed).map(titled);
    const chart = { ...spec, layer, datasets: { rows } };
    const width = Math.max(180, Math.min(560, get("chart").clientWidth - 300));
    chart.width = width;
    if (turn !== drawing || !rows.length) return get("chart").replaceChildren();
    const place = element("div", { class: "drawing" });
    get("chart").replaceChildren(place, attn.charts.buttons(chart, "comparison", title));
    await attn.charts.draw(place, chart, `${title}: ${rows.length} figures, the same as in the table below`);
  }

  function table(rows) {
    const head = ["Run", "Ours", "95 % interval", "Published", "Difference", "n", "Seeds", "Caveat"];
    const right = [1, 3, 4, 5, 6];
    const cell = (text, i) => element(i ? "td" : "th", { scope: i ? null : "row", class: right.includes(i) ? "number" : null }, text);
    get("rows").replaceChildren(
      element("thead", {}, element("tr", {}, ...head.map((name, i) => element("th", { scope: "col", class: right.includes(i) ? "number" : null }, name)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...[
        element("a", { href: `runs/${runs[row.run].slug}.html` }, row.name), number(row.value), row.interval,
        number(row.published), row.published === null ? "\u2013" : number(row.value - row.published),
        row.n === null ? "\u2013" : row.n.toLocaleString("en"), row.seeds ?? "\u2013", row.caveat,
      ].map(cell)))),
    );
  }

  async function multiples(turn) {
    const kept = matching().filter((run) => run.figures.includes(get("figure").value));
    get("count").textContent = `${kept.length} runs have this figure.`;
    const cards = [];
    for (const run of kept) {
      const made = await attn.load(`figures-${run.slug}`);
      const entry = made.find((one) => one.name === get("figure").value);
      if (entry) cards.push(attn.charts.figure({ ...entry, title: run.title }, `${run.slug}-${entry.name}`));
    }
    if (turn === drawing) get("multiples").replaceChildren(...cards);
  }

  async function show() {
    const what = get("what").value;
    for (const part of document.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== what;
    attn.remember(["what", "metric", "figure", ...fields, "sort"].filter((id) => get(id).value).map((id) => [id, get(id).value]));
    drawing += 1;
    await (what === "metric" ? statistic : multiples)(drawing);
  }
  get("rows").closest(".scroll").before(attn.copies.buttons(get("rows"), "the numbers"));
  get("controls").addEventListener("change", show);
  get("controls").addEventListener("submit", (event) => event.preventDefault());
  await show();
});
