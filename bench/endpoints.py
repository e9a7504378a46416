"""The routing-like cycle of the benchmark: a few dozen endpoints in lists, and every request a new ask."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Profile, Weighted
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.twins import Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.framework.outcome import Outcome
    from bayplan.framework.rows import Rows

MOST_WAITING = 48
MOST_KV_USAGE = 0.95
MOST_RUNNING = 64
MODELS = 8
WEIGHTS = {"queue": 2.0, "kv-cache": 2.0, "prefix": 3.0, "running": 1.0, "latency": 1.0}


@dataclass(frozen=True, slots=True)
class Request:
    """What a request asks for; the identity makes each one a class of its own."""

    uid: int
    model: int
    tokens: int
    target_s: float


def serves(model: int, models: frozenset[int]) -> bool:
    return model in models


def is_short(waiting: int) -> bool:
    return waiting < MOST_WAITING


def has_room(usage: float) -> bool:
    return usage < MOST_KV_USAGE


def cache_left(usage: float) -> float:
    return 1.0 - usage


def known_part(tokens: int, known: int) -> float:
    return known / tokens if known < tokens else 1.0


def idle_part(running: int) -> float:
    return 1.0 - running / MOST_RUNNING


def quickness(target_s: float, latency_s: float) -> float:
    return target_s / (target_s + latency_s)


SHORT_QUEUE, ROOM_LEFT, CACHE_LEFT, IDLE_PART = Twin(is_short), Twin(has_room), Twin(cache_left), Twin(idle_part)


class Serves:
    name = "serves"
    reads = ("models",)

    def mask(self, ask: Request, rows: Rows, cycle: Any) -> list[bool]:
        model = ask.model
        return [model in models for models in rows.models]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return Twin(serves, (ask.model,))


class QueueLimit:
    name = "queue-limit"
    reads = ("waiting",)

    def mask(self, ask: Request, rows: Rows, cycle: Any) -> list[bool]:
        return [waiting < MOST_WAITING for waiting in rows.waiting]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return SHORT_QUEUE


class KvLimit:
    name = "kv-limit"
    reads = ("kv_usage",)

    def mask(self, ask: Request, rows: Rows, cycle: Any) -> list[bool]:
        return [usage < MOST_KV_USAGE for usage in rows.kv_usage]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return ROOM_LEFT


class Queue:
    """The shortest queue among those that are left gets 1, the longest 0."""

    name = "queue"
    reads = ("waiting",)
    depends = Depends.TABLE

    def score(self, ask: Request, rows: Rows, cycle: Any) -> list[float]:
        least, most = min(rows.waiting), max(rows.waiting)
        if least == most:
            return [1.0] * len(rows.waiting)
        span = most - least
        return [(most - waiting) / span for waiting in rows.waiting]


class KvCache:
    name = "kv-cache"
    reads = ("kv_usage",)

    def score(self, ask: Request, rows: Rows, cycle: Any) -> list[float]:
        return [1.0 - usage for usage in rows.kv_usage]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return CACHE_LEFT


class Prefix:
    name = "prefix"
    reads = ("prefix_tokens",)

    def score(self, ask: Request, rows: Rows, cycle: Any) -> list[float]:
        tokens = ask.tokens
        return [known / tokens if known < tokens else 1.0 for known in rows.prefix_tokens]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return Twin(known_part, (ask.tokens,))


class Running:
    name = "running"
    reads = ("running",)

    def score(self, ask: Request, rows: Rows, cycle: Any) -> list[float]:
        return [1.0 - running / MOST_RUNNING for running in rows.running]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return IDLE_PART


class Latency:
    name = "latency"
    reads = ("latency_s",)

    def score(self, ask: Request, rows: Rows, cycle: Any) -> list[float]:
        target_s = ask.target_s
        return [target_s / (target_s + latency_s) for latency_s in rows.latency_s]

    def twin(self, ask: Request, shared: Any) -> Twin:
        return Twin(quickness, (ask.target_s,))


def columns(rows: int) -> dict[str, list[Any]]:
    """Endpoints, of which one in eight or so is refused."""
    chance = Random(rows)
    return {
        "models": [frozenset(chance.sample(range(MODELS), MODELS - 1)) for _ in range(rows)],
        "waiting": [chance.randrange(MOST_WAITING + 2) for _ in range(rows)],
        "kv_usage": [round(chance.random(), 3) for _ in range(rows)],
        "prefix_tokens": [chance.randrange(4096) for _ in range(rows)],
        "running": [chance.randrange(MOST_RUNNING + 1) for _ in range(rows)],
        "latency_s": [round(chance.uniform(0.01, 2.0), 4) for _ in range(rows)],
    }


def requests(count: int) -> list[Request]:
    chance = Random(count)
    return [Request(uid, chance.randrange(MODELS), chance.randrange(64, 8192), 0.5) for uid in range(count)]


def router(rows: int, *, twins: bool = True) -> Scheduler:
    """A scheduler over that many endpoints; without twins every plugin is called."""
    state = columns(rows)
    table = ListTable(static={"models": state.pop("models")}, state=state)
    filters: list[Any] = [Serves(), QueueLimit(), KvLimit()]
    scorers: list[Any] = [Queue(), KvCache(), Prefix(), Running(), Latency()]
    if not twins:
        filters, scorers = [_twinless(each) for each in filters], [_twinless(each) for each in scorers]
    weighted = tuple(Weighted(scorer, WEIGHTS[scorer.name]) for scorer in scorers)
    return Scheduler([Profile("default", MaxScore(), tuple(filters), weighted)], SingleProfile(), table=table)


def _twinless(plugin: Any) -> Any:
    kept = ("name", "reads", "depends", "mask", "score")
    return SimpleNamespace(**{name: getattr(plugin, name) for name in kept if hasattr(plugin, name)})


def routed(rows: int, asked: Sequence[Request], *, new: bool = False, twins: bool = True) -> Callable[[], list[int]]:
    """The endpoints of all requests, one after the other, over one table or each over a new one."""
    schedule, state = router(rows, twins=twins).schedule, columns(rows)
    static, keys = {"models": state.pop("models")}, [f"endpoint-{row}" for row in range(rows)]

    def kept() -> list[int]:
        return [_picked(schedule(request)) for request in asked]

    def over_new_tables() -> list[int]:
        return [_picked(schedule(each, table=ListTable(static=static, state=state, keys=keys))) for each in asked]

    return over_new_tables if new else kept


def _picked(outcome: Outcome) -> int:
    return outcome.picked[0].row if outcome.ok else -1


class Endpoint:
    """One endpoint as an object."""

    __slots__ = ("kv_usage", "latency_s", "models", "prefix_tokens", "running", "waiting")


def endpoints(rows: int) -> list[Endpoint]:
    made = [Endpoint() for _ in range(rows)]
    for name, column in columns(rows).items():
        for endpoint, value in zip(made, column, strict=True):
            setattr(endpoint, name, value)
    return made


def choose(candidates: list[Endpoint], request: Request) -> int:
    """The same choice over objects, written out by hand: no plugins, no checks, no parts."""
    left = [
        (place, each)
        for place, each in enumerate(candidates)
        if request.model in each.models and each.waiting < MOST_WAITING and each.kv_usage < MOST_KV_USAGE
    ]
    if not left:
        return -1
    least, most = min(each.waiting for _, each in left), max(each.waiting for _, each in left)
    best, best_place = -1.0, -1
    for place, each in left:
        known = each.prefix_tokens
        total = WEIGHTS["kv-cache"] * (1.0 - each.kv_usage)
        total += WEIGHTS["prefix"] * (known / request.tokens if known < request.tokens else 1.0)
        total += WEIGHTS["running"] * (1.0 - each.running / MOST_RUNNING)
        total += WEIGHTS["latency"] * (request.target_s / (request.target_s + each.latency_s))
        total += WEIGHTS["queue"] * ((most - each.waiting) / (most - least) if most > least else 1.0)
        if total > best:
            best, best_place = total, place
    return best_place
