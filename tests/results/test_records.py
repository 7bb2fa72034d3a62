import dataclasses
import math
import pathlib

import numpy as np
import pytest

from attn_jax.errors import UserError
from attn_jax.results import published, records
from attn_jax.results.records import Record

FULL = Record(
    paper="jain_wallace_2019",
    table="table2",
    dataset="sst",
    encoder="bilstm",
    attention="additive",
    label="0",
    metric="tau_gradient_mean",
    value=0.1 + 0.2,
    std=0.21,
    n=821,
    seeds=3,
    ci_low=0.28,
    ci_high=0.31,
    std_over="instances",
    caveat='GloVe for "fastText",\nand a second line',
    run="sst-bilstm-additive",
)
BARE = Record(metric="accuracy", value=1)


def test_what_is_written_is_read(tmp_path: pathlib.Path):
    records.write(tmp_path / "records.csv", [FULL, BARE])
    assert records.read(tmp_path / "records.csv") == [FULL, BARE]


def test_columns_are_the_published_ones_then_ours(tmp_path: pathlib.Path):
    records.write(tmp_path / "records.csv", [BARE])
    header = (tmp_path / "records.csv").read_text().splitlines()[0].split(",")
    assert header[:10] == published.load().columns
    assert header[10:] == ["n", "seeds", "ci_low", "ci_high", "std_over", "caveat", "run"]


def test_numpy_numbers_are_written_as_plain_numbers(tmp_path: pathlib.Path):
    odd = dataclasses.replace(BARE, value=np.float32(0.5), n=np.int64(7))
    records.write(tmp_path / "records.csv", [odd])
    assert records.read(tmp_path / "records.csv") == [dataclasses.replace(BARE, value=0.5, n=7)]


def test_same_key_in_another_run_is_another_record(tmp_path: pathlib.Path):
    other = dataclasses.replace(FULL, run="second")
    records.write(tmp_path / "records.csv", [FULL, other])
    with pytest.raises(UserError, match="already stands in"):
        records.write(tmp_path / "records.csv", [FULL, dataclasses.replace(FULL, value=0.9)])
    assert records.read(tmp_path / "records.csv") == [FULL, other]


@pytest.mark.parametrize("field", ["value", "std", "ci_low", "ci_high"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_non_finite_values_are_refused(tmp_path: pathlib.Path, field: str, value: float):
    with pytest.raises(UserError, match=f"{field} of accuracy is {value}"):
        records.write(tmp_path / "records.csv", [dataclasses.replace(BARE, **{field: value})])
    assert not (tmp_path / "records.csv").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": ""}, "must not be empty"),
        ({"std_over": "months"}, "std_over must be one of"),
        ({"n": -1}, "negative"),
        ({"ci_low": 0.5, "ci_high": 0.4}, "above"),
    ],
)
def test_fields_out_of_range_are_refused(tmp_path: pathlib.Path, change: dict, message: str):
    with pytest.raises(UserError, match=message):
        records.write(tmp_path / "records.csv", [dataclasses.replace(BARE, **change)])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: t.replace("metric", "metrik", 1), "line 1: the header"),
        (lambda t: "", "line 1: the header"),
        (lambda t: t.replace("accuracy,1.0", "accuracy,one"), "line 2: value must be a number, not 'one'"),
        (lambda t: t.replace("accuracy,1.0", "accuracy,"), "line 2: value must be a number"),
        (lambda t: t.replace("accuracy,1.0", "accuracy,nan"), "line 2: value of accuracy is nan"),
        (lambda t: t + "a,b,c\n", "line 3: 3 fields"),
        (lambda t: t + t.splitlines()[1] + "\n", "line 3: the key .* already stands in .*line 2"),
        (lambda t: t + '"unclosed', "cannot read records"),
    ],
)
def test_malformed_files_name_file_and_line(tmp_path: pathlib.Path, spoil, message: str):
    path = tmp_path / "records.csv"
    records.write(path, [BARE])
    path.write_text(spoil(path.read_text()))
    with pytest.raises(UserError, match=message) as caught:
        records.read(path)
    assert str(path) in str(caught.value)


def test_missing_or_binary_file_is_one_sentence(tmp_path: pathlib.Path):
    with pytest.raises(UserError, match="cannot read records"):
        records.read(tmp_path / "absent.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="cannot read records"):
        records.read(tmp_path / "binary.csv")


def test_frame_joins_the_published_cell():
    joined = records.frame([FULL, BARE]).join(published.load(), on=published.KEY, suffix="_published")
    assert joined["value_published"].to_list() == [0.40]
    assert joined["std_published"].to_list() == [0.21]


def test_published_keys_are_text_and_unique():
    cells = published.load()
    assert cells.height == 722
    assert cells.select(published.KEY).n_unique() == cells.height
    assert cells.select(published.KEY).null_count().sum_horizontal().item() == 0
    assert cells["value"].is_finite().all()
