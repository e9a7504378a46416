"""The gRPC health protocol: whether the process lives, and whether it can decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.gateway.grpc.call import Call, framed
from bayplan.gateway.grpc.statuses import Status
from bayplan.gateway.protobuf.reader import LENGTH, WireError, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.gateway.http2.stream import Stream

CHECK: Final = "/grpc.health.v1.Health/Check"
WATCH: Final = "/grpc.health.v1.Health/Watch"

_SERVING: Final = b"\x08\x01"
_NOT_SERVING: Final = b"\x08\x02"
_SERVICE_UNKNOWN: Final = b"\x08\x03"
_MOST_WATCHES: Final = 1_000


class Health:
    """Answers for services by name; each is a question that is asked when somebody wants to know.

    Watches hear of changes from `tell`, which whoever changes an answer calls.
    """

    def __init__(self, services: Mapping[str, Callable[[], bool]]) -> None:
        self._services = dict(services)
        self._watches: dict[_Watch, None] = {}

    def check(self, stream: Stream) -> Call:
        """One question, one answer."""
        return _Check(stream, self)

    def watch(self, stream: Stream) -> Call:
        """An answer now, and one with each change."""
        return _Watch(stream, self)

    def tell(self) -> None:
        """Something may have changed."""
        for watch in list(self._watches):
            watch.tell()

    def answer(self, service: str) -> bytes:
        """The response's message."""
        question = self._services.get(service)
        if question is None:
            return _SERVICE_UNKNOWN
        return _SERVING if question() else _NOT_SERVING

    def join(self, watch: _Watch) -> bool:
        """Whether it is told of changes from now on; there may be too many already."""
        if len(self._watches) >= _MOST_WATCHES:
            return False
        self._watches[watch] = None
        return True

    def leave(self, watch: _Watch) -> None:
        """It wants to hear nothing more."""
        self._watches.pop(watch, None)


class _Check(Call):
    __slots__ = ("_health",)

    most_bytes = 64 * 1024

    def __init__(self, stream: Stream, health: Health) -> None:
        super().__init__(stream)
        self._health = health

    def received(self, message: bytes) -> None:
        service = _service(message)
        answer = None if service is None else self._health.answer(service)
        if answer is None:
            self.finish(Status.INVALID_ARGUMENT, "this is no HealthCheckRequest")
        elif answer == _SERVICE_UNKNOWN:
            self.finish(Status.NOT_FOUND, "no service has this name")
        else:
            self.send(framed(answer))
            self.finish()

    def half_closed(self) -> None:
        self.finish(Status.INVALID_ARGUMENT, "no HealthCheckRequest came")


class _Watch(Call):
    __slots__ = ("_health", "_service", "_told")

    most_bytes = 64 * 1024

    def __init__(self, stream: Stream, health: Health) -> None:
        super().__init__(stream)
        self._health = health
        self._service: str | None = None
        self._told = b""

    def received(self, message: bytes) -> None:
        if self._service is not None:
            return
        self._service = _service(message)
        if self._service is None:
            self.finish(Status.INVALID_ARGUMENT, "this is no HealthCheckRequest")
        elif self._health.join(self):
            self.tell()
        else:
            self.finish(Status.RESOURCE_EXHAUSTED, f"{_MOST_WATCHES} others watch already")

    def half_closed(self) -> None:
        """The client has asked and listens now."""
        if self._service is None:
            self.finish(Status.INVALID_ARGUMENT, "no HealthCheckRequest came")

    def abandoned(self) -> None:
        self._health.leave(self)

    def tell(self) -> None:
        """Send the answer if it is another one than the last."""
        answer = self._health.answer(self._service or "")
        if answer != self._told:
            self._told = answer
            self.send(framed(answer))


def _service(message: bytes) -> str | None:
    """The name in a HealthCheckRequest; None where the bytes are none."""
    name = ""
    try:
        for number, kind, begin, end in fields(message):
            if number == 1 and kind == LENGTH:
                name = message[begin:end].decode("utf-8", "replace")
    except WireError:
        return None
    return name
