"""Heads of requests: what RFC 9113 calls malformed is refused with the header's name."""

import pytest

from bayplan.gateway.http2.faults import StreamFault
from bayplan.gateway.http2.request_head import check_trailers, read_head

GOOD = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/a")]

MALFORMED = {
    "no method": (GOOD[1:], ":method"),
    "no scheme": ([GOOD[0], GOOD[2]], ":scheme"),
    "no path": (GOOD[:2], ":path"),
    "an empty path": ([*GOOD[:2], (b":path", b"")], ":path"),
    "a pseudo-header of responses": ([*GOOD, (b":status", b"200")], ":status"),
    "a pseudo-header that does not exist": ([*GOOD, (b":x", b"y")], ":x"),
    "a pseudo-header twice": ([*GOOD, (b":path", b"/b")], ":path"),
    "a pseudo-header after others": ([*GOOD[:2], (b"a", b"b"), GOOD[2]], ":path"),
    "a name in upper case": ([*GOOD, (b"X-Test", b"y")], "X-Test"),
    "an empty name": ([*GOOD, (b"", b"y")], "name of a header"),
    "a name with a blank": ([*GOOD, (b"a b", b"y")], "a b"),
    "a header of HTTP/1.1": ([*GOOD, (b"connection", b"close")], "connection"),
    "chunks": ([*GOOD, (b"transfer-encoding", b"chunked")], "transfer-encoding"),
    "te with something else": ([*GOOD, (b"te", b"gzip")], "te"),
    "a line end in a value": ([*GOOD, (b"a", b"b\r\nc: d")], "'a'"),
    "a line end in a path": ([*GOOD[:2], (b":path", b"/\r\n")], ":path"),
    "a blank before a value": ([*GOOD, (b"a", b" b")], "'a'"),
    "a content length that is none": ([*GOOD, (b"content-length", b"-1")], "content length"),
    "two content lengths": ([*GOOD, (b"content-length", b"1"), (b"content-length", b"2")], "content length"),
    "a content length of twenty digits": ([*GOOD, (b"content-length", b"9" * 20)], "content length"),
}


@pytest.mark.parametrize(("headers", "named"), MALFORMED.values(), ids=MALFORMED)
def test_malformed(headers, named):
    with pytest.raises(StreamFault) as caught:
        read_head(headers)

    assert caught.value.reason.name == "PROTOCOL_ERROR"
    assert named in caught.value.message


def test_a_head():
    head = read_head(
        [*GOOD, (b":authority", b"x"), (b"te", b"trailers"), (b"a", b"1"), (b"a", b"2"), (b"content-length", b"7")]
    )

    assert (head.method, head.path, head.content_length) == ("POST", "/a", 7)
    assert head.headers == {"te": "trailers", "a": "1, 2", "content-length": "7"}


@pytest.mark.parametrize("headers", [[(b":path", b"/")], [(b"A", b"b")], [(b"a", b"\0")]])
def test_trailers_that_are_malformed(headers):
    with pytest.raises(StreamFault):
        check_trailers(headers)


def test_trailers():
    check_trailers([(b"grpc-status", b"0")])
