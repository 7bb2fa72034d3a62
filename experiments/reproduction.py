"""Gathers finished runs into a folder small enough to commit: records, how they were made, tables.

    python -m experiments.reproduction runs/jw --out docs/reproduction/jain_wallace

Seconds. Writes records.csv (every record), runs.csv (command, stages, seconds, device of each run), for
papers of which a published cell is answered fidelity.md and claims.md with their pages, the verdict table
of each debate, and Figure 4 of Vashishth et al. for each run that permuted layers. Runs that are not
finished are left out and named. What the folder holds of other runs stays, so a grid can be run a part at
a time, on several machines. With no runs named, the tables are made anew from the records in `--out`.
"""

import os
import pathlib
import platform
from typing import Annotated

import tyro

from attn_jax.errors import UserError
from experiments import command

_VERDICT = "debate.md"


def main(
    folders: Annotated[tuple[pathlib.Path, ...], tyro.conf.Positional] = (),
    *,
    out: pathlib.Path,
    machine: str = "",
) -> None:
    """Gather the records of finished runs; with no folder, make the tables of those gathered anew.

    Args:
        folders: every finished run in or below them counts.
        out: folder for records.csv, runs.csv, and the tables of fidelity and claims.
        machine: what they ran on, for people; this machine's processor count if not given.
    """
    written = _gathered(folders, out, machine) if folders else []
    if not (out / "records.csv").exists():
        raise UserError(f"{out} holds no records.csv, and no folder of runs is named to gather from.")
    written += _tables(out)
    print("\n".join(f"Written: {path}" for path in written))


def _gathered(folders: tuple[pathlib.Path, ...], out: pathlib.Path, machine: str) -> list[pathlib.Path]:
    """Adds what was found and how it was made to what `out` holds of other runs."""
    from attn_jax.results import pool, records
    from attn_jax.results.atomic import write_text

    finished = _finished(folders)
    new = pool.read([run.path for run in finished])
    found, how = out / "records.csv", out / "runs.csv"
    earlier = records.read(found) if found.exists() else []
    kept = [record for record in earlier if record.run not in {record.run for record in new}]
    out.mkdir(parents=True, exist_ok=True)
    # in one order, so that gathered again the file stays as it was
    records.write(found, sorted(kept + new, key=lambda record: record.run))
    rows = _rows(finished, machine or f"{platform.machine()}, {os.cpu_count()} cores")
    write_text(how, _joined(how, rows))
    return [found, how, *_verdicts(finished, out)]


def _finished(folders: tuple[pathlib.Path, ...]) -> list:
    """The finished runs in or below the folders; the others are named."""
    from attn_jax.results import pool
    from attn_jax.results.run_dir import RunDir

    pool.paths(folders)  # names a folder that is not there, or holds no records
    runs = [RunDir(path.parent) for folder in folders for path in sorted(folder.rglob("config.json"))]
    finished = [run for run in runs if _is_finished(run)]
    for run in runs:
        if run not in finished:
            print(f"Not finished, left out: {run.path}")
    if not finished:
        names = ", ".join(map(str, folders))
        raise UserError(f"no run in or below {names} is finished; the command that began it goes on.")
    return finished


def _tables(out: pathlib.Path) -> list[pathlib.Path]:
    """Fidelity and claims of the papers of which a published cell is answered, and what is only drawn."""
    from attn_jax.report import claims_document, document, fidelity_document
    from attn_jax.results import claims, fidelity, records

    found = records.read(out / "records.csv")
    cells = fidelity.cells(found)
    answered = {cell.field("paper") for cell in cells if cell.verdict != "not run"}
    if not answered:
        return _figures(found, out)
    cells = [cell for cell in cells if cell.field("paper") in answered]
    made = [row for row in claims.judged(found) if row[0].paper in answered]
    written = document.write(fidelity_document.document(cells), out)
    return [*written, *document.write(claims_document.document(made), out), *_figures(found, out)]


def _is_finished(run) -> bool:
    """A debate has records after each of its tests, and its table after the last."""
    return run.records.exists() and ((run.path / _VERDICT).exists() or not (run.path / "tests").exists())


def _verdicts(finished: list, out: pathlib.Path) -> list[pathlib.Path]:
    """The verdict table of every debate, one file a run."""
    from attn_jax.results.atomic import write_text

    name = "debate-{}.md"
    tables = {
        out / name.format(run.path.name.removeprefix("debate-")): run.path / _VERDICT for run in finished
    }
    kept = {place: table for place, table in tables.items() if table.exists()}
    for place, table in kept.items():
        write_text(place, table.read_text(encoding="utf-8"))
    return list(kept)


def _figures(found: list, out: pathlib.Path) -> list[pathlib.Path]:
    """What the paper only draws, one file a run."""
    from attn_jax.report import layer_figures
    from attn_jax.report.site import figure_files
    from attn_jax.results.atomic import write_bytes

    made = {out / f"{drawing.name}.svg": drawing for drawing in layer_figures.drawings(found)}
    for path, drawing in made.items():
        write_bytes(path, figure_files.drawn(drawing, "svg"))
    return list(made)


def _rows(finished: list, machine: str) -> list[dict]:
    """How each run was made, one row a run."""
    from attn_jax.results import config, jsonl

    rows = []
    for run in finished:
        made = config.read(run.config)
        seconds: dict[str, float] = {}
        for row in jsonl.read(run.timings) if run.timings.exists() else ():
            seconds[row["stage"]] = seconds.get(row["stage"], 0.0) + row["seconds"]
        rows.append(
            {
                "run": run.path.name,
                **{f"{stage}_seconds": round(total) for stage, total in seconds.items()},
                "seeds": len(made["settings"].get("seeds", [])),
                "device": made["device"],
                "machine": machine,
                "commit": made["run"]["commit"],
                "command": _portable(made["run"]["command"]),
            }
        )
    return rows


def _joined(path: pathlib.Path, rows: list[dict]) -> str:
    """The table at `path` with these rows in place of those of the same runs, as CSV."""
    import polars as pl

    new = pl.DataFrame(rows)
    if not path.exists():
        return new.write_csv()
    earlier = pl.read_csv(path).filter(~pl.col("run").is_in(new["run"].to_list()))
    return pl.concat([earlier, new], how="diagonal_relaxed").sort("run").write_csv()


def _portable(line: str) -> str:
    """The command without the folders of the machine it ran on."""
    words = line.split()
    shown = [pathlib.PurePath(word).name if word.startswith("/") else word for word in words[1:]]
    module = pathlib.PurePath(words[0]).stem
    return " ".join(["python", "-m", f"experiments.{module}", *shown])


if __name__ == "__main__":
    command.run(main, prog="experiments.reproduction")
