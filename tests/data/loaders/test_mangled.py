"""Mangled inputs: a parser reads them or says in one sentence what is wrong; it never just falls over."""

import atexit
import functools
import json
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from attn_jax.data import custom, vectors
from attn_jax.data.loaders import archives
from attn_jax.data.loaders.aligned import Aligned
from attn_jax.data.loaders.babi import Babi
from attn_jax.data.loaders.cnn import Cnn
from attn_jax.data.loaders.documents import Documents
from attn_jax.data.loaders.eraser import Eraser
from attn_jax.data.loaders.jsonlines import JsonLines
from attn_jax.data.loaders.labelled_lines import LabelledLines
from attn_jax.data.loaders.mimic import Mimic
from attn_jax.data.loaders.table import Table
from attn_jax.data.loaders.trees import Trees
from attn_jax.data.text import TextRules, tidy
from attn_jax.errors import UserError

LABELS = {"0": 0, "1": 1, "hall": 0, "d": 1}
ANNOTATION = {
    "annotation_id": "e.txt",
    "classification": "1",
    "evidences": [[{"start_token": 0, "end_token": 2}]],
}
NOTES = 'ROW_ID,HADM_ID,CATEGORY,DESCRIPTION,ISERROR,TEXT\n1,7,Discharge summary,Report,,"two\nlines ""x"""\n'

# What is parsed -> (a good file, how it is read).
CASES = {
    "trees": (b"(1 (2 It) (0 (1 works) (2 .)))\n(0 (1 a) (1 b))\n", Trees()),
    "lines": (b"1 a fine film\n0 a bad one\n", LabelledLines()),
    "json": (b'{"text": "a b", "label": 1}\n{"text": "c", "label": "0"}\n', JsonLines()),
    "csv": (b'"1","a ""b""","c\nd"\n"0","e","f"\n', Table("c", ("t", "d"), columns=("c", "t", "d"))),
    "tsv": (b"label\ttext\n1\ta b\n0\tc\n", Table("label", ("text",), delimiter="\t", quoted=False)),
    "babi": (b"1 A went.\n2 B went.\n3 Where is A? \thall\t1\n1 C.\n2 Who?\thall\t1\n", Babi()),
    "cnn": (b"url\n\n@entity1 met @entity0\n\nwho met\n\n@entity1\n\n@entity1:X\n", Cnn()),
    "document": (b"From: x\n\nwords of mine\n> not mine\n\n--\nme\n", Documents(body_only=True)),
    "aligned": (b"one\ntwo\n", Aligned()),
    "eraser": (json.dumps(ANNOTATION).encode() + b"\n", Eraser()),
    "mimic": (NOTES.encode(), Mimic((("285",), ("25",)), rest=1)),
}  # fmt: skip


# The second file of those that need one.
SECOND = {"aligned": "e.txt", "eraser": "e.txt", "mimic": "codes.csv"}


@functools.cache
def folder():
    """One folder for all files of this run: a test of thousands of inputs cannot use tmp_path."""
    path = Path(tempfile.mkdtemp(prefix="attn_jax_mangled_"))
    atexit.register(shutil.rmtree, path)
    (path / "d").mkdir()
    (path / "d/e.txt").write_text("a b\nc d\n")
    (path / "d/codes.csv").write_text("HADM_ID,ICD9_CODE\n7,2851\n")
    return path


JUNK = [
    b"\n",
    b"\t",
    b'"',
    b",",
    b"(",
    b")",
    b"{",
    b"]",
    b"\x00",
    b" ",
    b"99",
    b"-1",
    b"\xff",
    b"\xe2\x80\xa8",
    b"1e999",
]


def mangled(name, content):
    """Two thousand copies of a good file after random cuts, insertions, overwrites and repetitions."""
    for seed in range(2000):
        rng = random.Random(f"{name}/{seed}")
        copy = content
        for _ in range(rng.randint(1, 4)):
            start = rng.randint(0, len(copy))
            end = min(len(copy), start + rng.choice([0, 0, 1, 2, 12]))
            junk = rng.choice([rng.choice(JUNK), rng.randbytes(rng.randint(0, 6)), copy[start:end] * 3])
            copy = copy[:start] + junk + copy[end:]
        yield copy


def survive(name, content, read):
    """Each mangled copy is read to its end or refused in one sentence; returns how many were refused."""
    refused = 0
    for copy in mangled(name, content):
        try:
            read(copy)
        except UserError as error:
            refused += 1
            sentence = str(error)
            if "\n" in sentence or not sentence.endswith("."):
                pytest.fail(f"not one sentence: {sentence!r}")
        except Exception as error:
            pytest.fail(f"{error!r} on {copy!r}")
    return refused


def read_with(loader, name, content):
    path = folder() / "d" / f"{name}.txt"
    path.write_bytes(content)
    files = [path, path.with_name(SECOND[name])] if name in SECOND else [path]
    for raw in loader.read(files, LABELS):
        tidy(raw, TextRules("words"))


@pytest.mark.parametrize("name", CASES)
def test_parsers_survive_mangled_files(name):
    content, loader = CASES[name]
    read_with(loader, name, content)
    refused = survive(name, content, lambda copy: read_with(loader, name, copy))
    assert 0 < refused < 2000


def test_vectors_survive():
    def read(copy):
        path = folder() / "v.txt"
        path.write_bytes(copy)
        vectors.read(path, ("<PAD>", "good", "film"), 0)

    assert survive("vectors", b"3 2\ngood 1.5 -2\nfilm 0 1e-2\n. . 3 4\n", read)


OWN = {
    "jsonl": b'{"text": "a b", "label": "x", "rationale": [[0, 1]]}\n{"text": "c", "label": "y"}\n',
    "csv": b"text,label,split,rationale\na b,x,train,0:1\nc,y,test,\n",
}


@pytest.mark.parametrize("suffix", OWN)
def test_own_files_survive(suffix):
    path = folder() / f"own.{suffix}"

    def read(copy):
        path.write_bytes(copy)
        for source in custom.spec_of(path).layouts[0].parts.values():
            for raw in source.loader.read([path], source.labels):
                tidy(raw, TextRules("words"))

    assert survive(suffix, OWN[suffix], read)


@pytest.mark.parametrize(("suffix", "kind"), [("tar", "tar"), ("tar.gz", "gztar"), ("zip", "zip")])
def test_archives_survive(suffix, kind, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/one.txt").write_text("one " * 50)
    good = Path(shutil.make_archive(str(tmp_path / "good"), kind, tmp_path / "source")).read_bytes()
    path = tmp_path / f"bad.{suffix}"

    def read(copy):
        path.write_bytes(copy)
        archives.extract(path, set(archives.members(path)), tmp_path / "out")

    assert survive(kind, good, read)
    assert {found.name for found in tmp_path.iterdir()} == {"source", "out", path.name, f"good.{suffix}"}
