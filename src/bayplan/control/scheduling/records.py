"""Records of decisions: what was decided, when, on which state, and what became of it. Bounded; the oldest go first."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bayplan.control.clock import moment_text
from bayplan.control.scheduling.history import History
from bayplan.library.exact_json import to_json
from bayplan.library.mix_json import mix_to_json
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.placement.packing.mix import Mix

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.scheduling.history import Past
    from bayplan.control.scheduling.units import UnitKey
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.followed_cluster import FollowedCluster
    from bayplan.placement.planning.plan import Plan

MOST, MOST_REPLICAS = 2_000, 50_000
"""Records in memory, and the replicas in all of them: a record of 1,000 replicas is as large as hundreds of others."""


class Archive(Protocol):
    """Where records are kept beyond this process."""

    def write(self, record: dict[str, Any]) -> None:
        """Keep a record; an older one of the same id is replaced. It must not block."""
        ...

    def read(self, id: str) -> dict[str, Any] | None: ...  # noqa: A002

    def newest(self, most: int) -> list[dict[str, Any]]: ...

    def last_term(self) -> int:
        """The largest number of a term of which there is a record; 0 where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Outlook:
    """From what the outlook was made that decisions read: a state of the cluster, a mix, and how often it was made."""

    position: int
    mix: Mix
    epoch: int


@dataclass(slots=True)
class _Kept:
    document: dict[str, Any]
    sized: SizedWorkload
    position: int
    config: Any
    preempting: bool
    outlook: Outlook | None


class Records:
    """Records of one scheduler. Their ids are `EPOCH-NUMBER`, so that none is ever given twice."""

    def __init__(self, archive: Archive | None = None) -> None:
        self._epoch, self._archive = 0, archive
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._replicas = 0
        self._number = 0
        self._history: History | None = None
        self._outlook: Outlook | None = None
        self._seen: tuple[int, int] = (0, 0)
        self._looks_ahead = False
        self.config: Any = None
        """The configuration under which decisions are made now."""

    def begin_term(self, epoch: int) -> None:
        """The number of the term to which all further records belong."""
        self._epoch = epoch

    def follow(self, state: FollowedCluster) -> None:
        """The state on which all decisions are made from now on."""
        self._history = History(state)
        self._kept.clear()  # their positions belong to the former state
        self._replicas = 0

    def notice_outlook(self, state: FollowedCluster) -> None:
        """Keep from what the outlook was made, if it was made anew just now; to be called before each decision."""
        foresight = state.strategies.foresight
        if foresight is None or not foresight.epoch:
            return
        made = (id(foresight), foresight.epoch)
        if made != self._seen:  # also before it is used: it may be in use long after it was made
            self._seen = made
            mix = Mix.remembered(foresight.mix.seen, foresight.mix.counts)  # the other one goes on learning
            self._outlook = Outlook(self.position, mix, foresight.epoch)
        self._looks_ahead = state.strategies.looks_ahead

    def next_number(self) -> int:
        """The number of the next decision: also its seed."""
        self._number += 1
        return self._number

    @property
    def position(self) -> int:
        """Where the history of the cluster stands."""
        return 0 if self._history is None else self._history.position

    def id_of(self, plan: Plan) -> str:
        """The id of a plan's record; its seed is its number."""
        return f"{self._epoch}-{plan.seed}"

    def add(
        self, plan: Plan, document: dict[str, Any], unit: UnitKey, position: int, now: float, *, preempting: bool
    ) -> str:
        """Keep a decision that was made at `position`; its id."""
        id_ = self.id_of(plan)
        record = {
            "apiVersion": "bayplan.io/v1alpha1",
            "kind": "Record",
            "id": id_,
            "time": moment_text(now),
            "object": {"kind": str(unit.collection), "namespace": unit.namespace, "name": unit.name},
            "verdict": str(plan.verdict),
            "outcome": "reserved" if plan.replicas else "refused",
            "message": "",
            "seed": plan.seed,
            "now": plan.now,
            "revision": plan.revision,
            "plan": document,
        }
        outlook = self._outlook if self._looks_ahead else None
        self._kept[id_] = _Kept(record, plan.sized, position, self.config, preempting, outlook)
        self._replicas += len(plan.replicas)
        while len(self._kept) > MOST or (self._replicas > MOST_REPLICAS and len(self._kept) > 1):
            _, oldest = self._kept.popitem(last=False)
            self._replicas -= len(oldest.document["plan"]["replicas"])
        if not plan.replicas:
            self._archived(record)
        return id_

    def ended(self, id: str, outcome: str, message: str = "") -> None:  # noqa: A002
        """What became of a decision: bound, lost or denied."""
        if (kept := self._kept.get(id)) is not None:
            kept.document["outcome"], kept.document["message"] = outcome, message
            self._archived(kept.document)

    def get(self, id: str) -> dict[str, Any] | None:  # noqa: A002
        """A record without its inputs."""
        kept = self._kept.get(id)
        if kept is not None:
            return kept.document
        return None if self._archive is None else self._archive.read(id)

    def has(self, id: str) -> bool:  # noqa: A002
        """Whether a record is in memory: the archive is a file, which a decision must not wait for."""
        return id in self._kept

    def exported(self, id: str) -> dict[str, Any] | None:  # noqa: A002
        """A record with all that is needed to make the decision again, as far as the cluster of then is known."""
        return self.export(id)()

    def export(self, id: str) -> Callable[[], dict[str, Any] | None]:  # noqa: A002
        """The same in two parts: the answer takes seconds for thousands of workers, and any thread may make it."""
        kept = self._kept.get(id)
        if kept is None or self._history is None:
            return lambda: self.get(id)
        past, outlook = self._history.at(kept.position), kept.outlook
        then = None if outlook is None else self._history.at(outlook.position)
        if past is None or (outlook is not None and then is None):
            return lambda: kept.document
        return lambda: _with_inputs(kept, past, then)

    def newest(self, most: int = 100) -> list[dict[str, Any]]:
        """The last records without their plans, newest first."""
        found = {each.document["id"]: each.document for each in list(self._kept.values())[: -most - 1 : -1]}
        if len(found) < most and self._archive is not None:
            for each in self._archive.newest(most):
                found.setdefault(each["id"], each)
        return [{key: value for key, value in each.items() if key != "plan"} for each in list(found.values())[:most]]

    def _archived(self, record: dict[str, Any]) -> None:
        if self._archive is not None:
            self._archive.write(record)


def _with_inputs(kept: _Kept, past: Past, then: Past | None) -> dict[str, Any]:
    inputs = {
        "cluster": write_cluster(past.cluster()),
        "workload": to_json(kept.sized),
        "config": kept.config,
        "preempting": kept.preempting,
    }
    if kept.outlook is not None and then is not None:
        made = {"mix": mix_to_json(kept.outlook.mix), "epoch": kept.outlook.epoch}
        inputs["outlook"] = {"cluster": write_cluster(then.cluster()), **made}
    return {**kept.document, "inputs": inputs}
