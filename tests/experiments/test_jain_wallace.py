"""One cell of the grid with two texts an instance, end to end."""

import pytest

from attn_jax.results import records
from experiments.jain_wallace import main
from tests import golden


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """Questions about generated stories: the pair models' path to the published figures."""
    out = tmp_path_factory.mktemp("jain_wallace")
    main("babi1", out, encoder="average", preset="quick", epochs=1, limit=12)
    return out


# A word that stands twice in a story has the same effect twice under the Average encoder: which of the two
# comes first, and with it the precision of twelve short lists, hangs on rounding and the number of cores.
TIED = ("auprc_loo_mean", "auprc_attention_minus_loo_mean")


def test_records_are_the_goldens(stories):
    golden.assert_golden("jain_wallace_pair", stories, noise=TIED)
    found = {record.metric for record in records.read(stories / "records.csv")}
    assert {"accuracy", "tau_gradient_mean"} <= found
