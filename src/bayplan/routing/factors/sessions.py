"""Sessions: to which endpoint a client's requests are pinned."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from bayplan.framework.errors import Problem
from bayplan.framework.plugins import Depends
from bayplan.routing.factors.parameter_checks import at_least, given, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class EncodedEndpointHeader:
    """The header that pins a session.

    Parameters:
        header: its name, in requests and in responses.
    """

    header: str = "x-session-token"

    def __post_init__(self) -> None:
        refuse(given("header", self.header, "the name of a header"))


@dataclass(frozen=True, slots=True)
class SessionSource:
    """Where a session's id may stand: one of both.

    Parameters:
        header: a header of the request.
        attribute: `agent-identity`, what that plugin found.
    """

    header: str = ""
    attribute: Literal["agent-identity"] | None = None

    def __post_init__(self) -> None:
        if bool(self.header) == (self.attribute is not None):
            refuse(Problem("header", "needs a header or an attribute", "give one of them"))


@dataclass(frozen=True, slots=True)
class SessionIds:
    """How sessions are known by their ids.

    Parameters:
        sources: where the id may stand; the first one with a value counts.
        eviction_ttl_seconds: a session that was unused for longer is forgotten.
    """

    sources: tuple[SessionSource, ...] = (SessionSource(header="x-session-id"),)
    eviction_ttl_seconds: float = 300.0

    def __post_init__(self) -> None:
        refuse(given("sources", self.sources, "a list"), at_least("eviction_ttl_seconds", self.eviction_ttl_seconds, 0))

    def id_of(self, request: RoutedRequest) -> str | None:
        """The request's session; None where no source has a value."""
        for source in self.sources:
            value: str | None = (
                request.headers.get(source.header.lower()) if source.header else request.notes.get(source.attribute)
            )
            if value:
                return value
        return None


class Bound(NamedTuple):
    """The endpoint that a session was last sent to, and when."""

    name: str
    full_name: str
    used_s: float


@dataclass(frozen=True, slots=True, eq=False)
class SessionAffinity:
    """What the scorer and the filter share. Sessions are kept by time of use, the oldest first."""

    strategy: Literal["encoded_endpoint_header", "session_id"] = "encoded_endpoint_header"
    profile_name: str = ""
    encoded_endpoint_header_config: EncodedEndpointHeader = field(default_factory=EncodedEndpointHeader)
    session_id_config: SessionIds = field(default_factory=SessionIds)
    _bound: OrderedDict[str, Bound] = field(default_factory=OrderedDict, init=False, repr=False)

    reads = ("full_name",)
    depends = Depends.CYCLE
    storages = ("lists",)

    def pinned(self, request: RoutedRequest, now: float) -> str | None:
        """`namespace/name` of the endpoint to which the request's session is pinned; None: to none."""
        if self.strategy == "encoded_endpoint_header":
            return _decoded(request.headers.get(self.encoded_endpoint_header_config.header.lower(), ""))
        session = self.session_id_config.id_of(request)
        bound = None if session is None else self._bound.get(session)
        return None if bound is None or self._is_forgotten(bound, now) else bound.full_name

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Bind the session to where the request goes."""
        if self.strategy != "session_id":
            return
        while self._bound and self._is_forgotten(next(iter(self._bound.values())), now):
            self._bound.popitem(last=False)
        session = self.session_id_config.id_of(request)
        if session is not None:
            columns, row = sent.table.columns, self._row(sent)
            self._bound[session] = Bound(columns["name"][row], columns["full_name"][row], now)
            self._bound.move_to_end(session)

    def response_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """The header by which the client comes back to the same endpoint."""
        if self.strategy != "encoded_endpoint_header":
            return {}
        full_name: str = sent.table.columns["full_name"][self._row(sent)]
        return {self.encoded_endpoint_header_config.header: b64encode(full_name.encode()).decode()}

    def endpoint_down(self, name: str) -> None:
        """Forget the sessions of an endpoint that is gone."""
        for session in [session for session, bound in self._bound.items() if bound.name == name]:
            del self._bound[session]

    def take_over(self, former: SessionAffinity) -> None:
        """Keep the sessions."""
        self._bound.update(former._bound)

    def _row(self, sent: Sent) -> int:
        rows = sent.rows.get(self.profile_name)
        return rows[0] if rows else sent.first

    def _is_forgotten(self, bound: Bound, now: float) -> bool:
        return now - bound.used_s > self.session_id_config.eviction_ttl_seconds


def _decoded(token: str) -> str | None:
    try:
        return b64decode(token, validate=True).decode() if token else None
    except ValueError:  # no base64, or no text
        return None
