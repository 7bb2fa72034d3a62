"""The state of a training run on disk, by orbax: written whole or not at all, never unpickled."""

import pathlib
import shutil
from typing import Any

import jax
import orbax.checkpoint as ocp

from attn_jax.errors import UserError


class Checkpoint:
    """One folder that holds the newest state of a run and a small JSON note about it."""

    def __init__(self, folder: pathlib.Path):
        options = ocp.CheckpointManagerOptions(
            max_to_keep=1, enable_async_checkpointing=False, cleanup_tmp_directories=True
        )
        self._folder = folder.resolve()
        self._manager = ocp.CheckpointManager(self._folder, options=options)

    @property
    def epoch(self) -> int | None:
        """The epoch of the newest state, None if there is none."""
        return self._manager.latest_step()

    def save(self, epoch: int, state: Any, note: dict) -> None:
        """Writes into a temporary folder and renames it; the state before it is dropped after that."""
        args = ocp.args.Composite(state=ocp.args.StandardSave(state), note=ocp.args.JsonSave(note))
        self._manager.save(epoch, args=args)

    def restore(self, like: Any) -> tuple[Any, dict]:
        """The newest state, shaped as `like`, and its note."""
        shapes = jax.tree.map(ocp.utils.to_shape_dtype_struct, like)
        args = ocp.args.Composite(state=ocp.args.StandardRestore(shapes), note=ocp.args.JsonRestore())
        try:
            found = self._manager.restore(self.epoch, args=args)
        except Exception as error:  # orbax raises whatever its readers do; the remedy is one
            raise UserError(
                f"The checkpoint {self._folder}/{self.epoch} cannot be read ({type(error).__name__}): "
                "delete that folder to train from the start."
            ) from error
        return found["state"], found["note"]

    def close(self) -> None:
        """Ends orbax's threads."""
        self._manager.close()


def forget(folder: pathlib.Path) -> None:
    """Removes a checkpoint, if it is there: training is over and its result is kept elsewhere."""
    shutil.rmtree(folder, ignore_errors=True)
