"""What a model holds already: the version that is meant, its bookings, and those of older versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.serving_booking import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.served_model import ServedModel


@dataclass(frozen=True, slots=True, eq=False)
class Holdings:
    """The bookings of a model in the order of booking; `higher` are of versions above the one that is meant.

    They only hold their memory. `need_mib` is the memory of one more replica: that of the model times the most
    instances that a booking of this or an older version tells of.
    """

    version: int
    need_mib: int
    instances: int
    own: tuple[ModelReplica, ...] = ()
    older: tuple[ModelReplica, ...] = ()
    higher: tuple[ModelReplica, ...] = ()

    @classmethod
    def of(cls, model: ServedModel, ledger: Ledger, version: int | None = None) -> Holdings:
        """The holdings in a ledger; `version` is the one that is meant where the caller knows it."""
        found = ledger.of(model.key)
        if not found:
            return cls(version or model.version or 1, model.memory_mib, 1)
        if version is None:
            version = model.version or max(each.version for each in found)
        instances = max((each.instances for each in found if each.version <= version), default=1)
        return cls(
            version,
            model.memory_mib * instances,
            instances,
            tuple([each for each in found if each.version == version]),
            tuple([each for each in found if each.version < version]),
            tuple([each for each in found if each.version > version]),
        )

    @property
    def here(self) -> list[ModelReplica]:
        """The bookings of this version that are on a replica or on their way there."""
        return [each for each in self.own if each.here]

    @property
    def current_server(self) -> str | None:
        """The server that the model is on: of this version, else of the next older one, and so on."""
        for models in (self.own, *self._by_version()):
            found = _first(models)
            if found is not None:
                return found
        return None

    def _by_version(self) -> Iterable[list[ModelReplica]]:
        versions = sorted({each.version for each in self.older}, reverse=True)
        return ([each for each in self.older if each.version == version] for version in versions)


def _first(models: Iterable[ModelReplica]) -> str | None:
    draining = None
    for each in models:
        if each.here:
            return each.server
        if draining is None and each.state is LoadState.DRAINING:
            draining = each.server
    return draining
