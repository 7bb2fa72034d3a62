// Other weights, and what the model would then have said.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const { element, foreign, number, options } = attn;
  const get = (id) => document.getElementById(id);
  const SLIDERS = 120; // words of a long document that can be moved
  let run, index, row, weights, alpha, own, sliders = [];

  const kind = (name) => weights.values[weights.kinds.indexOf(name)];
  const attendable = () => row.mask.flatMap((real, t) => (real ? [t] : []));

  // Jensen-Shannon divergence in nats, as in the papers.
  function divergence(p, q) {
    const half = (a, b) => a.reduce((sum, x, i) => sum + (x > 0 ? x * Math.log((2 * x) / (x + b[i])) : 0), 0);
    return (half(p, q) + half(q, p)) / 2;
  }

  // One weight is set, the others keep their proportions and share what is left.
  function give(t, weight) {
    const rest = alpha.reduce((sum, value, i) => sum + (i === t ? 0 : value), 0);
    const others = attendable().length - 1;
    if (!others) return;
    const left = 1 - weight;
    alpha = alpha.map((value, i) => (i === t ? weight : !row.mask[i] ? 0 : rest > 0 ? (value * left) / rest : left / others));
  }

  function permuted(values) {
    const places = attendable();
    const dealt = places.map((t) => values[t]);
    for (let i = dealt.length - 1; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [dealt[i], dealt[j]] = [dealt[j], dealt[i]];
    }
    const made = values.map(() => 0);
    places.forEach((t, i) => { made[t] = dealt[i]; });
    return made;
  }

  function bars(before, now) {
    // With very many classes only those that matter are shown.
    const ranked = now.map((p, c) => [Math.max(p, before[c]), c]).sort((a, b) => b[0] - a[0]).slice(0, 8).map(([, c]) => c).sort((a, b) => a - b);
    return ranked.map((c) => {
      const bar = element("div", { class: "track", "aria-hidden": "true" }, element("i", { class: "now" }), element("i", { class: "before" }));
      bar.children[0].style.width = `${100 * now[c]}%`;
      bar.children[1].style.left = `${100 * before[c]}%`;
      return element("div", { class: "output" }, element("span", {}, foreign(index.labels[c] ?? String(c))), bar,
        element("output", { "data-class": c, "data-value": now[c] }, number(now[c], 4)), element("span", { class: "note" }, `was ${number(before[c], 4)}`));
    });
  }

  function show() {
    const before = attn.decoder.decode(own, weights.decoder);
    const now = attn.decoder.decode(alpha, weights.decoder);
    get("outputs").replaceChildren(...bars(before, now));
    const top = (p) => p.indexOf(Math.max(...p));
    const moved = before.reduce((sum, p, c) => sum + Math.abs(p - now[c]), 0) / 2;
    const same = top(before) === top(now) ? "The decision stays" : "The decision changes";
    get("moved").textContent = `${same}. The output moved by ${number(moved)} (total variation), the attention by ${number(divergence(own, alpha))} nats (JSD, at most 0.693).`;
    for (const [t, slider, value] of sliders) {
      slider.value = alpha[t];
      slider.setAttribute("aria-valuetext", number(alpha[t]));
      value.textContent = number(alpha[t]);
    }
  }

  function bench() {
    const places = attendable();
    const largest = [...places].sort((a, b) => own[b] - own[a]).slice(0, SLIDERS);
    const shown = new Set(largest);
    sliders = places.filter((t) => shown.has(t)).map((t) => {
      const slider = element("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": row.tokens[t], "data-token": t });
      slider.addEventListener("input", () => { give(t, Number(slider.value)); show(); });
      slider.addEventListener("keydown", (event) => {
        const step = { ArrowUp: 0.02, ArrowRight: 0.02, ArrowDown: -0.02, ArrowLeft: -0.02 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        give(t, Math.min(1, Math.max(0, alpha[t] + step)));
        show();
      });
      return [t, slider, element("span", { class: "weight" })];
    });
    get("sliders").replaceChildren(...sliders.map(([t, slider, value]) =>
      element("div", { class: row.planted[t] ? "slider planted" : "slider" }, value, slider, element("span", { class: "token" }, foreign(row.tokens[t])))));
    get("left-out").textContent = places.length > SLIDERS ? `The ${SLIDERS} words of most weight, of ${places.length.toLocaleString("en")}.` : "";
    get("adversarial").disabled = !kind("score/exact_alpha") && !kind("score/search_alpha");
  }

  function absent() {
    if (!weights) return "This instance has attention of several queries; there is no one answer to move.";
    if (weights.large) return "This instance has too many words and answers for its decoder to stand in a page.";
    return "This decoder is not affine in the attention: its answer cannot be had from a few numbers in a page, only by running the model (decode).";
  }

  async function open() {
    row = index.rows[get("instance").value];
    weights = row && row.chunk >= 0 ? (await attn.load(`instances-${run.slug}-${row.chunk}`))[row.place] : null;
    const ready = Boolean(weights?.decoder);
    get("bench").hidden = !ready;
    get("absent").textContent = !row ? "No run here has instances." : ready ? "" : absent();
    if (!ready) return;
    attn.remember([["run", run.slug], ["id", row.id], ["seed", row.seed]]);
    own = kind("alpha");
    alpha = [...own];
    bench();
    show();
  }

  const press = (id, make) => get(id).addEventListener("click", () => { alpha = make(); show(); });
  press("own", () => [...own]);
  press("uniform", () => row.mask.map((real) => (real ? 1 / attendable().length : 0)));
  press("permute", () => permuted(alpha));
  press("adversarial", () => [...(kind("score/exact_alpha") ?? kind("score/search_alpha"))]);
  get("instance").addEventListener("change", open);
  get("controls").addEventListener("submit", (event) => event.preventDefault());
  const runs = await attn.picker(get("run"), async (next, found) => {
    [run, index] = [next, found];
    const name = (one) => `${one.id}: ${one.tokens.filter((_, i) => one.mask[i]).slice(0, 9).join(" ")}`;
    options(get("instance"), index.rows.map((one, i) => [i, name(one)]));
    const state = attn.state();
    const wanted = index.rows.findIndex((one) => one.id === state.get("id") && String(one.seed) === state.get("seed"));
    if (wanted >= 0 && state.get("run") === run.slug) get("instance").value = wanted;
    await open();
  });
  if (!runs.length) get("absent").textContent = "No run here has instances: only records were given.";
});
