"""One call: the messages in the body of a stream, and the status in its trailers."""

from __future__ import annotations

import logging
import struct
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from bayplan.gateway.grpc.statuses import Status
from bayplan.gateway.http2.hpack.encoder import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.http2.stream import Stream

_log = logging.getLogger("bayplan.gateway")
_PREFIX: Final = struct.Struct(">BI")
_STATUS_200: Final = (b":status", b"200")
_CONTENT_TYPE: Final = (b"content-type", b"application/grpc")
_HEAD: Final = encode((_STATUS_200, _CONTENT_TYPE))
_OK: Final = encode(((b"grpc-status", b"0"),))
_LONGEST_TEXT: Final = 500
_PLAIN: Final = " !\"#$&'()*+,-./:;<=>?@[]^_`{|}~"  # what a status message has as it is; the rest is in % codes


def framed(message: bytes) -> bytes:
    """A message as it stands in the body."""
    return prefix(len(message)) + message


def prefix(message_bytes: int) -> bytes:
    """What stands before a message of this size."""
    return _PREFIX.pack(0, message_bytes)


class Call(ABC):
    """Takes the pieces of a stream and hands out whole messages; subclasses say what becomes of them.

    Whatever the peer sends, a call ends once: by `finish`, or by `abandoned` where the peer broke it off or sent what
    cannot be read. A subclass that raises ends its own call, not the connection.
    """

    __slots__ = ("_held", "_held_bytes", "_is_open", "_wanted_bytes", "stream")

    most_bytes = 4 * 1024 * 1024
    """Of one message."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._wanted_bytes = _PREFIX.size  # before it is worth looking again
        self._is_open = True

    # for subclasses to replace

    @abstractmethod
    def received(self, message: bytes) -> None:
        """A whole message."""

    def half_closed(self) -> None:
        """The peer will send no more messages."""
        self.finish()

    def abandoned(self) -> None:  # noqa: B027 (most calls hold nothing)
        """The call has ended too early: give up what is held for it."""

    # for subclasses to call

    def send(self, pieces: bytes) -> None:
        """Framed messages, one or several."""
        stream = self.stream
        if not stream.is_answered:
            stream.send_headers(_HEAD)
        stream.send_data(pieces)

    def finish(self, status: Status = Status.OK, text: str = "") -> None:
        """End the call; nothing is received after it."""
        if not self._is_open:
            return
        self._is_open = False
        stream = self.stream
        if status is Status.OK and not text and stream.is_answered:
            stream.end(_OK)
            return
        trailers = [(b"grpc-status", str(int(status)).encode())]
        if text:
            trailers.append((b"grpc-message", quote(text[:_LONGEST_TEXT], safe=_PLAIN).encode()))
        stream.end(encode(trailers if stream.is_answered else (_STATUS_200, _CONTENT_TYPE, *trailers)))

    # the stream calls these

    def data(self, data: bytes) -> None:
        """A piece of the body, mostly one whole message."""
        if not self._held and len(data) >= _PREFIX.size:
            is_compressed, size = _PREFIX.unpack_from(data)
            if size + _PREFIX.size == len(data) and not is_compressed:
                try:
                    self.received(data[_PREFIX.size :])
                except Exception:
                    self._broken()
                return
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes >= self._wanted_bytes:
            self._read()

    def end(self) -> None:
        """The peer has closed its side."""
        if not self._is_open:
            return
        if self._held:
            self._refuse(Status.INVALID_ARGUMENT, "the call ends inside a message")
            return
        self._guarded(self.half_closed)

    def lost(self) -> None:
        """The stream was reset, or the connection is gone."""
        if self._is_open:
            self._is_open = False
            self._guarded(self.abandoned)

    def _read(self) -> None:
        """Hand out the messages that are complete, and keep the rest."""
        data, at = b"".join(self._held), 0
        self._wanted_bytes = _PREFIX.size
        while self._is_open and len(data) - at >= _PREFIX.size:
            is_compressed, size = _PREFIX.unpack_from(data, at)
            if is_compressed:
                self._refuse(Status.UNIMPLEMENTED, "messages are compressed; send them as they are")
                return
            if size > self.most_bytes:
                self._refuse(Status.RESOURCE_EXHAUSTED, f"a message of {size} bytes, more than {self.most_bytes}")
                return
            begin = at + _PREFIX.size
            if begin + size > len(data):
                self._wanted_bytes = _PREFIX.size + size
                break
            at = begin + size
            self._hand_out(data[begin:at])
        self._held = [data[at:]] if at < len(data) else []
        self._held_bytes = len(data) - at

    def _hand_out(self, message: bytes) -> None:
        try:
            self.received(message)
        except Exception:
            self._broken()

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:
            self._broken()

    def _broken(self) -> None:
        """A fault of ours ends this call; others on the connection go on."""
        _log.exception("a call failed inside; it was ended")
        self._refuse(Status.INTERNAL, "a fault of the server, which its log tells")

    def _refuse(self, status: Status, text: str) -> None:
        """End a call that cannot go on; the subclass gives up what it holds for it."""
        if not self._is_open:
            return
        self.finish(status, text)
        try:
            self.abandoned()
        except Exception:
            _log.exception("a call could not be given up")
