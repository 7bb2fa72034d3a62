"""Figures under other settings than the paper's, by the published cell that they would answer without them.

Such runs judge no cell: they are of a paper's released code, or try what might explain a difference. A paper
without variants of its own has the setting's name in their place; elsewhere it is a part of the name of the
model or of the variant, and the record is our own.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from attn_jax.results import comparable, published
from attn_jax.results.pool import Key
from attn_jax.results.records import OURS, Record

_PAPER, _VARIANT = published.KEY.index("paper"), published.KEY.index("variant")
_PLACE = published.KEY.index("dataset")  # of the fields that say what was measured; those before say where
# Field of our own records -> how a probe is named there: what the paper calls it, and what is tried.
_NAMES = (
    ("attention", re.compile(r"(?P<setting>(?P<plain>bahdanau|han|rocktaschel|luong|dot)_.+)")),
    ("variant", re.compile(r"(?P<setting>beam)_(?P<plain>.+)")),
    ("variant", re.compile(r"(?P<plain>base|concat|residual|tying|mlm)_(?P<setting>.+)")),
)


class Probe(NamedTuple):
    """A figure and the settings that it was found under."""

    setting: str
    record: Record


def beside(ours: Mapping[Key, Record], printed: Set[Key]) -> dict[Key, tuple[Probe, ...]]:
    """The probes of each published key that has some, in the order of their settings."""
    varied = {key[_PAPER] for key in printed if key[_VARIANT]}
    places = defaultdict(list)
    for key in printed:
        places[key[_PLACE:]].append(key)
    found = defaultdict(list)
    for key, record in ours.items():
        if comparable.small(record):
            continue
        for setting, plain in _plain(key) if key[_PAPER] == OURS else _unvaried(key, varied):
            for answered in places[plain]:
                if key[_PAPER] in (OURS, answered[_PAPER]):
                    found[answered].append(Probe(setting, record))
    return {key: tuple(sorted(probes, key=lambda probe: probe.setting)) for key, probes in found.items()}


def _unvaried(key: Key, varied: Set[str]) -> Iterator[tuple[str, Key]]:
    """The setting in the place of a variant, and the key's fields without it."""
    if key[_VARIANT] and key[_PAPER] not in varied:
        yield key[_VARIANT], (*key[:_VARIANT], "", *key[_VARIANT + 1 :])[_PLACE:]


def _plain(key: Key) -> Iterator[tuple[str, Key]]:
    """The setting in the name of a model or a variant of our own, and the key's fields without it."""
    for field, pattern in _NAMES:
        place = published.KEY.index(field)
        if named := pattern.fullmatch(key[place]):
            yield named["setting"], (*key[:place], named["plain"], *key[place + 1 :])[_PLACE:]
