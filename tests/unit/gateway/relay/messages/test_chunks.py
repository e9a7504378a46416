"""The end of a body in chunks is found wherever the pieces are cut."""

import itertools

import pytest
from hypothesis import given, strategies as some

from bayplan.gateway.relay.messages.chunks import GOES_ON, ChunkError, Chunks

WHOLE = b"5\r\nhello\r\n1;name=value\r\n!\r\n0\r\n\r\n"
WITH_TRAILERS = b"A\r\n0123456789\r\n0\r\nx-checksum: 1\r\nx-more: 2\r\n\r\n"
LOOKS_ENDED = b"7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"


def followed(pieces):
    """How many bytes of all pieces belong to the body, or None, and its data."""
    chunks = Chunks(collects=True)
    passed, data = 0, b""
    for piece in pieces:
        end = chunks.scan(piece)
        data += b"".join(piece[begin:stop] for begin, stop in chunks.spans)
        if end != GOES_ON:
            return passed + end, data
        passed += len(piece)
    return None, data


def cut(whole, places):
    edges = sorted({0, len(whole), *(each % (len(whole) + 1) for each in places)})
    return [whole[begin:end] for begin, end in itertools.pairwise(edges)]


BODIES = {
    "chunks with an extension": (WHOLE, b"hello!"),
    "trailers": (WITH_TRAILERS, b"0123456789"),
    "data that looks like the end": (LOOKS_ENDED, b"\r\n0\r\n\r\n"),
    "nothing": (b"0\r\n\r\n", b""),
}


@pytest.mark.parametrize(("whole", "data"), BODIES.values(), ids=BODIES)
@given(places=some.lists(some.integers(0, 200), max_size=12))
def test_cuts_do_not_matter(whole, data, places):
    assert followed(cut(whole, places)) == (len(whole), data)


@pytest.mark.parametrize(("whole", "data"), BODIES.values(), ids=BODIES)
def test_bytes_one_by_one(whole, data):
    assert followed([bytes([each]) for each in whole]) == (len(whole), data)


@pytest.mark.parametrize(("whole", "data"), BODIES.values(), ids=BODIES)
def test_what_follows_is_not_part_of_it(whole, data):
    assert followed([whole + b"HTTP/1.1 200 OK"]) == (len(whole), data)


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_a_beginning_goes_on(end):
    assert followed([WHOLE[:end]])[0] is None


BROKEN = {
    "no number": b"zz\r\nab\r\n",
    "a prefix of C": b"0x3\r\nabc\r\n",
    "a sign": b"+3\r\nabc\r\n",
    "an underscore": b"1_0\r\nabc\r\n",
    "a space before the size": b" 3\r\nabc\r\n",
    "no size": b"\r\nabc\r\n",
    "too many digits": b"1234567890123456\r\nabc\r\n",
    "more data than the size says": b"3\r\nabcd\r\n0\r\n\r\n",
    "a lone line feed behind the data": b"3\r\nabc\n0\r\n\r\n",
    "a size line without an end": b"1" * 5_000,
    "trailers without an end": b"0\r\n" + b"x: y\r\n" * 5_000,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_is_no_chunk_is_refused(data):
    with pytest.raises(ChunkError):
        followed([data])


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_is_no_chunk_is_refused_in_single_bytes_too(data):
    with pytest.raises(ChunkError):
        followed([bytes([each]) for each in data])


def test_nothing_is_collected_unless_asked_for():
    chunks = Chunks()

    assert chunks.scan(WHOLE) == len(WHOLE)
    assert chunks.spans is None
