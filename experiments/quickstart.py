"""Trains an attentive classifier on generated reviews and puts its attention on trial.

    python -m experiments.quickstart --out runs/quickstart

Two cores: about a minute and a half, no download. Expect an accuracy above 0.95, and a page that
shows how far attention can be moved without moving the prediction.
"""

import pathlib

from attn_jax.data.simulators.reviews import reviews
from attn_jax.data.vocabulary import Vocabulary
from experiments import command


def main(out: pathlib.Path = pathlib.Path("runs/quickstart"), seed: int = 0) -> None:
    """Train on `reviews`, test the attention, write the page.

    Args:
        out: folder for records.csv, examples.parquet, config.json, metrics.jsonl and index.html.
        seed: of the corpus, the initial weights and every random draw.
    """
    from attn_jax.analyses.trial import Trial
    from attn_jax.models.presets import classifier
    from attn_jax.report import terminal
    from attn_jax.results import jain_wallace, records, verdict
    from attn_jax.training.loop import TrainConfig
    from attn_jax.training.objective import Objective
    from experiments import cell

    corpus = reviews(seed)
    vocabulary = Vocabulary.build(example.tokens for example in corpus.train)
    model = classifier("bilstm", "additive", words=len(vocabulary), classes=2)
    key = jain_wallace.Cell("reviews", "bilstm", "additive", caveat="generated corpus")
    subject = cell.Cell(key, corpus, vocabulary, Objective(model), TrainConfig(), Trial(), (seed,))
    done = cell.run(subject, out)
    print(terminal.text(verdict.of(records.read(done.records)), title="reviews, bilstm, additive"))
    print(f"\nThe page: {done.page}")


if __name__ == "__main__":
    command.run(main, prog="experiments.quickstart")
