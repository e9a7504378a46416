"""Streams: token by token, for clients that read, that read slowly, and that go away."""

import http.client
import json
import threading

import pytest

from engine.running import running

PROMPT = "tell me a long story about a ship and its cargo, and leave nothing out " * 4


def texts(events):
    return [each["choices"][0].get("text") for each in events if each["choices"]]


def test_a_completion_comes_token_by_token(engine):
    answer = engine.complete(max_tokens=9, stream=True)

    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    *tokens, last = texts(answer.events)
    assert [len(each) for each in tokens] == [4] * 9
    assert last == ""
    assert answer.events[-1]["choices"][0]["finish_reason"] == "length"
    assert "".join(tokens) == engine.complete(max_tokens=9).document["choices"][0]["text"]


def test_a_chat_says_first_who_speaks(engine):
    first, *tokens, last = engine.chat(max_tokens=5, stream=True).events
    deltas = [each["choices"][0]["delta"] for each in tokens]

    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [each.keys() for each in deltas] == [{"content"}] * 5
    assert last["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}
    assert len({each["id"] for each in (first, *tokens, last)}) == 1


def test_usage_comes_last_if_it_is_asked_for(engine):
    events = engine.chat(max_tokens=5, stream=True, stream_options={"include_usage": True}).events

    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens"] == 5
    assert all("usage" not in each for each in events[:-1])


def test_the_head_comes_before_the_first_token(own_engine):
    own_engine.break_by(hang=True)
    connection = http.client.HTTPConnection("127.0.0.1", own_engine.port, timeout=30)
    connection.request("POST", "/v1/completions", json.dumps({"prompt": "x", "stream": True}))
    assert connection.getresponse().status == 200
    connection.close()


def test_an_old_client_gets_a_stream_that_ends_with_the_connection(engine):
    body = b'{"prompt": "x", "stream": true, "max_tokens": 3}'
    with engine.connect() as connection:
        head = b"POST /v1/completions HTTP/1.0\r\ncontent-length: %d\r\n\r\n" % len(body)
        connection.sendall(head + body)
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, events = received.partition(b"\r\n\r\n")

    assert b"chunked" not in head
    assert events.count(b"data: ") == 5
    assert events.endswith(b"data: [DONE]\n\n")


def test_requests_that_are_sent_ahead_are_answered_in_order(engine):
    bodies = [b'{"prompt": "x", "max_tokens": %d}' % tokens for tokens in (3, 2, 1)]
    sent = [b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(b), b) for b in bodies]
    with engine.connect() as connection:
        connection.sendall(b"".join(sent) + b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        received = b"".join(iter(lambda: connection.recv(65_536), b""))

    lengths = [part.split(b",")[0] for part in received.split(b'"completion_tokens":')[1:]]
    assert lengths == [b"3", b"2", b"1"]
    assert received.count(b"HTTP/1.1 200 OK") == 4


def test_streams_beside_each_other_are_whole(engine):
    found = {}

    def ask(number):
        found[number] = texts(engine.complete(f"story {number}", max_tokens=50 + number, stream=True).events)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert {number: len(each) for number, each in found.items()} == {number: 51 + number for number in range(16)}


class TestClientsThatGo:
    @pytest.fixture
    def busy(self):
        """One with a stream that would last for hours, and blocks in use."""
        with running("--max-num-seqs", "1", speed="0.001") as engine:
            yield engine

    def start(self, engine):
        connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=30)
        connection.request("POST", "/v1/completions", json.dumps({"prompt": PROMPT, "max_tokens": 999, "stream": True}))
        assert connection.getresponse().status == 200
        return connection

    def test_free_their_blocks(self, busy):
        connection = self.start(busy)
        busy.until("num_requests_running", 1)
        assert busy.metric("kv_cache_usage_perc") > 0
        connection.sock.close()
        connection.close()

        busy.until("num_requests_running", 0)
        assert busy.metric("kv_cache_usage_perc") == 0
        assert busy.metric("request_success_total", finished_reason="abort") == 1

    def test_leave_the_queue(self, busy):
        first, second = self.start(busy), self.start(busy)
        busy.until("num_requests_waiting", 1)
        second.sock.close()
        second.close()

        busy.until("num_requests_waiting", 0)
        assert busy.metric("num_requests_running") == 1
        first.close()


def test_a_slow_reader_gets_everything_in_the_end():
    """More than the buffers of both sides hold is generated before the first byte is read."""
    tokens = 60_000
    with running("--step-ms", "0.001", "--context-ns", "0") as engine:
        connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=60)
        connection.connect()
        connection.request("POST", "/v1/completions", json.dumps({"prompt": "x", "max_tokens": tokens, "stream": True}))
        answer = connection.getresponse()
        engine.until("request_success_total", 1, finished_reason="length")
        body = answer.read()
        connection.close()

    assert body.count(b"data: ") == tokens + 2
    assert body.endswith(b"data: [DONE]\n\n")


def test_clients_that_come_and_go_leave_nothing_behind():
    """Half of them break off somewhere: before the head is sent, in it, in the body, in the answer."""
    with running("--num-gpu-blocks-override", "300", "--max-num-seqs", "8", speed="30") as engine:
        body = json.dumps({"prompt": PROMPT, "max_tokens": 40, "stream": True}).encode()
        request = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        whole = []

        def client(number):
            with engine.connect() as connection:
                if number % 2:
                    connection.sendall(request[: 5 + number * len(request) // 80])  # from 80 on: all of it
                    return
                connection.sendall(request)
                received = b""
                while not received.endswith(b"0\r\n\r\n"):
                    received += connection.recv(65_536)
                whole.append(received.count(b"data: "))

        threads = [threading.Thread(target=client, args=(number,)) for number in range(120)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        engine.until("num_requests_running", 0)

        assert whole == [42] * 60
        assert engine.metric("num_requests_waiting") == 0
        assert engine.metric("kv_cache_usage_perc") == 0
        assert engine.metric("request_success_total", finished_reason="length") >= 60
