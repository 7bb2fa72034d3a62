"""The verdict table: a side is taken by a whole interval, and nothing is said that was not measured."""

import csv
import dataclasses
import importlib.resources
import json

import pytest

from attn_jax.report import debate_document, debate_text, document
from attn_jax.results import asks, debate
from attn_jax.results.debate import Ask
from attn_jax.results.records import Record

ASK = Ask(
    test="t",
    question="Is <it> so?",
    answer="v/metric",
    measure="a share",
    low="the doubters",
    high="the readers",
    little=0.2,
    much=0.5,
    null="v/nothing",
    beside={"also": "other"},
    limits=("one limit",),
    needs="a thing",
)


def record(metric, value, low=None, high=None, variant="v", **more):
    return Record(metric=metric, value=value, ci_low=low, ci_high=high, variant=variant, n=7, **more)


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [
        (0.1, 0.19, "the doubters"),
        (0.1, 0.2, "neither side"),
        (0.5, 0.9, "the readers"),
        (0.49, 0.9, "neither side"),
    ],
)
def test_a_side_needs_the_whole_interval(low, high, side):
    (row,) = debate.rows([record("metric", (low + high) / 2, low, high)], [ASK])
    assert row.predicted_by.startswith(side)
    assert row.n == 7


@pytest.mark.parametrize(("low", "side"), [(0.6, "neither side: the model"), (0.61, "the readers")])
def test_no_side_is_taken_on_a_model_that_may_be_at_chance(low, side):
    work = [record("accuracy", 0.7, low, 0.8, variant=""), record("majority_share", 0.6, variant="")]
    (row,) = debate.rows([record("metric", 0.6, 0.55, 0.7), *work], [ASK])
    assert row.predicted_by.startswith(side)


@pytest.mark.parametrize("settings", ["released", "a_probe"])
def test_the_settings_of_a_run_are_no_variant_of_its_statistics(settings):
    ask = dataclasses.replace(ASK, answer="metric", null="")
    found = [record("majority_share", 0.5, variant=settings), record("metric", 0.6, variant=settings)]
    (row,) = debate.rows([*found, record("metric", 0.9, variant="another")], [ask])
    assert row.value == 0.6
    assert debate.unanswered(found, [ask], ["t"]) == []


def test_null_and_further_numbers_stand_beside_where_they_exist():
    found = [record("metric", 0.6), record("nothing", 0.1), record("other", 0.25, variant="")]
    (row,) = debate.rows(found, [ASK])
    assert (row.null, row.ceiling, row.beside) == (0.1, None, "also 0.250")


def test_a_question_without_its_number_is_listed_as_not_asked():
    assert debate.rows([record("other", 1.0)], [ASK]) == []
    assert debate.unanswered([], [ASK], ["t"]) == [ASK]
    assert debate.unanswered([], [ASK], ["another"]) == []
    assert "It needs a thing." in " ".join(debate_text.text([], [ASK], "a model").split())
    assert "It needs a thing." in document.html(debate_document.document([], [ASK], "a model"))


def test_on_the_terminal_each_answer_stands_under_its_question_and_within_the_width():
    table = debate.rows(
        [record("metric", 0.6, 0.5, 0.7, caveat="\x1b[31mquick"), record("nothing", 0.1)], [ASK]
    )
    found = debate_text.text(table, [], "a model")
    lines = found.splitlines()
    place = lines.index("Is <it> so? [t]")
    assert lines[place + 1].startswith("  0.600 [0.500, 0.700]  (a share; n 7")
    assert "null 0.100" in found
    assert "As predicted by the readers" in found
    assert "\x1b" not in found
    assert max(map(len, lines)) <= 88


def test_recalled_figures_are_called_so_and_stand_by_their_data_set_alone():
    def told(dataset, variant="adversary"):
        ask = Ask(test="t", question="q", answer=f"{variant}/jsd_mean", measure="m")
        (row,) = debate.rows([record("jsd_mean", 0.5, variant=variant, dataset=dataset)], [ask])
        return row.recalled

    assert told("sst") == "0.514 (Wiegreffe & Pinter 2019, recalled)"
    assert told("reviews") == ""
    assert told("sst", "other") == ""


def test_every_recalled_figure_has_a_question_that_shows_it():
    answers = {ask.answer for ask in asks.ALL}
    source = importlib.resources.files("attn_jax.results") / "recalled.csv"
    for row in csv.DictReader(source.read_text(encoding="utf-8").splitlines()):
        assert f"{row['variant']}/{row['metric']}" in answers


def test_the_table_is_written_as_csv_json_and_an_escaped_page(tmp_path):
    table = debate.rows([record("metric", 0.6, 0.5, 0.7)], [ASK])
    debate.write(tmp_path, table)
    with (tmp_path / "debate.csv").open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert (line["value"], line["limits"]) == ("0.6", "one limit")
    (entry,) = json.loads((tmp_path / "debate.json").read_text())
    assert entry["limits"] == ["one limit"]
    page = document.html(debate_document.document(table, [], "m"))
    assert "Is &lt;it&gt; so?" in page
    for words in ("Learned rationales", "DiffMask", "Grimsley"):
        assert words in page


def test_every_ask_can_take_either_side_and_says_what_it_needs():
    for ask in asks.ALL:
        assert bool(ask.low) == bool(ask.high), ask.question
        assert ask.little <= ask.much, ask.question
        assert ask.question.endswith("?")
    assert len({ask.question for ask in asks.ALL}) == len(asks.ALL)
