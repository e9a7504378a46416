"""Health: answers by service, and watches that hear of changes only."""

import pytest

from bayplan.gateway.grpc import health
from bayplan.gateway.grpc.call import framed
from bayplan.gateway.grpc.health import Health
from bayplan.gateway.grpc.services import Services
from unit.gateway.http2.wire import END_HEADERS, END_STREAM, Session, block, data, decoded, raw, reset, size_update


class Server(Session):
    def __init__(self):
        super().__init__()
        self.is_ready = False
        self.health = Health({"": lambda: self.is_ready, "liveness": lambda: True})
        self._services = Services({health.CHECK: self.health.check, health.WATCH: self.health.watch})

    def _open(self, stream, head):
        return self._services(stream, head)

    def ask(self, path, message):
        head = block((":method", "POST"), (":scheme", "http"), (":path", path), ("content-type", "application/grpc"))
        return self.say(raw("HEADERS", size_update(0) + head, 1, END_HEADERS), data(framed(message), flags=END_STREAM))


def outcome(frames):
    """What was answered, and the status where the call has ended."""
    body = b"".join(each.payload for each in frames if each.kind == "DATA")
    ends = [dict(decoded(each.payload)) for each in frames if each.kind == "HEADERS" and each.flags & END_STREAM]
    return body, int(ends[0][b"grpc-status"]) if ends else None


CASES = {
    "a service that serves": (b"\x0a\x08liveness", (framed(b"\x08\x01"), 0)),
    "a service that does not": (b"", (framed(b"\x08\x02"), 0)),
    "a service that does not exist": (b"\x0a\x01x", (b"", 5)),
    "no message of this kind": (b"\x0a\xff", (b"", 3)),
}


@pytest.mark.parametrize(("message", "expected"), CASES.values(), ids=CASES)
def test_a_check(message, expected):
    assert outcome(Server().ask(health.CHECK, message)) == expected


def test_a_check_without_a_question():
    server = Server()
    head = block(
        (":method", "POST"), (":scheme", "http"), (":path", health.CHECK), ("content-type", "application/grpc")
    )

    frames = server.say(raw("HEADERS", size_update(0) + head, 1, END_HEADERS | END_STREAM))

    assert outcome(frames) == (b"", 3)


def test_a_watch_hears_of_changes():
    server = Server()
    assert outcome(server.ask(health.WATCH, b"")) == (framed(b"\x08\x02"), None)

    server.health.tell()
    assert server.output() == []
    server.is_ready = True
    server.health.tell()
    assert outcome(server.output()) == (framed(b"\x08\x01"), None)


def test_a_watch_of_an_unknown_service_is_told_so_and_goes_on():
    assert outcome(Server().ask(health.WATCH, b"\x0a\x01x")) == (framed(b"\x08\x03"), None)


def test_a_watch_that_ends_is_forgotten():
    server = Server()
    server.ask(health.WATCH, b"")
    server.say(reset())
    server.is_ready = True
    server.health.tell()

    assert server.output() == []
    assert server.health._watches == {}
