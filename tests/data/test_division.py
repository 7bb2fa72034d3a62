import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_jax.data.division import DEV, TEST, TRAIN, UNUSED, divide
from attn_jax.data.specs.spec import Splits


def labels(size, classes=2, seed=0):
    return np.random.default_rng(seed).integers(0, classes, size).astype(np.int32)


def count(codes, code):
    return int((codes == code).sum())


def test_published_parts_stay_and_dev_comes_from_train():
    division = divide({"train": labels(1000), "test": labels(200)}, Splits(dev_share=0.15))
    assert [count(division["train"], code) for code in (TRAIN, DEV, TEST, UNUSED)] == [850, 150, 0, 0]
    assert count(division["test"], TEST) == 200


def test_all_three_published():
    division = divide({"train": labels(10), "dev": labels(5), "test": labels(4)}, Splits())
    assert [set(codes) for codes in division.values()] == [{TRAIN}, {DEV}, {TEST}]


def test_a_sample_of_test():
    division = divide({"train": labels(100), "test": labels(500)}, Splits(test_sample=0.2))
    assert (count(division["test"], TEST), count(division["test"], UNUSED)) == (100, 400)


def test_a_corpus_without_train():
    assert set(divide({"test": labels(7)}, Splits())["test"]) == {TEST}


def test_pooled_and_stratified_as_20_newsgroups():
    parts = {"train": labels(300, seed=1), "test": labels(200, seed=2)}
    division = divide(parts, Splits(pool=True, test_share=0.2, dev_share=0.2, stratified=True))
    values, codes = np.concatenate(list(parts.values())), np.concatenate(list(division.values()))
    assert [len(codes) for codes in division.values()] == [300, 200]
    for group in (0, 1):
        size = int((values == group).sum())
        assert count(codes[values == group], TEST) == round(0.2 * size)
        assert count(codes[values == group], DEV) == pytest.approx(0.16 * size, abs=1)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 200), st.floats(0, 0.5), st.floats(0, 0.5), st.booleans(), st.integers(0, 5))
def test_every_instance_has_one_split_and_the_seed_decides(size, test_share, dev_share, stratified, seed):
    splits = Splits(test_share=test_share, dev_share=dev_share, stratified=stratified, seed=seed)
    known = labels(size, 3)
    first, again = (divide({"train": known}, splits)["train"] for _ in range(2))
    assert set(first) <= {TRAIN, DEV, TEST}
    assert (first == again).all()
    if not stratified:
        assert count(first, TEST) == round(test_share * size)
