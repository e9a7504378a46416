"""The servers and models of one namespace: what is stored becomes events of serving, and their outcome new bookings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.serving_booking import LoadState
from bayplan.control.collections import SERVED_MODELS
from bayplan.control.observing import UNOBSERVED
from bayplan.control.serving.booking import Claim, ClaimChange, RowChange
from bayplan.control.serving.retries import Retries
from bayplan.control.serving.rows import Row, entry_name
from bayplan.control.serving.stored_model import read_model, version_hash
from bayplan.control.store import Key
from bayplan.framework.errors import InputError
from bayplan.library.status.documents import generation_of, part
from bayplan.serving.books.ledger import Ledger
from bayplan.serving.following.serving_state import ServingState
from bayplan.serving.planning.holdings import Holdings
from bayplan.serving.planning.planner import Planner
from bayplan.serving.served_model import ServedModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.server import Server
    from bayplan.control.store import Object, Stored
    from bayplan.manifests.serving.server_replica import StoredReplica
    from bayplan.serving.books.model_replica import ModelReplica, Place
    from bayplan.serving.decision.decider import Decider

_NEVER: Mapping[str, Any] = {}


class Fleet:
    """Made from stored objects; after a lost race it is thrown away and made again.

    `replicas` are the connected ones; the bookings of all others are given up.
    """

    def __init__(
        self, servers: Iterable[Server], rows: Iterable[Object], replicas: Mapping[Place, StoredReplica],
        models: Iterable[Object], decider: Decider,
    ) -> None:  # fmt: skip
        self.rows = {row.place: row for row in map(Row.of, rows)}
        held = [each for replica in replicas.values() for each in replica.bookings]
        ledger = Ledger(servers, held)
        self.state = ServingState(Planner(ledger, decider))
        self.retries = Retries()
        self.observer = UNOBSERVED
        self.generations: dict[WorkloadKey, int] = {}
        """Which generation of each model was applied."""
        self.problems: dict[WorkloadKey, str] = {}
        """Models that cannot be read, and why."""
        self._documents: dict[WorkloadKey, Object] = {}
        self._claims: dict[WorkloadKey, Claim] = {}
        self._touched: dict[Place, None] = dict.fromkeys(self.rows)
        for place, row in self.rows.items():
            row.connected = place in replicas
            book = ledger.servers.get(place[0])
            found = book.replicas.get(place[1]) if book is not None else None
            row.numbers = {entry_name(each): each.number for each in (found.models if found is not None else ())}
        for each in sorted(models, key=_by_age):
            self.apply(each)
        for key in [each for each in ledger.models if each not in self._documents]:
            self.state.apply(ServedModel(key, deleted=True))

    # events

    def apply(self, document: Object) -> None:
        """A Model is there, changed, or is being deleted."""
        key = _key(document)
        known = self._documents.get(key)
        if known is not None and known["metadata"]["uid"] != document["metadata"]["uid"]:
            self.gone(key)
        elif known is not None and _revision(known) > _revision(document):
            return
        self._documents[key] = document
        self._claims[key] = Claim.of(document)
        applied = self.state.models.get(key)
        if _is_deleted(document) and applied is not None and applied.model.deleted:
            return
        if self.generations.get(key) == generation_of(document) and not _is_deleted(document):
            return
        try:
            booked = max((each.version for each in self.state.ledger.of(key)), default=0)
            self.state.apply(read_model(document, booked))
        except InputError as error:
            self.problems[key] = str(error)
            return
        self.problems.pop(key, None)
        self.generations[key] = generation_of(document)

    def gone(self, key: WorkloadKey) -> None:
        """A Model is no longer stored: what is loaded of it is unloaded."""
        for each in (self._documents, self._claims, self.generations, self.problems):
            each.pop(key, None)
        if key in self.state.models:
            self.state.delete(key)
        if not self.state.ledger.of(key):
            self.state.forget(key)

    def connect(self, document: Object, replica: StoredReplica) -> None:
        """A server replica answers; it begins without bookings."""
        row = self._row(document)
        row.connected = True
        self._touched[row.place] = None
        if replica.server in self.state.ledger.servers:
            self.state.replica_up(replica.server, replica.replica)

    def disconnect(self, place: Place) -> None:
        """A server replica does not answer: its models are placed elsewhere."""
        row = self.rows[place]
        row.connected = False
        self._touched[place] = None
        if self._is_known(place):
            self.state.replica_down(*place)

    def drain(self, place: Place) -> None:
        """A server replica is to stop."""
        if self._is_known(place):
            self.state.drain(*place)

    def vanish(self, place: Place) -> None:
        """A ServerReplica is no longer stored."""
        if self.rows[place].connected:
            self.disconnect(place)
        del self.rows[place]

    def answers(self, document: Object, now: float) -> None:
        """What the agent of a connected replica says of its bookings."""
        row = self._row(document)
        if not self._is_known(row.place):
            return
        given = {each.get("name"): each for each in part(document, "status").get("models") or ()}
        asked = row.entries
        for each in list(self.state.ledger.replica(*row.place).models):
            answer, entry = given.get(entry_name(each)), asked.get(entry_name(each))
            written = row.numbers.get(entry_name(each)) == each.number
            if answer and entry and written and answer.get("generation") in (None, entry.get("generation")):
                self._answered(each, str(answer.get("state")), now)

    def tick(self, now: float) -> None:
        """What failed a while ago is tried again."""
        due = self.retries.due(self.state.ledger.bookings, now)
        if due:
            self.observer.models_retried(len(due))
            self.state.tick(due)

    # what follows

    def changes(self, now: float) -> list[RowChange]:
        """The rows whose bookings differ from what is stored."""
        self._touched |= dict.fromkeys(self.state.ledger.take_touched())
        found = []
        for place in self._touched:
            row = self.rows.get(place)
            if row is None:
                continue
            wanted = row.wanted(self._models(place), self._spec)
            if wanted.get("models") != (row.spec.get("models") or []):
                found.append(RowChange(row.key, row.uid, row.spec, wanted))
            for each in self._models(place):
                self.retries.note(each, now)
        return found

    def claims(self, keys: Iterable[WorkloadKey]) -> list[ClaimChange]:
        """The claims of these models that differ from what is stored."""
        found = []
        for key in keys:
            document, known = self._documents.get(key), self.state.models.get(key)
            if document is None or known is None or _is_deleted(document):
                continue
            server = Holdings.of(known.model, self.state.ledger, known.version).current_server
            wanted = Claim(server, known.version, version_hash(document))
            if wanted != self._claims[key]:
                metadata = document["metadata"]
                where = Key(SERVED_MODELS, metadata["namespace"], metadata["name"])
                found.append(ClaimChange(where, metadata["uid"], self._claims[key], wanted))
        return found

    def wrote(self, written: Mapping[Key, Stored]) -> None:
        """All changes are stored."""
        for place in self._touched:
            row = self.rows.get(place)
            if row is not None and row.key in written:
                known = row.numbers.values()
                self.observer.models_booked(sum(each.number not in known for each in self._models(place)))
                row.take(written[row.key].document(), self._models(place))
        for key, stored in written.items():
            if key.collection == SERVED_MODELS:
                self.know(WorkloadKey(key.namespace, key.name), stored.document())
        self._touched.clear()

    def document(self, key: WorkloadKey) -> Object | None:
        """The Model as it was last seen."""
        return self._documents.get(key)

    def know(self, key: WorkloadKey, document: Object) -> None:
        """The Model as it was just written."""
        self._documents[key], self._claims[key] = document, Claim.of(document)

    def _answered(self, model: ModelReplica, state: str, now: float) -> None:
        """One answer, if it is one to what the booking asks for."""
        what = (model.key, model.server, model.index, model.version)
        match model.state, state:
            case LoadState.LOAD_REQUESTED, "loaded":
                self.state.loaded(*what)
                self.retries.succeeded(model)
                self.observer.model_answered("loaded")
            case LoadState.LOAD_REQUESTED, "failed":
                self.state.load_failed(*what)
                self.observer.model_answered("load-failed")
            case LoadState.UNLOAD_REQUESTED, "unloaded":
                self.state.unloaded(*what)
                self.observer.model_answered("unloaded")
            case LoadState.UNLOAD_REQUESTED, "unload-failed":
                self.state.unload_failed(*what)
                self.observer.model_answered("unload-failed")
            case LoadState.AVAILABLE | LoadState.DRAINING, "failed":
                self.state.lost(model)
                self.observer.model_answered("lost")
        self.retries.note(model, now)

    def _models(self, place: Place) -> list[ModelReplica]:
        return self.state.ledger.replica(*place).models if self._is_known(place) else []

    def _spec(self, model: ModelReplica) -> Mapping[str, Any]:
        known = self.state.models.get(model.key)
        return _NEVER if known is None else known.model.spec

    def _is_known(self, place: Place) -> bool:
        book = self.state.ledger.servers.get(place[0])
        return book is not None and place[1] in book.replicas

    def _row(self, document: Object) -> Row:
        fresh = Row.of(document)
        return self.rows.setdefault(fresh.place, fresh)


def _key(document: Object) -> WorkloadKey:
    metadata = document["metadata"]
    return WorkloadKey(metadata["namespace"], metadata["name"])


def _is_deleted(document: Object) -> bool:
    return "deletionTimestamp" in document["metadata"]


def _revision(document: Object) -> int:
    return int(document["metadata"]["resourceVersion"])


def _by_age(document: Object) -> tuple[str, str]:
    metadata = document["metadata"]
    return str(metadata.get("creationTimestamp") or ""), metadata["name"]
