"""The pytrees that flow through the seam, and the glossary of their axes.

    batch --embed--> Embedded --encode--> Encoded --attend--> alpha --decode--> logits

B batch, T source, M sentences, S target, E embedding, H hidden, N heads, L layers, V vocabulary,
C classes, K samples, R restarts. Every function of the seam takes one example; callers `vmap`.
"""

from typing import Any

import flax.struct
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int

# One alphabet for both sides of the device boundary: batches are assembled in NumPy.
AnyArray = Array | np.ndarray
Params = Any


class Example(flax.struct.PyTreeNode):
    """One instance, padded to its bucket's length T; a batch is the same with a leading axis B.

    `valid` marks what is not padding and drives the encoder; `attendable` marks what attention may
    look at (never padding, and by J&W's convention neither SOS nor EOS). A row of padding has
    `weight` 0 and nothing valid.

    A document for a hierarchical model has its sentences as rows: every axis T below is then [M, T], in
    this class and in the next ones (states [M, T, H]), with T the length of a sentence.
    """

    ids: Int[AnyArray, "*B T"]
    valid: Bool[AnyArray, "*B T"]
    attendable: Bool[AnyArray, "*B T"]
    label: Int[AnyArray, "*B"]
    weight: Float[AnyArray, "*B"]
    index: Int[AnyArray, "*B"]  # position in the corpus split: names the instance's own random streams
    question_ids: Int[AnyArray, "*B Q"] | None = None
    question_valid: Bool[AnyArray, "*B Q"] | None = None
    choices: Bool[AnyArray, "*B C"] | None = None  # the answers that can be given (CNN's entities)
    given: Float[AnyArray, "*B T"] | None = None  # attention dumped from elsewhere, for `Given`
    rationale: Bool[AnyArray, "*B T"] | None = None  # the decisive tokens, where they are known
    target_ids: Int[AnyArray, "*B S+1"] | None = None  # SOS, the words to be written, EOS
    target_valid: Bool[AnyArray, "*B S+1"] | None = None


class Embedded(flax.struct.PyTreeNode):
    """One embedded example: `x` is the attended sequence, the point at which gradients are taken."""

    x: Float[Array, "T E"]
    valid: Bool[AnyArray, "T"]
    attendable: Bool[AnyArray, "T"]
    question: Float[Array, "Q E"] | None = None
    question_valid: Bool[AnyArray, "Q"] | None = None
    choices: Bool[AnyArray, "C"] | None = None
    given: Float[AnyArray, "T"] | None = None
    target: Float[Array, "S E"] | None = None  # the word before each word to be written
    target_valid: Bool[AnyArray, "S"] | None = None


class Encoded(flax.struct.PyTreeNode):
    """All that an analysis of attention holds fixed. `carry` is opaque to everyone but the model."""

    states: Float[Array, "T H"]
    mask: Bool[AnyArray, "*Q T"]  # attendable, exactly alpha's shape
    query: Float[Array, "*Q H"] | None = None
    carry: Any = None
    given: Float[AnyArray, "T"] | None = None


class Evidence(flax.struct.PyTreeNode):
    """What one forward pass shows: the input of every fixed-state analysis."""

    encoded: Encoded
    alpha: Float[Array, "*Q T"]
    logits: Float[Array, "*S C"]
    token_logits: Float[Array, "*Q T C"]
