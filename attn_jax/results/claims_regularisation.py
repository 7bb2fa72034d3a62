"""What Tutek & Snajder (2020) claim in figures without numbers: imitators, and the start of a query.

The paper draws both, so the published side has nothing to check; the lines are ours.
"""

from attn_jax.results import estimate
from attn_jax.results.claim import Claim, Condition, Region
from attn_jax.results.claim_measures import gap, own
from attn_jax.results.claims_tutek_snajder import PAPER
from attn_jax.results.estimate import Estimate
from attn_jax.results.figures import Figures, Subject
from attn_jax.results.regularisation import AT_JSD

UNIFORM = 0.95  # relative entropy, 1 where attention is uniform
_SMALL_START = {"attention": "dot_small_start"}
_FINAL = own("dev_attention_entropy_final")


def _beyond_base(figures: Figures, subject: Subject) -> Estimate | None:
    """The imitator's TVD minus that of the base's, the mean over the distances that both curves reach."""
    costs = [gap(own(f"imitation_tvd_at_jsd@{level:g}"), minus={"variant": "base"}) for level in AT_JSD]
    found = [cost for measure in costs if (cost := measure(figures, subject)) is not None]
    return estimate.together(found) if found else None


def _from_small_start(figures: Figures, subject: Subject) -> Estimate | None:
    return _FINAL(figures, subject._replace(**_SMALL_START))


CLAIMS = (
    Claim(
        "imitation-costs",
        PAPER,
        "section 4.3, Figure 1",
        "A regularised target costs its imitator more of the output at equally distant attention.",
        (Condition("TVD at equal JSD, minus the base's", _beyond_base, Region(low=0), 3),),
        lambda subject: subject.variant in ("concat", "residual", "tying", "mlm"),
    ),
    Claim(
        "dot-collapses",
        PAPER,
        "appendix C",
        "Dot-product attention collapses to uniform from the default initialisation, and not from N(0, 1).",
        (
            Condition("final entropy from the default start", _from_small_start, Region(low=UNIFORM), 3),
            Condition("minus that from N(0, 1)", gap(_FINAL, of=_SMALL_START), Region(low=0), 3),
        ),
        lambda subject: subject.attention == "dot" and subject.variant == "base",
    ),
)
