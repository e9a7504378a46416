"""The profiler loop: what workers measure becomes annotations of their Nodes, and maxima by image and GPU model."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cluster.worker import WorkerStatus
from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.bound_pods import is_over
from bayplan.control.nodes.card_windows import WorkerWindows, find_patterns
from bayplan.control.nodes.maxima import Maxima
from bayplan.control.nodes.profile_text import differs, profile_annotations, without_ours
from bayplan.control.nodes.settings import NodeSettings
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError, StoreError
from bayplan.framework.errors import BayplanError
from bayplan.manifests.inventory.described_node import described_worker
from bayplan.manifests.inventory.profiler import RUNTIME
from bayplan.manifests.marks import DEVICES, WORKER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.gpu import Gpu
    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.nodes.bound_pods import BoundPods
    from bayplan.control.nodes.heartbeats import Heartbeats
    from bayplan.control.store import Object, Store

    Holder = tuple[Object, int]

_SAMPLED, _COMPARED = 16, 4  # workers that are looked at before other tasks get their turn: two milliseconds of work
MOST_WRITES = 200
"""Nodes that are written in one round, those first that were written longest ago: each change of a Node costs the
scheduler some time too."""

_log = logging.getLogger("bayplan.control.nodes")


class Profiler:
    """Looks at what heartbeats bring, and writes what changed."""

    collections = (NODES, PODS)

    def __init__(
        self,
        store: Store,
        cache: Cache,
        clock: Clock,
        *,
        heartbeats: Heartbeats,
        pods: BoundPods,
        maxima: Maxima | None = None,
        settings: NodeSettings | None = None,
    ) -> None:
        self._store, self._cache, self._heartbeats, self._pods = store, cache, heartbeats, pods
        self._settings = settings or NodeSettings()
        self.maxima = maxima or Maxima(store, clock)
        self._windows: dict[str, WorkerWindows] = {}
        self._waiting: dict[str, None] = {}  # Nodes that did not get their turn to be written, in order
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="profiler")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        await self.maxima.load()
        rounds = max(1, round(self._settings.profile_s / self._settings.sample_s))
        number = 0
        while True:
            await asyncio.sleep(self._settings.sample_s)
            number += 1
            try:
                await self.sample()
                if number % rounds == 0:
                    await self.write()
            except StoreError as error:
                _log.warning("the profiles are not written: %s", error)

    async def sample(self) -> None:
        """Take in what every worker measured last."""
        measured = list(self._heartbeats.measured())
        known = {name for name, _ in measured}
        for name in self._windows.keys() - known:
            del self._windows[name]
        for number, (name, told) in enumerate(measured):
            self._windows.setdefault(name, WorkerWindows()).add(told, self._settings.sample_s)
            if number % _SAMPLED == 0:
                await asyncio.sleep(0)

    async def write(self) -> None:
        """Write the annotations that changed, and the maxima."""
        changed: dict[str, dict[str, str]] = {}
        names = list(self._windows)
        for start in range(0, len(names), _COMPARED):
            part = {name: self._windows[name] for name in names[start : start + _COMPARED] if name in self._windows}
            find_patterns(card for windows in part.values() for card in windows.cards.values())
            for name, windows in part.items():
                self._compare(name, windows, changed)
            await asyncio.sleep(0)
        await self._write_some(changed)
        await self.maxima.save()

    def _compare(self, name: str, windows: WorkerWindows, changed: dict[str, dict[str, str]]) -> None:
        node = self._cache.get(Key(NODES, "", name))
        if node is not None:
            new = self._profile(name, node, windows)
            if differs(node["metadata"].get("annotations") or {}, new):
                changed[name] = new

    async def _write_some(self, changed: Mapping[str, dict[str, str]]) -> None:
        waited = [name for name in self._waiting if name in changed]
        order = [*waited, *(name for name in changed if name not in self._waiting)]
        self._waiting = dict.fromkeys(order[MOST_WRITES:])
        await asyncio.gather(*(self._annotate(name, changed[name]) for name in order[:MOST_WRITES]))

    async def _annotate(self, name: str, new: Mapping[str, str]) -> None:
        def annotated(live: Object) -> Object:
            metadata = live["metadata"]
            kept = without_ours(metadata.get("annotations") or {})
            return {**live, "metadata": {**metadata, "annotations": {**kept, **new}}}

        try:
            await self._store.patch(Key(NODES, "", name), annotated)
        except NotFoundError:
            return

    def _profile(self, name: str, node: Object, windows: WorkerWindows) -> dict[str, str]:
        gpus = _gpus(node)
        holders = self._holders(name)
        self._note(gpus, holders, windows)
        held = {index: sum(memory for _, memory in listed) for index, listed in holders.items()}
        return profile_annotations(gpus, windows, held)

    def _holders(self, name: str) -> Mapping[int, list[Holder]]:
        """The Pods on each card, with the memory that they hold of it."""
        found: dict[int, list[Holder]] = defaultdict(list)
        for _, pod in self._pods.of(name):
            if is_over(pod):
                continue
            for each in _devices(pod):
                index, memory = each.get("index"), each.get("memory_mib")
                if isinstance(index, int) and (each.get("runtime") or RUNTIME) == RUNTIME:
                    found[index].append((pod, memory if isinstance(memory, int) else 0))
        return found

    def _note(self, gpus: Sequence[Gpu], holders: Mapping[int, list[Holder]], windows: WorkerWindows) -> None:
        """Cards that one Pod has for itself tell what such Pods take."""
        for gpu in gpus:
            window, listed = windows.cards.get((gpu.runtime, gpu.index)), holders.get(gpu.index, [])
            if window is not None and gpu.model and len(listed) == 1:
                self.maxima.note(listed[0][0], gpu.model, window.most_percent, window.memory_mib)


def _gpus(node: Object) -> Sequence[Gpu]:
    text = (node["metadata"].get("annotations") or {}).get(WORKER)
    if not text:
        return ()
    try:
        return described_worker(text, node["metadata"]["name"], WorkerStatus.READY, {}, ()).gpus
    except BayplanError:
        return ()


def _devices(pod: Object) -> list[dict[str, Any]]:
    try:
        listed = orjson.loads((pod["metadata"].get("annotations") or {}).get(DEVICES) or "[]")
    except orjson.JSONDecodeError:
        return []
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
