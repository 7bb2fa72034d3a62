"""Every claim of the three papers, put to the published figures and to ours."""

from collections import Counter
from collections.abc import Iterable, Sequence

from attn_jax.results import (
    claims_counterfactual,
    claims_jain_wallace,
    claims_regularisation,
    claims_tutek_snajder,
    claims_vashishth,
    figures,
)
from attn_jax.results.claim import Claim, Finding, Judgement, judge
from attn_jax.results.records import Record

CLAIMS: tuple[Claim, ...] = (
    *claims_jain_wallace.CLAIMS,
    *claims_counterfactual.CLAIMS,
    *claims_tutek_snajder.CLAIMS,
    *claims_regularisation.CLAIMS,
    *claims_vashishth.CLAIMS,
)


def judged(found: Iterable[Record], paper: str = "") -> list[tuple[Claim, list[Judgement]]]:
    """Each claim with its judgements, one a subject; `paper` keeps the claims of one."""
    printed, ours = figures.printed(), figures.ours(found)
    return [(claim, judge(claim, printed, ours)) for claim in CLAIMS if paper in ("", claim.paper)]


def overall(findings: Sequence[Finding], unknown: str) -> str:
    """One verdict over the subjects: unanimous, or for how many of those decided on it holds."""
    counts = Counter(finding.verdict for finding in findings if finding.verdict != "unknown")
    known = sum(counts.values())
    if not known:
        return unknown
    if len(counts) == 1:
        return f"{next(iter(counts))} ({known} of {known})" if known > 1 else next(iter(counts))
    parts = [f"{verdict} for {count}" for verdict, count in sorted(counts.items(), key=lambda p: -p[1])]
    return f"{', '.join(parts)} of {known}"
