"""The figures on the page are those of the harnesses, and nobody's own."""

from reliability import page, section


def test_the_page_is_made_of_the_figures():
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text) == text, "run python -m reliability.page"
    names = {match[2] for match in page._PART.finditer(text)}
    assert names == {"kills", "faults", "fuzz", "audit", "precision", "mutants", "coverage", "soak"}
    assert {path.stem for path in section.FOLDER.glob("*.json")} <= names


def test_a_section_comes_back_and_its_table_is_escaped(tmp_path, capsys):
    made = section.Section("toy", "python -m toy", "All is well.", [{"a": "x|y\nz", "b": 1}])
    section.write(made, tmp_path)
    assert section.read("toy", tmp_path) == made
    assert section.read("absent", tmp_path) is None
    assert "| x\\|y z | 1 |" in made.markdown()
    assert "toy.json" in capsys.readouterr().out
