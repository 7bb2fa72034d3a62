"""Figures in the explanations of single cells are those of the committed records, or said to be by hand."""

import csv
import functools
import importlib.resources
import pathlib
import re

import pytest

from attn_jax.results import published

ROOT = pathlib.Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+\.\d+")
DIFFERENCE = re.compile(r"(\d+\.\d+) - (\d+\.\d+) = (\d+\.\d+)")  # of printed figures


def explained():
    text = (importlib.resources.files("attn_jax.results") / "explanations.csv").read_text(encoding="utf-8")
    return [row for row in csv.DictReader(text.splitlines()) if NUMBER.search(row["sentence"])]


@functools.cache
def ours():
    """(run, metric, variant where a run has several) -> value, of the runs that reproduce the papers."""
    found = {}
    for paper in ("jain_wallace", "tutek_snajder", "vashishth"):
        path = ROOT / "docs" / "reproduction" / paper / "records.csv"
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            for key in ((row["run"], row["metric"]), (row["run"], row["metric"], row["variant"])):
                found.setdefault(key, float(row["value"]))
    return found


def figures(row):
    """What a figure is made of, and how it is written; a figure by hand is made of nothing."""
    parts = [part.rpartition(" = ") for part in filter(None, row["figures"].split("; "))]
    return {shown: "" if made == "by hand" else made for made, _, shown in parts}


def value(made):
    """Names of records and printed numbers, added and subtracted."""
    total, sign = 0.0, 1.0
    for part in re.split(r" ([+-]) ", made):
        if part in "+-":
            sign = 1.0 if part == "+" else -1.0
        else:
            total += sign * (float(part) if NUMBER.fullmatch(part) else ours()[tuple(part.split())])
    return total


@pytest.mark.parametrize("row", explained(), ids=lambda row: "-".join(filter(None, list(row.values())[:8])))
def test_every_figure_is_a_record_or_printed(row):
    cells = [cell[-2:] for cell in published.load().iter_rows() if cell[0] == row["paper"]]
    printed = {abs(one) for pair in cells for one in pair if one is not None}
    derived = {last for _, _, last in DIFFERENCE.findall(row["sentence"])}
    for first, second, last in DIFFERENCE.findall(row["sentence"]):
        assert float(first) - float(second) == pytest.approx(float(last))
    made = figures(row)
    for shown in NUMBER.findall(row["sentence"]):
        bare = shown.removeprefix("-")
        assert shown in made or bare in derived or float(bare) in printed, shown
    for shown, parts in made.items():
        assert shown in row["sentence"]
        if parts:
            digits = len(shown.partition(".")[2])
            assert value(parts) == pytest.approx(float(shown), abs=0.5 * 10**-digits + 1e-9)
