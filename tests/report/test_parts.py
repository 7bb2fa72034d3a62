import math

import numpy as np
import polars as pl
import pytest

from attn_jax.report import binning, chosen, heatmap, metric_names, table
from attn_jax.results import jain_wallace
from attn_jax.results.records import Record
from tests.results import frames


def test_every_metric_has_a_name_in_words():
    made = jain_wallace.records_of(
        frames.make(), jain_wallace.Cell("sst", "bilstm", "additive"), epsilon_grid=frames.EPSILON_GRID
    )
    names = {record.metric: metric_names.describe(record.metric) for record in made}
    assert not [metric for metric, name in names.items() if name == metric]
    assert len(set(names.values())) == len(names)
    assert metric_names.describe("never_heard_of") == "never_heard_of"
    paired = metric_names.describe("f1_drop_uniform_minus_one_layer")
    assert paired == "Change of F1, uniform attention, minus that of one layer"


def test_shares_count_defined_values_and_keep_the_ends():
    rows = binning.shares(pl.Series([-1.0, 1.0, 1.0, None, 0.05]), np.linspace(-1, 1, 5), group="a")
    assert [row["share"] for row in rows] == [0.25, 0, 0.25, 0.5]
    assert {row["group"] for row in rows} == {"a"}


def test_boxes_fall_into_four_bins_of_max_attention():
    frame = pl.DataFrame(
        {"max_attention": [0.1, 0.25, 0.26, 0.9, 1.0, 0.3], "v": [0.1, 0.2, 0.4, 0.5, 0.7, None]}
    )
    boxes = {row["bin"]: row for row in binning.quarter_boxes(frame, "v")}
    assert {name: box["n"] for name, box in boxes.items()} == {
        "0 to 0.25": 1,
        "0.25 to 0.5": 2,
        "0.75 to 1": 2,
    }
    assert boxes["0.25 to 0.5"]["median"] == pytest.approx(0.3)


def test_density_integrates_to_one_and_needs_variation():
    grid = np.linspace(-3, 3, 601)
    rows = binning.density(pl.Series(np.random.default_rng(0).normal(0, 0.3, 200)), grid)
    assert np.trapezoid([row["density"] for row in rows], grid) == pytest.approx(1, abs=1e-3)
    assert binning.density(pl.Series([0.5, 0.5, 0.5]), grid) == []


def test_thinning_keeps_the_limit():
    assert binning.thinned(pl.DataFrame({"x": range(1001)}), 100).height <= 100
    assert binning.thinned(pl.DataFrame({"x": range(99)}), 100).height == 99


def test_chosen_instances_follow_the_rules():
    frame = frames.make(n=80, seeds=2)
    picked = dict(chosen.chosen(frame))
    first = frame.filter(pl.col("seed") == 0)
    assert picked["Most peaked attention"]["max_attention"] == first["max_attention"].max()
    assert picked["A wrong decision"]["gold"] != picked["A wrong decision"]["prediction"]
    ids = [row["id"] for row in picked.values()]
    assert len(ids) == len(set(ids)) == 6
    assert {row["seed"] for row in picked.values()} == {0}


def test_heat_map_weights_sum_to_one_and_scores_become_shares():
    row = frames.make(n=1).row(0, named=True)
    row["score/loo"] = [-2.0, 2.0] + [0.0] * (len(row["tokens"]) - 2)
    shown = heatmap.heatmap("why", row, ["negative", "positive"])
    lines = {line.name: line.words for line in shown.lines}
    assert [float(word.weight) for word in lines["Deletion"][:2]] == [0.5, 0.5]
    assert float(lines["Deletion"][0].shade) == pytest.approx(math.sqrt(0.5), abs=1e-3)
    assert sum(float(word.weight) for word in lines["Attention"]) == pytest.approx(1, abs=0.02)
    assert [word.text for word in lines["Attention"]] == row["tokens"]
    assert not lines["Attention"][0].attendable
    assert [word.planted for word in lines["Attention"]] == row["rationale"]


def test_a_search_that_found_nothing_has_no_line():
    row = frames.make(n=1).row(0, named=True) | {"search_feasible": False}
    names = [line.name for line in heatmap.heatmap("why", row, ["a", "b"]).lines]
    assert "Adversary, exact" in names
    assert "Adversary, searched" not in names


def test_table_rows_show_the_difference_only_beside_a_published_cell():
    key = {"paper": "jain_wallace_2019", "table": "table2", "dataset": "sst", "encoder": "bilstm"}
    made = Record(
        **key,
        attention="additive",
        label="0",
        metric="tau_gradient_mean",
        value=0.35,
        ci_low=0.3,
        ci_high=0.4,
        n=1200,
    )
    alone = Record(metric="accuracy", value=0.9)
    first, second = table.rows([made, alone], ["negative", "positive"])
    assert (first.label, first.published, first.ours, first.difference) == (
        "negative",
        "0.40 ± 0.21",
        "0.350",
        "-0.05",
    )
    assert (first.interval, first.n) == ("0.300 to 0.400", "1,200")
    assert (second.label, second.published, second.difference) == ("all", "\u2013", "\u2013")
    assert table.is_published(first)
    assert not table.is_published(second)
