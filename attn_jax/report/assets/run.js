// The figures of one run.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const gallery = document.querySelector("[data-figures]");
  if (!gallery) return;
  const slug = gallery.dataset.figures;
  const figures = await attn.load(`figures-${slug}`);
  gallery.append(...figures.map((entry) => attn.charts.figure(entry, `${slug}-${entry.name}`)));
});
