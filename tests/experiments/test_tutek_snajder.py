"""The command on generated reviews: every study, resumed, and what it says when asked for nonsense."""

import collections
import dataclasses
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax.data.batching import bucketise
from attn_jax.errors import UserError
from attn_jax.results import jsonl, records, tutek_snajder
from attn_jax.training.dev_loss import DevLoss
from attn_jax.training.objective import Likelihood
from attn_jax.training.regularisers.tying import Tying
from experiments import ablation, information, paired, regularised, studies, subject, variants
from experiments.information import Sampling
from experiments.request import Request
from experiments.strengths import Strengths
from experiments.tutek_snajder import main
from tests import golden
from tests.results import regularised as toys

SMALL = {"seeds": 2, "preset": "quick", "epochs": 1}


@pytest.fixture(scope="module")
def found():
    return subject.loaded(Request("reviews", seeds=2, preset="quick"), "tutek_snajder")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ts")
    main("reviews", folder, variant="base,tying", attention="dot", strengths=Strengths(1.0), **SMALL)
    main("reviews", folder, variant="base", attention="dot", study="imitation", **SMALL)
    main("reviews", folder, study="initialisation", **SMALL)
    return folder


def made(folder):
    return {(r.paper, r.metric): r for r in records.read(folder / "records.csv")}


def test_a_cell_has_the_records_of_tables_1_2_and_3(out):
    found = made(out / "reviews-bilstm-dot-tying")
    for metric in (
        *("f1_trained", "f1_drop_uniform", "f1_drop_permuted", "per_token_probability"),
        *("mutual_information_most_frequent", "mutual_information_random_sample"),
    ):
        record = found["tutek_snajder_2020", metric]
        assert (record.seeds, record.encoder, record.attention) == (2, "bilstm", "dot")
    caveat = found["tutek_snajder_2020", "f1_trained"].caveat
    assert all(part in caveat for part in ("preset quick", "2 seeds", "strength 1 given", "1 epochs instead"))


def test_regularised_models_are_paired_with_their_base(out):
    found = made(out / "reviews-bilstm-dot-tying-minus-base")
    parts = [made(out / f"reviews-bilstm-dot-{variant}") for variant in ("tying", "base")]
    for metric in ("f1_trained", "f1_drop_uniform", "f1_drop_permuted"):
        tying, base = (part[tutek_snajder.PAPER, metric].value for part in parts)
        assert found["attn_jax", f"{metric}_minus_base"].value == pytest.approx(tying - base)


def test_pairing_again_writes_nothing_new(out, capsys):
    paths = sorted(out.glob("*-minus-*/records.csv"))
    before = [path.stat().st_mtime_ns for path in paths]
    paired.main((out,))
    assert [path.stat().st_mtime_ns for path in paths] == before
    assert "tying-minus-base" in capsys.readouterr().out


def test_a_command_pairs_only_what_it_made(out):
    base, pair = out / "reviews-bilstm-dot-base", out / "reviews-bilstm-dot-tying-minus-base"
    assert paired.run(out, [base]) == [pair / "records.csv"]
    assert paired.run(out, [out / "reviews-bilstm-dot-concat"]) == []


def test_a_folder_without_two_runs_of_one_kind_is_said(tmp_path, capsys):
    paired.main((tmp_path,))
    assert "no two runs to compare" in capsys.readouterr().out
    with pytest.raises(UserError, match="name at least one folder"):
        paired.main(())
    with pytest.raises(UserError, match=r"there is no folder .*absent"):
        paired.main((tmp_path, tmp_path / "absent"))


def test_layers_are_held_against_one_and_residual_against_concat():
    named = [name for name, _ in paired._others(tutek_snajder.Cell("sst", "dot", "residual", layers=3))]
    assert named == ["base", "concat", "one_layer"]
    assert not list(paired._others(tutek_snajder.Cell("sst", "dot", "base")))


def test_later_settings_choose_by_loss_and_answer_no_published_cell(found):
    later = dataclasses.replace(found, request=dataclasses.replace(found.request, settings="later"))
    cell = regularised.cell(later, "base", "dot")
    assert cell.judge == DevLoss(cell.objective)
    assert cell.key.name == "reviews-bilstm-dot-base_later"
    assert regularised.cell(found, "base", "dot").judge is None
    frame = toys.make()
    mine = tutek_snajder.records_of(frame, cell.key)
    assert {r.paper for r in mine} == {"attn_jax"}
    assert {r.variant for r in mine} == {"base_later"}
    sharp = tutek_snajder.records_of(frame, tutek_snajder.Cell("sst", "dot_sharp", "base"))
    assert {r.paper for r in sharp} == {"attn_jax"}


def test_records_are_the_goldens(out):
    golden.assert_golden("tutek_snajder", out / "reviews-bilstm-dot-tying")


def test_studies_leave_their_records_and_one_page(out):
    imitators = made(out / "reviews-bilstm-dot-base-imitation")
    assert imitators["attn_jax", "imitation_jsd_mean@1"].n == 200
    for start in ("dot", "dot_small_start"):
        entropies = made(out / f"reviews-bilstm-{start}-base-initialisation")
        assert {("attn_jax", f"dev_attention_entropy@{e}") for e in (0, 1)} <= set(entropies)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Imitators: reviews" in page
    assert "The start of the query: reviews" in page
    assert "Where tying lowers" in page


def test_the_same_command_does_nothing_again_and_another_is_refused(out):
    path = out / "reviews-bilstm-dot-base" / "records.csv"
    before = path.stat().st_mtime_ns
    main("reviews", out, variant="base", attention="dot", **SMALL)
    assert path.stat().st_mtime_ns == before
    with pytest.raises(UserError, match="another configuration"):
        main("reviews", out, variant="base", attention="dot", **(SMALL | {"seeds": 1}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variant": "glue"}, "no variant called 'glue'"),
        ({"layers": "4"}, "'4' is not 1, 2 or 3"),
        ({"dataset": "babi1"}, "two texts an instance"),
        ({"attention": "sideways"}, "no attention called 'sideways'"),
        (
            {"variant": "tying", "strengths": Strengths(chosen_in=pathlib.Path("absent"))},
            "there is no folder absent",
        ),
    ],
)
def test_nonsense_is_one_sentence(tmp_path, options, words):
    with pytest.raises(UserError, match=words):
        main(**{"dataset": "reviews", "out": tmp_path, "preset": "quick", **options})


def test_the_ablation_tries_each_strength_once(found, tmp_path, monkeypatch):
    tried = []

    def examined(cell, params, texts, split):
        frame = toys.make(seeds=1, split=split)
        return frame if cell.strength == 20.0 else frame.with_columns(prediction=1 - frame["prediction"])

    monkeypatch.setattr(ablation, "trained", lambda cell, run, judge: tried.append(cell.strength))
    monkeypatch.setattr(regularised, "examined", examined)
    folder = tmp_path / "reviews-bilstm-dot-tying-ablation"
    for _ in range(2):
        assert ablation.chosen(found, "tying", "dot", folder, seeds=(0,), epochs=1) == 20.0
    assert tried == [1.0, 10.0, 20.0, 30.0]
    assert [path for path in folder.iterdir() if path.is_dir()] == []
    assert "dev split; after 1 of 3 epochs" in records.read(folder / "records.csv")[0].caveat
    elsewhere = studies.Options(tmp_path / "b", (0,), Strengths(chosen_in=tmp_path))
    assert studies._strength(found, "tying", "dot", elsewhere) == (
        20.0,
        "strength chosen after 1 of 3 epochs",
    )
    with pytest.raises(UserError, match="holds no records of reviews-bilstm-additive-tying-ablation"):
        studies._strength(found, "tying", "additive", elsewhere)


@pytest.mark.parametrize("field", ["ablation_seeds", "ablation_epochs"])
def test_a_strength_is_tried_at_least_once(field):
    with pytest.raises(UserError, match=f"--{field.replace('_', '-')} 0: at least 1"):
        Strengths(**{field: 0})


def test_a_shorter_ablation_is_said(found, tmp_path, monkeypatch):
    monkeypatch.setattr(ablation, "chosen", lambda *_, epochs, **__: float(epochs))
    brief = studies.Options(tmp_path, (0,), Strengths(ablation_epochs=2))
    assert studies._strength(found, "tying", "dot", brief) == (2.0, "strength chosen after 2 of 3 epochs")
    usual = studies.Options(tmp_path, (0,))
    assert studies._strength(found, "tying", "dot", usual) == (3.0, "")


def test_layers_reuse_the_strength_of_one_layer(found, tmp_path, monkeypatch):
    asked = []

    def chosen(found, variant, attention, folder, **_):
        asked.append(folder)
        return 10.0

    monkeypatch.setattr(ablation, "chosen", chosen)
    options = studies.Options(tmp_path, (0,))
    cells = [studies._cell(found, "tying", "dot", layers, options)[0] for layers in (1, 2)]
    assert len(set(asked)) == 1
    assert all(cell.objective.terms == (Likelihood(), Tying(10.0)) for cell in cells)


def test_cells_have_the_papers_sizes_and_the_variants_parts(found):
    full = dataclasses.replace(found, request=Request("reviews"))
    cell = regularised.cell(full, "mlm", "additive", strength=0.3, layers=2)
    assert (cell.model.encoder.hidden, cell.model.encoder.layers) == (150, 2)
    assert cell.model.embedding.features == 300
    assert cell.train.optimiser.clip == 5.0
    assert cell.train.optimiser.frozen == ("embedding", "question_embedding")
    assert cell.sampling == Sampling(1000, 1_000_000)
    assert variants.VARIANTS["tying"].grid == (1, 10, 20, 30)
    assert variants.VARIANTS["mlm"].grid == (0.1, 0.3, 1, 3, 5)
    given = dataclasses.replace(
        found,
        table=np.zeros((len(found.vocabulary), 50), np.float32),
        known=1.0,
        request=dataclasses.replace(found.request, vectors=pathlib.Path("some.txt")),
    )
    cell = regularised.cell(given, "residual", "dot")
    assert (cell.model.embedding.features, cell.model.encoder.inner.hidden) == (50, 25)


def test_words_are_sampled_by_frequency(found):
    seen = collections.Counter(word for example in found.corpus.train for word in example.tokens)
    counts = information.word_counts(found.corpus.train, found.vocabulary)
    chosen, sampling = information.chosen_words, Sampling(words=30)
    most = chosen(counts, sampling, "most_frequent", np.random.default_rng(0))
    assert [seen[found.vocabulary.words[i]] for i in most] == sorted(seen.values(), reverse=True)[:30]
    draws = [chosen(counts, sampling, "random_sample", np.random.default_rng(s)) for s in range(300)]
    assert all(len(set(draw)) == 30 and min(draw) >= 4 for draw in draws)
    top, rarest = (np.mean([word in draw for draw in draws]) for word in (most[0], len(counts) - 1))
    assert top > 0.8 > 0.3 > rarest


def test_gathered_states_are_those_of_the_marked_tokens(found):
    cell = regularised.cell(found, "base", "dot")
    texts = cell.corpus.train[:40]
    buckets = bucketise(texts, cell.vocabulary, 2, (24, 48))
    params = cell.model.init_params(jax.random.key(0), jax.tree.map(lambda a: a[0], buckets[0].rows))
    marks = [information._among(bucket, np.array([5, 9])) for bucket in buckets]
    ids, states = information.gathered(cell.model, params, buckets, marks)
    wanted = {cell.vocabulary.words[i] for i in (5, 9)}
    assert len(ids) == sum(token in wanted for text in texts for token in text.tokens)
    place = 0
    for bucket, part in zip(buckets, marks, strict=True):
        for i, t in np.argwhere(part):
            assert ids[place] == bucket.rows.ids[i, t]
            if place % 9 == 0:  # each one would take long
                example = jax.tree.map(lambda a, i=i: jnp.asarray(a[i]), bucket.rows)
                direct = cell.model.encode(params, cell.model.embed(params, example)).states[t]
                np.testing.assert_allclose(states[place], direct, atol=1e-5)
            place += 1


def test_thinning_keeps_whole_instances_up_to_a_number_of_tokens():
    rng = np.random.default_rng(0)
    marks = [rng.random((50, 8)) < 0.5, rng.random((30, 16)) < 0.5]
    kept = information.thinned(marks, 100, np.random.default_rng(1))
    total = sum(part.sum() for part in kept)
    assert 100 - 16 < total <= 100
    for new, old in zip(kept, marks, strict=True):
        for a, b in zip(new, old, strict=True):
            assert not a.any() or (a == b).all()
    whole = information.thinned(marks, 10_000, np.random.default_rng(1))
    assert all((new == old).all() for new, old in zip(whole, marks, strict=True))


def test_information_is_measured_once(out):
    rows = jsonl.read(out / "reviews-bilstm-dot-base" / "information.jsonl")
    assert sorted((row["seed"], row["sample"]) for row in rows) == sorted(
        (seed, sample) for seed in (0, 1) for sample in ("most_frequent", "random_sample")
    )
    assert all(0 < row["nats"] < np.log(50) and 1960 < row["tokens"] <= 2000 for row in rows)
