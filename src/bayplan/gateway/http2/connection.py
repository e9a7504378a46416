"""A server's connection without input and output: bytes in, calls of handlers, bytes out."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from bayplan.gateway.http2 import codes, frames
from bayplan.gateway.http2.codes import END_HEADERS, END_STREAM, FRAME_HEADER_BYTES, LARGEST_STREAM, PADDED, Reason
from bayplan.gateway.http2.faults import ConnectionFault, StreamFault, broken
from bayplan.gateway.http2.frames import FRAME
from bayplan.gateway.http2.head_blocks import HeadBlocks
from bayplan.gateway.http2.limits import Limits
from bayplan.gateway.http2.misuse import Misuse
from bayplan.gateway.http2.outbox import Outbox
from bayplan.gateway.http2.stream import Stream, StreamHandler

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.http2.request_head import RequestHead

    Application = Callable[[Stream, RequestHead], StreamHandler]

_NUMBER: Final = struct.Struct(">I")
_MOST_SIZE_AND_KIND: Final = codes.SMALLEST_MAX_FRAME << 8 | 0xFF  # as in a frame; we never allow more than the default
_INTERRUPTED: Final = {
    codes.SETTINGS: "the first frame is not SETTINGS",
    codes.CONTINUATION: "a block of headers is interrupted",
}
_LAST_WORD: Final = b"retired?"  # the ping whose answer tells that the peer has read our first GOAWAY
_REMEMBERED_RESETS: Final = 1_000  # streams that we reset, of which frames may still be under way


class Connection:
    """Reads frames and hands requests to the application; `outbox.take()` is what has to be sent.

    A peer that breaks the rules is told so with GOAWAY, and `is_closed` is true from then on.
    """

    def __init__(self, application: Application, limits: Limits | None = None, now: float = 0.0) -> None:
        self.limits = limits or Limits()
        self.outbox = Outbox(self._forget)
        self.streams: dict[int, Stream] = {}
        self.is_closed = False
        self.now = now
        self._application = application
        self._heads = HeadBlocks(self.limits)
        self._misuse = Misuse(self.limits.misuse_burst, self.limits.misuse_per_s, now)
        self._resets: dict[int, None] = {}
        self._rest = b""
        self._has_preface = False
        self._has_settings = False
        self._only_kind: int | None = codes.SETTINGS  # the kind that the next frame must have
        self._last = 0  # the newest stream of the peer
        self._last_served = LARGEST_STREAM  # streams above it are ignored: GOAWAY told so
        self._is_retired = False
        self._inbound_bytes = self.limits.connection_bytes
        self._low_inbound_bytes = self.limits.connection_bytes // 2  # below which the peer may send more
        self._low_stream_bytes = self.limits.window_bytes // 2
        self._block_stream: int | None = None  # the stream whose block of headers goes on
        self._block_flags = 0
        self._readers: dict[int, Callable[[int, int, bytes], None]] = {
            codes.DATA: self._data,
            codes.HEADERS: self._headers,
            codes.PRIORITY: self._priority,
            codes.RST_STREAM: self._rst_stream,
            codes.SETTINGS: self._settings,
            codes.PUSH_PROMISE: self._push_promise,
            codes.PING: self._ping,
            codes.GOAWAY: self._goaway,
            codes.WINDOW_UPDATE: self._window_update,
            codes.CONTINUATION: self._continuation,
        }
        self.outbox.put(frames.frame(codes.SETTINGS, 0, 0, self.limits.settings()))
        if self.limits.connection_bytes > codes.DEFAULT_WINDOW:
            self.outbox.put(frames.window_update(0, self.limits.connection_bytes - codes.DEFAULT_WINDOW))

    # what the owner calls

    @property
    def is_done(self) -> bool:
        """Whether the transport can be closed: everything that was to be sent was put into the outbox."""
        return self.is_closed or (self._last_served < LARGEST_STREAM and not self.streams)

    def receive(self, data: bytes, now: float) -> None:
        """Read what the peer sent."""
        if self.is_closed:
            return
        self.now = now
        self.outbox.is_awake = True
        try:
            self._read(self._rest + data if self._rest else data)
        except ConnectionFault as fault:
            self.fail(fault.reason, fault.message)

    def fail(self, reason: Reason, text: str) -> None:
        """End the connection and everything on it."""
        if not self.is_closed:
            self.outbox.put(frames.goaway(self._last, reason, text))
            self.lost()

    def lost(self) -> None:
        """The connection is gone."""
        self.is_closed = True
        streams = list(self.streams.values())
        self.streams.clear()
        for stream in streams:
            stream.lose()

    def retire(self) -> None:
        """Ask the peer to begin no more streams here; those that it begins until it has read this are still served."""
        if not self.is_closed and not self._is_retired:
            self._is_retired = True
            self.outbox.put(frames.goaway(LARGEST_STREAM, Reason.NO_ERROR))
            self.outbox.put(frames.frame(codes.PING, 0, 0, _LAST_WORD))

    # frames

    def _read(self, data: bytes) -> None:
        at, end = 0, len(data)
        if not self._has_preface:
            if not self._preface(data):
                return
            at = len(codes.PREFACE)
        readers, unpack = self._readers, FRAME.unpack_from
        while end - at >= FRAME_HEADER_BYTES and not self.is_closed:
            size_and_kind, flags, number = unpack(data, at)
            if size_and_kind > _MOST_SIZE_AND_KIND:
                raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"a frame of {size_and_kind >> 8} bytes")
            begin = at + FRAME_HEADER_BYTES
            stop = begin + (size_and_kind >> 8)
            if stop > end:
                break
            at = stop
            kind = size_and_kind & 0xFF
            if self._only_kind is not None and kind != self._only_kind:
                raise broken(_INTERRUPTED[self._only_kind])
            reader = readers.get(kind)
            if reader is not None:  # frames of extensions are ignored
                try:
                    reader(flags, number & LARGEST_STREAM, data[begin:stop])
                except StreamFault as fault:
                    self._break(number & LARGEST_STREAM, fault)
        self._rest = data[at:]

    def _preface(self, data: bytes) -> bool:
        """Whether it is complete; a peer that does not speak HTTP/2 is noticed by its first wrong byte."""
        if data[: len(codes.PREFACE)] != codes.PREFACE[: len(data)]:
            raise ConnectionFault(Reason.PROTOCOL_ERROR, "this is not HTTP/2")
        self._has_preface = len(data) >= len(codes.PREFACE)
        if not self._has_preface:
            self._rest = data
        return self._has_preface

    def _break(self, number: int, fault: StreamFault) -> None:
        """Reset a stream that went wrong."""
        if number > self._last:
            raise ConnectionFault(fault.reason, fault.message)  # a stream that was never opened cannot be reset
        self._misuse.add(self.now, fault.message)
        stream = self.streams.get(number)
        if stream is None:
            self.outbox.put(frames.reset(number, fault.reason))
            self._remember(number)
        else:
            handler = stream.handler
            stream.reset(fault.reason)
            handler.lost()

    def _forget(self, stream: Stream, was_reset: bool) -> None:
        self.streams.pop(stream.id, None)
        if was_reset:
            self._remember(stream.id)

    def _remember(self, number: int) -> None:
        """Frames of this stream may still be under way; they are no fault of the peer."""
        self._resets[number] = None
        if len(self._resets) > _REMEMBERED_RESETS:
            del self._resets[next(iter(self._resets))]

    # data

    def _data(self, flags: int, number: int, payload: bytes) -> None:
        size = len(payload)
        self._inbound_bytes -= size
        if self._inbound_bytes < self._low_inbound_bytes:
            self._grow_inbound()
        stream = self.streams.get(number)
        if stream is None or stream.is_remote_closed:
            self._late_data(number)
            return
        stream.inbound_bytes -= size
        if stream.inbound_bytes < self._low_stream_bytes:
            self._grow_stream(stream, flags)
        if flags & PADDED:
            payload = frames.unpadded(payload)
        if stream.left_bytes is not None:
            stream.left_bytes -= len(payload)
            if stream.left_bytes < 0:
                raise StreamFault(Reason.PROTOCOL_ERROR, "more data than the content length")
        if payload:
            stream.handler.data(payload)
        elif not flags & END_STREAM:
            self._misuse.add(self.now, "DATA without data")
        if flags & END_STREAM and not stream.is_closed:
            self._ended(stream)

    def _late_data(self, number: int) -> None:
        """Data of a stream that is over, which is allowed only where we broke it off."""
        if number == 0 or number > self._last:
            raise broken(f"DATA of stream {number}, which does not exist")
        if number not in self._resets:
            raise StreamFault(Reason.STREAM_CLOSED, "DATA after the end of the stream")

    def _grow_inbound(self) -> None:
        if self._inbound_bytes < 0:
            raise ConnectionFault(Reason.FLOW_CONTROL_ERROR, "more data than the connection's window")
        more = self.limits.connection_bytes - self._inbound_bytes
        self._inbound_bytes += more
        self.outbox.put(frames.window_update(0, more))

    def _grow_stream(self, stream: Stream, flags: int) -> None:
        if stream.inbound_bytes < 0:
            raise StreamFault(Reason.FLOW_CONTROL_ERROR, "more data than the stream's window")
        if not flags & END_STREAM:
            more = self.limits.window_bytes - stream.inbound_bytes
            stream.inbound_bytes += more
            self.outbox.put(frames.window_update(stream.id, more))

    def _ended(self, stream: Stream) -> None:
        stream.is_remote_closed = True
        if stream.left_bytes:
            raise StreamFault(Reason.PROTOCOL_ERROR, "less data than the content length")
        stream.handler.end()

    # headers

    def _headers(self, flags: int, number: int, payload: bytes) -> None:
        if number % 2 == 0:
            raise broken(f"HEADERS of stream {number}, which no client opens")
        if flags & PADDED:
            payload = frames.unpadded(payload)
        if flags & codes.HAS_PRIORITY:
            if len(payload) < 5:
                raise ConnectionFault(Reason.FRAME_SIZE_ERROR, "HEADERS without the priority that it announces")
            payload = payload[5:]
        if flags & END_HEADERS:
            self._block(flags, number, payload)
        else:
            self._block_stream, self._block_flags, self._only_kind = number, flags, codes.CONTINUATION
            self._heads.add(payload)

    def _continuation(self, flags: int, number: int, payload: bytes) -> None:
        if self._block_stream != number:
            raise broken("CONTINUATION without HEADERS before it")
        self._heads.add(payload)
        if flags & END_HEADERS:
            self._block_stream = self._only_kind = None
            self._block(self._block_flags, number, self._heads.take())

    def _block(self, flags: int, number: int, block: bytes) -> None:
        stream = self.streams.get(number)
        if stream is not None:
            self._trailers(flags, stream, block)
        elif number > self._last:
            self._open(flags, number, block)
        else:
            self._heads.skip(block)
            if number not in self._resets:
                raise ConnectionFault(Reason.STREAM_CLOSED, f"HEADERS of stream {number}, which is over")

    def _open(self, flags: int, number: int, block: bytes) -> None:
        self._last = number
        head = self._heads.request(block)
        if number > self._last_served:
            self._remember(number)
            return
        if len(self.streams) >= self.limits.streams:
            raise StreamFault(Reason.REFUSED_STREAM, f"more than {self.limits.streams} streams")
        stream = Stream(number, self.outbox, self.limits.window_bytes, head.content_length)
        stream.is_remote_closed = bool(flags & END_STREAM)
        if stream.is_remote_closed and head.content_length:
            raise StreamFault(Reason.PROTOCOL_ERROR, "a content length, and no data")
        self.streams[number] = stream
        handler = self._application(stream, head)
        if not stream.is_closed:
            stream.handler = handler
            if stream.is_remote_closed:
                handler.end()

    def _trailers(self, flags: int, stream: Stream, block: bytes) -> None:
        self._heads.trailers(block)
        if stream.is_remote_closed:
            raise StreamFault(Reason.STREAM_CLOSED, "HEADERS after the end of the stream")
        if not flags & END_STREAM:
            raise StreamFault(Reason.PROTOCOL_ERROR, "trailers that do not end the stream")
        self._ended(stream)

    # the other kinds

    def _priority(self, _: int, number: int, payload: bytes) -> None:
        if number == 0:
            raise broken("PRIORITY of stream 0")
        if len(payload) != 5:
            raise StreamFault(Reason.FRAME_SIZE_ERROR, f"PRIORITY of {len(payload)} bytes")

    def _rst_stream(self, _: int, number: int, payload: bytes) -> None:
        if len(payload) != 4:
            raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"RST_STREAM of {len(payload)} bytes")
        if number == 0 or number > self._last:
            raise broken(f"RST_STREAM of stream {number}, which does not exist")
        stream = self.streams.pop(number, None)
        if stream is None:
            return  # Envoy resets each stream that has ended
        if not stream.is_answered:
            self._misuse.add(self.now, "RST_STREAM of a call without an answer")
        stream.lose()

    def _settings(self, flags: int, number: int, payload: bytes) -> None:
        if number:
            raise broken(f"SETTINGS of stream {number}")
        if flags & codes.ACK:
            if payload:
                raise ConnectionFault(Reason.FRAME_SIZE_ERROR, "SETTINGS that acknowledge and have values")
            self._heads.acknowledged()
            return
        if self._has_settings:
            self._misuse.add(self.now, "SETTINGS")
        self._has_settings, self._only_kind = True, None
        before = self.outbox.settings.window_bytes
        self.outbox.settings.read(payload)
        self._shift_windows(self.outbox.settings.window_bytes - before)
        self.outbox.put(frames.frame(codes.SETTINGS, codes.ACK, 0))

    def _shift_windows(self, more_bytes: int) -> None:
        """A new initial window counts for the streams that are open, too."""
        if not more_bytes:
            return
        for stream in list(self.streams.values()):
            stream.window_bytes += more_bytes
            if stream.window_bytes > codes.LARGEST_WINDOW:
                raise ConnectionFault(Reason.FLOW_CONTROL_ERROR, f"the window of stream {stream.id} is too large")
            stream.flush()

    def _push_promise(self, _: int, number: int, payload: bytes) -> None:
        raise broken(f"PUSH_PROMISE of {len(payload)} bytes in stream {number}, which only servers send")

    def _ping(self, flags: int, number: int, payload: bytes) -> None:
        if number:
            raise broken(f"PING of stream {number}")
        if len(payload) != 8:
            raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"PING of {len(payload)} bytes")
        if not flags & codes.ACK:
            self._misuse.add(self.now, "PING")
            self.outbox.put(frames.frame(codes.PING, codes.ACK, 0, payload))
        elif payload == _LAST_WORD and self._is_retired and self._last_served == LARGEST_STREAM:
            self._last_served = self._last
            self.outbox.put(frames.goaway(self._last, Reason.NO_ERROR))

    def _goaway(self, _: int, number: int, payload: bytes) -> None:
        """The peer will open no more streams, or is about to close; both are noticed when they happen."""
        if number:
            raise broken(f"GOAWAY of stream {number}")
        if len(payload) < 8:
            raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"GOAWAY of {len(payload)} bytes")

    def _window_update(self, _: int, number: int, payload: bytes) -> None:
        if len(payload) != 4:
            raise ConnectionFault(Reason.FRAME_SIZE_ERROR, f"WINDOW_UPDATE of {len(payload)} bytes")
        more = _NUMBER.unpack(payload)[0] & codes.LARGEST_WINDOW
        if number == 0:
            self._grow_outbox(more)
            return
        if number > self._last:
            raise broken(f"WINDOW_UPDATE of stream {number}, which does not exist")
        stream = self.streams.get(number)
        if stream is None:
            return  # it was under way when the stream ended
        if not more:
            raise StreamFault(Reason.PROTOCOL_ERROR, "WINDOW_UPDATE of 0 bytes")
        stream.window_bytes += more
        if stream.window_bytes > codes.LARGEST_WINDOW:
            raise StreamFault(Reason.FLOW_CONTROL_ERROR, f"the window of stream {number} is too large")
        stream.flush()

    def _grow_outbox(self, more: int) -> None:
        if not more:
            raise broken("WINDOW_UPDATE of 0 bytes")
        self.outbox.window_bytes += more
        if self.outbox.window_bytes > codes.LARGEST_WINDOW:
            raise ConnectionFault(Reason.FLOW_CONTROL_ERROR, "the connection's window is too large")
        self.outbox.flush()
