"""The ledger of serving: all servers and bookings under one version, and the table that decisions look at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.framework.errors import ConflictError, InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.serving.books.model_replica import ModelReplica
from bayplan.serving.books.replica_table import ReplicaTable
from bayplan.serving.books.server_book import ServerBook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.server import Server, ServerReplica
    from bayplan.cluster.serving_booking import LoadState, ServingBooking
    from bayplan.serving.books.model_replica import Place
    from bayplan.serving.books.server_book import ReplicaBook

NONE: tuple[ModelReplica, ...] = ()


class Ledger:
    """Every change goes through it, counts the version up, and is in the table at once.

    Bookings on replicas that are not connected are left out: nothing holds memory that is not there.
    """

    def __init__(self, servers: Iterable[Server] = (), bookings: Iterable[ServingBooking] = ()) -> None:
        self.version = 0
        self.servers: dict[str, ServerBook] = {
            each.name: ServerBook.of(each) for each in sorted(servers, key=lambda each: each.name)
        }
        self._models: dict[WorkloadKey, list[ModelReplica]] = {}
        self._changed: dict[WorkloadKey, int] = {}
        self._dedicated: Counter[WorkloadKey] = Counter()
        self._numbers = 0
        self._table: ReplicaTable | None = None
        self._emptied: ReplicaTable | None = None
        self._touched: dict[Place, None] = {}
        for booking in bookings:
            if self._is_connected(booking.server, booking.replica):
                self.add(booking)

    # what there is

    def of(self, key: WorkloadKey) -> Iterable[ModelReplica]:
        """The bookings of a model, in the order of booking."""
        return self._models.get(key, NONE)

    @property
    def models(self) -> Iterable[WorkloadKey]:
        """The models that have bookings."""
        return self._models.keys()

    @property
    def bookings(self) -> list[ModelReplica]:
        """All bookings, in the order of booking."""
        found = [each for models in self._models.values() for each in models]
        return sorted(found, key=lambda each: each.number)

    def is_dedicated(self, key: WorkloadKey) -> bool:
        """Whether a booking of this model says that it shares its server with no other model."""
        return key in self._dedicated

    @property
    def any_dedicated(self) -> bool:
        return bool(self._dedicated)

    def replica(self, server: str, index: int) -> ReplicaBook:
        """A connected replica; InputError where there is none."""
        book = self.server(server).replicas.get(index)
        if book is None:
            known = ", ".join(map(str, self.servers[server].replicas)) or "none"
            message = f"server {server!r} has no connected replica {index}"
            raise InputError(message, place="index", next=f"connected are: {known}")
        return book

    def server(self, name: str) -> ServerBook:
        """A server; InputError where there is none."""
        book = self.servers.get(name)
        if book is None:
            raise InputError(f"there is no server {name!r}", place="server", next=did_you_mean(name, self.servers))
        return book

    @property
    def table(self) -> ReplicaTable:
        """The server replicas with what is held on them."""
        if self._table is None:
            self._table = ReplicaTable(self.servers.values())
        return self._table

    @property
    def emptied(self) -> ReplicaTable:
        """The same server replicas as if there were no booking."""
        if self._emptied is None:
            self._emptied = ReplicaTable(self.servers.values(), empty=True)
        return self._emptied

    def take_touched(self) -> list[Place]:
        """The server replicas whose bookings have changed since this was last asked, also those that are gone."""
        found = list(self._touched)
        self._touched.clear()
        return found

    # bookings

    def add(self, booking: ServingBooking) -> ModelReplica:
        """Book; the server replica must be connected."""
        book = self.replica(booking.server, booking.replica)
        self._numbers += 1
        made = ModelReplica(booking, self._numbers)
        self._models.setdefault(made.key, []).append(made)
        book.models.append(made)
        if made.dedicated:
            self._dedicated[made.key] += 1
        if made.holding:
            self._take(book, made)
        self._note(made)
        return made

    def move(self, model: ModelReplica, state: LoadState) -> None:
        """The booking is in another state."""
        held = model.holding
        model.state = state
        if model.holding is not held:
            book = self.servers[model.server].replicas[model.index]
            (self._give if held else self._take)(book, model)
        self._note(model)

    def remove(self, model: ModelReplica) -> None:
        """The booking is gone."""
        book = self.servers[model.server].replicas[model.index]
        book.models.remove(model)
        self._forget(model)
        if model.holding:
            self._give(book, model)
        self._note(model)

    def check(self, key: WorkloadKey, server: str | None, version: int) -> None:
        """ConflictError where the model or the server has changed since this version of the ledger."""
        changed = self._changed.get(key, 0)
        if server is not None:
            changed = max(changed, self.server(server).version)
        if changed > version:
            message = f"changed at version {changed}, and the decision was made at version {version}"
            raise ConflictError(message, place=f"model {key}", next="decide again on what is booked now")

    # server replicas

    def connect(self, server: str, replica: ServerReplica) -> None:
        """A further replica of a server."""
        book = self.server(server)
        if replica.index in book.replicas:
            message = f"replica {replica.index} of server {server!r} is connected already"
            raise InputError(message, place="index", next="name another index, or take that replica down first")
        book.connect(replica)
        self._reshaped(book)

    def disconnect(self, server: str, index: int) -> list[ModelReplica]:
        """A replica is gone, and its bookings with it; these are returned."""
        gone = list(self.replica(server, index).models)
        book = self.servers[server]
        for model in gone:
            self._forget(model)
            if model.holding:
                self._give(book.replicas[index], model)
            self._note(model)
        del book.replicas[index]
        self._reshaped(book)
        return gone

    def drain(self, server: str, index: int) -> None:
        """A replica takes no new models from now on."""
        self.replica(server, index)
        book = self.servers[server]
        book.drain(index)
        self._reshaped(book)

    def _is_connected(self, server: str, index: int) -> bool:
        book = self.servers.get(server)
        return book is not None and index in book.replicas

    def _reshaped(self, book: ServerBook) -> None:
        self.version += 1
        book.version = self.version
        self._table = self._emptied = None

    def _take(self, book: ReplicaBook, model: ModelReplica) -> None:
        book.held_mib += model.memory_mib
        self.servers[model.server].holders[model.key] += 1
        self._show(book, model)

    def _give(self, book: ReplicaBook, model: ModelReplica) -> None:
        book.held_mib -= model.memory_mib
        holders = self.servers[model.server].holders
        holders[model.key] -= 1
        if not holders[model.key]:
            del holders[model.key]
        self._show(book, model)

    def _show(self, book: ReplicaBook, model: ModelReplica) -> None:
        if self._table is not None:
            self._table.set_free(model.server, model.index, book.free_mib)

    def _note(self, model: ModelReplica) -> None:
        self.version += 1
        self.servers[model.server].version = self.version
        self._changed[model.key] = self.version
        self._touched[model.place] = None

    def _forget(self, model: ModelReplica) -> None:
        models = self._models[model.key]
        models.remove(model)
        if not models:
            del self._models[model.key]
        if model.dedicated:
            self._dedicated[model.key] -= 1
            if not self._dedicated[model.key]:
                del self._dedicated[model.key]
