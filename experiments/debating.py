"""A debate from its first training to its verdict table, resumable test by test."""

import pathlib
import sys
from collections.abc import Sequence

import jax
from tqdm import tqdm

from attn_jax import programs
from attn_jax.errors import UserError
from attn_jax.models import presets
from attn_jax.report import debate_document, debate_page, debate_text, document
from attn_jax.results import asks, atomic, debate, records, run_dir
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir
from experiments import subject
from experiments.clock import Clock
from experiments.questions import TESTS
from experiments.questions.case import Case
from experiments.request import Request
from experiments.trained import trained


def named(tests: str) -> tuple[str, ...]:
    """The tests that the command line names, in the order of the debate."""
    chosen = tuple(TESTS) if tests == "all" else tuple(tests.split(","))
    wrong = [name for name in chosen if name not in TESTS]
    if wrong:
        raise UserError(f"There is no test called {wrong[0]!r}: choose among {', '.join(TESTS)}, or all.")
    return tuple(name for name in TESTS if name in chosen)


def run(request: Request, encoder: str, attention: str, tests: Sequence[str], out: pathlib.Path) -> RunDir:
    """Trains the model, asks each test that was not asked before, and writes the table after each."""
    presets.named("encoder", encoder, presets.ENCODERS)
    presets.named("attention", attention, presets.ATTENTIONS)
    found = subject.loaded(request)
    cell = subject.cell(found, encoder, attention)
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    with run_dir.opened(out, cell.settings(), device=device, command=sys.argv) as run:
        clock = Clock(run)
        with clock("train"):
            case = Case(found, cell, trained(cell, run), run)
        for name in tqdm(tests, desc="tests", unit="test"):
            if not _kept(run, name).exists():
                with clock(name):
                    records.write(_kept(run, name), TESTS[name](case))
            _gathered(run)
            programs.forget_if_many()
        tqdm.write(_concluded(run, cell.name, cell.corpus.labels))
        tqdm.write(f"The page: {run.path / 'debate.html'}")
    return run


def _kept(run: RunDir, test: str) -> pathlib.Path:
    """The records of one test: not called records.csv, or they would count twice."""
    return run.path / "tests" / f"{test}.csv"


def _over(run: RunDir) -> list[str]:
    """The tests that are over, those of earlier commands too."""
    return [name for name in TESTS if _kept(run, name).exists()]


def _gathered(run: RunDir) -> list[Record]:
    """Writes the records and the verdict rows of all tests that are over."""
    found = [record for name in _over(run) for record in records.read(_kept(run, name))]
    records.write(run.records, found)
    debate.write(run.path, debate.rows(found, asks.ALL))
    return found


def _concluded(run: RunDir, title: str, labels: Sequence[str]) -> str:
    """Writes the page and its Markdown; the verdict as text."""
    found = _gathered(run)
    table, silent = debate.rows(found, asks.ALL), debate.unanswered(found, asks.ALL, _over(run))
    debate_page.write(run.path, table, silent, found, labels)
    made = debate_document.document(table, silent, title)
    atomic.write_text(run.path / "debate.md", document.markdown(made))
    return debate_text.text(table, silent, title)
