"""Records under the published keys and in the published units, each against a plain computation."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score

from attn_jax.results import published, regularisation, tutek_snajder
from attn_jax.results.aliases import answers
from attn_jax.results.tutek_snajder import Cell, records_of
from tests.results import regularised

FRAME = regularised.make()
INFORMATION = [
    {"sample": sample, "seed": seed, "nats": 2.0 + seed / 10 + (sample == "random_sample"), "tokens": 100}
    for seed in range(3)
    for sample in tutek_snajder.SAMPLES
]


def made(cell=None, **options):
    cell = cell or Cell("sst", "additive", "base")
    return {(r.paper, r.metric): r for r in records_of(FRAME, cell, information=INFORMATION, **options)}


def by_seed(column):
    return [
        f1_score(part["gold"].to_numpy(), part[column].to_numpy())
        for _, part in FRAME.group_by("seed", maintain_order=True)
    ]


def test_f1_and_drops_are_scikit_learns_in_percent():
    found = made()
    trained = np.array(by_seed("prediction"))
    assert found["tutek_snajder_2020", "f1_trained"].value == pytest.approx(100 * trained.mean())
    for name in ("uniform", "permuted"):
        drops = 100 * (np.array(by_seed(f"prediction_{name}")) - trained)
        record = found["tutek_snajder_2020", f"f1_drop_{name}"]
        assert record.value == pytest.approx(drops.mean())
        assert record.std == pytest.approx(drops.std(ddof=1))
        assert record.ci_low <= record.value <= record.ci_high
        assert (record.seeds, record.n, record.std_over) == (3, 120, "seeds")


def test_per_token_probability_is_over_correct_instances():
    right = FRAME.filter(pl.col("gold") == pl.col("prediction"))
    means = right.group_by("seed").agg(pl.col("token_probability").mean())["token_probability"]
    assert made()["tutek_snajder_2020", "per_token_probability"].value == pytest.approx(means.mean())


def test_information_is_in_nats_with_bits_beside():
    found = made()
    record = found["tutek_snajder_2020", "mutual_information_most_frequent"]
    assert record.value == pytest.approx(2.1)
    assert record.std == pytest.approx(0.1)
    assert record.n == 300
    bits = found["attn_jax", "mutual_information_most_frequent_bits"]
    assert bits.value == pytest.approx(2.1 / math.log(2))
    assert bits.ci_high == pytest.approx(record.ci_high / math.log(2))


def test_every_published_cell_of_tables_1_2_3_and_6_is_answered():
    """Whatever is printed must be joined by the records of some cell."""
    keys = set()
    for dataset, attention, variant, layers in itertools.product(
        ("sst", "agnews", "20news", "imdb", "anemia"),
        ("additive", "dot"),
        ("base", "concat", "residual", "tying", "mlm"),
        (1, 2, 3),
    ):
        cell = Cell(dataset, attention, variant, layers)
        keys |= {a.key() for r in records_of(FRAME, cell, information=INFORMATION[:2]) for a in answers(r)}
    printed = published.load().filter(
        (pl.col("paper") == "tutek_snajder_2020") & (pl.col("table") != "table5")
    )
    assert printed.height > 300
    missing = [row[:-2] for row in printed.iter_rows() if row[:-2] not in keys]
    assert missing == []


def test_strength_and_caveat_stand_in_the_records():
    found = made(Cell("sst", "dot", "tying", 2, "a caveat"), strength=20.0)
    assert found["attn_jax", "strength"].value == 20.0
    assert {record.caveat for record in found.values()} == {"a caveat"}
    assert {record.encoder for record in found.values()} == {"bilstm_2_layers"}
    assert found["tutek_snajder_2020", "f1_trained"].table == "table6"
    assert ("attn_jax", "strength") not in made()


def test_the_best_f1_on_dev_chooses_the_strength_and_all_are_recorded():
    good = regularised.make(split="dev", seeds=1)
    bad = good.with_columns(prediction=1 - pl.col("prediction"))
    found = {
        r.metric: r.value
        for r in regularisation.ablation({1.0: bad, 10.0: good, 20.0: good}, Cell("sst", "dot", "tying"))
    }
    assert found["strength_chosen"] == 10.0
    assert found["dev_f1_trained@10"] > found["dev_f1_trained@1"]
    assert {f"dev_f1_drop_uniform@{s}" for s in (1, 10, 20)} <= set(found)


def curves(jsd, tvd):
    rows = [
        {"seed": s, "strength": k, "id": str(i), "gold": i % 2, "prediction": i % 2}
        | {"jsd": jsd[k] + 0.01 * s, "tvd": tvd[k] * (1 + s)}
        for s in range(2)
        for k in range(len(jsd))
        for i in range(4)
    ]
    return pl.DataFrame(rows).cast({"strength": pl.Float64})


def test_imitators_are_compared_at_equal_divergence():
    cell = Cell("sst", "additive", "mlm")
    found = {r.metric: r for r in regularisation.imitation(curves([0.0, 0.2, 0.6], [0.0, 0.1, 0.5]), cell)}
    assert found["imitation_jsd_mean@1"].value == pytest.approx(0.205)
    assert found["imitation_tvd_mean@2"].value == pytest.approx(0.75)
    assert found["imitation_f1@0"].value == 100
    # Half way between the first two points of each seed's own curve, the second shifted by 0.01.
    costs = [0.05, np.interp(0.1, [0.01, 0.21], [0.0, 0.2])]
    assert found["imitation_tvd_at_jsd@0.1"].value == pytest.approx(np.mean(costs))
    alone = regularisation.imitation(
        curves([0.0, 0.2, 0.6], [0.0, 0.1, 0.5]).filter(pl.col("seed") == 0), cell
    )
    one = next(r for r in alone if r.metric == "imitation_tvd_at_jsd@0.1")
    assert (one.value, one.n, one.seeds) == (pytest.approx(0.05), 4, 1)
    assert (one.ci_low, one.ci_high) == (pytest.approx(0.05), pytest.approx(0.05))  # instances do not differ
    short = {r.metric for r in regularisation.imitation(curves([0.0, 0.15], [0.0, 0.1]), cell)}
    assert "imitation_tvd_at_jsd@0.1" in short
    assert "imitation_tvd_at_jsd@0.2" not in short


def test_one_imitator_has_an_interval_over_instances():
    rng = np.random.default_rng(0)
    steps = pl.DataFrame({"strength": [0.0, 1.0, 2.0], "step": [0.0, 0.3, 0.6]})
    frame = curves([0, 0, 0], [0, 0, 0]).filter(pl.col("seed") == 0, pl.col("strength") == 0).drop("strength")
    rows = pl.concat([frame.with_columns(id=pl.lit(f"{i}")) for i in range(20)]).unique("id").sort("id")
    noise = rng.uniform(0, 0.2, rows.height)
    rows = rows.with_columns(noise=noise).join(steps, how="cross")
    rows = rows.with_columns(jsd=pl.col("step"), tvd=pl.col("step") * pl.col("noise"))
    one = next(
        r
        for r in regularisation.imitation(rows, Cell("sst", "additive", "mlm"))
        if r.metric == "imitation_tvd_at_jsd@0.3"
    )
    assert one.value == pytest.approx(0.3 * noise.mean())
    resampled = 0.3 * rng.choice(noise, (2000, len(noise))).mean(axis=1)
    expected = np.percentile(resampled, [2.5, 97.5])
    np.testing.assert_allclose([one.ci_low, one.ci_high], expected, atol=1e-3)


def test_entropy_is_recorded_by_epoch_and_at_last():
    history = [
        {"epoch": epoch, "seed": seed, "attention_entropy": 1 - 0.1 * epoch + 0.01 * seed}
        for epoch in range(4)
        for seed in range(2)
    ]
    found = {
        r.metric: r
        for r in regularisation.initialisation(history, Cell("sst", "dot_small_start", "base"), n=50)
    }
    assert found["dev_attention_entropy@0"].value == pytest.approx(1.005)
    assert found["dev_attention_entropy_final"].value == pytest.approx(0.705)
    assert found["dev_attention_entropy_final"].attention == "dot_small_start"
    assert found["dev_attention_entropy@2"].seeds == 2
