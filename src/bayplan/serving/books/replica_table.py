"""The table of server replicas: the framework's table, and which row is which replica."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.table import Table
from bayplan.serving.books.columns import UNKNOWN_MIB

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.serving.books.model_replica import Place
    from bayplan.serving.books.server_book import ReplicaBook, ServerBook

NO_REPLICA = -1
"""The index in the row of a server without replicas."""


class ReplicaTable:
    """Rows in the order of server names, then of indexes: ties then go to the first name and the lowest index."""

    __slots__ = ("numbers", "places", "rows", "table")

    def __init__(self, servers: Iterable[ServerBook], *, empty: bool = False) -> None:
        """With `empty` as if there were no booking."""
        books = sorted(servers, key=lambda each: each.server.name)
        names = tuple(book.server.name for book in books)
        self.numbers = {name: number for number, name in enumerate(names)}
        entries = [(number, *entry) for number, book in enumerate(books) for entry in _entries(book)]
        self.places: list[Place] = [(names[number], index) for number, index, _ in entries]
        self.rows = {place: row for row, place in enumerate(self.places)}
        sets: dict[frozenset[str], int] = {}
        offers = [frozenset() if each is None else frozenset(each.replica.capabilities) for *_, each in entries]
        owners = [books[number].server for number, *_ in entries]
        empties = [_known(None if each is None else each.empty_mib) for *_, each in entries]
        frees = [_known(None if each is None else each.free_mib) for *_, each in entries]
        self.table = Table(
            keys=[f"{server}/{'-' if index == NO_REPLICA else index}" for server, index in self.places],
            static={
                "server": np.array([number for number, *_ in entries], np.intp),
                "place": np.arange(len(entries)),
                "index": np.array([index for _, index, _ in entries], np.int64),
                "connected": np.array([each is not None for *_, each in entries], np.bool_),
                "shared": np.array([owner.shared for owner in owners], np.bool_),
                "deleted": np.array([owner.expected == 0 for owner in owners], np.bool_),
                "draining": np.array([each is not None and each.replica.draining for *_, each in entries], np.bool_),
                "capabilities_id": np.array([sets.setdefault(offer, len(sets)) for offer in offers], np.intp),
                "empty_mib": np.array(empties, np.int64),
            },
            state={
                "free_mib": np.array(empties if empty else frees, np.int64),
            },
            constants={"servers": names, "capability_sets": tuple(sets)},
            copied=False,
        )

    def set_free(self, server: str, index: int, free_mib: int | None) -> None:
        """What is free on a replica has changed."""
        self.table.write(self.rows[server, index], {"free_mib": _known(free_mib)})


def _entries(book: ServerBook) -> Iterator[tuple[int, ReplicaBook | None]]:
    """Index and book of each replica; one entry without a book where there is no replica."""
    if not book.replicas:
        yield NO_REPLICA, None
    yield from book.replicas.items()


def _known(memory_mib: int | None) -> int:
    return UNKNOWN_MIB if memory_mib is None else memory_mib
