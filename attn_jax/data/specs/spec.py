"""What a spec states: every step from the published files to the examples, none hidden in code."""

import dataclasses
from collections.abc import Mapping
from typing import Literal

from attn_jax.data.loaders.raw import LabelIds, Loader
from attn_jax.data.text import TextRules

Kind = Literal["single", "pair", "translation"]
Part = str  # "train", "dev" or "test"


@dataclasses.dataclass(frozen=True)
class Source:
    """Where one part is and who reads it.

    A file pattern is matched against the end of a file's path, without `.gz`, inside archives too;
    `a|b` means either, each pattern must be found, and all its matches are read in order.
    """

    loader: Loader
    patterns: tuple[str, ...]
    labels: LabelIds


@dataclasses.dataclass(frozen=True)
class Layout:
    """One form in which a corpus is published."""

    parts: Mapping[Part, Source]
    rules: TextRules | None = None  # where this form's text differs from the spec's, tokenised already say
    caveat: str = ""

    @classmethod
    def uniform(
        cls,
        loader: Loader,
        files: Mapping[Part, tuple[str, ...]],
        labels: LabelIds,
        rules: TextRules | None = None,
        caveat: str = "",
    ) -> "Layout":
        """All parts in one format."""
        sources = {part: Source(loader, patterns, labels) for part, patterns in files.items()}
        return cls(sources, rules, caveat)


@dataclasses.dataclass(frozen=True)
class Download:
    """The corpus as TensorFlow Datasets publishes it; `module` must be imported first to register it."""

    name: str
    parts: Mapping[Part, str]
    labels: LabelIds
    text: tuple[str, ...]
    text2: str | None = None
    module: str | None = None


@dataclasses.dataclass(frozen=True)
class Splits:
    """How the three splits come out of the published parts. Shares are drawn with `seed`.

    Drawn before the length filter, as the papers do; `stratified` draws class by class.
    """

    pool: bool = False  # ignore the published parts and draw anew from all of them
    test_share: float = 0.2  # where no test part is published
    dev_share: float = 0.15  # of train, where no dev part is published
    test_sample: float = 1.0  # the share of the published test part that is kept
    stratified: bool = False
    seed: int = 0


_RULES, _SPLITS = TextRules(), Splits()


@dataclasses.dataclass(frozen=True)
class DatasetSpec:
    """One corpus under one preparation."""

    name: str
    title: str
    kind: Kind
    labels: tuple[str, ...]  # names by id; () where the corpus decides (CNN's entities)
    published: str  # where to get it
    layouts: tuple[Layout, ...]  # the first whose files are all there is read
    rules: TextRules = _RULES
    longer_than: int = 0  # tokens, both bounds exclusive
    shorter_than: int | None = None
    min_count: int = 1
    splits: Splits = _SPLITS
    drop_leaks: bool = False  # drop train instances that occur in dev or test, dev ones that occur in test
    counted_before_filter: bool = False  # J&W's Table 1 counts train so on IMDB
    attend_ends: bool = False  # may attention look at SOS and EOS?
    epsilon: float = 0.01  # the adversary's allowance
    batch_size: int = 32
    epochs: int = 8
    folders: tuple[str, ...] = ()  # other names of the corpus's folder
    download: Download | None = None
    caveat: str = ""

    def keeps(self, length: int) -> bool:
        """Whether an instance of so many tokens stays."""
        return self.longer_than < length and (self.shorter_than is None or length < self.shorter_than)
