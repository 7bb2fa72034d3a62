"""Bring your own data: a table with a text and a label, and every command works on it.

python -m examples.custom_data
"""

import csv
import pathlib
import random

PLACES, GOOD, BAD = ("hotel", "café", "museum"), ("lovely", "calm", "bright"), ("noisy", "dirty", "cold")


def rows(count: int, seed: int = 0) -> list[dict[str, str]]:
    """Invented notes of travellers; in your own file these are your texts.

    `rationale` marks the words that decide, as start:end of characters; leave it out if you do not know.
    """
    draw = random.Random(seed)
    made = []
    for number in range(count):
        word = draw.choice((GOOD, BAD)[number % 2])
        text = f"we saw the {draw.choice(PLACES)} and found it {word} on day {draw.randint(1, 9)}"
        start = text.index(word)
        label = ("good", "bad")[number % 2]
        made.append({"text": text, "label": label, "rationale": f"{start}:{start + len(word)}"})
    return made


def write(path: pathlib.Path, count: int) -> None:
    """The file that the commands read: .csv, .tsv or .jsonl with `text` and `label`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=["text", "label", "rationale"])
        table.writeheader()
        table.writerows(rows(count))


def main(out: pathlib.Path = pathlib.Path("runs/travellers"), count: int = 600) -> None:
    """Write a table, train an attentive classifier on it and put its attention on trial."""
    from experiments import jain_wallace

    own = out / "travellers.csv"
    write(own, count)
    jain_wallace.main(str(own), out / "run", encoder="average", preset="quick")


if __name__ == "__main__":
    from experiments import command

    command.run(main, prog="examples.custom_data")
