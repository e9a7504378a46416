"""Workers with eight cards, half of them held, and the asks that keep coming: 64 classes, Zipf; every one fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.selector import Selector
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.worker import Worker
from bayplan.placement.asks.ask import Ask, CardRule, CardShape, Taking

CARDS = 8
CLASSES = 64
MODELS = (("H100-SXM5-80GB", 81_920), ("A100-SXM4-80GB", 81_920), ("L40S", 49_152), ("RTX-4090", 24_576))
CUT_MODELS = (("H100-SXM5-80GB", 81_920), ("A100-SXM4-80GB", 81_920))
CUT = MigState(enabled=True, reconfigurable=True)
INSTANCES = ("1g.10gb", "2g.20gb", "3g.40gb")
DEAREST_USD_PER_HOUR = 64.0
MOST_CARBON = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class WorkerFleet:
    """The same workers and bookings for every variant, and the asks in their order of arrival."""

    workers: tuple[Worker, ...]
    bookings: tuple[Booking, ...]
    asks: tuple[Ask, ...]

    def snapshot(self) -> Snapshot:
        return Snapshot.load(self.workers, self.bookings)


@cache
def worker_fleet(size: int, decisions: int, taking: Taking, seed: int = 11) -> WorkerFleet:
    """A fleet of `size` workers; its bookings take cards as `taking` says."""
    chance = np.random.default_rng(seed)
    models, mig = (CUT_MODELS, CUT) if taking is Taking.SLICES else (MODELS, None)
    sets = [
        tuple(Gpu(index, model=model, memory_mib=memory, mig=mig) for index in range(CARDS)) for model, memory in models
    ]
    labels = [FrozenMap({"pool": f"p{number}", "os": "linux"}) for number in range(6)]
    workers, bookings = [], []
    for row in range(size):
        name = f"w{row}"
        workers.append(
            Worker(
                name,
                labels=labels[int(chance.integers(6))],
                cpu_milli=128_000,
                ram_mib=2**20,
                gpus=sets[int(chance.integers(len(sets)))],
                usd_per_hour=round(float(chance.uniform(2.0, DEAREST_USD_PER_HOUR)), 2),
                carbon_g_per_kwh=float(chance.integers(20, 900)),
            )
        )
        for card in np.flatnonzero(chance.random(CARDS) < 0.5).tolist():
            held = _held(chance, card, taking)
            bookings.append(Booking(f"job-{row}-{card}", 0, name, 2_000, 8_192, (held,)))
    return WorkerFleet(tuple(workers), tuple(bookings), _asks(chance, decisions, taking))


def _held(chance: np.random.Generator, card: int, taking: Taking) -> CardBooking:
    if taking is Taking.SLICES:
        return CardBooking(card, mig=MigInstance(INSTANCES[1], 2 * int(chance.integers(0, 3))))
    return CardBooking(card, memory_mib=None if taking is Taking.WHOLE else int(chance.integers(2, 16)) * 1024)


def _asks(chance: np.random.Generator, decisions: int, taking: Taking) -> tuple[Ask, ...]:
    classes = [_class(chance, place, taking) for place in range(CLASSES)]
    odds = 1.0 / np.arange(1, CLASSES + 1)
    return tuple(classes[place] for place in chance.choice(CLASSES, decisions, p=odds / odds.sum()))


def _class(chance: np.random.Generator, place: int, taking: Taking) -> Ask:
    is_whole, is_cut = taking is Taking.WHOLE, taking is Taking.SLICES
    cards = 1 if not is_whole else 4 if place % 16 == 15 else 2 if place % 4 == 3 else 1
    need_mib = 0 if is_whole or is_cut else int(chance.integers(2, 17)) * 256
    models = CUT_MODELS if is_cut else MODELS
    model = models[int(chance.integers(len(models)))][0].split("-")[0] if place % 3 == 0 else None
    pool = f"p{int(chance.integers(6))}" if place % 4 == 1 else None
    return Ask(
        taking=taking,
        shapes=(CardShape(cards, need_mib),),
        rule=CardRule(models=() if model is None else (model,), needs_memory=taking is Taking.SHARE),
        mig=INSTANCES[place % len(INSTANCES)] if is_cut else None,
        cpu_milli=int(chance.integers(1, 5)) * 250,
        ram_mib=int(chance.integers(1, 9)) * 512,
        selector=Selector() if pool is None else Selector.of_labels({"pool": pool}),
    )
