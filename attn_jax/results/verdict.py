"""The verdict on one run's attention: every finding, and one sentence over them."""

import dataclasses
import html
from collections.abc import Iterable

from attn_jax.results import findings
from attn_jax.results.facts import Facts
from attn_jax.results.findings import Finding
from attn_jax.results.records import Record

_TESTS = (
    findings.performance,
    findings.agreement,
    findings.permutation,
    findings.adversary,
    findings.planted,
    findings.flip,
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The sentence and what it stands on."""

    headline: str
    findings: tuple[Finding, ...]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = "".join(
            f"<tr><th>{html.escape(f.test)}</th><td>{html.escape(f.stance)}</td><td>{html.escape(f.text)}</td></tr>"
            for f in self.findings
        )
        return f"<p><b>{html.escape(self.headline)}</b></p><table>{rows}</table>"


def of(records: Iterable[Record]) -> Verdict:
    """The verdict on one run; tests whose statistics are absent are left out."""
    facts = Facts(records)
    found = tuple(finding for test in _TESTS if (finding := test(facts)) is not None)
    return Verdict(_headline(found), found)


def _headline(found: tuple[Finding, ...]) -> str:
    stances = [finding.stance for finding in found if finding.stance != "context"]
    if not stances:
        return "No test of attention was run."
    speaks_for, against = stances.count("for"), stances.count("against")
    undecided = len(stances) - speaks_for - against
    counts = f"tests for it: {speaks_for}, against it: {against}, undecided: {undecided}"
    return f"{_answer(speaks_for, against, len(stances))} ({counts})."


def _answer(speaks_for: int, against: int, tests: int) -> str:
    if speaks_for == tests:
        return "Attention passes every test as an explanation of this model"
    if against == tests:
        return "Attention fails every test as an explanation of this model"
    if speaks_for + against == 0:
        return "The tests do not decide whether attention explains this model"
    if against == 0:
        many = "Most" if 2 * speaks_for > tests else "Some"
        return f"{many} tests speak for attention as an explanation of this model, and none against it"
    if speaks_for == 0:
        many = "Most" if 2 * against > tests else "Some"
        return f"{many} tests speak against attention as an explanation of this model, and none for it"
    return "The tests disagree on whether attention explains this model"
