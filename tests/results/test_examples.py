import pathlib

import polars as pl
import polars.testing
import pytest

from attn_jax.errors import UserError
from attn_jax.results import examples
from tests.results import frames


def test_what_is_written_is_read(tmp_path: pathlib.Path):
    frame = frames.make()
    examples.write(tmp_path / "[odd] *.parquet", frame)
    back = examples.read(tmp_path / "[odd] *.parquet")
    pl.testing.assert_frame_equal(back, frame, check_dtypes=False, abs_tol=1e-6)
    assert {name: back.schema[name] for name in examples.REQUIRED} == examples.REQUIRED


def test_the_same_frame_is_the_same_bytes(tmp_path: pathlib.Path):
    for name in ("a", "b"):
        examples.write(tmp_path / name, frames.make())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_columns_that_are_empty_throughout_keep_their_type(tmp_path: pathlib.Path):
    examples.write(tmp_path / "e", frames.make(paired=True))
    assert examples.read(tmp_path / "e").schema["rationale"] == pl.List(pl.Boolean)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.drop("alpha", "gold"), "the columns gold, alpha are missing"),
        (lambda f: f.with_columns(gold=pl.lit("one")), "the column gold must be Int64, not String"),
        (lambda f: f.with_columns(gold=pl.lit(None)), "the column gold has empty cells"),
        (
            lambda f: f.with_columns(mask=pl.col("mask").list.head(2)),
            "mask of instance test-0 is not as long",
        ),
        (
            lambda f: f.with_columns(pl.col("score/loo").list.head(2)),
            "score/loo of instance test-0 is not as long",
        ),
        (lambda f: f.with_columns(tau_loo=pl.lit(float("nan"))), "tau_loo holds a number that is not finite"),
        (
            lambda f: f.with_columns(
                pl.col("token_logits").list.eval(pl.element().list.eval(pl.element() / 0))
            ),
            "token_logits holds a number that is not finite",
        ),
        (lambda f: pl.concat([f, f.head(1)]), "two rows have the same run, seed, split, id"),
    ],
)
def test_frames_that_break_the_schema_are_refused(tmp_path: pathlib.Path, spoil, message: str):
    with pytest.raises(UserError, match=message):
        examples.write(tmp_path / "e", spoil(frames.make()))
    assert not (tmp_path / "e").exists()


def test_missing_or_truncated_files_are_one_sentence(tmp_path: pathlib.Path):
    with pytest.raises(UserError, match="cannot read examples"):
        examples.read(tmp_path / "absent")
    examples.write(tmp_path / "e", frames.make())
    (tmp_path / "e").write_bytes((tmp_path / "e").read_bytes()[:-100])
    with pytest.raises(UserError, match="cannot read examples"):
        examples.read(tmp_path / "e")
