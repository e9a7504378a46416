"""What plugins may do around a request, beside filtering, scoring and picking.

Every method is optional: the router looks for it by name on each plugin of the configuration, once. Plugins are asked
in the order of the configuration. None of them is called for a request that is refused, which changes no state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class Sent:
    """Where a request went: rows of the table, by profile that picked, and which profile is the primary one.

    `prefill` names the profile of the prefill stage where one ran and picked.
    """

    rows: Mapping[str, Sequence[int]]
    primary: str
    prefill: str | None
    table: ListTable

    @property
    def first(self) -> int:
        """The row that the request went to."""
        return self.rows[self.primary][0]

    @property
    def prefilled_by(self) -> int | None:
        """The row of the prefill stage."""
        return None if self.prefill is None else self.rows[self.prefill][0]


class RequestHooks(Protocol):
    """The methods that a plugin may have."""

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """The request was picked for and is on its way: indexes and bindings are written here."""

    def response_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Headers to add to the response (a session's token, say)."""
        ...

    def request_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Headers to add to the request (the prefiller's address, say)."""
        ...

    def completed(self, request: RoutedRequest, usage: tuple[int, int] | None, now: float) -> None:
        """The request has ended; `usage` is prompt tokens and completion tokens where the engine said so."""

    def endpoint_down(self, name: str) -> None:
        """The endpoint is gone: whatever is kept of it is forgotten."""
