"""A hundred thousand instances through one process: does memory stay, and is the progress bar honest?

    python -m reliability.soak --instances 100000

Permutation, gradient and certificates of a small BiLSTM, batch after batch. One core: a few minutes.
"""

import ctypes
import gc
import pathlib
import sys

import jax
import psutil
from jax import Array
from jaxtyping import Key

from attn_jax import certify
from attn_jax import rng as streams
from attn_jax.analyses.gradient import gradient
from attn_jax.analyses.observe import counterfactual, observe
from attn_jax.analyses.permutation import permutation
from attn_jax.models.seam import AttentiveModel
from attn_jax.progress import Bar
from attn_jax.types import Evidence, Example, Params
from experiments import command
from reliability import section
from reliability.measured import subject, texts

BATCH = 250
TENTHS = 10
GROWTH, ETA = 0.05, 0.20  # what may be called flat, and honest


@jax.jit(static_argnums=0)
def examined(
    model: AttentiveModel, params: Params, batch: Example, evidence: Evidence, rng: Key[Array, ""]
) -> dict[str, Array]:
    """What is asked of each instance [B]."""

    def one(example: Example, seen: Evidence) -> dict[str, Array]:
        own = streams.instance(streams.stream(rng, "permute"), example.index)
        arrays = (seen.alpha, seen.token_logits, seen.encoded.mask)
        return {
            "permutation": permutation(
                counterfactual(model, params, seen), seen.alpha, seen.encoded.mask, own
            ),
            "gradient": gradient(model, params, example, seen.alpha, seen.logits).times_input,
            "exact_jsd": certify.max_jsd(*arrays, 0.01).jsd,
            "margin_low": certify.permutation_range(*arrays).margin_low,
            "flip_count": certify.minimal_flip(*arrays).count,
        }

    return jax.vmap(one)(batch, evidence)


def soaked(instances: int) -> list[dict[str, float]]:
    """After each tenth: resident MiB, seconds so far, and the seconds that the bar says are left."""
    (model, params), rng, rows = subject(), streams.root(0), []
    process, batches = psutil.Process(), -(-instances // BATCH)
    marks = {batches * tenth // TENTHS for tenth in range(1, TENTHS + 1)}
    with Bar(total=batches, desc="soak", unit="batch") as bar:
        for number in range(batches):
            batch = texts(BATCH, number * BATCH)
            evidence = observe(model, params, batch, streams.stream(rng, "attention"))
            jax.device_get(examined(model, params, batch, evidence, rng))
            bar.update()
            if number + 1 in marks:
                held = _held(process)
                shown = bar.format_dict
                left = (batches - number - 1) / shown["rate"] if shown["rate"] else 0.0
                rows.append(
                    {
                        "instances": (number + 1) * BATCH,
                        "resident MiB": held,
                        "seconds": round(shown["elapsed"], 1),
                        "seconds left, said": round(left, 1),
                    }
                )
    return rows


def _held(process: psutil.Process) -> int:
    """MiB in memory, once what is free has been given back: freed blocks are no leak."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return round(process.memory_info().rss / 2**20)


def judged(rows: list[dict[str, float]]) -> tuple[float, float]:
    """(growth of memory after the first tenth, error of the time then said to be left), as shares."""
    first, last = rows[0], rows[-1]
    growth = max(row["resident MiB"] for row in rows) / first["resident MiB"] - 1
    truly_left = last["seconds"] - first["seconds"]
    return growth, abs(first["seconds left, said"] - truly_left) / truly_left


def main(instances: int = 100_000, out: pathlib.Path = section.FOLDER) -> None:
    """Soak.

    Args:
        instances: how many.
        out: folder for soak.json.
    """
    rows = soaked(instances)
    growth, error = judged(rows)
    summary = (
        f"{rows[-1]['instances']} instances: memory grows by {growth:.1%} after the first tenth, "
        f"the time said to be left after the first tenth is off by {error:.0%}."
    )
    line = f"python -m reliability.soak --instances {instances}"
    section.write(section.Section("soak", line, summary, rows), out)
    sys.exit(growth > GROWTH or error > ETA)


if __name__ == "__main__":
    command.run(main, prog="reliability.soak")
