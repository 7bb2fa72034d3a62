r"""A grid of runs as a SLURM array, one job a cell, through submitit (`pip install submitit==1.5.3`).

    python -m experiments.jain_wallace --dataset all --encoder all --out runs/jw --dry-run \
        | python -m examples.slurm_grid --partition gpu --hours 4

Reads the commands that --dry-run prints; scheduling is the cluster's own. Without SLURM, `--cluster local`
runs them here, and `xargs -P 2 -I{} sh -c '{}'` does the same with no package at all. A job that is stopped
and submitted again goes on where it was.
"""

import pathlib
import shlex
import subprocess
import sys

import tyro


def run(command: str) -> int:
    """One cell, in the interpreter that submitted it."""
    words = shlex.split(command)
    return subprocess.run([sys.executable, *words[1:]], check=True).returncode


def main(
    partition: str = "gpu",
    hours: int = 4,
    at_once: int = 16,
    logs: pathlib.Path = pathlib.Path("runs/slurm"),
    cluster: str | None = None,
) -> None:
    """Submit every command on the standard input.

    Args:
        partition: of the cluster.
        hours: that one cell may take.
        at_once: jobs of the array that run together.
        logs: folder for submitit's files.
        cluster: slurm, local or debug; found by itself if not given.
    """
    import submitit  # pyright: ignore[reportMissingImports]

    commands = [line.strip() for line in sys.stdin if line.strip()]
    executor = submitit.AutoExecutor(folder=logs, cluster=cluster)
    executor.update_parameters(timeout_min=60 * hours, slurm_partition=partition)
    executor.update_parameters(slurm_array_parallelism=at_once)
    for command, job in zip(commands, executor.map_array(run, commands), strict=True):
        print(job.job_id, command)


if __name__ == "__main__":
    tyro.cli(main, prog="python -m examples.slurm_grid")
