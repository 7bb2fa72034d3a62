"""Types are checked, rank promotion raises and warnings are errors in every test."""

import os
import pathlib

# Compilation bounds the suite: what one run compiled, the next one reads.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(pathlib.Path.home() / ".cache/attn_jax/tests"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=1")  # as every command sets it

import jax
import pytest
from jaxtyping import install_import_hook

from attn_jax import programs
from tests import leftovers

# `types` is left out: jax rebuilds its dataclasses with placeholders in place of arrays.
TYPED = [
    f"attn_jax.{room}"
    for room in (
        "rng",
        "masking",
        "shuffling",
        "divergences",
        "ranking",
        "outputs",
        "models",
        "training",
        "analyses",
        "certify",
        "data",
    )
]
install_import_hook(TYPED, "beartype.beartype")

jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture(scope="module", autouse=True)
def _room_for_programs():
    """Forgets what earlier files compiled before there is too much of it."""
    yield
    programs.forget_if_many()


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # the process that starts the workers, or the only one
        leftovers.adopt_orphans()


@pytest.hookimpl(trylast=True)  # after the workers have ended
def pytest_sessionfinish(session):
    """A process that a test left behind holds our output open: nobody would see that we have ended."""
    if hasattr(session.config, "workerinput"):
        return
    for command in leftovers.end():
        print(f"\nA test left a process running, now killed: {command}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
