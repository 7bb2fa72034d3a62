"""How far float32 is from float64, statistic by statistic.

    python -m reliability.precision

The same model, texts and draws in two processes, one with JAX_ENABLE_X64. One core: about two minutes.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from experiments import command
from reliability import section


def measured(path: pathlib.Path, *, wide: bool) -> dict[str, np.ndarray]:
    """All columns in float32, or in float64."""
    environment = os.environ | {"JAX_ENABLE_X64": str(int(wide)), "JAX_PLATFORMS": "cpu"}
    line = [sys.executable, "-m", "reliability.measured", str(path)]
    subprocess.run(line, cwd=section.ROOT, env=environment, check=True, timeout=1800)
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


def deviation(name: str, narrow: np.ndarray, wide: np.ndarray) -> dict[str, str | int]:
    """One line of the table; of counts and decisions, how many differ."""
    both = np.isfinite(narrow) & np.isfinite(wide)
    undefined = int((np.isfinite(narrow) != np.isfinite(wide)).sum())
    gap = np.abs(narrow.astype(float) - wide.astype(float))[both]
    mean = abs(float(narrow[both].mean() - wide[both].mean())) if both.any() else 0.0
    discrete = narrow.dtype.kind in "biu"
    return {
        "statistic": name,
        "entries": narrow.size,
        "largest deviation": f"{(gap > 0).sum()} differ" if discrete else f"{gap.max(initial=0.0):.1e}",
        "deviation of the mean": f"{mean:.1e}",
        "defined in one only": undefined,
    }


def main(out: pathlib.Path = section.FOLDER) -> None:
    """Compute twice and compare.

    Args:
        out: folder for precision.json.
    """
    with tempfile.TemporaryDirectory() as folder:
        narrow, wide = (measured(pathlib.Path(folder) / f"{w}.npz", wide=w) for w in (False, True))
    rows = [deviation(name, narrow[name], wide[name]) for name in sorted(narrow)]
    worst = max(rows, key=lambda row: float(row["deviation of the mean"]))
    summary = (
        f"{len(rows)} statistics of {len(narrow['exact_jsd'])} instances. No mean moves by more than "
        f"{worst['deviation of the mean']} ({worst['statistic']}). Kendall's tau counts in float32 in both."
    )
    section.write(section.Section("precision", "python -m reliability.precision", summary, rows), out)


if __name__ == "__main__":
    command.run(main, prog="reliability.precision")
