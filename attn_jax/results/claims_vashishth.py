"""What Vashishth et al. (2019) claim, as checks on the figures of Tables 1 to 3, and ours of Figure 4.

Changes are in points of accuracy or BLEU, relative changes in percent of the unaltered model's.
"""

import re

from attn_jax.results.claim import Claim, Condition, Measure, Region
from attn_jax.results.claim_measures import figure, gap
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Figures, Subject
from attn_jax.results.records import OURS

PAPER = "vashishth_2019"
# The data of the printed means; substitutes (yelp_polarity, multinli_from_snli) stay out of ours too.
SINGLE = ("sst", "imdb", "agnews", "yelp")
PAIR = ("snli", "multinli", "cnn", "babi1", "babi2", "babi3")
GENERATION = ("multi30k", "news_commentary")

# (variant, in words, the mean change that the text names for single sequences)
_MEANS = (
    ("uniform_train_infer", "training with uniform attention", -0.5),
    ("random_train_infer", "training with random attention", -0.9),
    ("uniform_infer", "uniform attention at inference", -3.9),
    ("random_infer", "random attention at inference", -4.5),
    ("permute_infer", "permuting attention at inference", -4.2),
)
# A stack of self-attention with its first layers permuted.
_LAYERS = re.compile(r"permute_(encoder|decoder|across)_\d+")
# On SST the printed tables contradict the text for these models.
_SST_EXCEPTIONS = {"uniform": ("bahdanau", "han"), "random": ("bahdanau",)}
_SMALL = 2.0  # points: the tolerance of a change under 10
# (kind, its data sets, the relative change that the text names, how near to it)
_RELATIVE = (
    ("single-sequence", SINGLE, -0.1, 0.25),
    ("pair", PAIR, -49.5, 5.0),
    ("generation", GENERATION, -51.2, 5.0),
)


def _metric(subject: Subject) -> str:
    return "bleu" if subject.dataset in GENERATION else "accuracy"


def _change(figures: Figures, subject: Subject) -> Estimate | None:
    return figures.get(PAPER, subject, f"{_metric(subject)}_change")


def _relative(figures: Figures, subject: Subject) -> Estimate | None:
    """The change in percent of the unaltered model's score, which is taken as exact."""
    change = _change(figures, subject)
    base = figures.get(PAPER, subject._replace(variant=""), _metric(subject))
    return None if change is None or base is None else change.scaled(100 / base.value)


def _near(value: float, margin: float) -> Region:
    return Region(value - margin, value + margin, open=False)


def _mean(variant: str, words: str, printed: float) -> Claim:
    return Claim(
        f"single-{variant.replace('_', '-')}",
        PAPER,
        "section 4.1, Table 1",
        f"On single sequences, {words} changes accuracy by {printed} in the mean.",
        (Condition("mean change", figure(PAPER, "accuracy_change"), _near(printed, _SMALL), 1),),
        lambda subject: subject.dataset in SINGLE and subject.variant == variant,
        pooled=True,
    )


def _share(kind: str, datasets: tuple[str, ...], printed: float, margin: float) -> Claim:
    return Claim(
        f"relative-{kind}",
        PAPER,
        "section 4.1",
        f"Training with uniform attention lowers the score of {kind} tasks by {-printed} % in the mean.",
        (Condition("mean relative change, %", _relative, _near(printed, margin), 1),),
        lambda subject: subject.dataset in datasets and subject.variant == "uniform_train_infer",
        pooled=True,
        exceptions=(({}, "the paper's own Table 1 gives about 0.6 %"),) if kind == "single-sequence" else (),
    )


def _costs_more(name: str) -> Claim:
    train: dict[str, str] = {"variant": f"{name}_train_infer"}
    difference: Measure = gap(_change, minus=train)
    return Claim(
        f"infer-costs-more-{name}",
        PAPER,
        "section 4.1, Tables 1 to 3",
        f"{name.capitalize()} attention at inference alone costs more than training with it.",
        (Condition("change minus that with training", difference, Region(high=0), 1),),
        lambda subject: subject.variant == f"{name}_infer",
        exceptions=tuple(
            ({"dataset": "sst", "attention": model}, "published exception") for model in _SST_EXCEPTIONS[name]
        ),
    )


def _layers_change(figures: Figures, subject: Subject) -> Estimate | None:
    """Our own: Figure 4 prints no numbers."""
    return figures.get(OURS, subject, "bleu_change") or figures.get(OURS, subject, "accuracy_change")


def _any_layer() -> Claim:
    return Claim(
        "self-attention-layers",
        PAPER,
        "section 4.3, Figure 4",
        "Permuting self-attention, from the first layer on, lowers the score.",
        (Condition("change", _layers_change, Region(high=0), 1),),
        lambda subject: bool(_LAYERS.fullmatch(subject.variant)),
        named_by=OURS,
    )


def _first_of(part: str, words: str) -> Claim:
    """The first layer of a stack against the encoder's first."""
    first: dict[str, str] = {"variant": "permute_encoder_1"}
    return Claim(
        f"first-{part}-layer",
        PAPER,
        "section 4.3, Figure 4",
        f"Permuting the first layer of {words} costs a Transformer more than the encoder's first.",
        (Condition("change minus that of the encoder", gap(_layers_change, minus=first), Region(high=0), 1),),
        lambda subject: subject.variant == f"permute_{part}_1",
        named_by=OURS,
    )


CLAIMS = (
    *(_mean(*row) for row in _MEANS),
    *(_share(*row) for row in _RELATIVE),
    *(_costs_more(name) for name in ("uniform", "random")),
    _any_layer(),
    _first_of("decoder", "the decoder"),
    _first_of("across", "the attention across"),
)
