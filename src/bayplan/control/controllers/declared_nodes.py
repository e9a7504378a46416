"""Nodes of a Cluster's workers: what the Cluster says is changed, what others say of the same Node stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.controllers.references import controlled_by
from bayplan.library.status.documents import part
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.marks import DECLARED, RUNTIME, WORKER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.worker import Worker
    from bayplan.control.store import Object


@dataclass(frozen=True, slots=True)
class DeclaredNode:
    """The Node of one worker as its Cluster declares it; `text` is the whole declaration, to be compared."""

    document: Object
    text: str

    @classmethod
    def of(cls, cluster: Mapping[str, Any], worker: Worker, runtime: str) -> DeclaredNode:
        """A worker may name another runtime by its label."""
        document = node_document(worker, worker.labels.get(RUNTIME, runtime))
        metadata, spec, status = document["metadata"], document["spec"], document["status"]
        told = {
            "labels": metadata["labels"],
            "taints": spec.get("taints", []),
            "unschedulable": spec.get("unschedulable", False),
            "ready": status["conditions"][0]["status"],
            "worker": metadata["annotations"][WORKER],
        }
        text = orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()
        metadata["annotations"][DECLARED] = text
        metadata["ownerReferences"] = controlled_by(cluster)
        return cls(document, text)

    @property
    def name(self) -> str:
        return str(self.document["metadata"]["name"])

    def holds(self, node: Mapping[str, Any]) -> bool:
        """Whether the Node was made from just this declaration."""
        return bool(part(node, "metadata", "annotations").get(DECLARED) == self.text)

    def applied(self, live: Object) -> Object:
        """The Node with what changed since the last declaration; `kubectl label`, `taint` and `cordon` are kept."""
        before, now = declaration_of(live), orjson.loads(self.text)
        metadata, spec = live["metadata"], live.setdefault("spec", {})
        labels = {key: value for key, value in part(metadata, "labels").items() if key not in before.get("labels", {})}
        metadata["labels"] = {**labels, **now["labels"]}
        others = [each for each in spec.get("taints") or () if each not in before.get("taints", [])]
        taints = [*others, *(each for each in now["taints"] if each not in others)]
        _set(spec, "taints", taints)
        if before.get("unschedulable", False) != now["unschedulable"]:
            _set(spec, "unschedulable", now["unschedulable"])
        metadata["annotations"] = {**part(metadata, "annotations"), WORKER: now["worker"], DECLARED: self.text}
        return live

    def with_status(self, live: Object, before: Mapping[str, Any], now: str) -> Object:
        """The Node with the amounts of the declaration, and with its readiness where that was declared anew."""
        status, told = part(live, "status"), self.document["status"]
        new = {**status, "capacity": told["capacity"], "allocatable": told["allocatable"]}
        ready = told["conditions"][0]
        if before.get("ready") != ready["status"]:
            others = [each for each in status.get("conditions") or () if each.get("type") != "Ready"]
            new["conditions"] = [*others, {**ready, "lastTransitionTime": now}]
        return {**live, "status": new}


def declaration_of(node: Mapping[str, Any]) -> dict[str, Any]:
    """The declaration that a Node was last made from."""
    text = part(node, "metadata", "annotations").get(DECLARED)
    try:
        found = orjson.loads(text) if isinstance(text, str) else {}
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _set(holder: Object, key: str, value: Any) -> None:
    if value:
        holder[key] = value
    else:
        holder.pop(key, None)
