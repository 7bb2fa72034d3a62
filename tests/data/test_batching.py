"""Vocabulary, buckets, batches and the order of an epoch."""

import numpy as np
import pytest

from attn_jax.data.batching import at_once, batches, bucketise
from attn_jax.data.epochs import chunks_per_epoch, epoch
from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import EOS, PAD, SOS, UNK, Vocabulary
from attn_jax.errors import UserError


def texts(lengths):
    return [
        TextExample(f"t{i}", ("w",) * n, i % 2, rationale=(True,) + (False,) * (n - 1))
        for i, n in enumerate(lengths)
    ]


VOCABULARY = Vocabulary.build([("w", "w", "v")], min_count=2)


def test_vocabulary_counts_and_names_the_unknown():
    assert VOCABULARY.words == ("<PAD>", "<UNK>", "<SOS>", "<EOS>", "w")
    assert VOCABULARY.encode(("w", "v")) == [SOS, 4, UNK, EOS]
    assert Vocabulary.build([("b", "a", "b", "c")]).words[4:] == ("b", "a", "c")


def test_rows_are_padded_masked_and_keep_their_index():
    found = bucketise(texts([2, 4, 1]), VOCABULARY, 2, ladder=(4, 6), spared=0)
    assert [bucket.rows.ids.shape for bucket in found] == [(2, 4), (1, 6)]
    short = found[0].rows
    np.testing.assert_array_equal(short.index, [0, 2])
    np.testing.assert_array_equal(short.ids[1], [SOS, 4, EOS, PAD])
    np.testing.assert_array_equal(short.valid[1], [1, 1, 1, 0])
    np.testing.assert_array_equal(short.attendable[1], [0, 1, 0, 0])
    np.testing.assert_array_equal(short.rationale[0], [0, 1, 0, 0])


def test_a_text_over_the_limit_is_named():
    with pytest.raises(UserError, match=r"Instance t1 has 9 tokens.*holds 6"):
        bucketise(texts([2, 7]), VOCABULARY, 2, ladder=(4, 6), spared=0)


def test_batches_are_filled_with_weightless_rows():
    (bucket,) = bucketise(texts([2] * 5), VOCABULARY, 2, ladder=(4,))
    found = list(batches(bucket, 3))
    assert [batch.ids.shape for batch in found] == [(3, 4), (3, 4)]
    np.testing.assert_array_equal(found[1].weight, [1, 1, 0])
    assert not found[1].valid[2].any()


@pytest.mark.parametrize(("length", "count"), [(10, 32), (190, 32), (300, 16), (4000, 1)])
def test_fewer_long_texts_are_analysed_at_once(length, count):
    (bucket,) = bucketise(texts([length] * 64), VOCABULARY, 2)
    assert at_once(bucket) == count


@pytest.mark.parametrize(
    ("instances", "devices", "count"), [(3, 1, 3), (3, 2, 4), (33, 1, 17), (65, 2, 34), (128, 2, 64)]
)
def test_a_bucket_is_divided_evenly(instances, devices, count):
    (bucket,) = bucketise(texts([5] * instances), VOCABULARY, 2)
    assert at_once(bucket, devices) == count


def test_an_epoch_sees_every_instance_once_for_every_seed():
    buckets = bucketise(texts([2] * 13 + [4] * 5), VOCABULARY, 2, ladder=(4, 6), spared=0)
    seen = {0: [], 7: []}
    chunks = list(epoch(buckets, 3, 2, seeds=[0, 7], number=0))
    assert len(chunks) == chunks_per_epoch(buckets, 3, 2)
    for chunk in chunks:
        assert chunk.batches.ids.shape[:3] == (2, 2, 3)
        assert (chunk.batches.weight[:, chunk.count :] == 0).all()
        for s, seed in enumerate(seen):
            rows = chunk.batches.index[s][chunk.batches.weight[s] > 0]
            seen[seed] += rows.tolist()
    assert sorted(seen[0]) == sorted(seen[7]) == list(range(18))
    assert seen[0] != seen[7]


@pytest.mark.parametrize(
    ("instances", "parts", "rows"),
    [(100, 1, 32), (17, 1, 32), (16, 1, 16), (5, 1, 8), (2, 1, 2), (1, 1, 1), (1, 2, 2), (3, 8, 8)],
)
def test_a_bucket_that_would_not_half_fill_a_batch_has_a_smaller_one(instances, parts, rows):
    (bucket,) = bucketise(texts([5] * instances), VOCABULARY, 2)
    for chunk in epoch([bucket], 32, 2, seeds=[0], number=0, parts=parts):
        assert chunk.batches.ids.shape[:3] == (1, 2, rows)
        assert rows % parts == 0


def test_epochs_repeat_by_number_and_differ_between_numbers():
    buckets = bucketise(texts([2] * 13), VOCABULARY, 2, ladder=(4,))
    order = [
        [chunk.batches.index.tolist() for chunk in epoch(buckets, 3, 2, seeds=[0], number=n)]
        for n in (0, 0, 1)
    ]
    assert order[0] == order[1] != order[2]


def test_a_long_question_does_not_lengthen_the_others():
    rows = [TextExample(str(n), ("w",), 0, question=("w",) * n) for n in (1, 1, 7, 2)]
    short, long = bucketise(rows, VOCABULARY, 2, ladder=(4, 6, 8, 9), spared=0)
    assert (short.rows.question_ids.shape, short.rows.index.tolist()) == ((3, 4), [0, 1, 3])
    assert (long.rows.question_ids.shape, long.rows.index.tolist()) == ((1, 9), [2])
    assert short.rows.ids.shape[1] == long.rows.ids.shape[1] == 4


def test_questions_are_padded_and_choices_become_a_mask():
    rows = [
        TextExample("a", ("w",), 0, question=("w", "w"), choices=(0, 2)),
        TextExample("b", ("w",) * 4, 1, question=("w",), choices=(1,)),
    ]
    short, long = bucketise(rows, VOCABULARY, 3, ladder=(4, 6), spared=0)
    assert short.rows.question_ids.shape == long.rows.question_ids.shape == (1, 4)
    np.testing.assert_array_equal(long.rows.question_valid, [[1, 1, 1, 0]])
    np.testing.assert_array_equal(short.rows.choices, [[1, 0, 1]])


def test_given_attention_comes_along_where_every_instance_brings_its_own():
    own = [TextExample("a", ("w", "v"), 0, given=(0.25, 0.75)), TextExample("b", ("w",), 1, given=(1.0,))]
    (bucket,) = bucketise(own, VOCABULARY, 2, ladder=(5,))
    np.testing.assert_array_equal(bucket.rows.given, [[0, 0.25, 0.75, 0, 0], [0, 1, 0, 0, 0]])
    (bucket,) = bucketise([own[0], TextExample("c", ("w",), 1)], VOCABULARY, 2, ladder=(5,))
    assert bucket.rows.given is None
