"""One kill of each kind on a small command, and a harness that notices when something was lost."""

import pathlib
import random
import shutil

import polars as pl
import pytest

from attn_jax.results import atomic
from reliability import kills, likeness, victim

SMALL = (
    *("experiments.jain_wallace", "--dataset", "reviews", "--encoder", "average"),
    *("--seeds", "2", "--preset", "quick", "--limit", "10"),
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    kills.SUBJECTS["small"] = SMALL
    return kills.undisturbed("small", tmp_path_factory.mktemp("kills") / "reference")


def test_a_run_killed_while_it_writes_ends_as_if_undisturbed(reference, tmp_path):
    folder = tmp_path / "run"
    for stage in ("analysis", "records"):
        assert kills._start(SMALL, folder, stage, reference.touches[stage]) == -9
    hits, differing = kills.round_of_kills("small", reference, folder, 0, random.Random(0))
    assert (hits, differing) == ([], [])


def test_what_is_lost_altered_or_left_over_is_noticed(reference, tmp_path):
    for name in ("records.csv", "metrics.jsonl", "config.json"):
        folder = shutil.copytree(reference.folder, tmp_path / name)
        atomic.write_text(folder / name, (folder / name).read_text().replace("1", "2"))
        assert likeness.differences(reference.folder, folder) == [f".: {name}"]
    folder = shutil.copytree(reference.folder, tmp_path / "litter")
    (folder / ".records.csv.x.tmp").write_text("")
    shutil.rmtree(folder / "params")
    assert likeness.differences(reference.folder, folder) == [
        ".: checkpoint",
        "only once: .records.csv.x.tmp",
        "only once: params",
        "only once: params/0",
    ]


def test_rounding_is_told_from_what_is_wrong():
    frame = pl.DataFrame({"id": ["a", "b"], "n": [1, 2], "x": [[0.5, None], [0.25]]})
    assert likeness.apart(frame, frame) == 0
    moved = frame.with_columns(x=pl.Series([[0.5, None], [0.251]]))
    assert likeness.apart(frame, moved) == pytest.approx(1e-3)
    for other in (
        frame.with_columns(id=pl.Series(["a", "c"])),
        frame.with_columns(n=pl.Series([1, 3])),
        frame.with_columns(x=pl.Series([[0.5, 0.5], [0.25]])),
        frame.with_columns(x=pl.Series([[0.5], [0.25]])),
    ):
        assert likeness.apart(frame, other) == float("inf")


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        ("/params/0/state", "training"),
        ("/training/3", "training"),
        ("/parts/seed0-length24.parquet", "analysis"),
        ("/.examples.parquet.x.tmp", "analysis"),
        ("/.records.csv.x.tmp", "records"),
        ("/index.html", "report"),
        ("/config.json", "start"),
    ],
)
def test_files_belong_to_stages(path, stage):
    assert victim.stage_of(path) == stage


def test_touches_outside_the_folder_do_not_count(tmp_path):
    hook = victim.Hook(tmp_path / "run", "start", 1)
    hook("open", (str(tmp_path / "elsewhere"), "r", 0))
    hook("import", (str(tmp_path / "run" / "config.json"),))
    hook("open", (3, "r", 0))
    assert sum(hook.seen.values()) == 0
    counting = victim.Hook(tmp_path / "run", "start", 0)
    counting("open", (pathlib.Path(tmp_path / "run" / "records.csv"), "r", 0))
    assert counting.seen == {"records": 1}
