"""The directory of models: by name, which replicas of which versions serve, and why none does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bayplan.signals.discovery.model_place import DeclaredModel, ModelPlace

_AVAILABLE: Final = "available"
_DRAINING: Final = "draining"
_COMING: Final = frozenset({"load-requested", "loading", "loaded", _AVAILABLE})
"""States of bookings that will serve, if nothing goes wrong: also one whose server is away for the moment."""
_PROGRESSING: Final = frozenset({"", "ModelProgressing", "ModelAvailable"})
"""States of Models that have no booking yet, or whose bookings have not been heard of."""


class KnownModel:
    """A model that is declared, booked, or both."""

    __slots__ = ("declared", "name", "places")

    def __init__(self, name: str) -> None:
        self.name = name
        self.declared: DeclaredModel | None = None
        self.places: dict[tuple[str, str], ModelPlace] = {}
        """By replica and name there."""

    @property
    def versions(self) -> list[int]:
        """Those that are booked somewhere, the newest first."""
        return sorted({each.version for each in self.places.values()}, reverse=True)

    def serving(self, version: int | None = None) -> list[ModelPlace]:
        """Where requests may go: places that are available, else those that are draining and still answer."""
        loaded = [
            each for each in self.places.values() if each.is_loaded and (version is None or each.version == version)
        ]
        available = [each for each in loaded if each.state == _AVAILABLE]
        return available or [each for each in loaded if each.state == _DRAINING]

    def is_coming(self, version: int | None = None) -> bool:
        """Whether a request that waits may be served soon."""
        booked = [each for each in self.places.values() if version is None or each.version == version]
        if any(each.state in _COMING for each in booked):
            return True
        declared = self.declared
        return not booked and declared is not None and not declared.is_deleted and declared.state in _PROGRESSING

    def why_not(self) -> str:
        """Why nothing serves it, in a few words."""
        failed = next((each for each in self.places.values() if each.state == "load-failed"), None)
        if failed is not None:
            return f"its load failed on {failed.replica}" + (f": {failed.message}" if failed.message else "")
        states = sorted({each.state for each in self.places.values()})
        if states:
            return f"its replicas are {', '.join(states)}" + (
                "" if any(each.rest for each in self.places.values()) else ", and no server that holds it is connected"
            )
        declared = self.declared
        if declared is None or declared.is_deleted:
            return "it is being deleted"
        return f"{declared.state or 'ModelProgressing'}" + (f": {declared.reason}" if declared.reason else "")


class ModelDirectory:
    """Follows what it is told. `on_change` hears the name of every model that has changed, after the change."""

    def __init__(self) -> None:
        self._models: dict[str, KnownModel] = {}
        self._of_replica: dict[str, tuple[ModelPlace, ...]] = {}
        self._names: dict[str, str] = {}
        self.on_change: Callable[[str], None] = lambda _: None

    def __bool__(self) -> bool:
        """Whether there is anything: without it V2 requests are for engines."""
        return bool(self._models or self._of_replica)

    def get(self, model: str) -> KnownModel | None:
        return self._models.get(model)

    def place_named(self, name: str) -> ModelPlace | None:
        """A place of the version that servers call by this name."""
        known = self._models.get(self._names.get(name, ""))
        return None if known is None else next((each for each in known.places.values() if each.name == name), None)

    def models(self) -> Iterable[tuple[str, KnownModel]]:
        """All of them, by name."""
        return sorted(self._models.items())

    def lost_addresses(self, used: Iterable[str]) -> list[str]:
        """Those of some REST addresses that no replica has any more."""
        known = {each.rest for places in self._of_replica.values() for each in places}
        return [each for each in used if each not in known]

    # what discovery tells

    def put_replica(self, replica: str, places: Sequence[ModelPlace]) -> None:
        former = self._of_replica.get(replica, ())
        now = tuple(places)
        if now:
            self._of_replica[replica] = now
        else:
            self._of_replica.pop(replica, None)
        changed = {each.model for each in set(former) ^ set(now)}
        for each in former:
            self._models[each.model].places.pop((replica, each.name), None)
        for each in now:
            self._know(each.model).places[replica, each.name] = each
            self._names[each.name] = each.model
        for model in sorted(changed):
            self._changed(model)

    def put_model(self, name: str, model: DeclaredModel | None) -> None:
        self._know(name).declared = model
        self._changed(name)

    def _know(self, model: str) -> KnownModel:
        known = self._models.get(model)
        if known is None:
            known = self._models[model] = KnownModel(model)
        return known

    def _changed(self, model: str) -> None:
        known = self._models[model]
        if known.declared is None and not known.places:
            del self._models[model]
            self._names = {name: each for name, each in self._names.items() if each != model}
        self.on_change(model)
