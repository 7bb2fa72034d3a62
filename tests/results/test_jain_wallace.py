import numpy as np
import polars as pl
import pytest
import scipy.stats
import sklearn.metrics

from attn_jax.errors import UserError
from attn_jax.results import published, records
from attn_jax.results.jain_wallace import Cell, records_of
from tests.results import frames

SST = Cell("sst", "bilstm", "additive")


def table(frame: pl.DataFrame, cell: Cell = SST) -> dict[tuple[str, str, str], records.Record]:
    """(paper, label, metric) -> record."""
    made = records_of(frame, cell, epsilon_grid=frames.EPSILON_GRID)
    return {(r.paper, r.label, r.metric): r for r in made}


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return frames.make(n=40)


@pytest.fixture(scope="module")
def made(frame):
    return table(frame)


def published_cells(cell: Cell) -> set:
    cells = published.load().filter(paper="jain_wallace_2019", dataset=cell.dataset, encoder=cell.encoder)
    return set(cells.select(published.KEY).iter_rows())


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        (SST, {}),
        (Cell("snli", "bilstm", "additive", task="nli"), {"classes": 3, "paired": True}),
        (Cell("babi1", "bilstm", "additive", task="qa"), {"classes": 6, "paired": True}),
        (Cell("20news", "average", "additive"), {}),
    ],
)
def test_every_published_cell_of_a_run_is_answered(cell: Cell, options: dict):
    ours = {record.key() for record in records_of(frames.make(n=40, **options), cell)}
    expected = published_cells(cell)
    assert len(expected) >= 4
    assert expected <= ours


def test_table_2_is_by_predicted_class(frame, made):
    part = frame.filter(pl.col("prediction") == 1, pl.col("tau_loo").is_not_null())
    record = made["jain_wallace_2019", "1", "tau_loo_mean"]
    assert record.value == pytest.approx(part["tau_loo"].mean())
    assert record.std == pytest.approx(part["tau_loo"].std())
    assert (record.n, record.std_over) == (part.height, "instances")
    share = made["jain_wallace_2019", "1", "tau_loo_significant_fraction"]
    assert share.value == pytest.approx((part["tau_loo_p"] <= 0.05).mean())
    assert share.std is None


def test_performance_is_scikit_learns(frame, made):
    gold, prediction = frame["gold"].to_numpy(), frame["prediction"].to_numpy()
    expected = sklearn.metrics.f1_score(gold, prediction)
    assert made["jain_wallace_2019", "", "f1"].value == pytest.approx(expected)
    macro = sklearn.metrics.f1_score(gold, prediction, average="macro")
    assert made["attn_jax", "", "macro_f1"].value == pytest.approx(macro)
    assert made["attn_jax", "", "accuracy"].value == pytest.approx((gold == prediction).mean())
    counts = np.bincount(gold)
    assert made["attn_jax", "", "majority_share"].value == pytest.approx(counts.max() / counts.sum())


def test_micro_f1_and_macro_f1_of_three_classes():
    three = frames.make(n=40, classes=3, paired=True)
    made = table(three, Cell("snli", "bilstm", "additive", task="nli"))
    gold, prediction = three["gold"].to_numpy(), three["prediction"].to_numpy()
    for (paper, metric), average in {
        ("jain_wallace_2019", "micro_f1"): "micro",
        ("attn_jax", "macro_f1"): "macro",
    }.items():
        expected = sklearn.metrics.f1_score(gold, prediction, average=average)
        assert made[paper, "", metric].value == pytest.approx(expected)


def test_undefined_taus_are_counted_and_left_out(frame, made):
    count = frame["tau_gradient"].null_count()
    assert count > 0
    assert made["attn_jax", "", "tau_gradient_undefined_count"].value == count
    assert made["attn_jax", "", "tau_gradient_mean"].n == frame.height - count


def test_adjusted_share_is_scipys(frame, made):
    p_values = frame["tau_gradient_p"].drop_nulls().to_numpy()
    expected = (scipy.stats.false_discovery_control(p_values) <= 0.05).mean()
    adjusted = made["attn_jax", "", "tau_gradient_significant_fraction_adjusted"].value
    assert adjusted == pytest.approx(expected)
    assert adjusted < made["attn_jax", "", "tau_gradient_significant_fraction"].value


def test_the_adversaries_stand_beside_the_null(frame, made):
    value = {metric: record.value for (paper, _, metric), record in made.items() if paper == "attn_jax"}
    assert value["search_jsd_mean"] == pytest.approx(frame["search_jsd"].mean())
    assert value["exact_jsd_above_0.65_share"] == pytest.approx((frame["exact_jsd"] > 0.65).mean())
    assert value["exact_minus_null_jsd_mean"] == pytest.approx(
        value["exact_jsd_mean"] - value["null_jsd_mean"]
    )
    curve = np.array(frame["curve_jsd"].to_list()).mean(axis=0)
    points = [value[f"curve_jsd_mean@{epsilon:g}"] for epsilon in frames.EPSILON_GRID]
    np.testing.assert_allclose(points, curve, rtol=1e-6)
    flipped = frame.filter("flip_flips")
    assert value["flip_fraction_mean"] == pytest.approx((flipped["flip_count"] / flipped["length"]).mean())
    assert value["flip_share"] == pytest.approx(frame["flip_flips"].mean())


def test_several_seeds_vary_over_seeds():
    frame = frames.make(n=20, seeds=3)
    record = table(frame)["attn_jax", "", "exact_jsd_mean"]
    means = frame.group_by("seed").agg(pl.col("exact_jsd").mean())["exact_jsd"]
    assert (record.value, record.std) == pytest.approx((means.mean(), means.std()))
    assert (record.n, record.seeds, record.std_over) == (60, 3, "seeds")


def test_what_the_frame_lacks_is_skipped(frame):
    bare = frame.select(
        "run", "seed", "id", "split", "tokens", "mask", "gold", "prediction", "probabilities", "alpha"
    )
    metrics = {record.metric for record in records_of(bare, SST)}
    assert metrics == {"f1", "macro_f1", "accuracy", "majority_share"}


def test_records_can_be_written_and_carry_the_caveat(frame, tmp_path):
    cell = Cell("sst", "bilstm", "additive", caveat="GloVe for fastText")
    made = records_of(frame, cell, epsilon_grid=frames.EPSILON_GRID)
    records.write(tmp_path / "records.csv", made)
    assert {r.caveat for r in records.read(tmp_path / "records.csv")} == {"GloVe for fastText"}
    assert {r.run for r in made} == {"toy"}


def test_other_splits_are_left_out_and_runs_not_mixed(frame):
    dev = frame.with_columns(split=pl.lit("dev"), exact_jsd=0.0)
    both = table(pl.concat([frame, dev]))
    assert both["attn_jax", "", "exact_jsd_mean"].value == pytest.approx(frame["exact_jsd"].mean())
    with pytest.raises(UserError, match="rows of 0 runs"):
        records_of(dev, SST)
    with pytest.raises(UserError, match="rows of 2 runs"):
        records_of(pl.concat([frame, frame.with_columns(run=pl.lit("other"))]), SST)


def test_the_same_frame_gives_the_same_records_and_another_analysis_changes_none(frame):
    full, again = records_of(frame, SST), records_of(frame, SST)
    assert full == again
    fewer = records_of(frame.drop("null_jsd", "tau_loo"), SST)
    assert set(fewer) < set(full)


def test_trends_are_scipys_spearman_averaged_over_seeds():
    frame = frames.make(n=30, seeds=2)
    made = table(frame)
    parts = [part for _, part in frame.group_by("seed")]

    def rho(column: str) -> float:
        each = [scipy.stats.spearmanr(p["max_attention"], p[column]).statistic for p in parts]
        return float(np.mean(each))

    found = made["attn_jax", "", "exact_jsd_max_attention_spearman"]
    assert found.value == pytest.approx(rho("exact_jsd"))
    assert found.ci_low < found.value < found.ci_high
    gap = made["attn_jax", "", "exact_minus_null_jsd_max_attention_spearman"]
    assert gap.value == pytest.approx(rho("exact_jsd") - rho("null_jsd"))


@pytest.mark.parametrize("column", ["max_attention", "search_jsd"])
def test_what_does_not_vary_has_no_trend(column: str):
    made = table(frames.make(n=10).with_columns(pl.lit(0.5).alias(column)))
    assert ("attn_jax", "", "search_jsd_max_attention_spearman") not in made
    assert (column == "max_attention") == (("attn_jax", "", "exact_jsd_max_attention_spearman") not in made)


def test_peaked_instances_alone_count_where_scrambling_peaked_attention_is_asked(frame, made):
    peaked = frame.filter(pl.col("max_attention") >= 0.5)
    assert 0 < peaked.height < frame.height
    record = made["attn_jax", "", "permutation_little_when_peaked_share"]
    assert record.n == peaked.height
    assert record.value == pytest.approx((peaked["permutation_median_tvd"] < 0.05).mean())
    above = (frame["exact_jsd"] > 0.65).mean() - (frame["null_jsd"] > 0.65).mean()
    assert made["attn_jax", "", "exact_minus_null_jsd_above_0.65_share"].value == pytest.approx(above)
