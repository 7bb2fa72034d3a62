"""One forward pass per batch, shared by every analysis that holds the states fixed."""

from collections.abc import Callable

import jax
import numpy as np
from jax import Array
from jaxtyping import Float, Key

from attn_jax import rng as streams
from attn_jax.analyses.entrance import entrance
from attn_jax.errors import UserError
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Evidence, Example, Params


def observe(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""], *, site: str | None = None
) -> Evidence:
    """Evidence of a batch (leading axis B) at `site`, the model's first by default.

    Finiteness is checked here, on the host, once for all.
    """
    evidence = _observe(model, site, params, batch, rng)
    if not all(np.isfinite(a).all() for a in (evidence.alpha, evidence.logits, evidence.token_logits)):
        raise UserError(
            f"The model's attention or logits are not finite for some of instances {batch.index.tolist()}: "
            "its parameters are damaged; train it again or restore another checkpoint."
        )
    return evidence


@jax.jit(static_argnums=(0, 1))
def _observe(
    model: AttentiveModel, site: str | None, params: Params, batch: Example, rng: Key[Array, ""]
) -> Evidence:
    def one(example: Example) -> Evidence:
        own = streams.instance(rng, example.index)
        if not model.reads_on:
            return model.evidence(params, example, site=site, rngs={"attention": own})
        # Nothing here is differentiated in the parameters, so the batch can be read as for slopes.
        embedded = model.embed(params, example)
        door = entrance(model, params, embedded, own)
        encoded = door.encode(door.enter(embedded.x))
        return model.evidence_of(params, encoded, rngs={"attention": own})

    return jax.vmap(one)(batch)


def counterfactual(
    model: AttentiveModel, params: Params, evidence: Evidence
) -> Callable[[Float[Array, "*Q T"]], Float[Array, "C"]]:
    """The map from alpha to the logits of one example with its states held fixed.

    For an affine decoder T x C products instead of T x H; valid for every alpha that sums to 1.
    """
    if model.affine:
        return lambda alpha: alpha @ evidence.token_logits
    return lambda alpha: model.decode(params, evidence.encoded, alpha)
