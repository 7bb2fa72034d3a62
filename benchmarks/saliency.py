"""Is saliency of 512 sentences quicker here than with captum, on the same weights and machine?

    python -m benchmarks.saliency --data-dir DATA --out docs/benchmarks/saliency.md

Needs the extra `captum` (pip install -e .[captum]). BiLSTM with additive attention at J&W's sizes, weights
as drawn. Both sides get the same length buckets: captum whole, with all threads, ours in batches divided over
the cores, as every experiment does; it compiles once, which is counted apart. Two cores: about a quarter of
an hour. The target is a ratio below 1 for every method.
"""
# pyright: reportMissingImports=false

import datetime
import os
import pathlib
import platform
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from experiments import command
from experiments.request import Request

SHARED = (
    "gradient_l2",
    "gradient_x_input",
    "integrated_gradients",
    "integrated_gradients_live",
    "smoothgrad",
    "occlusion_signed",
)
STEPS, SAMPLES, ROWS = 64, 50, 2048  # ROWS: what captum differentiates at once


class Timing(NamedTuple):
    """Seconds of one method."""

    name: str
    compilation: float
    ours: float  # wall
    captums: float
    ours_cpu: float  # of all threads: what a busy machine disturbs less
    captums_cpu: float
    difference: float  # largest, of the scores; SmoothGrad draws other noise on either side


def main(
    dataset: str = "sst",
    data_dir: pathlib.Path | None = None,
    out: pathlib.Path | None = None,
    sentences: int = 512,
    repeats: int = 2,
    methods: tuple[str, ...] = SHARED,
) -> None:
    """Time both, print a table, and write it if asked.

    Args:
        dataset: sst, or reviews where there is no data.
        data_dir: folder of the published files.
        out: a .md file for the table, with date and machine.
        sentences: how many of the test split.
        repeats: the best of so many runs counts.
        methods: which of the shared ones.
    """
    import jax

    jax.config.update("jax_enable_compilation_cache", False)
    sides = Sides(Request(dataset, data_dir), sentences)
    sides.captums("gradient_l2")  # its first call sets up threads and memory
    table = _table([timed(sides, name, repeats) for name in methods], f"{sentences} sentences of {dataset}")
    print(table)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(table)


class Sides:
    """The same model and sentences on either side."""

    def __init__(self, request: Request, sentences: int):
        import jax
        import torch

        from attn_jax import rng as streams
        from attn_jax.analyses.observe import observe
        from attn_jax.data.batching import at_once, batches
        from attn_jax.devices import ALONE
        from benchmarks.torch_twin import Texts, Twin
        from experiments import subject
        from experiments.cell import on_trial
        from experiments.trained import buckets_of, first_weights

        torch.set_num_threads(len(os.sched_getaffinity(0)))  # spinning on cores it may not use is no method
        cell = subject.cell(subject.loaded(request), "bilstm", "additive")
        self.model: Any = cell.model
        devices = ALONE.local()
        self.params = devices.everywhere(jax.tree.map(lambda a: a[0], first_weights(cell)))
        self.rng = streams.root(0)
        seen = streams.stream(self.rng, "attention")
        self.buckets = buckets_of(cell, on_trial(cell.corpus.test, sentences))
        parts = [list(batches(bucket, at_once(bucket, devices.count))) for bucket in self.buckets]
        self.batches = [[devices.spread(batch) for batch in part] for part in parts]
        self.evidence = [
            [observe(self.model, self.params, batch, seen) for batch in part] for part in self.batches
        ]
        self.twin = Twin(self.model, jax.device_get(self.params))
        embed = jax.jit(jax.vmap(lambda e: self.model.embed(self.params, e).x))
        shown = [observe(self.model, self.params, bucket.rows, seen) for bucket in self.buckets]
        self.texts = [
            Texts(*(torch.from_numpy(array) for array in _arrays(embed(bucket.rows), bucket.rows, evidence)))
            for bucket, evidence in zip(self.buckets, shown, strict=True)
        ]

    def ours(self, name: str) -> list:
        """Scores of each bucket."""
        import jax
        import numpy as np

        from attn_jax.analyses.saliency import METHODS, saliency

        one = {name: METHODS[name]}
        found = jax.device_get(
            [
                [
                    saliency(self.model, self.params, *pair, self.rng, one)[name]
                    for pair in zip(*part, strict=True)
                ]
                for part in zip(self.batches, self.evidence, strict=True)
            ]
        )
        whole = zip(found, self.buckets, strict=True)
        return [np.concatenate(part)[: len(bucket)] for part, bucket in whole]

    def captums(self, name: str) -> list:
        """Scores of each bucket."""
        from benchmarks.torch_twin import Effort, attribute

        return [
            attribute(self.twin, name, texts, Effort(STEPS, SAMPLES, _deviation(texts.x), ROWS)).numpy()
            for texts in self.texts
        ]


def timed(sides: Sides, name: str, repeats: int) -> Timing:
    """One method on both sides."""
    first, _, found = _best(lambda: sides.ours(name), 1)
    wall, cpu, _ = _best(lambda: sides.ours(name), repeats)
    theirs, theirs_cpu, expected = _best(lambda: sides.captums(name), repeats)
    worst = max(abs(a - b).max() for a, b in zip(found, expected, strict=True))
    return Timing(name, first - wall, wall, theirs, cpu, theirs_cpu, float(worst))


def _best(run: Callable[[], list], repeats: int) -> tuple[float, float, list]:
    """Least wall and least processor seconds, and what came out."""
    walls, cpus, found = [], [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        found = run()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus), found


def _arrays(x: Any, batch: Any, evidence: Any) -> list:
    import numpy as np

    from attn_jax import outputs

    said = np.array(outputs.predicted(evidence.logits)).astype(np.int64)
    return [np.array(x), batch.valid.copy(), batch.attendable.copy(), np.array(evidence.alpha), said]


def _deviation(x: Any) -> float:
    """As much noise as ours: 0.15 times the range of the input."""
    return 0.15 * float(x.max() - x.min())


def _table(timings: list[Timing], what: str) -> str:
    import captum
    import jax
    import torch

    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    made = f"jax {jax.__version__}, captum {captum.__version__}, torch {torch.__version__}"
    head = "method | ours, s | captum, s | ratio | ours, CPU s | captum | ratio | compilation, s | difference"
    lines = [
        f"# Saliency against captum: {what}",
        "",
        f"{day}, {platform.machine()}, CPU, {torch.get_num_threads()} threads; {made}. BiLSTM with additive "
        f"attention, weights as drawn; integrated gradients at {STEPS} points, SmoothGrad of {SAMPLES}. "
        "Our compilation stands apart; the difference is the largest of any score.",
        "",
        f"| {head} |",
        "|---" * 9 + "|",
    ]
    for t in timings:
        apart = "other draws" if t.name == "smoothgrad" else f"{t.difference:.1e}"
        lines.append(
            f"| {t.name} | {t.ours:.2f} | {t.captums:.2f} | {t.ours / t.captums:.2f} | {t.ours_cpu:.2f} | "
            f"{t.captums_cpu:.2f} | {t.ours_cpu / t.captums_cpu:.2f} | {t.compilation:.1f} | {apart} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    command.run(main, prog="benchmarks.saliency")
