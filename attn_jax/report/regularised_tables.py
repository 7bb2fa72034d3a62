"""Tutek & Snajder's tables with our figures beside theirs, and the ablation behind them."""

from collections.abc import Iterable, Mapping, Sequence

from attn_jax.report import grid, numbers
from attn_jax.report.grid import Footnotes, Grid
from attn_jax.results import published, tolerances
from attn_jax.results.aliases import answers
from attn_jax.results.estimate import Estimate
from attn_jax.results.facts import bounds
from attn_jax.results.records import Record
from attn_jax.results.tutek_snajder import SAMPLES

Printed = Mapping[tuple[str, ...], float]  # published figures by key

_PLACE = ("Data set", "Encoder", "Attention", "Variant")
_F1 = {"f1_trained": "F1", "f1_drop_uniform": "Uniform", "f1_drop_permuted": "Permuted"}
_TABLES = (
    ("Altered attention (Tables 1 and 6)", "F1 in percent and what other attention costs.", _F1),
    (
        "Mutual information (Table 2)",
        "Of word vectors and states, in nats.",
        dict(zip((f"mutual_information_{sample}" for sample in SAMPLES), ("MF", "RS"), strict=True)),
    ),
    (
        "Per-token probability (Table 3)",
        "Of the predicted class, over correctly classified instances; 0.5 is the boundary of two classes.",
        {"per_token_probability": "Probability"},
    ),
)


def grids(records: Sequence[Record]) -> list[Grid]:
    """The tables for which there are records; "ours ± spread over seeds (published)"."""
    printed = {row[:-2]: row[-2] for row in published.load().iter_rows()}
    made = [_table(title, note, metrics, records, printed) for title, note, metrics in _TABLES]
    return [one for one in (made[0], _pairs(records), *made[1:], _ablation(records)) if one.rows]


def _table(
    title: str, note: str, metrics: Mapping[str, str], records: Sequence[Record], printed: Printed
) -> Grid:
    places: dict[tuple[str, ...], dict[str, Record]] = {}
    for record in records:
        if record.metric in metrics:  # those of probes too, which the paper has no figure for
            places.setdefault(_place(record), {})[record.metric] = record
    footnotes = Footnotes()
    rows = tuple(
        (
            *place,
            *(figure(found.get(metric), printed) for metric in metrics),
            footnotes.refer(record.caveat for record in found.values()),
        )
        for place, found in sorted(places.items())
    )
    columns = grid.columns(_PLACE, tuple(metrics.values())) + grid.columns(("Caveat",), ())
    return Grid(title, f"{note} Published figures in brackets.", columns, rows, footnotes.texts)


def _place(record: Record) -> tuple[str, ...]:
    return record.dataset, record.encoder, record.attention, record.variant


def figure(record: Record | None, printed: Printed) -> str:
    """84.1 ± 0.4 (84.2)."""
    if record is None:
        return ""
    rule = tolerances.rule(record.paper, record.metric)
    digits = rule.digits if rule else 2
    theirs = next((printed[a.key()] for a in answers(record) if a.key() in printed), None)
    spread = "" if record.std is None else f" ± {numbers.as_printed(record.std, digits)}"
    ours = numbers.as_printed(record.value, digits) + spread
    return ours if theirs is None else f"{ours} ({numbers.as_printed(theirs, digits)})"


def _pairs(records: Iterable[Record]) -> Grid:
    """One model's figures minus another's on the same instances, with the interval of the difference."""
    found: dict[tuple[str, ...], dict[str, Record]] = {}
    for record in records:
        metric, _, other = record.metric.partition("_minus_")
        if other and metric in _F1:
            found.setdefault((*_place(record), other.replace("_", " ")), {})[metric] = record
    rows = tuple(
        (*place, *(_bracketed(pair.get(metric)) for metric in _F1)) for place, pair in sorted(found.items())
    )
    columns = grid.columns((*_PLACE, "Minus"), tuple(_F1.values()))
    note = "Points of F1 on the same test instances, with 95\u00a0% bootstrap intervals of the difference."
    return Grid("One model minus another", note, columns, rows)


def _bracketed(record: Record | None) -> str:
    """-3.3 [-4.8, -1.8]."""
    return numbers.bracketed(record and Estimate(record.value, *bounds(record)), 1)


def _ablation(records: Iterable[Record]) -> Grid:
    """Every strength that was tried, on the dev split."""
    tried: dict[tuple[str, ...], dict[str, Record]] = {}
    taken: dict[tuple[str, ...], float] = {}
    for record in records:
        metric, _, strength = record.metric.partition("@")
        if record.metric == "strength_chosen":
            taken[_place(record)] = record.value
        elif strength and metric.removeprefix("dev_") in _F1:
            tried.setdefault((*_place(record), strength), {})[metric.removeprefix("dev_")] = record
    rows = tuple(
        (
            *place,
            *(numbers.as_printed(found[metric].value, 1) if metric in found else "" for metric in _F1),
            "taken" if taken.get(place[:-1]) == float(place[-1]) else "",
        )
        for place, found in sorted(tried.items(), key=lambda item: (item[0][:-1], float(item[0][-1])))
    )
    columns = grid.columns(_PLACE, ("Strength", *_F1.values())) + grid.columns(("",), ())
    note = "δ of tying, η of masked words; the best F1 on the development split is taken."
    return Grid("Strengths of the regularisers", note, columns, rows)
