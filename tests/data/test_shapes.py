"""Which padded shapes are worth compiling for."""

import math

from attn_jax.data.shapes import folded, gathered


def test_a_shape_of_few_is_padded_to_the_next():
    counts = {(16,): 1000, (24,): 3, (32,): 1000, (64,): 1}
    # 3 x (32^2 - 24^2) pairs of tokens more, and 1,000 x (64^2 - 32^2), which is too much.
    assert folded(counts, spared=3 * 448) == {(16,): (16,), (24,): (32,), (32,): (32,), (64,): (64,)}
    assert folded(counts, spared=3 * 448 - 1)[(24,)] == (24,)


def test_what_was_folded_is_folded_again_with_all_that_it_holds():
    assert set(folded({(2,): 1, (3,): 1, (4,): 1}, spared=14).values()) == {(4,)}
    # Two instances of 3 tokens would cost 2 x 7 pairs, one 7.
    assert folded({(2,): 1, (3,): 1, (4,): 1}, spared=7) == {(2,): (3,), (3,): (3,), (4,): (4,)}


def test_a_shape_is_never_folded_into_one_that_does_not_hold_it():
    assert folded({(8, 16): 1, (16, 8): 1}, spared=10**9) == {(8, 16): (8, 16), (16, 8): (16, 8)}
    assert folded({(8, 16): 1, (16, 16): 1}, spared=10**9)[(8, 16)] == (16, 16)


def test_tokens_of_documents_are_sentences_times_words():
    few = {(1, 64): 1, (2, 64): 1}
    assert folded(few, math.prod, spared=128**2 - 64**2)[(1, 64)] == (2, 64)
    assert folded(few, math.prod, spared=128**2 - 64**2 - 1)[(1, 64)] == (1, 64)


def test_every_instance_has_one_place():
    needed = [(16,), (64,), (24,), (16,), (4096,)]
    assert gathered(needed, spared=4096) == {(24,): [0, 2, 3], (64,): [1], (4096,): [4]}
    assert gathered([]) == {}
