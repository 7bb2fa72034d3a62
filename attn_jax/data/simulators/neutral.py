"""Neutral sentences from a small grammar, to be put behind texts whose own tokens attention must not show.

Differs from Pruthi et al. (2020), who add a sentence of Wikipedia: none is at hand here. The sentences
say when, where and of what something was made; no word of them passes judgement on anything.
"""

import dataclasses
import random

from attn_jax.data.examples import Corpus, TextExample

THINGS = ("bridge", "canal", "harbour", "railway", "library", "mill", "tunnel", "station", "tower", "market")
MADE = ("built", "opened", "surveyed", "moved", "registered", "rebuilt", "measured", "leased")
PLACES = ("river", "valley", "county", "district", "coast", "town", "island", "parish")
SIDES = ("north", "south", "east", "west")
TIMES = ("spring", "summer", "autumn", "winter", "march", "june", "october", "november")
STUFF = ("brick", "granite", "timber", "iron", "concrete", "slate", "limestone")
FRAMES = (
    "the {thing} was {made} in the {side} of the {place} in {time}",
    "the {thing} near the {place} is made of {stuff} and {other}",
    "in {time} the {thing} of the {place} was {made}",
    "the {place} has a {thing} of {stuff} in the {side}",
    "between {time} and {later} the {thing} was {made} in {stuff}",
)


def sentence(rng: random.Random) -> tuple[str, ...]:
    """One sentence as words."""
    stuff, other = rng.sample(STUFF, 2)
    time, later = rng.sample(TIMES, 2)
    slots = {"thing": THINGS, "made": MADE, "place": PLACES, "side": SIDES}
    filled = {name: rng.choice(words) for name, words in slots.items()}
    frame = rng.choice(FRAMES)
    return tuple(frame.format(**filled, stuff=stuff, other=other, time=time, later=later).split())


def with_neutral(corpus: Corpus, seed: int = 0) -> Corpus:
    """A neutral sentence behind every text; `rationale` marks the tokens of the text itself."""
    rng = random.Random(f"neutral/{seed}")
    splits = {name: tuple(_longer(example, rng) for example in split) for name, split in corpus.splits()}
    caveat = "a generated neutral sentence behind each text, where the paper has one of Wikipedia"
    return dataclasses.replace(corpus, **splits, caveat="; ".join(filter(None, (corpus.caveat, caveat))))


def _longer(example: TextExample, rng: random.Random) -> TextExample:
    added = sentence(rng)
    marks = (True,) * len(example.tokens) + (False,) * len(added)
    return dataclasses.replace(example, tokens=example.tokens + added, rationale=marks)
