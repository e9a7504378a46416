"""What simulated workers measure: worked out when somebody looks, so that heartbeats cost nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bayplan.sim.fleet.cards import CUDA, devices
from bayplan.sim.fleet.pace import drawn
from bayplan.sim.fleet.replica import CardsInUse, Stage, ends_by_itself

if TYPE_CHECKING:
    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.store import Object
    from bayplan.sim.fleet.replica import Replica
    from bayplan.sim.fleet.scenario import Usage
    from bayplan.sim.fleet.worker import SimulatedWorker

_LOADING_PERCENT = 5.0
_BANDWIDTH_OF_GPU = 0.6  # a card that computes all the time reads and writes its memory for this part of it
_CPU_OF_GPU = 0.3  # of a machine whose cards are all busy, so much of the CPU is too


class Measurements(Mapping[str, Any]):
    """The use of one worker at the time it is read: `cpuPercent`, and `gpus` with an entry for each card in use.

    Servers measure a steady use; work with an end goes up and down, as training does between its steps.
    """

    def __init__(self, worker: SimulatedWorker, cache: Cache, clock: Clock, usage: Usage, seed: int) -> None:
        self._worker, self._cache, self._clock, self._usage, self._seed = worker, cache, clock, usage, seed
        self._known: tuple[float, dict[str, Any]] = (-1.0, {})

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __getitem__(self, key: str) -> Any:
        return self._now()[key]

    def _now(self) -> dict[str, Any]:
        """Everything at this moment; a caller that needs several parts asks once."""
        now_s = self._clock()
        if self._known[0] != now_s:
            cards = self._cards(now_s)
            mean = sum(each["gpuPercent"] for each in cards) / len(cards) if cards else 0.0
            self._known = now_s, {"cpuPercent": round(_CPU_OF_GPU * mean, 1), "gpus": cards}
        return self._known[1]

    def _cards(self, now_s: float) -> list[dict[str, Any]]:
        found: dict[tuple[str, int], dict[str, Any]] = {}
        for replica in self._worker.replicas.values():
            used = self._used(replica) if replica.runs else None
            if used is None:
                continue
            percent = self._percent(replica, used, now_s)
            for card, mib in used.cards:
                known = found.get(card)
                before = 0.0 if known is None else known["gpuPercent"]
                sum_ = min(100.0, before + percent)
                found[card] = {
                    "runtime": card[0],
                    "index": card[1],
                    "gpuPercent": sum_,
                    "memoryBandwidthPercent": round(_BANDWIDTH_OF_GPU * sum_, 1),
                    "memoryUsed": mib if known is None else known["memoryUsed"] + mib,
                    "processes": 1 if known is None else known["processes"] + 1,
                }
        return list(found.values())

    def _percent(self, replica: Replica, used: CardsInUse, now_s: float) -> float:
        if replica.stage is Stage.LOADING:
            return _LOADING_PERCENT
        if not used.cyclic:
            return used.percent
        usage = self._usage
        turn = (now_s - replica.began_s) / usage.period_s + used.chance
        swung = used.percent + usage.swing_percent * math.sin(2.0 * math.pi * turn)
        return round(min(100.0, max(0.0, swung)), 1)

    def _used(self, replica: Replica) -> CardsInUse | None:
        """What a replica uses; its Pod says so once and for all."""
        if replica.used is None and (pod := self._cache.get(replica.key)) is not None:
            chance = drawn(self._seed, replica.uid)
            percent = round(min(100.0, self._usage.gpu_percent * (0.9 + 0.2 * chance)), 1)
            replica.used = CardsInUse(_cards_of(pod), percent, chance, ends_by_itself(pod))
        return replica.used


def _cards_of(pod: Object) -> tuple[tuple[tuple[str, int], int], ...]:
    """The cards of a Pod with the MiB of each; instances whose card is not known are left out."""
    return tuple(
        ((str(each.get("runtime", CUDA)), int(each["index"])), int(each.get("memory_mib") or 0))
        for each in devices(pod)
        if each.get("index") is not None
    )
