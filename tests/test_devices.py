"""What the command line says about devices and processes, and grids as one command a cell."""

import os

import numpy as np
import pytest

from attn_jax import devices
from attn_jax.errors import UserError
from experiments import command
from experiments.hosts import Hosts
from experiments.scheduled import commanded


@pytest.mark.parametrize("text", ["model=2", "data", "data=0", "data=two", "8"])
def test_a_mesh_that_is_not_data_n_is_refused(text):
    with pytest.raises(UserError, match="data=N"):
        devices.parse(text)


def test_more_devices_than_there_are_is_refused_with_the_remedy():
    with pytest.raises(UserError, match="xla_force_host_platform_device_count=4096"):
        devices.parse("data=4096")


def test_each_core_is_a_device_unless_the_user_says_how_many(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "")  # to be put back as it was, afterwards
    monkeypatch.delenv("JAX_NUM_CPU_DEVICES")
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=3")
    command.every_core()
    assert "JAX_NUM_CPU_DEVICES" not in os.environ
    monkeypatch.setenv("XLA_FLAGS", "")
    command.every_core()
    assert os.environ["JAX_NUM_CPU_DEVICES"] == str(min(cores, command.MOST_CORES))


def test_one_device_is_a_mesh_too_and_none_leaves_arrays_alone():
    rows = np.arange(6).reshape(3, 2)
    one = devices.parse("data=1")
    np.testing.assert_array_equal(one.fetch(one.spread(rows)), rows)
    np.testing.assert_array_equal(one.fetch(one.everywhere(rows)), rows)
    assert one.local() is one
    assert devices.parse(None).spread(rows) is rows
    assert list(devices.mine("abc")) == ["a", "b", "c"]


@pytest.mark.parametrize("given", [{"coordinator": "here:1"}, {"process_id": 0}, {"num_processes": 2}])
def test_processes_are_named_wholly_or_not_at_all(given):
    with pytest.raises(UserError, match="together"):
        Hosts(**given)
    assert Hosts().first
    assert Hosts(None, "here:1", 2, 0).process_id == 0


def test_each_cell_of_a_dry_run_is_a_command_of_its_own():
    given = ["--dataset", "sst,imdb", "--encoder=all", "--out", "runs", "--seeds", "3", "--dry-run"]
    found = commanded("experiments.x", given, {"dataset": "sst", "encoder": "cnn", "out": "runs/sst-cnn"})
    assert found == [
        *("python", "-m", "experiments.x", "--seeds", "3"),
        *("--dataset", "sst", "--encoder", "cnn", "--out", "runs/sst-cnn"),
    ]


def test_the_compiler_is_asked_for_less_unless_an_accelerator_or_the_user_wants_more(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_optimization_level=3")
    command.compile_soon()
    assert os.environ["XLA_FLAGS"] == "--xla_backend_optimization_level=3"
    monkeypatch.setenv("XLA_FLAGS", "--other")
    monkeypatch.setattr(command, "_ACCELERATORS", ("jax",))
    command.compile_soon()
    assert os.environ["XLA_FLAGS"] == "--other"
    monkeypatch.setattr(command, "_ACCELERATORS", ("no_such_package",))
    command.compile_soon()
    assert os.environ["XLA_FLAGS"] == "--other --xla_backend_optimization_level=1"
