// One instance as lines of shaded words, and as a table of numbers.
"use strict";
attn.heatmap = (() => {
  const { element, foreign, number } = attn;
  const SHOWN = 200; // words of a long document before one asks for more

  // Absolute scores as shares of their sum; an attention stays as it is.
  function shares(values) {
    const total = values.reduce((sum, value) => sum + Math.abs(value), 0);
    return values.map((value) => (total > 0 ? Math.abs(value) / total : 0));
  }

  function word(row, i, share, value) {
    const made = element("span", {
      class: `word${row.mask[i] ? "" : " outside"}${row.planted[i] ? " planted" : ""}`,
      title: `${number(value, 4)}${row.planted[i] ? ", planted" : ""}`,
    }, foreign(row.tokens[i]));
    made.style.setProperty("--w", Math.sqrt(share).toFixed(3)); // the root lets small weights be seen
    return made;
  }

  function line(row, name, values, limit, shade = shares(values)) {
    const words = element("p", { class: "words" });
    for (let i = 0; i < Math.min(limit, row.tokens.length); i += 1) words.append(word(row, i, shade[i], values[i]), " ");
    return element("div", { class: "line" }, element("h3", {}, name), words);
  }

  // With all attention on one word, the decoder gives this word's own probability of the predicted class.
  function alone(row, decoder) {
    return decoder.map((logits) => attn.decoder.probabilities(logits)[row.prediction]);
  }

  function lines(row, weights, labels, limit) {
    const made = weights.names.map((name, i) => line(row, name, weights.values[i], limit));
    if (weights.decoder) {
      const each = alone(row, weights.decoder);
      // Shade is how far a word alone leans to the prediction, squared so that the root gives it back.
      const shade = each.map((p, i) => (row.mask[i] ? p ** 2 : 0));
      made.push(line(row, `Probability of ${labels[row.prediction]} from each word alone`, each, limit, shade));
    }
    return made;
  }

  function numbers(row, weights) {
    const names = [...weights.names, ...(weights.decoder ? ["Alone"] : [])];
    const columns = [...weights.values, ...(weights.decoder ? [alone(row, weights.decoder)] : [])];
    const details = element("details", {}, element("summary", {}, "The numbers as a table"));
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      details.append(element("div", { class: "scroll", role: "region", "aria-label": "The numbers", tabindex: "0" },
        element("table", { class: "compact" },
          element("thead", {}, element("tr", {}, ...["Word", ...names].map((n, i) => element("th", { scope: "col", class: i ? "number" : null }, n)))),
          element("tbody", {}, ...row.tokens.map((token, t) => element("tr", {}, element("th", { scope: "row" }, foreign(token)),
            ...columns.map((values) => element("td", { class: "number" }, number(values[t], 4)))))))));
    });
    return details;
  }

  function map(row, weights, labels) {
    const place = element("div", { class: "heat" });
    const fill = (limit) => place.replaceChildren(...lines(row, weights, labels, limit),
      row.tokens.length > limit
        ? element("button", { type: "button", onclick: () => fill(row.tokens.length) }, `Show all ${row.tokens.length.toLocaleString("en")} words`)
        : "");
    fill(SHOWN);
    return element("div", {}, place, numbers(row, weights));
  }
  return { map };
})();

// Attention enters an affine decoder as a weighted mean: logits = alpha @ decoder.
attn.decoder = (() => {
  const logits = (alpha, decoder) =>
    decoder[0].map((_, c) => alpha.reduce((sum, weight, t) => sum + weight * decoder[t][c], 0));
  // One logit is that of class 1 against 0; several go through the softmax.
  function probabilities(values) {
    const all = values.length === 1 ? [0, values[0]] : values;
    const top = Math.max(...all);
    const powers = all.map((value) => Math.exp(value - top));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / total);
  }
  const decode = (alpha, decoder) => probabilities(logits(alpha, decoder));
  return { decode, probabilities };
})();
