"""The annotator's page: only for this computer and this session, every answer saved; in a real browser."""

import http.client
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse

import pytest

from attn_jax.errors import UserError
from attn_jax.results import annotation, records
from attn_jax.results.vashishth import Cell
from experiments import annotate
from experiments.annotation_server import HOST, Server, Session
from tests.report.site.browser import chromium
from tests.results import altered

SECONDS = 60  # the longest that anything here may take


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("annotate") / "imdb-bahdanau"
    altered.write(folder, Cell("imdb", "bahdanau", "single"), altered.make(run="imdb-bahdanau", paired=True))
    return folder


@pytest.fixture
def server(tmp_path):
    items = annotation.sheet(altered.make(), ["negative", "<b>positive</b>"], count=2, seed=0)
    server = Server(Session("anna", items, annotation.Answers(tmp_path, "anna")))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(SECONDS)


def ask(server, method, path, *, cookie=True, host=None, form=None):
    """(status, headers, text) of one request."""
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=SECONDS)
    headers = {"Host": host or f"{HOST}:{server.server_port}"}
    if cookie:
        headers["Cookie"] = f"other=1; annotate-{server.server_port}={server.session.token}"
    body = urllib.parse.urlencode({"token": server.session.token} | form) if form is not None else None
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, dict(reply.getheaders()), text


def test_it_listens_on_this_computer_alone(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.url.startswith("http://127.0.0.1:")
    assert len(server.session.token) > 30


def test_the_token_opens_the_page_and_leaves_the_address(server):
    assert ask(server, "GET", "/", cookie=False)[0] == 403
    assert ask(server, "GET", "/?token=guess", cookie=False)[0] == 403
    status, headers, _ = ask(server, "GET", f"/?token={server.session.token}", cookie=False)
    assert (status, headers["Location"]) == (303, "/")
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=Strict" in headers["Set-Cookie"]
    status, headers, text = ask(server, "GET", "/")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "0 of 4 answered" in text
    assert "<b>positive</b>" not in text


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/sheet.jsonl", "/answers-anna.jsonl"],
)
def test_no_path_leads_to_a_file(server, path):
    assert ask(server, "GET", path)[0] == 404


def test_foreign_pages_and_forms_are_refused(server):
    form = {"key": "1", "relevant": "yes"}
    assert ask(server, "GET", "/", host="evil.example")[0] == 403
    assert ask(server, "POST", "/answer", form=form, cookie=False)[0] == 403
    assert ask(server, "POST", "/answer", form=form | {"token": "guess"})[0] == 403
    assert ask(server, "POST", "/answer", form=form, host="evil.example")[0] == 403
    assert ask(server, "POST", "/answer", form=form | {"more": "x" * 5000})[0] == 403
    for wrong in ({"key": "99"}, {"relevant": "maybe"}, {"key": "../1"}):
        assert ask(server, "POST", "/answer", form=form | wrong)[0] == 400
    assert ask(server, "POST", "/elsewhere", form=form)[0] == 400
    assert server.session.answers.given == {}


def test_an_answer_is_on_disk_before_the_next_question(server):
    for number, said in enumerate(("yes", "no", "yes", "yes"), start=1):
        status, _, _ = ask(server, "POST", "/answer", form={"key": str(number), "relevant": said})
        assert status == 303
        assert len(annotation.read_answers(server.session.answers.path)) == number
    assert "Done, thank you" in ask(server, "GET", "/")[2]
    ask(server, "POST", "/undo", form={})
    assert annotation.read_answers(server.session.answers.path) == {"1": True, "2": False, "3": True}


def test_reports_and_refusals(run, capsys):
    with pytest.raises(UserError, match="name who answers"):
        annotate.main(run)
    folder = run / "annotation"
    items = annotate._items(annotate.RunDir(run), folder, 3, 0)
    with pytest.raises(UserError, match="nobody has answered"):
        annotate.main(run, report=True)
    for name in ("anna", "ben"):
        answers = annotation.Answers(folder, name)
        for item in items:
            answers.give(item.key, item.kind == "original")
    annotate.main(run, report=True)
    printed = capsys.readouterr().out
    for part in ("79.5", "Original attention", "0.84", "1.00"):
        assert part in printed
    assert len(records.read(folder / "records.csv")) == 9
    with pytest.raises(UserError, match="another run, --count or --seed"):
        annotate.main(run, "carl", count=4)


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def test_an_annotator_answers_by_keyboard_and_resumes(run, tmp_path, browser):
    folder = shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("annotation"))
    command = [
        sys.executable,
        "-m",
        "experiments.annotate",
        str(folder),
        "--annotator",
        "eve",
        "--count",
        "2",
    ]
    answers = folder / "annotation" / "answers-eve.jsonl"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for start, keys in ((0, ["y", "n", "u", "y"]), (2, ["N", "y"])):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", process.stdout.readline())[0]
            page = browser.new_page()
            page.set_default_timeout(1000 * SECONDS)
            noise = []
            page.on("console", lambda message, noise=noise: noise.append(message.text))
            page.goto(url)
            assert "token" not in page.url
            assert f"{start} of 4 answered" in page.inner_text("header")
            assert page.locator("mark").count() == page.locator("b.chosen").count() == 3
            found = axe.run(page, options={"preload": False}).response["violations"]
            assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
            for key in keys:
                with page.expect_navigation():
                    page.keyboard.press(key)
            page.wait_for_load_state()
            assert noise == []
            page.close()
        finally:
            process.terminate()
            process.wait(SECONDS)
            process.stdout.close()
    assert list(annotation.read_answers(answers).values()) == [True, True, False, True]
