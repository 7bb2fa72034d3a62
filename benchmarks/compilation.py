"""What the compiler's passes cost and gain: every program of a trial and of training, at two of its levels.

    python -m benchmarks.compilation --data-dir DATA --out docs/benchmarks

Commands on a CPU ask for level 1 (`experiments/command.py`); 3 is the compiler's own choice. Seconds are of
the processor, so that other work on the machine counts little. One core: about three minutes.
"""

import pathlib
from collections.abc import Mapping

from benchmarks import process
from experiments import command

Costs = Mapping[str, Mapping[str, float]]  # program -> first and second call


def main(out: pathlib.Path, data_dir: pathlib.Path = pathlib.Path("../shared/data")) -> None:
    """Measure and write compilation.md.

    Args:
        out: folder of the table.
        data_dir: folder that holds sst/.
    """
    flag = "--xla_backend_optimization_level="
    costs = {
        level: process.told(
            "benchmarks.compilation_point", str(data_dir), environment={"XLA_FLAGS": f"{flag}{level}"}
        )
        for level in (1, 3)
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "compilation.md").write_text(table(costs[1], costs[3]), encoding="utf-8")
    print(table(costs[1], costs[3]))


def table(low: Costs, high: Costs) -> str:
    """Markdown: one line a program, and their sum."""
    lines = [
        "| program | compiled, level 1, s | level 3, s | run, level 1, ms | level 3, ms |",
        "|---|---:|---:|---:|---:|",
    ]
    sums = {
        side: [sum(one[call] for one in costs.values()) for call in ("first", "again")]
        for side, costs in (("low", low), ("high", high))
    }
    rows = [(name, *low[name].values(), *high[name].values()) for name in low]
    for name, first, again, first3, again3 in [*rows, ("all", *sums["low"], *sums["high"])]:
        cells = f"{first - again:.1f} | {first3 - again3:.1f} | {1e3 * again:.0f} | {1e3 * again3:.0f}"
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    command.run(main, prog="benchmarks.compilation")
