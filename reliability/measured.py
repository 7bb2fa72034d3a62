"""Every column of a trial on a fixed model and fixed texts, in the precision that jax is set to.

    python -m reliability.measured FILE.npz
    JAX_ENABLE_X64=1 python -m reliability.measured FILE.npz

Parameters are drawn in float32 and then widened, and so are random numbers, so that both precisions
compute the same thing.
"""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from attn_jax import rng as streams
from attn_jax.analyses.adversary import Search
from attn_jax.analyses.trial import Trial, trial
from attn_jax.models.presets import Sizes, classifier
from attn_jax.models.seam import AttentiveModel
from attn_jax.types import Example, Params

TEXTS, LENGTH, WORDS = 64, 16, 50
SIZES = Sizes(embedding=16, bilstm=8)
SETTINGS = Trial(search=Search(steps=50))


def texts(count: int = TEXTS, start: int = 0) -> Example:
    """Random texts of 1 to 14 words between SOS and EOS, as a batch; the first has the number `start`."""
    dice = np.random.default_rng(start)
    ids = dice.integers(4, WORDS, (count, LENGTH)).astype(np.int32)
    sizes = dice.integers(1, LENGTH - 1, (count, 1))
    place = np.arange(LENGTH)[None]
    valid, attendable = place < sizes + 2, (place >= 1) & (place <= sizes)
    return Example(
        ids=np.where(valid, ids, 0),
        valid=valid,
        attendable=attendable,
        label=dice.integers(0, 2, count).astype(np.int32),
        weight=np.ones(count, np.float32),
        index=np.arange(start, start + count, dtype=np.int32),
        rationale=attendable & (dice.random(valid.shape) < 0.3),
    )


def in_float32(draw: Callable) -> Callable:
    """A random draw that is the same in both precisions."""

    def widened(key: Any, shape: tuple[int, ...] = (), *_: Any, **__: Any) -> jax.Array:
        return draw(key, shape, jnp.float32).astype(float)

    return widened


def subject() -> tuple[AttentiveModel, Params]:
    """A BiLSTM with weights large enough to have opinions."""
    model = classifier("bilstm", "additive", words=WORDS, classes=2, sizes=SIZES)
    params = model.init_params(streams.root(0), jax.tree.map(lambda a: a[0], texts(1)))
    dice = np.random.default_rng(1)
    draw = lambda a: jnp.asarray(dice.normal(0, 0.7, a.shape).astype(np.float32), float)  # noqa: E731
    return model, jax.tree.map(draw, params)


def columns() -> dict[str, np.ndarray]:
    """The trial of that model."""
    model, params = subject()
    jax.random.normal, jax.random.uniform = map(in_float32, (jax.random.normal, jax.random.uniform))
    return trial(model, params, texts(), streams.root(0), SETTINGS)


if __name__ == "__main__":
    found: dict[str, Any] = {**columns()}
    np.savez(sys.argv[1], **found)
