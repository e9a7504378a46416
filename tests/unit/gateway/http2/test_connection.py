"""The rules of RFC 9113 that a peer can break, one row each, and what a peer that keeps them may expect."""

import struct

import pytest

from unit.gateway.http2.wire import (
    ACK,
    END_HEADERS,
    END_STREAM,
    PADDED,
    PREFACE,
    PRIORITY,
    REQUEST,
    Session,
    block,
    data,
    headers,
    raw,
    reset,
    settings,
    size_update,
    window,
)  # fmt: skip

# the first block after our settings were acknowledged has to make the table smaller
BLOCK = block(*REQUEST)


def first(content=BLOCK, stream=1, flags=END_HEADERS):
    return raw("HEADERS", size_update(0) + content, stream, flags)


FIRST = first()
LAST = first(flags=END_HEADERS | END_STREAM)
BIG = b"x" * 16_384

CASES = {
    # RFC 9113, 4.1, 4.2: frames
    "a frame of an unknown type is ignored": ([raw(0x16, b"?")], "fine"),
    "an unknown flag is ignored": ([raw("PING", b"12345678", flags=0x16)], "fine"),
    "the reserved bit of a stream is ignored": ([raw("PING", b"12345678", stream=0x8000_0000)], "fine"),
    "a DATA frame of the largest size is taken": ([FIRST, data(BIG)], "fine"),
    "a DATA frame above the largest size ends the connection": ([FIRST, data(BIG + b"x")], "FRAME_SIZE_ERROR"),
    "a HEADERS frame above the largest size ends the connection": ([raw("HEADERS", BIG + b"x", 1)], "FRAME_SIZE_ERROR"),
    "a size that is only announced is enough to end it": ([raw(0x16, size=16_385)], "FRAME_SIZE_ERROR"),
    # RFC 9113, 4.3, 6.2, 6.10: headers and their compression
    "a block that is no HPACK ends the connection": ([first(b"\x00\x40\x01")], "COMPRESSION_ERROR"),
    "an index beyond the tables": ([first(b"\xff\x80\x01")], "COMPRESSION_ERROR"),
    "a table that stays larger than we allow": ([headers()], "COMPRESSION_ERROR"),
    "a size of the table inside a block": ([first(b"\x82\x20")], "COMPRESSION_ERROR"),
    "a PING inside a block of headers": ([headers(flags=0), raw("PING", b"12345678")], "PROTOCOL_ERROR"),
    "another stream's HEADERS inside a block": ([headers(flags=0), headers(3)], "PROTOCOL_ERROR"),
    "an unknown frame inside a block": ([headers(flags=0), raw(0x16)], "PROTOCOL_ERROR"),
    "CONTINUATION of another stream": ([headers(flags=0), raw("CONTINUATION", b"", 3)], "PROTOCOL_ERROR"),
    "CONTINUATION without HEADERS": ([raw("CONTINUATION", b"", 1)], "PROTOCOL_ERROR"),
    "CONTINUATION after the end of a block": ([FIRST, raw("CONTINUATION", b"", 1)], "PROTOCOL_ERROR"),
    "CONTINUATION of stream 0": ([raw("CONTINUATION", b"")], "PROTOCOL_ERROR"),
    "HEADERS of stream 0": ([headers(0)], "PROTOCOL_ERROR"),
    "HEADERS of a stream that only servers open": ([headers(2)], "PROTOCOL_ERROR"),
    "HEADERS with more padding than content": ([raw("HEADERS", b"\x05abc", 1, END_HEADERS | PADDED)], "PROTOCOL_ERROR"),
    "HEADERS that end inside the priority": ([raw("HEADERS", b"\0\0", 1, END_HEADERS | PRIORITY)], "FRAME_SIZE_ERROR"),
    "headers in more frames than anybody needs": (
        [headers(flags=0), *(raw("CONTINUATION", b"", 1) for _ in range(20))], "ENHANCE_YOUR_CALM"),
    "headers of more bytes than we allow": (
        [headers(flags=0), *(raw("CONTINUATION", BIG, 1) for _ in range(5))], "ENHANCE_YOUR_CALM"),
    # RFC 9113, 5.1: streams
    "DATA of a stream that was never opened": ([data()], "PROTOCOL_ERROR"),
    "RST_STREAM of a stream that was never opened": ([reset()], "PROTOCOL_ERROR"),
    "WINDOW_UPDATE of a stream that was never opened": ([window(1, 1)], "PROTOCOL_ERROR"),
    "DATA after the end of a request": ([LAST, data()], "stream 1: STREAM_CLOSED"),
    "HEADERS after the end of a request": (
        [LAST, headers(flags=END_HEADERS | END_STREAM, of=())], "stream 1: STREAM_CLOSED"),
    "HEADERS of a stream that the peer has reset": ([FIRST, reset(), headers()], "STREAM_CLOSED"),
    "DATA of a stream that the peer has reset": ([FIRST, reset(), data()], "stream 1: STREAM_CLOSED"),
    "a stream below the newest one": ([first(stream=5), headers(3)], "STREAM_CLOSED"),
    "RST_STREAM of a stream that is over": ([FIRST, reset(), reset()], "fine"),
    "WINDOW_UPDATE of a stream that is over": ([FIRST, reset(), window(1, 1)], "fine"),
    "PRIORITY of a stream that is over": ([FIRST, reset(), raw("PRIORITY", b"\0" * 5, 1)], "fine"),
    "PRIORITY of a stream that was never opened": ([raw("PRIORITY", b"\0" * 5, 9)], "fine"),
    # RFC 9113, 6.1: DATA
    "DATA of stream 0": ([data(stream=0)], "PROTOCOL_ERROR"),
    "DATA with padding": ([FIRST, data(b"\x03hello\0\0\0", flags=PADDED)], "fine"),
    "DATA with more padding than content": ([FIRST, data(b"\x06hello", flags=PADDED)], "PROTOCOL_ERROR"),
    "DATA with the flag of padding and nothing else": ([FIRST, data(b"", flags=PADDED)], "PROTOCOL_ERROR"),
    # RFC 9113, 6.3: PRIORITY
    "PRIORITY of stream 0": ([raw("PRIORITY", b"\0" * 5)], "PROTOCOL_ERROR"),
    "PRIORITY of four bytes": ([FIRST, raw("PRIORITY", b"\0" * 4, 1)], "stream 1: FRAME_SIZE_ERROR"),
    "PRIORITY of four bytes for no stream": ([raw("PRIORITY", b"\0" * 4, 1)], "FRAME_SIZE_ERROR"),
    # RFC 9113, 6.4: RST_STREAM
    "RST_STREAM of stream 0": ([reset(0)], "PROTOCOL_ERROR"),
    "RST_STREAM of three bytes": ([FIRST, raw("RST_STREAM", b"\0\0\0", 1)], "FRAME_SIZE_ERROR"),
    # RFC 9113, 6.5: SETTINGS
    "an acknowledgement with a payload": ([settings((1, 1), flags=ACK)], "FRAME_SIZE_ERROR"),
    "SETTINGS of a stream": ([settings(stream=1)], "PROTOCOL_ERROR"),
    "SETTINGS of five bytes": ([raw("SETTINGS", b"\0" * 5)], "FRAME_SIZE_ERROR"),
    "ENABLE_PUSH of 2": ([settings((2, 2))], "PROTOCOL_ERROR"),
    "a first window above the largest one": ([settings((4, 2**31))], "FLOW_CONTROL_ERROR"),
    "frames below the smallest maximum": ([settings((5, 2**14 - 1))], "PROTOCOL_ERROR"),
    "frames above the largest maximum": ([settings((5, 2**24))], "PROTOCOL_ERROR"),
    "a setting that nobody knows": ([settings((0x99, 1))], "fine"),
    "a first window that makes an open one too large": (
        [FIRST, window(2**31 - 1 - 65_535, 1), settings((4, 65_536))], "FLOW_CONTROL_ERROR"),
    # RFC 9113, 6.6: PUSH_PROMISE
    "PUSH_PROMISE of a client": ([FIRST, raw("PUSH_PROMISE", b"\0\0\0\2", 1)], "PROTOCOL_ERROR"),
    # RFC 9113, 6.7: PING
    "PING of a stream": ([raw("PING", b"12345678", 1)], "PROTOCOL_ERROR"),
    "PING of six bytes": ([raw("PING", b"123456")], "FRAME_SIZE_ERROR"),
    "an answer to a ping that was never sent": ([raw("PING", b"12345678", flags=ACK)], "fine"),
    # RFC 9113, 6.8: GOAWAY
    "GOAWAY of a stream": ([raw("GOAWAY", b"\0" * 8, 1)], "PROTOCOL_ERROR"),
    "GOAWAY of four bytes": ([raw("GOAWAY", b"\0" * 4)], "FRAME_SIZE_ERROR"),
    "GOAWAY and calls that go on": ([FIRST, raw("GOAWAY", b"\0" * 8), data()], "fine"),
    # RFC 9113, 6.9: WINDOW_UPDATE and flow control
    "a window that grows by 0": ([window(0)], "PROTOCOL_ERROR"),
    "a stream's window that grows by 0": ([FIRST, window(0, 1)], "stream 1: PROTOCOL_ERROR"),
    "WINDOW_UPDATE of three bytes": ([raw("WINDOW_UPDATE", b"\0\0\1")], "FRAME_SIZE_ERROR"),
    "a window above the largest one": ([window(2**31 - 1)], "FLOW_CONTROL_ERROR"),
    "a stream's window above the largest one": ([FIRST, window(2**31 - 1, 1)], "stream 1: FLOW_CONTROL_ERROR"),
    # RFC 9113, 8.1: requests
    "trailers": ([FIRST, data(), headers(of=(("a", "b"),), flags=END_HEADERS | END_STREAM)], "fine"),
    "trailers that do not end the request": ([FIRST, headers(of=(("a", "b"),))], "stream 1: PROTOCOL_ERROR"),
    "trailers with a pseudo-header": ([FIRST, headers(flags=END_HEADERS | END_STREAM)], "stream 1: PROTOCOL_ERROR"),
    "less data than the content length": (
        [first(block(*REQUEST, ("content-length", "9"))),
         data(flags=END_STREAM)], "stream 1: PROTOCOL_ERROR"),
    "more data than the content length": (
        [first(block(*REQUEST, ("content-length", "4"))), data()],
        "stream 1: PROTOCOL_ERROR"),
    "a content length and no data": (
        [first(block(*REQUEST, ("content-length", "4")), flags=END_HEADERS | END_STREAM)],
        "stream 1: PROTOCOL_ERROR"),
    "as much data as the content length": (
        [first(block(*REQUEST, ("content-length", "5"))),
         data(flags=END_STREAM)], "fine"),
    "a request without a path": (
        [first(block(*REQUEST[:2]))], "stream 1: PROTOCOL_ERROR"),
}  # fmt: skip


@pytest.mark.parametrize(("pieces", "expected"), CASES.values(), ids=CASES)
def test_a_rule(pieces, expected):
    assert Session().verdict(*pieces) == expected


@pytest.mark.parametrize(("pieces", "expected"), CASES.values(), ids=CASES)
def test_a_rule_holds_when_bytes_come_one_by_one(pieces, expected):
    session = Session()
    told = []
    for byte in b"".join(pieces):
        told.append(session.verdict(bytes((byte,))))
        if session.connection.is_closed:
            break

    assert [each for each in told if each != "fine"] == ([] if expected == "fine" else [expected])


BEGINNINGS = {
    "another protocol": (b"GET / HTTP/1.1\r\n\r\n", "PROTOCOL_ERROR"),
    "another preface": (PREFACE[:-1] + b"x", "PROTOCOL_ERROR"),
    "half a preface": (PREFACE[:10], "fine"),
    "no settings after the preface": (PREFACE + raw("PING", b"12345678"), "PROTOCOL_ERROR"),
    "an acknowledgement before settings": (PREFACE + settings(flags=ACK) + raw("PING", b"12345678"), "PROTOCOL_ERROR"),
}


@pytest.mark.parametrize(("piece", "expected"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_a_beginning(piece, expected):
    assert Session(greet=False).verdict(piece) == expected


def test_the_server_greets_with_its_settings_and_a_larger_window():
    greeting = Session().greeting

    assert [each.kind for each in greeting] == ["SETTINGS", "WINDOW_UPDATE"]
    values = dict(struct.iter_unpack(">HI", greeting[0].payload))
    assert values == {1: 0, 3: 10_000, 4: 1024 * 1024, 6: 64 * 1024}
    assert greeting[1].number == 16 * 1024 * 1024 - 65_535


def test_settings_and_pings_are_acknowledged():
    frames = Session().say(settings((3, 1)), raw("PING", b"abcdefgh"))

    assert [(each.kind, each.flags, each.payload) for each in frames] == [
        ("SETTINGS", ACK, b""),
        ("PING", ACK, b"abcdefgh"),
    ]


def test_before_the_acknowledgement_a_peer_may_use_its_table():
    session = Session(greet=False)
    kept = b"".join(b"\x40" + block(each)[1:] for each in REQUEST)

    session.say(PREFACE, settings(), raw("HEADERS", kept, 1, END_HEADERS))
    verdict = session.verdict(raw("HEADERS", bytes((0x80 | 65, 0x80 | 64, 0x80 | 63, 0x80 | 62)), 3, END_HEADERS))

    assert verdict == "fine"
    assert [call.head.path for call in session.calls] == ["/echo", "/echo"]


def test_a_block_in_pieces_is_one_block():
    session = Session()
    whole = size_update(0) + block(*REQUEST, ("x-test", "yes"))

    session.say(
        raw("HEADERS", b"\x02" + b"\0\0\0\0\7" + whole[:5] + b"\0\0", 1, PADDED | PRIORITY | END_STREAM),
        raw("CONTINUATION", whole[5:9], 1),
        raw("CONTINUATION", whole[9:], 1, END_HEADERS),
    )

    (call,) = session.calls
    assert call.head.headers == {"x-test": "yes"}
    assert call.heard == ["end"]


def test_padding_is_not_data_and_counts_for_the_window():
    session = Session(window_bytes=100, connection_bytes=65_535 + 100)

    frames = session.say(FIRST, data(b"\x3chello" + b"\0" * 60, flags=PADDED))

    assert session.calls[0].heard == [b"hello"]
    assert [(each.kind, each.stream, each.number) for each in frames] == [("WINDOW_UPDATE", 1, 66)]


def test_a_window_is_opened_again_after_half_of_it():
    session = Session(window_bytes=1000, connection_bytes=65_535 + 1000)

    first = session.say(FIRST, data(b"x" * 500))
    second = session.say(data(b"x"))

    assert first == []
    assert [(each.stream, each.number) for each in second] == [(1, 501)]


def test_the_connections_window_is_opened_again_whatever_becomes_of_the_data():
    session = Session(connection_bytes=65_535 + 1000)
    session.say(FIRST, reset())

    frames = [each for _ in range(3) for each in session.say(data(BIG)) if each.kind == "WINDOW_UPDATE"]

    assert [(each.stream, each.number) for each in frames] == [(0, 3 * 16_384)]


OVERFLOWS = {
    "one stream": ({"window_bytes": 100}, "stream 1: FLOW_CONTROL_ERROR"),
    "the connection": ({"connection_bytes": 65_535}, "FLOW_CONTROL_ERROR"),
}


@pytest.mark.parametrize(("limits", "expected"), OVERFLOWS.values(), ids=OVERFLOWS)
def test_more_than_the_window_of(limits, expected):
    session = Session(**limits)
    session.connection._low_inbound_bytes = session.connection._low_stream_bytes = 0  # as if nothing were ever read

    assert session.verdict(FIRST, *(data(b"x" * 14_000) for _ in range(5))).startswith(expected)


def test_too_many_streams_are_refused_one_by_one():
    session = Session(streams=2)

    assert (
        session.verdict(FIRST, headers(3), headers(5), headers(7))
        == "stream 5: REFUSED_STREAM, stream 7: REFUSED_STREAM"
    )
    assert session.verdict(reset(1), headers(9)) == "fine"


def test_frames_of_a_stream_that_we_have_reset_may_still_come():
    session = Session(streams=1)
    session.say(FIRST, headers(3))

    assert (
        session.verdict(data(stream=3), window(5, 3), headers(3, of=(("a", "b"),), flags=END_HEADERS | END_STREAM))
        == "fine"
    )


def test_a_reset_is_told_to_the_handler_once():
    session = Session()
    session.say(FIRST, reset(), reset())

    assert session.calls[0].heard == ["lost"]
    assert session.connection.streams == {}


def test_a_fault_of_the_connection_is_told_to_every_handler():
    session = Session()
    session.say(FIRST, headers(3), raw("PING", b"short"))

    assert [call.heard for call in session.calls] == [["lost"], ["lost"]]
    assert session.say(headers(5)) == []


FLOODS = {
    "streams that are opened and reset": lambda n: headers(2 * n + 3) + reset(2 * n + 3),
    "pings": lambda n: raw("PING", struct.pack(">Q", n)),
    "settings": lambda n: settings((3, n)),
    "data without data": lambda _: data(b""),
    "windows that make us reset streams": lambda n: headers(2 * n + 3) + window(0, 2 * n + 3),
}


@pytest.mark.parametrize("piece", FLOODS.values(), ids=FLOODS)
def test_a_flood_ends_the_connection(piece):
    session = Session(misuse_burst=50)
    session.say(FIRST)

    session.say(*(piece(n) for n in range(50)))
    assert not session.connection.is_closed
    assert session.verdict(piece(50)) == "ENHANCE_YOUR_CALM"


@pytest.mark.parametrize("piece", FLOODS.values(), ids=FLOODS)
def test_the_same_over_time_is_no_flood(piece):
    session = Session(misuse_burst=5, misuse_per_s=10.0)
    session.say(FIRST)
    for n in range(200):
        session.now += 0.2
        session.say(piece(n))

    assert not session.connection.is_closed


def test_resets_of_calls_that_were_answered_are_no_flood():
    session = Session(misuse_burst=5)
    session.say(FIRST)
    for number in range(3, 203, 2):
        session.say(headers(number))
        session.calls[-1].answer(b"something")
        session.say(reset(number))

    assert not session.connection.is_closed


def test_a_retired_connection_serves_what_the_peer_began_in_time():
    session = Session(echo=True)
    session.say(FIRST)
    session.connection.retire()
    goaway, ping = session.output()
    assert (goaway.kind, goaway.payload[:4]) == ("GOAWAY", struct.pack(">I", 2**31 - 1))

    session.say(headers(3))
    last = session.say(raw("PING", ping.payload, flags=ACK))
    session.say(headers(5))

    assert (last[0].kind, last[0].payload[:8]) == ("GOAWAY", struct.pack(">II", 3, 0))
    assert len(session.calls) == 2
    assert not session.connection.is_done
    session.say(data(b"", 1, END_STREAM), data(b"", 3, END_STREAM))
    assert session.connection.is_done


def test_an_answer_before_the_end_of_the_request_tells_the_peer_to_stop():
    session = Session()
    session.say(FIRST)
    session.calls[0].stream.end(block((":status", "200")))

    frames = session.output()
    assert [(each.kind, each.flags & END_STREAM) for each in frames] == [("HEADERS", END_STREAM), ("RST_STREAM", 0)]
    assert frames[1].number == 0
    assert session.verdict(data(), data(b"", flags=END_STREAM)) == "fine"
