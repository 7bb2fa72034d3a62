"""Tutek & Snajder (2020), "Staying True to Your Word": training that makes attention worth reading.

    python -m experiments.tutek_snajder --dataset sst --variant all --attention all \
        --data-dir DATA --vectors glove.txt.gz --out runs/ts
    python -m experiments.tutek_snajder --dataset sst,20news --variant all --layers 2,3 ... --out runs/ts
    python -m experiments.tutek_snajder --dataset sst --variant base,mlm --study imitation ... --out runs/ts
    python -m experiments.tutek_snajder --dataset sst --study initialisation ... --out runs/ts

Published for SST, additive: F1 84.2 (base) and 83.5 (tying); uniform attention costs 2.8 and 7.0, a
permutation 5.0 and 18.0 points (Table 1); mutual information 2.3 and 4.9 (Table 2).
"""

import pathlib
from typing import Literal

from tqdm import tqdm

from attn_jax.errors import UserError
from experiments import command
from experiments.probe import NOTHING, Probing
from experiments.request import Request, Size, numbered
from experiments.strengths import USUAL, Choosing

ALL_DATASETS = ("sst", "20news", "agnews", "imdb")
ALL_VARIANTS = ("base", "concat", "residual", "tying", "mlm")
ALL_ATTENTIONS = ("additive", "dot")
Study = Literal["tables", "imitation", "initialisation"]
Settings = Literal["paper", "later"]
LATER_EPOCHS = 5


def main(
    dataset: str,
    out: pathlib.Path,
    variant: str = "base",
    attention: str = "additive",
    layers: str = "1",
    seeds: int = 5,
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    study: Study = "tables",
    epochs: int | None = None,
    settings: Settings = "paper",
    strengths: Choosing = USUAL,
    probe: Probing = NOTHING,
) -> None:
    """Train base and regularised models and see what their attention is worth.

    Args:
        dataset: reviews, sst, 20news, agnews, imdb and others with one text an instance, a .jsonl, .csv or
            .tsv file of your own; several with commas; all.
        out: folder with one folder a cell in it (records.csv, examples.parquet, config.json, metrics.jsonl)
            and one page for all of them. The same command goes on where it was stopped.
        variant: base, concat, residual, tying, mlm, diversity; several with commas; all (the first five).
        attention: additive or dot; several with commas; all (these two). dot_sharp leaves out the scale
            of dot to test an explanation; no published cell is held against it.
        layers: of the BiLSTM, 1 to 3; several with commas.
        seeds: how many, trained in one program.
        data_dir: folder of the published files, or the parent that holds one folder per corpus.
        vectors: word vectors in GloVe's or fastText's text format, plain or gzipped.
        preset: quick trains small models on 1,000 instances, to see that all works; full is the paper.
        study: tables 1, 2, 3 and 6; imitation of the cells named (figure 1); or initialisation, the two
            starts of dot-product attention (appendix C; it looks at no variant but the base).
        epochs: how long to train, instead of the number for this data set; the records say so.
        settings: the paper's and, where it is silent, Jain & Wallace's; or those of code that the authors
            published later, 5 epochs and of these the one with the lowest loss on dev. The records then bear
            the name and answer no published cell.
        strengths: of the regularisers that have one.
        probe: what else is tried that the paper does not do; its records bear the name likewise.
    """
    datasets = ALL_DATASETS if dataset == "all" else tuple(dataset.split(","))
    named = ALL_VARIANTS if variant == "all" else tuple(variant.split(","))
    attentions = ALL_ATTENTIONS if attention == "all" else tuple(attention.split(","))
    depths, usual = _depths(layers), LATER_EPOCHS if settings == "later" else None
    # Imported here: --help and a wrong name answer at once, without waiting for jax.
    from attn_jax.report import regularised_page
    from experiments import studies

    options = studies.Options(out, numbered(seeds), strengths)
    for name in tqdm(datasets, desc="data sets", disable=len(datasets) < 2):
        request = Request(
            *(name, data_dir, vectors, seeds, preset, settings), epochs=epochs or usual, probe=probe
        )
        places = [(v, a, n) for n in depths for v in named for a in attentions]
        studies.run(request, places, options, study)
    tqdm.write(f"The page: {regularised_page.write_page(out)}")


def _depths(layers: str) -> tuple[int, ...]:
    known = {"1": 1, "2": 2, "3": 3}
    wrong = [part for part in layers.split(",") if part not in known]
    if wrong:
        raise UserError(f"--layers {wrong[0]!r} is not 1, 2 or 3, or several of them with commas.")
    return tuple(known[part] for part in layers.split(","))


if __name__ == "__main__":
    command.run(main, prog="experiments.tutek_snajder")
