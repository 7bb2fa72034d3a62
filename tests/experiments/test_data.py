import json

import pytest

from attn_jax.results import published, records
from experiments import command, data
from tests.data.published_forms import FORMS


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command as the shell would; returns exit code, what it printed, and its records if any."""

    def start(*arguments):
        out, cache = tmp_path / "out", tmp_path / "cache"
        line = ["data", *map(str, arguments), "--out", str(out), "--cache-dir", str(cache)]
        monkeypatch.setattr("sys.argv", line)
        try:
            command.run(data.main, prog="experiments.data")
            code = 0
        except SystemExit as stop:
            code = stop.code
        found = records.read(out / "records.csv") if code == 0 else []
        return code, capsys.readouterr(), found

    return start


@pytest.fixture
def folder(tmp_path):
    """Two corpora side by side, and a folder that is none."""
    for name in ("sst", "babi1"):
        for file, content in FORMS[name].items():
            path = tmp_path / "data" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (tmp_path / "data/imdb").mkdir()
    return tmp_path / "data"


def test_published_figures_stand_beside_ours_and_join(run, folder):
    code, shown, found = run("--dataset", "sst", "--data-dir", folder)
    assert code == 0
    assert "3,034 / 3,321" in shown.out
    joined = {record.key() for record in found} & set(published.load().select(published.KEY).iter_rows())
    assert len(joined) == 6
    (size,) = [
        r.value for r in found if (r.paper, r.metric, r.label) == ("jain_wallace_2019", "train_size", "1")
    ]
    assert size == 1


def test_all_takes_what_is_there(run, folder):
    code, _, found = run("--all", "--data-dir", folder)
    assert code == 0
    assert {record.dataset for record in found} == {"sst", "babi1"}
    (train,) = [r.value for r in found if (r.dataset, r.metric, r.label) == ("babi1", "train_size", "")]
    (used,) = [r.value for r in found if (r.dataset, r.metric, r.label) == ("babi1", "train_size_used", "")]
    assert (train, used) == (20, 17)


def test_a_simulated_or_own_corpus_never_joins(run, tmp_path):
    own = tmp_path / "sst.jsonl"
    own.write_text("\n".join(json.dumps({"text": f"text {i}", "label": i % 2}) for i in range(20)))
    for name in ("reviews", own):
        code, _, found = run("--dataset", name, "--no-all")
        assert code == 0
        assert {record.paper for record in found} == {"attn_jax"}
        for made in (tmp_path / "out").iterdir():
            made.unlink()


def test_other_preparations_have_their_own_cells(run, folder):
    _, _, found = run("--dataset", "sst", "--data-dir", folder, "--preparation", "tutek_snajder")
    assert {(r.table, r.metric) for r in found if r.paper == "tutek_snajder_2020"} == {
        ("table5", "avg_length"),
        ("table5", "vocab_size"),
    }


def test_vectors_report_their_coverage(run, folder, tmp_path):
    (tmp_path / "v.txt").write_text("sentence 1 2\nlong 3 4\n")
    _, _, found = run("--dataset", "sst", "--data-dir", folder, "--vectors", tmp_path / "v.txt")
    (coverage,) = [record.value for record in found if record.metric == "vector_coverage"]
    assert coverage == pytest.approx(2 / 11)


def test_word2vec_over_discharge_summaries(run, tmp_path):
    pytest.importorskip("gensim", reason="word2vec is an extra (attn_jax[vectors])")
    # gensim keeps words that occur five times; each of these is in twenty notes.
    for file, content in FORMS["anemia"].items():
        (tmp_path / file).write_text(content)
    learned = tmp_path / "w.txt"
    code, _, found = run(
        "--dataset", "anemia", "--data-dir", tmp_path, "--learn-vectors", learned, "--vectors", learned
    )
    assert code == 0
    (coverage,) = [record.value for record in found if record.metric == "vector_coverage"]
    assert coverage == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "nope"], "unknown dataset 'nope'; choose one of 20news"),
        ([], "name a corpus with --dataset"),
        (["--all"], "--all needs --data-dir"),
        (["--dataset", "sst", "--data-dir", "nowhere"], "nowhere: no such folder"),
        (["--dataset", "sst", "--learn-vectors", "v.txt"], "--learn-vectors is for"),
    ],
)
def test_bad_requests_end_in_one_sentence_and_exit_code_2(run, arguments, message):
    code, shown, _ = run(*arguments)
    assert code == 2
    assert message in shown.err
    assert shown.err.count("\n") == 1
