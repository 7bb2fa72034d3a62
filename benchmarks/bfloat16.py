"""What an encoder in bfloat16 does to each statistic: one set of weights, tried in both precisions.

    python -m benchmarks.bfloat16 --dataset sst --data-dir DATA --vectors glove.txt.gz --out docs/benchmarks

Trains a BiLSTM with additive attention in float32 and puts it on trial twice, the second time with its
encoder in bfloat16. One core: about ten minutes for SST; a CPU only simulates bfloat16, so nothing is timed.
"""

import dataclasses
import pathlib
import tempfile

from experiments import command
from experiments.request import Request, Size


def main(
    out: pathlib.Path,
    dataset: str = "reviews",
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    limit: int = 256,
    epochs: int | None = None,
) -> None:
    """Train, try twice, and write bfloat16.md.

    Args:
        out: folder of the table.
        dataset: as for experiments.jain_wallace, one text an instance.
        data_dir: folder of the published files.
        vectors: word vectors in GloVe's or fastText's text format.
        preset: quick for a small part of the data.
        limit: put so many test instances on trial.
        epochs: how long to train, instead of the number for this data set.
    """
    from experiments import cell, subject

    found = subject.loaded(Request(dataset, data_dir, vectors, preset=preset, limit=limit, epochs=epochs))
    wide = subject.cell(found, "bilstm", "additive")
    with tempfile.TemporaryDirectory() as folder:
        done = cell.run(wide, pathlib.Path(folder) / "run")
        text = f"{wide.name}: {wide.key.caveat}\n\n" + table(wide, done)
    out.mkdir(parents=True, exist_ok=True)
    (out / "bfloat16.md").write_text(text, encoding="utf-8")
    print(text)


def table(wide, done) -> str:
    """Markdown: every record in both precisions, those that move most first."""
    from attn_jax.results import records
    from attn_jax.results.run_dir import RunDir
    from experiments import cell
    from experiments.trained import trained

    half, folder = rounded(wide), RunDir(done.path / "bfloat16")
    folder.path.mkdir()
    params = trained(wide, done)
    frame = cell.tried(half, folder, params | {"encoder": {"inner": params["encoder"]}})
    before = {record.key(): record.value for record in records.read(done.records)}
    after = {record.key(): record.value for record in cell.records_of(half, frame)}
    both = sorted(before.keys() & after.keys(), key=lambda key: -abs(after[key] - before[key]))
    lines = ["| statistic | class | float32 | bfloat16 | difference |", "|---|---|---:|---:|---:|"]
    for key in both:
        metric, label = key[-1], key[-2]
        values = f"{before[key]:.4f} | {after[key]:.4f} | {after[key] - before[key]:+.4f}"
        lines.append(f"| {metric} | {label} | {values} |")
    return "\n".join(lines) + "\n"


def rounded(wide):
    """The same run of the model whose encoder computes in bfloat16."""
    from attn_jax.training.objective import Objective
    from experiments.subject import halved

    return dataclasses.replace(wide, objective=Objective(halved(wide.model), wide.objective.terms))


if __name__ == "__main__":
    command.run(main, prog="benchmarks.bfloat16")
