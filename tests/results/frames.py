"""A frame of examples as an experiment would hand over, made of plausible random numbers."""

import numpy as np
import polars as pl

EPSILON_GRID = (0.001, 0.01, 0.05, 0.1, 0.3)
LN2 = np.log(2)
_WORDS = (
    "the",
    "a",
    "film",
    "plot",
    "actor",
    "was",
    "rather",
    "scene",
    "music",
    "not",
    "slow",
    "long",
    "and",
    "of",
)
_DECISIVE = ("dreadful", "wonderful")


def make(
    n: int = 24, seeds: int = 1, classes: int = 2, paired: bool = False, run: str = "toy"
) -> pl.DataFrame:
    """One row per seed and instance, every column that the page and the records know."""
    rng = np.random.default_rng(0)
    texts = [_text(rng) for _ in range(n)]
    gold = rng.integers(0, classes, n)
    rows = [
        {"run": run, "seed": seed, "id": f"test-{i}", "split": "test"}
        | _row(rng, texts[i], gold[i], classes, paired)
        for seed in range(seeds)
        for i in range(n)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def settings(**changes) -> dict:
    """The settings that stand in `config.json` beside such a frame."""
    base = {
        "dataset": "reviews",
        "encoder": "bilstm",
        "attention": "additive",
        "labels": ["negative", "positive"],
    }
    return base | {"epsilon": 0.01, "epsilon_grid": list(EPSILON_GRID)} | changes


def _text(rng) -> list[str]:
    words = [str(word) for word in rng.choice(_WORDS, rng.integers(5, 22))]
    words[rng.integers(len(words))] = str(rng.choice(_DECISIVE))
    return ["<SOS>", *words, "<EOS>"]


def _row(rng, tokens: list[str], gold: int, classes: int, paired: bool) -> dict:
    prediction = int(gold) if rng.random() < 0.9 else int(rng.integers(0, classes))
    probabilities = rng.dirichlet(np.ones(classes))
    mask = np.array([token not in ("<SOS>", "<EOS>") for token in tokens])
    planted = np.isin(tokens, _DECISIVE)
    alpha = _attention(rng, mask, 2.5 * planted)
    row = {
        "tokens": tokens,
        "mask": mask.tolist(),
        "question": ["where", "is", "it"] if paired else None,
        "gold": int(gold),
        "prediction": prediction,
        "probabilities": sorted(probabilities, reverse=prediction == 0),
        "alpha": alpha,
        "token_logits": rng.normal(size=(len(tokens), 1)).tolist(),
        "rationale": None if paired else planted.tolist(),
        "length": int(mask.sum()),
        "max_attention": max(alpha),
    }
    return (
        row
        | _scores(rng, mask, planted)
        | _taus(rng)
        | _adversaries(rng, max(alpha))
        | _rest(rng, mask, paired)
    )


def _attention(rng, mask, boost) -> list[float]:
    weights = np.where(mask, np.exp(rng.normal(size=len(mask)) + boost), 0.0)
    return (weights / weights.sum()).tolist()


def _scores(rng, mask, planted) -> dict:
    names = ("gradient_x_input", "gradient_l2", "gradient_sum", "loo", "search_alpha", "exact_alpha")
    return {f"score/{name}": _attention(rng, mask, -2.0 * planted) for name in names}


def _taus(rng) -> dict:
    row = {}
    for name, centre in (("tau_gradient", 0.4), ("tau_loo", 0.3), ("tau_gradient_loo", 0.6)):
        tau = float(np.clip(rng.normal(centre, 0.2), -1, 1))
        undefined = rng.random() < 0.1
        row |= {
            name: None if undefined else tau,
            f"{name}_p": None if undefined else float(0.5 * (1 - abs(tau)) ** 3),
        }
    return row | {f"tau_{name}_shuffled": float(rng.normal(0, 0.15)) for name in ("gradient", "loo")}


def _adversaries(rng, peak: float) -> dict:
    exact = float(LN2 * (1 - 0.5 * peak * rng.random()))
    feasible = bool(rng.random() < 0.85)
    curve = np.minimum(LN2, exact * np.linspace(0.8, 1.1, len(EPSILON_GRID)))
    return {
        "permutation_median_tvd": float(rng.beta(1, 4)),
        "permutation_can_flip": bool(rng.random() < 0.7),
        "search_jsd": exact * float(rng.uniform(0.7, 1)) if feasible else 0.0,
        "search_feasible": feasible,
        "exact_jsd": exact,
        "exact_upper_bound": min(float(LN2), exact + 1e-6),
        "null_jsd": min(float(LN2), exact * float(rng.uniform(0.9, 1.05))),
        "curve_jsd": curve.tolist(),
        "curve_null_jsd": (0.95 * curve).tolist(),
        "permuted_jsd_low": 0.6 * exact,
        "permuted_jsd_high": 0.7 * exact,
    }


def _rest(rng, mask, paired: bool) -> dict:
    length = int(mask.sum())
    flips = bool(rng.random() < 0.8)
    centres = {"attention": 0.6, "gradient_x_input": 0.7, "loo": 0.8}
    auprc = {
        f"auprc_{n}": None if paired else float(np.clip(rng.normal(c, 0.2), 0, 1)) for n, c in centres.items()
    }
    base = {"auprc_base_rate": None if paired else 1 / length}
    return (
        auprc | base | {"flip_count": int(rng.integers(1, length)) if flips else length, "flip_flips": flips}
    )
