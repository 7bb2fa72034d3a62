"""A batch that is too large for the memory is analysed in parts, and the user is told."""

import jax
import numpy as np
import pytest

from attn_jax.analyses.blocks import Blocks
from tests.models.families import batch


def analysis(most):
    """Columns of a batch of at most `most` rows; more exhaust the memory. Also the sizes it was given."""
    sizes = []

    def analyse(rows):
        sizes.append(len(rows.index))
        if len(rows.index) > most:
            raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8589934592 bytes.")
        return {"index": np.asarray(rows.index), "valid": np.asarray(rows.valid)}

    return analyse, sizes


def test_blocks_are_halved_until_they_fit_and_stay_so():
    rows, said = batch(), []
    n = len(rows.index)
    analyse, sizes = analysis(most=1)
    blocks = Blocks(analyse, said.append)
    for _ in range(2):
        found = blocks(rows)
        np.testing.assert_array_equal(found["index"], rows.index)
        np.testing.assert_array_equal(found["valid"], rows.valid)
    assert sizes[-n:] == [1] * n
    assert sizes.count(n) == 1  # the second batch does not try again what failed
    assert said[0] == f"Out of memory with {n} instances at once: going on with {-(-n // 2)}."


def test_one_instance_that_does_not_fit_is_an_error():
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED"):
        Blocks(analysis(most=0)[0], lambda _: None)(batch())


def test_other_faults_pass_through():
    def broken(_):
        raise jax.errors.JaxRuntimeError("INTERNAL: something else")

    with pytest.raises(jax.errors.JaxRuntimeError, match="INTERNAL"):
        Blocks(broken, lambda _: pytest.fail("nothing to say"))(batch())
