"""What runs where, which models are on which servers, and what waits and why: the state of a server in tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cli.card_text import cards
from bayplan.cli.output import Part, Sheet, Title
from bayplan.manifests.inventory.labels import REGION
from bayplan.manifests.marks import DEVICES, RUNTIME, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.cli.server.connection import Connection

_PLACE = "bayplan up"
_OVER = {"Succeeded": "done", "Failed": "failed"}
_REGION = REGION[1]
_TEMPLATE_HASH = "pod-template-hash"
"""Label of Pods that a Deployment made, through a ReplicaSet of its name and this."""


@dataclass(frozen=True, slots=True)
class Overview:
    """Pods, Nodes and the queue at one time."""

    pods: list[dict[str, Any]]
    nodes: dict[str, dict[str, Any]]
    queue: list[dict[str, Any]]
    models: list[dict[str, Any]] = field(default_factory=list)

    @property
    def undecided(self) -> int:
        """Models about which nothing is said yet, or that are still being loaded."""
        return sum(_model_state(each)[0] in ("", "ModelProgressing") for each in self.models)

    @property
    def serving_models(self) -> list[str]:
        return [each["metadata"]["name"] for each in self.models if _model_state(each)[0] == "ModelAvailable"]

    @property
    def refused_models(self) -> list[str]:
        return [each["metadata"]["name"] for each in self.models if _model_state(each)[0] == "ScheduleFailed"]

    @property
    def placed(self) -> list[dict[str, Any]]:
        return [each for each in self.pods if each["spec"].get("nodeName")]

    @property
    def settled(self) -> int:
        """Pods about which all is said: ready, over, or refused for now."""
        tried = {(each["namespace"], each["workload"]) for each in self.queue if each["state"] != "new"}
        refused: int = sum(each["pods"] for each in self.queue if (each["namespace"], each["workload"]) in tried)
        return refused + sum(state_of(each) in ("ready", "done", "failed") for each in self.placed)

    def parts(self) -> Iterator[Part]:
        """The tables."""
        yield Title("What is where")
        yield Sheet(
            ("OBJECT", "WORKER", "REGION", "GPUS", "REPLICAS"),
            list(self._rows()),
            spare=(("REGION",),),
        )
        yield ""
        if self.models:
            yield Title("Models on their servers")
            yield Sheet(
                ("MODEL", "SERVER", "REPLICAS", "STATE", "WHY"), list(map(_model, self.models)), sentences=("WHY",)
            )
            yield ""
        waiting = [_waiting(each) for each in self.queue]
        yield Title("What waits, and why")
        if waiting:
            yield Sheet(("OBJECT", "PODS", "STATE", "WHY"), waiting, sentences=("WHY",))
        else:
            yield "nothing waits"
        yield ""

    def _rows(self) -> Iterator[tuple[str, ...]]:
        groups: dict[tuple[str, str], _Group] = {}
        for pod in self.placed:
            place = (owner_of(pod), str(pod["spec"]["nodeName"]))
            groups.setdefault(place, _Group()).add(pod)
        last = ""
        for (owner, worker), group in sorted(groups.items()):
            labels = (self.nodes.get(worker) or {}).get("metadata", {}).get("labels") or {}
            where = f"{worker} (process)" if labels.get(RUNTIME) == "process" else worker
            yield (owner if owner != last else "", where, labels.get(_REGION, "-"), group.cards, group.states)
            last = owner


@dataclass(slots=True)
class _Group:
    """Pods of one owner on one worker."""

    held: list[dict[str, Any]] = field(default_factory=list)
    count: dict[str, int] = field(default_factory=dict)

    def add(self, pod: dict[str, Any]) -> None:
        state = state_of(pod)
        self.count[state] = self.count.get(state, 0) + 1
        if state not in _OVER.values():
            text = (pod["metadata"].get("annotations") or {}).get(DEVICES)
            self.held += [{"runtime": "cuda", "mig": None, **each} for each in orjson.loads(text or "[]")]

    @property
    def cards(self) -> str:
        return cards(self.held)

    @property
    def states(self) -> str:
        return ", ".join(f"{number} {state}" for state, number in self.count.items())


def overview(connection: Connection, namespace: str) -> Overview:
    """Ask the server about a namespace."""
    pods = connection.get(f"/api/v1/namespaces/{namespace}/pods", place=_PLACE)["items"]
    nodes = connection.get("/api/v1/nodes", place=_PLACE)["items"]
    queue = connection.get("/v1/queue", place=_PLACE)["items"]
    mine = [each for each in queue if each["namespace"] == namespace]
    models = connection.get(f"/apis/mlops.seldon.io/v1alpha1/namespaces/{namespace}/models", place=_PLACE)["items"]
    return Overview(pods, {each["metadata"]["name"]: each for each in nodes}, mine, models)


def owner_of(pod: dict[str, Any]) -> str:
    """What made a Pod, as a command names it; the Pod itself where nothing did."""
    if server := (pod["metadata"].get("labels") or {}).get(SERVER):
        return _named("server", server)
    for each in pod["metadata"].get("ownerReferences") or ():
        if each.get("controller"):
            hash_ = (pod["metadata"].get("labels") or {}).get(_TEMPLATE_HASH)
            if each["kind"] == "ReplicaSet" and hash_ and each["name"].endswith(f"-{hash_}"):
                return _named("deployment", each["name"].removesuffix(f"-{hash_}"))
            return _named(each["kind"].lower(), each["name"])
    return _named("pod", pod["metadata"]["name"])


def state_of(pod: dict[str, Any]) -> str:
    """One word: pending, starting, loading, ready, stopping, crashing, done or failed."""
    status = pod.get("status") or {}
    if (phase := status.get("phase")) in _OVER:
        return _OVER[phase]
    if "deletionTimestamp" in pod["metadata"]:
        return "stopping"
    if not pod["spec"].get("nodeName"):
        return "pending"
    if is_ready(pod):
        return "ready"
    waits = [(each.get("state") or {}).get("waiting") for each in status.get("containerStatuses") or ()]
    if any(each and each.get("reason") == "CrashLoopBackOff" for each in waits):
        return "crashing"
    return "loading" if phase == "Running" else "starting"


def is_ready(document: dict[str, Any]) -> bool:
    """Whether a Pod or a Node says so."""
    conditions: Iterable[dict[str, Any]] = (document.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _named(kind: str, name: str) -> str:
    return f"{kind}/{name}"


def _model(model: dict[str, Any]) -> tuple[str, ...]:
    status, wanted = model.get("status") or {}, model["spec"].get("replicas", 1)
    state, why = _model_state(model)
    server = str(status.get("selector") or "").removeprefix("server=") or "-"
    return (
        _named("model", model["metadata"]["name"]),
        server,
        f"{status.get('availableReplicas', 0)} of {wanted}",
        state,
        why,
    )


def _model_state(model: dict[str, Any]) -> tuple[str, str]:
    """Its state in one word, and the reason where it is not whole."""
    told: dict[str, str] = next(
        (each for each in (model.get("status") or {}).get("conditions") or () if each["type"] == "ModelReady"), {}
    )
    state, reason = str(told.get("message", "")), str(told.get("reason", ""))
    return state, reason if reason != state else ""


def _waiting(item: dict[str, Any]) -> tuple[str, ...]:
    kind = item["kind"].partition(".")[0].removesuffix("s")
    return f"{kind}/{item['workload']}", str(item["pods"]), item["state"], item["message"] or "it was not tried yet"
