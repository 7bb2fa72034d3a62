"""The guides: their programs are the examples that are run here, and the site holds every page."""

import json
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.models.attentions import Additive
from attn_jax.models.encoders import Average
from attn_jax.models.layers import TokenEmbedding
from attn_jax.report.site import build, documentation, markdown, reference
from attn_jax.results import records
from examples import custom_analysis, custom_data, custom_regulariser
from examples.custom_model import DeepDecoder
from examples.custom_regulariser import Peaked
from experiments import subject
from experiments.request import Request
from tests.models.families import LENGTHS, WORDS, E, batch, params_of
from tests.report import runs
from tests.report.html_reader import Reader
from tests.results import frames

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
DEEP = DeepDecoder(TokenEmbedding(WORDS, E), Average(4), Additive(), classes=2)


@pytest.mark.parametrize("kind", ["data", "attention", "model", "analysis", "regulariser"])
def test_a_guide_shows_what_its_example_does(kind):
    guide = (DOCS / f"your_{kind}.md").read_text(encoding="utf-8")
    example = (ROOT / "examples" / f"custom_{kind}.py").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert program.strip() in example
    assert f"python -m examples.custom_{kind}" in guide


def test_your_own_table_is_read_with_its_rationale(tmp_path):
    custom_data.write(tmp_path / "travellers.csv", 60)
    corpus = subject.loaded(Request(str(tmp_path / "travellers.csv"), preset="quick")).corpus
    assert set(corpus.labels) == {"good", "bad"}
    for example in corpus.train:
        (decisive,) = [t for t, marked in zip(example.tokens, example.rationale or (), strict=True) if marked]
        assert (decisive in custom_data.GOOD) == (corpus.labels[example.label] == "good")


@pytest.mark.slow  # half a minute of compilation for what tests/test_commands.py does with other data
def test_your_own_table_goes_through_the_whole_command(tmp_path):
    custom_data.main(tmp_path, count=90)
    found = {r.metric: r for r in records.read(tmp_path / "run" / "records.csv")}
    assert found["accuracy"].dataset == "own/travellers"
    assert "auprc_attention_mean" in found  # the rationale was read


def test_your_own_analysis_is_right_and_keeps_records(tmp_path, capsys):
    custom_analysis.main(tmp_path)
    (record,) = records.read(tmp_path / "records.csv")
    assert record.metric == "sharpening_tvd_mean"
    assert f"{record.value:.3f}" in capsys.readouterr().out
    rng, rows = streams.root(0), batch()
    seen = observe(DEEP, params_of(DEEP), rows, rng)
    moved = custom_analysis.analyse(DEEP, params_of(DEEP), rows, rng, power=2.0)
    alpha = seen.alpha[2] ** 2
    encoded = jax.tree.map(lambda a: a[2], seen.encoded)
    after = DEEP.decode(params_of(DEEP), encoded, alpha / alpha.sum())
    expected = abs(1 / (1 + np.exp(-float(after[0]))) - 1 / (1 + np.exp(-float(seen.logits[2][0]))))
    assert moved[2] == pytest.approx(expected, abs=1e-6)
    assert moved.shape == (len(LENGTHS),)


def test_your_own_regulariser_is_what_it_says():
    example = jax.tree.map(lambda a: a[3], batch())
    seen = DEEP.traverse(params_of(DEEP), example, train=True, rngs={})
    found = Peaked(2.0)(DEEP, params_of(DEEP), example, seen, streams.root(0))
    weights = np.asarray(seen.alpha)
    twice = sum(one * other for i, one in enumerate(weights) for j, other in enumerate(weights) if i != j)
    assert float(found) == pytest.approx(2.0 * twice, rel=1e-5)


@pytest.mark.slow  # two trainings; the same commands run on the paper's variants in tests/experiments
def test_your_own_regulariser_is_put_to_the_tests(tmp_path):
    custom_regulariser.main(tmp_path, seeds=1, epochs=1)
    found = {r.metric for r in records.read(tmp_path / "reviews-bilstm-additive-peaked" / "records.csv")}
    assert {"f1_drop_uniform", "mutual_information_most_frequent", "strength"} <= found
    assert (tmp_path / "reviews-bilstm-additive-peaked-minus-base" / "records.csv").exists()
    assert "peaked" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_your_own_model_is_not_affine_and_says_so():
    params, rows = params_of(DEEP), batch()
    seen = observe(DEEP, params, rows, streams.root(0))
    mixed = np.einsum("bt,btc->bc", seen.alpha, seen.token_logits)
    assert not DEEP.affine
    assert np.abs(mixed - np.asarray(seen.logits))[2:].max() > 1e-6
    alone = jax.tree.map(lambda a: a[3], seen.encoded)
    one = jnp.eye(seen.alpha.shape[1])[2]
    np.testing.assert_allclose(seen.token_logits[3][2], DEEP.decode(params, alone, one), rtol=1e-5)


def test_the_notebook_runs_and_its_results_show_themselves(tmp_path, monkeypatch):
    runs.build(tmp_path / "runs" / "quickstart", frames.make(n=20))
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "examples" / "tour.ipynb").read_text(encoding="utf-8"))
    names: dict = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            *before, last = "".join(cell["source"]).rstrip().split("\n")
            exec("\n".join(before), names)
            shown.append(eval(last, names))
    told = [one._repr_html_() for one in shown if one is not None]
    assert len(told) == 5
    assert "<svg" in told[1]
    assert all("<script" not in text for text in told[:4])


def test_the_site_holds_every_guide_and_no_link_leads_nowhere(tmp_path):
    runs.build(tmp_path / "run", frames.make(n=6))
    site = build.build([tmp_path / "run"], tmp_path / "site", docs=DOCS).parent
    written = {path.relative_to(site / "docs").as_posix() for path in (site / "docs").rglob("*.html")}
    guides = {
        p.relative_to(DOCS).with_suffix(".html").as_posix()
        for p in (*DOCS.glob("*.md"), *DOCS.glob("analyses/*.md"))
    }
    assert guides | {"index.html", "api/certify.html"} <= written
    for path in (site / "docs").rglob("*.html"):
        read = Reader(path.read_text(encoding="utf-8"))
        assert [name for name, _ in read.elements].count("h1") == 1, path.name
        for link in (*read.values("href"), *read.values("src")):
            file = link.partition("#")[0]
            if not link.startswith("https://"):
                assert not file or (path.parent / file).exists(), f"{path.name} links to {link}"


def test_links_to_what_the_site_lacks_become_text():
    made = markdown.article("# A\n\nSee [code](../x.py), [b](b.md#c) and <script>x</script>.\n", ["b"])
    assert 'href="b.html#c"' in made.html
    assert "x.py" not in made.html
    assert "<script" not in made.html
    assert (made.title, made.summary) == ("A", "See code, b and <script>x</script>.")


def test_docstrings_are_text_but_for_their_code():
    assert markdown.inline("`x` <= *y* <b>") == "<code>x</code> &lt;= *y* &lt;b&gt;"


def test_the_reference_names_every_public_function_with_its_arguments():
    modules = {m.name: m for m in reference.modules(ROOT / "attn_jax" / "certify", "attn_jax.certify")}
    entry = next(e for e in modules["attn_jax.certify.adversary"].entries if e.name == "max_jsd")
    assert entry.signature.startswith("max_jsd(alpha")
    assert any("JSD" in line for section in entry.sections for line in section.lines)
    rooms = {name for name, _ in documentation._ROOMS}
    assert rooms | {"__pycache__"} >= {p.name for p in (ROOT / "attn_jax").iterdir() if p.is_dir()}
