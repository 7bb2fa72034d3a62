import numpy as np
import pytest
import scipy.stats

from attn_jax.results import fidelity, shares, tolerances
from tests.results import answers

PAPER = "jain_wallace_2019"


def judged(values: list[float], metric: str = "tau_gradient_mean") -> list[fidelity.Cell]:
    key = (PAPER, "table2", "sst", "bilstm", "additive", "", "0", metric)
    return [fidelity.Cell(key, value, None, None, "reproduced") for value in values]


@pytest.mark.parametrize("metric", ["tau_gradient_mean", "vocab_size"])
def test_no_constant_on_a_fine_grid_beats_the_best(metric: str):
    draw = np.random.default_rng(0)
    values = draw.uniform(0, 1, 30) if metric == "tau_gradient_mean" else draw.uniform(1, 200, 30)
    constant, share = shares.best_constant(judged(list(values), metric))
    margins = np.array([fidelity.allowed(judged([v], metric)[0].key, v) for v in values])

    def reached(c: float) -> float:
        return float(np.mean(np.abs(values - c) <= margins + 1e-9))

    assert reached(constant) == share
    assert share == max(reached(c) for c in np.linspace(-1, 210, 20_001))


def test_the_best_constant_by_hand():
    constant, share = shares.best_constant(judged([0.1, 0.25, 0.3, 0.9]))
    assert share == 0.75
    assert constant == pytest.approx(0.2)


def test_groups_come_before_their_metrics_and_counts_last():
    made = shares.shares(fidelity.cells(answers.records(), PAPER))
    groups = [share.group for share in made if not share.metric]
    assert groups == ["performance", "tau mean", "significant fraction", tolerances.COUNTS]
    performance = [share.metric for share in made if share.group == "performance"]
    assert performance == ["", "f1", "accuracy", "micro_f1"]
    sizes = {share.metric: sum(share.counts.values()) for share in made if share.group == "performance"}
    assert sizes[""] == 12 == sizes["f1"] + sizes["accuracy"] + sizes["micro_f1"]


def test_a_share_counts_the_judged_cells_alone():
    found = answers.only(answers.records(), dataset="sst") + answers.only(
        answers.records(shift=0.2), dataset="imdb"
    )
    cells = fidelity.cells(found, PAPER)
    tau = next(s for s in shares.shares(cells) if s.group == "tau mean")
    assert tau.counts == {"reproduced": 6, "not reproduced": 6, "not comparable": 0, "not run": 51}
    assert tau.share == 0.5
    values = [cell.published for cell in cells if cell.judged and cell.field("metric").startswith("tau")]
    assert len(values) == 12 + 12  # with the significant fractions
    pairs = np.array(
        [(c.published, c.record.value) for c in cells if c.judged and c.field("metric").endswith("mean")]
    )
    assert tau.spearman == pytest.approx(scipy.stats.spearmanr(pairs[:, 0], pairs[:, 1]).statistic)


def test_a_constant_in_place_of_a_model_is_seen_through():
    cells = fidelity.cells(answers.records(), PAPER)
    taus = [cell for cell in cells if cell.field("metric") == "tau_gradient_mean"]
    constant, share = shares.best_constant(taus)
    idle = answers.changed(answers.only(answers.records(), metric="tau_gradient_mean"), value=constant)
    made = shares.shares(fidelity.cells(idle, PAPER))
    tau = next(s for s in made if s.metric == "tau_gradient_mean")
    assert tau.share == pytest.approx(share)
    assert tau.beats_constant is False
    assert tau.spearman is None


def test_nothing_run_has_no_share():
    for share in shares.shares(fidelity.cells([])):
        assert (share.share, share.constant_share, share.spearman) == (None, None, None)
        assert share.beats_constant is None
