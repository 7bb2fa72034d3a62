"""Sheets are blind, fixed and complete; tables and kappa against counting by hand and scikit-learn."""

import collections

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from attn_jax.errors import UserError
from attn_jax.results import annotation, annotation_scores, published
from tests.results import altered

LABELS = ("negative", "positive")


@pytest.fixture(scope="module")
def frame():
    return altered.make(paired=True)


@pytest.fixture(scope="module")
def items(frame):
    return annotation.sheet(frame, LABELS, count=10, seed=0)


def test_a_sheet_has_both_kinds_of_different_instances_shuffled(items):
    assert collections.Counter(item.kind for item in items) == {"original": 10, "permuted": 10}
    assert len({item.instance for item in items}) == 20
    kinds = [item.kind for item in items]
    assert kinds != sorted(kinds)
    assert [item.key for item in items] == [str(number) for number in range(1, 21)]


def test_items_show_the_words_and_the_prediction_of_their_kind(frame, items):
    rows = {row["id"]: row for row in frame.filter(pl.col("seed") == 0).iter_rows(named=True)}
    for item in items:
        row = rows[item.instance]
        weights, said = annotation.COLUMNS[item.kind]
        best = np.argsort(-np.array(row[weights]))[:3]
        assert [item.tokens[place] for place in item.top] == [row["tokens"][place] for place in best]
        assert item.prediction == LABELS[row[said]]
        assert item.right == (row[said] == row["gold"])
        assert "<SOS>" not in item.tokens
        assert item.question == ("where", "is", "it")


def test_a_sheet_is_kept_and_another_is_refused(frame, items, tmp_path):
    path = tmp_path / "sheet.jsonl"
    assert annotation.kept(path, items) == annotation.kept(path, items) == annotation.read_sheet(path)
    with pytest.raises(UserError, match="another run, --count or --seed"):
        annotation.kept(path, annotation.sheet(frame, LABELS, count=10, seed=1))


def test_what_cannot_be_asked_is_one_sentence(frame, tmp_path):
    with pytest.raises(UserError, match="1 to 20"):
        annotation.sheet(frame, LABELS, count=21, seed=0)
    with pytest.raises(UserError, match="permuted_alpha"):
        annotation.sheet(frame.drop("score/permuted_alpha"), LABELS, count=1, seed=0)
    for name in ("", "../anna", "a b", "x" * 41):
        with pytest.raises(UserError, match="--annotator"):
            annotation.Answers(tmp_path, name)
    (tmp_path / "answers-x.jsonl").write_text('{"key": 3}\n')
    with pytest.raises(UserError, match="line 1: not an answer"):
        annotation.all_answers(tmp_path)


def test_answers_survive_a_restart_and_can_be_taken_back(tmp_path):
    answers = annotation.Answers(tmp_path, "anna")
    answers.give("3", True)
    answers.give("1", False)
    answers.give("3", False)
    again = annotation.Answers(tmp_path, "anna")
    assert list(again.given.items()) == [("1", False), ("3", False)]
    again.undo()
    assert annotation.all_answers(tmp_path) == {"anna": {"1": False}}
    again.undo()
    again.undo()
    assert annotation.Answers(tmp_path, "anna").given == {}


def test_tables_are_percent_of_all_judgements(items):
    first = {item.key: True for item in items}
    second = {item.key: False for item in items if item.kind == "original"}
    found = annotation_scores.tables(items, {"a": first, "b": second})
    right = sum(item.right for item in items if item.kind == "original")
    assert found["original"].judgements == 20
    assert found["permuted"].judgements == 10
    shares = found["original"].shares
    assert shares["right_meaningful"] == shares["right_not_meaningful"] == pytest.approx(100 * right / 20)
    assert sum(shares.values()) == pytest.approx(100)


def test_kappa_is_scikit_learns():
    rng = np.random.default_rng(0)
    first = {str(i): bool(rng.random() < 0.6) for i in range(50)}
    second = {key: value if rng.random() < 0.8 else not value for key, value in first.items()}
    both = annotation_scores.cohen_kappa(first, second)
    assert both == pytest.approx(cohen_kappa_score(list(first.values()), list(second.values())))
    third = dict(list(first.items())[:20])
    assert annotation_scores.cohen_kappa(first, third) == pytest.approx(1.0)
    pairs = [
        annotation_scores.cohen_kappa(*pair) for pair in ((first, second), (first, third), (second, third))
    ]
    given = {"a": first, "b": second, "c": third}
    assert annotation_scores.kappa(given) == pytest.approx(np.mean(pairs))
    assert annotation_scores.kappa({"a": first}) is None
    assert annotation_scores.cohen_kappa({"1": True}, {"1": True}) is None


def test_records_stand_under_figure_5s_keys(items):
    given = {name: {item.key: item.right for item in items} for name in ("a", "b")}
    printed = {row[:-2] for row in published.load().iter_rows()}
    for dataset in ("imdb", "babi1"):
        made = annotation_scores.records_of(items, given, dataset=dataset, model="bahdanau")
        assert len(made) == 9
        assert all(record.key() in printed for record in made)
        assert all(dataset in record.caveat and "2 annotators" in record.caveat for record in made)
    assert made[-1].value == pytest.approx(1.0)
