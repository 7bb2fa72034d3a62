"""The committed tables of the reproductions are those that their records make: none is edited by hand."""

import pathlib
import shutil

import pytest

from experiments import reproduction

FOLDERS = sorted(pathlib.Path(__file__).parents[2].glob("docs/reproduction/*/"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_tables_are_what_the_records_make(folder, tmp_path):
    shutil.copy(folder / "records.csv", tmp_path)
    reproduction.main(out=tmp_path)
    made = {path.name: path for path in tmp_path.iterdir() if path.suffix in (".md", ".svg")}
    assert made
    for name, path in made.items():
        assert path.read_text(encoding="utf-8") == (folder / name).read_text(encoding="utf-8"), name
