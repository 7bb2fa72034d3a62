"""MIMIC-III: discharge summaries from NOTEEVENTS.csv, labelled by the codes of DIAGNOSES_ICD.csv."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_jax.data.loaders.raw import LabelIds, RawExample
from attn_jax.data.loaders.table import Table
from attn_jax.data.text import TextRules, tokenise

NOTES = Table(label="CATEGORY", text=("ROW_ID", "HADM_ID", "DESCRIPTION", "ISERROR", "TEXT"))
DIAGNOSES = Table(label="ICD9_CODE", text=("HADM_ID",))
CATEGORY = "Discharge summary"


def summaries(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, row) of each discharge summary proper: no addenda, none withdrawn as an error."""
    for number, row in NOTES.rows(path):
        report = row["CATEGORY"].strip() == CATEGORY and row["DESCRIPTION"].strip() == "Report"
        if report and row["ISERROR"].strip() != "1":
            yield number, row


@dataclasses.dataclass(frozen=True)
class Summaries:
    """The tokens of every discharge summary, read anew each time: what J&W's word2vec is trained over."""

    notes: Path
    rules: TextRules

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (tokenise(row["TEXT"], self.rules) for _, row in summaries(self.notes))


@dataclasses.dataclass(frozen=True)
class Mimic:
    """`codes` gives the ICD-9 prefixes (without the point) of each class; `rest` the class of all others.

    An admission coded for two classes is left out, and of several summaries the first is taken, so that
    no admission can be in two splits. The files are the notes and the diagnoses, in this order.
    """

    codes: tuple[tuple[str, ...], ...]
    rest: int | None = None

    def read(self, files: Sequence[Path], labels: LabelIds) -> Iterator[RawExample]:
        """One instance an admission."""
        notes, diagnoses = files
        classes = self._admissions(diagnoses)
        seen: set[str] = set()
        for number, row in summaries(notes):
            admission = row["HADM_ID"].strip()
            found = classes.get(admission, {self.rest})
            (label,) = found if len(found) == 1 else (None,)
            if admission and label is not None and admission not in seen:
                seen.add(admission)
                yield RawExample(admission, row["TEXT"], label, where=f"{notes}, line {number}")

    def _admissions(self, diagnoses: Path) -> dict[str, set[int | None]]:
        """Which classes each coded admission has a code of."""
        classes: dict[str, set[int | None]] = {}
        for _, row in DIAGNOSES.rows(diagnoses):
            code = row["ICD9_CODE"].strip()
            for label, prefixes in enumerate(self.codes):
                if code.startswith(prefixes) and prefixes:
                    classes.setdefault(row["HADM_ID"].strip(), set()).add(label)
        return classes
