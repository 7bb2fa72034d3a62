"""Topic and record corpora with one sequence: 20 Newsgroups, AG News, ADR tweets, MIMIC-III."""

from attn_jax.data.loaders.documents import Documents
from attn_jax.data.loaders.mimic import Mimic
from attn_jax.data.loaders.table import Table
from attn_jax.data.specs.spec import DatasetSpec, Download, Layout, Source, Splits
from attn_jax.data.text import TextRules

NEWSGROUPS = DatasetSpec(
    name="20news",
    title="20 Newsgroups, baseball against hockey",
    kind="single",
    labels=("baseball", "hockey"),
    published="http://qwone.com/~jason/20Newsgroups (20news-bydate.tar.gz)",
    layouts=(
        Layout.uniform(
            Documents(encoding="latin-1", body_only=True),
            {
                "train": (
                    "20news-bydate-train/rec.sport.baseball/*",
                    "20news-bydate-train/rec.sport.hockey/*",
                ),
                "test": ("20news-bydate-test/rec.sport.baseball/*", "20news-bydate-test/rec.sport.hockey/*"),
            },
            {"rec.sport.baseball": 0, "rec.sport.hockey": 1},
        ),
    ),
    # A post that only quotes has no words of its own.
    rules=TextRules(drop_blank=True),
    longer_than=6,
    shorter_than=500,
    min_count=2,
    splits=Splits(pool=True, test_share=0.2, dev_share=0.2, stratified=True),
)

AG_CLASSES = {"1": 0, "2": None, "3": 1, "4": None}
AG_COLUMNS = ("class", "title", "description")
AG_DESCRIPTION = Table(label="class", text=("description",), columns=AG_COLUMNS)
AG_BOTH = Table(label="class", text=("title", "description"), columns=AG_COLUMNS)
AG_MERGED = Table(label="class_index", text=("text",))

AGNEWS = DatasetSpec(
    name="agnews",
    title="AG News, World against Business",
    kind="single",
    labels=("World", "Business"),
    published="the ag_news_csv archive of Zhang et al. (2015), https://arxiv.org/abs/1509.01626",
    layouts=(
        # Only without the titles are the texts as long as the published ones.
        Layout.uniform(AG_DESCRIPTION, {"train": ("train.csv",), "test": ("test.csv",)}, AG_CLASSES),
        Layout(
            {
                "train": Source(AG_MERGED, ("train_partial_merged_dedup.csv",), AG_CLASSES),
                "test": Source(AG_BOTH, ("test.csv",), AG_CLASSES),
            },
            caveat="a quarter of the train set, titles included",
        ),
    ),
    min_count=5,
    splits=Splits(dev_share=0.15),
    drop_leaks=True,
    download=Download(
        "ag_news_subset",
        {"train": "train", "test": "test"},
        {"0": 0, "1": None, "2": 1, "3": None},
        ("description",),
    ),
)

ADR_TABLE = Table(label="label", text=("text",), delimiter="\t", columns=("text", "label"), quoted=False)

ADR = DatasetSpec(
    name="adr",
    title="Twitter adverse drug reactions",
    kind="single",
    labels=("no reaction", "adverse reaction"),
    published="http://diego.asu.edu/Publications/ADRMine.html (text and label, separated by a tab)",
    layouts=(
        Layout.uniform(ADR_TABLE, {"train": ("train.tsv",), "test": ("test.tsv",)}, {"0": 0, "1": 1}),
        Layout.uniform(ADR_TABLE, {"train": ("adr.tsv|tweets.tsv",)}, {"0": 0, "1": 1}),
    ),
    longer_than=5,
    shorter_than=100,
    min_count=2,
    splits=Splits(test_share=0.2, dev_share=0.15),
)


def _mimic(name: str, title: str, labels: tuple[str, str], loader: Mimic, caveat: str) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        title=f"MIMIC-III discharge summaries, {title}",
        kind="single",
        labels=labels,
        published="https://physionet.org/content/mimiciii (credentialed access)",
        layouts=(Layout.uniform(loader, {"train": ("NOTEEVENTS.csv", "DIAGNOSES_ICD.csv")}, {}),),
        shorter_than=4000,
        min_count=5,
        splits=Splits(test_share=0.2, dev_share=0.15),
        folders=("mimic", "mimiciii"),
        caveat=caveat,
    )


DIABETES = _mimic(
    "diabetes",
    "diabetes coded (250.00) or not",
    ("not coded", "coded"),
    Mimic(((), ("25000",)), rest=0),
    "all discharge summaries, of which the paper uses a subset it does not name",
)
ANEMIA = _mimic(
    "anemia",
    "acute (285.1) or chronic (285.2) anemia",
    ("acute", "chronic"),
    Mimic((("2851",), ("2852",))),
    "admissions coded both acute and chronic left out",
)
