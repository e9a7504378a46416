"""A relay that is asked to stop: what was asked is answered, and the process ends in time."""

import json
import time
from contextlib import suppress

import pytest

from engine.running import LONGEST_S
from gateway.running_relay import CHAT, chat, relay_and_engines

SLOW = ("--step-ms", "20")


def begin(relay, tokens):
    body = json.dumps(chat(stream=True, max_tokens=tokens)).encode()
    connection = relay.connect()
    connection.sendall(f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    received = connection.recv(65_536)
    assert received.startswith(b"HTTP/1.1 200 ")
    return connection, received


def rest_of(connection):
    received = b""
    with connection, suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            received += part
    return received


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_stream_ends_before_the_process(tmp_path, processes):
    with relay_and_engines(tmp_path, "--processes", processes, engine_flags=SLOW, speed="1") as relay:
        connection, _ = begin(relay, 60)
        relay.process.terminate()

        assert rest_of(connection).endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        assert relay.process.wait(LONGEST_S) == 0
        assert relay.errors() == ""


def test_an_endless_stream_does_not_hold_the_process(tmp_path):
    with relay_and_engines(tmp_path, "--drain-seconds", "2", engine_flags=SLOW, speed="1") as relay:
        connection, _ = begin(relay, 100_000)
        began_s = time.monotonic()
        relay.process.terminate()

        assert not rest_of(connection).endswith(b"0\r\n\r\n")
        assert relay.process.wait(LONGEST_S) == 0
        assert time.monotonic() - began_s < 10
        assert "1 connections were cut off after 2 s" in relay.errors()


def test_an_unused_relay_stops_at_once(tmp_path):
    with relay_and_engines(tmp_path) as relay:
        with relay.connect() as connection:
            assert relay.stop() == 0
            assert connection.recv(1) == b""
        assert relay.errors() == ""
