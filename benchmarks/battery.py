"""Jain & Wallace's battery, timed: the JSON of the PyTorch reference for our side.

    python -m benchmarks.battery --data sst --data-dir DATA --out ours.json

Instances per second of each routine after one untimed warm-up, compile time apart, and the share of this
machine's matrix-multiply peak. Two cores: about two minutes for SST.
"""

import json
import pathlib
import time
from collections.abc import Callable
from typing import Any, Literal

from experiments import command

EMBEDDING, HIDDEN = 300, 128
EPOCHS = 8  # of the whole battery


def main(
    out: pathlib.Path,
    data: Literal["sst", "imdb"] = "sst",
    data_dir: pathlib.Path = pathlib.Path("../shared/data"),
    train: int = 0,
    test: int = 0,
    fraction: float = 1.0,
) -> None:
    """Time every routine, write and print one JSON object.

    Args:
        out: file for the JSON.
        data: which corpus of the reference.
        data_dir: folder that holds sst/ and imdb/.
        train: train instances, 0 for all.
        test: test instances, 0 for all.
        fraction: share of the test batches for leave-one-out and the search.
    """
    report = json.dumps(measured(data, data_dir, train, test, fraction), indent=1)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(report + "\n")
    print(report)


def measured(data: str, data_dir: pathlib.Path, train: int, test: int, fraction: float) -> dict:
    """The report. Nothing is read from a compile cache: cold is cold."""
    import jax
    import numpy as np

    from attn_jax.data.batching import bucketise
    from benchmarks import corpora, peak

    jax.config.update("jax_enable_compilation_cache", False)
    first, second, vocabulary = corpora.load(data, data_dir, train, test)
    to_train, to_test = (bucketise(part, vocabulary, 2) for part in (first, second))
    timer = Timer(peak.flops(), peak.Work(EMBEDDING, HIDDEN))
    subject = _trained(timer, to_train, len(vocabulary), first)
    _analysed(timer, subject, to_test, second, max(1, round(1 / fraction)))
    return timer.report | {
        "data": data,
        "train": len(first),
        "test": len(second),
        "vocab": len(vocabulary),
        "mean_length": float(np.mean([len(example.tokens) + 2 for example in second])),
        "cold_battery_seconds": timer.cold(),
    }


def _trained(timer: "Timer", buckets: list, words: int, texts: list) -> Any:
    """The reference's model after an epoch."""
    import jax

    from attn_jax.models.attentions import Additive
    from attn_jax.models.classifier import SequenceClassifier
    from attn_jax.models.encoders import BiLSTM
    from attn_jax.models.layers import TokenEmbedding
    from attn_jax.training.step import initialise
    from benchmarks import routines

    model = SequenceClassifier(TokenEmbedding(words, EMBEDDING), BiLSTM(HIDDEN), Additive(), 2)
    row = jax.tree.map(lambda a: a[0], buckets[0].rows)
    subject = routines.Subject(model, initialise(model, routines.OPTIMISER, row, [0], None))
    heads = [_head(bucket) for bucket in buckets]
    timer("train", lambda part: routines.train(subject, part), buckets, heads, texts)
    return subject


def _analysed(timer: "Timer", subject: Any, buckets: list, texts: list, stride: int) -> None:
    """Every analysis: with its own encode as the reference has it, the last two on what was encoded."""
    from attn_jax.data.batching import at_once, batches
    from benchmarks import routines

    place = routines.DEVICES
    rungs = [
        [place.spread(batch) for batch in batches(bucket.by_length(), at_once(bucket, place.count))]
        for bucket in buckets
    ]
    every = [batch for rung in rungs for batch in rung]
    heads = [rung[0] for rung in rungs]
    for name, routine in routines.ANALYSES.items():
        chosen = every[::stride] if name in ("leave_one_out", "adversarial_500") else every
        timer(name, lambda part, run=routine: run(subject, part), chosen, heads, texts)
    slopes = routines.ANALYSES["gradient"](subject, every)
    seen = [(s.alpha, s.token_logits, s.encoded.mask) for s in routines.seen_by(subject, every)]
    scored = [(alpha, slope, mask) for (alpha, _, mask), slope in zip(seen, slopes, strict=True)]
    for name, run, data in (
        ("exact_max_jsd", routines.exact, seen),
        ("kendall", routines.kendall, _of_one_length(scored)),
    ):
        by_shape = {row[0].shape: row for row in data}
        timer(name, lambda part, run=run: [run(*row) for row in part], data, list(by_shape.values()), texts)


def _of_one_length(data: list) -> list:
    """Batches of one padded length as one: rows of scores are small."""
    import jax
    import numpy as np

    from benchmarks import routines

    by_length: dict[int, list] = {}
    for row in jax.device_get(data):
        by_length.setdefault(row[0].shape[1], []).append(row)
    return [
        routines.DEVICES.spread(tuple(np.concatenate(part) for part in zip(*rows, strict=True)))
        for rows in by_length.values()
    ]


def _head(bucket):
    """A bucket's first rows: enough to compile its program."""
    import numpy as np

    from attn_jax.data.batching import Bucket

    return Bucket(bucket.take(np.arange(1)))


class Timer:
    """Seconds of each routine, first with compilation on one batch a shape, then on all."""

    def __init__(self, peak: float, work: Any):
        self.peak, self.work = peak, work
        self.seconds: dict[str, float] = {}
        self.report: dict[str, Any] = {
            "peak_gflops": round(peak / 1e9, 1),
            "instances_per_second": {},
            "compile_seconds": {},
            "share_of_peak": {},
        }

    def __call__(self, name: str, run: Callable, data: list, warm: list, texts: list) -> None:
        """Times one routine; `texts` are all instances, of which `data` may hold a part."""
        import jax
        import numpy as np

        start = time.perf_counter()
        jax.block_until_ready(run(warm))
        self.report["compile_seconds"][name] = round(time.perf_counter() - start, 2)
        start = time.perf_counter()
        jax.block_until_ready(run(data))
        seconds = time.perf_counter() - start
        count = sum(_size(batch) for batch in data)
        self.seconds[name] = seconds * len(texts) / count
        self.report["instances_per_second"][name] = round(count / seconds, 2)
        lengths = np.array([len(example.tokens) + 2.0 for example in texts])
        share = self.work(name, lengths) / self.seconds[name] / self.peak
        self.report["share_of_peak"][name] = round(float(share), 4)

    def cold(self) -> float:
        """Seconds of 8 epochs and every analysis once, compilation included."""
        rest = sum(seconds for name, seconds in self.seconds.items() if name != "train")
        compiling = sum(self.report["compile_seconds"].values())
        return round(EPOCHS * self.seconds["train"] + rest + compiling, 2)


def _size(batch: Any) -> int:
    """Real instances of a bucket, a batch or the scores of a batch."""
    if isinstance(batch, tuple):
        return int(batch[2].any(-1).sum())
    return len(batch) if hasattr(batch, "take") else int(batch.weight.sum())


if __name__ == "__main__":
    command.run(main, prog="benchmarks.battery")
