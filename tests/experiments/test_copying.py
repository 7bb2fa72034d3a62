"""Copying while hiding what is copied: the command on few texts, resumed, and a wrong name."""

import jax
import numpy as np
import pytest

from attn_jax.analyses.alignment import alignment
from attn_jax.data.simulators.sequences import bucket
from attn_jax.errors import UserError
from attn_jax.results import records
from attn_jax.training.step import initialise
from experiments import copied
from experiments.copying import main


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copying")
    main(folder, task="reverse", seeds=1, preset="quick")
    return folder / "reverse"


def test_accuracy_and_mass_stand_at_every_strength(out):
    found = {record.metric: record for record in records.read(out / "records.csv")}
    for strength in ("0", "1"):
        assert 0 <= found[f"mass_mean@{strength}"].value <= 1
        assert 0 <= found[f"accuracy@{strength}"].value <= 1
    assert "generated corpus" in found["mass_mean@1"].caveat
    assert (out / "debate.csv").exists()


def test_the_same_command_trains_nothing_again(out):
    before = (out / "records.csv").stat().st_mtime_ns
    main(out.parent, task="reverse", seeds=1, preset="quick")
    assert (out / "records.csv").stat().st_mtime_ns == before


def test_the_mass_is_that_on_each_words_own_token():
    cell = copied.cell("reverse", 1, quick=True)
    rows = jax.tree.map(lambda a: a[:2], bucket(cell.corpus.test, cell.vocabulary).rows)
    example = jax.tree.map(lambda a: a[0], rows)
    params = initialise(cell.model, cell.train.optimiser, example, [0], None).params
    params = jax.tree.map(lambda a: a[0], params)
    found = alignment(cell.model, params, rows, jax.random.key(0), cell.places)
    alpha = np.asarray(jax.jit(lambda e: cell.model.traverse(params, e).alpha)(example))
    # The first word written is the last one read, which stands before EOS.
    wanted = np.mean([alpha[word, copied.LENGTH - word] for word in range(copied.LENGTH)])
    np.testing.assert_allclose(found["mass"][0], wanted, atol=1e-6)


def test_a_wrong_task_lists_the_right_ones(tmp_path):
    with pytest.raises(UserError, match="copy, reverse, flip"):
        main(tmp_path, task="sort")
