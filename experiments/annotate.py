"""Vashishth et al. (2019), section 4.4: do people find the words of highest attention relevant?

    python -m experiments.annotate runs/vashishth/imdb-bahdanau --annotator anna
    python -m experiments.annotate runs/vashishth/imdb-bahdanau --report

Opens a page on this computer that asks 200 questions (about an hour; y and n on the keyboard); the same
command goes on where it was left. Published for IMDB: of original attention 79.5 % are right and
meaningful, of permuted attention 9.5 %; kappa 0.84 (Figure 5).
"""

import contextlib
import pathlib
from typing import Annotated

import tyro

from attn_jax.errors import UserError
from attn_jax.results import annotation, annotation_scores, config, examples, lock, records
from attn_jax.results.run_dir import RunDir
from experiments import command
from experiments.annotation_server import Server, Session


def main(
    run: Annotated[pathlib.Path, tyro.conf.Positional],
    annotator: str = "",
    report: bool = False,
    count: int = 100,
    seed: int = 0,
    port: int = 0,
) -> None:
    """Ask an annotator about the attention of a run, or report what all of them said.

    Args:
        run: folder of a finished run of experiments.vashishth (bahdanau or rocktaschel).
        annotator: who answers: a name of letters, digits, hyphens; one server an annotator.
        report: print the tables of all answers so far and write them into the run's folder `annotation`.
        count: how many original and how many permuted instances; the same for all annotators.
        seed: which instances are drawn; the same for all annotators.
        port: of the page; 0 takes a free one.
    """
    found, folder = RunDir(run), run / "annotation"
    if report:
        _report(found, folder)
    elif annotator:
        _serve(folder, _items(found, folder, count, seed), annotator, port)
    else:
        raise UserError("name who answers with --annotator NAME, or ask for the tables with --report.")


def _items(run: RunDir, folder: pathlib.Path, count: int, seed: int) -> list[annotation.Item]:
    labels = config.read(run.config)["settings"].get("labels", [])
    drawn = annotation.sheet(examples.read(run.examples), labels, count=count, seed=seed)
    folder.mkdir(exist_ok=True)
    return annotation.kept(folder / "sheet.jsonl", drawn)


def _serve(folder: pathlib.Path, items: list[annotation.Item], annotator: str, port: int) -> None:
    answers = annotation.Answers(folder, annotator)
    session = Session(annotator, items, answers)
    with lock.held(answers.path.with_suffix(".lock")), _listening(session, port) as server:
        print(f"Open {server.url}\nAnswer with y and n; stop with Ctrl-C.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    print(f"{len(answers.given)} of {len(items)} answered, in {answers.path}")


def _listening(session: Session, port: int) -> Server:
    try:
        return Server(session, port)
    except (OSError, OverflowError) as error:
        raise UserError(
            f"--port {port} cannot be used ({error}); leave it out to take a free one."
        ) from error


def _report(run: RunDir, folder: pathlib.Path) -> None:
    from attn_jax.report import annotation_document, document

    given = annotation.all_answers(folder)
    if not any(given.values()):
        raise UserError(f"nobody has answered yet in {folder}; start with --annotator NAME.")
    cell = config.read(run.config)["settings"].get("cell", {})
    made = annotation_scores.records_of(
        annotation.read_sheet(folder / "sheet.jsonl"),
        given,
        dataset=cell.get("dataset", ""),
        model=cell.get("model", ""),
        caveat=cell.get("caveat", ""),
    )
    records.write(folder / "records.csv", made)
    tables = annotation_document.document(made)
    print(document.plain(tables), end="")
    for path in (folder / "records.csv", *document.write(tables, folder)):
        print(f"Written: {path}")


if __name__ == "__main__":
    command.run(main, prog="experiments.annotate")
