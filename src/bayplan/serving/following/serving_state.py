"""Everything that serving knows while it runs: models, bookings, and what each event changes.

Each event is one step: the bookings change, then models that may be placed otherwise are decided anew, in the order in
which they were first applied, each decided and booked in one step. What servers have to do is returned as actions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.errors import InputError
from bayplan.serving.following.actions import action_of
from bayplan.serving.following.applied_model import AppliedModel
from bayplan.serving.following.doubts import Doubts
from bayplan.serving.following.residency import Residency
from bayplan.serving.following.sharing import upset_holders
from bayplan.serving.planning.model_plan import RemovalReason, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.server import ServerReplica
    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.following.actions import Action
    from bayplan.serving.planning.model_plan import ModelPlan
    from bayplan.serving.planning.planner import Planner
    from bayplan.serving.served_model import ServedModel

_NEVER_LOADED = frozenset({LoadState.LOAD_REQUESTED, LoadState.LOADING})
_NOT_YET_SERVING = frozenset({LoadState.LOAD_REQUESTED, LoadState.LOADING, LoadState.LOADED})
_LOADED_AT_START = frozenset({LoadState.AVAILABLE, LoadState.DRAINING})


class Served(NamedTuple):
    """Who answers a request, and which models had to leave memory for it."""

    model: ModelReplica | None
    evicted: tuple[ModelReplica, ...] = ()


class ServingState:
    """One thread owns it. Every method that changes something is one event and returns the actions that follow.

    A model that is preloaded is counted and never touched: its server loads it by itself.
    """

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.ledger = planner.ledger
        self.models: dict[WorkloadKey, AppliedModel] = {}
        self.residency = Residency()
        self._doubts = Doubts()
        self._touched: dict[ModelReplica, LoadState | None] = {}
        self._changed: dict[WorkloadKey, None] = {}
        self._concerned: dict[WorkloadKey, None] = {}
        self._first_applied = 0
        self._dedicated: set[WorkloadKey] = set()
        for each in self.ledger.bookings:
            if each.state in _LOADED_AT_START:
                self._use(each)

    # models

    def apply(self, model: ServedModel) -> list[Action]:
        """A model is new, scaled, or changed; what changed in more than its scaling becomes a new version."""
        key = model.key
        known = self.models.get(key)
        if known is None or known.model.deleted:
            self._apply_new(model, known)
        elif known.model.differs_in_version(model):
            known.version = known.highest = 1 + max(known.highest, self._highest(key))
            known.model = model
            self._move_all(self.ledger.of(key), _NOT_YET_SERVING, LoadState.UNLOAD_REQUESTED, model)
        else:
            known.model = model
        (self._dedicated.add if model.dedicated else self._dedicated.discard)(key)
        self._doubt(key)
        if model.deleted:
            self._delete(self.models[key])
        return self._settled()

    def delete(self, key: WorkloadKey) -> list[Action]:
        """A model is being deleted: what is loaded is unloaded, and failed loads are forgotten."""
        known = self.models.get(key)
        if known is None:
            raise InputError(f"no model {str(key)!r} was applied", place="delete", next="apply it first")
        self._delete(known)
        return self._settled()

    # server replicas

    def replica_up(self, server: str, replica: ServerReplica) -> list[Action]:
        """A server replica has connected."""
        self.ledger.connect(server, replica)
        self._doubts.freed()
        return self._settled()

    def replica_down(self, server: str, index: int) -> list[Action]:
        """A server replica is gone, and everything that it had loaded."""
        gone = self.ledger.disconnect(server, index)
        self.residency.forget(gone)
        for each in gone:
            self._note(each.key)
        self._doubts.freed()
        return self._settled()

    def drain(self, server: str, index: int) -> list[Action]:
        """A server replica is to stop: its models serve until they are available elsewhere."""
        self.ledger.drain(server, index)
        for each in list(self.ledger.replica(server, index).models):
            if each.here and not self._is_preloaded(each.key):
                self._go_away(each)
                self._note(each.key)
        return self._settled()

    # answers of servers

    def loaded(self, key: WorkloadKey, server: str, index: int, version: int | None = None) -> list[Action]:
        """A server replica has loaded a model; requests may go there."""
        model = self._asked(key, server, index, LoadState.LOAD_REQUESTED, version)
        self._available(model)
        return self._settled()

    def load_failed(self, key: WorkloadKey, server: str, index: int, version: int | None = None) -> list[Action]:
        """A server replica could not load a model; it is tried elsewhere, and here again after the next tick."""
        self._move(self._asked(key, server, index, LoadState.LOAD_REQUESTED, version), LoadState.LOAD_FAILED)
        return self._settled()

    def unloaded(self, key: WorkloadKey, server: str, index: int, version: int | None = None) -> list[Action]:
        """A server replica has unloaded a model."""
        self._remove(self._asked(key, server, index, LoadState.UNLOAD_REQUESTED, version))
        return self._settled()

    def unload_failed(self, key: WorkloadKey, server: str, index: int, version: int | None = None) -> list[Action]:
        """A server replica could not unload a model; it is tried again after the next tick."""
        self._move(self._asked(key, server, index, LoadState.UNLOAD_REQUESTED, version), LoadState.UNLOAD_FAILED)
        return self._settled()

    def lost(self, model: ModelReplica) -> list[Action]:
        """A server replica no longer has a model that it had loaded, and cannot load it again."""
        if model.state is LoadState.DRAINING:
            self._remove(model)
        else:
            self._move(model, LoadState.LOAD_FAILED)
        return self._settled()

    def tick(self, due: Iterable[ModelReplica] | None = None) -> list[Action]:
        """Time has passed: what failed may be tried again, all of it or the bookings that are `due`."""
        for each in self.ledger.bookings if due is None else due:
            if each.state is LoadState.LOAD_FAILED:
                self._remove(each)
            elif each.state is LoadState.UNLOAD_FAILED:
                self._move(each, LoadState.UNLOAD_REQUESTED)
        return self._settled()

    def settle(self) -> None:
        """Everything that servers were asked to do is done, until there is nothing left to do."""
        changed = True
        while changed:
            changed = self._carry_out()
            before = self.ledger.version
            self._settled()
            changed |= self.ledger.version != before

    def infer(self, key: WorkloadKey, server: str | None = None, index: int | None = None) -> Served:
        """A request for a model, to any replica or to this one; a model that is not in memory is brought back."""
        if key not in self.models and not self.ledger.of(key):
            message = f"model {str(key)!r} is neither applied nor booked"
            raise InputError(message, place="model", next="apply it first")
        if server is not None:
            self.ledger.server(server)
            if index is not None:
                self.ledger.replica(server, index)
        able = [each for each in self.ledger.of(key) if server in (None, each.server) and index in (None, each.index)]
        for state in (LoadState.AVAILABLE, LoadState.DRAINING):
            found = [each for each in able if each.state is state]
            if found:
                best = min(found, key=lambda each: (-each.version, each.server, each.index))
                return Served(best, tuple(self._use(best)))
        return Served(None)

    def reconsider_all(self) -> list[Action]:
        """Decide every model anew: for a change of the configuration, or of servers, that concerns all of them."""
        for key in self.models:
            self._doubt(key)
        return self._settled()

    def plan(self, key: WorkloadKey) -> ModelPlan:
        """What would become of an applied model now, with reasons; its status follows from it."""
        known = self.models[key]
        return self.planner.plan(known.model, known.version)

    def forget(self, key: WorkloadKey) -> None:
        """A model that was deleted has nothing left to unload."""
        self.models.pop(key, None)
        self._doubts.forget(key)
        self._dedicated.discard(key)

    @property
    def concerned(self) -> Iterable[WorkloadKey]:
        """The models that `take_concerned` would tell."""
        return self._concerned.keys()

    def take_concerned(self) -> list[WorkloadKey]:
        """The models that were decided or whose bookings have changed since this was last asked."""
        found = list(self._concerned)
        self._concerned.clear()
        return found

    # inside a step

    def _apply_new(self, model: ServedModel, known: AppliedModel | None) -> None:
        if known is not None and any(each.holding for each in self.ledger.of(model.key)):
            message = f"model {str(model.key)!r} is being deleted and still loaded"
            raise InputError(message, place="metadata.name", next="wait until it is unloaded")
        highest = self._highest(model.key)
        version = model.version or highest or 1
        order = self._first_applied if known is None else known.order
        self._first_applied += known is None
        self.models[model.key] = AppliedModel(model, version, order, max(version, highest))

    def _delete(self, known: AppliedModel) -> None:
        known.model = replace(known.model, deleted=True)
        key = known.model.key
        self._doubts.forget(key)
        if known.model.preloaded:
            return
        for each in list(self.ledger.of(key)):
            if each.here or each.state is LoadState.DRAINING:
                self._move(each, LoadState.UNLOAD_REQUESTED)
            elif each.state is LoadState.LOAD_FAILED:
                self._remove(each)

    def _settled(self) -> list[Action]:
        """Apply the two rules, and tell what servers have to do."""
        for key in self._doubts.turns():
            self._concerned[key] = None
            self._decide(self.models[key])
        for key in list(self._changed):
            known = self.models.get(key)
            if known is not None and not known.model.deleted and not known.model.preloaded:
                self._retire(known)
        self._concerned |= self._changed
        self._changed.clear()
        touched = [each for each, before in self._touched.items() if each.state is not before]
        self._touched.clear()
        found = (action_of(each) for each in touched)
        return [action for action in found if action is not None]

    def _decide(self, known: AppliedModel) -> None:
        """Plan one model and carry the plan out."""
        plan = self.planner.plan(known.model, known.version, reasons=False)
        key = known.model.key
        self._doubts.found(key, known.order, short=plan.verdict is not Verdict.FITS)
        if plan.refused:
            return
        for each in self.planner.book(plan):
            self._touched[each] = None
        for removal in plan.removals:
            if removal.reason is RemovalReason.SURPLUS:
                self._set(removal.model, LoadState.UNLOAD_REQUESTED)
            elif removal.reason in (RemovalReason.MOVED, RemovalReason.DRAINING):
                self._go_away(removal.model)
        if plan.added:
            self._changed[key] = None
            self._upset(key)

    def _retire(self, known: AppliedModel) -> None:
        """Unload older versions and what is draining, once this version is where it should be."""
        model, version = known.model, known.version
        bookings = self.ledger.of(model.key)
        leaving = [
            each for each in bookings if each.state is LoadState.DRAINING or (each.version < version and each.here)
        ]
        if not leaving:
            return
        here = [each for each in bookings if each.version == version and each.here]
        done = len(here) >= max(1, model.least) and all(each.state is LoadState.AVAILABLE for each in here)
        if model.desired and not done:
            return
        for each in leaving:
            self._set(each, LoadState.UNLOAD_REQUESTED)
        if self._doubts.is_short(model.key):
            self._doubt(model.key)

    def _carry_out(self) -> bool:
        """Loads in the order of booking, then unloads; whether there was any."""
        bookings = self.ledger.bookings
        loads = [each for each in bookings if each.state is LoadState.LOAD_REQUESTED]
        unloads = [each for each in bookings if each.state is LoadState.UNLOAD_REQUESTED]
        for each in loads:
            self._available(each)
        for each in unloads:
            self._remove(each)
        return bool(loads or unloads)

    def _asked(
        self, key: WorkloadKey, server: str, index: int, state: LoadState, version: int | None = None
    ) -> ModelReplica:
        """The booking that a server speaks of: without a version the newest that loads, the oldest that unloads."""
        book = self.ledger.replica(server, index)
        found = [each for each in book.models if each.key == key and each.state is state]
        found = [each for each in found if version in (None, each.version)]
        if not found:
            message = f"no booking of model {str(key)!r} on {server}/{index} is in {state}"
            raise InputError(message, place="model", next="tell only what was asked for")
        choose: Callable[..., ModelReplica] = max if state is LoadState.LOAD_REQUESTED else min
        return choose(found, key=lambda each: (each.version, each.number))

    # bookings

    def _available(self, model: ModelReplica) -> None:
        self._move(model, LoadState.AVAILABLE)
        self._use(model)

    def _go_away(self, model: ModelReplica) -> None:
        """What was never loaded is taken back; everything else serves until its successor does."""
        self._set(model, LoadState.UNLOAD_REQUESTED if model.state in _NEVER_LOADED else LoadState.DRAINING)

    def _move_all(
        self, models: Iterable[ModelReplica], states: Iterable[LoadState], to: LoadState, owner: ServedModel
    ) -> None:
        for each in [] if owner.preloaded else list(models):
            if each.state in states:
                self._move(each, to)

    def _move(self, model: ModelReplica, state: LoadState) -> None:
        """A booking changes its state by an event: its model is decided anew."""
        was_holding = model.holding
        self._set(model, state)
        if was_holding and not model.holding:
            self._doubts.freed()
        self._note(model.key)

    def _set(self, model: ModelReplica, state: LoadState) -> None:
        self._touched.setdefault(model, model.state)
        self.ledger.move(model, state)
        self._changed[model.key] = None

    def _remove(self, model: ModelReplica) -> None:
        self.ledger.remove(model)
        self.residency.forget((model,))
        self._touched.pop(model, None)
        self._doubts.freed()
        self._note(model.key)

    def _note(self, key: WorkloadKey) -> None:
        self._changed[key] = None
        self._doubt(key)

    def _doubt(self, key: WorkloadKey) -> None:
        known = self.models.get(key)
        if known is not None and not known.model.deleted:
            self._doubts.doubt(key, known.order)
            self._changed[key] = None

    def _upset(self, key: WorkloadKey) -> None:
        """Others on the same server may have to go, where one of them shares with nobody."""
        if self.ledger.any_dedicated or self._dedicated:
            for other in upset_holders(key, self.ledger, self._dedicated):
                self._doubt(other)

    def _use(self, model: ModelReplica) -> list[ModelReplica]:
        return self.residency.use(model, self.ledger.replica(model.server, model.index))

    def _highest(self, key: WorkloadKey) -> int:
        return max((each.version for each in self.ledger.of(key)), default=0)

    def _is_preloaded(self, key: WorkloadKey) -> bool:
        known = self.models.get(key)
        return known is not None and known.model.preloaded
