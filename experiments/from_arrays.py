"""A model that was trained elsewhere: every test that holds its states fixed, from dumped arrays.

    python -m experiments.from_arrays dump.npz --out runs/mine

docs/from_arrays.md names the arrays and shows how PyTorch dumps them. Two cores: a minute for a thousand
sentences, most of it compilation.
"""

import pathlib
from typing import Annotated

import tyro

from experiments import command


def main(
    file: Annotated[pathlib.Path, tyro.conf.Positional],
    out: pathlib.Path,
    epsilon: float = 0.01,
    limit: int | None = None,
) -> None:
    """Put dumped attention on trial.

    Args:
        file: .npz or .safetensors with `alpha` [N, T], `mask` [N, T], `token_logits` [N, T, C] (or `states`
            [N, T, H], `W` [H, C], `b` [C]), and if you have them `tokens` [N, T], `labels` [N], `rationale`
            [N, T], `logits` [N, C].
        out: folder for records.csv, examples.parquet, debate.csv, debate.json, debate.html and debate.md.
        epsilon: how far the output may move under another attention.
        limit: look at the first so many instances; the records say so.
    """
    # Imported here: --help answers at once, without waiting for jax.
    from attn_jax.errors import UserError
    from experiments import dump, dump_trial

    if not 0 < epsilon < 1:
        raise UserError(f"--epsilon {epsilon}: it must lie between 0 and 1.")
    if limit is not None and limit < 1:
        raise UserError(f"--limit {limit}: at least 1 instance is needed.")
    dump_trial.run(dump.read(file), file.stem, out, epsilon, limit)


if __name__ == "__main__":
    command.run(main, prog="experiments.from_arrays")
