"""The records of many runs, and which of them answers a key."""

import pathlib
from collections.abc import Iterable, Sequence

from attn_jax.errors import UserError
from attn_jax.results import records
from attn_jax.results.aliases import answers
from attn_jax.results.comparable import barred
from attn_jax.results.records import Record

Key = tuple[str, ...]


def read(folders: Sequence[pathlib.Path]) -> list[Record]:
    """All records of every `records.csv` in or below the folders.

    Raises:
        UserError: as `paths`, or a file is malformed.
    """
    return [record for path in paths(folders) for record in records.read(path)]


def paths(folders: Sequence[pathlib.Path]) -> list[pathlib.Path]:
    """Every `records.csv` in or below the folders, in order; a folder named twice counts once.

    Raises:
        UserError: no folder is named, one does not exist, or none holds records.
    """
    if not folders:
        raise UserError("name at least one folder that runs were written to.")
    absent = [folder for folder in folders if not folder.is_dir()]
    if absent:
        raise UserError(f"there is no folder {absent[0]}; name the folders that runs were written to.")
    found = sorted({path.resolve() for folder in folders for path in folder.rglob("records.csv")})
    if not found:
        names = ", ".join(map(str, folders))
        raise UserError(f"no records.csv in or below {names}; run an experiment first.")
    return found


def best(found: Iterable[Record]) -> dict[Key, Record]:
    """The record that answers each key, under its own key and its aliases.

    Of several: one that is not barred, then the one of most seeds, then of most instances, then the
    first by run. A record's own key comes before an alias of another.
    """
    chosen: dict[Key, tuple[tuple, Record]] = {}
    for record in found:
        for place, answer in enumerate(answers(record)):
            rank = (bool(barred(record)), place, -(record.seeds or 0), -(record.n or 0), record.run)
            key = answer.key()
            if key not in chosen or rank < chosen[key][0]:
                chosen[key] = (rank, answer)
    return {key: record for key, (_, record) in chosen.items()}
