"""Distributions over few tokens with the same logits as alpha, improved by exchanging one token at a time.

{a : sum a = 1, a @ l = alpha @ l} is a polytope whose vertices hold at most D tokens, one for each
equation. JSD(., alpha) is convex, so from any point some vertex at least as far away is reached by pushing
tokens to 0 one after another; from there neighbouring vertices are tried, as the simplex method does, for
as long as one is farther. The tableau is the equations solved for the D tokens of the basis.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int

from attn_jax.divergences import xlogx

# Pivots on smaller elements are refused: they would only multiply rounding.
PIVOT = 1e-4
EXCHANGES = 32


class Basis(NamedTuple):
    """The point `x`, the D tokens that may be positive without a choice, and the solved equations."""

    x: Float[Array, "T"]
    tokens: Int[Array, "D"]
    tableau: Float[Array, "D T"]


def farthest_vertex(
    alpha: Float[Array, "T"], equations: Float[Array, "D T"], mask: Bool[Array, "T"]
) -> Float[Array, "T"]:
    """A vertex of {a : equations @ a = equations @ alpha} that no neighbour beats in JSD to alpha."""
    basis = _push(_start(alpha, equations, mask), alpha, mask)
    basis = jax.lax.fori_loop(0, EXCHANGES, lambda _, b: _improve(b, alpha, mask), basis)
    total = basis.x.sum()
    return jnp.where(total > 0, basis.x / total, alpha)


def _start(alpha: Float[Array, "T"], equations: Float[Array, "D T"], mask: Bool[Array, "T"]) -> Basis:
    """Gauss-Jordan elimination: for each equation the token with the largest element."""

    def eliminate(row: Int[Array, ""], state: tuple[Array, Array]) -> tuple[Array, Array]:
        tokens, tableau = state
        token = jnp.argmax(jnp.where(mask, jnp.abs(tableau[row]), -1.0)).astype(jnp.int32)
        return tokens.at[row].set(token), _pivot(tableau, row, token)

    blank = jnp.zeros(equations.shape[0], jnp.int32)
    tokens, tableau = jax.lax.fori_loop(0, equations.shape[0], eliminate, (blank, equations))
    return Basis(alpha, tokens, tableau)


def _pivot(tableau: Float[Array, "D T"], row: Int[Array, ""], token: Int[Array, ""]) -> Float[Array, "D T"]:
    """The tableau solved for `token` in `row`; unchanged where the element is too small."""
    element = tableau[row, token]
    usable = jnp.abs(element) > PIVOT
    scaled = tableau[row] / element
    solved = (tableau - jnp.outer(tableau[:, token], scaled)).at[row].set(scaled)
    return jnp.where(usable, solved, tableau)


def _push(basis: Basis, alpha: Float[Array, "T"], mask: Bool[Array, "T"]) -> Basis:
    """Every token outside the basis to 0, or into the basis in place of one that reaches 0."""

    def one(basis: Basis, token: Int[Array, ""]) -> tuple[Basis, None]:
        up, down = _room(basis, token, 1.0), jnp.maximum(-basis.x[token], -_room(basis, token, -1.0))
        rise, fall = (_gain(basis, alpha, token, step) for step in (up, down))
        step = jnp.where((rise > fall) & jnp.isfinite(up), up, down)
        free = mask[token] & (basis.tokens != token).all() & (basis.x[token] > 0)
        moved = _move(basis, token, step)
        return jax.tree.map(lambda new, old: jnp.where(free, new, old), moved, basis), None

    return jax.lax.scan(one, basis, jnp.arange(alpha.shape[0], dtype=jnp.int32))[0]


def _improve(basis: Basis, alpha: Float[Array, "T"], mask: Bool[Array, "T"]) -> Basis:
    """The neighbouring vertex that gains most, if one gains."""
    every = jnp.arange(alpha.shape[0], dtype=jnp.int32)
    steps = jax.vmap(lambda token: _room(basis, token, 1.0))(every)
    gains = jax.vmap(lambda token, step: _gain(basis, alpha, token, step))(every, steps)
    outside = mask & jnp.isfinite(steps) & jnp.ones_like(mask).at[basis.tokens].set(False)
    gains = jnp.where(outside, gains, -jnp.inf)
    token = jnp.argmax(gains).astype(jnp.int32)
    moved = _move(basis, token, steps[token])
    return jax.tree.map(lambda new, old: jnp.where(gains[token] > 1e-6, new, old), moved, basis)


def _room(basis: Basis, token: Int[Array, ""], sign: float) -> Float[Array, ""]:
    """How far the token's weight can go (up: 1, down: -1) before one of the basis reaches 0."""
    slope = sign * basis.tableau[:, token]
    return jnp.where(slope > PIVOT, basis.x[basis.tokens] / slope, jnp.inf).min()


def _gain(
    basis: Basis, alpha: Float[Array, "T"], token: Int[Array, ""], step: Float[Array, ""]
) -> Float[Array, ""]:
    """Change of JSD (doubled) when the token's weight grows by `step` and the basis gives way."""
    held, a = basis.x[basis.tokens], alpha[basis.tokens]
    after = jnp.maximum(held - step * basis.tableau[:, token], 0.0)
    x = basis.x[token]
    entering = _part(jnp.maximum(x + step, 0.0), alpha[token]) - _part(x, alpha[token])
    return entering + (_part(after, a) - _part(held, a)).sum()


def _part(p: Array, a: Array) -> Array:
    return xlogx(p) - xlogx(p + a)


def _move(basis: Basis, token: Int[Array, ""], step: Float[Array, ""]) -> Basis:
    """The step taken; if a token of the basis reached 0, the moving token takes its place."""
    held = basis.x[basis.tokens]
    after = jnp.maximum(held - step * basis.tableau[:, token], 0.0)
    x = basis.x.at[basis.tokens].set(after).at[token].add(step)
    # A token pushed down to exactly 0 leaves the basis as it is.
    ratio = jnp.where(jnp.abs(basis.tableau[:, token]) > PIVOT, after, jnp.inf)
    row = jnp.argmin(ratio)
    enters = x[token] > 1e-7
    tokens = jnp.where(enters, basis.tokens.at[row].set(token), basis.tokens)
    tableau = jnp.where(enters, _pivot(basis.tableau, row, token), basis.tableau)
    return Basis(
        jnp.maximum(x, 0.0).at[basis.tokens[row]].multiply(jnp.where(enters, 0.0, 1.0)), tokens, tableau
    )
