import numpy as np
import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.results import attention, parquet

SOURCE, TARGET = ["a", "b", "c"], ["<x>", "y"]


def row(number=0, shape=(2, 3), **changes):
    alpha = np.random.default_rng(number).dirichlet(np.ones(3), shape[:-1])
    return attention.row("mt", 0, f"test-{number}", "dec/0/cross", TARGET, SOURCE, alpha) | changes


@pytest.mark.parametrize("shape", [(2, 3), (4, 2, 3)])
def test_weights_come_back_in_their_shape(tmp_path, shape):
    made = row(shape=shape)
    attention.write(tmp_path / "a.parquet", [made])
    back = attention.read(tmp_path / "a.parquet").row(0, named=True)
    np.testing.assert_array_equal(attention.alpha(back), attention.alpha(made))
    assert attention.alpha(back).shape == shape
    assert (back["query_tokens"], back["key_tokens"]) == (TARGET, SOURCE)


def test_no_rows_are_a_file_too(tmp_path):
    attention.write(tmp_path / "a.parquet", [])
    assert attention.read(tmp_path / "a.parquet").schema == attention.SCHEMA


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(query_tokens=["y"])], r"the shape \[2, 3\] must be \[1, 3\]"),
        ([row(shape=(2, 2, 2, 3))], "with the heads before it"),
        ([row(weights=[0.5])], "1 weights, not as many"),
        ([row(weights=[float("nan")] * 6)], "not finite"),
        ([row(), row()], "two rows have the same run, seed, id, site"),
        ([row(i) for i in range(attention.BOUND + 1)], "at most 100 are kept"),
    ],
)
def test_rows_that_break_the_schema_are_refused(tmp_path, rows, message):
    with pytest.raises(UserError, match=message):
        attention.write(tmp_path / "a.parquet", rows)
    assert not (tmp_path / "a.parquet").exists()


def test_a_strangers_file_is_checked(tmp_path):
    parquet.write(tmp_path / "a.parquet", pl.DataFrame({"run": ["mt"]}))
    with pytest.raises(UserError, match="weights are missing"):
        attention.read(tmp_path / "a.parquet")
