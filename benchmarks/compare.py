"""Both sides in turn on this machine: our battery and the PyTorch reference, as a table of ratios.

    python -m benchmarks.compare --data sst --torch-python TORCH_VENV/bin/python --out docs/benchmarks

The reference (`../shared/bench/torch_reference.py`, torch==2.13.0) runs in an interpreter of its own, one
untimed warm-up a routine on both sides. Two cores: about half an hour for SST with three rounds.
"""

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Literal

from attn_jax.errors import UserError
from experiments import command

Rates = Mapping[str, float]
HOURS = 3600
SIDE = pathlib.Path(__file__).with_name("torch_side.py")

# Issue's targets, SST and IMDB with 256 test instances.
TARGETS: Mapping[str, tuple[float | None, float | None]] = {
    "train": (2, 2.5),
    "gradient": (2, 3),
    "permutation_100": (5, 2),
    "permutation_100, states given": (50, 50),
    "leave_one_out": (5, 5),
    "adversarial_500": (25, 20),
    "exact_max_jsd against the search": (1000, 100),
    "kendall": (50, 8),
    "battery, cold": (2.5, None),
}


def main(
    out: pathlib.Path,
    data: Literal["sst", "imdb"] = "sst",
    train: int = 0,
    test: int = 0,
    rounds: int = 3,
    fraction: float = 1.0,
    torch_python: pathlib.Path = pathlib.Path(sys.executable),
    reference: pathlib.Path = pathlib.Path("../shared/bench/torch_reference.py"),
    data_dir: pathlib.Path = pathlib.Path("../shared/data"),
) -> None:
    """Run both sides in turn, write `compare-DATA.md` and the JSON of every round.

    Args:
        out: folder of the table.
        data: which corpus.
        train: train instances, 0 for all.
        test: test instances, 0 for all.
        rounds: how often both sides are run.
        fraction: share of the test batches for leave-one-out and the search, on both sides.
        torch_python: the interpreter that has torch.
        reference: the PyTorch script.
        data_dir: folder that holds sst/ and imdb/.
    """
    if not reference.exists():
        raise UserError(f"{reference} is missing: --reference names the PyTorch script.")
    sizes = ["--data", data, "--train", str(train), "--test", str(test), "--fraction", str(fraction)]
    ours, theirs = [], []
    for number in range(rounds):
        theirs.append(_run([str(torch_python), str(SIDE), str(reference), *sizes]))
        with tempfile.TemporaryDirectory() as folder:
            found = ["--data-dir", str(data_dir), "--out", f"{folder}/ours.json"]
            ours.append(_run([sys.executable, "-m", "benchmarks.battery", *sizes, *found]))
        print(f"round {number + 1} of {rounds} done", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"compare-{data}.json").write_text(json.dumps({"ours": ours, "torch": theirs}, indent=1) + "\n")
    text = table(data, ours, theirs)
    (out / f"compare-{data}.md").write_text(text)
    print(text)


def _run(arguments: list[str]) -> dict:
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=HOURS, check=False)
    if done.returncode:
        raise UserError(f"{' '.join(arguments[:3])} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout[done.stdout.index("{") :])


def table(data: str, ours: list[dict], theirs: list[dict]) -> str:
    """Markdown: the median ratio of the rounds, their range, the target, and our share of peak."""
    column = 0 if data == "sst" else 1
    lines = [
        _title(data, ours[0], len(ours)),
        "",
        "| routine | ours, a second | PyTorch, a second | ratio | of the rounds | target | met | of peak |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, targets in TARGETS.items():
        share = ours[0]["share_of_peak"].get(name.split()[0].strip(","))
        shown = _compared(*_pairs(name, ours, theirs), targets[column])
        lines.append(f"| {name} | {shown} | {'' if share is None else f'{share:.0%}'} |")
    return "\n".join(lines) + "\n"


def _pairs(name: str, ours: list[dict], theirs: list[dict]) -> tuple[list[float], list[float], int]:
    """Rates of both sides in the rounds that can tell them, and how many cannot."""
    sides = [[rate(name, run) for run in runs] for rate, runs in _sides(name, ours, theirs)]
    told = [pair for pair in zip(*sides, strict=True) if None not in pair]
    return [a for a, _ in told], [b for _, b in told], len(ours) - len(told)


def _compared(mine: list[float], other: list[float], lost: int, target: float | None) -> str:
    """The cells between a row's name and its share of peak."""
    if not mine:
        return f"below the noise |  |  |  | {target or ''} | "
    ratios = [a / b for a, b in zip(mine, other, strict=True)]
    ratio = statistics.median(ratios)
    noise = f" ({lost} more below the noise)" if lost else ""
    met = "" if target is None else "yes" if ratio >= target else "no"
    return (
        f"{statistics.median(mine):,.3g} | {statistics.median(other):,.3g} | {ratio:.3g} "
        f"| {min(ratios):.3g} to {max(ratios):.3g}{noise} | {target or ''} | {met}"
    )


def _title(data: str, run: dict, rounds: int) -> str:
    return (
        f"{data}: {run['train']:,} train and {run['test']:,} test instances, mean length "
        f"{run['mean_length']:.0f}, vocabulary {run['vocab']:,}; {rounds} rounds, "
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, "
        f"matmul peak {run['peak_gflops']} GFLOP/s. Rates are instances a second "
        "(the battery: runs a second), medians of the rounds."
    )


def _sides(name: str, ours: list[dict], theirs: list[dict]) -> list[tuple[Callable, list[dict]]]:
    """How the rate of a row is read from a run of either side."""
    if name.startswith("exact"):
        searched = (lambda _, run: run["instances_per_second"]["adversarial_500"], theirs)
        return [(lambda _, run: run["instances_per_second"]["exact_max_jsd"], ours), searched]
    return [(_rate, ours), (_rate, theirs)]


def _rate(name: str, run: dict) -> float | None:
    """Of a routine in a run; None where it takes less than the noise of those it is the difference of."""
    rates: Rates = run["instances_per_second"]
    if name == "battery, cold":
        return 1 / run["cold_battery_seconds"]
    if name.endswith("states given"):
        # What permutation costs beyond the encode that it shares with `evaluate`.
        beyond = 1 / rates["permutation_100"] - 1 / rates["evaluate"]
        return 1 / beyond if beyond > 0 else None
    return rates[name]


if __name__ == "__main__":
    command.run(main, prog="benchmarks.compare")
