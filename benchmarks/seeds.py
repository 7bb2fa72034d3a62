"""Do five seeds in one vmapped program cost no more than five runs one after another?

    python -m benchmarks.seeds --dataset sst --data-dir DATA --vectors glove.txt.gz --out docs/benchmarks

Both sides train Tutek & Snajder's base, compilation included: the one program compiles for all seeds,
the runs one after another compile once, in the first of them. On a CPU the one program takes the seeds in
turn too (`attn_jax/training/lanes.py`); an accelerator stacks them. Two cores: about four minutes at full
size, one with --dataset reviews --preset quick. The target is a ratio of at most 1; on an accelerator,
which this cannot show on a CPU, under 3 times one seed.
"""

import pathlib
import statistics
import time
from collections.abc import Mapping, Sequence

from experiments import command
from experiments.request import Request, Size


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
    """Time both, print seconds and their ratio.

    Args:
        dataset: as for experiments.tutek_snajder.
        seeds: how many.
        epochs: how many, on both sides.
        rounds: how often both are timed, by turns the one and the other first.
        data_dir: folder of the published files.
        vectors: word vectors in GloVe's or fastText's text format.
        preset: quick for small models on a small part of the data.
        attention: additive or dot.
        out: folder for seeds.md.
    """
    import jax

    from experiments import regularised, subject

    # A cache on disk would spare one side its compilation.
    jax.config.update("jax_enable_compilation_cache", False)
    request = Request(dataset, data_dir, vectors, seeds, preset, epochs=epochs)
    found = subject.loaded(request, "tutek_snajder")
    cell = regularised.cell(found, "base", attention, seeds=range(seeds))
    sides = {"together": [cell.seeds], "apart": [(seed,) for seed in cell.seeds]}
    measured = []
    for number in range(rounds):  # each side is the first in half of them: a warm machine helps the second
        order = list(sides)[:: -1 if number % 2 else 1]
        measured.append({name: timed(cell, sides[name]) for name in order})
    what = f"{dataset}, {attention}, {len(cell.corpus.train):,} texts, {epochs} epochs, {seeds} seeds"
    told = report(what, measured, accelerator=jax.default_backend() != "cpu")
    print(told)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "seeds.md").write_text(told, encoding="utf-8")


def report(what: str, rounds: Sequence[Mapping[str, Sequence[float]]], *, accelerator: bool) -> str:
    """Markdown: what was trained, a line a round, and the median of their ratios beside the target."""
    columns = (
        "in one program, s",
        "one after another, s",
        "the first of these, s",
        "ratio",
        "times one seed",
    )
    lines = [what, "", f"| round | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    ratios, alone = [], []
    for number, one in enumerate(rounds, 1):
        together, apart = sum(one["together"]), one["apart"]
        ratios.append(together / sum(apart))
        alone.append(together / apart[0])
        times = f"{together:.1f} | {sum(apart):.1f} | {apart[0]:.1f}"
        lines.append(f"| {number} | {times} | {ratios[-1]:.2f} | {alone[-1]:.2f} |")
    told = f"{statistics.median(alone):.2f}" if accelerator else "not run (no accelerator here)"
    lines += [
        "",
        f"Median ratio {statistics.median(ratios):.2f} (target: at most 1).",
        f"Times one seed on an accelerator: {told} (target: under 3).",
    ]
    return "\n".join(lines) + "\n"


def timed(cell, groups: Sequence[tuple[int, ...]]) -> list[float]:
    """Seconds of training each group of seeds, nothing compiled before the first."""
    import jax

    from attn_jax.training.loop import fit
    from experiments.trained import buckets_of

    train, dev = (buckets_of(cell, split) for split in (cell.corpus.train, cell.corpus.dev))
    jax.clear_caches()
    seconds = []
    for group in groups:
        start = time.perf_counter()
        fitted = fit(cell.objective, train, dev, cell.train, group, table=cell.table, progress=False)
        jax.block_until_ready(fitted.params)
        seconds.append(time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    command.run(main, prog="benchmarks.seeds")
