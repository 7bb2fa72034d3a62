import io
import tarfile
import zipfile

import pytest

from attn_jax.data.loaders import archives
from attn_jax.errors import UserError


@pytest.fixture
def tar(tmp_path):
    def make(name, members, links=()):
        with tarfile.open(tmp_path / name, "w:gz") as archive:
            for member, content in members.items():
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            for link, target in links:
                info = tarfile.TarInfo(link)
                info.type, info.linkname = tarfile.SYMTYPE, target
                archive.addfile(info)
        return tmp_path / name

    return make


def test_only_the_wanted_members_are_written(tar, tmp_path):
    path = tar("a.tar.gz", {"x/one.txt": b"1", "x/two.txt": b"2"})
    assert archives.members(path) == ["x/one.txt", "x/two.txt"]
    written = archives.extract(path, {"x/two.txt"}, tmp_path / "out")
    assert {name: file.read_bytes() for name, file in written.items()} == {"x/two.txt": b"2"}
    assert not (tmp_path / "out/x/one.txt").exists()


def test_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("d/one.txt", "1")
    assert archives.members(tmp_path / "a.zip") == ["d/one.txt"]
    written = archives.extract(tmp_path / "a.zip", {"d/one.txt"}, tmp_path / "out")
    assert written["d/one.txt"].read_text() == "1"


@pytest.mark.parametrize("name", ["../evil.txt", "/absolute/evil.txt", "a/../../evil.txt", "..\\evil.txt"])
def test_no_member_leaves_the_folder(tar, tmp_path, name):
    path = tar("a.tgz", {name: b"evil"})
    with pytest.raises(UserError, match="names a path outside"):
        archives.extract(path, {name}, tmp_path / "in" / "out")
    assert not list(tmp_path.rglob("evil.txt"))


def test_links_are_neither_listed_nor_followed(tar, tmp_path):
    path = tar("a.tgz", {"out/x.txt": b"x"}, links=[("out", "/etc"), ("y.txt", "/etc/passwd")])
    assert archives.members(path) == ["out/x.txt"]
    written = archives.extract(path, {"out/x.txt", "y.txt"}, tmp_path / "target")
    assert list(written) == ["out/x.txt"]
    assert not (tmp_path / "target/out").is_symlink()


@pytest.mark.parametrize("name", ["cut.tar.gz", "cut.tgz", "cut.tar", "cut.zip"])
def test_a_cut_archive_is_named(tar, tmp_path, name):
    content = bytes(range(256)) * 400
    whole = tar("whole.tgz", {"a.txt": content, "b.txt": content[::-1]}).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=rf"{name}: the archive is damaged or cut short; download it again"):
        archives.extract(tmp_path / name, {"a.txt", "b.txt"}, tmp_path / "out")
