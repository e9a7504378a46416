"""Requests to a server over one connection that is kept: documents, texts, and watches that go on."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

import orjson

import bayplan
from bayplan.cli.errors import warn
from bayplan.cli.server.location import Location, locate
from bayplan.cli.server.refusals import RefusedError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

JSON = "application/json"
_PATIENCE_S = 120.0  # the server itself gives up on a plan after 60 s
_CONNECT_S = 10.0
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: the HTTP status and the document."""

    status: int
    document: Any


def connect(server: str | None, data: Path | None) -> Connection:
    """A connection to the server that the flags name, for `with`; it is opened with the first request."""
    return Connection(locate(server, data))


class Connection:
    """A server, as the commands see it. Each refusal is raised with `place`, each Warning header is printed once."""

    def __init__(self, location: Location, *, tell: Callable[[str], None] = warn) -> None:
        """`tell` gets each warning of the server."""
        self.location, self._tell = location, tell
        self._open: http.client.HTTPConnection | None = None
        self._said: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, path: str, query: Mapping[str, Any] | None = None, *, place: str, accept: str = JSON) -> Any:
        """The document at a path."""
        return self.call("GET", path, query, place=place, accept=accept).document

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        place: str,
        media: str = JSON,
        accept: str = JSON,
    ) -> Answer:
        """One request and its answer, which is read whole."""
        answer = self._sent(method, path, query, body, media=media, accept=accept)
        with _network(self.location):
            text = answer.read()
        document = self._document(text)
        if answer.status >= 400:
            raise RefusedError(answer.status, document, place)
        return Answer(answer.status, document)

    def stream(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        *,
        place: str,
        accept: str = "*/*",
        endless: bool = False,
    ) -> Iterator[bytes]:
        """The answer in pieces as they come; an endless one may pause as long as it likes."""
        answer = self._sent(method, path, query, None, media=JSON, accept=accept)
        if answer.status >= 400:
            raise RefusedError(answer.status, self._document(answer.read()), place)
        self._patience(None if endless else _PATIENCE_S)
        try:
            with _network(self.location):
                while piece := answer.read1(_CHUNK):
                    yield piece
        finally:
            self.close()  # what is left unread must not be taken for the next answer

    def lines(self, path: str, query: Mapping[str, Any], *, place: str, accept: str = JSON) -> Iterator[Any]:
        """The JSON lines of a watch, until the server ends it."""
        rest = b""
        for piece in self.stream("GET", path, query, place=place, accept=accept, endless=True):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield self._document(line)

    def close(self) -> None:
        """End the connection; the next request opens a new one."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _sent(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, *, media: str, accept: str
    ) -> http.client.HTTPResponse:
        target = self.location.parts.path.rstrip("/") + path
        wanted = {name: value for name, value in (query or {}).items() if value not in (None, "", False)}
        if wanted:
            target += "?" + urlencode({name: "true" if value is True else value for name, value in wanted.items()})
        payload = None if body is None else orjson.dumps(body)
        headers = {"Accept": accept, "User-Agent": f"bayplan/{bayplan.__version__}"}
        if payload is not None:
            headers["Content-Type"] = media
        if self.location.token:
            headers["Authorization"] = f"Bearer {self.location.token}"
        reused = self._open is not None
        with _network(self.location):
            try:
                answer = self._tried(method, target, payload, headers)
            except ConnectionResetError:
                if not reused or method != "GET":
                    raise
                self.close()  # the server closed an idle connection; a read may be sent twice
                answer = self._tried(method, target, payload, headers)
        self._print_warnings(answer)
        return answer

    def _tried(
        self, method: str, target: str, payload: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        if self._open is None:
            self._open = _opened(self.location)
        try:
            self._open.request(method, target, payload, headers)
            return self._open.getresponse()
        except BaseException:
            self.close()  # half of an answer may be left in it
            raise

    def _patience(self, seconds: float | None) -> None:
        if self._open is not None and self._open.sock is not None:
            self._open.sock.settimeout(seconds)

    def _print_warnings(self, answer: http.client.HTTPResponse) -> None:
        for header in answer.headers.get_all("Warning") or ():
            for text in _WARNING.findall(header):
                plain = re.sub(r"\\(.)", r"\1", text)
                if plain not in self._said:
                    self._said.add(plain)
                    self._tell(plain)

    def _document(self, text: bytes) -> Any:
        try:
            return orjson.loads(text) if text else {}
        except orjson.JSONDecodeError:
            raise _foreign(self.location) from None


@contextlib.contextmanager
def _network(location: Location) -> Iterator[None]:
    """Errors of the network become one that says how to go on."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        following = "name the kubeconfig of its data folder: --server FILE"
        message = f"its certificate is not trusted: {error.verify_message}"
        raise UnreachableError(message, place=location.url, next=following) from error
    except ConnectionResetError as error:
        message = "the server went away before it answered"
        raise UnreachableError(message, place=location.url, next="look whether it runs, then try again") from error
    except (ssl.SSLError, http.client.HTTPException) as error:
        raise _foreign(location) from error
    except TimeoutError as error:
        following = "look whether it is overloaded, then try again"
        raise UnreachableError("the server does not answer in time", place=location.url, next=following) from error
    except OSError as error:
        reason = error.strerror or str(error)
        following = f"start one: {location.start_command()}; or name another: --server URL"
        raise UnreachableError(f"no server answers: {reason}", place=location.url, next=following) from error


def _foreign(location: Location) -> UnreachableError:
    following = "check the scheme and the port: bayplan up prints the URL"
    return UnreachableError("what answers is no Bayplan server", place=location.url, next=following)


def _opened(location: Location) -> http.client.HTTPConnection:
    """A connection that waits briefly for the server to accept it, and long for an answer."""
    scheme, host, port = location.origin
    if scheme == "http":
        opened = http.client.HTTPConnection(host, port, timeout=_CONNECT_S)
    else:
        context = ssl.create_default_context(cadata=location.authority or None)
        opened = http.client.HTTPSConnection(host, port, timeout=_CONNECT_S, context=context)
    opened.connect()
    opened.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    opened.sock.settimeout(_PATIENCE_S)
    return opened
