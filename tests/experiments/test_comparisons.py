import dataclasses
import pathlib
import shutil
import subprocess
import sys

import pytest

from attn_jax.errors import UserError
from attn_jax.results import jain_wallace, layers, pool, records
from attn_jax.results.records import Record
from experiments import claims, fidelity, reproduction
from tests.report import runs
from tests.results import frames

ROOT = pathlib.Path(__file__).parents[2]
BLOCKED = """
import sys
sys.modules["jax"] = None  # importing it would raise
from experiments import claims, fidelity
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> pathlib.Path:
    """Two runs in folders of their own, and a copy of the first."""
    root = tmp_path_factory.mktemp("runs")
    for encoder in ("bilstm", "average"):
        frame = frames.make(n=30, run=f"sst-{encoder}-additive")
        cell = jain_wallace.Cell("sst", encoder, "additive", caveat="a toy")
        runs.build(root / "grid" / encoder, frame, cell)
    (root / "copy").mkdir()
    (root / "copy" / "records.csv").write_bytes((root / "grid" / "bilstm" / "records.csv").read_bytes())
    return root


def test_fidelity_prints_what_was_run_and_writes_every_cell(folder, tmp_path, capsys):
    fidelity.main((folder,), out=tmp_path)
    said = capsys.readouterr().out
    assert "Jain & Wallace (2019), Table 2" in said
    assert "Tutek & Šnajder (2020), Table 1" not in said
    assert "a toy" in said
    assert f"Written: {tmp_path / 'fidelity.html'}" in said
    assert "Tutek & Šnajder (2020), Table 1" in (tmp_path / "fidelity.md").read_text(encoding="utf-8")


def test_one_paper_alone(folder, capsys):
    fidelity.main((folder,), paper="vashishth_2019")
    said = capsys.readouterr().out
    assert "Vashishth" in said
    assert "Jain" not in said


def test_claims_print_both_verdicts_and_write_both_files(folder, tmp_path, capsys):
    claims.main((folder,), paper="jain_wallace_2019", out=tmp_path)
    said = capsys.readouterr().out
    assert "holds (12 of 12)" in said
    assert "(d) exact minus null: above 0.00" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claims.html", "claims.md"]


def test_a_grid_is_gathered_a_part_at_a_time(folder, tmp_path):
    (folder / "grid" / "bilstm" / "debate.md").write_text("# A verdict\n", encoding="utf-8")
    for encoder in ("bilstm", "average", "average"):
        reproduction.main((folder / "grid" / encoder,), out=tmp_path / "parts")
    reproduction.main((folder / "grid",), out=tmp_path / "whole")
    parts, whole = (records.read(tmp_path / name / "records.csv") for name in ("parts", "whole"))
    assert len(parts) == len(whole)
    assert set(parts) == set(whole)
    runs_csv = [(tmp_path / name / "runs.csv").read_text().splitlines() for name in ("parts", "whole")]
    assert sorted(runs_csv[0]) == sorted(runs_csv[1])
    assert len(runs_csv[0]) == 3
    for name in ("parts", "whole"):
        verdicts = sorted(path.name for path in (tmp_path / name).glob("debate-*"))
        assert verdicts == ["debate-bilstm.md"]


def test_tables_are_made_anew_from_what_was_gathered(folder, tmp_path):
    out = tmp_path / "gathered"
    reproduction.main((folder / "grid",), out=out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "fidelity.md").write_text("edited by hand", encoding="utf-8")
    reproduction.main(out=out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    with pytest.raises(UserError, match=r"empty holds no records.csv"):
        reproduction.main(out=tmp_path / "empty")


def test_a_debate_that_goes_on_is_left_out_and_one_that_answers_no_cell_has_no_tables(
    folder, tmp_path, capsys
):
    run, out = tmp_path / "debate-toy", tmp_path / "out"
    shutil.copytree(folder / "grid" / "bilstm", run)
    own = [dataclasses.replace(r, paper="attn_jax") for r in records.read(run / "records.csv")[:2]]
    records.write(run / "records.csv", own)
    (run / "debate.md").unlink(missing_ok=True)
    (run / "tests").mkdir()
    with pytest.raises(UserError, match=r"no run .*debate-toy is finished"):
        reproduction.main((run,), out=out)
    with pytest.raises(UserError, match=r"no folder .*absent"):
        reproduction.main((tmp_path / "absent",), out=out)
    assert "Not finished, left out" in capsys.readouterr().out
    (run / "debate.md").write_text("# A verdict\n", encoding="utf-8")
    reproduction.main((run,), out=out)
    assert sorted(path.name for path in out.iterdir()) == ["debate-toy.md", "records.csv", "runs.csv"]


def test_a_run_that_permuted_layers_is_drawn(folder, tmp_path):
    run, out = tmp_path / "sst-bert", tmp_path / "out"
    shutil.copytree(folder / "grid" / "bilstm", run)
    one = Record(dataset="sst", attention="bert", run="sst-bert", **layers.key("accuracy"), value=90.0, n=10)
    records.write(
        run / "records.csv", [one, dataclasses.replace(one, variant="permute_encoder_1", value=80.0)]
    )
    reproduction.main((run,), out=out)
    assert (out / "layers-sst-bert.svg").read_text(encoding="utf-8").startswith("<svg")


def test_records_are_found_below_every_folder_once(folder):
    found = pool.read([folder, folder / "grid"])
    assert len(found) == sum(len(records.read(path)) for path in folder.rglob("records.csv"))
    assert len(pool.best(found)) == len({record.key() for record in found})


@pytest.mark.parametrize(
    ("names", "message"),
    [([], "name at least one folder"), (["absent"], "no folder .*absent"), (["empty"], r"no records\.csv")],
)
def test_folders_without_records_are_one_sentence(tmp_path, names, message):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=message):
        pool.read([tmp_path / name for name in names])


def test_a_malformed_file_is_named(tmp_path):
    (tmp_path / "records.csv").write_text("nonsense\n")
    with pytest.raises(UserError, match=r"records\.csv, line 1"):
        pool.read([tmp_path])


def test_the_commands_need_no_jax():
    subprocess.run([sys.executable, "-c", BLOCKED], check=True, cwd=ROOT, timeout=120)


def test_a_wrong_folder_ends_with_one_line_and_code_2(tmp_path):
    command = [sys.executable, "-m", "experiments.claims", str(tmp_path / "absent")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("experiments.claims: there is no folder")
    assert len(done.stderr.splitlines()) == 1
