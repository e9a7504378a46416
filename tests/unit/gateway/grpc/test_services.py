"""Which call answers a path, and what becomes of the others."""

import pytest

from bayplan.gateway.grpc.call import Call
from bayplan.gateway.grpc.services import Services
from unit.gateway.http2.wire import END_HEADERS, END_STREAM, Session, block, decoded, raw, size_update

GRPC = ("content-type", "application/grpc")


class Served(Call):
    def received(self, message):
        """It only has to be the call that was opened."""


class Server(Session):
    def __init__(self):
        super().__init__()
        self.notes = []
        self._services = Services({"/a.B/C": Served}, {"/note": self.notes.append})

    def _open(self, stream, head):
        self.calls.append(self._services(stream, head))
        return self.calls[-1]


CASES = {
    "a known path": ("POST", "/a.B/C", [GRPC], None),
    "a known path with a format": ("POST", "/a.B/C", [("content-type", "application/grpc+proto")], None),
    "another path": ("POST", "/a.B/D", [GRPC], {b":status": b"200", b"grpc-status": b"12"}),
    "another method": ("GET", "/a.B/C", [GRPC], {b":status": b"200", b"grpc-status": b"12"}),
    "a browser": ("GET", "/", [], {b":status": b"415"}),
    "another content": ("POST", "/a.B/C", [("content-type", "text/plain")], {b":status": b"415"}),
}


@pytest.mark.parametrize(("method", "path", "more", "expected"), CASES.values(), ids=CASES)
def test_a_path(method, path, more, expected):
    server = Server()
    head = block((":method", method), (":scheme", "http"), (":path", path), *more)
    frames = server.say(raw("HEADERS", size_update(0) + head, 1, END_HEADERS))

    if expected is None:
        assert isinstance(server.calls[0], Served)
        assert frames == []
    else:
        assert frames[0].flags & END_STREAM
        assert expected.items() <= dict(decoded(frames[0].payload)).items()
        assert not server.connection.streams


def test_a_note():
    server = Server()
    head = block((":method", "POST"), (":scheme", "http"), (":path", "/note"), ("x-about", "1"))
    frames = server.say(raw("HEADERS", size_update(0) + head, 1, END_HEADERS | END_STREAM))

    assert [each.headers["x-about"] for each in server.notes] == ["1"]
    assert dict(decoded(frames[0].payload)) == {b":status": b"204"}
