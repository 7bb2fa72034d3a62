"""How much does a model rely on its attention? Vashishth et al.'s tests of one model on one batch.

Works for one site (classifiers, pairs) and for words and sentences (HAN), whose attentions are altered
together, and each alone beside it.
"""

import math
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Key

from attn_jax import divergences, outputs
from attn_jax import rng as streams
from attn_jax.analyses.flips import single_weight
from attn_jax.analyses.gating import gating_gap
from attn_jax.models.alterations import ALTERATIONS
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Encoded, Example, Params

PERMUTATIONS = 100  # section 4.1, after Jain & Wallace (2019), Alg. 2


def reliance(
    model: AttentiveModel, params: Params, batch: Example, rng: Key[Array, ""], alter: Sequence[str]
) -> dict[str, np.ndarray]:
    """All columns of a batch [B, ...], rows of padding included. `rng` is the seed's root stream.

    `alter` names the alterations tried at inference (Table 1 and 2, Infer).
    """
    return jax.device_get(dict(_examine(model, tuple(alter), params, batch, rng)))


@jax.jit(static_argnums=(0, 1))
def _examine(
    model: AttentiveModel, alter: tuple[str, ...], params: Params, batch: Example, rng: Key[Array, ""]
) -> Mapping[str, Array]:
    def one(example: Example) -> Mapping[str, Array]:
        own = streams.instance(rng, example.index)
        encoded = model.encode(params, model.embed(params, example))
        last = encoded
        if len(model.sites) > 1:
            last = model.encode(params, model.embed(params, example), site=model.sites[-1])
        alpha = model.attend(params, encoded)
        said = model.decode(params, encoded, alpha)
        return (
            _appearance(model, params, encoded, last, alpha, said)
            | _altered(model, params, encoded, said, own, alter)
            | _permuted(model, params, encoded, said, alpha, own)
            | _removed(model, params, last, own)
        )

    return jax.vmap(one)(batch)


def _appearance(
    model: AttentiveModel,
    params: Params,
    encoded: Encoded,
    last: Encoded,
    alpha: Float[Array, "*Q T"],
    said: Float[Array, "C"],
) -> dict[str, Array]:
    """What the model says, and the weight that each word has in it: a HAN's two weights multiplied."""
    columns = {"probabilities": outputs.probabilities(said), "prediction": outputs.predicted(said)}
    if encoded.mask.ndim == 2:
        upper = model.attend(params, last)
        each = jnp.broadcast_to(upper[:, None], alpha.shape)
        columns |= {"score/word_alpha": alpha, "score/sentence_alpha": each}
        alpha = alpha * each
    else:
        columns |= {"gating_gap": gating_gap(model, params, encoded, alpha)}  # Proposition 4.1
    return columns | {"alpha": alpha, "max_attention": alpha.max(), "length": encoded.mask.sum()}


def _altered(
    model: AttentiveModel,
    params: Params,
    encoded: Encoded,
    said: Float[Array, "C"],
    own: Key[Array, ""],
    alter: Sequence[str],
) -> dict[str, Array]:
    """Each alteration at all sites, then, where there are several, at each alone; one draw an instance."""
    places = {"": model.sites}
    if len(model.sites) > 1:
        places |= {f"_{site}": (site,) for site in model.sites}
    columns = {}
    for name in alter:
        for suffix, sites in places.items():
            chosen = dict.fromkeys(sites, ALTERATIONS[name])
            logits = model.decode_altered(params, encoded, chosen, streams.stream(own, name))
            columns[f"prediction_{name}_infer{suffix}"] = outputs.predicted(logits)
            columns[f"tvd_{name}_infer{suffix}"] = _tvd(logits, said)
    return columns


def _permuted(
    model: AttentiveModel,
    params: Params,
    encoded: Encoded,
    said: Float[Array, "C"],
    alpha: Float[Array, "*Q T"],
    own: Key[Array, ""],
) -> dict[str, Array]:
    """Figure 2: the median TVD over permutations. For one site also the weights of the altered model."""
    everywhere = dict.fromkeys(model.sites, ALTERATIONS["permute"])
    rngs = jax.random.split(streams.stream(own, "permutations"), PERMUTATIONS)
    moved = jax.vmap(lambda rng: _tvd(model.decode_altered(params, encoded, everywhere, rng), said))(rngs)
    columns = {"permutation_median_tvd": jnp.median(moved)}
    if len(model.sites) == 1:
        # The draw of `_altered`: what stands behind `prediction_permute_infer`.
        drawn = ALTERATIONS["permute"](streams.stream(own, "permute"), alpha, jnp.asarray(encoded.mask))
        columns |= {"score/permuted_alpha": drawn}
    return columns


def _removed(model: AttentiveModel, params: Params, last: Encoded, own: Key[Array, ""]) -> dict[str, Array]:
    """Figure 3: the highest weight zeroed against a random one, at the last attention of the model.

    That is the words' for one site, the sentences' for a HAN, as Serrano & Smith (2019) do it.
    """
    found = single_weight(
        lambda alpha: model.decode(params, last, alpha),
        model.attend(params, last),
        last.mask,
        streams.stream(own, "removed"),
    )
    columns = found._asdict()
    defined = columns.pop("defined")
    return {f"removed_{name}": jnp.where(defined, value, math.nan) for name, value in columns.items()}


def _tvd(logits: Float[Array, "C"], said: Float[Array, "C"]) -> Float[Array, ""]:
    return divergences.tvd(outputs.probabilities(logits), outputs.probabilities(said))
