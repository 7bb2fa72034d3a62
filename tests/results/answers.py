"""Records that answer published cells, made from the published figures themselves."""

import dataclasses

from attn_jax.results import published
from attn_jax.results.records import Record


def records(paper: str = "jain_wallace_2019", shift: float = 0.0, **fields) -> list[Record]:
    """One record a published cell of a paper, its value moved by `shift`."""
    rows = published.load().filter(paper=paper).iter_rows(named=True)
    keyed = ({name: row[name] for name in published.KEY} | {"value": row["value"] + shift} for row in rows)
    return [Record(**row, **({"run": "toy", "n": 100, "seeds": 3} | fields)) for row in keyed]


def only(found: list[Record], **fields) -> list[Record]:
    """Those with these fields."""
    return [r for r in found if all(getattr(r, name) == value for name, value in fields.items())]


def changed(found: list[Record], **fields) -> list[Record]:
    """Each with these fields instead."""
    return [dataclasses.replace(record, **fields) for record in found]
