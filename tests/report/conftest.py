import pathlib

import pytest

from tests.report import runs
from tests.results import frames


@pytest.fixture(scope="session")
def toy_run(tmp_path_factory) -> pathlib.Path:
    return runs.build(tmp_path_factory.mktemp("toy"), frames.make(n=40))
