"""What Tutek & Snajder (2020) claim, as checks on the figures of their Tables 1, 2, 3 and 6.

F1 and its drops are in points; a drop is negative, so "more fragile" is a difference below 0.
"""

from collections.abc import Mapping

from attn_jax.results import pairing
from attn_jax.results.claim import Claim, Condition, Measure, Region
from attn_jax.results.claim_measures import figure, gap, own
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Figures, Subject

PAPER = "tutek_snajder_2020"
KEPT = 2.0  # points of F1, its tolerance
ALIKE = 5.0  # points of a drop, its tolerance

_BASE, _CONCAT = {"variant": "base"}, {"variant": "concat"}
_ONE_LAYER = {"encoder": "bilstm_1_layers"}
_DROPS = {"uniform": "f1_drop_uniform", "permuted": "f1_drop_permuted"}
_INFORMATION = {
    "most frequent words": "mutual_information_most_frequent",
    "random sample": "mutual_information_random_sample",
}


def _of(metric: str) -> Measure:
    return figure(PAPER, metric)


def _beyond(metric: str, other: str, fields: Mapping[str, str]) -> Measure:
    """The figure minus that of the subject with these fields, called `other`: paired where that is known."""
    apart, paired = gap(_of(metric), minus=fields), own(pairing.metric(metric, other))
    return lambda figures, subject: paired(figures, subject) or apart(figures, subject)


def _is(*variants: str, table6: bool = False):
    """Asks these variants, in Table 6 those of more than one layer, elsewhere the plain BiLSTM."""
    encoders = ("bilstm_2_layers", "bilstm_3_layers") if table6 else ("bilstm",)
    return lambda subject: subject.variant in variants and subject.encoder in encoders


def _from_boundary(figures: Figures, subject: Subject) -> Estimate | None:
    """How far the per-token probability lies from one half, where two classes part."""
    found = figures.get(PAPER, subject, "per_token_probability")
    return None if found is None else found.distance(0.5)


def _more_fragile(name: str) -> Claim:
    note = "published exception: not more fragile than the base"
    excepted = {
        "uniform": ({"dataset": "agnews"}, {"dataset": "imdb", "attention": "dot"}),
        "permuted": ({"dataset": "sst", "attention": "dot"}, {"dataset": "imdb", "attention": "dot"}),
    }[name]
    return Claim(
        f"fragile-{name}",
        PAPER,
        "section 4.1, Table 1",
        f"Tying and MLM make predictions more fragile under {name} attention.",
        (Condition("drop minus the base's", _beyond(_DROPS[name], "base", _BASE), Region(high=0), 1),),
        _is("tying", "mlm"),
        exceptions=tuple((fields | {"variant": "mlm"}, note) for fields in excepted),
    )


CLAIMS = (
    Claim(
        "keep-f1",
        PAPER,
        "section 4.1, Table 1",
        "Regularised models keep the F1 of the base.",
        (
            Condition(
                "F1 minus the base's",
                _beyond("f1_trained", "base", _BASE),
                Region(low=-KEPT, open=False),
                1,
            ),
        ),
        _is("concat", "residual", "tying", "mlm"),
    ),
    *(_more_fragile(name) for name in _DROPS),
    Claim(
        "information",
        PAPER,
        "section 4.2, Table 2",
        "Every regulariser raises the mutual information of words and states above the base's.",
        tuple(
            Condition(f"minus the base's, {name}", gap(_of(metric), minus=_BASE), Region(low=0))
            for name, metric in _INFORMATION.items()
        ),
        _is("concat", "residual", "tying", "mlm"),
    ),
    Claim(
        "residual-information",
        PAPER,
        "section 4.2, Table 2",
        "The residual connection keeps most information of all.",
        tuple(
            Condition(f"minus {other}'s, {name}", gap(_of(metric), minus={"variant": other}), Region(low=0))
            for other in ("tying", "mlm")
            for name, metric in _INFORMATION.items()
        ),
        _is("residual"),
        exceptions=(({"dataset": "imdb"}, "published exception: tying lies above residual"),),
    ),
    Claim(
        "boundary",
        PAPER,
        "section 5, Table 3",
        "Tying, MLM and the residual connection move the per-token probability towards the boundary.",
        (
            Condition(
                "distance from 0.5, minus the base's", gap(_from_boundary, minus=_BASE), Region(high=0), 3
            ),
        ),
        _is("residual", "tying", "mlm"),
        exceptions=(
            ({"variant": "residual", "attention": "dot"}, "published exception: residual with dot does not"),
        ),
    ),
    Claim(
        "residual-like-concat",
        PAPER,
        "section 4.1",
        "The residual connection does what concatenation does.",
        (
            Condition(
                "F1 minus concat's",
                _beyond("f1_trained", "concat", _CONCAT),
                Region(-KEPT, KEPT, open=False),
                1,
            ),
            *(
                Condition(
                    f"{name} drop minus concat's",
                    _beyond(metric, "concat", _CONCAT),
                    Region(-ALIKE, ALIKE, open=False),
                    1,
                )
                for name, metric in _DROPS.items()
            ),
        ),
        _is("residual"),
    ),
    Claim(
        "layers-robust",
        PAPER,
        "appendix B, Table 6",
        "The base grows more robust with more layers.",
        tuple(
            Condition(
                f"{name} drop minus that of one layer",
                _beyond(metric, "one_layer", _ONE_LAYER),
                Region(low=0),
                1,
            )
            for name, metric in _DROPS.items()
        ),
        _is("base", table6=True),
    ),
    Claim(
        "layers-regularised",
        PAPER,
        "appendix B, Table 6",
        "With more layers the regularisers make less of a difference (inconsistently so).",
        tuple(
            Condition(
                f"{name} drop beyond the base's, minus that of one layer",
                gap(gap(_of(metric), minus=_BASE), minus=_ONE_LAYER),
                Region(low=0),
                1,
            )
            for name, metric in _DROPS.items()
        ),
        _is("tying", "mlm", table6=True),
    ),
)
