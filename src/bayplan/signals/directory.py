"""The endpoints of all sources of discovery: who joins, who leaves, and who may get requests."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.requests.rewrite import Rewrite
    from bayplan.signals.address_guard import AddressGuard
    from bayplan.signals.endpoint_health import EndpointHealth
    from bayplan.signals.router_port import RouterPort

_log = logging.getLogger("bayplan.signals")


class Follower(Protocol):
    """Does something for every endpoint that is there."""

    def up(self, endpoint: Endpoint) -> None:
        """It is new, or it changed."""

    def down(self, name: str) -> None:
        """It is gone."""


class Directory:
    """Endpoints by the source that told of them and by its own key (a Pod, a file).

    The router is told of an endpoint as ready only if its source says so and it is not left out for its failures.
    Endpoints whose address may not be called are told in the log and left away; of two endpoints of one name the one
    that came first stays.
    """

    def __init__(self, port: RouterPort, guard: AddressGuard) -> None:
        self._port, self._guard = port, guard
        self._health: EndpointHealth | None = None
        self._followers: tuple[Follower, ...] = ()
        self._given: dict[tuple[str, str], dict[str, Endpoint]] = {}
        self._runs: dict[tuple[str, str], str] = {}
        self._owners: dict[str, tuple[str, str]] = {}
        self._out: frozenset[str] = frozenset()
        self._objectives: dict[str, Mapping[str, int]] = {}
        self._rewrites: dict[str, tuple[Rewrite, ...]] = {}

    def follow(self, health: EndpointHealth, *followers: Follower) -> None:
        """Who hears of endpoints besides the router; those that are there already are told by `introduce`."""
        self._health, self._followers = health, followers

    def introduce(self) -> None:
        """Tell new followers of every endpoint."""
        for endpoint in self.endpoints:
            for each in self._followers:
                each.up(endpoint)

    @property
    def endpoints(self) -> list[Endpoint]:
        """All of them as their sources told, in the order in which they came."""
        return [self._given[owner][name] for name, owner in self._owners.items()]

    def put(self, source: str, key: str, endpoints: Iterable[Endpoint], run: str = "") -> None:
        """All endpoints that a source knows under a key; those that it told before and does not name now are gone.

        Another `run` is another process at the same address, with an empty cache: its endpoints leave and come anew.
        """
        owner = (source, key)
        if self._runs.get(owner, run) != run:
            for name in self._given.pop(owner, {}):
                self._leave(name)
        self._runs[owner] = run
        wanted = {each.name: each for each in endpoints if self._is_allowed(each, owner)}
        known = self._given.get(owner, {})
        for name in known:
            if name not in wanted:
                self._leave(name)
        if wanted:
            self._given[owner] = wanted
        else:
            self._given.pop(owner, None)
            self._runs.pop(owner, None)
        for name, endpoint in wanted.items():
            if known.get(name) != endpoint:
                self._join(endpoint, owner)

    def keys(self, source: str) -> Collection[str]:
        """The keys under which a source has told of endpoints."""
        return [key for each, key in self._given if each == source]

    def put_objectives(self, source: str, priorities: Mapping[str, int]) -> None:
        """All objectives of a source."""
        self._objectives[source] = dict(priorities)
        self._port.set_objectives({key: value for each in self._objectives.values() for key, value in each.items()})

    def put_rewrites(self, source: str, rewrites: Sequence[Rewrite]) -> None:
        """All rules of a source."""
        self._rewrites[source] = tuple(rewrites)
        self._port.set_rewrites([rule for each in self._rewrites.values() for rule in each])

    def leave_out(self, names: frozenset[str]) -> None:
        """The endpoints that get no requests because theirs fail; all others may get some again."""
        changed, self._out = self._out ^ names, names
        for name in changed:
            if (owner := self._owners.get(name)) is not None:
                self._tell(self._given[owner][name])

    def _is_allowed(self, endpoint: Endpoint, owner: tuple[str, str]) -> bool:
        first = self._owners.get(endpoint.name, owner)
        if first != owner:
            _log.warning("endpoint %s of %s %s is left away: %s %s has one of that name", endpoint.name, *owner, *first)
            return False
        if problem := self._guard.problem(endpoint.ip):
            _log.warning("endpoint %s of %s %s is left away: %s", endpoint.name, *owner, problem)
            return False
        return True

    def _join(self, endpoint: Endpoint, owner: tuple[str, str]) -> None:
        self._owners[endpoint.name] = owner
        self._tell(endpoint)
        if self._health is not None:
            if endpoint.ready:
                self._health.joined(endpoint)
            else:
                self._health.left(endpoint.name)  # a restarted engine begins with a clean slate
        for each in self._followers:
            each.up(endpoint)

    def _leave(self, name: str) -> None:
        del self._owners[name]
        if self._health is not None:
            self._health.left(name)
        self._port.endpoint_down(name)
        for each in self._followers:
            each.down(name)

    def _tell(self, endpoint: Endpoint) -> None:
        is_out = endpoint.name in self._out
        self._port.endpoint_up(replace(endpoint, ready=False) if is_out and endpoint.ready else endpoint)
