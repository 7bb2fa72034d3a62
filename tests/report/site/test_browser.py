"""The site as people meet it: in a browser, from disk, without a network."""

import pathlib
import xml.etree.ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.report.site import build
from attn_jax.results import examples
from tests.models import families
from tests.report.site import grids
from tests.report.site.browser import DESKTOP, PHONE, chromium, tab

PAGES = {
    "index.html": "table.matrix",
    "compare.html": "#chart svg",
    "tables.html": ".grid .save",
    "claims.html": ".grid .save",
    "instances.html": "#detail .word",
    "what-if.html": ".slider",
    "about.html": ".equation",
    "runs/sst-bilstm-additive.html": "figure .drawing",
}
LARGE = ("tables.html", "claims.html")  # a few of their many tables stand for all


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.mark.parametrize("look", [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_every_page_renders_without_fault_and_without_serious_barriers(browser, grid_site, look):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    size, scheme = look
    with tab(browser, size=size, scheme=scheme) as opened:
        for name, ready in PAGES.items():
            page = opened.open(grid_site / name, ready)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} overflows"
            part = ".bar, header, section.grid:nth-of-type(-n+2)" if name in LARGE else None
            found = axe.run(page, context=part, options={"preload": False}).response["violations"]
            serious = [
                (v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")
            ]
            assert serious == [], name


def test_compare_filters_sorts_and_draws_small_multiples(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "compare.html", "#chart svg")
        assert page.locator("#rows tbody tr").count() == 12
        page.select_option("#dataset", "sst")
        page.wait_for_function("document.querySelectorAll('#rows tbody tr').length === 6")
        assert "imdb" not in page.inner_text("#rows")
        page.select_option("#metric", label="Kendall's τ, attention and gradient (ours)")
        page.select_option("#sort", "value")
        page.wait_for_function("document.querySelector('#count').textContent.startsWith('6 of 12')")
        values = [float(text) for text in page.locator("#rows tbody td:nth-child(2)").all_inner_texts()]
        assert values == sorted(values, reverse=True)
        page.select_option("#what", "figure")
        page.wait_for_selector("#multiples figure svg")
        assert page.locator("#multiples figure").count() == 6


def test_published_figures_stand_beside_ours(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "compare.html", "#chart svg")
        page.select_option("#metric", label="Kendall's τ, attention and gradient (Jain & Wallace (2019))")
        page.select_option("#encoder", "bilstm")
        row = page.locator("#rows tbody tr", has_text="sst · bilstm · additive, class 0")
        assert "0.400" in row.inner_text()  # what Table 2 prints


def test_instances_are_filtered_by_text_class_and_number(browser, grid_site, grid_runs):
    frame = examples.read(grid_runs / "sst-cnn-dot" / "examples.parquet").to_dicts()
    wrong = [row for row in frame if row["gold"] != row["prediction"]]
    short = [row for row in frame if row["length"] <= 12 and "film" in row["tokens"]]
    assert 0 < len(wrong) < len(frame)
    assert 0 < len(short) < len(frame)
    with tab(browser) as opened:
        page = opened.open(grid_site / "instances.html", "#detail .word", "#run=sst-cnn-dot")
        page.select_option("#correct", "0")
        assert page.inner_text("#count").startswith(f"{len(wrong)} of {len(frame)}")
        page.select_option("#correct", "")
        page.fill("#text", "FILM")
        page.fill("#length-high", "12")
        assert page.inner_text("#count").startswith(f"{len(short)} of {len(frame)}")
        assert page.locator("#list button").count() == len(short)
        page.locator("#list button").last.click()
        page.wait_for_function(
            "name => document.querySelector('#detail h2').textContent === name", arg=short[-1]["id"]
        )
        assert (
            page.locator("#detail .line").count() == 8
        )  # attention, two adversaries, four scores, each alone


def test_translation_has_a_matrix_a_layer_and_head(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "instances.html", ".alignment", "#run=mt")
        assert page.locator(".alignment tbody td").count() == len(grids.SOURCE) * len(grids.TARGET)
        before = page.locator(".alignment tbody").inner_text()
        page.select_option("#head", "2")
        assert page.locator(".alignment tbody").inner_text() != before
        page.select_option("#site", label="dec/1/cross")
        rows = page.locator(".alignment tbody tr").all()
        sums = [sum(map(float, row.locator("td").all_text_contents())) for row in rows]
        np.testing.assert_allclose(sums, 1, atol=2e-3)


def test_dragging_a_weight_shows_what_the_decoder_gives(browser, grid_site, grid_runs):
    row = examples.read(grid_runs / "sst-bilstm-dot" / "examples.parquet").row(0, named=True)
    alpha, logits = np.array(row["alpha"], float), np.array(row["token_logits"], float)
    with tab(browser) as opened:
        page = opened.open(grid_site / "what-if.html", ".slider", "#run=sst-bilstm-dot")
        assert shown(page) == pytest.approx(probability(alpha, logits), abs=1e-4)
        slider = page.locator("#sliders input").nth(2)
        box = slider.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 8)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3, steps=4)
        page.mouse.up()
        place, weight = int(slider.get_attribute("data-token")), float(slider.input_value())
        assert 0.4 < weight < 0.9
        moved = np.where(np.arange(len(alpha)) == place, 0, alpha)
        moved = moved / moved.sum() * (1 - weight)
        moved[place] = weight
        assert shown(page) == pytest.approx(probability(moved, logits), abs=1e-4)
        assert shown(page) != pytest.approx(probability(alpha, logits), abs=1e-3)
        page.click("#uniform")
        mask = np.array(row["mask"], float)
        assert shown(page) == pytest.approx(probability(mask / mask.sum(), logits), abs=1e-4)
        page.click("#adversarial")
        exact = np.array(row["score/exact_alpha"], float)
        assert shown(page) == pytest.approx(probability(exact, logits), abs=1e-4)
        page.click("#own")
        slider.press("ArrowUp")
        assert float(slider.input_value()) == pytest.approx(alpha[place] + 0.02, abs=1e-5)


def test_other_weights_give_what_the_models_decode_gives(browser, tmp_path):
    model, batch = families.MODELS["bilstm-additive"], families.batch()
    params = families.params_of(model)
    seen = observe(model, params, batch, streams.root(0))
    site = build.build([grids.seen(tmp_path / "run", seen)], tmp_path / "site").parent
    encoded = jax.tree.map(lambda a: a[3], seen.encoded)
    with tab(browser) as opened:
        page = opened.open(site / "what-if.html", ".slider", "#run=seen&id=test-3&seed=0")
        for button in ("own", "uniform", "permute", "permute"):
            page.click(f"#{button}")
            page.locator("#sliders input").nth(1).press("ArrowUp")
            alpha = np.zeros(seen.alpha.shape[1], np.float32)
            for slider in page.locator("#sliders input").all():
                alpha[int(slider.get_attribute("data-token"))] = float(slider.input_value())
            logits = model.decode(params, encoded, jnp.asarray(alpha))
            assert shown(page) == pytest.approx(float(jax.nn.sigmoid(logits[0])), abs=1e-4)


def shown(page) -> float:
    """The probability of class 1 on the page."""
    return float(page.get_attribute("#outputs output[data-class='1']", "data-value"))


def probability(alpha, logits) -> float:
    """One logit, class 1 against 0."""
    return float(1 / (1 + np.exp(-(alpha @ logits)[0])))


def test_saved_figures_are_files_of_their_kind(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "runs" / "sst-cnn-additive.html", "figure .drawing")
        page.locator("figure").first.scroll_into_view_if_needed()
        page.wait_for_selector("figure svg")
        for form in ("SVG", "PNG"):
            with page.expect_download() as waiting:
                page.locator("figure").first.get_by_role("button", name=f"Save {form}").click()
            saved = pathlib.Path(waiting.value.path()).read_bytes()
            assert waiting.value.suggested_filename.endswith(form.lower())
            if form == "PNG":
                assert saved.startswith(b"\x89PNG")
            else:
                root = xml.etree.ElementTree.fromstring(saved)
                assert root.tag.endswith("svg")
                assert b"currentColor" not in saved
                assert b"Kendall" in saved


def test_tables_are_copied_as_latex_csv_and_markdown(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "tables.html", ".grid .save")
        made = {
            form: page.evaluate(
                "form => attn.copies.forms[form](document.querySelectorAll('section.grid table')[2])", form
            )
            for form in ("LaTeX", "CSV", "Markdown")
        }
        rows = {form: text.strip().splitlines() for form, text in made.items()}
        count = page.locator("section.grid").nth(2).locator("tbody tr:not(.absent)").count()
        assert count > 0
        assert len(rows["CSV"]) == count + 1
        assert len(rows["Markdown"]) == count + 2
        assert len(rows["LaTeX"]) == count + 6
        assert rows["LaTeX"][0].startswith(r"\begin{tabular}{")
        page.check("#absent")
        assert page.locator("tr.absent").first.is_visible()


def test_hostile_text_is_shown_as_text_and_runs_nothing(browser, hostile_site):
    with tab(browser, size=PHONE) as opened:
        for name in ("index.html", "compare.html", "tables.html", "runs/hostile.html"):
            opened.open(hostile_site / name)
        page = opened.open(hostile_site / "instances.html", "#detail .word", "#run=hostile")
        text = page.inner_text("#detail")
        assert all(word in text for word in grids.HOSTILE if word.isprintable())
        assert page.locator("#detail :is(script, img)").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page = opened.open(hostile_site / "what-if.html", ".slider", "#run=hostile")
        assert page.evaluate("window.hacked === undefined && ({}).hacked === undefined")


def test_four_thousand_words_are_shown_when_asked_for(browser, hostile_site):
    with tab(browser) as opened:
        page = opened.open(hostile_site / "instances.html", "#detail .word", "#run=long")
        few = page.locator("#detail .line").first.locator(".word").count()
        page.get_by_role("button", name="Show all 4,000 words").click()
        assert few < page.locator("#detail .line").first.locator(".word").count() == 4000
        page = opened.open(hostile_site / "what-if.html", ".slider", "#run=long")
        assert "120 words of most weight" in page.inner_text("#left-out")


def test_a_decoder_that_is_not_affine_is_said_to_be_absent(browser, hostile_site):
    with tab(browser) as opened:
        page = opened.open(hostile_site / "what-if.html", "#absent:not(:empty)", "#run=bare")
        assert "not affine" in page.inner_text("#absent")
        assert not page.is_visible("#bench")


def test_the_theme_is_chosen_and_kept(browser, grid_site):
    with tab(browser) as opened:
        page = opened.open(grid_site / "index.html")
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name="Switch to dark").click()
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark != light
        page = opened.open(grid_site / "about.html")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


@pytest.mark.slow  # a time limit: other work on the machine would decide it
def test_the_first_view_of_two_hundred_runs_takes_less_than_two_seconds(browser, tmp_path):
    site = build.build([grids.many(tmp_path / "many")], tmp_path / "site").parent
    with tab(browser) as opened:
        page = opened.open(site / "index.html", "table.matrix")
        painted = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        assert page.evaluate(painted) < 2000
        assert page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") < 2000
        assert page.locator("table.matrix tbody tr").count() == 200
