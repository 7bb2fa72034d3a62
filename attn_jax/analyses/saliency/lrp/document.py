"""Relevance backwards through hierarchical attention: to the sentences, then to the words of each."""

import jax
import jax.numpy as jnp
from jax import Array

from attn_jax.analyses.case import Case
from attn_jax.analyses.saliency.lrp.decoder import through_decoder
from attn_jax.analyses.saliency.lrp.encoder import through_encoder
from attn_jax.analyses.saliency.lrp.pooling import through_attention
from attn_jax.analyses.saliency.lrp.rule import Rule
from attn_jax.models.hierarchical import HierarchicalClassifier


def through_document(rule: Rule, model: HierarchicalClassifier, case: Case) -> tuple[Array, Array, Array]:
    """Relevance of each word vector [M, T, E], what ended elsewhere, and the logit."""
    params, words, rngs = case.params, case.seen.encoded, {"attention": case.rng}
    embedded = model.embed(params, case.example)
    sentences = model.encode(params, embedded, site="sentence", rngs=rngs)
    alpha = model.attend(params, sentences, rngs=rngs)
    started, _, logit = through_decoder(rule, model, params, sentences, alpha @ sentences.states, case.logits)
    pooled = through_attention(rule, alpha, sentences.states, sentences.mask, started)
    contexts = jnp.einsum("mt,mth->mh", case.alpha, words.states)
    real = jnp.asarray(embedded.valid).any(-1)
    own = params.get("sentence_encoder", {})
    reached, left = through_encoder(rule, model.sentence_encoder, own, contexts, real, pooled)

    def sentence(x, valid, alpha, states, mask, relevance):
        given = through_attention(rule, alpha, states, mask, relevance)
        return through_encoder(rule, model.word_encoder, params.get("word_encoder", {}), x, valid, given)

    seen = case.alpha, words.states, jnp.asarray(words.mask)
    found, lost = jax.vmap(sentence)(embedded.x, jnp.asarray(embedded.valid), *seen, reached)
    empty = jnp.where(jnp.asarray(words.mask).any(-1), 0.0, reached.sum(-1)).sum()
    return found, left + lost.sum() + empty, logit
