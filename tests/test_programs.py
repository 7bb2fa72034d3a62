import jax
import jax.numpy as jnp
import pytest

from attn_jax import programs
from attn_jax.results.run_dir import RunDir
from experiments import trained


def test_programs_are_forgotten_only_when_there_are_many():
    compiled = jax.jit(lambda x: x + 1)
    compiled(jnp.ones(3))
    assert not programs.forget_if_many(most=10**9)
    assert compiled._cache_size() == 1  # pyright: ignore[reportFunctionMemberAccess]
    assert programs.forget_if_many(most=0) == programs._MAPS.exists()
    assert compiled._cache_size() == (0 if programs._MAPS.exists() else 1)  # pyright: ignore[reportFunctionMemberAccess]
    assert compiled(jnp.ones(3)).sum() == 6


def test_every_training_begins_with_few_programs(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(programs, "forget_if_many", lambda: seen.append("forgotten"))

    def train(folder):
        seen.append("trained")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained.kept(RunDir(tmp_path), (0,), train, dict)
    assert seen == ["forgotten", "trained"]
