"""At the paper's size: initialising several seeds must end (a vmapped init of a BiLSTM hangs on CPUs)."""

import subprocess
import sys

import pytest

CODE = """
import numpy as np
from attn_jax.data.batching import bucketise
from attn_jax.data.simulators.reviews import reviews
from attn_jax.data.vocabulary import Vocabulary
from attn_jax.models.presets import classifier
from attn_jax.training.loop import TrainConfig, fit
from attn_jax.training.objective import Objective

corpus = reviews(0, train=200, dev=50, test=10)
vocabulary = Vocabulary.build(example.tokens for example in corpus.train)
train, dev = (bucketise(split, vocabulary, 2, (40,)) for split in (corpus.train, corpus.dev))
model = classifier("bilstm", "additive", words=len(vocabulary), classes=2)
found = fit(Objective(model), train, dev, TrainConfig(epochs=1), [0, 1, 2], progress=False)
assert np.isfinite([row["loss"] for row in found.history]).all()
"""


@pytest.mark.slow
def test_three_seeds_of_a_bilstm_start_and_train_within_two_minutes():
    done = subprocess.run([sys.executable, "-c", CODE], timeout=120, check=False)
    assert done.returncode == 0
