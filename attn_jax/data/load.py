"""`load`: the one way in. A name or a path goes in, a `Corpus` comes out."""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from attn_jax.data import cache, custom, specs
from attn_jax.data.examples import Corpus, TextExample
from attn_jax.data.loaders import folder as folders
from attn_jax.data.loaders.reader import Reader, downloaded
from attn_jax.data.preparation import Preparation
from attn_jax.data.simulators.babi import babi
from attn_jax.data.simulators.pronouns import pronouns
from attn_jax.data.simulators.reviews import reviews
from attn_jax.data.specs import DatasetSpec
from attn_jax.data.text import Tokeniser
from attn_jax.errors import UserError

EMBEDDED: dict[str, Callable[[int], Corpus]] = {
    "reviews": reviews,
    "pronouns": pronouns,
    "babi1": lambda seed: babi(1, seed),
    "babi2": lambda seed: babi(2, seed),
    "babi3": lambda seed: babi(3, seed),
}


def load(
    name: str,
    data_dir: Path | None = None,
    *,
    seed: int = 0,
    cache_dir: Path | None = None,
    preparation: specs.Preparation = "jain_wallace",
    tokeniser: Tokeniser | None = None,
) -> Corpus:
    """The corpus called `name`.

    Args:
        name: an embedded corpus (`reviews`, `pronouns`; `babi1` to `babi3` where there is no `data_dir`), a
            published one, or the path of your own `.jsonl`, `.csv` or `.tsv` file.
        data_dir: the folder of the published files, or the parent that holds one folder per corpus.
        seed: of the generated corpora; the splits of the others are fixed by their specs.
        cache_dir: where prepared corpora are kept, `~/.cache/attn_jax/data` if not given.
        preparation: whose: J&W's paper, their released code, T&S; J&W's with punctuation (`sentences`);
            or the text as it is (`raw`), for subword vocabularies.
        tokeniser: how to cut text into words, instead of the preparation's way.

    Raises:
        UserError: the name is unknown, files are missing, or something in them is wrong.
    """
    if name in EMBEDDED and (data_dir is None or name in specs.GENERATED):
        if tokeniser:
            raise UserError(f"{name} is generated word by word: there is no text for a tokeniser to cut.")
        return EMBEDDED[name](seed)
    spec = spec_of(name, preparation)
    if tokeniser:
        spec = specs.cut_by(tokeniser, spec)
    if name == specs.TRANSFER:
        parts = (
            load(part, data_dir, cache_dir=cache_dir, tokeniser=tokeniser) for part in ("snli", "multinli")
        )
        return _transfer(spec, *parts)
    corpus, _ = load_counted(name, spec, data_dir, cache_dir)
    if custom.is_file(name) and not all(split for _, split in corpus.splits()):
        raise UserError(f"{name}: too few rows to test and select on; add rows, or a split column.")
    return corpus


def spec_of(name: str, preparation: specs.Preparation = "jain_wallace") -> DatasetSpec:
    """Everything that is stated about the corpus: its kind, minimal count, adversary's epsilon, and so on."""
    if custom.is_file(name):
        own = custom.spec_of(Path(name))
        return specs.raw(own) if preparation == "raw" else own
    return specs.get(name, preparation)


def load_counted(
    name: str, spec: DatasetSpec, data_dir: Path | None, cache_dir: Path | None = None
) -> tuple[Corpus, dict[str, dict[str, int]]]:
    """(corpus, instances by published part and class) of one that is read from files, prepared once."""
    # TFDS takes a third of a second to import, and the embedded corpora do without it.
    from attn_jax.data import builders

    files, opened = _source(name, spec, data_dir)
    key = f"{spec.name.replace('/', '-')}-{cache.fingerprint(spec, files)}"

    def prepare(scratch: Path) -> None:
        with opened() as reader:
            plan = Preparation.survey(spec, reader)
            caveat = "; ".join(filter(None, (spec.caveat, reader.caveat)))
            builders.write(plan, {"caveat": caveat, "counts": plan.counts}, scratch)

    splits, stored = builders.read(cache.prepared((cache_dir or cache.default_dir()) / key, prepare))
    return Corpus(spec.name, spec.labels or _entities(splits), **splits, caveat=stored["caveat"]), stored[
        "counts"
    ]


def _source(
    name: str, spec: DatasetSpec, data_dir: Path | None
) -> tuple[list[Path], Callable[[], AbstractContextManager[Reader]]]:
    """The raw files, and how to open them: the user's own, those of a folder, or TFDS's."""
    download = spec.download
    if custom.is_file(name):
        layout = spec.layouts[0]
        found = folders.Found(layout, {part: [Path(name)] for part in layout.parts})
        return [Path(name)], lambda: contextlib.nullcontext(found)
    if data_dir is not None:
        folder = folders.corpus_folder(data_dir, spec)
        return folders.raw_files(folder), lambda: folders.opened(folder, spec)
    if download is None:
        raise UserError(f"{spec.name} needs --data-dir; {folders.expectation(spec)}.")
    return [], lambda: contextlib.nullcontext(downloaded(download))


def _transfer(spec: DatasetSpec, trained: Corpus, tested: Corpus) -> Corpus:
    """Trained and selected on one corpus, tested on another."""
    caveat = "; ".join(filter(None, (spec.caveat, trained.caveat)))
    return Corpus(spec.name, spec.labels, trained.train, trained.dev, tested.test, caveat)


def _entities(splits: dict[str, tuple[TextExample, ...]]) -> tuple[str, ...]:
    """CNN's classes: all entity numbers up to the highest that is seen."""
    highest = max(max(example.choices or (0,)) for split in splits.values() for example in split)
    return tuple(f"@entity{number}" for number in range(highest + 1))
