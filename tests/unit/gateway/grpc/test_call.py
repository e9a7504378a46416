"""Messages of a call in any pieces, and every way in which a call ends."""

import struct

import pytest
from hypothesis import given, strategies as st

from bayplan.gateway.grpc.call import Call, framed
from bayplan.gateway.grpc.statuses import Status
from unit.gateway.http2.wire import (
    END_HEADERS,
    END_STREAM,
    REQUEST,
    Session,
    block,
    data,
    decoded,
    raw,
    reset,
    size_update,
)

FIRST = raw("HEADERS", size_update(0) + block(*REQUEST), 1, END_HEADERS)


class Recording(Call):
    """Writes down what it hears; some messages make it answer, end or fail."""

    most_bytes = 100_000

    def __init__(self, stream):
        super().__init__(stream)
        self.heard = []

    def received(self, message):
        self.heard.append(message)
        if message == b"answer":
            self.send(framed(b"one") + framed(b"two"))
        elif message == b"end":
            self.finish(Status.NOT_FOUND, "ünknown 100 %")
        elif message == b"fail":
            raise ZeroDivisionError

    def half_closed(self):
        self.heard.append("half-closed")
        super().half_closed()

    def abandoned(self):
        self.heard.append("abandoned")


class Server(Session):
    def __init__(self):
        super().__init__()
        self.say(FIRST)
        self.call = self.calls[0]

    def _open(self, stream, head):
        self.calls.append(Recording(stream))
        return self.calls[-1]


def trailers(frames):
    """The status and message at the end."""
    (end,) = [each for each in frames if each.kind == "HEADERS" and each.flags & END_STREAM]
    found = dict(decoded(end.payload))
    return int(found[b"grpc-status"]), found.get(b"grpc-message", b"").decode()


@given(st.lists(st.binary(max_size=40), max_size=6), st.data())
def test_messages_come_whole_however_they_are_cut(messages, chance):
    server = Server()
    body = b"".join(map(framed, messages))
    while body:
        size = chance.draw(st.integers(1, len(body)))
        server.say(data(body[:size]))
        body = body[size:]

    if not {b"answer", b"end", b"fail"} & set(messages):
        assert server.call.heard == messages


def test_a_long_message_in_many_frames():
    server = Server()
    body = framed(b"x" * 90_000) + framed(b"y")
    for at in range(0, len(body), 16_000):
        server.say(data(body[at : at + 16_000]))

    assert server.call.heard == [b"x" * 90_000, b"y"]


def test_an_answer_and_the_end():
    server = Server()
    first = server.say(data(framed(b"answer")))
    last = server.say(data(b"", flags=END_STREAM))

    assert [each.kind for each in first] == ["HEADERS", "DATA"]
    assert dict(decoded(first[0].payload)) == {b":status": b"200", b"content-type": b"application/grpc"}
    assert first[1].payload == framed(b"one") + framed(b"two")
    assert trailers(last) == (0, "")
    assert server.call.heard == [b"answer", "half-closed"]


ENDS = {
    "no message": ([data(b"", flags=END_STREAM)], (0, ""), ["half-closed"]),
    "an end of ours": ([data(framed(b"end"))], (5, "%C3%BCnknown 100 %25"), [b"end"]),
    "a message after our end": ([data(framed(b"end") + framed(b"more"))], (5, "%C3%BCnknown 100 %25"), [b"end"]),
    "half a message": (
        [data(framed(b"abc")[:-1], flags=END_STREAM)], (3, "the call ends inside a message"), ["abandoned"]),
    "half a prefix": ([data(b"\0\0", flags=END_STREAM)], (3, "the call ends inside a message"), ["abandoned"]),
    "a compressed message": (
        [data(b"\1" + framed(b"abc")[1:])], (12, "messages are compressed; send them as they are"), ["abandoned"]),
    "a message that is too long": (
        [data(b"\0" + struct.pack(">I", 2**31))], (8, f"a message of {2**31} bytes, more than 100000"), ["abandoned"]),
    "a fault of ours": (
        [data(framed(b"fail"))], (13, "a fault of the server, which its log tells"), [b"fail", "abandoned"]),
}  # fmt: skip


@pytest.mark.parametrize(("pieces", "status", "heard"), ENDS.values(), ids=ENDS)
def test_an_end(pieces, status, heard):
    server = Server()
    frames = server.say(*pieces)

    assert trailers(frames) == status
    assert server.call.heard == heard
    assert not server.connection.streams
    assert not server.connection.is_closed


def test_a_reset_abandons_the_call_once():
    server = Server()
    server.say(data(framed(b"abc")), reset())
    server.call.send(framed(b"into the void"))
    server.call.finish()

    assert server.call.heard == [b"abc", "abandoned"]
    assert server.output() == []
