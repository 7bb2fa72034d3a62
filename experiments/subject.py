"""Whose attention is on trial: a cell put together from names, at the paper's or the released settings."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_jax.analyses.adversary import Search
from attn_jax.analyses.trial import Trial
from attn_jax.data import specs, vectors
from attn_jax.data.batching import COARSE_LADDER, LADDER
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.load import load, spec_of
from attn_jax.data.specs import DatasetSpec
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.models import presets
from attn_jax.models.precision import Bfloat16
from attn_jax.models.seam import AttentiveModel
from attn_jax.results import jain_wallace
from attn_jax.training.loop import TrainConfig
from attn_jax.training.objective import Likelihood, Objective
from attn_jax.training.optimiser import PAPER, RELEASED, RELEASED_PAIR, Optimiser, PartlyFrozen
from experiments.cell import Cell
from experiments.probe import Probe
from experiments.request import Request

FILLER = "<nothing>"
FILLING = (*[FILLER] * 9, ".")  # of a document: a sentence


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A data set ready for any encoder and attention."""

    request: Request
    spec: DatasetSpec
    corpus: Corpus
    vocabulary: Vocabulary
    table: np.ndarray | None
    known: float | None = None  # the share of the table that is the file's

    @property
    def task(self) -> jain_wallace.Task:
        """How the paper scores it."""
        if self.spec.kind == "single":
            return "classification"
        return "nli" if "nli" in self.spec.name else "qa"

    @property
    def epochs(self) -> int:
        """How long to train: as asked, or as the paper does, or three for a quick look."""
        usual = min(self.spec.epochs, 3) if self.request.preset == "quick" else self.spec.epochs
        return self.request.epochs or usual


def loaded(request: Request, preparation: specs.Preparation | None = None) -> Loaded:
    """Reads the corpus, its vocabulary from the train split, and the word vectors.

    The preparation is J&W's, as the request's settings say, unless another paper's is named.
    """
    preparation = preparation or ("jain_wallace" if request.settings == "paper" else "released")
    spec = spec_of(request.dataset, preparation)
    corpus = load(
        request.dataset, request.data_dir, preparation=preparation, tokeniser=request.probe.tokeniser
    )
    corpus = limited(corpus, request)
    if request.probe.fill:
        corpus = _filled(corpus, request.probe.fill, FILLING if preparation == "sentences" else (FILLER,))
    return of_corpus(request, spec, corpus)


def of_corpus(request: Request, spec: DatasetSpec, corpus: Corpus) -> Loaded:
    """A corpus with its vocabulary from the train split, and the word vectors."""
    train = corpus.train
    texts = [*(example.tokens for example in train), *(example.question or () for example in train)]
    vocabulary = Vocabulary.build(texts, spec.min_count)
    return Loaded(request, spec, corpus, vocabulary, *_table(request, vocabulary))


def cell(found: Loaded, encoder: str, attention: str) -> Cell:
    """One run: this data set under that encoder and attention."""
    request, quick = found.request, found.request.preset == "quick"
    released = request.settings == "released"
    code = RELEASED_PAIR if found.corpus.paired else RELEASED
    key = jain_wallace.Cell(
        found.corpus.name,  # simulated and own corpora have names that no published cell bears
        encoder,
        attention,
        found.task,
        request.variant,
        caveat(found),
    )
    return Cell(
        key,
        found.corpus,
        found.vocabulary,
        Objective(_model(found, encoder, attention), (_likelihood(found),)),
        training(found, code if released else PAPER),
        Trial(found.spec.epsilon, search=Search(steps=100 if quick else 500, released=released)),
        tuple(range(request.seeds)),
        found.table,
        request.limit,
        COARSE_LADDER if quick else LADDER,
    )


def training(found: Loaded, usual: Optimiser) -> TrainConfig:
    """As the data set is trained with this optimiser, and what the request's probe changes in it."""
    probe = found.request.probe
    return TrainConfig(found.epochs, found.spec.batch_size, _tried(usual, probe), probe.last)


def _tried(usual: Optimiser, probe: Probe) -> Optimiser:
    if probe.l2 is not None:
        usual = dataclasses.replace(usual, l2=probe.l2)
    if probe.frozen and not isinstance(usual, PartlyFrozen):
        usual = PartlyFrozen(**dataclasses.asdict(usual))
    return usual


def _model(found: Loaded, encoder: str, attention: str) -> AttentiveModel:
    model = _wide(found, encoder, attention)
    return halved(model) if found.request.precision == "bfloat16" else model


def halved(model: AttentiveModel) -> AttentiveModel:
    """The model whose encoders compute in bfloat16."""
    fields = [name for name in ("encoder", "question_encoder") if hasattr(model, name)]
    changed: dict[str, Any] = {name: Bfloat16(getattr(model, name)) for name in fields}
    return model.clone(**changed)


def _wide(found: Loaded, encoder: str, attention: str) -> AttentiveModel:
    released = found.request.settings == "released"
    if found.spec.name.startswith("babi"):
        sizes = presets.RELEASED_BABI if released else presets.BABI
    else:
        sizes = presets.RELEASED if released else presets.PAPER
    if found.table is not None:
        sizes = dataclasses.replace(sizes, embedding=found.table.shape[1])
    words, classes = len(found.vocabulary), len(found.corpus.labels)
    if found.corpus.paired:
        return presets.pair(encoder, attention, words=words, classes=classes, sizes=sizes, released=released)
    return presets.classifier(encoder, attention, words=words, classes=classes, sizes=sizes)


def _likelihood(found: Loaded) -> Likelihood:
    """Unweighted in the paper; the released code weighs the positive class by N/N+ - 1."""
    if found.request.settings == "paper" or len(found.corpus.labels) != 2:
        return Likelihood()
    positive = sum(example.label == 1 for example in found.corpus.train)
    return Likelihood(len(found.corpus.train) / positive - 1)


def _table(request: Request, vocabulary: Vocabulary) -> tuple[np.ndarray | None, float | None]:
    """Published vectors [V, E] and the share of the words that have one.

    NaN where the file has none, so that each seed draws its own; a probe has one table for all seeds.
    """
    if request.vectors is None:
        return None, None
    found = vectors.read(request.vectors, vocabulary.words, 0)
    share = float(found.known.mean())
    if request.probe.unknown:
        return found.alike() if request.probe.alike else found.blank(), share
    return np.where(found.known[:, None], found.table, np.nan).astype(np.float32), share


def limited(corpus: Corpus, request: Request) -> Corpus:
    """As much of the corpus as is asked for; its caveat says so."""
    if request.preset == "quick":
        return _shortened(corpus)
    if request.train_limit and request.train_limit < len(corpus.train):
        return _partly_trained(corpus, request.train_limit)
    return corpus


def _filled(corpus: Corpus, length: int, filling: tuple[str, ...]) -> Corpus:
    """Short texts with words for nothing behind them: what a model reads whose code masks no padding."""

    def filled(text: TextExample) -> TextExample:
        missing = max(0, length - len(text.tokens))
        nothing = itertools.islice(itertools.cycle(filling), missing)
        return dataclasses.replace(text, tokens=(*text.tokens, *nothing), rationale=None, given=None)

    parts = {name: tuple(map(filled, split)) for name, split in corpus.splits()}
    return dataclasses.replace(corpus, **parts, caveat=_joined([corpus.caveat, f"filled to {length} words"]))


def _shortened(corpus: Corpus, train: int = 1000, other: int = 100) -> Corpus:
    """A random part of each split, the same in every run: files may be sorted by class."""
    sizes, rng = {"train": train, "dev": other, "test": other}, np.random.default_rng(0)
    parts = {
        name: tuple(split[i] for i in sorted(rng.permutation(len(split))[: sizes[name]]))
        for name, split in corpus.splits()
    }
    caveat = (
        f"preset quick: {len(parts['train'])} train and {len(parts['test'])} test instances, fewer epochs"
    )
    return dataclasses.replace(corpus, **parts, caveat=_joined([corpus.caveat, caveat]))


def _partly_trained(corpus: Corpus, limit: int) -> Corpus:
    """Trained on a random part, the same in every run; what is judged is judged whole."""
    places = sorted(np.random.default_rng(0).permutation(len(corpus.train))[:limit])
    caveat = f"trained on a part: {limit:,} of {len(corpus.train):,} instances"
    train = tuple(corpus.train[i] for i in places)
    return dataclasses.replace(corpus, train=train, caveat=_joined([corpus.caveat, caveat]))


def caveat(found: Loaded) -> str:
    """What differs from the published set-up, for every record of this data set."""
    request, notes = found.request, [found.corpus.caveat]
    notes += request.probe.notes
    if request.precision != "float32":
        notes.append(f"encoders in {request.precision}")
    if request.seeds < 3:
        notes.append(f"{request.seeds} seed{'s' if request.seeds > 1 else ''}")
    if request.epochs and request.epochs != found.spec.epochs:
        notes.append(f"{request.epochs} epochs instead of {found.spec.epochs}")
    if request.limit and request.limit < len(found.corpus.test):
        notes.append(f"attention on trial for {request.limit} of {len(found.corpus.test)} test instances")
    if found.table is None and found.spec.name not in ("reviews", "babi1", "babi2", "babi3"):
        notes.append("word vectors drawn, not pretrained")
    elif request.vectors is not None:
        others = f", the others are {request.probe.unknown}" if request.probe.unknown else ""
        notes.append(f"vectors {request.vectors.name} cover {found.known:.0%} of the words{others}")
    return _joined(notes)


def _joined(notes: Sequence[str]) -> str:
    return "; ".join(note for note in notes if note)
