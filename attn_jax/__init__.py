"""attn_jax: is attention an explanation? Every test of the debate, vectorised, with certified answers.

Nothing is imported eagerly: `import attn_jax.report` leaves jax unloaded.
"""

__version__ = "0.1.0"
