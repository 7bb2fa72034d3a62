"""Do five seeds in one vmapped program cost no more than five runs one after another?

    python -m benchmarks.seeds --dataset sst --data-dir DATA --vectors glove.txt.gz --out docs/benchmarks

Tutek & Snajder's base is trained, compilation included: the one program compiles for all seeds; the runs
one after another compile either once, in the first of them, or each anew, as five commands would. On a CPU
the one program has a seed on each core at a time (`attn_jax/training/lanes.py`); an accelerator stacks them.
Two cores: about five minutes at full size, one with --dataset reviews --preset quick. The target is a ratio
of at most 1; on an accelerator, which this cannot show on a CPU, under 3 times one seed.
"""

import pathlib
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from attn_jax.errors import UserError
from experiments import command
from experiments.request import Request, Size

Side = Literal["together", "apart", "anew"]
SIDES: tuple[Side, ...] = get_args(Side)
COLUMNS = (
    "in one program, s",
    "one after another, s",
    "each compiled anew, s",
    "the first alone, s",
    "ratio",
    "ratio, compiled anew",
    "times one seed",
)


def main(
    dataset: str = "sst",
    seeds: int = 5,
    epochs: int = 2,
    rounds: int = 2,
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    attention: str = "additive",
    out: pathlib.Path | None = None,
) -> None:
    """Time all three, print seconds and their ratios.

    Args:
        dataset: as for experiments.tutek_snajder.
        seeds: how many.
        epochs: how many, of every run.
        rounds: how often all are timed, in turn in this order and in its reverse.
        data_dir: folder of the published files.
        vectors: word vectors in GloVe's or fastText's text format.
        preset: quick for small models on a small part of the data.
        attention: additive or dot.
        out: folder for seeds.md.
    """
    import jax

    from experiments import regularised, subject

    if rounds < 1:
        raise UserError(f"--rounds {rounds}: at least 1.")
    # A cache on disk would spare a run its compilation.
    jax.config.update("jax_enable_compilation_cache", False)
    request = Request(dataset, data_dir, vectors, seeds, preset, epochs=epochs)
    found = subject.loaded(request, "tutek_snajder")
    cell = regularised.cell(found, "base", attention, seeds=range(seeds))
    measured = []
    for number in range(rounds):  # each is the first in some of them: a warm machine helps the later ones
        order = SIDES[:: -1 if number % 2 else 1]
        measured.append({side: timed(cell, side) for side in order})
    what = f"{dataset}, {attention}, {len(cell.corpus.train):,} texts, {epochs} epochs, {seeds} seeds"
    told = report(what, measured, accelerator=jax.default_backend() != "cpu")
    print(told)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "seeds.md").write_text(told, encoding="utf-8")


def report(what: str, rounds: Sequence[Mapping[Side, Sequence[float]]], *, accelerator: bool) -> str:
    """Markdown: what was trained, a line a round, and the medians of their ratios beside the target."""
    lines = [what, "", f"| round | {' | '.join(COLUMNS)} |", "|---|" + "---:|" * len(COLUMNS)]
    ratios = {side: [sum(one["together"]) / sum(one[side]) for one in rounds] for side in SIDES[1:]}
    alone = [sum(one["together"]) / one["apart"][0] for one in rounds]
    for number, one in enumerate(rounds):
        seconds = [*(sum(one[side]) for side in SIDES), one["apart"][0]]
        shares = [ratios["apart"][number], ratios["anew"][number], alone[number]]
        cells = [f"{value:.1f}" for value in seconds] + [f"{value:.2f}" for value in shares]
        lines.append(f"| {number + 1} | {' | '.join(cells)} |")
    once, anew = (statistics.median(ratios[side]) for side in SIDES[1:])
    told = f"{statistics.median(alone):.2f}" if accelerator else "not run (no accelerator here)"
    lines += [
        "",
        f"Median ratio to runs that compile once {once:.2f}, to runs that each compile {anew:.2f} "
        "(target: at most 1).",
        f"Times one seed on an accelerator: {told} (target: under 3).",
    ]
    return "\n".join(lines) + "\n"


def timed(cell, side: Side) -> list[float]:
    """Seconds of each training of that side, nothing compiled before the first, or before any."""
    import jax

    from attn_jax.training.loop import fit
    from experiments.trained import buckets_of

    train, dev = (buckets_of(cell, split) for split in (cell.corpus.train, cell.corpus.dev))
    jax.clear_caches()
    seconds = []
    for group in [cell.seeds] if side == "together" else [(seed,) for seed in cell.seeds]:
        if side == "anew":
            jax.clear_caches()
        start = time.perf_counter()
        fitted = fit(cell.objective, train, dev, cell.train, group, table=cell.table, progress=False)
        jax.block_until_ready(fitted.params)
        seconds.append(time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    command.run(main, prog="benchmarks.seeds")
