"""One corpus ready to be streamed, part by part, whether from the user's files or from TFDS."""

import dataclasses
import importlib
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from attn_jax.data.loaders.raw import RawExample, label_id
from attn_jax.data.specs.spec import Download, Part
from attn_jax.data.text import TextRules
from attn_jax.errors import UserError


@runtime_checkable
class Reader(Protocol):
    """The published parts of a corpus. May be read several times; each time from the start."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """Those that are there."""
        ...

    @property
    def rules(self) -> TextRules | None:
        """Rules that replace the spec's for this form of the text."""
        ...

    @property
    def caveat(self) -> str:
        """What this form lacks of the published corpus."""
        ...

    def read(self, part: Part) -> Iterator[RawExample]:
        """The instances of a part, in their published order."""
        ...


@dataclasses.dataclass(frozen=True)
class DownloadReader:
    """Reads what TFDS has downloaded."""

    download: Download
    builder: Any
    rules: TextRules | None = None
    caveat: str = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        """As TFDS splits it."""
        return tuple(self.download.parts)

    def read(self, part: Part) -> Iterator[RawExample]:
        """One instance a record; TFDS's own shuffle is fixed, so the order is too."""
        source = self.builder.as_data_source(self.download.parts[part])
        for number, row in enumerate(source):
            where = f"{self.download.name}, {part} record {number}"
            # Translations have no label at all.
            label = label_id(self.download.labels, str(int(row.get("label", 0))), where)
            if label is not None:
                text = " ".join(row[name].decode() for name in self.download.text)
                text2 = None if self.download.text2 is None else row[self.download.text2].decode()
                yield RawExample(f"{part}:{number}", text, label, text2, where=where)


def downloaded(download: Download) -> DownloadReader:
    """Lets TFDS download and prepare the corpus (once), in array_record so that TensorFlow is not needed."""
    import tensorflow_datasets as tfds

    try:
        if download.module:
            importlib.import_module(download.module)
        builder = tfds.builder(download.name, file_format="array_record")
        builder.download_and_prepare()
    except Exception as error:
        # Whatever goes wrong in there (network, checksums, a package it lacks), the way out is the same.
        reason = " ".join(str(error).split())[:200]
        raise UserError(
            f"TFDS could not provide {download.name} ({type(error).__name__}: {reason}); "
            "download the corpus yourself and pass its folder as --data-dir."
        ) from error
    return DownloadReader(download, builder)
