import pathlib

import pytest
from report import runs
from results import frames


@pytest.fixture(scope="session")
def toy_run(tmp_path_factory) -> pathlib.Path:
    return runs.build(tmp_path_factory.mktemp("toy"), frames.make(n=40))
