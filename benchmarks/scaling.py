"""How time and memory grow with the length of a text and with the number of instances.

    python -m benchmarks.scaling --out docs/benchmarks

Each measurement is a process of its own, so that its peak memory is its own: one analysis, one length, some
batches of random texts through the paper's BiLSTM. Writes scaling.csv, scaling.md with the fitted exponents
beside the theoretical ones, and scaling.svg. Two cores: about an hour with the default lengths;
--analyses exact --lengths 64,256 answers in two minutes.
"""

import csv
import pathlib
from collections.abc import Sequence

from attn_jax.errors import UserError
from benchmarks import process
from experiments import command

# Exponents of time in the length of a text.
THEORY = {"encode": 1, "gradient": 1, "permutation": 1, "search": 1, "kendall": 2, "exact": 2, "loo": 2}
BATCH = 32


def main(
    out: pathlib.Path,
    analyses: str = ",".join(THEORY),
    lengths: str = "8,32,128,512,2048,4096",
    instances: str = "100,1000,10000,100000",
    at_length: int = 16,
) -> None:
    """Measure, fit and draw.

    Args:
        out: folder of the table, the drawing and the figures behind them.
        analyses: which, with commas.
        lengths: of the texts, each timed on one batch.
        instances: numbers of instances of `at_length` tokens, each timed as that many.
        at_length: tokens of the texts whose number grows.
    """
    rows = []
    for name in analyses.split(","):
        if name not in THEORY:
            raise UserError(f"--analyses {name}: there are {', '.join(THEORY)}.")
        rows += [_measured(name, int(length), BATCH) for length in lengths.split(",")]
        rows += [_measured(name, at_length, int(number)) for number in instances.split(",")]
    out.mkdir(parents=True, exist_ok=True)
    with (out / "scaling.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (out / "scaling.md").write_text(table(rows, at_length))
    _draw(rows, at_length, out / "scaling.svg")
    print(table(rows, at_length))


def _measured(name: str, length: int, instances: int) -> dict:
    found = process.told("benchmarks.scaling_point", name, str(length), str(instances))
    print(found, flush=True)
    return found


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The exponent of a power law through the upper half of the points, by least squares in logarithms.

    The lower half is bound by what every call costs.
    """
    import numpy as np

    half = max(2, (len(x) + 1) // 2)
    return float(np.polyfit(np.log(x[-half:]), np.log(y[-half:]), 1)[0])


def table(rows: Sequence[dict], at_length: int) -> str:
    """Markdown: one line an analysis."""
    lines = [
        "| analysis | time in length | in theory | time in instances | in theory | peak MiB, longest "
        "| peak MiB, fewest to most instances |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["analysis"] for row in rows):
        own = [row for row in rows if row["analysis"] == name]
        long = [row for row in own if row["instances"] == BATCH]
        many = [row for row in own if row["length"] == at_length and row["instances"] != BATCH]
        by_length = slope(*([row[key] for row in long] for key in ("length", "seconds")))
        by_number = slope(*([row[key] for row in many] for key in ("instances", "seconds")))
        cells = [
            name,
            f"{by_length:.2f}",
            f"{THEORY[name]}",
            f"{by_number:.2f}",
            "1",
            f"{long[-1]['peak_mib']:,.0f} ({long[-1]['length']:,} tokens)",
            f"{many[0]['peak_mib']:,.0f} to {many[-1]['peak_mib']:,.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _draw(rows: Sequence[dict], at_length: int, path: pathlib.Path) -> None:
    import altair as alt

    panels = []
    for key, title in (("length", f"tokens, {BATCH} texts"), ("instances", f"texts of {at_length} tokens")):
        own = [row for row in rows if (row["instances"] == BATCH) == (key == "length")]
        x = alt.X(f"{key}:Q", title=title, scale=alt.Scale(type="log"))
        y = alt.Y("seconds:Q", scale=alt.Scale(type="log"))
        lines = alt.Chart(alt.Data(values=own)).mark_line(point=True)
        panels.append(lines.encode(x, y, color="analysis:N").properties(width=300, height=240))
    alt.hconcat(*panels).save(path)


if __name__ == "__main__":
    command.run(main, prog="benchmarks.scaling")
