"""What Jain & Wallace (2019) claim of agreement and of performance, as checks.

The paper's words have no numbers; the lines that stand for them are chosen by us, once, here.
"""

from attn_jax.results.claim import Claim, Condition, Measure, Region
from attn_jax.results.claim_measures import figure, gap, over_classes, own
from attn_jax.results.figures import Subject
from attn_jax.results.jain_wallace import PAPER

MODEST = 0.5  # "around or below 0.5" (section 4.1)
COMPARABLE_TAU = 0.10  # the tolerance of a tau mean: within it taus are alike, beyond it they are not
COMPARABLE_SCORE = 0.05  # comparable within it, markedly worse beyond it

_GRADIENT = over_classes(PAPER, "tau_gradient_mean")
_DELETION = over_classes(PAPER, "tau_loo_mean")
_OVER_DELETION = own("tau_gradient_loo_minus_tau_loo_mean")
_OVER_GRADIENT = own("tau_gradient_loo_minus_tau_gradient_mean")
_AVERAGE, _BILSTM, _ADDITIVE = {"encoder": "average"}, {"encoder": "bilstm"}, {"attention": "additive"}


def _about(value: float) -> Region:
    return Region(value - COMPARABLE_TAU, value + COMPARABLE_TAU, open=False)


def _alike(words: str, **other: str) -> tuple[Condition, ...]:
    """Both taus of the subject lie near those of another."""
    measures: dict[str, Measure] = {"gradients": _GRADIENT, "deletion": _DELETION}
    return tuple(
        Condition(f"tau with {name}, {words}", gap(measure, minus=other), _about(0))
        for name, measure in measures.items()
    )


def _is_bilstm(subject: Subject) -> bool:
    return subject.encoder == "bilstm"


def _is_simpler(subject: Subject) -> bool:
    return subject.encoder in ("cnn", "average")


def _is_of_the_figures(subject: Subject) -> bool:
    """The set-up of the three-way comparison: BiLSTM and tanh (additive) attention."""
    return subject[1:] == ("bilstm", "additive", "")


CLAIMS = (
    Claim(
        "modest",
        PAPER,
        "section 4.1, Table 2",
        "Under a BiLSTM, attention agrees only modestly with gradients and with deletion.",
        (
            Condition("tau with gradients", _GRADIENT, Region(high=MODEST)),
            Condition("tau with deletion", _DELETION, Region(high=MODEST)),
        ),
        _is_bilstm,
    ),
    Claim(
        "average-higher",
        PAPER,
        "section 4.1, Table 2",
        "Under the Average encoder, attention agrees much better with gradients than under a BiLSTM.",
        (Condition("tau, Average minus BiLSTM", gap(_GRADIENT, of=_AVERAGE), Region(low=COMPARABLE_TAU)),),
        _is_bilstm,
    ),
    Claim(
        "average-higher-deletion",
        PAPER,
        "Figure 5 of the summary",
        "Under the Average encoder, attention agrees better with deletion than under a BiLSTM.",
        (Condition("tau, Average minus BiLSTM", gap(_DELETION, of=_AVERAGE), Region(low=COMPARABLE_TAU)),),
        _is_bilstm,
    ),
    Claim(
        "average-higher-deletion-mean",
        PAPER,
        "Figure 5 of the summary",
        "Under the Average encoder, attention agrees better with deletion by about 0.375 in the mean over "
        "the data sets.",
        (Condition("tau, Average minus BiLSTM", gap(_DELETION, of=_AVERAGE), _about(0.375), 3),),
        _is_of_the_figures,
        pooled=True,
    ),
    Claim(
        "among-themselves",
        PAPER,
        "section 4.1; Figures 3 and 4 of the summary",
        "Under a BiLSTM, gradients and deletion agree with each other more than either does with attention.",
        (
            Condition("tau, minus that of attention and deletion", _OVER_DELETION, Region(low=0)),
            Condition("tau, minus that of attention and gradients", _OVER_GRADIENT, Region(low=0)),
        ),
        _is_bilstm,
    ),
    Claim(
        "among-themselves-mean",
        PAPER,
        "Figures 3 and 4 of the summary",
        "Gradients and deletion agree with each other better than attention does with deletion by more "
        "than 0.2, and with gradients by about 0.25, in the mean over the data sets.",
        (
            Condition("tau, minus that of attention and deletion", _OVER_DELETION, Region(low=0.2)),
            Condition("tau, minus that of attention and gradients", _OVER_GRADIENT, _about(0.25)),
        ),
        _is_of_the_figures,
        pooled=True,
    ),
    Claim(
        "dot-alike",
        PAPER,
        "section 4",
        "Scaled dot-product attention gives correlations comparable to those of additive attention.",
        _alike("dot minus additive", **_ADDITIVE),
        lambda subject: subject.attention == "dot",
    ),
    Claim(
        "cnn-alike",
        PAPER,
        "section 4.1",
        "CNN encoders give correlations comparable to a BiLSTM's.",
        _alike("CNN minus BiLSTM", **_BILSTM),
        lambda subject: subject.encoder == "cnn",
    ),
    Claim(
        "classification-alike",
        PAPER,
        "caption of Table 1",
        "CNN and Average encoders classify comparably to a BiLSTM.",
        (
            Condition(
                "F1 minus the BiLSTM's",
                gap(figure(PAPER, "f1"), minus=_BILSTM),
                Region(-COMPARABLE_SCORE, COMPARABLE_SCORE, open=False),
            ),
        ),
        _is_simpler,
    ),
    Claim(
        "questions-worse",
        PAPER,
        "caption of Table 1",
        "CNN and Average encoders answer questions markedly worse than a BiLSTM.",
        (
            Condition(
                "accuracy minus the BiLSTM's",
                gap(figure(PAPER, "accuracy"), minus=_BILSTM),
                Region(high=-COMPARABLE_SCORE),
            ),
        ),
        _is_simpler,
    ),
)
