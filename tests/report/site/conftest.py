import pathlib

import pytest

from attn_jax.report.site import build
from tests.report.site import grids


@pytest.fixture(scope="session")
def grid_runs(tmp_path_factory) -> pathlib.Path:
    return grids.grid(tmp_path_factory.mktemp("grid"))


@pytest.fixture(scope="session")
def grid_site(grid_runs, tmp_path_factory) -> pathlib.Path:
    return build.build([grid_runs], tmp_path_factory.mktemp("site") / "grid").parent


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory) -> pathlib.Path:
    folder = grids.hostile(tmp_path_factory.mktemp("hostile"))
    return build.build([folder], tmp_path_factory.mktemp("site") / "hostile").parent
