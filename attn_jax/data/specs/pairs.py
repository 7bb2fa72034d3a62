"""Corpora with two sequences: bAbI and CNN (passage, question), SNLI and MultiNLI (premise, hypothesis)."""

import dataclasses

from attn_jax.data.loaders.babi import Babi
from attn_jax.data.loaders.cnn import Cnn
from attn_jax.data.loaders.jsonlines import JsonLines
from attn_jax.data.loaders.table import Table
from attn_jax.data.simulators.babi_world import PLACES
from attn_jax.data.specs.spec import DatasetSpec, Download, Layout, Source, Splits
from attn_jax.data.text import TextRules

NLI = ("neutral", "contradiction", "entailment")
NLI_IDS = {"neutral": 0, "contradiction": 1, "entailment": 2, "-": None}
NLI_JSON = JsonLines("sentence1", "gold_label", "sentence2", "pairID")
# TFDS: 0 entailment, 1 neutral, 2 contradiction, -1 none.
NLI_TFDS = {"0": 2, "1": 0, "2": 1, "-1": None}

SNLI = DatasetSpec(
    name="snli",
    title="SNLI",
    kind="pair",
    labels=NLI,
    published="https://nlp.stanford.edu/projects/snli (snli_1.0.zip)",
    layouts=(
        Layout.uniform(
            NLI_JSON,
            {
                "train": ("snli_1.0_train.jsonl",),
                "dev": ("snli_1.0_dev.jsonl",),
                "test": ("snli_1.0_test.jsonl",),
            },
            NLI_IDS,
        ),
        Layout(
            {
                "train": Source(NLI_JSON, ("snli_1.0_train_100k.jsonl",), NLI_IDS),
                "dev": Source(
                    Table("label", ("premise",), "hypothesis", delimiter="\t", quoted=False),
                    ("snli_dev_tokenised.tsv",),
                    NLI_IDS,
                ),
                "test": Source(NLI_JSON, ("snli_1.0_test.jsonl",), NLI_IDS),
            },
            caveat="100k subset",
        ),
    ),
    min_count=3,
    batch_size=128,
    epochs=25,
    download=Download(
        "snli",
        {"train": "train", "dev": "validation", "test": "test"},
        NLI_TFDS,
        ("premise",),
        "hypothesis",
    ),
)

MULTINLI = DatasetSpec(
    name="multinli",
    title="MultiNLI",
    kind="pair",
    labels=NLI,
    published="https://cims.nyu.edu/~sbowman/multinli (multinli_1.0.zip)",
    layouts=(
        # The labels of the test part are not public: the matched dev part is tested on.
        Layout.uniform(
            NLI_JSON,
            {"train": ("multinli_1.0_train.jsonl",), "test": ("multinli_1.0_dev_matched.jsonl",)},
            NLI_IDS,
        ),
        Layout.uniform(
            Table("gold_label", ("premise",), "hypothesis", delimiter="\t", quoted=False),
            {"test": ("mnli_dev_matched_hans.tsv",)},
            NLI_IDS,
            caveat="matched dev part only, nothing to train on",
        ),
    ),
    min_count=3,
    splits=Splits(dev_share=0.05),
    batch_size=128,
    epochs=25,
    folders=("mnli",),
    download=Download(
        "multi_nli",
        {"train": "train", "test": "validation_matched"},
        NLI_TFDS,
        ("premise",),
        "hypothesis",
        module="tensorflow_datasets.text.multi_nli",
    ),
)

# Where there is no MultiNLI to train on; never joins a published cell of MultiNLI.
MULTINLI_FROM_SNLI = dataclasses.replace(
    SNLI,
    name="multinli_from_snli",
    title="trained on SNLI, tested on MultiNLI",
    caveat="trained on SNLI, tested on MultiNLI's matched dev part",
)


def _babi(task: int, facts: str, *others: Layout) -> DatasetSpec:
    name = f"qa{task}_{facts}"
    return DatasetSpec(
        name=f"babi{task}",
        title=f"bAbI task {task}",
        kind="pair",
        labels=PLACES,
        published="https://research.facebook.com/downloads/babi (tasks_1-20_v1-2.tar.gz, en-10k)",
        layouts=(
            Layout.uniform(
                Babi(),
                {
                    "train": (f"en-10k/{name}_train.txt|{name}_train.txt",),
                    "test": (f"en-10k/{name}_test.txt|{name}_test.txt",),
                },
                BABI_IDS,
            ),
            *others,
        ),
        rules=TextRules(tokeniser="words"),
        splits=Splits(dev_share=0.15),
        epsilon=0.05,
        batch_size=50,
        epochs=100,
        folders=("babi",),
    )


BABI_IDS = {place: i for i, place in enumerate(PLACES)}
BABI1 = _babi(1, "single-supporting-fact")
BABI2 = _babi(2, "two-supporting-facts")
BABI3 = dataclasses.replace(
    _babi(
        3,
        "three-supporting-facts",
        Layout.uniform(
            Babi(),
            {
                "train": ("qa3_en-1k_train.txt", "qa3_en-valid-10k_valid.txt"),
                "test": ("qa3_three-supporting-facts_test.txt",),
            },
            BABI_IDS,
            caveat="2,000 of 10,000 train questions",
        ),
    ),
    drop_leaks=True,
)

CNN = DatasetSpec(
    name="cnn",
    title="CNN reading comprehension",
    kind="pair",
    labels=(),
    published="https://cs.nyu.edu/~kcho/DMQA (cnn.tgz)",
    layouts=(
        Layout.uniform(
            Cnn(),
            {
                "train": ("questions/training/*.question",),
                "dev": ("questions/validation/*.question",),
                "test": ("questions/test/*.question",),
            },
            {},
        ),
    ),
    # The passages are published tokenised; an entity's number is its name, never `qqq`.
    rules=TextRules(tokeniser="whitespace", qqq_except="@entity"),
    min_count=8,
    epsilon=0.05,
    batch_size=90,
    epochs=25,
)
