"""Keep the endpoint that answered the session before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.sessions import SessionAffinity

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class SessionAffinityFilter(SessionAffinity):
    """Refuses all endpoints but the one to which the request's session is pinned, if that is a candidate.

    With `encoded_endpoint_header` the client brings the endpoint's name in a header that an earlier response gave it;
    with `session_id` this plugin remembers which endpoint a session was last sent to.

    Parameters:
        strategy: how a session is known, `encoded_endpoint_header` or `session_id`.
        profile_name: the profile whose pick is remembered; the primary one where it is not given or did not run.
        encoded_endpoint_header_config: the header that holds the endpoint's name in base64.
        session_id_config: where a session's id comes from, and for how long an unused one is remembered.
    """

    name = "session-affinity-filter"
    depends = Depends.TABLE  # where the pinned endpoint is no candidate, all others stay

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        pinned = self.pinned(ask, cycle.now)
        mask = [name == pinned for name in rows.full_name]
        return mask if any(mask) else [True] * rows.size

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons("session", pinned=self.pinned(ask, cycle.now), text="the session is pinned to {pinned}")
