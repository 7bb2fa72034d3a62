"""Bring your own analysis: one pure function of one example, and `vmap` does the rest.

python -m examples.custom_analysis
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float

from attn_jax import divergences, outputs
from attn_jax.analyses.observe import counterfactual, observe


def sharpening(decode, alpha: Float[Array, "T"], mask: Bool[Array, "T"], power: float) -> Float[Array, ""]:
    """How far the output moves (TVD) when attention is made more peaked: alpha^power, normalised.

    The order of the words stays as it is; if the output moves, the exact weights mattered.
    """
    sharp = jnp.where(mask, alpha**power, 0.0)
    after = outputs.probabilities(decode(sharp / sharp.sum()))
    return divergences.tvd(after, outputs.probabilities(decode(alpha)))


def analyse(model, params, batch, rng, power: float = 4.0) -> np.ndarray:
    """One number an instance of a batch, for any model."""
    seen = observe(model, params, batch, rng)

    def one(evidence):
        return sharpening(
            counterfactual(model, params, evidence), evidence.alpha, evidence.encoded.mask, power
        )

    return np.asarray(jax.vmap(one)(seen))


def main(out: pathlib.Path = pathlib.Path("runs/sharpening"), seed: int = 0) -> None:
    """Ask it of a model on generated reviews and keep the answers as records.

    The model is untrained, so that this takes seconds: put your own parameters in its place.
    """
    from attn_jax import rng as streams
    from attn_jax.data.batching import batches, bucketise
    from attn_jax.data.simulators.reviews import reviews
    from attn_jax.data.vocabulary import Vocabulary
    from attn_jax.models.attentions import Additive
    from attn_jax.models.classifier import SequenceClassifier
    from attn_jax.models.encoders import Average
    from attn_jax.models.layers import TokenEmbedding
    from attn_jax.results import records

    corpus = reviews(seed)
    vocabulary = Vocabulary.build(example.tokens for example in corpus.train)
    model = SequenceClassifier(TokenEmbedding(len(vocabulary), 24), Average(), Additive(), classes=2)
    (bucket,) = bucketise(corpus.test, vocabulary, 2, ladder=(40,))
    rng = streams.root(seed)
    batch = next(iter(batches(bucket, 64)))
    params = model.init_params(rng, jax.tree.map(lambda a: a[0], batch))
    moved = analyse(model, params, batch, rng)[batch.weight > 0]
    record = records.Record(
        dataset="reviews",
        encoder="average",
        attention="additive",
        metric="sharpening_tvd_mean",
        value=float(moved.mean()),
        std=float(moved.std()),
        n=len(moved),
        std_over="instances",
        caveat="generated corpus; untrained",
        run="sharpening",
    )
    records.write(out / "records.csv", [record])
    print(f"Sharpening attention moves the output by {moved.mean():.3f} on average (n = {len(moved)}).")
    print(f"python -m experiments.report {out} shows it beside other runs.")


if __name__ == "__main__":
    from experiments import command

    command.run(main, prog="examples.custom_analysis")
