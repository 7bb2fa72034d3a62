"""Tutek & Snajder's models: a base, and what each variant wraps around it or adds to its loss."""

import dataclasses
from collections.abc import Callable

import flax.linen as nn

from attn_jax.errors import UserError
from attn_jax.models.classifier import SequenceClassifier
from attn_jax.models.wrappers import Concat, Residual
from attn_jax.training.objective import Likelihood, Objective, Term
from attn_jax.training.optimiser import Optimiser, PartlyFrozen
from attn_jax.training.regularisers.diversity import Diversity
from attn_jax.training.regularisers.mlm import MaskedWords
from attn_jax.training.regularisers.tying import Tying

CLIP = 5.0  # their Table 4


@dataclasses.dataclass(frozen=True)
class Variant:
    """How a variant differs from the base. `grid` are the strengths that its term is tried at."""

    wrap: Callable[[nn.Module], nn.Module] | None = None
    term: Callable[[float], Term] | None = None
    grid: tuple[float, ...] = ()
    frozen_words: bool = False

    def objective(self, model: SequenceClassifier, strength: float | None) -> Objective:
        """The variant of `model` and its loss."""
        if self.wrap:
            model = model.clone(encoder=self.wrap(model.encoder))
        if self.term is None:
            return Objective(model)
        assert strength is not None  # a term's strength is chosen before it is trained with
        return Objective(model, (Likelihood(), self.term(strength)))

    @property
    def optimiser(self) -> Optimiser:
        """Adam at 1e-3, L2 1e-5, gradients clipped; MLM keeps its words frozen (section 3.1)."""
        return PartlyFrozen(clip=CLIP) if self.frozen_words else Optimiser(clip=CLIP)


VARIANTS = {
    "base": Variant(),
    "concat": Variant(wrap=Concat),
    "residual": Variant(wrap=Residual),
    "tying": Variant(term=Tying, grid=(1.0, 10.0, 20.0, 30.0)),
    "mlm": Variant(term=MaskedWords, grid=(0.1, 0.3, 1.0, 3.0, 5.0), frozen_words=True),
    # Mohankumar et al. (2020): not among the paper's.
    "diversity": Variant(term=Diversity, grid=(0.1, 0.5, 1.0)),
}


def named(name: str) -> Variant:
    """The variant called `name`; a wrong name lists the right ones."""
    if name not in VARIANTS:
        raise UserError(f"There is no variant called {name!r}: choose one of {', '.join(VARIANTS)}, or all.")
    return VARIANTS[name]
