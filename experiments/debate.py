"""Is attention an explanation? Every test of the debate on one model, and one verdict table.

    python -m experiments.debate --dataset reviews --out runs/debate --preset quick
    python -m experiments.debate --dataset sst --data-dir DATA --vectors glove.txt.gz --out runs/debate-sst
    python -m experiments.debate --dataset sst --tests trial,erasure ... --out runs/debate-sst

Each test is kept once it is over: the same command goes on, and one with other --tests adds to the same
folder. Wiegreffe & Pinter (2019) are recalled to print F1 0.823, TVD 0.036, JSD 0.514 for SST's adversary.
"""

import pathlib

from experiments import command
from experiments.request import Request, Settings, Size


def main(
    dataset: str,
    out: pathlib.Path,
    encoder: str = "bilstm",
    attention: str = "additive",
    tests: str = "all",
    seeds: int = 2,
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    limit: int | None = None,
    train_limit: int | None = None,
    epochs: int | None = None,
    settings: Settings = "paper",
) -> None:
    """Train a model and put every question of the debate to its attention.

    Args:
        dataset: reviews, babi1 (generated where there is no data folder), sst, imdb, snli, eraser_movies
            and others, or a .jsonl, .csv or .tsv file of your own.
        out: folder for records.csv, debate.csv, debate.json, debate.html, debate.md and what each test keeps.
        encoder: bilstm, cnn or average.
        attention: additive or dot.
        tests: names with commas, or all; a wrong name lists the right ones.
        seeds: of the model on trial, trained in one program; 2 or more give intervals over seeds.
        data_dir: folder of the published files, or the parent that holds one folder per corpus.
        vectors: word vectors in GloVe's or fastText's text format, plain or gzipped.
        preset: quick trains on 1,000 instances for 3 epochs, to see that all works.
        limit: put at most so many test instances on trial; the records say so.
        train_limit: train on at most so many instances; the records say so.
        epochs: how long to train, instead of the number for this data set; the records say so.
        settings: Jain & Wallace's paper's, or those of their released code, whose pair models decode the
            question too (with the paper's, one does not learn SNLI).
    """
    # Imported here: --help answers at once, without waiting for jax.
    from experiments import debating

    request = Request(dataset, data_dir, vectors, seeds, preset, settings, limit, train_limit, epochs)
    debating.run(request, encoder, attention, debating.named(tests), out)


if __name__ == "__main__":
    command.run(main, prog="experiments.debate")
