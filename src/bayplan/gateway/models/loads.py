"""What each server replica is doing for this gateway, and which of several a request should go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.signals.discovery.model_place import ModelPlace

_AVOIDED_S: Final = 1.0
"""After a failure: as long as an agent takes to notice that its server is gone."""


_KEPT_TURNS: Final = 20_000
"""Versions come and go; without turns, equal replicas are taken by name once."""


class Loads:
    """Requests in flight by server replica, of all models together: they share its processor."""

    def __init__(self) -> None:
        self._in_flight: dict[str, int] = {}
        self._avoided_until_s: dict[str, float] = {}
        self._turns: dict[tuple[str, str], int] = {}
        self._turn = 0

    def choose(self, places: Iterable[ModelPlace], now_s: float) -> ModelPlace | None:
        """The place with the fewest requests in flight; of equal ones that which was chosen longest ago.

        Replicas that have just failed come last, and before them those that would have to load the model first.
        """
        return min(places, key=lambda each: self._order(each, now_s), default=None)

    def _order(self, place: ModelPlace, now_s: float) -> tuple[bool, bool, int, int, str]:
        replica = place.replica
        return (
            self._avoided_until_s.get(replica, now_s) > now_s,
            not place.is_resident,
            self._in_flight.get(replica, 0),
            self._turns.get((replica, place.name), 0),
            replica,
        )

    def begin(self, place: ModelPlace) -> None:
        self._turn += 1
        if len(self._turns) >= _KEPT_TURNS:
            self._turns.clear()
        self._turns[place.replica, place.name] = self._turn
        self._in_flight[place.replica] = self._in_flight.get(place.replica, 0) + 1

    def end(self, place: ModelPlace) -> None:
        left = self._in_flight[place.replica] - 1
        if left:
            self._in_flight[place.replica] = left
        else:
            del self._in_flight[place.replica]

    def failed(self, place: ModelPlace, now_s: float) -> None:
        """It could not be reached."""
        self._avoided_until_s[place.replica] = now_s + _AVOIDED_S
