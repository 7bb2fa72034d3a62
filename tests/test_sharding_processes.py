"""Two local processes through jax.distributed give the numbers of one; each looks at its share."""

import os
import pathlib
import socket
import subprocess
import sys

import numpy as np

from attn_jax import rng as streams
from attn_jax.analyses.observe import observe
from attn_jax.devices import ALONE
from tests.models.families import MODELS, batch, params_of
from tests.two_processes import trained

ROOT = pathlib.Path(__file__).parent.parent
SECONDS = 300


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def together(tmp_path):
    """Runs both; whatever happens, none is left behind."""
    one_device_each = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "", "JAX_NUM_CPU_DEVICES": "1"}
    port, environment = free_port(), os.environ | one_device_each
    logs = [open(tmp_path / f"{number}.log", "w+") for number in range(2)]  # noqa: SIM115
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.two_processes", str(port), str(number), str(tmp_path)],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
        )
        for number, log in enumerate(logs)
    ]
    try:
        codes = [one.wait(timeout=SECONDS) for one in running]
    finally:
        for one in running:
            one.kill()
            one.wait(timeout=SECONDS)
        said = [pathlib.Path(log.name).read_text()[-2000:] for log in logs]
        for log in logs:
            log.close()
    assert codes == [0, 0], "\n".join(said)


def test_two_processes_give_the_numbers_of_one(tmp_path):
    together(tmp_path)
    alone = trained(ALONE)
    for number in range(2):
        found = np.load(tmp_path / f"trained-{number}.npz")
        assert set(found) == set(alone)
        for name, values in alone.items():
            np.testing.assert_allclose(found[name], values, rtol=1e-5, atol=1e-5, err_msg=name)
    model = MODELS["bilstm-additive"]
    shares = [np.load(tmp_path / f"share-{number}.npz") for number in range(2)]
    assert [sorted(share) for share in shares] == [["0", "2"], ["1", "3"]]
    for i in range(4):
        alpha = observe(model, params_of(model), batch(seed=i), streams.root(0)).alpha
        np.testing.assert_allclose(shares[i % 2][str(i)], alpha, atol=1e-6)
