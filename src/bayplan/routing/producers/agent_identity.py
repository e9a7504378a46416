"""Whose request it is, by the headers that coding agents send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.routing.plugin_kinds import AROUND_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_HEADERS: Final = ("x-claude-code-session-id", "x-session-affinity", "session-id", "session_id")


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Finds out which agent a request belongs to: the value of the first of some headers that it has.

    That is the fairness id of requests that name none, and a source of session ids.

    Parameters:
        additional_session_headers: headers that are looked at first.
    """

    additional_session_headers: tuple[str, ...] = ()

    name = "agent-identity"
    kinds = (AROUND_REQUESTS,)

    def identity(self, headers: Mapping[str, str]) -> str | None:
        """The agent of a request with these headers, whose names are in lower case; None: it is not known."""
        for header in (*self.additional_session_headers, *SESSION_HEADERS):
            if value := headers.get(header.lower()):
                return value
        return None
