"""Bring your own regulariser: one term of the loss, and Tutek & Snajder's tests tell what it is worth.

python -m examples.custom_regulariser
"""

import dataclasses
import pathlib

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from attn_jax.models.seam import AttentiveModel, Pass
from attn_jax.training.objective import Likelihood, Objective
from attn_jax.types import Example, Params


@dataclasses.dataclass(frozen=True)
class Peaked:
    """`strength` times the chance that two glances, drawn from the attention, fall on different words."""

    strength: float = 0.3

    def __call__(
        self, model: AttentiveModel, params: Params, example: Example, seen: Pass, rng: Array
    ) -> Float[Array, ""]:
        """The penalty of one example, from what its forward pass shows."""
        return self.strength * (1.0 - jnp.square(seen.alpha).sum())


def main(
    out: pathlib.Path = pathlib.Path("runs/peaked"),
    strength: float = 0.3,
    seeds: int = 2,
    epochs: int = 40,
) -> None:
    """Train a BiLSTM on `reviews` with and without the term, and see what altered attention costs each."""
    from attn_jax.report import regularised_page
    from experiments import paired, regularised, subject
    from experiments.request import Request

    request = Request("reviews", seeds=seeds, preset="quick", epochs=epochs)
    base = regularised.cell(subject.loaded(request, "tutek_snajder"), "base", "additive", seeds=range(seeds))
    peaked = dataclasses.replace(
        base,
        key=dataclasses.replace(base.key, variant="peaked"),
        objective=Objective(base.model, (Likelihood(), Peaked(strength))),
        strength=strength,
    )
    for cell in (base, peaked):
        regularised.run(cell, out / cell.key.name)
    paired.run(out)
    print(f"The page: {regularised_page.write_page(out)}")


if __name__ == "__main__":
    from experiments import command

    command.run(main, prog="examples.custom_regulariser")
