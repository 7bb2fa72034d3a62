"""Arrays from a file of another program: never unpickled, each checked, what is wrong in one sentence."""

import pathlib
import zipfile
from collections.abc import Mapping

import numpy as np

from attn_jax.errors import UserError

Arrays = Mapping[str, np.ndarray]


def read(path: pathlib.Path) -> Arrays:
    """All arrays of a .npz or .safetensors file."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    if path.suffix not in (".npz", ".safetensors"):
        raise UserError(f"{path}: dump arrays as .npz (numpy.savez) or .safetensors.")
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as held:
                return {name: held[name] for name in held.files}
        from safetensors.numpy import load_file

        return load_file(path)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UserError(f"{path}: not readable as plain arrays ({error}); write it again.") from error
    except Exception as error:  # safetensors raises errors of its own making
        if type(error).__name__ != "SafetensorError":
            raise
        raise UserError(f"{path}: not readable as safetensors ({error}); write it again.") from error


def named(arrays: Arrays, name: str, path: pathlib.Path) -> np.ndarray:
    """One that must be there."""
    if name not in arrays:
        raise UserError(
            f"{path}: the array `{name}` is missing; it has {', '.join(sorted(arrays)) or 'none'}."
        )
    return arrays[name]


def numbers(arrays: Arrays, name: str, path: pathlib.Path, rank: int) -> np.ndarray:
    """Finite real numbers with so many axes, in float32."""
    found = named(arrays, name, path)
    if found.ndim != rank or 0 in found.shape:
        raise UserError(f"{path}: `{name}` has shape {found.shape}; it must have {rank} axes, none empty.")
    if not np.issubdtype(found.dtype, np.number) or np.iscomplexobj(found):
        raise UserError(f"{path}: `{name}` holds {found.dtype}, not real numbers.")
    if not np.isfinite(found).all():
        place = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
        raise UserError(f"{path}: `{name}` is not finite at {place}; put 0 where `mask` is False.")
    return found.astype(np.float32)


def flags(arrays: Arrays, name: str, path: pathlib.Path, shape: tuple[int, ...]) -> np.ndarray:
    """Flags of this shape."""
    found = named(arrays, name, path)
    if found.shape != shape:
        raise UserError(f"{path}: `{name}` has shape {found.shape}, but `alpha` has {shape}.")
    if found.dtype != bool and not np.isin(found, (0, 1)).all():
        raise UserError(f"{path}: `{name}` must be True or False (or 1 and 0) at every token.")
    return found.astype(bool)
