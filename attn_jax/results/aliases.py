"""Cells that one run answers under a second key, because the paper prints its figures twice."""

import dataclasses
from collections.abc import Iterator

from attn_jax.results.records import Record

# (fields that a record has, fields that its copy has instead).
# T&S Table 6 repeats the additive half of Table 1 as its rows of one layer.
ALIASES = (
    (
        {"paper": "tutek_snajder_2020", "table": "table1", "encoder": "bilstm", "attention": "additive"},
        {"table": "table6", "encoder": "bilstm_1_layers"},
    ),
)


def answers(record: Record) -> Iterator[Record]:
    """The record, then its copies under the other keys that it answers."""
    yield record
    for fields, changes in ALIASES:
        if all(getattr(record, name) == value for name, value in fields.items()):
            yield dataclasses.replace(record, **changes)
