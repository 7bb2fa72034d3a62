"""A page on this computer for one annotator: 127.0.0.1 only, a token a session, no path to any file.

Every page is made from the sheet in memory; a request names an item by its number and nothing else.
"""

import dataclasses
import hmac
import http.server
import secrets
import threading
import urllib.parse
from collections.abc import Sequence
from http import HTTPStatus

from attn_jax.report import templating
from attn_jax.results.annotation import Answers, Item

HOST = "127.0.0.1"
_LARGEST_FORM = 4096  # bytes
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}


@dataclasses.dataclass
class Session:
    """What one server is about."""

    annotator: str
    items: Sequence[Item]
    answers: Answers
    token: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(24))
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def page(self, nonce: str) -> str:
        """The next question, or that there is none."""
        given = self.answers.given
        return templating.render(
            "annotate.html",
            item=next((item for item in self.items if item.key not in given), None),
            done=sum(item.key in given for item in self.items),
            total=len(self.items),
            annotator=self.annotator,
            token=self.token,
            nonce=nonce,
        )


class Server(http.server.ThreadingHTTPServer):
    """Listens on this computer alone; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session

    @property
    def url(self) -> str:
        """Where the annotator begins; whoever has it may answer."""
        return f"http://{HOST}:{self.server_port}/?token={self.session.token}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    timeout = 30  # seconds: a stalled connection holds no thread for long

    def do_GET(self) -> None:
        """The question; a token in the address becomes a cookie and leaves the address."""
        parts = urllib.parse.urlsplit(self.path)
        if not self._local() or parts.path != "/":
            self._refuse(HTTPStatus.NOT_FOUND if self._local() else HTTPStatus.FORBIDDEN)
        elif self._is_token(urllib.parse.parse_qs(parts.query).get("token", [""])[0]):
            cookie = f"{self._cookie}={self.server.session.token}; HttpOnly; SameSite=Strict; Path=/"
            self._redirect({"Set-Cookie": cookie})
        elif self._known():
            self._show()
        else:
            self._refuse(HTTPStatus.FORBIDDEN)

    def do_POST(self) -> None:
        """An answer, or the last one taken back; saved before the reply."""
        form = self._form()
        if form is None or not (self._local() and self._known() and self._is_token(form.get("token", ""))):
            self._refuse(HTTPStatus.FORBIDDEN)
        elif self._took(form):
            self._redirect({})
        else:
            self._refuse(HTTPStatus.BAD_REQUEST)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the terminal is the annotator's, and addresses hold the token."""

    def _took(self, form: dict[str, str]) -> bool:
        session = self.server.session
        with session.lock:
            if self.path == "/undo":
                session.answers.undo()
                return True
            known = any(item.key == form.get("key") for item in session.items)
            if self.path != "/answer" or not known or form.get("relevant") not in ("yes", "no"):
                return False
            session.answers.give(form["key"], form["relevant"] == "yes")
            return True

    def _form(self) -> dict[str, str] | None:
        """The fields of a small form; None for anything else."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_FORM:
            return None
        text = self.rfile.read(int(length)).decode("utf-8", errors="replace")
        return {name: values[0] for name, values in urllib.parse.parse_qs(text).items()}

    def _local(self) -> bool:
        """Whether the browser was told our own address: another name may be a foreign page's trick."""
        return self.headers.get("Host") == f"{HOST}:{self.server.server_port}"

    @property
    def _cookie(self) -> str:
        """Browsers share cookies between the ports of a host."""
        return f"annotate-{self.server.server_port}"

    def _known(self) -> bool:
        pairs = (part.strip().partition("=") for part in self.headers.get("Cookie", "").split(";"))
        return any(name == self._cookie and self._is_token(value) for name, _, value in pairs)

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.server.session.token.encode())

    def _show(self) -> None:
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data:; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        with self.server.session.lock:
            body = self.server.session.page(nonce).encode()
        self._reply(HTTPStatus.OK, {"Content-Security-Policy": policy}, body)

    def _redirect(self, headers: dict[str, str]) -> None:
        self._reply(HTTPStatus.SEE_OTHER, {"Location": "/"} | headers, b"")

    def _refuse(self, status: HTTPStatus) -> None:
        words = "Open the address that the command printed." if status == HTTPStatus.FORBIDDEN else ""
        self._reply(status, {"Connection": "close"}, f"{status.phrase}. {words}".encode())

    def _reply(self, status: HTTPStatus, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in (_HEADERS | headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
