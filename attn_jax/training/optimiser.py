"""Adam as in Jain & Wallace: L2 is added to the gradient, as PyTorch's `weight_decay` does."""

import dataclasses

import jax
import optax

from attn_jax.types import Params


@dataclasses.dataclass(frozen=True)
class Optimiser:
    """The paper's settings by default; J&W's code has amsgrad and spares the attention from L2.

    optax takes amsgrad's maximum over the bias-corrected second moment, PyTorch over the raw one.
    """

    learning_rate: float = 1e-3
    l2: float = 1e-5
    amsgrad: bool = False
    l2_on_attention: bool = True
    clip: float | None = None

    def build(self) -> optax.GradientTransformation:
        """The optax chain."""
        scale = optax.scale_by_amsgrad() if self.amsgrad else optax.scale_by_adam()
        return optax.chain(
            optax.identity() if self.clip is None else optax.clip_by_global_norm(self.clip),
            optax.add_decayed_weights(self.l2, mask=None if self.l2_on_attention else _not_attention),
            scale,
            optax.scale(-self.learning_rate),
        )


def _not_attention(params: Params) -> Params:
    return jax.tree_util.tree_map_with_path(lambda path, _: path[0].key != "attention", params)


@dataclasses.dataclass(frozen=True)
class Scheduled(Optimiser):
    """AdamW with a linear warm-up, then down to 0 at `steps` as a straight line (Devlin et al. 2019).

    `l2` is the decoupled weight decay of matrices (Loshchilov & Hutter 2019); biases and scales have none.
    """

    warmup: int = 1
    steps: int = 1
    betas: tuple[float, float] = (0.9, 0.999)

    def build(self) -> optax.GradientTransformation:
        """The optax chain."""
        rate = optax.warmup_constant_schedule(0.0, self.learning_rate, self.warmup)
        fall = optax.linear_schedule(1.0, 0.0, self.steps - self.warmup, self.warmup)
        return optax.chain(
            optax.identity() if self.clip is None else optax.clip_by_global_norm(self.clip),
            optax.adamw(
                lambda step: rate(step) * fall(step), *self.betas, weight_decay=self.l2, mask=_matrices
            ),
        )


def _matrices(params: Params) -> Params:
    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)


@dataclasses.dataclass(frozen=True)
class PartlyFrozen(Optimiser):
    """Leaves some top-level modules as they were initialised: no update, L2, moments or share in the norm."""

    frozen: tuple[str, ...] = ("embedding", "question_embedding")

    def build(self) -> optax.GradientTransformation:
        """The optax chain on all that is not frozen."""
        return optax.partition({"trained": super().build(), "frozen": optax.set_to_zero()}, self._parts)

    def _parts(self, params: Params) -> Params:
        return jax.tree_util.tree_map_with_path(
            lambda path, _: "frozen" if path[0].key in self.frozen else "trained", params
        )


PAPER = Optimiser()
RELEASED = Optimiser(amsgrad=True, l2_on_attention=False)
RELEASED_PAIR = Optimiser(amsgrad=True)  # the code for two sequences spares nothing from L2
