"""The flow of an agent's requests, by the session that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import AROUND_REQUESTS
from bayplan.routing.requests.header_fields import first_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADERS = ("x-claude-code-session-id", "x-session-affinity", "session-id", "session_id")


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Gives requests without a fairness id the session of the agent that sends them.

    The first header that is there counts: those of the configuration, then `x-claude-code-session-id`,
    `x-session-affinity`, `session-id`, `session_id`.

    Parameters:
        additional_session_headers: names of headers that are looked at before the usual ones.
    """

    additional_session_headers: tuple[str, ...] = ()

    name = "agent-identity"
    kinds = (AROUND_REQUESTS,)

    def session_id(self, headers: Mapping[str, str]) -> str | None:
        """The agent's session; None where no header names one."""
        own = tuple(name.lower() for name in self.additional_session_headers)
        return first_of(headers, (*own, *_HEADERS))
