"""Where training runs when no mesh was named."""

import pytest

from attn_jax.data.batching import bucketise
from attn_jax.data.examples import TextExample
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.devices import ALONE, Devices, parse
from attn_jax.training import placement

VOCABULARY = Vocabulary.build([("w", "w")])


def buckets(*lengths):
    return bucketise([TextExample(str(n), ("w",) * n, 0) for n in lengths], VOCABULARY, 2, spared=0)


class Two(Devices):
    """A machine with two cores, whatever runs the test."""

    count = 2

    def local(self):
        return self


@pytest.mark.parametrize(
    ("lengths", "batch_size", "seeds", "taken"),
    [
        ((10, 10), 32, 1, False),
        ((300, 10), 32, 1, True),
        ((300, 300), 31, 1, False),
        ((300, 10), 32, 2, False),
    ],
)
def test_long_texts_of_one_seed_are_divided_over_the_cores(monkeypatch, lengths, batch_size, seeds, taken):
    cores = Two()
    monkeypatch.setattr(Devices, "local", lambda self: cores)
    assert (placement.divided(ALONE, buckets(*lengths), batch_size, seeds) is cores) == taken


def test_a_mesh_that_was_named_is_kept():
    named = parse("data=1")
    assert placement.divided(named, buckets(300), 32, 1) is named
