"""Records of Vashishth's tables: signs, units, keys; the claims that rest on them."""

import polars as pl
import pytest

from attn_jax.results import claims, fidelity, published
from attn_jax.results.figures import Subject
from attn_jax.results.records import Record
from attn_jax.results.vashishth import PAPER, VARIANTS, Cell, altered, records_of
from tests.results import altered as toys

CELL = Cell("sst", "bahdanau", "single", "a toy")


@pytest.fixture(scope="module")
def frame():
    return toys.make()


@pytest.fixture(scope="module")
def made(frame):
    return {(r.paper, r.variant, r.metric): r for r in records_of(frame, CELL)}


def right(frame, column):
    return 100 * (frame[column] == frame["gold"]).mean()


def test_changes_are_points_relative_to_the_natural_model(frame, made):
    natural = made[PAPER, "", "accuracy"]
    assert natural.value == pytest.approx(right(frame, "prediction"))
    assert (natural.seeds, natural.std_over, natural.attention, natural.encoder) == (
        *(2, "seeds", "bahdanau"),
        "",
    )
    for variant in VARIANTS:
        change = made[PAPER, variant, "accuracy_change"]
        assert change.value == pytest.approx(right(frame, f"prediction_{variant}") - natural.value)
        assert change.ci_low <= change.value <= change.ci_high
    assert made[PAPER, "permute_infer", "accuracy_change"].value < -10


def test_a_relative_change_is_in_percent_of_each_seeds_own_score(frame, made):
    expected = []
    for seed in (0, 1):
        own = frame.filter(pl.col("seed") == seed)
        base = right(own, "prediction")
        expected.append(100 * (right(own, "prediction_uniform_infer") - base) / base)
    found = made["attn_jax", "uniform_infer", "accuracy_relative_change"].value
    assert found == pytest.approx(sum(expected) / 2)


def test_what_the_paper_does_not_print_is_ours(made):
    assert "uniform_infer_word" in altered(toys.make(n=2, seeds=1))
    assert made["attn_jax", "uniform_infer_word", "accuracy_change"].table == ""
    assert (PAPER, "uniform_infer_word", "accuracy_change") not in made


def test_undefined_removals_are_left_out_not_counted_as_zero(frame, made):
    record = made["attn_jax", "", "removed_delta_js_mean"]
    assert record.n == frame["removed_delta_js"].count() == 78
    assert record.value == pytest.approx(frame["removed_delta_js"].mean())


@pytest.mark.parametrize(
    ("dataset", "model", "kind"), [("sst", "han", "single"), ("snli", "rocktaschel", "pair")]
)
def test_every_published_cell_of_a_run_is_answered(frame, dataset, model, kind):
    cell = Cell(dataset, model, kind)
    cells = fidelity.cells(records_of(frame.with_columns(run=pl.lit(cell.name)), cell), PAPER)
    run = [c for c in cells if (c.field("dataset"), c.field("attention")) == (dataset, model)]
    assert len(run) == 6
    assert all(c.judged for c in run)


def test_the_means_of_the_printed_tables_support_the_text_but_for_the_relative_one():
    verdicts = {claim.name: found for claim, found in claims.judged([], PAPER)}
    for variant in VARIANTS:
        (pooled,) = verdicts[f"single-{variant.replace('_', '-')}"]
        assert (pooled.published.verdict, pooled.published.subjects) == ("holds", 8)
    assert verdicts["relative-pair"][0].published.verdict == "holds"
    assert verdicts["relative-generation"][0].published.verdict == "holds"
    assert verdicts["relative-single-sequence"][0].published.verdict == "does not hold"


@pytest.mark.parametrize("name", ["uniform", "random"])
def test_the_exceptions_listed_are_those_of_the_printed_tables(name):
    claim, found = next(
        pair for pair in claims.judged([], PAPER) if pair[0].name == f"infer-costs-more-{name}"
    )
    against = {one.subject for one in found if one.published.verdict == "does not hold"}
    excepted = {one.subject for one in found if claim.exception(one.subject)}
    assert against == excepted
    assert Subject("sst", "", "bahdanau", f"{name}_infer") in against


def test_substitutes_stay_out_of_the_means(frame):
    cell = Cell("yelp_polarity", "bahdanau", "single")
    made = records_of(frame.with_columns(run=pl.lit(cell.name)), cell)
    for claim, found in claims.judged(made, PAPER):
        if claim.pooled:
            assert found[0].ours.subjects == 0
    assert all(r.key() not in {row[:-2] for row in published.load().iter_rows()} for r in made)


def test_layers_are_judged_on_our_own_figures():
    changes = {"encoder_1": -2.0, "encoder_2": -5.0, "decoder_1": -9.0, "across_1": -1.0, "across_2": 0.5}
    made = [
        Record(
            dataset="multi30k",
            attention="transformer",
            variant=f"permute_{part}",
            metric="bleu_change",
            value=value,
        )
        for part, value in changes.items()
    ]
    verdicts = {claim.name: found for claim, found in claims.judged(made, PAPER)}
    layers = {one.subject.variant: one.ours.verdict for one in verdicts["self-attention-layers"]}
    assert layers.pop("permute_across_2") == "does not hold"
    assert set(layers.values()) == {"holds"}
    assert len(layers) == 4
    assert [one.ours.verdict for one in verdicts["first-decoder-layer"]] == ["holds"]
    assert [one.ours.verdict for one in verdicts["first-across-layer"]] == ["does not hold"]
    assert all(one.published.verdict == "unknown" for one in verdicts["self-attention-layers"])
