"""The tests of the debate by name: each takes a case and returns its records.

To add one, write a module with `answered(case) -> list[Record]`, list it here, and state in
`attn_jax.results.asks` which question each of its statistics answers.
"""

from collections.abc import Callable, Mapping

from attn_jax.results.records import Record
from experiments.questions import (
    adversary,
    guided,
    jain_wallace,
    manipulation,
    mohankumar,
    roar,
    saliency,
    sanity,
    seeds,
    serrano_smith,
    uniform,
)
from experiments.questions.case import Case

TESTS: Mapping[str, Callable[[Case], list[Record]]] = {
    "trial": jain_wallace.answered,
    "uniform": uniform.answered,
    "seeds": seeds.answered,
    "adversary": adversary.answered,
    "guided": guided.answered,
    "erasure": serrano_smith.answered,
    "manipulation": manipulation.answered,
    "diversity": mohankumar.answered,
    "saliency": saliency.answered,
    "sanity": sanity.answered,
    "roar": roar.answered,
}
