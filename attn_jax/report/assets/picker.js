// Which run: its index of instances, loaded when it is chosen.
"use strict";
attn.picker = async (select, changed) => {
  const runs = await attn.load("instances");
  attn.options(select, runs.map((run) => [run.slug, run.title]));
  const wanted = attn.state().get("run");
  if (runs.some((run) => run.slug === wanted)) select.value = wanted;
  const open = async () => {
    const run = runs.find((one) => one.slug === select.value);
    if (run) await changed(run, await attn.load(`instances-${run.slug}`));
  };
  select.addEventListener("change", open);
  await open();
  return runs;
};
