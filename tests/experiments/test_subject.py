"""A cell put together from names."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.load import spec_of
from attn_jax.errors import UserError
from attn_jax.models.layers import word_vectors
from attn_jax.models.precision import Bfloat16
from attn_jax.results import comparable
from attn_jax.results.records import Record
from attn_jax.training.optimiser import Optimiser, PartlyFrozen
from experiments import subject
from experiments.probe import Probe
from experiments.request import Request
from experiments.trained import buckets_of

TEXTS = tuple(TextExample(str(i), ("yes", "no"), i % 2, question=("who",)) for i in range(4))


def loaded(**options):
    corpus = Corpus("babi1", ("a", "b"), TEXTS, TEXTS, TEXTS)
    return subject.of_corpus(Request("babi1", **options), spec_of("babi1"), corpus)


def cell(**options):
    return subject.cell(loaded(**options), "bilstm", "additive")


def test_only_the_papers_own_settings_answer_a_published_cell():
    assert cell().key.variant == ""
    assert cell(settings="released").key.variant == "released"
    assert cell(probe=Probe("short")).key.variant == "short"
    assert (
        cell(settings="released", precision="bfloat16", probe=Probe("x")).key.variant == "released_bfloat16_x"
    )


def test_a_probe_decides_nothing():
    caveat = cell(probe=Probe("half_the_words")).key.caveat
    assert "a probe: half the words" in caveat
    assert comparable.barred(Record(metric="f1", value=0.5, caveat=caveat))
    assert not comparable.barred(Record(metric="f1", value=0.5, caveat=cell().key.caveat))


def test_regularisation_is_the_papers_unless_another_is_asked_for():
    assert cell().train.optimiser.l2 == 1e-5
    other = cell(settings="released", probe=Probe("no_l2", l2=0.0))
    assert (other.train.optimiser.l2, other.train.optimiser.amsgrad) == (0.0, True)
    assert "L2 0" in other.key.caveat


def test_the_last_epoch_is_kept_by_a_probe_alone():
    assert not cell().train.last
    last = cell(probe=Probe("last_epoch", last=True))
    assert last.train.last
    assert "the last epoch, not the best on dev" in last.key.caveat


def test_the_average_encoder_of_babi_is_the_codes_under_its_settings():
    def average(settings):
        return subject.cell(loaded(settings=settings), "average", "additive").model.encoder

    assert (average("paper").features, average("paper").activation) == (60, jax.nn.relu)
    assert (average("released").features, average("released").activation) == (30, jnp.tanh)


def test_the_released_pair_model_has_two_sets_of_word_vectors_and_l2_on_all():
    released, paper = cell(settings="released"), cell()
    assert released.train.optimiser == Optimiser(amsgrad=True, l2_on_attention=True)
    assert paper.train.optimiser == Optimiser()
    for one, names in ((paper, ("embedding",)), (released, ("embedding", "question_embedding"))):
        rows = buckets_of(one, one.corpus.train)[0].rows
        params = one.model.init_params(jax.random.key(0), jax.tree.map(lambda a: a[0], rows))
        assert word_vectors(params) == names
    tables = [params[name]["table"]["embedding"] for name in names]
    assert tables[0].shape == tables[1].shape
    assert np.abs(tables[0] - tables[1]).min() > 0


def test_another_number_of_epochs_is_said_and_the_usual_is_not():
    assert "7 epochs instead of 100" in cell(epochs=7).key.caveat
    assert "epochs" not in cell(epochs=100).key.caveat


def test_unknown_words_of_a_probe_are_no_longer_left_to_the_seeds(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("yes 0.5 0.25\nno 0.75 1\n")
    usual = cell(vectors=path)
    alike, blank = (cell(vectors=path, probe=Probe(name, **{name: True})) for name in ("alike", "blank"))
    unknown = np.isnan(usual.table)
    assert unknown.any()
    assert not np.isnan(alike.table).any()
    np.testing.assert_array_equal(blank.table, np.where(unknown, 0, usual.table))
    assert "cover 29% of the words, the others are drawn alike" in alike.key.caveat
    assert blank.key.caveat.endswith("cover 29% of the words, the others are blank")
    assert usual.key.caveat.endswith("cover 29% of the words")


def test_another_tokeniser_is_a_probe_and_is_said(monkeypatch):
    asked = []
    corpus = Corpus("babi1", ("a", "b"), TEXTS, TEXTS, TEXTS)
    monkeypatch.setattr(subject, "load", lambda *_, **options: asked.append(options["tokeniser"]) or corpus)
    found = subject.loaded(Request("babi1", probe=Probe("marks", tokeniser="words")))
    assert asked == ["words"]
    assert "words cut by the rule words" in subject.caveat(found)


def test_words_that_a_file_lacks_need_a_file_and_start_in_one_way():
    with pytest.raises(UserError, match="need --vectors"):
        Request("sst", probe=Probe("alike", alike=True))
    with pytest.raises(UserError, match="one way only"):
        Probe("both", alike=True, blank=True)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"tokeniser": "words"}, "--tokeniser words is not the paper's"),
        ({"alike": True}, "--alike is not the paper's"),
        ({"blank": True}, "--blank is not the paper's"),
        ({"frozen": True}, "--frozen is not the paper's"),
        ({"fill": 7}, "--fill 7 is not the paper's"),
        ({"l2": 0.0}, "--l2 0.0 is not the paper's"),
        ({"name": "short", "fill": 0}, "--fill 0"),
    ],
)
def test_what_is_not_the_papers_way_needs_a_name(field, words):
    with pytest.raises(UserError, match=words):
        Probe(**field)


def test_frozen_words_stay_as_they_were(tmp_path):
    frozen = cell(probe=Probe("frozen", frozen=True))
    assert frozen.train.optimiser == PartlyFrozen(**dataclasses.asdict(cell().train.optimiser))
    assert "word vectors frozen" in frozen.key.caveat
    twice = subject.training(loaded(probe=Probe("x", frozen=True, l2=0.5)), frozen.train.optimiser)
    assert twice.optimiser == dataclasses.replace(frozen.train.optimiser, l2=0.5)


def test_both_encoders_of_a_pair_can_compute_in_bfloat16():
    model = cell(precision="bfloat16").model
    assert isinstance(model.encoder, Bfloat16)
    assert isinstance(model.question_encoder, Bfloat16)
    assert not isinstance(cell().model.encoder, Bfloat16)


@pytest.mark.parametrize("probe", ["a/b", "A", " ", "x" * 41, "a\nb"])
def test_a_probe_is_a_plain_name(probe):
    with pytest.raises(UserError, match="--probe"):
        Probe(probe)


@pytest.mark.parametrize("l2", [-1.0, 1.0, float("nan")])
def test_regularisation_out_of_range_is_refused(l2):
    with pytest.raises(UserError, match="--l2"):
        Probe("other", l2=l2)
