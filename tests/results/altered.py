"""A frame as Vashishth's tests leave it, made of plausible random numbers, and a run around it."""

import numpy as np
import polars as pl

from attn_jax.results import examples, records, run_dir
from attn_jax.results.vashishth import Cell, records_of

LABELS = ["negative", "<b>positive</b>"]
# Variant -> how often its prediction is right.
RIGHT = {
    "uniform_infer": 0.8,
    "random_infer": 0.7,
    "permute_infer": 0.6,
    "uniform_train_infer": 0.85,
    "random_train_infer": 0.8,
    "uniform_infer_word": 0.9,
}


def make(n: int = 40, seeds: int = 2, run: str = "sst-bahdanau", paired: bool = False) -> pl.DataFrame:
    """One row per seed and instance."""
    rng = np.random.default_rng(0)
    return pl.DataFrame([_row(rng, i, run, seed, paired) for seed in range(seeds) for i in range(n)])


def write(folder, cell: Cell, frame: pl.DataFrame) -> None:
    """The run's folder: configuration, records, examples."""
    settings = {"labels": LABELS, "cell": {"dataset": cell.dataset, "model": cell.model}}
    with run_dir.opened(folder, settings, device="cpu", command=["toy"]) as run:
        records.write(run.records, records_of(frame, cell))
        examples.write(run.examples, frame)


def _row(rng, i: int, run: str, seed: int, paired: bool) -> dict:
    gold, size = i % 2, 5 + i % 20
    alpha = rng.dirichlet(np.full(size, 0.3))
    correct = {"": 0.9, **RIGHT}
    said = {name: gold if rng.random() < share else 1 - gold for name, share in correct.items()}
    return {
        **{"run": run, "seed": seed, "id": f"test-{i}", "split": "test"},
        "tokens": ["<SOS>", *(f"w{t}" for t in range(size)), "<EOS>"],
        "mask": [False, *[True] * size, False],
        "question": ["where", "is", "it"] if paired else None,
        "gold": gold,
        "prediction": said.pop(""),
        "probabilities": [0.4, 0.6],
        "alpha": [0.0, *alpha, 0.0],
        "score/permuted_alpha": [0.0, *rng.permutation(alpha), 0.0],
        "length": size,
        "max_attention": alpha.max(),
        "gating_gap": 0.0,
        "permutation_median_tvd": rng.beta(1, 4),
        "removed_delta_alpha": None if i == 3 else rng.random(),
        "removed_delta_js": None if i == 3 else rng.normal(0, 0.1),
        "removed_top_flips": float(rng.random() < 0.3),
        "removed_other_flips": float(rng.random() < 0.1),
        **{f"prediction_{name}": value for name, value in said.items()},
        **{f"tvd_{name}": rng.random() for name in said if "train" not in name},
    }
