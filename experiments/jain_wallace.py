"""Jain & Wallace (2019), "Attention is not Explanation": train, then test what attention explains.

    python -m experiments.jain_wallace --dataset sst --data-dir DATA --vectors glove.txt.gz --out runs/sst
    python -m experiments.jain_wallace --dataset all --encoder all --attention all --out runs/jw

Published for SST, BiLSTM, additive: F1 0.81, tau_g 0.40 and 0.38, tau_loo 0.34 and 0.33 (Tables 1, 2).
Two cores: about 5 minutes for SST with three seeds, hours for IMDB and SNLI.
"""

import itertools
import pathlib

from tqdm import tqdm

from experiments import command, scheduled
from experiments.hosts import ALONE, Hosting, Hosts
from experiments.probe import NOTHING, Probing
from experiments.request import Precision, Request, Settings, Size

ALL_DATASETS = ("sst", "20news", "agnews", "babi1", "babi2", "babi3", "snli", "imdb")
ENCODERS, ATTENTIONS = ("bilstm", "cnn", "average"), ("additive", "dot")


def main(
    dataset: str,
    out: pathlib.Path,
    encoder: str = "bilstm",
    attention: str = "additive",
    seeds: int = 1,
    data_dir: pathlib.Path | None = None,
    vectors: pathlib.Path | None = None,
    preset: Size = "full",
    settings: Settings = "paper",
    limit: int | None = None,
    train_limit: int | None = None,
    epochs: int | None = None,
    precision: Precision = "float32",
    probe: Probing = NOTHING,
    hosts: Hosting = ALONE,
    dry_run: bool = False,
) -> None:
    """Train a model and put its attention on trial, or a whole grid of them.

    Args:
        dataset: reviews, babi1, babi2, babi3 (generated where there is no data folder), sst, imdb, 20news,
            agnews, snli and others, a .jsonl, .csv or .tsv file of your own; several with commas; all.
        out: folder for records.csv, examples.parquet, config.json, metrics.jsonl and index.html;
            a grid makes one folder a cell in it. The same command goes on where it was stopped.
        encoder: bilstm, cnn or average; several with commas; all.
        attention: additive, dot, uniform or random; several with commas; all (the first two).
        seeds: how many, trained in one program; 3 or more give intervals over seeds.
        data_dir: folder of the published files, or the parent that holds one folder per corpus.
        vectors: word vectors in GloVe's or fastText's text format, plain or gzipped.
        preset: quick trains on 1,000 instances for 3 epochs, to see that all works; full is the paper.
        settings: the paper's, or those of its released code where the two differ.
        limit: put at most so many test instances on trial; the records say so.
        train_limit: train on at most so many instances; the records say so and are held against no
            published figure.
        epochs: how long to train, instead of the number for this data set; the records say so.
        precision: bfloat16 makes encoders faster on some accelerators; softmax and logits stay float32, and
            the records are held against no published figure.
        probe: what is tried that the paper does not do.
        hosts: what it runs on, if not on this process alone.
        dry_run: print one command a cell, for a scheduler, and run none.
    """
    datasets = ALL_DATASETS if dataset == "all" else tuple(dataset.split(","))
    encoders = ENCODERS if encoder == "all" else tuple(encoder.split(","))
    attentions = ATTENTIONS if attention == "all" else tuple(attention.split(","))
    cells = list(itertools.product(datasets, encoders, attentions))
    asked = (data_dir, vectors, seeds, preset, settings, limit, train_limit, epochs, precision, probe)
    requests = {name: Request(name, *asked) for name in datasets}
    if dry_run:
        scheduled.show("experiments.jain_wallace", [_as_flags(*cell, out) for cell in cells])
        return
    if len(cells) == 1:
        _one(requests[datasets[0]], encoders[0], attentions[0], out, hosts)
        return
    for name, one_encoder, one_attention in tqdm(cells, desc="grid", unit="cell"):
        folder = _folder(name, one_encoder, one_attention, out)
        _one(requests[name], one_encoder, one_attention, folder, hosts)


def _folder(dataset: str, encoder: str, attention: str, out: pathlib.Path) -> pathlib.Path:
    return out / f"{pathlib.Path(dataset).stem}-{encoder}-{attention}"


def _as_flags(dataset: str, encoder: str, attention: str, out: pathlib.Path) -> dict[str, str]:
    """What tells one cell of a grid from the others, on a command line of its own."""
    folder = _folder(dataset, encoder, attention, out)
    return {"dataset": dataset, "encoder": encoder, "attention": attention, "out": str(folder)}


def _one(request: Request, encoder: str, attention: str, out: pathlib.Path, hosts: Hosts) -> None:
    # Imported here: --help and a wrong name answer at once, without waiting for jax.
    devices = hosts.joined()
    from attn_jax import programs
    from attn_jax.models import presets
    from experiments import cell, subject

    presets.named("encoder", encoder, presets.ENCODERS)
    presets.named("attention", attention, presets.ATTENTIONS)
    found = subject.loaded(request)
    done = cell.run(subject.cell(found, encoder, attention), out, devices)
    if hosts.first:
        cell.announce(done, f"{request.dataset}, {encoder}, {attention}")
    programs.forget_if_many()


if __name__ == "__main__":
    command.run(main, prog="experiments.jain_wallace")
