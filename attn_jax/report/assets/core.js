// What every page shares: data on demand, elements without markup, the theme.
"use strict";
const attn = (() => {
  const values = new Map();
  const pending = new Map();

  const root = () => document.body.dataset.root;

  // A file of the site as a script: opened from disk, a page may load scripts but fetch nothing.
  function script(path) {
    if (!pending.has(path)) {
      pending.set(path, new Promise((resolve, reject) => {
        const element = document.createElement("script");
        element.src = root() + path;
        element.onload = resolve;
        element.onerror = () => reject(new Error(`cannot load ${path}`));
        document.head.append(element);
      }));
    }
    return pending.get(path);
  }

  const register = (name, value) => values.set(name, value);
  const load = async (name) => {
    await script(`data/${name}.js`);
    return values.get(name);
  };

  // An element; text is only ever text. Names that begin with "on" are listeners.
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // Text from data, apart from the direction of the text around it.
  const foreign = (text) => element("bdi", {}, text);

  const number = (value, digits = 3) =>
    value === null || value === undefined ? "\u2013" : Number(value).toFixed(digits).replace(/^-(0\.?0*)$/, "$1");

  function options(select, entries) {
    select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
  }

  // What stands behind # in the address, so that a view can be linked to.
  const state = () => new URLSearchParams(location.hash.slice(1));
  function remember(entries) {
    const next = new URLSearchParams(entries).toString();
    if (next !== location.hash.slice(1)) history.replaceState(null, "", `#${next}`);
  }

  const kept = (act) => {
    try {
      return act();
    } catch {
      return null; // a browser may forbid pages from disk to keep anything
    }
  };

  function theme(next) {
    const dark = next ? next === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    if (next) document.documentElement.dataset.theme = next;
    const button = document.querySelector("[data-theme-button]");
    if (!button) return;
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${dark ? "light" : "dark"}`);
    button.onclick = () => {
      const other = dark ? "light" : "dark";
      kept(() => localStorage.setItem("theme", other));
      theme(other);
    };
  }

  const chosen = kept(() => localStorage.getItem("theme"));
  theme(chosen);
  document.addEventListener("DOMContentLoaded", () => theme(chosen));

  return { script, register, load, element, foreign, number, options, state, remember };
})();
