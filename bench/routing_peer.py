"""The same choice over plain objects, written out by hand: no plugins, no configuration, no explanation."""

from __future__ import annotations

from random import Random

MOST_WAITING = 48
MOST_USAGE = 0.95
TIERS = frozenset(("gold", "silver"))
DECODING = frozenset(("", "decode", "prefill-decode", "both", "encode-prefill-decode"))
QUEUE_THRESHOLD = 128
WEIGHTS = {
    "queue-scorer": 2.0,
    "kv-cache-utilization-scorer": 2.0,
    "running-requests-size-scorer": 1.0,
    "lora-affinity-scorer": 1.0,
    "load-aware-scorer": 1.0,
}
_QUEUE, _USAGE, _RUNNING, _LORA, _LOAD = WEIGHTS.values()


class PlainEndpoint:
    """One endpoint as an object with slots."""

    __slots__ = ("adapters", "inflight", "role", "running", "tier", "usage", "waiting")

    def __init__(self, chance: Random, number: int) -> None:
        self.tier = "iron" if number % 5 == 4 else chance.choice(("gold", "silver"))
        self.role = ""
        self.waiting = chance.randrange(20)
        self.running = chance.randrange(40)
        self.usage = round(chance.random() * 0.9, 3)
        self.adapters = frozenset(f"adapter-{chance.randrange(8)}" for _ in range(chance.randrange(6)))
        self.inflight = 0


def endpoints(count: int) -> list[PlainEndpoint]:
    """The endpoints of the benchmark; the router is told the same figures."""
    chance = Random(count)
    return [PlainEndpoint(chance, number) for number in range(count)]


def choose_and_reserve(candidates: list[PlainEndpoint], model: str) -> PlainEndpoint | None:
    """Three filters, five scorers, the best, and a reservation that the next request sees."""
    left = [
        each
        for each in candidates
        if each.role in DECODING and each.tier in TIERS and each.waiting <= MOST_WAITING and each.usage <= MOST_USAGE
    ]
    if not left:
        return None
    fewest, most = min(each.waiting for each in left), max(each.waiting for each in left)
    least, largest = min(each.running for each in left), max(each.running for each in left)
    best, chosen = -1.0, left[0]
    for each in left:
        total = _QUEUE * ((most - each.waiting) / (most - fewest) if most > fewest else 1.0)
        total += _USAGE * (1.0 - each.usage)
        total += _RUNNING * ((largest - each.running) / (largest - least) if largest > least else 1.0)
        total += _LORA * (1.0 if model in each.adapters else 0.8 if len(each.adapters) < 4 else 0.0)
        total += _LOAD * 0.5 * (1.0 - min(each.waiting, QUEUE_THRESHOLD) / QUEUE_THRESHOLD)
        if total > best:
            best, chosen = total, each
    chosen.waiting += 1
    chosen.inflight += 1
    return chosen
