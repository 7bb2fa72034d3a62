"""The first page: what was asked, what was found, model by model and test by test."""

import dataclasses
from collections import Counter
from collections.abc import Sequence

from attn_jax.report.site.run import Run
from attn_jax.results.findings import Finding, Stance

# The tests in a layman's words, by the question they stand under.
ASKS = {
    "Does it agree with other explanations?": "Two other ways to say which words mattered: how strongly "
    "the output reacts to a small change of each word, and what happens when a word is deleted. If "
    "attention explains, it should put the words in much the same order.",
    "Do shuffled weights change the output?": "The same weights are dealt to other words. If it mattered "
    "which word was attended to, the prediction should move.",
    "Could another attention give the same output?": "We look for the most different weights that leave "
    "the prediction as it is, exactly where mathematics allows it, and compare with a model whose words' "
    "contributions were shuffled, where there is nothing to explain.",
    "Does it find the words that decide?": "Where the deciding words are known, as in generated texts, "
    "attention should rank them first.",
}
_SIDES: tuple[Stance, ...] = ("for", "mixed", "silent", "against")


@dataclasses.dataclass(frozen=True)
class Test:
    """One question and how many models answer it how: `counts` are (stance, how many, share before it)."""

    question: str
    asks: str
    counts: tuple[tuple[Stance, int, float], ...]
    total: int


@dataclasses.dataclass(frozen=True)
class Line:
    """One model: where it stands on each test, None where a test was not run."""

    run: Run
    findings: tuple[Finding | None, ...]


@dataclasses.dataclass(frozen=True)
class Overview:
    """`lines` are the models that were put on trial, `others` runs of another kind."""

    headline: str
    tests: tuple[Test, ...]
    lines: tuple[Line, ...]
    others: tuple[Run, ...]


def overview(runs: Sequence[Run]) -> Overview:
    """The verdicts of all runs side by side."""
    tried = [run for run in runs if _judging(run)]
    questions = list(dict.fromkeys(f.test for run in tried for f in _judging(run)))
    lines = [
        Line(run, tuple({f.test: f for f in _judging(run)}.get(question) for question in questions))
        for run in tried
    ]
    tests = tuple(
        _test(question, [line.findings[i] for line in lines]) for i, question in enumerate(questions)
    )
    return Overview(_headline(tried), tests, tuple(lines), tuple(run for run in runs if run not in tried))


def _judging(run: Run) -> list[Finding]:
    return [finding for finding in run.verdict.findings if finding.stance != "context"]


def _test(question: str, found: Sequence[Finding | None]) -> Test:
    stances = Counter(finding.stance for finding in found if finding is not None)
    total, before, counts = stances.total(), 0, []
    for stance in _SIDES:
        counts.append((stance, stances[stance], before / total))
        before += stances[stance]
    return Test(question, ASKS.get(question, ""), tuple(counts), total)


def _headline(tried: Sequence[Run]) -> str:
    """One sentence over all models; of a single model, its own."""
    if not tried:
        return "No test of attention was run."
    if len(tried) == 1:
        return tried[0].verdict.headline
    stances: list[set[Stance]] = [{finding.stance for finding in _judging(run)} for run in tried]
    sets = len({run.subject[0] for run in tried})
    passed = sum(found == {"for"} for found in stances)
    where = f"{len(tried)} models on {sets} data set{'s' * (sets > 1)}"
    return f"Attention passes every test in {_many(passed, len(tried))} of {where}. {_sides(stances)}"


def _sides(stances: Sequence[set[Stance]]) -> str:
    """How the tests that take a side fall; what never happens is left out."""
    both = sum({"for", "against"} <= found for found in stances)
    kinds = {
        "speak only for it in {}": sum("for" in found for found in stances) - both,
        "speak only against it in {}": sum("against" in found for found in stances) - both,
        "disagree in {}": both,
        "take no side in {}": sum(not found & {"for", "against"} for found in stances),
    }
    parts = [text.format(count) for text, count in kinds.items() if count]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"The tests {listed}."


def _many(count: int, total: int) -> str:
    return "none" if not count else "all" if count == total else str(count)
