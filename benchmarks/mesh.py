"""What dividing work over two devices costs: the same machine, the same work, as one device and as two.

    python -m benchmarks.mesh --out docs/benchmarks

First with all cores, as a user would run it: one device uses them by threads, two use one each. Then pinned
to one core, where two devices can gain nothing and besides share its cache: all that dividing costs. Training
is shown with the words' table and the optimiser's state on both devices and divided between them. Two idle
cores: a few minutes.
"""

import os
import pathlib
import statistics
from collections.abc import Collection, Mapping, Sequence

from attn_jax.errors import UserError
from benchmarks import process
from experiments import command

MOST = 0.15  # overhead of an analysis that the project aims for
Seconds = Mapping[str, float]


def main(out: pathlib.Path, rounds: int = 3) -> None:
    """Measure in turn, and write mesh.md.

    Args:
        out: folder of the table.
        rounds: of one device and two, in turn.
    """
    if rounds < 1:
        raise UserError(f"--rounds {rounds}: at least 1 is needed.")
    every = os.sched_getaffinity(0)
    text = ""
    for title, cores in ((f"{len(every)} cores", every), ("One core", {min(every)})):
        pairs = [(_measured(1, cores), _measured(2, cores)) for _ in range(rounds)]
        text += f"## {title}\n\n{table(pairs)}\n"
    out.mkdir(parents=True, exist_ok=True)
    (out / "mesh.md").write_text(f"# Two devices in place of one\n\n{text}", encoding="utf-8")
    print(text)


def _measured(devices: int, cores: Collection[int]) -> Seconds:
    return process.told(
        "benchmarks.mesh_point",
        environment={"JAX_NUM_CPU_DEVICES": str(devices), "JAX_PLATFORMS": "cpu"},
        before=lambda: os.sched_setaffinity(0, cores),
    )


def table(pairs: Sequence[tuple[Seconds, Seconds]]) -> str:
    """Markdown: medians of the rounds, and the overhead of two devices over one with its range."""
    lines = [
        "| routine | one device, ms | two devices, ms | overhead | of the rounds | at most 15 % |",
        "|---|---:|---:|---:|---|---|",
    ]
    for name in pairs[0][0]:
        one, two = ([round_[side][name] for round_ in pairs] for side in (0, 1))
        costs = sorted(b / a - 1 for a, b in zip(one, two, strict=True))
        cost = statistics.median(costs)
        met = "" if name.startswith("train") else "yes" if cost <= MOST else "no"
        times = f"{1e3 * statistics.median(one):.1f} | {1e3 * statistics.median(two):.1f}"
        lines.append(f"| {name} | {times} | {cost:+.0%} | {costs[0]:+.0%} to {costs[-1]:+.0%} | {met} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    command.run(main, prog="benchmarks.mesh")
