"""Prepared corpora as TensorFlow Datasets builders of our own, read without TensorFlow.

What is stored is tokenised text, so that a second start neither parses nor tokenises: one field `text`
with the tokens, the question, the rationale's flags and the choices between tabs, each of them joined by
blanks (no token holds white space) and empty where there is none. TFDS spends its time on the number of
fields, so one for all four halves the time that preparation takes.
"""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from tensorflow_datasets.proto import tf_example_pb2

from attn_jax.data.division import SPLITS
from attn_jax.data.examples import TextExample
from attn_jax.data.preparation import Preparation
from attn_jax.errors import UserError

BLOCK = 1024  # records read at a time

# Made when the module is imported, so a type checker cannot know it.
Example: Any = tf_example_pb2.Example  # pyright: ignore[reportAttributeAccessIssue]


class PreparedCorpus(tfds.core.GeneratorBasedBuilder, skip_registration=True):
    """Writes the splits of one `Preparation` as array_record files, in the published order."""

    VERSION = tfds.core.Version("1.0.0")

    def __init__(self, *, preparation: Preparation, metadata: dict[str, Any], **kwargs):
        self._preparation = preparation
        self._stored = metadata
        super().__init__(file_format="array_record", **kwargs)

    def _info(self) -> tfds.core.DatasetInfo:
        features = {"id": tfds.features.Text(), "text": tfds.features.Text(), "label": np.int64}
        return tfds.core.DatasetInfo(
            builder=self,
            description=self._preparation.spec.title,
            features=tfds.features.FeaturesDict(features),
            metadata=tfds.core.MetadataDict(self._stored),
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager) -> dict[str, Any]:
        # A corpus may be published without one of the splits.
        used = [split for split in SPLITS if self._preparation.size(split)]
        return {split: self._generate_examples(split) for split in used}

    def _generate_examples(self, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
        number = -1
        for number, example in enumerate(self._preparation.examples(split)):
            yield number, pack(example)
        if number < 0:
            spec = self._preparation.spec
            raise UserError(
                f"{spec.name}: no instance of {split} is left after the filters; check the files."
            )


def write(preparation: Preparation, metadata: dict[str, Any], folder: Path) -> None:
    """Prepares the corpus into `folder`. TFDS's own messages are kept off the screen; we have a bar."""
    builder = PreparedCorpus(preparation=preparation, metadata=metadata, data_dir=folder)
    tfds.disable_progress_bar()
    with contextlib.redirect_stdout(io.StringIO()):
        builder.download_and_prepare()


def read(folder: Path) -> tuple[dict[str, tuple[TextExample, ...]], dict[str, Any]]:
    """(examples of each split, metadata) of a folder that `write` has filled."""
    try:
        builder = tfds.builder_from_directory(folder / PreparedCorpus.name / str(PreparedCorpus.VERSION))
        stored = [split for split in SPLITS if split in builder.info.splits]
        splits = {split: tuple(_examples(builder, split)) for split in stored}
        return {split: splits.get(split, ()) for split in SPLITS}, dict(builder.info.metadata or {})
    except Exception as error:
        # It was complete when it was renamed: whatever is wrong came later, and preparing anew mends it.
        raise UserError(
            f"{folder}: this prepared corpus is damaged; delete the folder and start again."
        ) from error


def _examples(builder: Any, split: str) -> Iterator[TextExample]:
    # TFDS's own decoder makes a NumPy array of every field: six times slower than the protocol buffer.
    method = tfds.decode.DeserializeMethod.RAW_BYTES
    source = builder.as_data_source(split, deserialize_method=method)
    share: dict[str, str] = {}
    for start in range(0, len(source), BLOCK):
        for record in source.__getitems__(range(start, min(start + BLOCK, len(source)))):
            yield unpack(Example.FromString(record), share)


def pack(example: TextExample) -> dict[str, Any]:
    """An example as a flat record."""
    fields = (
        " ".join(example.tokens),
        " ".join(example.question or ()),
        "".join("01"[mark] for mark in example.rationale or ()),
        " ".join(map(str, example.choices or ())),
    )
    return {"id": example.id, "text": "\t".join(fields), "label": example.label}


def unpack(record: Any, share: dict[str, str]) -> TextExample:
    """The inverse of `pack`. `share` keeps one copy of each word, which saves most of the memory."""
    stored = record.features.feature
    name, text = (stored[field].bytes_list.value[0].decode() for field in ("id", "text"))
    tokens, question, rationale, choices = text.split("\t")

    def words(joined: str) -> tuple[str, ...]:
        return tuple(share.setdefault(word, word) for word in joined.split(" "))

    return TextExample(
        name,
        words(tokens),
        stored["label"].int64_list.value[0],
        words(question) if question else None,
        tuple(mark == "1" for mark in rationale) if rationale else None,
        choices=tuple(map(int, choices.split(" "))) if choices else None,
    )
