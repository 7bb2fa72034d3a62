// Attention with several queries: a matrix a head, queries down, keys across.
"use strict";
attn.alignment = (() => {
  const { element, foreign, number, options } = attn;

  const mean = (heads) => heads[0].map((_, i) => heads.reduce((sum, head) => sum + head[i], 0) / heads.length);

  function matrix(site, weights) {
    const { queries, keys } = site;
    const cell = (weight, s, t) => {
      const made = element("td", { title: `${queries[s]} → ${keys[t]}: ${number(weight)}` }, element("span", { class: "unseen" }, number(weight)));
      made.style.setProperty("--w", Math.sqrt(Math.max(0, weight)).toFixed(3));
      return made;
    };
    return element("div", { class: "scroll", role: "region", "aria-label": "Alignment", tabindex: "0" },
      element("table", { class: "alignment" },
        element("thead", {}, element("tr", {}, element("td", {}), ...keys.map((key) => element("th", { scope: "col" }, element("span", {}, foreign(key)))))),
        element("tbody", {}, ...queries.map((query, s) => element("tr", {}, element("th", { scope: "row" }, foreign(query)),
          ...keys.map((_, t) => cell(weights[s * keys.length + t], s, t)))))));
  }

  function view(sites) {
    const pick = element("select", { id: "site" });
    const head = element("select", { id: "head" });
    const place = element("div");
    options(pick, sites.map((site, i) => [i, site.site]));
    const heads = () => {
      const { length } = sites[pick.value].heads;
      options(head, [...(length > 1 ? [["mean", `mean of ${length}`]] : []), ...Array.from({ length }, (_, i) => [i, `${i}`])]);
    };
    const show = () => {
      const site = sites[pick.value];
      place.replaceChildren(matrix(site, head.value === "mean" ? mean(site.heads) : site.heads[head.value]));
    };
    pick.addEventListener("change", () => { heads(); show(); });
    head.addEventListener("change", show);
    heads();
    show();
    return element("div", {}, element("form", { class: "controls" },
      element("label", {}, "Layer ", pick), element("label", {}, "Head ", head)),
      element("p", { class: "note" }, "Each row is a word that looks, each column a word that is looked at; a row sums to 1."), place);
  }
  return { view };
})();
