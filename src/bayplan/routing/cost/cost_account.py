"""The account of a pool: what was sent to which engine, and what another request would cost there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bayplan.routing.cost.engine_account import EngineLoad
from bayplan.routing.cost.rate import agree
from bayplan.routing.prefix.approximate_index import ApproximateIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.routing.cost.prompt_work import Work
    from bayplan.routing.cost.settings import CostSettings
    from bayplan.routing.prefix.block_hashes import Chain


class PromptIndex(Protocol):
    """Which blocks of prompts an engine is believed to hold; `ApproximateIndex` is one."""

    capacity: int

    def matched(self, chain: Chain) -> int:
        """How many blocks of a prompt are held from the first on."""
        ...

    def add(self, chain: Chain, now: float) -> None:
        """A prompt was sent to the engine."""

    def shrink(self, capacity: int) -> None:
        """Hold so many blocks from now on."""


class Engine:
    """One engine in the eyes of one router: its load, which others may share, and the blocks sent to it from here."""

    __slots__ = ("index", "load", "name")

    def __init__(self, name: str, load: EngineLoad, index: PromptIndex) -> None:
        self.name = name
        self.load = load
        self.index = index

    def uncached_tokens(self, work: Work) -> int:
        """Tokens of the request that the engine has to compute."""
        chains, matched = work.chains, self.index.matched
        blocks = matched(chains[0]) if len(chains) == 1 else sum(map(matched, chains))
        return work.prompt_tokens - blocks * work.block_tokens


class CostAccount:
    """Keeps the account itself and needs no metrics of engines, so old metrics cannot mislead it.

    Engines are made when they are first named. Several accounts of one pool in one process may share their loads
    (`join`); accounts that do not see each other's loads send to the same idle engine at once.
    """

    def __init__(
        self,
        settings: CostSettings,
        *,
        index: Callable[[int, int], PromptIndex] = ApproximateIndex,
    ) -> None:
        self.settings = settings
        self._loads: dict[str, EngineLoad] = {}
        self._index = index
        self._engines: dict[str, Engine] = {}
        self._sent_to: dict[str, Engine] = {}
        self.losses = 0  # engines that are gone: who keeps engines has to look them up again

    def join(self, other: CostAccount) -> None:
        """See the loads of another account of the pool, and let it see these; before anything is sent."""
        self._loads = other._loads
        for name, engine in self._engines.items():
            engine.load = self._loads.setdefault(name, engine.load)

    def engine(self, name: str) -> Engine:
        """An engine by name; it is made where it is new."""
        found = self._engines.get(name)
        if found is None:
            settings = self.settings
            load = self._loads.setdefault(name, EngineLoad(settings))
            index = self._index(settings.block_tokens, settings.default_capacity_tokens // settings.block_tokens)
            found = self._engines[name] = Engine(name, load, index)
        return found

    def resize(self, name: str, capacity_tokens: int) -> None:
        """How many tokens an engine's cache holds: as many blocks are remembered."""
        capacity, index = capacity_tokens // self.settings.block_tokens, self.engine(name).index
        if capacity != index.capacity:
            index.shrink(capacity)

    def knows(self, id_: str) -> bool:
        """Whether a request is in flight."""
        return id_ in self._sent_to

    def send(self, work: Work, name: str, now: float) -> None:
        """A request goes to an engine."""
        engine = self.engine(name)
        self.send_known(work, engine, engine.uncached_tokens(work) * self.settings.token_s, now)

    def send_known(self, work: Work, engine: Engine, own_s: float, now: float) -> None:
        """The same where the request's prefill on the engine is known already."""
        id_, prompt_tokens, chains, _ = work
        engine.load.add(id_, own_s, prompt_tokens, now)
        for chain in chains:
            engine.index.add(chain, now)
        self._sent_to[id_] = engine

    def matched_when_sent(self, work: Work, name: str) -> int | None:
        """Blocks that an engine held of a request when it was sent there; None: it was not, or has its first token."""
        engine = self._sent_to.get(work.id)
        pending = None if engine is None or engine.name != name else engine.load.pending.get(work.id)
        if pending is None:
            return None
        return round((work.prompt_tokens - pending.own_s / self.settings.token_s) / work.block_tokens)

    def first_token(self, id_: str, now: float) -> None:
        """The first bytes of the response's body came."""
        engine = self._sent_to.get(id_)
        if engine is not None and engine.load.first_token(id_, now, self.settings.rate_bucket_s):
            agree((load.rate for load in self._loads.values()), self.settings.dead_band)

    def end(self, id_: str) -> None:
        """A request is over, with or without a first token."""
        engine = self._sent_to.pop(id_, None)
        if engine is not None and engine.load.take(id_) is None:
            engine.load.leave(id_)

    def lose(self, name: str) -> list[str]:
        """An engine is gone: forget it; the ids of its requests that had no first token."""
        engine = self._engines.pop(name, None)
        self._loads.pop(name, None)
        self.losses += 1
        if engine is None:
            return []
        self._sent_to = {id_: where for id_, where in self._sent_to.items() if where is not engine}
        return list(engine.load.pending)

    def costs(self, work: Work, names: Sequence[str], now: float) -> list[float]:
        """What the request would cost on each of these engines if it were sent now, in seconds.

        Its own prefill; the harm that this does to others, more of it when more requests wait; the work before it,
        less what the oldest request there has already been computed; and a little for tokens that are decoded from.
        """
        settings, known = self.settings, self._engines
        engines = [known[name] if name in known else self.engine(name) for name in names]
        loads = [engine.load for engine in engines]
        harm = self.harm(sum([len(load.pending) for load in loads]), [load.rate.used for load in loads])
        token_s, share = settings.token_s, settings.running_share
        resident_s = settings.resident_weight * token_s
        return [
            engine.uncached_tokens(work) * token_s * (load.rate.used + harm)
            + load.rate.used * (load.work_s + resident_s * load.resident_tokens)
            - load.running_s(now, share)
            for engine, load in zip(engines, loads, strict=True)
        ]

    def harm(self, waiting: int, rates: Sequence[float]) -> float:
        """Seconds of harm to others that each second of a request's own prefill counts for."""
        if not rates:
            return 0.0
        price = self.settings.base_penalty + self.settings.queue_price * waiting / len(rates)
        return price * len(rates) / sum([1.0 / rate for rate in rates])
