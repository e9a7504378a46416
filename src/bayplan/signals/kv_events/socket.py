"""ZMQ on the event loop: a subscription that hands on messages, and a question for what was missed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError

try:
    import zmq
except ImportError as error:  # pragma: no cover (the extra is installed for tests)
    _message = "KV events need the packages pyzmq and msgspec"
    raise InputError(_message, place="kvEventsConfig", next="install bayplan[kv-events]") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_AT_ONCE: Final = 200  # messages that are read before others have the event loop
_MOST_WAITING: Final = 10_000  # messages that are kept while nobody reads; what is dropped then is a gap
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one message; a connection that sends more is dropped."""
_RECONNECT_MS: Final = (1000, 5000)
_REPLAY_S: Final = 2.0
MOST_REPLAYED: Final = 100_000
"""Messages of one replay: engines keep ten thousand."""
_END: Final = b"\xff" * 8
_NUMBER_BYTES: Final = 8


class Subscription:
    """Calls `take` with the frames of every message, and `lost` when a connection broke; not while it is paused."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        take: Callable[[Sequence[bytes]], None],
        topic: str,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._take, self._lost = take, lost
        self._socket = context.socket(zmq.SUB)
        for option, value in (
            (zmq.IPV6, 1),
            (zmq.LINGER, 0),
            (zmq.RCVHWM, _MOST_WAITING),
            (zmq.MAXMSGSIZE, MOST_BYTES),
            (zmq.RECONNECT_IVL, _RECONNECT_MS[0]),
            (zmq.RECONNECT_IVL_MAX, _RECONNECT_MS[1]),
        ):
            self._socket.setsockopt(option, value)
        self._socket.subscribe(topic)
        self._loop = asyncio.get_running_loop()
        self._monitor = self._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._descriptors = [int(each.getsockopt(zmq.FD)) for each in (self._socket, self._monitor)]
        for each, read in zip(self._descriptors, (self._read, self._read_monitor), strict=True):
            self._loop.add_reader(each, read)
        self._is_paused = self._is_closed = False

    def connect(self, address: str) -> None:
        """Listen to a publisher; it may come later, and go and come back."""
        self._socket.connect(address)
        self._look()

    def bind(self, address: str) -> str:
        """Wait for publishers to connect; the address in full, where its port was a free one."""
        try:
            self._socket.bind(address)
        except zmq.ZMQError as error:
            following = "choose an address of this machine and a free port"
            raise InputError(f"{address} cannot be used: {error}", place="zmqEndpoint", next=following) from None
        self._look()
        bound = self._socket.getsockopt(zmq.LAST_ENDPOINT)
        return bound.rstrip(b"\0").decode() if isinstance(bound, bytes) else address

    def pause(self) -> None:
        """Leave messages where they are."""
        self._is_paused = True

    def resume(self) -> None:
        """Read on."""
        self._is_paused = False
        self._look()

    def close(self) -> None:
        """Read no more."""
        if not self._is_closed:
            self._is_closed = True
            for each in self._descriptors:
                self._loop.remove_reader(each)
            self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close(0)

    def _look(self) -> None:
        # the descriptor tells of new messages once: what is there already must be asked for
        self._loop.call_soon(self._read)

    def _read(self) -> None:
        for _ in range(_AT_ONCE):
            if self._is_paused or self._is_closed:
                return
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                self._read_monitor()
                return
            self._take(frames)
        self._look()

    def _read_monitor(self) -> None:
        """Connections that broke; what they brought before is read first, because messages are kept."""
        while not self._is_closed:
            try:
                self._monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._lost()


def replay(context: zmq.Context[zmq.Socket[bytes]], address: str, first: int) -> list[tuple[int, bytes]]:
    """What a publisher still has from a number on, in order; it blocks, so call it in a thread."""
    found: list[tuple[int, bytes]] = []
    with context.socket(zmq.DEALER) as socket:
        socket.setsockopt(zmq.IPV6, 1)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        socket.setsockopt(zmq.RCVTIMEO, int(_REPLAY_S * 1000))
        socket.setsockopt(zmq.SNDTIMEO, int(_REPLAY_S * 1000))
        socket.connect(address)
        try:
            socket.send_multipart([b"", first.to_bytes(_NUMBER_BYTES, "big")])
            while len(found) < MOST_REPLAYED:
                *_, number, payload = socket.recv_multipart()
                if number == _END or len(number) != _NUMBER_BYTES or not payload:
                    break
                found.append((int.from_bytes(number, "big"), payload))
        except (zmq.Again, ValueError):
            pass  # what has come is better than nothing
    return found
