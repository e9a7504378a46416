"""A request as a client sent it, but for its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.gateway.relay.messages.request_head import read_request_head

if TYPE_CHECKING:
    from collections.abc import Sequence


class Request:
    """One request, or all those of a connection or of many that begin with the same head: nothing in it changes then.

    `target` is its path with its query, `headers` are as they came, in order, `head` is what was read of them. `start`
    is how the head goes on to an engine. `is_old`: HTTP/1.0, whose clients read no chunks. `is_plain`: there is nothing
    to refuse in it, and nothing that the relay answers itself.
    """

    __slots__ = ("head", "headers", "is_old", "is_plain", "keeps_alive", "method", "path", "start", "target")

    def __init__(
        self, method: bytes, target: bytes, headers: Sequence[tuple[bytes, bytes]], *, keeps_alive: bool = True,
        is_old: bool = False, is_plain: bool = False,
    ) -> None:  # fmt: skip
        self.method = method
        self.headers = headers
        self.head = read_request_head(headers)
        self.keeps_alive = keeps_alive
        self.is_old = is_old
        self.is_plain = is_plain
        self.retarget(target)

    def retarget(self, target: bytes) -> None:
        """Ask for another target."""
        self.target = target
        self.path = target.partition(b"?")[0].decode("latin-1")
        self.start = b"%b %b HTTP/1.1\r\n%b" % (self.method, target, b"".join(self.head.lines))
