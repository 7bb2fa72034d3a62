"""English to German: `tokens` is the English sentence, `question` the German one, the label is 0."""

from attn_jax.data.loaders.aligned import Aligned
from attn_jax.data.specs.spec import DatasetSpec, Download, Layout, Splits
from attn_jax.data.text import TextRules

# Numbers have to be translated too, so they stay.
TOKENISED = TextRules(tokeniser="whitespace", qqq=False)
# English tokeniser rules would be wrong for German: both sides are cut at punctuation. The web crawls
# hold empty lines.
RAW = TextRules(tokeniser="words", qqq=False, drop_blank=True)


def _sides(*stems: str) -> tuple[str, ...]:
    """The English files, then the German ones in the same order."""
    return (*(f"{stem}.en" for stem in stems), *(f"{stem}.de" for stem in stems))


MULTI30K = DatasetSpec(
    name="multi30k",
    title="Multi30k, task 1, English to German",
    kind="translation",
    labels=("translation",),
    published="https://github.com/multi30k/dataset (data/task1)",
    layouts=(
        Layout.uniform(
            Aligned(),
            {
                "train": _sides("train.lc.norm.tok"),
                "dev": _sides("val.lc.norm.tok"),
                "test": _sides("test_2016_flickr.lc.norm.tok"),
            },
            {},
            TOKENISED,
        ),
        Layout.uniform(
            Aligned(),
            {"train": _sides("train"), "dev": _sides("val"), "test": _sides("test_2016_flickr")},
            {},
        ),
    ),
    rules=RAW,
    min_count=2,
)

NEWS_COMMENTARY = DatasetSpec(
    name="news_commentary",
    title="News Commentary v11 of WMT16, English to German",
    kind="translation",
    labels=("translation",),
    published="https://www.statmt.org/wmt16/translation-task.html (training-parallel-nc-v11.tgz, dev.tgz)",
    layouts=(
        Layout.uniform(
            Aligned(),
            {
                "train": _sides("news-commentary-v11.de-en"),
                "dev": _sides("newstest2015"),
                "test": _sides("newstest2016"),
            },
            {},
        ),
        Layout.uniform(
            Aligned(),
            {"train": _sides("news-commentary-v11.de-en")},
            {},
            caveat="dev and test drawn from the train part",
        ),
    ),
    rules=RAW,
    min_count=5,
    splits=Splits(test_share=0.02, dev_share=0.02),
)

WMT13 = DatasetSpec(
    name="wmt13",
    title="WMT13, English to German",
    kind="translation",
    labels=("translation",),
    published="https://www.statmt.org/wmt13/translation-task.html",
    layouts=(
        Layout.uniform(
            Aligned(),
            {
                "train": _sides("europarl-v7.de-en", "commoncrawl.de-en", "news-commentary-v8.de-en"),
                "dev": _sides("newstest2012"),
                "test": _sides("newstest2013"),
            },
            {},
        ),
    ),
    rules=RAW,
    min_count=10,
    download=Download(
        "wmt13_translate/de-en",
        {"train": "train", "dev": "validation", "test": "test"},
        {"0": 0},
        ("en",),
        "de",
        module="tensorflow_datasets.translate.wmt13",
    ),
)
