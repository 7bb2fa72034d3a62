import collections
import csv
import importlib.resources

import pytest

from attn_jax.results import aliases, explanations, fidelity, pool, published, tolerances
from attn_jax.results.records import Record
from tests.results import answers

PAPERS = ("jain_wallace_2019", "tutek_snajder_2020", "vashishth_2019")
TAU = {"dataset": "sst", "encoder": "bilstm", "label": "0", "metric": "tau_gradient_mean"}


def one(found: list[Record], **fields) -> fidelity.Cell:
    (cell,) = [
        c for c in fidelity.cells(found) if all(c.field(name) == value for name, value in fields.items())
    ]
    return cell


def test_nothing_run_leaves_every_published_cell_not_run():
    cells = fidelity.cells([])
    assert [cell.key for cell in cells] == list(published.load().select(published.KEY).iter_rows())
    assert {cell.verdict for cell in cells} == {"not run"}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_published_figures_reproduce_themselves(paper: str):
    cells = fidelity.cells(answers.records(paper), paper)
    assert {cell.field("paper") for cell in cells} == {paper}
    verdicts = collections.Counter(cell.verdict for cell in cells)
    unjudged = {"jain_wallace_2019": 0, "tutek_snajder_2020": 0, "vashishth_2019": 18}  # Figure 5
    assert verdicts["not comparable"] == unjudged[paper]
    assert verdicts["reproduced"] == len(cells) - unjudged[paper]


@pytest.mark.parametrize(
    ("paper", "metric", "value", "allowed"),
    [
        ("jain_wallace_2019", "f1", 0.81, 0.02),
        ("jain_wallace_2019", "accuracy", 1.0, 0.02),
        ("jain_wallace_2019", "micro_f1", 0.78, 0.02),
        ("jain_wallace_2019", "tau_gradient_mean", 0.4, 0.1),
        ("jain_wallace_2019", "tau_loo_mean", 0.34, 0.1),
        ("jain_wallace_2019", "tau_loo_significant_fraction", 0.47, 0.15),
        ("jain_wallace_2019", "vocab_size", 16175, 161.75),
        ("jain_wallace_2019", "avg_length", 19, 0.5),
        ("tutek_snajder_2020", "f1_trained", 84.2, 2),
        ("tutek_snajder_2020", "f1_drop_uniform", -2.8, 5),
        ("tutek_snajder_2020", "f1_drop_permuted", -60, 18),
        ("tutek_snajder_2020", "mutual_information_most_frequent", 2.3, 0.5),
        ("tutek_snajder_2020", "per_token_probability", 0.7, 0.05),
        ("vashishth_2019", "accuracy", 83.4, 2),
        ("vashishth_2019", "accuracy_change", -9.9, 2),
        ("vashishth_2019", "accuracy_change", -41.8, 5),
        ("vashishth_2019", "bleu", 31.3, 3),
        ("vashishth_2019", "bleu_change", -8.7, 2),
    ],
)
def test_tolerances_are_those_agreed(paper: str, metric: str, value: float, allowed: float):
    rule = tolerances.rule(paper, metric)
    assert rule is not None
    assert rule.allowed(value) == pytest.approx(allowed)


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.1, "reproduced"), (-0.1, "reproduced"), (0.101, "not reproduced")]
)
def test_the_tolerance_is_the_line(shift: float, verdict: str):
    found = answers.only(answers.records(shift=shift), **TAU)
    cell = one(found, **TAU, attention="additive")
    assert (cell.verdict, cell.published, cell.std) == (verdict, 0.4, 0.21)


@pytest.mark.parametrize(
    ("caveat", "reason"),
    [
        ("100k subset; preset quick: 1000 train instances", "a quick run"),
        ("simulated, not the published files", "simulated"),
        ("generated corpus", "generated"),
    ],
)
def test_some_caveats_forbid_the_join(caveat: str, reason: str):
    found = answers.changed(answers.only(answers.records(), **TAU), caveat=caveat)
    cell = one(found, **TAU, attention="additive")
    assert cell.verdict == "not comparable"
    assert reason in cell.reason
    assert cell.record is not None  # shown all the same


def test_other_caveats_join():
    found = answers.changed(answers.only(answers.records(), **TAU), caveat="1 seed; vectors drawn")
    assert one(found, **TAU).verdict == "reproduced"


@pytest.mark.parametrize(
    ("metric", "verdict"),
    [("train_size", "not comparable"), ("vocab_size", "not comparable"), ("test_size", "reproduced")],
)
def test_a_part_of_the_train_set_cannot_have_its_size(metric: str, verdict: str):
    key = {"dataset": "agnews", "metric": metric, "label": "" if metric == "vocab_size" else "0"}
    found = answers.changed(
        answers.only(answers.records(), **key), caveat="a quarter of the train set, titles included"
    )
    assert one(found, **key, paper="jain_wallace_2019").verdict == verdict


def test_babi_statistics_are_not_reproduced_and_say_why():
    key = {"dataset": "babi2", "metric": "avg_length", "paper": "jain_wallace_2019"}
    cell = one([Record(**key, table="table1", value=95, run="toy")], **key)
    assert (cell.verdict, cell.published) == ("not reproduced", 67)
    assert "95" in cell.reason


def test_substitutes_never_join():
    found = answers.only(answers.records("vashishth_2019"), dataset="yelp")
    cells = fidelity.cells(answers.changed(found, dataset="yelp_polarity"))
    yelp = [cell for cell in cells if cell.field("dataset") == "yelp"]
    assert {cell.verdict for cell in yelp} == {"not comparable"}
    assert all("yelp_polarity" in cell.reason and cell.record is None for cell in yelp)
    assert not [cell for cell in cells if cell.judged]


def test_one_run_answers_table_1_and_table_6():
    found = answers.only(answers.records("tutek_snajder_2020"), table="table1", attention="additive")
    cells = [cell for cell in fidelity.cells(found) if cell.field("encoder") == "bilstm_1_layers"]
    assert len(cells) == 48
    assert {cell.verdict for cell in cells} == {"reproduced"}  # the paper prints the same figures twice
    dot = answers.only(answers.records("tutek_snajder_2020"), table="table1", attention="dot")
    assert [list(aliases.answers(record)) for record in dot] == [[record] for record in dot]


def test_of_several_runs_the_best_founded_answers():
    (base,) = answers.only(answers.records(), **TAU)

    def answer(*rows: dict) -> Record:
        found = [answers.changed([base], **row)[0] for row in rows]
        assert pool.best(found) == pool.best(found[::-1])
        return pool.best(found)[base.key()]

    quick = {"run": "a", "caveat": "preset quick: 1000", "seeds": 9}
    assert answer(quick, {"run": "b", "seeds": 1}).run == "b"
    assert answer({"run": "b", "seeds": 1, "n": 900}, {"run": "c", "seeds": 3, "n": 800}).run == "c"
    assert answer({"run": "b", "n": 900}, {"run": "c", "n": 800}).run == "b"
    assert answer({"run": "b"}, {"run": "c"}).run == "b"


def test_explanations_speak_of_published_cells():
    text = (importlib.resources.files("attn_jax.results") / "explanations.csv").read_text()
    header, *rows = csv.reader(text.splitlines())
    assert tuple(header) == (*published.KEY, "verdict", "sentence", "figures")
    loaded, cells = explanations.load(), set(published.load().select(published.KEY).iter_rows())
    assert len(loaded) == len(rows)
    for key, verdict in loaded:
        assert key in cells
        assert verdict in ("not comparable", "not reproduced")


def test_an_explanation_stands_beside_what_is_not_reproduced(monkeypatch):
    (record,) = answers.only(answers.records(shift=0.3), **TAU)
    remark = {(record.key(), "not reproduced"): "because"}
    monkeypatch.setattr(explanations, "load", lambda: remark)
    assert one([record], **TAU).reason == "because"
    (near,) = answers.only(answers.records(), **TAU)
    assert one([near], **TAU).reason == ""


def test_other_settings_stand_beside_a_cell_and_explain_it_only_within_tolerance():
    (far,) = answers.only(answers.records(shift=0.3), **TAU)
    (near, off) = (answers.only(answers.records(shift=shift), **TAU)[0] for shift in (0.05, 0.2))
    code = answers.changed([near], variant="released", run="b")[0]
    probe = answers.changed([off], variant="no_l2", run="c", caveat="a probe: no l2")[0]
    cell = one([far, code, probe], **TAU)
    assert (cell.verdict, cell.record) == ("not reproduced", far)
    assert cell.others == (("no_l2", probe), ("released", code))
    assert [cell.holds(other.record) for other in cell.others] == [False, True]
    assert "under the settings released" in cell.reason
    assert cell.explained
    failed = one([far, probe], **TAU)
    assert failed.reason == "tried, and none within tolerance: the settings no_l2"
    assert not failed.explained
    assert one([near, code], **TAU).reason == ""
    alone = one([code], **TAU)
    assert (alone.verdict, alone.others) == ("not run", (("released", code),))


def test_a_setting_answers_the_cells_that_were_run_under_it():
    (far,) = answers.only(answers.records(shift=0.3), **TAU)
    (near,) = answers.only(answers.records(), **TAU)
    code = answers.changed([near], variant="released", run="b")[0]
    cells = fidelity.under(fidelity.cells([far, code]), "released")
    assert [cell.record for cell in cells if cell.judged] == [code]
    assert {cell.verdict for cell in cells} == {"reproduced", "not run"}
    assert not any(cell.judged for cell in fidelity.under(fidelity.cells([far, code]), "later"))


def test_a_quick_run_explains_nothing():
    (far,) = answers.only(answers.records(shift=0.3), **TAU)
    (near,) = answers.only(answers.records(), **TAU)
    quick = answers.changed([near], variant="released", caveat="preset quick: 1000 train instances")
    assert one([far, *quick], **TAU).others == ()


def test_a_further_variant_of_a_paper_with_variants_of_its_own_is_no_setting():
    found = answers.only(answers.records("tutek_snajder_2020"), dataset="sst", table="table1")
    cells = fidelity.cells(found + answers.changed(found, variant="diversity"))
    assert not [cell for cell in cells if cell.others]


@pytest.mark.parametrize(
    ("paper", "fields", "names", "setting"),
    [
        (
            "vashishth_2019",
            {"dataset": "babi2", "attention": "rocktaschel", "variant": "permute_infer"},
            {"attention": "rocktaschel_128"},
            "rocktaschel_128",
        ),
        (
            "vashishth_2019",
            {"dataset": "multi30k", "attention": "bahdanau", "variant": "random_infer"},
            {"variant": "beam_random_infer"},
            "beam",
        ),
        (
            "vashishth_2019",
            {"dataset": "multi30k", "attention": "bahdanau", "metric": "bleu"},
            {"attention": "bahdanau_blank"},
            "bahdanau_blank",
        ),
        (
            "tutek_snajder_2020",
            {
                "table": "table1",
                "dataset": "sst",
                "attention": "dot",
                "variant": "tying",
                "metric": "f1_trained",
            },
            {"attention": "dot_sharp"},
            "dot_sharp",
        ),
        (
            "tutek_snajder_2020",
            {
                "table": "table3",
                "dataset": "sst",
                "attention": "dot",
                "variant": "mlm",
                "metric": "per_token_probability",
            },
            {"variant": "mlm_later"},
            "later",
        ),
    ],
)
def test_a_probe_of_our_own_stands_beside_the_cell_that_it_would_answer(paper, fields, names, setting):
    (near,), (far,) = (answers.only(answers.records(paper, shift=shift), **fields) for shift in (0, 99))
    (probe,) = answers.changed([near], paper="attn_jax", table="", **names)
    cells = fidelity.cells([far, probe])
    (cell,) = [cell for cell in cells if cell.others]
    assert cell.key == near.key()
    assert cell.others == ((setting, probe),)
    assert f"under the settings {setting}" in cell.reason
