"""Cards of simulated workers break, are repaired and are cut into MIG instances; an annotation of the Node says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cluster.gpu import CardId
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.described_node import described_worker, node_document
from bayplan.manifests.marks import BOOKING, DEVICES, MIG_WANTED, WORKER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.worker import Worker
    from bayplan.control.store import Object

CUDA = "cuda"


def held_cards(pod: Object) -> list[Mapping[str, Any]]:
    """What a Pod holds of cards, as a booking of a Cluster file says it."""
    text = (pod["metadata"].get("annotations") or {}).get(BOOKING)
    return list(orjson.loads(text).get("gpus") or ()) if text else []


def devices(pod: Object) -> list[Mapping[str, Any]]:
    """The cards of a Pod for programs: with the MiB that it gets of each, also where that is a whole card."""
    text = (pod["metadata"].get("annotations") or {}).get(DEVICES)
    return list(orjson.loads(text)) if text else []


def holds_card(pod: Object, card: CardId) -> bool:
    """Whether a Pod uses a card, or a part of it."""
    return any(_card(each) == card for each in held_cards(pod))


def with_health(node: Object, card: CardId, *, healthy: bool) -> Object:
    """The Node with a card that works, or does not."""
    return _changed(node, card, lambda gpu: replace(gpu, healthy=healthy))


def wanted_cuts(node: Object) -> list[Mapping[str, Any]]:
    """What the scheduler wants of the cards of a Node."""
    text = (node["metadata"].get("annotations") or {}).get(MIG_WANTED)
    try:
        found = orjson.loads(text) if text else []
    except orjson.JSONDecodeError:
        return []
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def with_cuts(node: Object, pods: Iterable[Object]) -> tuple[Object, list[str]]:
    """The Node with its cards cut as it is wanted, and why some were not; a card in use is never touched."""
    refused = []
    held = [card for pod in pods for card in held_cards(pod)]
    for cut in wanted_cuts(node):
        card = CardId(str(cut.get("runtime", CUDA)), int(cut.get("index", 0)))
        in_use = [each for each in held if _card(each) == card]
        try:
            node = _changed(node, card, lambda gpu, cut=cut, in_use=in_use: _cut(gpu, cut, in_use))  # type: ignore[misc]
        except InputError as error:
            refused.append(f"{card} cannot be cut: {error}")
    annotations = {key: value for key, value in node["metadata"]["annotations"].items() if key != MIG_WANTED}
    return {**node, "metadata": {**node["metadata"], "annotations": annotations}}, refused


def _cut(gpu: Gpu, cut: Mapping[str, Any], in_use: list[Mapping[str, Any]]) -> Gpu:
    state = gpu.mig or MigState(enabled=False)
    if cut.get("enable") and in_use:
        raise InputError("it is in use as a whole", next="wait until it is idle")
    removed, created = _instances(cut.get("remove")), _instances(cut.get("create"))
    used = {_instance(each["mig"]) for each in in_use if each.get("mig")}
    if lost := used & set(removed):
        raise InputError(f"{next(iter(lost))} is in use", next="wait until it is idle")
    kept = [each for each in state.slices if each not in removed]
    new = [each for each in created if each not in kept]
    return replace(gpu, mig=replace(state, enabled=True, slices=(*kept, *new)))


def _changed(node: Object, card: CardId, change: Callable[[Gpu], Gpu]) -> Object:
    """The Node with one card changed; as it is where it has no such card."""
    worker = _worker(node)
    if worker is None or worker.gpu(card) is None:
        return node
    gpus = tuple(change(gpu) if gpu.card == card else gpu for gpu in worker.gpus)
    text = node_document(replace(worker, gpus=gpus), "")["metadata"]["annotations"][WORKER]
    annotations = {**node["metadata"]["annotations"], WORKER: text}
    return {**node, "metadata": {**node["metadata"], "annotations": annotations}}


def _worker(node: Object) -> Worker | None:
    text = (node["metadata"].get("annotations") or {}).get(WORKER)
    return described_worker(text, node["metadata"]["name"], WorkerStatus.READY, {}, ()) if text else None


def _card(held: Mapping[str, Any]) -> CardId | None:
    index = held.get("index")
    return None if index is None else CardId(str(held.get("runtime", CUDA)), int(index))


def _instances(listed: Any) -> list[MigInstance]:
    return [_instance(each) for each in listed or ()]


def _instance(told: Mapping[str, Any]) -> MigInstance:
    return MigInstance(str(told["profile"]), told.get("start"))
