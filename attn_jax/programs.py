"""Compiled programs in memory: a process can hold only so many of them."""

import gc
import pathlib

import jax

# A compiled program takes a few memory maps. Linux allows a process 65,530 of them by default, and
# beyond that the compiler crashes without a word.
MANY_MAPS = 20_000
_MAPS = pathlib.Path("/proc/self/maps")


def forget_if_many(most: int = MANY_MAPS) -> bool:
    """Drops every compiled program if the process holds more than `most` memory maps; whether it did.

    For long work in one process, between two trainings; what is needed again comes from the cache on disk.
    """
    if not _MAPS.exists() or _MAPS.read_bytes().count(b"\n") <= most:
        return False
    jax.clear_caches()
    gc.collect()
    return True
