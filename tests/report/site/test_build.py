"""What a build writes, before any browser reads it."""

import dataclasses
import json
import pathlib
import re

import numpy as np
import polars as pl
import pytest

from attn_jax.errors import UserError
from attn_jax.report.site import build, comparison, instances, overview, run, scripted
from attn_jax.results import asks, debate, jain_wallace, records
from tests.report import runs
from tests.report.html_reader import Reader
from tests.report.site import grids
from tests.results import frames

LEAST = {"assets", "data", "runs", "index.html", "compare.html", "tables.html", "claims.html"}
WEIGHT = 3_000_000  # bytes of a page with all it loads, instance data apart
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"


def value(site: pathlib.Path, name: str):
    """What a data file registers."""
    text = (site / "data" / f"{name}.js").read_text(encoding="ascii")
    found = re.fullmatch(r"attn\.register\((\"[^\"]*\"), (.*)\);\n", text, flags=re.DOTALL)
    assert found
    assert json.loads(found[1]) == name
    return json.loads(found[2])


def pages(site: pathlib.Path) -> list[pathlib.Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_has_the_policy_and_only_links_inside_the_site(grid_site):
    assert {path.name for path in grid_site.iterdir()} >= LEAST
    assert len(pages(grid_site)) == 7 + 13
    for path in pages(grid_site):
        read = Reader(path.read_text(encoding="utf-8"))
        policy = next(m["content"] for m in read.all("meta") if m.get("http-equiv"))
        assert policy is not None
        assert policy.startswith(POLICY)
        assert read.values("style") == []
        for link in (*read.values("href"), *read.values("src")):
            file = link.partition("#")[0]
            assert not file or (path.parent / file).resolve().exists(), f"{path.name} links to {link}"
        ids = read.values("id")
        assert len(ids) == len(set(ids))


def test_a_page_weighs_less_than_three_megabytes_before_instances(grid_site):
    assets = sum(path.stat().st_size for path in (grid_site / "assets").iterdir())
    listed = sum(
        (grid_site / "data" / f"{name}.js").stat().st_size for name in ("compare", "theme", "instances")
    )
    figures = max(path.stat().st_size for path in (grid_site / "data").glob("figures-*.js"))
    metrics = sum(path.stat().st_size for path in (grid_site / "data").glob("metric-*.js"))
    largest = max(path.stat().st_size for path in pages(grid_site))
    assert assets + listed + figures + metrics + largest < WEIGHT


def test_data_is_ascii_script_that_opens_no_tag(hostile_site):
    for path in (hostile_site / "data").iterdir():
        assert "<" not in path.read_text(encoding="ascii")
    index = value(hostile_site, "instances-hostile")
    assert grids.HOSTILE[0] in index["rows"][0]["tokens"]
    assert scripted.literal("</script>\u2028é") == '"\\u003c/script>\\u2028\\u00e9"'


def test_one_statistic_holds_every_run_beside_the_published_figure(grid_site):
    compare = value(grid_site, "compare")
    assert len(compare["runs"]) == 13
    name = "Kendall's τ, attention and gradient"
    metric = next(m for m in compare["metrics"] if m["name"] == name and m["paper"] != "ours")
    rows = value(grid_site, metric["file"])
    assert len(rows) == 24
    sst = next(r["place"] for r in compare["runs"] if r["slug"] == "sst-bilstm-additive")
    assert [r["published"] for r in rows if r["run"] == sst] == [0.40, 0.38]
    assert {r["subject"][0] for r in compare["runs"]} == {"sst", "imdb", "multi30k"}


def test_the_chart_is_a_valid_chart_once_it_has_rows():
    import vl_convert

    row = {"name": "a", "value": 1.0, "low": 0.5, "high": 1.5, "published": 1.2, "n": 3, "interval": "x"}
    drawn = vl_convert.vegalite_to_svg(
        comparison.chart() | {"datasets": {"rows": [row]}}, allowed_base_urls=[]
    )
    assert "published" in drawn
    assert "NaN" not in drawn


def test_weights_are_kept_to_what_float32_holds(grid_site, grid_runs):
    from attn_jax.results import examples

    row = examples.read(grid_runs / "sst-cnn-dot" / "examples.parquet").row(0, named=True)
    kept = value(grid_site, "instances-sst-cnn-dot-0")[0]
    np.testing.assert_allclose(kept["values"][kept["kinds"].index("alpha")], row["alpha"], rtol=1e-7)
    np.testing.assert_allclose(kept["decoder"], row["token_logits"], rtol=1e-6)
    assert kept["names"][0] == "Attention"


def test_instances_are_spread_evenly_and_the_same_for_each_seed():
    frame = frames.make(n=40, seeds=2)
    kept = instances.kept(frame, 20)
    assert kept.height == 20
    by_seed = [part["id"].to_list() for _, part in kept.group_by("seed", maintain_order=True)]
    assert by_seed[0] == by_seed[1]
    assert {"test-0", "test-39"} <= set(by_seed[0])
    assert instances.kept(frame, 1000).height == frame.height


def test_long_documents_leave_room_for_fewer():
    assert instances.kept(grids.long(), 400).height == 2
    many = pl.concat([grids.long().with_columns(id=pl.lit(f"{i}-") + pl.col("id")) for i in range(30)])
    kept = instances.kept(many, 400)
    assert kept["tokens"].list.len().sum() <= instances.TOKENS
    assert kept.height > 30


def test_a_decoder_of_too_many_numbers_stays_out(tmp_path):
    wide = frames.make(n=1).with_columns(
        token_logits=pl.col("tokens").map_elements(
            lambda t: [[0.0] * 5000] * len(t), return_dtype=pl.List(pl.List(pl.Float64))
        )
    )
    instances.write(tmp_path, "x", wide)
    kept = value(tmp_path, "instances-x-0")[0]
    assert (kept["decoder"], kept["large"]) == (None, True)


def test_the_overview_counts_and_names_every_stance(grid_runs):
    found = run.read([grid_runs])
    made = overview.overview(found)
    assert len(made.lines) == 12
    assert [other.slug for other in made.others] == ["mt"]
    assert "of 12 models on 2 data sets" in made.headline
    for test in made.tests:
        assert test.asks, f"no words for {test.question}"
        assert sum(count for _, count, _ in test.counts) == test.total == 12
    agreement = made.tests[0]
    assert {stance for stance, count, _ in agreement.counts if count} == {"for", "mixed", "against"}


def test_one_run_is_told_in_full(tmp_path):
    runs.build(tmp_path / "run", frames.make(n=20))
    page = Reader(build.build([tmp_path / "run"], tmp_path / "site").read_text(encoding="utf-8"))
    verdict = run.read([tmp_path / "run"])[0].verdict
    text = " ".join(page.text.split())
    assert " ".join(verdict.headline.split()) in text
    for finding in verdict.findings:
        assert finding.test in text
        assert " ".join(finding.text.split()) in text


def test_a_run_shows_the_questions_of_the_debate_that_it_answers(grid_site, grid_runs):
    page = Reader((grid_site / "runs" / "sst-cnn-dot.html").read_text(encoding="utf-8"))
    answered = debate.rows(records.read(grid_runs / "sst-cnn-dot" / "records.csv"), asks.ALL)
    assert len(answered) > 3
    assert all(row.question in page.text for row in answered)


def test_other_variants_of_a_study_do_not_speak_for_the_model(tmp_path):
    made = [
        records.Record(dataset="d", metric="accuracy", value=0.9, n=10, run="x", variant=v) for v in ("", "u")
    ]
    runs.write_bare(tmp_path, [made[0], dataclasses.replace(made[1], value=0.1)])
    (finding,) = run.read([tmp_path])[0].verdict.findings
    assert "90" in finding.text


def test_a_build_replaces_its_own_site_and_refuses_any_other_folder(tmp_path):
    runs.build(tmp_path / "run", frames.make(n=8))
    site = tmp_path / "site"
    build.build([tmp_path / "run"], site)
    (site / "runs" / "stale.html").write_text("x")
    first = {path: path.read_bytes() for path in pages(site) if path.name != "stale.html"}
    build.build([tmp_path / "run"], site)
    assert {path: path.read_bytes() for path in pages(site)} == first
    with pytest.raises(UserError, match="no site"):
        build.build([tmp_path / "run"], tmp_path / "run")


def test_names_of_runs_cannot_leave_the_folder(tmp_path):
    for number, name in enumerate(("../../etc", "../../etc", "")):
        frame = frames.make(n=6, run=name)
        runs.build(tmp_path / f"r{number}", frame, jain_wallace.Cell("d", "e", "a"))
    assert sorted(one.slug for one in run.read([tmp_path])) == ["etc", "etc--2", "r2"]


def test_two_hundred_runs_of_records_make_a_light_first_page(tmp_path):
    grids.many(tmp_path / "many")
    first = build.build([tmp_path / "many"], tmp_path / "site")
    read = Reader(first.read_text(encoding="utf-8"))
    assert len(read.all("tr")) == 201
    # The first view loads no data and no chart library: some hundred kilobytes from disk.
    assert read.values("src") == ["assets/core.js"]
    assert first.stat().st_size < 400_000


def test_figures_are_saved_as_files_for_a_paper(tmp_path):
    runs.build(tmp_path / "run", frames.make(n=20))
    saved = build.save_figures([tmp_path / "run"], tmp_path / "figures", "pdf")
    assert len(saved) == 10
    assert all(path.read_bytes().startswith(b"%PDF") for path in saved)
