"""The world behind the bAbI stories: who is where, who holds what, and which sentences told us so."""

import dataclasses
import random

PERSONS = ("Daniel", "John", "Mary", "Sandra")
PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
OBJECTS = ("apple", "football", "milk")
MOVES = ("moved to", "went to", "went back to", "travelled to", "journeyed to")
TAKES = ("took", "got", "grabbed", "picked up")
DROPS = ("dropped", "left", "discarded", "put down")
THERE_SHARE = 0.2
TRANSFER_SHARE = 0.35

# Question, answer, supporting sentences.
Asked = tuple[str, str, tuple[int, ...]]


@dataclasses.dataclass
class Person:
    """`told` is the sentence of the last move: None while nobody has said where the person is."""

    place: str
    told: int | None = None


@dataclasses.dataclass
class Object:
    """`facts` tell where it is now; `before[place]` where it was before `place`, and which facts say so."""

    place: str
    holder: str | None = None
    taken: int = 0
    facts: tuple[int, ...] = ()
    before: dict[str, tuple[str, tuple[int, ...]]] = dataclasses.field(default_factory=dict)


class World:
    """Changes by one told event at a time and can be asked about itself."""

    def __init__(self, rng: random.Random, carrying: bool):
        self._rng = rng
        self._carrying = carrying
        self.persons = {name: Person(rng.choice(PLACES)) for name in PERSONS}
        self.objects = {name: Object(rng.choice(PLACES)) for name in OBJECTS}

    def step(self, line: int) -> str:
        """Some event happens; returns the sentence that tells it, which is to stand in line `line`."""
        if self._carrying and self._rng.random() < TRANSFER_SHARE and (transfers := self._transfers()):
            return self._transfer(*self._rng.choice(transfers), line)
        return self._move(self._rng.choice(PERSONS), line)

    def _transfers(self) -> list[tuple[str, str]]:
        """(person, object) pairs that can meet: the object is held by, or lies beside, the person."""
        return [
            (who, what)
            for who, person in self.persons.items()
            for what, thing in self.objects.items()
            if thing.holder == who or (thing.holder is None and thing.place == person.place)
        ]

    def _move(self, who: str, line: int) -> str:
        person = self.persons[who]
        place = self._rng.choice([other for other in PLACES if other != person.place])
        for thing in self.objects.values():
            if thing.holder == who:
                if person.told is not None:
                    thing.before[place] = person.place, (thing.taken, line, person.told)
                else:
                    # It has just been somewhere untold: an older answer would be out of date.
                    thing.before.pop(place, None)
                thing.place, thing.facts = place, (thing.taken, line)
        person.place, person.told = place, line
        return f"{who} {self._rng.choice(MOVES)} the {place}."

    def _transfer(self, who: str, what: str, line: int) -> str:
        person, thing = self.persons[who], self.objects[what]
        dropping = thing.holder == who
        thing.holder = None if dropping else who
        thing.taken = thing.taken if dropping else line
        if person.told is not None:
            thing.facts = line, person.told
        there = " there" if self._rng.random() < THERE_SHARE else ""
        return f"{who} {self._rng.choice(DROPS if dropping else TAKES)} the {what}{there}."

    def ask(self, task: int) -> Asked | None:
        """A question that the story answers, or None if there is none yet."""
        candidates = {1: self._persons_asked, 2: self._objects_asked, 3: self._pasts_asked}[task]()
        return self._rng.choice(candidates) if candidates else None

    def _persons_asked(self) -> list[Asked]:
        told = [(who, person) for who, person in self.persons.items() if person.told is not None]
        return [(f"Where is {who}?", person.place, (person.told or 0,)) for who, person in told]

    def _objects_asked(self) -> list[Asked]:
        known = [(what, thing) for what, thing in self.objects.items() if thing.facts]
        return [(f"Where is the {what}?", thing.place, thing.facts) for what, thing in known]

    def _pasts_asked(self) -> list[Asked]:
        return [
            (f"Where was the {what} before the {place}?", answer, facts)
            for what, thing in self.objects.items()
            for place, (answer, facts) in thing.before.items()
        ]
