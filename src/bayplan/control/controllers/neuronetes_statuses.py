"""Statuses of Models, AgentClasses and ToolBindings of NeuroNetes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import AGENT_CLASSES, AGENT_POOLS, MODELS, TOOL_BINDINGS
from bayplan.control.controllers.agent_pools import MODEL_LABEL, class_key
from bayplan.control.controllers.references import key_of
from bayplan.control.controllers.status_controller import StatusController, StatusKind
from bayplan.control.controllers.wish import label_value
from bayplan.control.store import Key
from bayplan.library.status.agent_class import agent_class_status
from bayplan.library.status.documents import part
from bayplan.library.status.model import FAILED, LOADING, READY, best, model_status
from bayplan.library.status.tool_binding import tool_binding_status

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.node_facts import KnownNodes
    from bayplan.control.controllers.owned_pods import OwnedPods
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Collection, Object


def model_controller(world: World, nodes: KnownNodes) -> StatusController:
    """The loop for Models: caches of Nodes, and Pods of pools that serve the model."""
    cache, pods = world.cache, world.pods

    def status(model: Object, now: float) -> Object:
        metadata = model["metadata"]
        found: dict[str, list[str]] = {each: [READY] for each in nodes.with_model(metadata["name"])}
        for pool in cache.all(AGENT_POOLS, metadata["namespace"]):
            for worker, word in _served(pods, pool, label_value(metadata["name"])):
                found.setdefault(worker, []).append(word)
        return model_status(model, {worker: best(words) for worker, words in found.items()}, now)

    made = StatusController(StatusKind(MODELS, status), world)

    def cached(models: frozenset[str]) -> None:
        for each in cache.all(MODELS):
            if each["metadata"]["name"] in models:
                made.add(key_of(MODELS, each))

    def pool_changed(pool: Key) -> None:
        found = cache.get(pool)
        owner = None if found is None else cache.get(class_key(found))
        name = part(owner or {}, "spec", "modelRef").get("name")
        _add(made, world, Key(MODELS, pool.namespace, str(name or "")))

    nodes.listen(cached)
    pods.listen(AGENT_POOLS, pool_changed)
    return made


def _served(pods: OwnedPods, pool: Object, model: str) -> list[tuple[str, str]]:
    """Workers on which Pods of a pool have the model, or load it."""
    found = []
    for pod, facts in pods.of(pool["metadata"]["uid"]).chosen(lambda facts: facts.bound):
        if part(pod, "metadata", "labels").get(MODEL_LABEL) == model:
            word = READY if facts.ready else FAILED if facts.fails else LOADING
            found.append((pod["spec"]["nodeName"], word))
    return found


def agent_class_controller(world: World) -> StatusController:
    """The loop for AgentClasses."""
    cache = world.cache

    def status(owner: Object, now: float) -> Object:
        metadata = owner["metadata"]
        reference = part(owner, "spec", "modelRef")
        name = str(reference.get("name") or "")
        key = Key(MODELS, str(reference.get("namespace") or metadata["namespace"]), name)
        this = key_of(AGENT_CLASSES, owner)
        pools = sum(class_key(each) == this for each in cache.all(AGENT_POOLS))
        return agent_class_status(owner, name, bool(name) and cache.get(key) is not None, pools, now)

    made = StatusController(StatusKind(AGENT_CLASSES, status), world)
    _wake_all(world, MODELS, made, AGENT_CLASSES)

    def pool_seen(seen: Seen) -> None:
        for each in (seen.old, seen.new):
            if each is not None and (seen.old is None or seen.new is None or _moved(seen)):
                _add(made, world, class_key(each))

    cache.listen(AGENT_POOLS, pool_seen)
    return made


def _moved(seen: Seen) -> bool:
    return seen.old is not None and seen.new is not None and class_key(seen.old) != class_key(seen.new)


def tool_binding_controller(world: World) -> StatusController:
    """The loop for ToolBindings."""
    cache = world.cache

    def status(binding: Object, now: float) -> Object:
        key = pool_key(binding)
        return tool_binding_status(binding, key.name, cache.get(key) if key.name else None, now)

    made = StatusController(StatusKind(TOOL_BINDINGS, status), world)

    def pool_seen(seen: Seen) -> None:
        for each in cache.all(TOOL_BINDINGS):
            if pool_key(each) == seen.key:
                made.add(key_of(TOOL_BINDINGS, each))

    cache.listen(AGENT_POOLS, pool_seen)
    return made


def pool_key(binding: Object) -> Key:
    """The AgentPool that a binding refers to."""
    reference = part(binding, "spec", "agentPoolRef")
    namespace = reference.get("namespace") or binding["metadata"]["namespace"]
    return Key(AGENT_POOLS, str(namespace), str(reference.get("name") or ""))


def _wake_all(world: World, of: Collection, made: StatusController, woken: Collection) -> None:
    """Look at all objects of a collection when one of another comes or goes."""
    wake: Callable[[Key], None] = made.add

    def seen(change: Seen) -> None:
        if change.old is None or change.new is None:
            for each in world.cache.all(woken):
                wake(key_of(woken, each))

    world.cache.listen(of, seen)


def _add(controller: StatusController, world: World, key: Key) -> None:
    if world.cache.get(key) is not None:
        controller.add(key)
