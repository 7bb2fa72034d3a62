from attn_jax.report import terminal
from attn_jax.results import jain_wallace, verdict
from tests.results import frames


def test_every_finding_is_there_in_plain_lines():
    made = jain_wallace.records_of(frames.make(), jain_wallace.Cell("sst", "bilstm", "additive"))
    said = verdict.of(made)
    text = terminal.text(said, title="sst, bilstm\x1b[31m", width=70)
    assert all(len(line) <= 70 for line in text.splitlines())
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert " ".join(said.headline.split()) in " ".join(text.split())
    for finding in said.findings:
        assert finding.test in text
        assert " ".join(finding.text.replace("\u00a0", " ").split()) in " ".join(text.split())
    assert "[for]" in text
