"""Trains an attentive classifier on generated reviews and puts its attention on trial.

    python -m experiments.quickstart --out runs/quickstart

Two cores: about a minute, no download. Expect an accuracy above 0.95, and a page that shows how far
attention can be moved without moving the prediction.
"""

import pathlib
from typing import Any

from experiments import command

# Two lengths hold all reviews: each further one costs more compilation than it saves padding.
LADDER = (24, 40)


def main(out: pathlib.Path = pathlib.Path("runs/quickstart"), seed: int = 0) -> None:
    """Train on `reviews`, test the attention, write the page.

    Args:
        out: folder for records.csv, examples.parquet, config.json, metrics.jsonl and index.html.
        seed: of the corpus, the initial weights and every random draw.
    """
    from attn_jax.models.attentions import Additive
    from attn_jax.models.encoders import BiLSTM

    put_on_trial(BiLSTM(), Additive(), "additive", out, seed)


def put_on_trial(
    encoder: Any, attention: Any, name: str, out: pathlib.Path, seed: int, family: Any = None
) -> None:
    """The whole quickstart for any encoder and attention module; `name` stands in the records.

    `family` is the model class, SequenceClassifier if none is given.
    """
    from attn_jax.analyses.trial import Trial
    from attn_jax.data.simulators.reviews import reviews
    from attn_jax.data.vocabulary import Vocabulary
    from attn_jax.models.classifier import SequenceClassifier
    from attn_jax.models.layers import TokenEmbedding
    from attn_jax.results import jain_wallace
    from attn_jax.training.loop import TrainConfig
    from attn_jax.training.objective import Objective
    from experiments import cell

    corpus = reviews(seed)
    vocabulary = Vocabulary.build(example.tokens for example in corpus.train)
    family = family or SequenceClassifier
    model = family(TokenEmbedding(len(vocabulary), 300), encoder, attention, classes=2)
    key = jain_wallace.Cell(
        "reviews", type(encoder).__name__.lower(), name, caveat="generated corpus; 1 seed"
    )
    subject = cell.Cell(
        key, corpus, vocabulary, Objective(model), TrainConfig(), Trial(), (seed,), ladder=LADDER
    )
    cell.announce(cell.run(subject, out), f"reviews, {key.encoder}, {name}")


if __name__ == "__main__":
    command.run(main, prog="experiments.quickstart")
