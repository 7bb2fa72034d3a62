"""Dumped arrays on trial: the guide's own lines, the numbers by hand, and every bad file in one sentence."""

import contextlib
import json
import pathlib
import re
import sys
import types

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import save_file

from attn_jax.errors import UserError
from attn_jax.results import records
from experiments import command, dump
from experiments.from_arrays import main

N, T, H = 6, 5, 3
GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "from_arrays.md"


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    mask = np.arange(T)[None] < np.array([5, 4, 3, 5, 2, 1])[:, None]
    weights = np.where(mask, rng.uniform(0.1, 1, (N, T)), 0)
    return {
        "alpha": weights / weights.sum(1, keepdims=True),
        "token_logits": 3 * rng.normal(size=(N, T, 1)),
        "mask": mask,
    }


def saved(folder, **held):
    np.savez(folder / "dump.npz", **held)
    return folder / "dump.npz"


class Tensor(np.ndarray):
    """NumPy in PyTorch's clothes, for the guide's lines."""

    def numpy(self):
        return np.asarray(self)

    def detach(self):
        return self


def tensor(values):
    return np.asarray(values).view(Tensor)


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """What the guide's program dumps, put on trial."""
    folder = tmp_path_factory.mktemp("dump")
    held, rng = arrays(), np.random.default_rng(1)
    states = np.where(held["mask"][..., None], rng.normal(size=(N, T, H)), 0.0)
    decoder = types.SimpleNamespace(weight=tensor(rng.normal(size=(1, H))), bias=tensor(rng.normal(size=1)))
    ids, labels = np.arange(N), np.array([0, 1, 0, 1, 0, 1])
    halves = [slice(0, 3), slice(3, N)]
    alphas = iter([held["alpha"][half] for half in halves])
    names = {
        "loader": [(ids[half], tensor(held["mask"][half]), tensor(labels[half])) for half in halves],
        "encoder": lambda ids: tensor(states[ids]),
        "attention": lambda states, mask: tensor(next(alphas)),
        "decoder": decoder,
    }
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    patched = pytest.MonkeyPatch()
    with patched.context() as patch:
        patch.chdir(folder)
        patch.setitem(sys.modules, "torch", types.SimpleNamespace(no_grad=contextlib.nullcontext))
        exec(compile(program, "docs/from_arrays.md", "exec"), names)
    main(folder / "dump.npz", folder / "out")
    token_logits = states @ np.asarray(decoder.weight).T + np.asarray(decoder.bias)
    return folder / "out", held["alpha"], token_logits[..., 0], labels


def test_the_guides_lines_dump_what_the_command_reads(mine):
    out, alpha, token_logits, labels = mine
    found = {record.metric: record for record in records.read(out / "records.csv")}
    said = (alpha * token_logits).sum(1) > 0
    assert found["accuracy"].value == pytest.approx((said == labels).mean())
    assert found["max_attention_mean"].value == pytest.approx(alpha.max(1).mean(), rel=1e-5)
    assert found["removed_attention_regret_mean"].value >= 0
    assert found["exact_jsd_mean"].n == N
    assert "dumped by another program" in found["exact_jsd_mean"].caveat


def test_rows_and_the_verdict_table_are_written(mine):
    out, alpha, *_ = mine
    frame = pl.read_parquet(out / "examples.parquet").sort(pl.col("id").cast(int))
    np.testing.assert_allclose(frame["alpha"][1][1:-1], alpha[1, :4], rtol=1e-5)
    assert (frame["search_jsd"] <= frame["exact_upper_bound"] + 1e-5).all()
    asked = {row["test"] for row in json.loads((out / "debate.json").read_text())}
    assert asked == {"trial", "erasure"}
    assert "the model itself, which must encode other texts" in (out / "debate.html").read_text()


def test_both_formats_and_both_forms_of_the_logits_are_the_same(tmp_path):
    held = arrays()
    kernel, bias = np.ones((2, 1)), np.full(1, 0.5)
    states = np.concatenate([held["token_logits"] - 0.5, np.zeros((N, T, 1))], -1)
    first = dump.read(saved(tmp_path, **held))
    save_file(
        {"alpha": held["alpha"], "mask": held["mask"], "states": states, "W": kernel, "b": bias},
        tmp_path / "dump.safetensors",
    )
    second = dump.read(tmp_path / "dump.safetensors")
    np.testing.assert_allclose(first.token_logits, second.token_logits, atol=1e-6)
    assert first.tokens == second.tokens
    assert first.tokens[2] == ("0", "1", "2")


def test_rows_without_anything_to_look_at_are_counted(tmp_path):
    held = arrays()
    held["mask"][3], held["alpha"][3] = False, 0
    found = dump.read(saved(tmp_path, **held))
    assert found.empty == 1
    assert len(found.alpha) == N - 1


def without(name):
    return lambda held: held.pop(name)


def changed(name, value):
    return lambda held: held.update({name: value(held.get(name))})


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without("alpha"), "`alpha` is missing"),
        (without("mask"), "`mask` is missing"),
        (without("token_logits"), "`token_logits` is missing"),
        (changed("alpha", lambda a: a[0]), "`alpha` has shape"),
        (changed("alpha", lambda a: a.astype(str)), "not real numbers"),
        (changed("alpha", lambda a: -a), "negative in row 0"),
        (changed("alpha", lambda a: a / 2), "does not sum to 1"),
        (changed("alpha", lambda a: np.full_like(a, 0.2)), "where `mask` is False, in row 1"),
        (changed("alpha", lambda a: a.astype(object)), "plain arrays"),
        (changed("mask", lambda a: a[:, :2]), "`mask` has shape"),
        (changed("mask", lambda a: a * 3), "True or False"),
        (changed("mask", lambda a: a & False), "`alpha` has weight"),
        (changed("token_logits", lambda a: a[:2]), "begins with"),
        (changed("token_logits", lambda a: a * np.nan), "not finite at (0, 0, 0)"),
        (changed("labels", lambda a: np.full(N, 2)), "from 0 to 1"),
        (changed("logits", lambda a: np.ones((N, 1))), "not affine"),
        (changed("logits", lambda a: np.ones((N, 2))), "`logits` has shape"),
        (changed("tokens", lambda a: np.ones((N, T))), "words or whole numbers"),
        (changed("rationale", lambda a: np.ones(N)), "`rationale` has shape"),
    ],
)
def test_every_bad_array_is_one_sentence(tmp_path, spoil, words):
    held = arrays()
    spoil(held)
    with pytest.raises(UserError, match=re.escape(words)):
        dump.read(saved(tmp_path, **held))


@pytest.mark.parametrize("name", ["dump.npz", "dump.safetensors"])
def test_other_files_are_refused(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(UserError, match="no such file"):
        dump.read(path)
    path.write_bytes(b"\x80\x04K\x01.")  # a pickle
    with pytest.raises(UserError, match="not readable"):
        dump.read(path)
    with pytest.raises(UserError, match=r"\.npz"):
        dump.read(path.rename(tmp_path / "dump.pkl"))


def test_the_file_needs_no_flag(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["from_arrays", str(tmp_path / "none.npz"), "--out", str(tmp_path)])
    with pytest.raises(SystemExit):
        command.run(main, prog="experiments.from_arrays")
    assert "none.npz: there is no such file" in capsys.readouterr().err


def test_wrong_numbers_on_the_command_line_are_named(tmp_path):
    path = saved(tmp_path, **arrays())
    with pytest.raises(UserError, match="--epsilon 2"):
        main(path, tmp_path / "out", epsilon=2)
    with pytest.raises(UserError, match="--limit 0"):
        main(path, tmp_path / "out", limit=0)
