"""A frame as Tutek & Snajder's tests leave it, made of plausible random numbers."""

import numpy as np
import polars as pl


def make(n: int = 40, seeds: int = 3, run: str = "toy", split: str = "test", shift: float = 0.0):
    """One row per seed and instance; `shift` moves the token logits."""
    rng = np.random.default_rng(0)
    rows = []
    for seed in range(seeds):
        for i in range(n):
            gold, size = i % 2, 5 + i % 20
            logits = rng.normal(2 * gold - 1, 1, size) + shift
            alpha = rng.dirichlet(np.ones(size))
            said = 1 / (1 + np.exp(-logits @ alpha))
            own = int(said > 0.5)
            side = 1 / (1 + np.exp(-logits if own else logits))
            rows.append(
                {
                    **{"run": run, "seed": seed, "id": f"{split}-{i}", "split": split},
                    "tokens": ["<SOS>", *(f"w{t}" for t in range(size)), "<EOS>"],
                    "mask": [False, *[True] * size, False],
                    "gold": gold,
                    "prediction": own,
                    "probabilities": [1 - said, said],
                    "alpha": [0.0, *alpha, 0.0],
                    "token_logits": [[0.0], *([v] for v in logits), [0.0]],
                    "length": size,
                    "max_attention": alpha.max(),
                    "attention_entropy": 0.8,
                    "token_probability": side.mean(),
                    "prediction_uniform": int(logits.mean() > 0),
                    "prediction_permuted": int(rng.random() > 0.5),
                    "tvd_uniform": 0.1,
                    "tvd_permuted": 0.2,
                }
            )
    return pl.DataFrame(rows)
