"""What is installed is what is pinned, and a package that was tampered with is noticed."""

import importlib.metadata
import pathlib

import pytest
from packaging.requirements import Requirement

from reliability import audit, leaks, section


def test_every_requirement_is_an_exact_pin():
    for name in audit.FILES:
        found = list(audit.pins((section.ROOT / name).read_text(), name))
        assert [what for _, what in found if what] == []
        assert len(found) > 10


@pytest.mark.parametrize(
    "row", ["jax>=0.10", "jax", "jax==0.10.*", "jax @ https://example.org/jax.whl", "???"]
)
def test_what_is_no_pin_is_named(row):
    ((_, what),) = audit.pins(f"# fine\n{row}\n", "r.txt")
    assert what.startswith("r.txt, line 2")


def test_a_small_package_is_as_released_and_others_are_not():
    version = importlib.metadata.version("iniconfig")
    assert list(audit.faults(Requirement(f"iniconfig=={version}"))) == []
    assert list(audit.faults(Requirement("iniconfig==0.0.1"))) == [
        f"iniconfig {version} is installed, not ==0.0.1"
    ]
    assert list(audit.faults(Requirement("no-such-package==1"))) == ["no-such-package is not installed"]


def test_an_altered_file_is_named(tmp_path: pathlib.Path):
    info = tmp_path / "toy-1.0.dist-info"
    info.mkdir()
    (tmp_path / "toy.py").write_text("print('something else')\n")
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\nRequires-Dist: absent-one>=2\n"
    )
    (info / "RECORD").write_text("toy.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n")
    package = importlib.metadata.PathDistribution(info)
    assert list(audit._altered(package)) == ["toy: toy.py is not the released file"]
    assert list(audit._unmet(package)) == ["toy needs absent-one>=2, which is not installed"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("-----BEGIN RSA " + "PRIVATE KEY-----", "private key"),
        ("id = AKIA" + "ABCDEFGHIJKLMNOP", "AWS key"),
        ("ghp_" + "a1" * 18, "GitHub token"),
        ("https://me:hunter22" + "@example.org/x", "password in an address"),
        ('password = "' + 'correct-horse"', "password"),
    ],
)
def test_secrets_are_found(text, what):
    assert list(leaks.leaks(b"a\nb\n" + text.encode())) == [(3, what)]


def test_this_checkout_holds_none():
    if not (section.ROOT / ".git").exists():
        pytest.skip("not a checkout")
    found = [
        (path, leak)
        for path in leaks.tracked(section.ROOT)
        if path.is_file()
        for leak in leaks.leaks(path.read_bytes())
    ]
    assert found == []
