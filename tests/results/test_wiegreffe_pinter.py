"""Statistics of the four tests on frames whose answers are known by hand."""

import polars as pl
import pytest

from attn_jax.results import measure
from attn_jax.results import wiegreffe_pinter as wp


def seeds_frame(jsds, weights=(0.1, 0.9)):
    """Two instances, one row each a further seed."""
    return pl.DataFrame(
        [
            {
                "seed": 0,
                "other": k,
                "id": name,
                "gold": 1,
                "jsd": value,
                "tvd": value / 2,
                "prediction": 1,
                "target_prediction": i,
                "target_max_attention": weights[i],
            }
            for i, (name, values) in enumerate(jsds.items())
            for k, value in enumerate(values)
        ]
    )


FRAME = seeds_frame({"a": [0.1, 0.2, 0.6], "b": [0.0, 0.4, 0.5]})


def test_the_median_is_over_seeds_and_the_mean_over_instances():
    instances = wp.seed_variance(FRAME)
    assert dict(zip(instances["id"], instances["jsd_median"], strict=True)) == {"a": 0.2, "b": 0.4}
    found = dict(wp.of_seeds(instances))
    assert found["jsd_median_mean"].value == pytest.approx(0.3)
    assert found["tvd_mean"].value == pytest.approx((0.15 + 0.15) / 2)
    assert found["jsd_median_mean@0-0.25"].value == pytest.approx(0.2)
    assert found["jsd_median_mean@0.75-1"].value == pytest.approx(0.4)
    assert found["jsd_median_mean@0.25-0.5"] is None


def test_a_weight_of_one_is_in_the_last_bin():
    assert pl.DataFrame({"target_max_attention": [1.0]}).select(wp.in_bin(3)).item()


@pytest.mark.parametrize(("own", "share"), [(0.05, 1 / 6), (0.2, 2.5 / 6), (0.7, 1.0)])
def test_the_quantile_counts_the_seeds_that_are_nearer(own, share):
    adversary = pl.DataFrame({"seed": [0, 0], "id": ["a", "b"], "jsd": [own, own]})
    assert wp.seed_quantile(adversary, FRAME).value == pytest.approx(share)


def grid(rows):
    return pl.DataFrame(rows, schema=["strength", "jsd", "tvd"], orient="row")


def test_the_strength_is_the_farthest_that_keeps_the_outputs():
    curve = [(0.0, 0.1, 0.01), (0.1, 0.4, 0.04), (0.5, 0.6, 0.3)]
    assert wp.chosen_strength(grid(curve)) == 0.1
    assert wp.chosen_strength(grid([(0.1, 0.4, 0.2), (0.5, 0.6, 0.1)])) == 0.5


def test_gains_are_paired_by_seed_and_instance():
    def decided(predictions):
        return pl.DataFrame(
            {
                "seed": [0, 0, 1, 1],
                "id": ["a", "b", "a", "b"],
                "gold": [0, 1, 0, 1],
                "prediction": predictions,
            }
        )

    frames = {"uniform": decided([0, 0, 1, 0]), "base": decided([0, 1, 0, 1])}
    assert measure.accuracy_gain(frames["base"], frames["uniform"]).value == pytest.approx(0.75)
    found = {(guide, metric): summary for guide, metric, summary in wp.guides(frames)}
    assert ("uniform", "accuracy_minus_uniform") not in found
    assert found["base", "accuracy_minus_uniform"].value == pytest.approx(0.75)
    assert found["base", "f1"].value == 1
