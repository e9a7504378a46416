"""What stands in the way of a model, server by server and replica by replica."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.reasons import Rejection
from bayplan.serving.books.replica_table import NO_REPLICA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bayplan.framework.evaluation.explanation import Explanation
    from bayplan.serving.books.replica_table import ReplicaTable

REPLICAS_SHORT = "replicas-short"
UNFIT = frozenset({"capability-missing", "explainer-missing"})
"""Codes of replicas that the model could never run on."""


@dataclass(slots=True)
class ServerRefusals:
    """One server: its own codes, and by index those of its replicas; a replica without a code fits."""

    server: str
    own: list[Rejection] = field(default_factory=list)
    replicas: dict[int, list[Rejection]] = field(default_factory=dict)

    @property
    def fitting(self) -> int:
        """How many replicas have no code."""
        return sum(not codes for codes in self.replicas.values())

    @property
    def eligible(self) -> bool:
        """Whether nothing stands against the server but that too few of its replicas fit."""
        return all(each.code == REPLICAS_SHORT for each in self.own)

    @property
    def could_run(self) -> bool:
        """Whether a replica of it offers what the model requires."""
        return any(UNFIT.isdisjoint(each.code for each in codes) for codes in self.replicas.values())


@dataclass(slots=True)
class Refusals:
    """All servers, by name."""

    servers: dict[str, ServerRefusals]

    @classmethod
    def of(cls, explanation: Explanation, table: ReplicaTable, server_filters: Collection[str]) -> Refusals:
        """The codes of every row, those of whole servers once."""
        found = {name: ServerRefusals(name) for name in table.numbers}
        for server, index in table.places:
            if index != NO_REPLICA:
                found[server].replicas[index] = []
        for row, rejections in explanation.rejections().items():
            server, index = table.places[row]
            told = found[server]
            for each in rejections:
                if each.filter in server_filters:
                    _once(told.own, each)
                elif index != NO_REPLICA:
                    told.replicas[index].append(each)
        return cls(found)

    def add_shortages(self, wanted: int, empty: Refusals) -> None:
        """Say of servers with replicas that fewer fit than are wanted; `empty` is the same without bookings."""
        for name, each in self.servers.items():
            fitting = each.fitting
            if each.replicas and fitting < wanted:
                each.own.append(
                    Rejection(
                        REPLICAS_SHORT,
                        REPLICAS_SHORT,
                        curable=empty.servers[name].fitting >= wanted,
                        needed=wanted,
                        free=fitting,
                        unit="replicas",
                        template="{free} of {needed} wanted replicas fit",
                    )
                )

    def __iter__(self) -> Iterator[tuple[str, int | None, Rejection]]:
        """Server, index of the replica or None, and what is refused there."""
        for each in self.servers.values():
            for rejection in each.own:
                yield each.server, None, rejection
            for index, rejections in each.replicas.items():
                for rejection in rejections:
                    yield each.server, index, rejection


def _once(told: list[Rejection], rejection: Rejection) -> None:
    if all(each.code != rejection.code for each in told):
        told.append(rejection)
