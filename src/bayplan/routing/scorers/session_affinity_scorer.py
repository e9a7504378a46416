"""Prefer the endpoint that answered the session before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.factors.sessions import SessionAffinity

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class SessionAffinityScorer(SessionAffinity):
    """Scores 1 for the endpoint to which the request's session is pinned, 0 for the others.

    With `encoded_endpoint_header` the client brings the endpoint's name in a header that an earlier response gave it;
    with `session_id` this plugin remembers which endpoint a session was last sent to.

    Parameters:
        strategy: how a session is known, `encoded_endpoint_header` or `session_id`.
        profile_name: the profile whose pick is remembered; the primary one where it is not given or did not run.
        encoded_endpoint_header_config: the header that holds the endpoint's name in base64.
        session_id_config: where a session's id comes from, and for how long an unused one is remembered.
    """

    name = "session-affinity-scorer"

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        pinned = self.pinned(ask, cycle.now)
        return [1.0 if name == pinned else 0.0 for name in rows.full_name]
