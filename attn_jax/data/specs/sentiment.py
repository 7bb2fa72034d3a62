"""Sentiment corpora: SST, IMDB, Yelp, and the ERASER movie reviews with their human rationales."""

from attn_jax.data.loaders.documents import Documents
from attn_jax.data.loaders.eraser import Eraser
from attn_jax.data.loaders.jsonlines import JsonLines
from attn_jax.data.loaders.labelled_lines import LabelledLines
from attn_jax.data.loaders.table import Table
from attn_jax.data.loaders.trees import Trees
from attn_jax.data.specs.spec import DatasetSpec, Download, Layout, Splits
from attn_jax.data.text import TextRules

POLARITY = ("negative", "positive")
BINARY = {"0": 0, "1": 1}

SST = DatasetSpec(
    name="sst",
    title="Stanford Sentiment Treebank",
    kind="single",
    labels=POLARITY,
    published="https://nlp.stanford.edu/sentiment (trainDevTestTrees_PTB.zip)",
    layouts=(
        Layout.uniform(
            Trees(),
            {
                "train": ("trees_train.txt|trees/train.txt",),
                "dev": ("trees_dev.txt|trees/dev.txt",),
                "test": ("trees_test.txt|trees/test.txt",),
            },
            {"0": 0, "1": 0, "2": None, "3": 1, "4": 1},
        ),
        Layout.uniform(
            LabelledLines(),
            {"train": ("stsa.binary.train",), "dev": ("stsa.binary.dev",), "test": ("stsa.binary.test",)},
            BINARY,
        ),
    ),
    # J&W's own text of SST has no punctuation; only so do their class sizes come out.
    rules=TextRules(tokeniser="alphanumeric"),
    longer_than=5,
)

IMDB = DatasetSpec(
    name="imdb",
    title="IMDB Large Movie Reviews",
    kind="single",
    labels=POLARITY,
    published="https://ai.stanford.edu/~amaas/data/sentiment (aclImdb_v1.tar.gz)",
    layouts=(
        Layout.uniform(JsonLines(id="id"), {"train": ("train.jsonl",), "test": ("test.jsonl",)}, BINARY),
        Layout.uniform(
            Documents(),
            {
                "train": ("train/neg/*.txt", "train/pos/*.txt"),
                "test": ("test/neg/*.txt", "test/pos/*.txt"),
            },
            {"neg": 0, "pos": 1},
        ),
    ),
    # As on SST: only without punctuation do J&W's mean length and their count of test instances come out.
    rules=TextRules(tokeniser="alphanumeric", strip=("<br />",)),
    longer_than=6,
    shorter_than=400,
    min_count=10,
    splits=Splits(dev_share=0.2, test_sample=0.2),
    counted_before_filter=True,
    download=Download("imdb_reviews", {"train": "train", "test": "test"}, BINARY, ("text",)),
)

STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")

YELP = DatasetSpec(
    name="yelp",
    title="Yelp reviews, five stars",
    kind="single",
    labels=STARS,
    published="https://www.yelp.com/dataset (yelp_academic_dataset_review.json)",
    layouts=(
        Layout.uniform(
            JsonLines(label="stars", id="review_id"),
            {"train": ("yelp_academic_dataset_review.json|review.json",)},
            {str(stars): stars - 1 for stars in range(1, 6)},
        ),
    ),
    min_count=10,
    shorter_than=400,
)

YELP_POLARITY = DatasetSpec(
    name="yelp_polarity",
    title="Yelp, two classes",
    kind="single",
    labels=POLARITY,
    published="https://github.com/shentianxiao/language-style-transfer (data/yelp), or the TFDS reviews",
    layouts=(
        Layout.uniform(
            LabelledLines(label_in_name=True),
            {
                "train": ("sentiment.train.0", "sentiment.train.1"),
                "dev": ("sentiment.dev.0", "sentiment.dev.1"),
                "test": ("sentiment.test.0", "sentiment.test.1"),
            },
            BINARY,
            TextRules(tokeniser="whitespace"),
            "sentences, not reviews",
        ),
        Layout.uniform(
            LabelledLines(label_in_name=True),
            {
                "train": ("sentiment.dev.0", "sentiment.dev.1"),
                "test": ("sentiment.test.0", "sentiment.test.1"),
            },
            BINARY,
            TextRules(tokeniser="whitespace"),
            "sentences, not reviews; trained on the published dev part",
        ),
        Layout.uniform(
            Table(label="class", text=("text",), columns=("class", "text")),
            {"train": ("train.csv",), "test": ("test.csv",)},
            {"1": 0, "2": 1},
        ),
    ),
    min_count=2,
    folders=("yelp",),
    download=Download(
        "yelp_polarity_reviews",
        {"train": "train", "test": "test"},
        BINARY,
        ("text",),
        module="tensorflow_datasets.text.yelp_polarity",
    ),
)

ERASER_MOVIES = DatasetSpec(
    name="eraser_movies",
    title="ERASER movie reviews with human rationales",
    kind="single",
    labels=POLARITY,
    published="https://www.eraserbenchmark.com (movies.tar.gz)",
    layouts=(
        Layout.uniform(
            Eraser(),
            {
                "train": ("train.jsonl", "docs/*"),
                "dev": ("dev.jsonl|val.jsonl", "docs/*"),
                "test": ("test.jsonl", "docs/*"),
            },
            {"NEG": 0, "POS": 1},
        ),
    ),
    rules=TextRules(tokeniser="whitespace"),
    min_count=2,
    folders=("movies",),
)
