"""Where a request asks for its endpoint: in this process, or in the one that owns the router."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.telemetry.request_metrics import EndedRequest


class Ending(StrEnum):
    """How a request that was sent, or waited to be sent, ended."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    """Its client went away."""
    BROKEN = "broken"
    """The engine failed after the first byte of its answer."""
    GIVEN_UP = "given-up"
    """No engine could be reached."""
    EVICTED = "evicted"
    """The router took its place away."""
    REFUSED = "refused"
    """The router refused it."""


class Asking(Protocol):
    """A request that asks for an endpoint. `id` is its name at the router, `request_id` what its client calls it."""

    id: str

    @property
    def request_id(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def texts(self) -> Mapping[str, str]:
        """Its headers, with lower-case names."""
        ...

    @property
    def body(self) -> bytes: ...

    @property
    def subset(self) -> Collection[str] | None:
        """The addresses that it may go to; None: all."""
        ...

    @property
    def endpoint(self) -> Endpoint | None:
        """Where it was sent last."""
        ...

    @property
    def status(self) -> int | None:
        """What its engine answered with; None before that."""
        ...

    def answered(self, answer: Answer) -> None:
        """The router's word; a second one takes away what the first one gave."""

    def facts(self, ending: Ending) -> EndedRequest:
        """What is known of it at its end."""
        ...


class Desk(Protocol):
    """Every request that asks is told `answered`, now or later, unless it ends before."""

    def ask(self, asking: Asking) -> None:
        """A request has come."""

    def first_token(self, asking: Asking) -> None:
        """The first bytes of its answer's body have come."""

    def answered_whole(self, asking: Asking) -> None:
        """Its answer came in one piece: the same as `first_token`, then `ended` with COMPLETED."""

    def failed(self, asking: Asking, fault: str, then: Callable[[Answer | None], None]) -> None:
        """Its engine failed before the first byte was passed on; `then` is told what to try next, None for nothing."""

    def ended(self, asking: Asking, ending: Ending) -> None:
        """It is over. Told exactly once for a request that asked."""

    def endpoints(self) -> Iterable[Endpoint]:
        """Those that are ready."""
        ...

    def silent(self, longest_s: float) -> Iterable[str]:
        """The addresses of endpoints that told their metrics before, and not for so long."""
        ...


class FrontDesk(Desk, Protocol):
    """A desk that takes some requests and leaves the others to the one behind it."""

    def shutdown(self) -> None:
        """Refuse every request of its own that waits."""

    def document(self) -> dict[str, Any]:
        """What operators are shown at /models."""
        ...
