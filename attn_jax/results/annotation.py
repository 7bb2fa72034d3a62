"""Human evaluation of attention: what annotators are asked, blind, and what they answered.

Vashishth et al. (2019), section 4.4: are the three words of highest weight relevant to the prediction?
Half of the instances show the model's own attention and prediction, half those under permuted weights;
neither which half, nor whether the prediction is right, is shown.
"""

import dataclasses
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

from attn_jax.errors import UserError
from attn_jax.results import jsonl

Kind = Literal["original", "permuted"]
# Kind -> columns of the examples that hold its weights and its prediction.
COLUMNS: Mapping[Kind, tuple[str, str]] = {
    "original": ("alpha", "prediction"),
    "permuted": ("score/permuted_alpha", "prediction_permute_infer"),
}
TOP = 3
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclasses.dataclass(frozen=True)
class Item:
    """One question. `kind`, `instance` and `right` stay behind the desk."""

    key: str
    kind: Kind
    instance: str
    tokens: tuple[str, ...]
    question: tuple[str, ...]  # the second text, () where there is none
    prediction: str
    top: tuple[int, ...]  # places of the words of highest weight, highest first
    right: bool


def sheet(frame: pl.DataFrame, labels: Sequence[str], *, count: int, seed: int) -> list[Item]:
    """`count` original and `count` permuted instances of the run's first seed, shuffled.

    Raises:
        UserError: the run has no permuted attention or too few instances.
    """
    missing = {name for columns in COLUMNS.values() for name in columns} - set(frame.columns)
    if missing:
        raise UserError(
            f"the run's examples have no {', '.join(sorted(missing))}: choose a run of "
            "experiments.vashishth with --model bahdanau or rocktaschel and permute among --alter."
        )
    frame = frame.filter(pl.col("seed") == pl.col("seed").min()).sort("id")
    if count < 1 or 2 * count > frame.height:
        raise UserError(
            f"--count {count}: the run has {frame.height} instances, so 1 to {frame.height // 2}."
        )
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(frame.height)[: 2 * count]
    kinds = [kind for kind in COLUMNS for _ in range(count)]
    drawn = list(zip(kinds, chosen.tolist(), strict=True))
    order = rng.permutation(2 * count).tolist()
    return [
        _item(str(number), drawn[place][0], frame.row(drawn[place][1], named=True), labels)
        for number, place in enumerate(order, start=1)
    ]


def kept(path: pathlib.Path, items: Sequence[Item]) -> list[Item]:
    """The items, written to `path` the first time: every annotator and every start sees the same.

    Raises:
        UserError: others stand there.
    """
    if not path.exists():
        jsonl.write(path, [dataclasses.asdict(item) for item in items])
    elif read_sheet(path) != list(items):
        raise UserError(
            f"{path} was made from another run, --count or --seed: use those, or delete the folder to "
            "begin anew."
        )
    return list(items)


def read_sheet(path: pathlib.Path) -> list[Item]:
    """The items of a sheet that `kept` wrote.

    Raises:
        UserError: it is missing or a line is no item.
    """
    names = [field.name for field in dataclasses.fields(Item)]
    items = []
    for number, row in enumerate(jsonl.read(path), start=1):
        if sorted(row) != sorted(names):
            raise UserError(f"{path}, line {number}: not a question; delete the folder to begin anew.")
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
        items.append(Item(**values))  # pyright: ignore[reportArgumentType]
    return items


class Answers:
    """One annotator's answers on disk, rewritten whole after each: a crash loses nothing."""

    def __init__(self, folder: pathlib.Path, annotator: str) -> None:
        if not _NAME.fullmatch(annotator):
            raise UserError(
                f"--annotator {annotator!r}: 1 to 40 letters, digits, hyphens or underscores, for it names a "
                "file."
            )
        self.path = folder / f"answers-{annotator}.jsonl"
        self._given = read_answers(self.path) if self.path.exists() else {}

    @property
    def given(self) -> Mapping[str, bool]:
        """Key of an item -> whether its words were called relevant, in the order of answering."""
        return dict(self._given)

    def give(self, key: str, relevant: bool) -> None:
        """Saves one answer; an earlier one to the same item goes."""
        self._save({k: v for k, v in self._given.items() if k != key} | {key: relevant})

    def undo(self) -> None:
        """Takes the last answer back, if there is one."""
        self._save(dict(list(self._given.items())[:-1]))

    def _save(self, given: dict[str, bool]) -> None:
        jsonl.write(self.path, [{"key": key, "relevant": relevant} for key, relevant in given.items()])
        self._given = given


def read_answers(path: pathlib.Path) -> dict[str, bool]:
    """Key -> answer of one annotator's file.

    Raises:
        UserError: a line is no answer.
    """
    given = {}
    for number, row in enumerate(jsonl.read(path), start=1):
        if not isinstance(row.get("key"), str) or not isinstance(row.get("relevant"), bool):
            raise UserError(f"{path}, line {number}: not an answer; delete the line.")
        given[row["key"]] = row["relevant"]
    return given


def all_answers(folder: pathlib.Path) -> dict[str, dict[str, bool]]:
    """Annotator -> answers of everybody who has begun."""
    paths = sorted(folder.glob("answers-*.jsonl"))
    return {path.stem.removeprefix("answers-"): read_answers(path) for path in paths}


def _item(key: str, kind: Kind, row: Mapping[str, Any], labels: Sequence[str]) -> Item:
    weights, said = COLUMNS[kind]
    attendable = np.flatnonzero(row["mask"])
    # Ties to the first word, as everywhere.
    order = attendable[np.argsort(-np.asarray(row[weights])[attendable], kind="stable")]
    first, *_, last = (*attendable.tolist(), *attendable.tolist()) or (0, 0)
    prediction = int(row[said])
    return Item(
        key,
        kind,
        row["id"],
        tuple(row["tokens"][first : last + 1]),  # without SOS and EOS
        tuple(row.get("question") or ()),
        labels[prediction] if prediction < len(labels) else f"class {prediction}",
        tuple((order[:TOP] - first).tolist()),
        prediction == row["gold"],
    )
