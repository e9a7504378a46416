"""Heads of engines: how the body is framed, and what a client gets to see."""

import pytest

from bayplan.gateway.relay.messages.response_head import CHUNKED, UNTIL_CLOSE, HeadError, read_response_head


def head(*lines, status=b"HTTP/1.1 200 OK"):
    return b"\r\n".join((status, *lines))


FRAMES = {
    "a length": (head(b"Content-Length: 12"), 12, True),
    "a length of 0": (head(b"content-length: 0"), 0, True),
    "chunks": (head(b"Transfer-Encoding: chunked"), CHUNKED, True),
    "chunks in capitals": (head(b"TRANSFER-ENCODING: Chunked"), CHUNKED, True),
    "until the connection closes": (head(), UNTIL_CLOSE, True),
    "the engine closes": (head(b"content-length: 1", b"connection: close"), 1, False),
    "close among others": (head(b"content-length: 1", b"Connection: x-one, Close"), 1, False),
    "the engine keeps the connection": (head(b"content-length: 1", b"connection: keep-alive"), 1, True),
    "HTTP/1.0": (head(b"content-length: 1", status=b"HTTP/1.0 200 OK"), 1, False),
    "no content": (head(b"content-length: 9", status=b"HTTP/1.1 204 No Content"), 0, True),
    "not modified": (head(b"content-length: 9", status=b"HTTP/1.1 304 Not Modified"), 0, True),
    "a header without a value": (head(b"x:", b"content-length: 3"), 3, True),
    "a status without a phrase": (head(b"content-length: 3", status=b"HTTP/1.1 200"), 3, True),
}


@pytest.mark.parametrize(("data", "length", "keeps_alive"), FRAMES.values(), ids=FRAMES)
def test_frames(data, length, keeps_alive):
    found = read_response_head(data)

    assert (found.length, found.keeps_alive) == (length, keeps_alive)


def test_an_answer_to_head_has_no_body():
    assert read_response_head(head(b"content-length: 12"), is_head_request=True).length == 0


BROKEN = {
    "no HTTP": head(status=b"hello"),
    "another version": head(status=b"HTTP/2.0 200 OK"),
    "no status": head(status=b"HTTP/1.1 OK"),
    "a long status": head(status=b"HTTP/1.1 2000 OK"),
    "two lengths": head(b"content-length: 1", b"content-length: 1"),
    "a list of lengths": head(b"content-length: 1, 1"),
    "a signed length": head(b"content-length: +1"),
    "an endless length": head(b"content-length: " + b"9" * 30),
    "a length and chunks": head(b"content-length: 1", b"transfer-encoding: chunked"),
    "another coding": head(b"transfer-encoding: gzip, chunked"),
    "two codings": head(b"transfer-encoding: chunked", b"transfer-encoding: chunked"),
    "a folded line": head(b"x: a", b" b: c"),
    "a space before the colon": head(b"content-length : 1"),
    "a line feed inside": head(b"x: a\ncontent-length: 1"),
    "a carriage return inside": head(b"x: a\rb"),
    "a zero byte": head(b"x: \x00"),
    "no colon": head(b"hello"),
    "no name": head(b": hello"),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_can_be_read_in_two_ways_is_refused(data):
    with pytest.raises(HeadError):
        read_response_head(data)


def test_headers_of_the_connection_are_not_passed_on():
    found = read_response_head(
        head(
            b"Server: x", b"Connection: keep-alive, X-Own", b"Keep-Alive: timeout=5", b"X-Own: 1", b"Content-Length: 1"
        )
    )

    assert found.text == head(b"Server: x", b"Content-Length: 1")


@pytest.mark.parametrize(
    ("kind", "is_stream"), [(b"text/event-stream; charset=utf-8", True), (b"application/json", False)]
)
def test_streams_are_known_by_their_type(kind, is_stream):
    assert read_response_head(head(b"content-type: " + kind)).is_stream is is_stream


def test_an_id_of_the_engine_is_noticed():
    assert read_response_head(head(b"X-Request-Id: 7")).has_request_id
    assert not read_response_head(head()).has_request_id


def test_another_framing_can_be_told():
    found = read_response_head(head(b"Server: x", b"Content-Length: 1"))
    found.reframe(b"\r\ntransfer-encoding: chunked")

    assert found.text == head(b"Server: x", b"transfer-encoding: chunked")


def test_clients_are_always_answered_in_the_newer_version():
    assert read_response_head(head(status=b"HTTP/1.0 404 Not Found")).text == b"HTTP/1.1 404 Not Found"


@pytest.mark.parametrize("data", [each for each, *_ in FRAMES.values()], ids=FRAMES)
def test_a_head_that_was_seen_before_is_read_alike(data):
    dated = data.replace(b"\r\n", b"\r\nDate: today\r\n", 1) if b"\r\n" in data else data + b"\r\nDate: today"

    assert read_response_head(dated) == read_response_head(dated)
    assert read_response_head(data) == read_response_head(data)


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_head_stays_broken_after_good_ones(data):
    for line in (b"x: a", b"content-length: 1", b"transfer-encoding: chunked", b"connection: x-one"):
        read_response_head(head(line))
    for _ in range(2):
        with pytest.raises(HeadError):
            read_response_head(data)


def test_a_header_that_connection_names_is_taken_away_though_it_was_seen_before():
    for _ in range(2):
        read_response_head(head(b"x-one: 1", b"content-length: 1"))
        read_response_head(head(b"content-length: 1", b"connection: x-one"))
        found = read_response_head(head(b"x-one: 1", b"content-length: 1", b"connection: x-one"))

        assert found.text == head(b"content-length: 1")


def test_a_line_before_the_status_is_no_head_though_both_were_seen_before():
    read_response_head(head(b"x: a"))

    with pytest.raises(HeadError):
        read_response_head(b"x: a\r\n" + head())
