"""Held requests under any sequence of events: nobody is overtaken for long, and nothing is lost or sent twice."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from random import Random

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from bayplan.routing.cost.cost_account import CostAccount
from bayplan.routing.cost.held_queue import HeldQueue
from bayplan.routing.cost.prompt_work import Work
from bayplan.routing.cost.settings import CostSettings
from bayplan.routing.prefix.block_hashes import Chain

SETTINGS = CostSettings(token_s=0.01, block_tokens=10, hold_tokens=100, default_capacity_tokens=10**9, rate_ring=2)
HOLD_S = SETTINGS.hold_tokens * SETTINGS.token_s
NAMES = ("a", "b", "c")
TOLERANCE_S = 1e-6


def prompt(kind, length, tail):
    """Blocks that all prompts of a kind begin with, and some that only equal tails of equal beginnings have."""
    begin = 10_000_000 + ((kind * 100 + length) * 10 + tail) * 100
    return (*range(1000 * kind, 1000 * kind + length), *range(begin, begin + 5 * tail))


prompts = st.builds(prompt, st.integers(0, 3), st.integers(0, 60), st.integers(0, 4))


class Holding(RuleBasedStateMachine):
    """Keeps its own list of who waits, and asks after every event."""

    def __init__(self) -> None:
        super().__init__()
        self.account = CostAccount(SETTINGS)
        self.queue = HeldQueue(self.account, Random(1))  # noqa: S311
        self.now = 0.0
        self.number = 0
        self.live = set(NAMES)
        self.waiting: dict[str, tuple[Work, float]] = {}
        self.sent: dict[str, str] = {}
        self.computed: set[str] = set()

    @rule(blocks=prompts, rest=st.integers(0, 9), pause_s=st.sampled_from((0.0, 0.3, 2.0, 9.0)))
    def arrives(self, blocks, rest, pause_s):
        self.now += pause_s
        self.number += 1
        chains = (Chain(blocks, len(blocks)),)
        work = Work(str(self.number), len(blocks) * 10 + rest, chains, 10)
        self.waiting[work.id] = work, self.now
        self.queue.hold(work, self.now)
        self.asks()

    @precondition(lambda self: set(self.sent) - self.computed)
    @rule(data=st.data(), pause_s=st.sampled_from((0.0, 0.1, 1.0, 4.0)))
    def has_a_first_token(self, data, pause_s):
        self.now += pause_s
        id_ = data.draw(st.sampled_from(sorted(set(self.sent) - self.computed)))
        self.computed.add(id_)
        self.account.first_token(id_, self.now)
        self.asks()

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def ends(self, data):
        id_ = data.draw(st.sampled_from(sorted(self.sent)))
        del self.sent[id_]
        self.computed.discard(id_)
        self.account.end(id_)
        self.asks()

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def leaves(self, data):
        id_ = data.draw(st.sampled_from(sorted(self.waiting)))
        del self.waiting[id_]
        assert self.queue.withdraw(id_)

    @rule(name=st.sampled_from(NAMES))
    def is_lost_or_back(self, name):
        if name in self.live:
            self.live.remove(name)
            self.account.lose(name)
            self.sent = {id_: where for id_, where in self.sent.items() if where != name}
            self.computed &= set(self.sent)
        else:
            self.live.add(name)
        self.asks()

    def asks(self):
        """What is sent is what the definition says; nobody is overtaken longer than promised."""
        names = sorted(self.live)
        loads = {name: self.account.engine(name).load for name in names}
        expected = self.reference(names) if names else {}
        sends = self.queue.due(names, self.now)
        gone = {id_: self.waiting.pop(id_) for id_, _ in sends}
        self.sent.update(dict(sends))
        assert all(self.account.engine(name).load is load for name, load in loads.items())
        if expected is None:
            return
        assert [id_ for id_, (_, is_sent, _) in expected.items() if is_sent] == list(gone)
        for id_, engine in sends:
            assert engine == expected[id_][0]
            for other, (choice, is_sent, own_s) in expected.items():
                if choice == engine and not is_sent:
                    late_by_s = gone[id_][1] - self.waiting[other][1]
                    assert late_by_s <= min(own_s / SETTINGS.ageing, SETTINGS.overtaking_s) + TOLERANCE_S

    def reference(self, names):
        """By request, in order: its choice, whether it is sent, and its least prefill; None where chance decides.

        Everything is computed anew. What is sent brings its blocks, which those behind it may use.
        """
        rates = {name: self.account.engine(name).load.rate.used for name in names}
        before_s, room_s = {}, {}
        for name in names:
            load = self.account.engine(name).load
            resident_s = SETTINGS.resident_weight * SETTINGS.token_s * load.resident_tokens
            before_s[name], room_s[name] = rates[name] * (load.work_s + resident_s), HOLD_S - load.work_s
        brought = {name: [] for name in names}
        waiting, found = len(self.waiting), {}
        if all(room <= 0 for room in room_s.values()):
            return {}
        for id_ in sorted(self.waiting, key=lambda each: self.order(each, rates)):
            work = self.waiting[id_][0]
            harm = self.account.harm(waiting, list(rates.values()))
            own_s = {name: self.own_s(work, name, brought[name]) for name in names}
            costs = {name: own_s[name] * (rates[name] + harm) + before_s[name] for name in names}
            ranked = sorted(names, key=lambda name: costs[name])
            if len(ranked) > 1 and costs[ranked[1]] - costs[ranked[0]] < TOLERANCE_S:
                return None
            choice, is_sent = ranked[0], room_s[ranked[0]] > 0
            found[id_] = choice, is_sent, min(rates[name] * own_s[name] for name in names)
            before_s[choice] += rates[choice] * own_s[choice]
            room_s[choice] -= own_s[choice]
            if is_sent:
                brought[choice].append(work)
                waiting -= 1
            if all(room <= 0 for room in room_s.values()):
                break
        return found

    def order(self, id_, rates):
        work, arrived_s = self.waiting[id_]
        shortest_s = min(rate * self.own_s(work, name, ()) for name, rate in rates.items())
        return min(SETTINGS.ageing * SETTINGS.overtaking_s, shortest_s) + SETTINGS.ageing * arrived_s

    def own_s(self, work: Work, name: str, brought) -> float:
        """The prefill of a request on an engine that also got these."""
        uncached = self.account.engine(name).uncached_tokens(work)
        for each in brought:
            both = zip(work.chains[0].hashes, each.chains[0].hashes, strict=False)
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
            uncached = min(uncached, work.prompt_tokens - shared * work.block_tokens)
        return uncached * SETTINGS.token_s

    @invariant()
    def nobody_is_lost(self):
        assert len(self.queue) == len(self.waiting)
        assert all(id_ in self.queue for id_ in self.waiting)
        for name in self.live:
            load = self.account.engine(name).load
            on_it = {id_ for id_, where in self.sent.items() if where == name}
            assert load.pending.keys() | load.resident.keys() == on_it
            assert abs(load.work_s - sum(each.own_s for each in load.pending.values())) < TOLERANCE_S

    @invariant()
    def an_idle_pool_is_not_left_idle(self):
        idle = [name for name in self.live if not self.account.engine(name).load.pending]
        assert not (idle and len(idle) == len(self.live) and self.waiting)


class Forgetting(Holding):
    """Engines that forget blocks: what waits may be looked up late, but nothing is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.account = CostAccount(replace(SETTINGS, default_capacity_tokens=400))
        self.queue = HeldQueue(self.account, Random(1))  # noqa: S311

    def reference(self, names):
        return None


@pytest.mark.parametrize("machine", [Holding, Forgetting])
def test_held_requests(machine):
    run_state_machine_as_test(machine, settings=settings(max_examples=150, stateful_step_count=40))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 400)), min_size=2, max_size=40),
    st.sampled_from((0.25, 0.5)),
)
def test_on_one_engine_the_order_of_sending_keeps_the_bound(requests, ageing):
    """All wait before the engine opens; then it takes one after the other."""
    limits = CostSettings(token_s=0.01, block_tokens=10, hold_tokens=1, ageing=ageing, overtaking_s=30.0)
    account = CostAccount(limits)
    queue = HeldQueue(account, Random(0))  # noqa: S311
    arrived = sorted(requests)
    for number, (at_s, tokens) in enumerate(arrived):
        queue.hold(Work(str(number), tokens, (Chain((), 0),), 10), float(at_s))
    order, now = [], 100.0
    while len(queue):
        ((id_, _),) = queue.due(["a"], now)
        order.append(int(id_))
        now += 1.0
        account.end(id_)

    assert sorted(order) == list(range(len(arrived)))
    for place, first in enumerate(order):
        for later in order[place + 1 :]:  # `first` was sent before `later`
            own_s = arrived[later][1] * limits.token_s
            assert arrived[first][0] - arrived[later][0] <= min(own_s / ageing, 30.0) + TOLERANCE_S
