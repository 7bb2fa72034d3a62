"""What is in a corpus: Table 1 of Jain & Wallace (2019) and Table 5 of Tutek & Snajder (2020), beside ours.

    python -m experiments.data --dataset sst --data-dir DATA
    python -m experiments.data --all --data-dir DATA --out runs/data
    python -m experiments.data --dataset sst --data-dir DATA --preparation tutek_snajder

Published for SST: 3034 / 3321 train and 863 / 862 test sentences of 19 words on average.
Seconds for SST, one minute for IMDB the first time; prepared corpora are kept and reused.
"""

import pathlib
import sys

from attn_jax.data import specs
from experiments import command


def main(
    dataset: str | None = None,
    data_dir: pathlib.Path | None = None,
    all: bool = False,
    preparation: specs.Preparation = "jain_wallace",
    vectors: pathlib.Path | None = None,
    learn_vectors: pathlib.Path | None = None,
    out: pathlib.Path | None = None,
    cache_dir: pathlib.Path | None = None,
) -> None:
    """Prepare a corpus and print its statistics beside the published ones.

    Args:
        dataset: a corpus by its name (a wrong one lists them), or a .jsonl, .csv or .tsv file of your own.
        data_dir: folder of the published files, or the parent that holds one folder per corpus.
        all: every corpus found in the data folder.
        preparation: whose: Jain & Wallace's paper, their released code, or Tutek & Snajder.
        vectors: word vectors in GloVe's or fastText's text format; their coverage is reported.
        learn_vectors: train word2vec over all discharge summaries (diabetes, anemia) into this file.
        out: folder for records.csv and config.json; runs/data-NAME if not given.
        cache_dir: where prepared corpora are kept; ~/.cache/attn_jax/data if not given.
    """
    # Imported here: --help answers at once.
    from experiments import corpus_table

    names = corpus_table.found(data_dir) if all else corpus_table.named(dataset)
    folder = (
        out or pathlib.Path("runs") / f"data-{'all' if all else pathlib.Path(names[0]).stem}-{preparation}"
    )
    asked = corpus_table.Asked(data_dir, preparation, vectors, cache_dir)
    if learn_vectors is not None:
        corpus_table.learn(names, asked, learn_vectors)
    corpus_table.report(names, asked, folder, command=sys.argv)


if __name__ == "__main__":
    command.run(main, prog="experiments.data")
