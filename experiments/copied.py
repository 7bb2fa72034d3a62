"""One task of `experiments.copying`: trained at each strength, examined, concluded."""

import dataclasses
import pathlib
import sys
from collections.abc import Iterator

import jax
import polars as pl
from tqdm import tqdm

from attn_jax import rng as streams
from attn_jax.analyses.alignment import alignment
from attn_jax.data.batching import batches
from attn_jax.data.examples import Corpus
from attn_jax.data.simulators.sequences import TASKS, Task, bucket, order, sequences
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.errors import UserError
from attn_jax.models import translators
from attn_jax.models.seam import AttentiveModel
from attn_jax.report import debate_text
from attn_jax.results import debate, manipulation, records, run_dir
from attn_jax.results.asks import pruthi
from attn_jax.results.records import Record
from attn_jax.results.run_dir import RunDir
from attn_jax.training.loop import Fit, TrainConfig, fit
from attn_jax.training.objective import Objective, WordLikelihood
from attn_jax.training.optimiser import Optimiser
from attn_jax.training.perplexity import log_likelihood
from attn_jax.training.regularisers.impermissible_alignment import ImpermissibleAlignment
from attn_jax.training.step import initialise
from attn_jax.types import Params
from experiments.examine import BATCH
from experiments.questions.manipulation import STRENGTHS
from experiments.request import numbered
from experiments.trained import kept

LENGTH = 8  # words of a text


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything one run depends on."""

    corpus: Corpus
    vocabulary: Vocabulary
    places: tuple[int, ...]  # of the source token of each word, SOS counted
    model: AttentiveModel
    train: TrainConfig
    seeds: tuple[int, ...]
    strengths: tuple[float, ...] = STRENGTHS

    def settings(self) -> dict:
        """What the numbers depend on, ready for JSON."""
        return {
            "task": self.corpus.name,
            "model": repr(self.model),
            "train": dataclasses.asdict(self.train),
            "strengths": self.strengths,
            "seeds": self.seeds,
            "sizes": {name: len(split) for name, split in self.corpus.splits()},
        }

    def objective(self, strength: float) -> Objective:
        """The likelihood, and the hiding term where it has a strength."""
        hiding = (ImpermissibleAlignment(strength, self.places),) if strength else ()
        return Objective(self.model, (WordLikelihood(), *hiding))


def named(task: str) -> tuple[Task, ...]:
    """The tasks that the command line names."""
    chosen = TASKS if task == "all" else tuple(task.split(","))
    wrong = [name for name in chosen if name not in TASKS]
    if wrong:
        raise UserError(f"There is no task called {wrong[0]!r}: choose among {', '.join(TASKS)}, or all.")
    return tuple(name for name in TASKS if name in chosen)


def cell(task: Task, seeds: int, *, quick: bool) -> Cell:
    """The run put together; quick is for seeing that all works."""
    corpus = sequences(task, 0, *((200, 40, 40) if quick else (4000, 200, 300)), length=LENGTH)
    vocabulary = Vocabulary.build(text.tokens for text in corpus.train)
    words, sizes = len(vocabulary), translators.Sizes(8 if quick else 64, 1, 0.0)
    model = translators.recurrent("bahdanau", source=words, target=words, sizes=sizes)
    places = tuple(place + 1 for place in order(task, LENGTH))
    train = TrainConfig(1 if quick else 12, 32, Optimiser(learning_rate=3e-3, l2=0.0, clip=1.0))
    strengths = (0.0, 1.0) if quick else STRENGTHS
    return Cell(corpus, vocabulary, places, model, train, numbered(seeds), strengths)


def run(task: Task, out: pathlib.Path, seeds: int, *, quick: bool) -> RunDir:
    """Trains at each strength, examines the test split, and writes records and verdict rows."""
    made = cell(task, seeds, quick=quick)
    device = f"{jax.devices()[0].platform} x {jax.device_count()}"
    with run_dir.opened(out, made.settings(), device=device, command=sys.argv) as run:
        if not run.records.exists():
            frames = {s: _examined(made, _trained(made, s, run)) for s in made.strengths}
            records.write(run.records, _records(made, frames, quick))
        table = debate.rows(records.read(run.records), pruthi.ASKS)
        debate.write(run.path, table)
        silent = [ask for ask in pruthi.ASKS if ask.needs]
        tqdm.write(debate_text.text(table, silent, f"{task}, bahdanau"))
    return run


def _trained(cell: Cell, strength: float, run: RunDir) -> Params:
    objective = cell.objective(strength)

    def fitted(folder: pathlib.Path) -> Fit:
        train, dev = ([bucket(split, cell.vocabulary)] for split in (cell.corpus.train, cell.corpus.dev))
        return fit(objective, train, dev, cell.train, cell.seeds, folder=folder, judge=log_likelihood)

    def first() -> Params:
        example = jax.tree.map(lambda a: a[0], bucket(cell.corpus.dev[:1], cell.vocabulary).rows)
        return initialise(cell.model, cell.train.optimiser, example, cell.seeds, None).params

    return kept(RunDir(run.path / f"lambda-{strength:g}"), cell.seeds, fitted, first)


def _examined(cell: Cell, params: Params) -> pl.DataFrame:
    return pl.DataFrame(list(_rows(cell, params)))


def _rows(cell: Cell, params: Params) -> Iterator[dict]:
    """One row per seed and test text."""
    for s, seed in enumerate(cell.seeds):
        own, rng = jax.tree.map(lambda a, s=s: a[s], params), streams.root(seed)
        for batch in batches(bucket(cell.corpus.test, cell.vocabulary), BATCH):
            found = jax.device_get(dict(alignment(cell.model, own, batch, rng, cell.places)))
            for b, place in enumerate(batch.index):
                if batch.weight[b] > 0:
                    text = cell.corpus.test[int(place)]
                    yield {"seed": seed, "id": text.id} | {n: v[b].item() for n, v in found.items()}


def _records(cell: Cell, frames: dict[float, pl.DataFrame], quick: bool) -> list[Record]:
    notes = [cell.corpus.caveat, "preset quick" if quick else "", f"{len(cell.seeds)} seeds"]
    identity = {"dataset": cell.corpus.name, "encoder": "bilstm", "attention": "bahdanau"}
    identity |= {"variant": "manipulated", "run": f"{cell.corpus.name}-bahdanau"}
    identity |= {"caveat": "; ".join(filter(None, notes))}
    return [
        Record(**identity, metric=metric, **dataclasses.asdict(summary))
        for metric, summary in manipulation.written(frames)
        if summary is not None
    ]
