"""A whole conversation with `h2`, which others wrote: it checks every frame that we send."""

import h2.config
import h2.connection
import h2.events
import pytest

from bayplan.gateway.http2.connection import Connection
from bayplan.gateway.http2.limits import Limits
from unit.gateway.http2.wire import Recorder, block

HEAD = [(":method", "POST"), (":scheme", "http"), (":path", "/echo"), (":authority", "here"), ("x-test", "ü")]


class Pair:
    """Our server and h2's client; bytes go back and forth until both are silent."""

    def __init__(self, **limits):
        self.calls = []
        self.server = Connection(self._open, Limits(**limits))
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self.client = h2.connection.H2Connection(config)
        self.client.initiate_connection()
        self.events = []
        self.settle()

    def _open(self, stream, head):
        self.calls.append(Recorder(stream, head, echo=True))
        return self.calls[-1]

    def settle(self):
        while True:
            there, back = self.client.data_to_send(), self.server.outbox.take()
            if not there and not back:
                return
            if there:
                self.server.receive(there, 0.0)
            if back:
                for event in self.client.receive_data(back):
                    self.events.append(event)
                    if isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
                        self.client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)

    def request(self, stream, body):
        self.client.send_headers(stream, HEAD)
        while body:
            self.settle()
            room = min(self.client.local_flow_control_window(stream), 16_384, len(body))
            assert room > 0, "the server keeps its window closed"
            self.client.send_data(stream, body[:room])
            body = body[room:]
        self.client.end_stream(stream)
        self.settle()

    def answer(self, stream):
        return b"".join(
            each.data for each in self.events if isinstance(each, h2.events.DataReceived) and each.stream_id == stream
        )


@pytest.mark.parametrize("size", [0, 1, 16_384, 65_536, 1_000_000, 5_000_000])
def test_a_body_of_any_size_comes_back(size):
    pair = Pair()
    body = bytes(range(256)) * (size // 256 + 1)

    pair.request(1, body[:size])

    assert pair.answer(1) == body[:size]
    assert any(isinstance(each, h2.events.StreamEnded) for each in pair.events)


def test_many_streams_at_once_with_small_windows():
    pair = Pair(window_bytes=1_000, connection_bytes=65_535)
    for stream in range(1, 101, 2):
        pair.client.send_headers(stream, HEAD)
        pair.client.send_data(stream, b"%d" % stream * 100)
    pair.settle()
    for stream in range(1, 101, 2):
        pair.client.end_stream(stream)
    pair.settle()

    assert all(pair.answer(stream) == b"%d" % stream * 100 for stream in range(1, 101, 2))
    assert pair.server.streams == {}


def test_padding_priority_and_pings():
    pair = Pair()
    pair.client.send_headers(1, HEAD, priority_weight=16, priority_depends_on=0, priority_exclusive=False)
    pair.client.send_data(1, b"hello", pad_length=100)
    pair.client.ping(b"12345678")
    pair.client.prioritize(1, weight=5)
    pair.client.end_stream(1)
    pair.settle()

    assert pair.answer(1) == b"hello"
    assert any(isinstance(each, h2.events.PingAckReceived) for each in pair.events)


def test_settings_that_change_during_a_call():
    pair = Pair()
    pair.client.send_headers(1, HEAD)
    pair.client.update_settings({4: 100, 5: 20_000, 1: 0})
    pair.settle()
    pair.request(3, b"x" * 100_000)
    pair.client.end_stream(1)
    pair.settle()

    assert pair.answer(3) == b"x" * 100_000


def test_resets_from_both_sides():
    pair = Pair()
    for stream in (1, 3):
        pair.client.send_headers(stream, HEAD)
    pair.settle()
    pair.calls[1].stream.reset(2)
    pair.client.reset_stream(1, 8)
    pair.settle()

    assert [each.error_code for each in pair.events if isinstance(each, h2.events.StreamReset)] == [2]
    assert pair.calls[0].heard == ["lost"]
    assert pair.server.streams == {}


def test_headers_in_many_frames():
    pair = Pair()
    pair.client.send_headers(1, [*HEAD, *((f"x-{number}", "z" * 400) for number in range(60))], end_stream=True)
    pair.settle()

    assert len(pair.calls[0].head.headers) == 61
    assert pair.calls[0].head.headers["x-test"].encode("latin-1").decode() == "ü"


def test_an_answer_in_trailers_alone():
    pair = Pair()
    pair.client.send_headers(1, HEAD)
    pair.settle()
    pair.calls[0].stream.end(block((":status", "200"), ("grpc-status", "12")))
    pair.settle()

    (answer,) = [each for each in pair.events if isinstance(each, h2.events.ResponseReceived)]
    assert dict(answer.headers)["grpc-status"] == "12"
