"""What Jain & Wallace (2019) claim of scrambled and of adversarial attention, as checks.

On long inputs a distant attention that keeps the output almost always exists, even for a model
without anything to explain; so a claim about adversaries holds only if it holds beyond the null, in
which the tokens' contributions are shuffled. They are judged on the exact optimum, the search is shown.
"""

from attn_jax.results.claim import Claim, Condition, Region
from attn_jax.results.claim_measures import own
from attn_jax.results.figures import Subject
from attn_jax.results.jain_wallace import PAPER
from attn_jax.results.own_statistics import HIGH_JSD, LITTLE_TVD, PEAKED

OFTEN = 0.25  # of the instances: what "often" and "many" stand for
WEAK = 0.5  # a rank correlation nearer to 0 than this is weak

_ABOVE = f"jsd_above_{HIGH_JSD}_share"
_TREND = "jsd_max_attention_spearman"
_DIABETES = ({"dataset": "diabetes"}, "the paper excepts its positive class, which a few tokens decide")


def _every(subject: Subject) -> bool:
    return True


CLAIMS = (
    Claim(
        "scrambling",
        PAPER,
        "section 4.2.1, Figure 3",
        "Scrambling peaked attention often changes the output little.",
        (
            Condition(
                f"share moved by less than {LITTLE_TVD} among instances with a weight of {PEAKED} or more",
                own("permutation_little_when_peaked_share"),
                Region(low=OFTEN),
            ),
            Condition("share of such instances", own("peaked_share")),
        ),
        _every,
        exceptions=(_DIABETES,),
    ),
    Claim(
        "adversaries",
        PAPER,
        "section 4.2.2, Figure 4",
        "For many instances an attention near the largest possible distance of 0.69 keeps the output.",
        (
            Condition(f"share above {HIGH_JSD}: search", own(f"search_{_ABOVE}")),
            Condition("exact", own(f"exact_{_ABOVE}"), Region(low=OFTEN)),
            Condition("null", own(f"null_{_ABOVE}")),
            Condition("exact minus null", own(f"exact_minus_null_{_ABOVE}"), Region(low=0)),
        ),
        _every,
        exceptions=(_DIABETES,),
    ),
    Claim(
        "peaked-adversaries",
        PAPER,
        "section 4.2.2, Figure 5",
        "The more peaked attention is, the less distant are its adversaries, but only weakly so.",
        (
            Condition("rank correlation of max attention and JSD: search", own(f"search_{_TREND}")),
            Condition("exact", own(f"exact_{_TREND}"), Region(-WEAK, 0)),
            Condition("null", own(f"null_{_TREND}")),
            Condition("exact minus null", own(f"exact_minus_null_{_TREND}"), Region(high=0)),
        ),
        _every,
    ),
)
