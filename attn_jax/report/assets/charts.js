// Draws Vega-Lite charts when they come into view, and saves them as files.
"use strict";
attn.charts = (() => {
  const { element } = attn;
  const INK = "#1e2227";

  // The expressions of a chart are interpreted: the policy of the page allows no code made at run time.
  const base = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false };

  function tooltip(_handler, event, _item, value) {
    let box = document.getElementById("tooltip");
    if (!box) {
      box = element("div", { id: "tooltip", role: "presentation" });
      document.body.append(box);
    }
    box.hidden = value === null || value === undefined || value === "";
    if (box.hidden) return;
    const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
    const told = pairs.filter(([, text]) => text !== undefined && text !== "undefined" && text !== "null");
    box.replaceChildren(...told.map(([name, text]) => element("div", {}, element("span", {}, name), ` ${text}`)));
    box.style.left = `${Math.min(event.pageX + 14, document.documentElement.clientWidth - box.offsetWidth - 8)}px`;
    box.style.top = `${event.pageY + 14}px`;
  }

  const printed = (theme) =>
    JSON.parse(JSON.stringify(theme).replaceAll('"currentColor"', `"${INK}"`).replace('"background":null', '"background":"white"'));

  async function embed(target, spec, options) {
    await attn.script("assets/vega.js");
    const theme = await attn.load("theme");
    const config = options.print ? printed(theme) : theme;
    // currentColor inside a spec, not only in the theme, must be ink on paper too.
    const drawn = options.print ? JSON.parse(JSON.stringify(spec).replaceAll('"currentColor"', `"${INK}"`)) : spec;
    return vegaEmbed(target, { ...drawn, config }, { ...base, tooltip });
  }

  async function draw(target, spec, seen) {
    const result = await embed(target, spec, {});
    const svg = target.querySelector("svg");
    // One text for the whole: a label a bar would drown it.
    for (const part of svg.querySelectorAll("[role]")) for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", seen);
    return result;
  }

  async function save(spec, name, form) {
    const { view, finalize } = await embed(element("div"), spec, { print: true });
    let blob;
    if (form === "svg") blob = new Blob([await view.toSVG()], { type: "image/svg+xml" });
    else blob = await new Promise(async (resolve) => (await view.toCanvas(3)).toBlob(resolve, "image/png"));
    finalize();
    const address = URL.createObjectURL(blob);
    const link = element("a", { href: address, download: `${name}.${form}` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  const buttons = (spec, name, title) =>
    element("p", { class: "save" }, ...["svg", "png"].map((form) =>
      element("button", {
        type: "button",
        "aria-label": `Save ${form.toUpperCase()}: ${title}`,
        onclick: () => save(spec, name, form),
      }, `Save ${form.toUpperCase()}`)));

  const seenOnce = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      seenOnce.unobserve(entry.target);
      entry.target.dispatchEvent(new Event("seen"));
    }
  }, { rootMargin: "200px" });

  // A figure with its words; drawn once it is near the window.
  function figure(entry, name) {
    const place = element("div", { class: "drawing" });
    place.addEventListener("seen", () => draw(place, entry.spec, entry.seen), { once: true });
    seenOnce.observe(place);
    return element("figure", {}, element("h3", {}, entry.title), place,
      element("figcaption", {}, entry.caption), buttons(entry.spec, name, entry.title));
  }

  return { draw, figure, buttons };
})();
