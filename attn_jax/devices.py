"""Where arrays live: one device, a mesh of several, or several processes that share one.

Training and analyses are the same programs everywhere. Batches are divided over the mesh's axis `data`,
parameters are copied to each device, and the compiler puts in the sums between them.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from attn_jax.errors import UserError
from attn_jax.types import AnyArray

AXIS = "data"
Tree = TypeVar("Tree")
Item = TypeVar("Item")


@dataclasses.dataclass(frozen=True)
class Devices:
    """A mesh to divide batches over, or the default device alone."""

    mesh: Mesh | None = None

    @property
    def count(self) -> int:
        """How many a batch is divided over."""
        return 1 if self.mesh is None else self.mesh.devices.size

    def spread(self, batch: Tree, axis: int = 0) -> Tree:
        """The batch with this axis of every leaf divided over the mesh; each process passes the whole."""
        if self.mesh is None:
            return batch
        size, parts = jax.tree.leaves(batch)[0].shape[axis], self.count
        if size % parts:
            raise UserError(f"Batches of {size} cannot be divided over {parts} devices: --mesh data={size}.")
        return _put(batch, NamedSharding(self.mesh, _along(axis)))

    def everywhere(self, tree: Tree) -> Tree:
        """The same values on every device."""
        return tree if self.mesh is None else _put(tree, NamedSharding(self.mesh, PartitionSpec()))

    def each(self, function: Callable, in_axes: Sequence[int | None], out_axes: int) -> Callable:
        """The function with each device at its own part of what lies along those axes, as `vmap` names them.

        None is for an argument that every device has whole. The parts need nothing of each other.
        """
        if self.mesh is None:
            return function
        specs = tuple(_along(axis) for axis in in_axes)
        return jax.shard_map(
            function, mesh=self.mesh, in_specs=specs, out_specs=_along(out_axes), check_vma=False
        )

    def fetch(self, values: jax.Array) -> np.ndarray:
        """The whole array on the host, whichever process holds its parts."""
        if values.is_fully_addressable or values.is_fully_replicated:
            return np.asarray(values)
        return np.asarray(multihost_utils.process_allgather(values, tiled=True))

    def local(self) -> "Devices":
        """This process' own devices, for work that needs no other process: all, if no mesh was chosen."""
        if self.mesh is not None and jax.process_count() == 1:
            return self
        own = jax.local_devices()
        return self if self.mesh is None and len(own) == 1 else over(own)


ALONE = Devices()


def connect(coordinator: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Joins the other processes of a run; call it before anything touches a device.

    Under SLURM and the like all three may be left out: JAX reads them from the cluster's environment.
    """
    jax.config.update("jax_cpu_collectives_implementation", "gloo")  # without effect on accelerators
    jax.distributed.initialize(coordinator, num_processes, process_id)


def parse(text: str | None) -> Devices:
    """`data=8`, eight devices; None is the default device alone, or all devices of several processes."""
    if text is None:
        return ALONE if jax.process_count() == 1 else over(jax.devices())
    name, _, number = text.partition("=")
    if name != AXIS or not number.isdecimal() or int(number) < 1:
        raise UserError(f"--mesh {text}: write data=N, N the number of devices.")
    if int(number) > jax.device_count():
        raise UserError(
            f"--mesh {text}: there are {jax.device_count()} devices here. On a CPU, more can be simulated "
            f"with XLA_FLAGS=--xla_force_host_platform_device_count={number}."
        )
    return over(jax.devices()[: int(number)])


def over(devices: list[jax.Device]) -> Devices:
    """A mesh of just these."""
    return Devices(Mesh(np.array(devices), (AXIS,), axis_types=(AxisType.Auto,)))


def mine(items: Iterable[Item]) -> Iterator[Item]:
    """Every P-th of the items, so that P processes together have each once."""
    for i, item in enumerate(items):
        if i % jax.process_count() == jax.process_index():
            yield item


def wait(name: str) -> None:
    """Until every process is here."""
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(name)


def _put(tree: Tree, sharding: NamedSharding) -> Tree:
    """The tree under this sharding; of several processes each has the whole and puts its own part."""
    if sharding.is_fully_addressable:
        return jax.device_put(tree, sharding)
    return jax.tree.map(lambda leaf: _put_own(leaf, sharding), tree)


def _put_own(leaf: AnyArray, sharding: NamedSharding) -> jax.Array:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(_put_own(jax.random.key_data(jnp.asarray(leaf)), sharding))
    host = np.asarray(leaf)
    return jax.make_array_from_callback(host.shape, sharding, lambda index: host[index])


def _along(axis: int | None) -> PartitionSpec:
    return PartitionSpec() if axis is None else PartitionSpec(*[None] * axis, AXIS)
