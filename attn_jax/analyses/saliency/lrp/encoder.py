"""Relevance backwards through the encoders, from states [T, H] to word vectors [T, E]."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from attn_jax.analyses.saliency.lrp.lstm import lstm
from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.errors import UserError
from attn_jax.models.encoders import CNN, Average, BiLSTM
from attn_jax.models.wrappers import Concat, Residual
from attn_jax.types import AnyArray, Params

Found = tuple[Float[Array, "T E"], Float[Array, ""]]


def through_encoder(
    rule: Rule,
    encoder: nn.Module,
    params: Params,
    x: Float[Array, "T E"],
    valid: Bool[AnyArray, "T"],
    relevance: Float[Array, "T H"],
) -> Found:
    """Relevance of each word vector, and the sum of what ended elsewhere (initial states, no words)."""
    if isinstance(encoder, BiLSTM):
        return _bilstm(rule, encoder, params, x, valid, relevance)
    if isinstance(encoder, CNN):
        return _cnn(rule, encoder, params, x, relevance)
    if isinstance(encoder, Average):
        return _dense(rule, params["project"]["dense"], x, relevance), jnp.zeros((), x.dtype)
    if isinstance(encoder, Concat | Residual):
        return _wrapper(rule, encoder, params, x, valid, relevance)
    raise UserError(
        f"LRP has no rule for the encoder {type(encoder).__name__}: leave lrp out of the methods, or add "
        "a branch in attn_jax/analyses/saliency/lrp/encoder.py."
    )


def _dense(rule: Rule, params: Params, x: Float[Array, "T I"], relevance: Float[Array, "T O"]) -> Array:
    """An affine map at each position; the activation after it passes relevance as it is."""
    kernel, bias = params["kernel"], params["bias"]
    each = jax.vmap(lambda z, made, r: rule.affine(kernel, bias, z, made, r, z.shape[0]))
    return each(x, x @ kernel + bias[None], relevance)


def _cnn(
    rule: Rule, encoder: CNN, params: Params, x: Float[Array, "T E"], relevance: Float[Array, "T H"]
) -> Found:
    """Each filter's relevance goes to its window; parts of windows beyond the text are no words."""
    margin = max(encoder.widths) // 2
    padded = jnp.pad(x, ((margin, margin), (0, 0)))
    total = jnp.zeros_like(padded)
    for width, own in zip(encoder.widths, jnp.split(relevance, len(encoder.widths), -1), strict=True):
        cut = functools.partial(_windows, first=margin - width // 2, width=width, length=x.shape[0])
        windows, fold = jax.vjp(cut, padded)
        # The transpose of taking windows adds up what a word received in each of its windows.
        total = total + fold(_dense(rule, params[f"width_{width}"]["dense"], windows, own))[0]
    words = total[margin : margin + x.shape[0]]
    return words, total[:margin].sum() + total[margin + x.shape[0] :].sum()


def _windows(padded: Float[Array, "P E"], first: int, width: int, length: int) -> Float[Array, "T W"]:
    return jnp.concatenate([padded[first + offset :][:length] for offset in range(width)], -1)


def _bilstm(
    rule: Rule,
    encoder: BiLSTM,
    params: Params,
    x: Float[Array, "T E"],
    valid: Bool[AnyArray, "T"],
    relevance: Float[Array, "T H"],
) -> Found:
    """Both directions of each layer, the last layer first."""
    left = jnp.zeros((), x.dtype)
    for layer in reversed(range(encoder.layers)):
        below = _states(BiLSTM(encoder.hidden, layer), params, x, valid) if layer else x
        ahead, back = jnp.split(relevance, 2, -1)
        first, first_left = lstm(rule, params[f"forward_{layer}"], below, valid, ahead, reverse=False)
        second, second_left = lstm(rule, params[f"backward_{layer}"], below, valid, back, reverse=True)
        relevance, left = first + second, left + first_left + second_left
    return relevance, left


def _wrapper(
    rule: Rule,
    encoder: Concat | Residual,
    params: Params,
    x: Float[Array, "T E"],
    valid: Bool[AnyArray, "T"],
    relevance: Float[Array, "T H"],
) -> Found:
    """The words' own share goes to them at once, the rest through the inner encoder."""
    if isinstance(encoder, Concat):
        inner, own = jnp.split(relevance, [relevance.shape[1] - x.shape[1]], -1)
    else:
        parts = jnp.stack([_states(encoder.inner, params["inner"], x, valid), x], 1)
        share = jax.vmap(lambda pair, r: rule.addends(pair, pair.sum(0), r, 2 * x.shape[1]))
        inner, own = jnp.moveaxis(share(parts, relevance), 1, 0)
    found, left = through_encoder(rule, encoder.inner, params["inner"], x, valid, inner)
    return found + own, left


def _states(
    encoder: nn.Module, params: Params, x: Float[Array, "T E"], valid: Bool[AnyArray, "T"]
) -> Float[Array, "T H"]:
    return encoder.apply({"params": params}, x, valid)[0]  # pyright: ignore[reportReturnType]
