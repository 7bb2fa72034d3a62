"""The guide to saliency methods: its program runs as it stands, and its table names what there is."""

import pathlib
import re

import numpy as np

from attn_jax.analyses.saliency import METHODS

GUIDE = (pathlib.Path(__file__).parents[2] / "docs" / "saliency.md").read_text()


def test_the_program_runs_and_its_method_is_scored(capsys):
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    names = {}
    exec(compile(program, "docs/saliency.md", "exec"), names)
    scores, evidence = names["scores"], names["evidence"]
    expected = np.asarray(evidence.alpha) * np.linalg.norm(evidence.encoded.states, axis=-1)
    np.testing.assert_allclose(scores["attended_norm"], expected, rtol=1e-5)
    assert names["agree"].tau.shape == (2, 4, 4)
    assert np.isfinite(names["faithful"].aopc_comprehensiveness).all()
    assert "Kendall" in capsys.readouterr().out


def test_the_table_names_every_method():
    table = GUIDE.split("\n\n")[2]
    short = re.sub(r"`\.\.\._", "`integrated_gradients_", table)
    assert set(re.findall(r"`(\w+)`", short)) == set(METHODS)
