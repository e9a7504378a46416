"""Late binding: requests that the router holds until an engine has room for them."""

from __future__ import annotations

from operator import attrgetter, mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from bayplan.routing.cost.cost_account import CostAccount, Engine
    from bayplan.routing.cost.prompt_work import Work

_BY_ORDER = attrgetter("order")


_NOWHERE = float("inf")


class Held:
    """A request that waits: where it may go, and its prefill on each live engine.

    `own_s` and `matched` have one entry for each live engine; `own_s` is infinite where the request may not go.
    `stamps` says of which state of each engine's index they are.
    """

    __slots__ = ("allowed", "arrived_s", "matched", "order", "own_s", "stamps", "work")

    def __init__(self, work: Work, arrived_s: float, allowed: frozenset[str] | None) -> None:
        self.work = work
        self.arrived_s = arrived_s
        self.allowed = allowed
        self.own_s: list[float] = []
        self.matched: list[int] = []
        self.stamps: list[int] = []
        self.order = 0.0


class HeldQueue:
    """Sends a request once the engine that suits it best has little left to compute, the shortest prefill first.

    Waiting makes up for length: a request is overtaken, on the engine that it waits for, only by requests that arrived
    at most min(own prefill / ageing, overtaking_s) after it. Work is in proportion to held requests x engines: the
    prefill of a held request on an engine is computed again only when that engine's blocks changed. Where another
    request brought some of its blocks there, that is seen at once; where some were forgotten, when its turn comes.
    """

    def __init__(self, account: CostAccount, chance: Random) -> None:
        self._account = account
        self._chance = chance
        self._held: dict[str, Held] = {}
        self._ordered: list[Held] = []
        self._is_sorted = True
        self._live: list[str] = []
        self._losses = account.losses
        self._engines: list[Engine] = []
        self._rates: list[float] = []
        self._slopes_alone: list[float] = []  # of a request that is the only one that waits, for these rates
        self._stamps: list[int] = []  # by engine, how often its index has changed

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._held

    def hold(self, work: Work, arrived_s: float, allowed: frozenset[str] | None = None) -> None:
        """A request arrived, or came back from an engine that is gone; `allowed` names where it may go, None: all."""
        held = Held(work, arrived_s, allowed)
        self._measure(held)
        self._held[work.id] = held
        self._ordered.append(held)
        self._is_sorted = False

    def send_at_once(self, work: Work, live: Sequence[str], now: float) -> tuple[str, int] | None:
        """Send a request that may go anywhere and comes while none is held, to where `hold` and `due` would send it.

        The engine and the tokens to compute there. None: nothing has changed, and the request has to be held.
        """
        if self._held or not live:
            return None
        if live != self._live or self._losses != self._account.losses:
            self._relive(live)
        if not self._slopes_alone:
            self._slopes_alone = self._slopes(1)
        settings = self._account.settings
        _, prompt_tokens, chains, block_tokens = work
        token_s, resident_s = settings.token_s, settings.resident_weight * settings.token_s
        least, best = _NOWHERE, []
        for engine, rate, slope in zip(self._engines, self._rates, self._slopes_alone, strict=True):
            load = engine.load
            if load.rate.used != rate:
                self._sort()  # takes over the rates
                return self.send_at_once(work, live, now)
            matched = engine.index.matched(chains[0]) if len(chains) == 1 else sum(map(engine.index.matched, chains))
            tokens = prompt_tokens - matched * block_tokens
            cost = tokens * token_s * slope + rate * (load.work_s + resident_s * load.resident_tokens)
            if cost < least:
                least, best = cost, [(engine, tokens)]
            elif cost == least:
                best.append((engine, tokens))
        hold_s = settings.hold_tokens * token_s
        for engine, _ in best:
            if engine.load.work_s >= hold_s:
                return None  # chance, which is drawn once, may choose this one
        engine, tokens = best[0] if len(best) == 1 else best[self._drawn(len(best))]
        self._account.send_known(work, engine, tokens * token_s, now)
        return engine.name, tokens

    def withdraw(self, id_: str) -> bool:
        """A request waits no longer; whether it did."""
        held = self._held.pop(id_, None)
        if held is not None:
            self._ordered.remove(held)
        return held is not None

    def due(self, live: Sequence[str], now: float) -> list[tuple[str, str]]:
        """Send what can be sent: ids with the engines that they go to, already written into the account.

        To be asked after every arrival, first token, end and change of engines.
        """
        if not self._held:
            return []
        if live != self._live or self._losses != self._account.losses:
            self._relive(live)
        hold_s = self._account.settings.hold_tokens * self._account.settings.token_s
        if all(engine.load.work_s >= hold_s for engine in self._engines):
            return []
        self._sort()
        return self._pass(hold_s, now)

    def _pass(self, hold_s: float, now: float) -> list[tuple[str, str]]:
        """One walk through the first of the queue; ends when no engine has room."""
        settings, engines = self._account.settings, self._engines
        work_s = [engine.load.work_s for engine in engines]
        resident_s = settings.resident_weight * settings.token_s
        before_s = [
            engine.load.rate.used * (engine.load.work_s + resident_s * engine.load.resident_tokens)
            for engine in engines
        ]
        slope = self._slopes(len(self._held))
        room = sum(each < hold_s for each in work_s)
        sent: list[tuple[str, str]] = []
        for held in self._ordered[: settings.most_weighed]:
            if held.stamps != self._stamps:
                self._refresh(held)
            row = self._cheapest([own * k + b for own, k, b in zip(held.own_s, slope, before_s, strict=True)])
            if row is None:
                continue
            own_s, had_room = held.own_s[row], work_s[row] < hold_s
            work_s[row] += own_s
            before_s[row] += self._rates[row] * own_s
            if not had_room:
                continue
            sent.append((held.work.id, engines[row].name))
            self._send(held, row, now)
            slope = self._slopes(len(self._held))
            room -= work_s[row] >= hold_s
            if not room:
                break
        return sent

    def _cheapest(self, costs: list[float]) -> int | None:
        """The cheapest row; equals share by chance. None where the request may go nowhere."""
        least = min(costs)
        if least == _NOWHERE:
            return None
        if costs.count(least) == 1:
            return costs.index(least)
        rows = [row for row, cost in enumerate(costs) if cost == least]
        return rows[self._drawn(len(rows))]

    def _drawn(self, choices: int) -> int:
        return int(self._chance.random() * choices)  # `randrange` takes ten times as long

    def _slopes(self, waiting: int) -> list[float]:
        """By engine, what a second of a request's own prefill costs."""
        harm = self._account.harm(waiting, self._rates)
        return [rate + harm for rate in self._rates]

    def _send(self, held: Held, row: int, now: float) -> None:
        self._account.send(held.work, self._engines[row].name, now)
        del self._held[held.work.id]
        self._ordered.remove(held)
        self._remeasure(row, held.work)

    def _relive(self, live: Sequence[str]) -> None:
        """Other engines are there than before: all prefills are computed again."""
        self._live = list(live)
        self._losses = self._account.losses
        self._engines = [self._account.engine(name) for name in live]
        self._rates = [engine.load.rate.used for engine in self._engines]
        self._slopes_alone = []
        self._stamps = [0] * len(live)
        for held in self._ordered:
            self._measure(held)
        self._is_sorted = False

    def _measure(self, held: Held) -> None:
        """The prefill of a request on every live engine."""
        rows = range(len(self._engines))
        held.matched, held.own_s = [0] * len(rows), [0.0] * len(rows)
        for row in rows:
            self._look_up(held, row)
        held.stamps = list(self._stamps)
        self._place(held)

    def _look_up(self, held: Held, row: int) -> None:
        """What one engine holds of a request's prompts."""
        engine, work = self._engines[row], held.work
        held.matched[row] = matched = sum(map(engine.index.matched, work.chains))
        is_allowed = held.allowed is None or engine.name in held.allowed
        tokens = work.prompt_tokens - matched * work.block_tokens
        held.own_s[row] = tokens * self._account.settings.token_s if is_allowed else _NOWHERE

    def _refresh(self, held: Held) -> None:
        """The prefill where an index has changed since it was looked up."""
        for row, stamp in enumerate(self._stamps):
            if held.stamps[row] != stamp:
                self._look_up(held, row)
        held.stamps = list(self._stamps)
        self._place(held)
        self._is_sorted = False

    def _remeasure(self, row: int, sent: Work) -> None:
        """One engine got a request's blocks: held requests that have more of them there than before need less."""
        self._stamps[row] += 1
        for held in self._ordered:
            if has_grown(held, row, sent):
                self._look_up(held, row)
                self._place(held)
                self._is_sorted = False

    def _place(self, held: Held) -> None:
        """Its place in the order: shorter first, but waiting counts. The time of day is in all of them alike."""
        settings = self._account.settings
        shortest_s = min(map(mul, self._rates, held.own_s), default=0.0)
        held.order = min(settings.ageing * settings.overtaking_s, shortest_s) + settings.ageing * held.arrived_s

    def _sort(self) -> None:
        rates = [engine.load.rate.used for engine in self._engines]
        if rates != self._rates:
            self._rates = rates
            self._slopes_alone = []
            for held in self._ordered:
                self._place(held)
            self._is_sorted = False
        if not self._is_sorted:
            self._ordered.sort(key=_BY_ORDER)
            self._is_sorted = True


def has_grown(held: Held, row: int, sent: Work) -> bool:
    """Whether a request that was just sent there has the block that comes after the known ones of a held request."""
    chains, others = held.work.chains, sent.chains
    if len(chains) != 1 or len(others) != 1:
        return True  # several prompts: only looking them up tells
    place = held.matched[row]
    chain, other = chains[0], others[0]
    return place < chain.size and place < other.size and chain.hashes[place] == other.hashes[place]
