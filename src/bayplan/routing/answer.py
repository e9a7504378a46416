"""What became of a request: the endpoint that gets it, or the status that refuses it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.outcome import Outcome
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.prefix_match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest

DESTINATION_HEADER = "x-gateway-destination-endpoint"
DROPPED_HEADER = "x-llm-d-request-dropped-reason"
"""Header of a refusal on the wire; its value is the answer's `reason`."""

CODES = {
    200: "ok",
    400: "bad-request",
    412: "precondition-failed",
    429: "resource-exhausted",
    500: "internal",
    503: "service-unavailable",
}

SATURATED = "rejected-saturated"
TTL_EXPIRED = "rejected-ttl-expired"
EVICTED = "evicted-priority"
NO_ENDPOINTS = "rejected-no-endpoints"
CANCELLED = "rejected-context-cancelled"
SHUTTING_DOWN = "rejected-shutting-down"


@dataclass(slots=True, eq=False)
class Answer:
    """The final word on a request; an evicted request gets a second one, after its 200.

    `picked` is in order of preference: later ones are fallbacks. `headers` are to be added to the request on its way to
    the endpoint, `response_headers` to the response. `body` is the new body where the model was rewritten; None: send
    the bytes as they came. Where nothing is `picked`, a `body` is the whole answer to the client, as JSON. `path` is
    what the endpoint is asked for, with the request's own query; None: the request's own path.

    `saturation`, `profile` (the primary one), `outcome` and `prefixes` (what each endpoint held of the prompts) are
    None where the request did not come that far; the first and the last also where it was not marked `explained`, and
    the outcome where such a request was sent at once by our own policy, late.
    """

    request: RoutedRequest
    status: int
    reason: str | None = None
    message: str = ""
    picked: tuple[Endpoint, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    saturation: float | None = None
    profile: str | None = None
    outcome: Outcome | None = None
    prefixes: Mapping[str, PrefixMatch] | None = None
    warnings: tuple[str, ...] = ()
    path: str | None = None

    @property
    def code(self) -> str:
        """The status as a word of the contract."""
        return CODES[self.status]

    @property
    def ok(self) -> bool:
        """Whether the request goes to an endpoint."""
        return self.status == 200
