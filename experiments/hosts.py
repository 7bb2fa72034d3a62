"""Which devices and which other processes a command runs on; imports jax only once that is asked for."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import tyro

from attn_jax.errors import UserError

if TYPE_CHECKING:
    from attn_jax.devices import Devices

_JOINED: set[str] = set()  # a process can join others only once, whatever the number of cells


@dataclasses.dataclass(frozen=True)
class Hosts:
    """What the command line says."""

    mesh: str | None = None
    """data=N divides every batch over N devices."""
    coordinator: str | None = None
    """host:port of the first of several processes that share one run and one file system."""
    num_processes: int | None = None
    """how many they are; under SLURM and the like 0 lets JAX find all three by itself."""
    process_id: int | None = None
    """which of them this is, from 0."""

    def __post_init__(self):
        given = [self.coordinator is not None, bool(self.num_processes), self.process_id is not None]
        if any(given) and not all(given):
            raise UserError("--coordinator, --num-processes and --process-id are given together, or none.")

    @property
    def first(self) -> bool:
        """Whether this process writes the report."""
        return not self.process_id and (self.num_processes is None or _index() == 0)

    def joined(self) -> "Devices":
        """The devices of all processes, this one having joined the others."""
        from attn_jax import devices

        if self.num_processes is not None and not _JOINED:
            devices.connect(self.coordinator, self.num_processes or None, self.process_id)
            _JOINED.add("joined")
        return devices.parse(self.mesh)


def _index() -> int:
    import jax

    return jax.process_index()


ALONE = Hosts()
Hosting = Annotated[Hosts, tyro.conf.arg(name="")]  # on a command line: its fields, without a prefix
