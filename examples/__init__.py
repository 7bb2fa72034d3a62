"""Small complete programs that extend attn_jax; the tests run them."""
