"""Where the published corpora are, if they are anywhere; small files in the published formats otherwise."""

import gzip
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PUBLISHED = pathlib.Path(os.environ.get("ATTN_JAX_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def published():
    """The folder with one published corpus a folder."""
    if not PUBLISHED.is_dir():
        pytest.skip(f"no published corpora in {PUBLISHED}; set ATTN_JAX_DATA to their folder")
    return PUBLISHED


@pytest.fixture
def put(tmp_path):
    """Writes a file below tmp_path, gzipped if its name says so, and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write
