"""A cell put together from names."""

import pytest

from attn_jax.errors import UserError
from experiments import subject
from experiments.request import Request, Settings


def _named(settings: Settings, probe: str) -> str:
    found = subject.loaded(Request("babi1", preset="quick", settings=settings, probe=probe))
    return subject.cell(found, "average", "additive").key.variant


def test_only_the_papers_own_settings_answer_a_published_cell():
    assert _named("paper", "") == ""
    assert _named("released", "") == "released"
    assert _named("paper", "short") == "short"
    assert _named("released", "short") == "released_short"


@pytest.mark.parametrize("probe", ["a/b", "A", " ", "x" * 41, "a\nb"])
def test_a_probe_is_a_plain_name(probe):
    with pytest.raises(UserError, match="--probe"):
        Request("sst", probe=probe)
