"""Documents: sentences found, laid out as rows, and brought back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_jax.data.batching import batches
from attn_jax.data.documents import bucketise_documents, sentences
from attn_jax.data.epochs import epoch
from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import UNK, Vocabulary
from attn_jax.errors import UserError

VOCABULARY = Vocabulary.build([("a", "b", ".", "!", "?")])


def document(name, text, label=0):
    tokens = tuple(text.split())
    return TextExample(name, tokens, label, rationale=tuple(token == "a" for token in tokens))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a b", ["a b"]),
        ("a . b", ["a .", "b"]),
        ("a ! ? . b .", ["a ! ? .", "b ."]),
        (". a", [".", "a"]),
        ("a b a b a b a", ["a b a b a", "b a"]),
    ],
)
def test_sentences_end_with_their_marks_or_at_the_longest(text, expected):
    tokens = text.split()
    assert [" ".join(tokens[i:j]) for i, j in sentences(tokens, longest=5)] == expected


@given(st.lists(st.sampled_from("ab.!?"), max_size=40), st.integers(1, 9))
def test_sentences_partition_every_text(tokens, longest):
    spans = sentences(tokens, longest)
    assert [k for i, j in spans for k in range(i, j)] == list(range(len(tokens)))
    assert all(0 < j - i <= longest for i, j in spans)


def test_rows_are_sentences_in_the_smallest_shape():
    texts = [document("x", "a . b new ! b", 1), document("y", "a b"), document("z", "b . b . a")]
    small, large = bucketise_documents(texts, VOCABULARY, words=(3, 6), most=(1, 3), spared=0)
    assert small.rows.ids.shape == (1, 1, 3)
    assert large.rows.ids.shape == (2, 3, 3)
    np.testing.assert_array_equal(large.rows.index, [0, 2])
    np.testing.assert_array_equal(large.rows.label, [1, 0])
    words = VOCABULARY.index
    np.testing.assert_array_equal(
        large.rows.ids[0], [[words["a"], words["."], 0], [words["b"], UNK, words["!"]], [words["b"], 0, 0]]
    )
    np.testing.assert_array_equal(large.rows.valid.sum(-1), [[2, 3, 1], [2, 2, 1]])
    np.testing.assert_array_equal(large.rows.rationale, large.rows.ids == words["a"])


def test_a_document_over_the_limit_is_named():
    with pytest.raises(UserError, match=r"Document long has 3 sentences.*holds 2"):
        bucketise_documents([document("long", "a . a . a")], VOCABULARY, most=(1, 2))


def test_batches_and_epochs_pad_documents_with_rows_of_weight_zero():
    bucket = bucketise_documents([document(str(i), "a . b") for i in range(3)], VOCABULARY)[0]
    last = list(batches(bucket, 2))[-1]
    np.testing.assert_array_equal(last.weight, [1, 0])
    assert last.valid[0].any()
    assert not last.valid[1].any()
    chunk = next(epoch([bucket], 2, 3, seeds=(0, 1), number=0))
    assert chunk.batches.ids.shape == (2, 3, 2, 4, 16)
    assert chunk.batches.weight.sum() == 6
    np.testing.assert_array_equal(chunk.batches.valid.any((-1, -2)), chunk.batches.weight > 0)
