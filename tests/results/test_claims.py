import pytest

from attn_jax.results import claims, figures, published
from attn_jax.results.claim import Finding, Judgement, Region
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Subject
from attn_jax.results.records import Record
from tests.results import answers

JW, TS, V = "jain_wallace_2019", "tutek_snajder_2020", "vashishth_2019"


@pytest.fixture(scope="module")
def on_nothing() -> dict[str, list[Judgement]]:
    return {claim.name: made for claim, made in claims.judged([])}


def failing(made: list[Judgement]) -> set[tuple[str, ...]]:
    return {tuple(filter(None, j.subject)) for j in made if j.published.verdict == "does not hold"}


def run(claim: str, *rows: Record) -> Finding:
    """What ours say of the first subject that they have figures for."""
    made = {c.name: j for c, j in claims.judged(rows)}[claim]
    return next(j.ours for j in made if any(j.ours.figures))


def record(metric: str, value: float, half: float = 0.01, **fields) -> Record:
    base = {"dataset": "sst", "encoder": "bilstm", "attention": "additive", "run": "toy", "n": 100}
    return Record(metric=metric, value=value, ci_low=value - half, ci_high=value + half, **(base | fields))


def beside(*found: Record) -> list[Record]:
    """With a record under the paper's key, which makes the subject one of the paper's."""
    subjects = {(r.dataset, r.encoder, r.attention) for r in found}
    keys = [{"dataset": d, "encoder": e, "attention": a} for d, e, a in subjects]
    return [*found, *(record("tau_loo_significant_fraction", 0.5, paper=JW, label="0", **k) for k in keys)]


@pytest.mark.parametrize(
    ("region", "interval", "verdict"),
    [
        (Region(low=0), (0.1, 0.2), "holds"),
        (Region(low=0), (-0.1, 0.2), "undecided"),
        (Region(low=0), (-0.2, -0.1), "does not hold"),
        (Region(low=0), (0, 0), "does not hold"),
        (Region(low=0, open=False), (0, 0), "holds"),
        (Region(-0.1, 0.1, open=False), (-0.1, 0.1), "holds"),
        (Region(-0.1, 0.1, open=False), (0.05, 0.15), "undecided"),
        (Region(-0.1, 0.1, open=False), (-0.2, 0.2), "undecided"),
        (Region(-0.1, 0.1, open=False), (0.11, 0.15), "does not hold"),
        (Region(-0.5, 0), (-0.4, -0.2), "holds"),
    ],
)
def test_a_verdict_needs_the_whole_interval(region: Region, interval, verdict: str):
    assert region.verdict(Estimate(sum(interval) / 2, *interval)) == verdict


def test_published_figures_name_each_subject_once():
    load = published.load()
    without_table = [name for name in published.KEY if name != "table"]
    assert not load.select(without_table).is_duplicated().any()
    subjects = figures.printed().subjects(V)
    assert len(subjects) == len(set(subjects))


def test_published_intervals_are_normal_ones():
    found = figures.printed().get(JW, Subject("sst", "bilstm", "additive"), "tau_gradient_mean", "0")
    assert found is not None
    assert found.high - found.value == pytest.approx(1.96 * 0.21 / 863**0.5)
    both = figures.printed().over_classes(JW, Subject("sst", "bilstm", "additive"), "tau_gradient_mean")
    assert both is not None
    assert both.value == pytest.approx((863 * 0.40 + 862 * 0.38) / 1725)


def test_every_claim_has_a_name_of_its_own_and_a_paper():
    names = [claim.name for claim in claims.CLAIMS]
    assert len(names) == len(set(names))
    assert {claim.paper for claim in claims.CLAIMS} == {JW, TS, V}
    assert {c.paper for c, _ in claims.judged([], TS)} == {TS}


def test_with_nothing_run_every_claim_is_not_run(on_nothing):
    for made in on_nothing.values():
        assert claims.overall([j.ours for j in made], "not run") == "not run"


@pytest.mark.parametrize("name", ["modest", "average-higher", "information", "layers-robust"])
def test_what_the_published_figures_support_throughout(on_nothing, name: str):
    assert {j.published.verdict for j in on_nothing[name]} == {"holds"}


def test_the_published_gaps_of_the_average_encoder(on_nothing):
    gaps = [j.published.figures[0].value for j in on_nothing["average-higher"]]
    assert len(gaps) == 12
    assert min(gaps) > 0.13
    assert max(gaps) == pytest.approx(0.67)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "fragile-uniform",
            {("agnews", "additive"), ("agnews", "dot"), ("imdb", "dot")},
        ),
        ("fragile-permuted", {("sst", "dot"), ("imdb", "dot")}),
        ("keep-f1", {("anemia", "additive")}),
    ],
)
def test_the_exceptions_of_mlm_are_those_listed(on_nothing, name: str, expected: set):
    assert failing(on_nothing[name]) == {(d, "bilstm", a, "mlm") for d, a in expected}


def test_listed_exceptions_are_noted_beside_what_fails(on_nothing):
    for name in ("fragile-uniform", "fragile-permuted", "residual-information", "boundary"):
        for j in on_nothing[name]:
            if j.published.verdict == "does not hold":
                assert j.claim.exception(j.subject), j.subject
    assert failing(on_nothing["residual-information"]) == {("imdb", "bilstm", "additive", "residual")}
    assert {s[2:] for s in failing(on_nothing["boundary"])} == {("dot", "residual")}


def test_sst_is_the_published_exception_of_inference_alone(on_nothing):
    for name in ("infer-costs-more-uniform", "infer-costs-more-random"):
        assert {subject[0] for subject in failing(on_nothing[name])} == {"sst"}


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("single-uniform-train-infer", -0.475, "holds"),
        ("single-random-infer", -4.45, "holds"),
        ("relative-pair", -49.66, "holds"),
        ("relative-generation", -51.30, "holds"),
        ("relative-single-sequence", -0.609, "does not hold"),
    ],
)
def test_means_over_the_published_tables(on_nothing, name: str, value: float, verdict: str):
    (made,) = on_nothing[name]
    assert made.published.figures[0].value == pytest.approx(value, abs=0.006)
    assert made.published.verdict == verdict


@pytest.mark.parametrize(("half", "verdict"), [(0.01, "holds"), (0.1, "undecided")])
def test_ours_are_judged_with_their_interval(half: float, verdict: str):
    found = beside(record("tau_gradient_mean", 0.45, half), record("tau_loo_mean", 0.3))
    assert run("modest", *found).verdict == verdict


def test_encoders_are_compared_within_data_set_attention_and_variant():
    rows = [
        record("tau_gradient_mean", 0.4, dataset="sst"),
        record("tau_gradient_mean", 0.7, dataset="sst", encoder="average"),
        record("tau_gradient_mean", 0.3, dataset="imdb"),
        record("tau_gradient_mean", 0.9, dataset="imdb", encoder="average", attention="dot"),
    ]
    made = {c.name: j for c, j in claims.judged(beside(*rows))}["average-higher"]
    ours = {j.subject: j.ours for j in made}
    assert ours["sst", "bilstm", "additive", ""].verdict == "holds"
    assert ours["sst", "bilstm", "additive", ""].figures[0].value == pytest.approx(0.3)
    assert ours["imdb", "bilstm", "additive", ""].verdict == "unknown"


@pytest.mark.parametrize(
    ("exact", "difference", "verdict"),
    [
        (0.6, 0.05, "holds"),
        (0.6, -0.05, "does not hold"),
        (0.6, 0.005, "undecided"),
        (0.1, 0.05, "does not hold"),
    ],
)
def test_adversaries_are_judged_against_the_null(exact: float, difference: float, verdict: str):
    found = beside(
        record("search_jsd_above_0.65_share", 0.05),
        record("exact_jsd_above_0.65_share", exact),
        record("null_jsd_above_0.65_share", exact - difference),
        record("exact_minus_null_jsd_above_0.65_share", difference),
    )
    assert run("adversaries", *found).verdict == verdict
    assert run("adversaries", *found[:3], found[-1]).verdict == "unknown"  # without the null: no verdict


def test_a_pooled_claim_is_about_the_mean_of_the_data_sets():
    rows = []
    for dataset, over in (("sst", 0.1), ("imdb", 0.5)):
        rows.append(record("tau_gradient_loo_minus_tau_loo_mean", over, dataset=dataset))
        rows.append(record("tau_gradient_loo_minus_tau_gradient_mean", 0.2, dataset=dataset))
    found = run("among-themselves-mean", *beside(*rows))
    assert found.verdict == "holds"
    assert found.figures[0].value == pytest.approx(0.3)
    assert found.figures[0].high - 0.3 == pytest.approx((2 * 0.01**2) ** 0.5 / 2)


def test_a_quick_run_decides_nothing():
    rows = answers.changed(
        beside(record("tau_gradient_mean", 0.45), record("tau_loo_mean", 0.3)), caveat="preset quick: 1000"
    )
    for _, made in claims.judged(rows):
        assert not [j for j in made if any(j.ours.figures)]


def test_published_records_as_ours_give_the_published_verdicts():
    for claim, made in claims.judged(answers.records(TS), TS):
        for j in made:
            assert j.ours.verdict == j.published.verdict, (claim.name, j.subject)


def test_overall_verdicts():
    def of(*verdicts) -> str:
        return claims.overall([Finding(verdict, ()) for verdict in verdicts], "not run")

    assert of() == of("unknown") == "not run"
    assert of("holds", "unknown") == "holds"
    assert of("holds", "holds") == "holds (2 of 2)"
    assert of("holds", "undecided", "holds") == "holds for 2, undecided for 1 of 3"


def _regularised(metric: str, value: float, **fields) -> Record:
    return record(metric, value, **({"variant": "base"} | fields))


@pytest.mark.parametrize(("cost", "verdict"), [(0.10, "holds"), (0.05, "undecided"), (0.01, "does not hold")])
def test_imitators_are_compared_where_both_curves_reach(cost: float, verdict: str):
    found = run(
        "imitation-costs",
        record("f1_trained", 84.0, paper=TS, variant="mlm"),
        _regularised("imitation_tvd_at_jsd@0.1", 0.05),
        _regularised("imitation_tvd_at_jsd@0.4", 0.90),  # the other curve does not get there
        _regularised("imitation_tvd_at_jsd@0.1", cost, variant="mlm"),
    )
    assert found.figures[0].value == pytest.approx(cost - 0.05)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("small", "normal", "verdict"),
    [(0.99, 0.6, "holds"), (0.80, 0.6, "does not hold"), (0.99, 0.99, "undecided")],
)
def test_a_collapse_is_to_uniform_and_not_from_the_other_start(small: float, normal: float, verdict: str):
    found = run(
        "dot-collapses",
        _regularised("f1_trained", 84.0, paper=TS, attention="dot"),
        _regularised("dev_attention_entropy_final", small, attention="dot_small_start"),
        _regularised("dev_attention_entropy_final", normal, attention="dot"),
    )
    assert found.verdict == verdict
