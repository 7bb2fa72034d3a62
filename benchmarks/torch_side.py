"""The PyTorch reference, wrapped and not edited: one untimed warm-up of each routine, then the same JSON.

Run by an interpreter that has torch; imports nothing of attn_jax.

    TORCH_PYTHON benchmarks/torch_side.py torch_reference.py --data sst
"""

import argparse
import json
import runpy
import time
import types

EPOCHS = 8  # of the whole battery


def main():
    """Times every routine and prints one JSON object."""
    args = _arguments()
    reference = types.SimpleNamespace(**runpy.run_path(args.reference))
    import torch  # pyright: ignore[reportMissingImports]

    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    min_count = 1 if args.data == "sst" else 10
    train, test, vocab = reference.load(args.data, args.train, args.test, min_count)
    train_b, test_b = list(reference.batches(train)), list(reference.batches(test))
    model = reference.Model(vocab)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5, amsgrad=True)
    rates, seconds = {}, {}

    def timed(name, routine, data, count):
        routine(data[:1])
        start = time.perf_counter()
        result = routine(data)
        taken = time.perf_counter() - start
        size = sum(len(batch[0]) for batch in data)
        rates[name], seconds[name] = round(size / taken, 2), taken * count / size
        return result

    some = test_b[:: max(1, round(1 / args.fraction))]
    timed("train", lambda data: reference.train_epoch(model, optimiser, data), train_b, len(train))
    attention = timed("evaluate", lambda data: reference.evaluate(model, data), test_b, len(test))
    slopes = timed("gradient", lambda data: reference.gradient(model, data), test_b, len(test))
    timed("permutation_100", lambda data: reference.permutation(model, data), test_b, len(test))
    arrays = [alpha.numpy() for alpha, _ in attention], [slope.numpy() for slope in slopes]
    timed("kendall", lambda data: reference.kendall(data, *arrays), test_b, len(test))
    timed("leave_one_out", lambda data: reference.leave_one_out(model, data), some, len(test))
    timed("adversarial_500", lambda data: reference.adversarial(model, data), some, len(test))
    whole = EPOCHS * seconds["train"] + sum(taken for name, taken in seconds.items() if name != "train")
    sizes = {"data": args.data, "train": len(train), "test": len(test), "vocab": vocab}
    print(json.dumps(sizes | {"instances_per_second": rates, "cold_battery_seconds": round(whole, 2)}))


def _arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("reference")
    parser.add_argument("--data", default="sst")
    parser.add_argument("--train", type=int, default=0)
    parser.add_argument("--test", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fraction", type=float, default=1.0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
