"""What keeps a record from answering a published cell, and why."""

from attn_jax.results import tolerances
from attn_jax.results.records import Record

# Words of a caveat that bar its record from every cell and every claim.
_BARRED = {
    "preset quick": "a quick run: few instances, few epochs",
    "a probe: ": "a run that tests an explanation, not the paper's settings",
    "trained on a part": "trained on a drawn part of the train set",
    "generated corpus": "a generated corpus",
    "simulated, not the published files": "simulated stories, not the published files",
}
# Words of a caveat that say the train set is a part: what counts words or instances of it cannot agree.
_PARTIAL = ("a quarter of the train set", "100k subset", "of 10,000 train questions")
_OF_THE_TRAIN_SET = ("train_size", "vocab_size")

# Published data set -> (what was run in its place, why that never joins).
SUBSTITUTES = {
    "yelp": ("yelp_polarity", "yelp_polarity was run: two classes of sentences, not five stars of reviews"),
    "multinli": ("multinli_from_snli", "multinli_from_snli was run: trained on SNLI, tested on MultiNLI"),
}


def barred(record: Record) -> str:
    """Why this record answers nothing that is published; "" where it may."""
    return next((why for words, why in _BARRED.items() if words in record.caveat), "")


def small(record: Record) -> bool:
    """Whether it was only to see that all works, so that not even an explanation can rest on it."""
    return "preset quick" in record.caveat


def objection(record: Record) -> str:
    """Why this record cannot be held against its own cell; "" where it can."""
    if record.metric in _OF_THE_TRAIN_SET and any(words in record.caveat for words in _PARTIAL):
        return "counted on a part of the train set"
    if tolerances.rule(record.paper, record.metric) is None:
        return "shown beside, not judged: no tolerance is set"
    return barred(record)
