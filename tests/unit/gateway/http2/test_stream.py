"""What a stream may send: never more than the windows of its peer, and everything in the end."""

import gc
import weakref

import pytest
from hypothesis import given, strategies as st

from unit.gateway.http2.wire import (
    END_HEADERS,
    END_STREAM,
    REQUEST,
    Session,
    block,
    raw,
    reset,
    settings,
    size_update,
    window,
)

FIRST = raw("HEADERS", size_update(0) + block(*REQUEST), 1, END_HEADERS | END_STREAM)
SECOND = raw("HEADERS", block(*REQUEST), 3, END_HEADERS | END_STREAM)
END = block(("grpc-status", "0"))


def sizes(frames, stream=1):
    return [len(each.payload) for each in frames if each.kind == "DATA" and each.stream == stream]


def test_data_is_cut_at_the_windows():
    session = Session()
    session.say(FIRST)
    session.calls[0].answer(b"x" * 100_000)

    assert sizes(session.output()) == [16_384, 16_384, 16_384, 16_383]
    assert sizes(session.say(window(10, 1))) == []
    assert sizes(session.say(window(1000))) == [10]
    assert sizes(session.say(window(5, 1), window(5, 1))) == [5, 5]


def test_trailers_wait_for_the_data_before_them():
    session = Session()
    session.say(FIRST, settings((4, 10)))
    session.calls[0].answer(b"x" * 15)
    session.calls[0].stream.end(END)

    assert [each.kind for each in session.output()] == ["HEADERS", "DATA"]
    rest = session.say(window(100, 1))
    assert [(each.kind, each.flags & END_STREAM) for each in rest] == [("DATA", 0), ("HEADERS", END_STREAM)]
    assert session.connection.streams == {}


def test_a_smaller_first_window_makes_open_windows_negative():
    session = Session()
    session.say(FIRST)
    session.calls[0].answer(b"x" * 60_000)
    session.output()

    session.say(settings((4, 0)))
    session.calls[0].answer(b"y" * 10)
    assert sizes(session.output()) == []
    assert sizes(session.say(window(60_000, 1))) == []
    assert sizes(session.say(window(4, 1))) == [4]
    assert sizes(session.say(settings((4, 100)))) == [6]


def test_larger_frames_are_used_where_the_peer_takes_them():
    session = Session()
    session.say(FIRST, settings((5, 40_000)))
    session.calls[0].answer(b"x" * 50_000)

    assert sizes(session.output()) == [40_000, 10_000]


def test_the_connections_window_is_shared_in_turns():
    session = Session()
    session.say(settings((4, 1_000_000)), FIRST, SECOND)
    for call in session.calls:
        call.answer(b"x" * 65_535)
    session.output()

    first = session.say(window(10))
    second = session.say(window(20))

    assert sizes(first, 3) == [10]
    assert sizes(second, 3) == [20]
    assert not session.connection.is_closed


def test_a_reset_stream_sends_nothing_and_leaves_nothing():
    session = Session()
    session.say(FIRST, settings((4, 10)))
    session.calls[0].answer(b"x" * 100)
    session.output()

    session.calls[0].stream.reset(8)
    session.calls[0].answer(b"more")
    session.calls[0].stream.end(END)

    assert [each.kind for each in session.output()] == ["RST_STREAM"]
    assert session.connection.outbox.waiting == {}
    assert session.say(window(1000, 1), window(1000)) == []


def test_long_headers_are_continued():
    session = Session()
    session.say(FIRST)
    long = block((":status", "200"), *((f"x-{number}", "y" * 100) for number in range(400)))
    session.calls[0].stream.send_headers(long)

    frames = session.output()
    assert [each.kind for each in frames] == ["HEADERS", "CONTINUATION", "CONTINUATION"]
    assert [bool(each.flags & END_HEADERS) for each in frames] == [False, False, True]
    assert b"".join(each.payload for each in frames) == size_update(0) + long


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 1), st.integers(0, 40_000)),
        st.tuples(st.just("stream"), st.integers(0, 1), st.integers(1, 30_000)),
        st.tuples(st.just("all"), st.just(0), st.integers(1, 30_000)),
        st.tuples(st.just("first"), st.just(0), st.integers(0, 70_000)),
    ),
    max_size=25,
)


@given(STEPS)
def test_windows_hold_and_nothing_is_lost(steps):
    session = Session()
    session.say(FIRST, SECOND)
    streams = [1, 3]
    windows, connection, first = [65_535, 65_535], 65_535, 65_535
    written, sent = [0, 0], [0, 0]

    def count(frames):
        nonlocal connection
        for each in frames:
            if each.kind == "DATA":
                which = streams.index(each.stream)
                sent[which] += len(each.payload)
                windows[which] -= len(each.payload)
                connection -= len(each.payload)
                assert not each.payload or (windows[which] >= 0 and connection >= 0)

    for kind, which, size in steps:
        if kind == "send":
            written[which] += size
            session.calls[which].answer(b"x" * size)
            count(session.output())
        elif kind == "stream":
            windows[which] += size
            count(session.say(window(size, streams[which])))
        elif kind == "all":
            connection += size
            count(session.say(window(size)))
        else:
            windows, first = [each + size - first for each in windows], size
            count(session.say(settings((4, size))))
        for each in (0, 1):
            assert sent[each] == written[each] or windows[each] <= 0 or connection <= 0

    windows, connection = [each + 2**30 for each in windows], connection + 2**30
    count(session.say(window(2**30), window(2**30, 1), window(2**30, 3)))
    assert sent == written


ENDS = {
    "the peer resets it": lambda session: session.say(reset(1)),
    "the call ends": lambda session: session.calls[0].stream.end(END),
    "the connection is lost": lambda session: session.connection.lost(),
    "the peer breaks a rule": lambda session: session.say(window(0, 1)),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_handler_is_freed_at_the_end_without_the_collector(end):
    session = Session()
    session.say(FIRST)
    end(session)
    handler = weakref.ref(session.calls[0])

    gc.disable()
    try:
        session.calls.clear()
        assert handler() is None
    finally:
        gc.enable()
