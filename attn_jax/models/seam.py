"""The one seam: every attentive model is cut into embed, encode, attend, decode.

Seam functions take the parameters first and one example; callers `vmap`. A counterfactual is then

    jax.vmap(model.decode, (None, None, 0))(params, encoded, alphas)

whatever the model family and whatever made the alphas.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Key

from attn_jax.models.recurrence import Reading
from attn_jax.types import Embedded, Encoded, Evidence, Example, Params

Alteration = Callable[[Key[Array, ""], Float[Array, "*Q T"], Bool[Array, "*Q T"]], Float[Array, "*Q T"]]


class Pass(NamedTuple):
    """One example's way through the seam, for losses that look at more than the logits."""

    embedded: Embedded
    encoded: Encoded
    alpha: Float[Array, "*Q T"]
    logits: Float[Array, "*S C"]


class AttentiveModel(nn.Module):
    """What analyses know of a model. A family fills in `_embed`, `_encode`, `_attend`, `_decode`.

    `sites` names the places where it attends; `affine` promises that logits == alpha @ token_logits
    for every alpha that sums to 1, which is what certificates rest on.
    """

    sites: ClassVar[tuple[str, ...]] = ("text",)
    affine: ClassVar[bool] = False

    @property
    def skips_gaps(self) -> bool:
        """Whether an invalid position inside a text reads as a deleted token, states elsewhere alike."""
        return False

    @property
    def reads_on(self) -> bool:
        """Whether the states of a text without a token follow from `readings`, the rest being untouched."""
        return False

    def __call__(self, example: Example) -> Float[Array, "*S C"]:
        """Logits of one example: the composition of the four parts, for `init`."""
        encoded = self._encode(self._embed(example), site=self.sites[0], train=False)
        return self._decode(encoded, self._attend(encoded))

    @nn.nowrap
    def init_params(self, rng: Key[Array, ""], example: Example) -> Params:
        """Fresh parameters. Jitted: an un-jitted LSTM `init` takes many seconds."""
        rngs = dict(zip(("params", "attention"), jax.random.split(rng), strict=True))
        return _init(self, rngs, jax.tree.map(jnp.asarray, example))["params"]

    @nn.nowrap
    def embed(self, params: Params, example: Example) -> Embedded:
        """One example to vectors; gradients are taken at its `x`."""
        return self._call("_embed", params, example)

    @nn.nowrap
    def encode(
        self,
        params: Params,
        embedded: Embedded,
        *,
        site: str | None = None,
        train: bool = False,
        rngs: Any = None,
    ) -> Encoded:
        """Everything before `site` (the first by default) under natural attention.

        To `train` is to differentiate the sum over a vmapped batch, which a recurrent encoder reads at once.
        """
        site = site or self.sites[0]
        self.check_sites(site)
        return self._call("_encode", params, embedded, site=site, train=train, rngs=rngs)

    @nn.nowrap
    def readings(self, params: Params, embedded: Embedded) -> tuple[Reading, Reading]:
        """What a recurrent encoder does at each step, forward and backward, where `reads_on`."""
        return self._call("_readings", params, embedded)

    @nn.nowrap
    def attend(self, params: Params, encoded: Encoded, *, rngs: Any = None) -> Float[Array, "*Q T"]:
        """The model's own attention: sums to 1 over `encoded.mask`, or is 0 where that is empty."""
        return self._call("_attend", params, encoded, rngs=rngs)

    @nn.nowrap
    def decode(self, params: Params, encoded: Encoded, alpha: Float[Array, "*Q T"]) -> Float[Array, "*S C"]:
        """Logits under any attention, the states held fixed."""
        return self._call("_decode", params, encoded, alpha)

    @nn.nowrap
    def token_logits(self, params: Params, encoded: Encoded) -> Float[Array, "*Q T C"]:
        """`decode` at each attention whose only weight is 1 on one token (Tutek & Snajder 2020, eq. 9)."""
        mask = encoded.mask
        alphas = jnp.eye(mask.size).reshape(mask.size, *mask.shape)
        logits = jax.vmap(self.decode, (None, None, 0))(params, encoded, alphas)
        return logits.reshape(*mask.shape, -1)

    @nn.nowrap
    def forward(
        self, params: Params, example: Example, *, train: bool = False, rngs: Any = None
    ) -> Float[Array, "*S C"]:
        """Logits of one example: exactly the composition of the four parts."""
        encoded = self.encode(params, self.embed(params, example), train=train, rngs=rngs)
        return self.decode(params, encoded, self.attend(params, encoded, rngs=rngs))

    @nn.nowrap
    def traverse(self, params: Params, example: Example, *, train: bool = False, rngs: Any = None) -> Pass:
        """The same with everything on the way; a family may fuse it, a test holding it equal to `forward`."""
        embedded = self.embed(params, example)
        encoded = self.encode(params, embedded, train=train, rngs=rngs)
        alpha = self.attend(params, encoded, rngs=rngs)
        return Pass(embedded, encoded, alpha, self.decode(params, encoded, alpha))

    @nn.nowrap
    def forward_altered(
        self, params: Params, example: Example, alterations: Mapping[str, Alteration], rng: Key[Array, ""]
    ) -> Float[Array, "*S C"]:
        """Logits with the attention of each named site replaced by `alteration(rng, alpha, mask)`.

        It wraps the weights, not the module, so parameter paths never change.
        """
        encoded = self.encode(params, self.embed(params, example), rngs={"attention": rng})
        return self.decode_altered(params, encoded, alterations, rng)

    @nn.nowrap
    def decode_altered(
        self, params: Params, encoded: Encoded, alterations: Mapping[str, Alteration], rng: Key[Array, ""]
    ) -> Float[Array, "*S C"]:
        """`forward_altered` from the first site on: one encoding serves many alterations.

        This is the case of a single site; families with several override it, or `forward_altered`.
        """
        self.check_sites(*alterations)
        alpha = self.attend(params, encoded, rngs={"attention": rng})
        for alter in alterations.values():
            alpha = alter(rng, alpha, jnp.asarray(encoded.mask))
        return self.decode(params, encoded, alpha)

    @nn.nowrap
    def evidence(
        self, params: Params, example: Example, *, site: str | None = None, rngs: Any = None
    ) -> Evidence:
        """What one forward pass shows at `site` (the first by default); `observe` runs it over a batch."""
        encoded = self.encode(params, self.embed(params, example), site=site, rngs=rngs)
        return self.evidence_of(params, encoded, rngs=rngs)

    @nn.nowrap
    def evidence_of(self, params: Params, encoded: Encoded, *, rngs: Any = None) -> Evidence:
        """What the rest of that pass shows, from the states on."""
        alpha = self.attend(params, encoded, rngs=rngs)
        return Evidence(
            encoded, alpha, self.decode(params, encoded, alpha), self.token_logits(params, encoded)
        )

    @nn.nowrap
    def check_sites(self, *names: str) -> None:
        """Raises for a name that is none of the model's sites."""
        for site in names:
            if site not in self.sites:
                raise ValueError(f"{type(self).__name__} attends at {', '.join(self.sites)}, not at {site}.")

    @nn.nowrap
    def _call(self, method: str, params: Params, *args: Any, rngs: Any = None, **kwargs: Any) -> Any:
        return self.apply({"params": params}, *args, rngs=rngs, method=method, **kwargs)


@jax.jit(static_argnums=0)
def _init(model: AttentiveModel, rngs: dict[str, Array], example: Example) -> Params:
    return model.init(rngs, example)
