"""`pronouns`: short lives in which nothing but the pronouns tells a woman's from a man's.

After the gender task of Pruthi et al. (2020), whose biographies are not at hand: generated ones. Work,
places, habits and kin are drawn independently of the label, so `rationale`, which marks every pronoun,
marks all that decides.
"""

import random
from collections.abc import Iterator

from attn_jax.data.examples import Corpus, TextExample

LABELS = ("he", "she")
PRONOUNS = {
    "SUBJECT": ("he", "she"),
    "OBJECT": ("him", "her"),
    "POSSESSIVE": ("his", "her"),
    "SELF": ("himself", "herself"),
}
WORK = ("a nurse", "a pilot", "a teacher", "a lawyer", "a baker", "a painter", "a chemist", "a farmer")
PLACES = ("lyon", "bergen", "porto", "quito", "kyoto", "accra", "perth", "tampere")
THINGS = ("garden", "bicycle", "archive", "boat", "kitchen", "notebook", "piano", "workshop")
PEOPLE = ("friends", "neighbours", "colleagues", "students", "parents", "readers")
CLAUSES = (
    "SUBJECT works as WORK in PLACE",
    "SUBJECT grew up near PLACE with POSSESSIVE PEOPLE",
    "PEOPLE often visit OBJECT in PLACE",
    "SUBJECT keeps a THING of POSSESSIVE own",
    "SUBJECT taught SELF to mend the THING",
    "the PEOPLE gave OBJECT a THING",
    "in PLACE most PEOPLE know POSSESSIVE THING",
)
_DRAWN = {"WORK": WORK, "PLACE": PLACES, "THING": THINGS, "PEOPLE": PEOPLE}


def pronouns(seed: int, train: int = 2000, dev: int = 400, test: int = 500) -> Corpus:
    """A corpus of the given sizes, the same for the same seed; the splits share no text."""
    source = _distinct(random.Random(f"pronouns/{seed}"))
    splits = {
        name: tuple(_example(next(source), f"pronouns/{name}/{number}", number % 2) for number in range(size))
        for name, size in (("train", train), ("dev", dev), ("test", test))
    }
    return Corpus("pronouns", LABELS, **splits, caveat="generated corpus")


def _distinct(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Endless lives of two or three clauses, no one twice, pronouns still open."""
    seen: set[tuple[str, ...]] = set()
    while True:
        clauses = rng.sample(CLAUSES, rng.randint(2, 3))
        words = " and ".join(clauses).split()
        life = tuple(word for slot in words for word in rng.choice(_DRAWN.get(slot, (slot,))).split())
        if life not in seen:
            seen.add(life)
            yield life


def _example(life: tuple[str, ...], name: str, label: int) -> TextExample:
    tokens = tuple(PRONOUNS[word][label] if word in PRONOUNS else word for word in life)
    return TextExample(name, tokens, label, rationale=tuple(word in PRONOUNS for word in life))
