"""The most that each image took of each model of GPU, remembered over restarts: what a trial run would tell."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from bayplan.cluster.workload import DryRun
from bayplan.control.clock import moment_text
from bayplan.control.collections import CONFIG_MAPS
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError
from bayplan.manifests.marks import MODEL

if TYPE_CHECKING:
    from bayplan.control.clock import Clock
    from bayplan.control.store import Object, Store

KEY = Key(CONFIG_MAPS, "kube-system", "bayplan-profiles")
MOST = 1000
"""Images and GPU models that are remembered, the latest; an object holds about ten times as many bytes."""
_STEP = 1.05  # a larger maximum is worth a write from this factor on


class Kind(NamedTuple):
    """What is compared: Pods of one image that serve one model, on one model of GPU."""

    image: str
    model: str
    gpu: str


@dataclass(slots=True)
class _Most:
    gpu_percent: float = 0.0
    memory_mib: int = 0
    seen: str = ""


class Maxima:
    """Remembers maxima; `dry_runs` tells them for a Pod."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._known: OrderedDict[Kind, _Most] = OrderedDict()
        self._changed = False

    async def load(self) -> None:
        """Read what was remembered; what cannot be read is forgotten."""
        try:
            data = (await self._store.get(KEY)).document().get("data") or {}
        except NotFoundError:
            return
        for text in data.values():
            entry = _entry(text)
            if entry is not None:
                self._known.setdefault(*entry)

    def note(self, pod: Object, gpu: str, percent: float | None, memory_mib: int | None) -> None:
        """A Pod was seen to take this much of a card that it has for itself."""
        kind = Kind(*kind_of(pod), gpu)
        most = self._known.get(kind)
        if most is None:
            most = self._known[kind] = _Most()
        self._known.move_to_end(kind)
        if (percent or 0.0) > most.gpu_percent * _STEP or (memory_mib or 0) > most.memory_mib * _STEP:
            most.gpu_percent = max(most.gpu_percent, percent or 0.0)
            most.memory_mib = max(most.memory_mib, memory_mib or 0)
            most.seen = moment_text(self._clock())
            self._changed = True
        while len(self._known) > MOST:
            self._known.popitem(last=False)
            self._changed = True

    def dry_runs(self, pod: Object) -> tuple[DryRun, ...]:
        """What Pods of the same image and model took, for each model of GPU that they were seen on."""
        image, model = kind_of(pod)
        return tuple(
            DryRun(kind.gpu, most.gpu_percent or None, most.memory_mib or None)
            for kind, most in self._known.items()
            if (kind.image, kind.model) == (image, model)
        )

    async def save(self) -> None:
        """Write what is new."""
        if not self._changed:
            return
        self._changed = False
        data = {f"{number:04d}": _text(*each) for number, each in enumerate(self._known.items())}
        metadata = {"name": KEY.name, "namespace": KEY.namespace}
        document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        try:
            await self._store.patch(KEY, lambda live: {**live, "data": data})
        except NotFoundError:
            await self._store.create(KEY.collection, document)


def kind_of(pod: Object) -> tuple[str, str]:
    """The image of the first container, and the model that the Pod serves; empty where it does not say."""
    containers = (pod.get("spec") or {}).get("containers") or [{}]
    model = (pod["metadata"].get("annotations") or {}).get(MODEL, "")
    return str(containers[0].get("image", "")), str(model)


def _text(kind: Kind, most: _Most) -> str:
    amounts = {"gpuPercent": most.gpu_percent, "memory": most.memory_mib, "seen": most.seen}
    return orjson.dumps({**kind._asdict(), **amounts}).decode()


def _entry(text: object) -> tuple[Kind, _Most] | None:
    try:
        entry: Any = orjson.loads(str(text))
        kind = Kind(str(entry["image"]), str(entry["model"]), str(entry["gpu"]))
        return kind, _Most(float(entry["gpuPercent"]), int(entry["memory"]), str(entry["seen"]))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        return None
