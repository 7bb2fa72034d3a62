"""`load`: the one way in. A name or a path goes in, a `Corpus` comes out."""

from pathlib import Path
from typing import Any

from attn_jax.data import cache, specs
from attn_jax.data.examples import Corpus
from attn_jax.data.loaders import folder as folders
from attn_jax.data.loaders.reader import FolderReader, Reader, downloaded
from attn_jax.data.preparation import Preparation
from attn_jax.data.simulators.babi import babi
from attn_jax.data.simulators.reviews import reviews
from attn_jax.data.specs import DatasetSpec
from attn_jax.errors import UserError

EMBEDDED = {
    "reviews": reviews,
    "babi1": lambda seed: babi(1, seed),
    "babi2": lambda seed: babi(2, seed),
    "babi3": lambda seed: babi(3, seed),
}


def names() -> list[str]:
    """Every name that `load` knows."""
    return sorted({*EMBEDDED, *specs.PUBLISHED})


def load(
    name: str,
    data_dir: Path | None = None,
    *,
    seed: int = 0,
    cache_dir: Path | None = None,
    preparation: specs.Preparation = "jain_wallace",
) -> Corpus:
    """The corpus called `name`.

    Args:
        name: an embedded corpus (`reviews`; `babi1` to `babi3` where there is no `data_dir`), or a
            published one.
        data_dir: the folder of the published files, or the parent that holds one folder per corpus.
        seed: of the generated corpora; the splits of published ones are fixed by their specs.
        cache_dir: where prepared corpora are kept, `~/.cache/attn_jax/data` if not given.
        preparation: whose: J&W's paper, their released code, or T&S.
    """
    if name in EMBEDDED and (data_dir is None or name == "reviews"):
        return EMBEDDED[name](seed)
    if name not in specs.PUBLISHED:
        raise UserError(f"unknown dataset {name!r}; choose one of {', '.join(names())}.")
    return load_published(specs.get(name, preparation), data_dir, cache_dir)[0]


def load_published(
    spec: DatasetSpec, data_dir: Path | None, cache_dir: Path | None = None
) -> tuple[Corpus, dict[str, Any]]:
    """(corpus, what was counted on the way) of a published corpus, prepared once and then cached."""
    # TFDS is not needed before this point, and takes a third of a second to import.
    from attn_jax.data import builders

    folder = None if data_dir is None else folders.corpus_folder(data_dir, spec)
    if folder is None and spec.download is None:
        raise UserError(f"{spec.name} needs --data-dir; {folders.expectation(spec)}.")
    directory = (cache_dir or cache.default_dir()) / f"{spec.name}-{cache.fingerprint(spec, folder)}"

    def prepare(scratch: Path) -> None:
        if folder is None:
            assert spec.download  # checked above
            _write(spec, downloaded(spec.download), scratch)
            return
        with folders.opened(folder, spec) as found:
            _write(spec, FolderReader(found), scratch)

    splits, metadata = builders.read(cache.prepared(directory, prepare))
    labels = tuple(metadata["labels"])
    return Corpus(spec.name, labels, **splits, caveat=metadata["caveat"]), metadata


def _write(spec: DatasetSpec, reader: Reader, scratch: Path) -> None:
    from attn_jax.data import builders

    preparation = Preparation.survey(spec, reader)
    caveat = "; ".join(filter(None, (spec.caveat, reader.caveat)))
    metadata = {"labels": list(spec.labels), "caveat": caveat, "counts": preparation.counts}
    builders.write(preparation, metadata, scratch)
