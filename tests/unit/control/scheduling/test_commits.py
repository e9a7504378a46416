import asyncio
import logging
from itertools import pairwise

from bayplan.control.collections import NODES, PODS
from bayplan.control.observing import LoopObserver, Result
from bayplan.control.scheduling.points import Allow, DeniedError, Wait
from bayplan.control.store import Key
from bayplan.control.store_errors import StaleError, StoreFailedError
from bayplan.library.planner import placement_config
from unit.control.faults import FailingStore
from unit.control.scheduling.scheduler import pod, running, virtually, worker, workload


class Plugin:
    """Hears of everything, and fails where it is told to."""

    poll_s = 0.1

    def __init__(self, name="plugin", fails=(), answer=None):
        self.name, self.fails, self.heard = name, {*fails}, []
        self.answer = answer or Allow()

    def _hear(self, what):
        self.heard.append(what)
        if what in self.fails:
            raise ValueError(what)

    def reserve(self, decision):
        self._hear("reserve")

    def unreserve(self, decision):
        self._hear("unreserve")

    def permit(self, decision):
        return self.answer

    async def pre_bind(self, decision):
        if "deny" in self.fails:
            raise DeniedError("not today")
        self._hear("pre-bind")

    def post_bind(self, decision):
        self._hear("post-bind")


class Counting(LoopObserver):
    def __init__(self):
        self.results = []

    def decided(self, profile, result, seconds):
        self.results.append(result)


async def later(system, seconds):
    await asyncio.sleep(seconds)
    await system.settle()


@virtually
async def test_what_happens_after_a_bind_cannot_undo_it():
    plugin = Plugin(fails={"post-bind"})
    async with running(worker("a", 2), worker("b", 2), points=(plugin,)) as system:
        await system.workload(workload("big", 1, gpus=4, distributed=True))

        assert set((await system.where()).values()) == {"a", "b"}
        assert plugin.heard == ["reserve", "pre-bind", "post-bind"]
        assert [each["outcome"] for each in system.records.newest()] == ["bound"]
        assert len(await system.whole()) == 2


def test_only_plugins_that_reserved_hear_that_it_was_in_vain(caplog):
    caplog.set_level(logging.CRITICAL)

    @virtually
    async def scenario():
        first, second, third = Plugin("1"), Plugin("2", fails={"reserve"}), Plugin("3")
        async with running(worker("a"), points=(first, second, third)) as system:
            await system.create(pod("p"))

            assert first.heard[:2] == ["reserve", "unreserve"]
            assert second.heard[:1] == ["reserve"]
            assert "unreserve" not in second.heard
            assert third.heard == []
            assert await system.whole() == []

    scenario()


def test_a_plugin_that_cannot_even_give_back_holds_up_nobody(caplog):
    caplog.set_level(logging.CRITICAL)

    @virtually
    async def scenario():
        bad, good = Plugin(fails={"unreserve", "deny"}), Plugin()
        async with running(worker("a"), points=(good, bad)) as system:
            await system.create(pod("p"))
            assert good.heard[:3] == ["reserve", "pre-bind", "unreserve"]
            assert await system.whole() == []
            bad.fails.clear()
            await later(system, 60)

            assert (await system.where()) == {"p": "a"}

    scenario()


@virtually
async def test_a_decision_keeps_the_plugins_with_which_it_began():
    old = Plugin("old", answer=Wait(5.0, "too slow"))
    async with running(worker("a"), points=(old,)) as system:
        await system.create(pod("p"))
        assert old.heard == ["reserve"]
        new = Plugin("new")
        system.loop.follow(placement_config(None), None, (new,))
        await later(system, 10)

        assert old.heard == ["reserve", "unreserve"]
        assert new.heard == ["reserve", "pre-bind", "post-bind"]


@virtually
async def test_a_store_that_fails_gives_everything_back_and_it_is_tried_again():
    failing, observer = [], Counting()

    def wrap(store):
        failing.append(FailingStore(store))
        return failing[0]

    def full(verb, given):
        if verb in ("bind", "delete"):
            raise StoreFailedError("disk full", place="store")

    async with running(worker("a", 2), worker("b", 2), wrap=wrap, observer=observer) as system:
        failing[0].fail = full
        await system.workload(workload("big", 1, gpus=4, distributed=True))
        assert await system.whole() == []
        assert system.loop.in_flight == 0
        assert Result.LOST_RACE in observer.results
        assert system.records.newest()[0]["outcome"] in ("lost", "reserved")
        failing[0].fail = lambda verb, given: None
        await later(system, 60)

        assert set((await system.where()).values()) == {"a", "b"}
        await system.whole()


@virtually
async def test_tries_that_fail_come_later_each_time_and_from_the_beginning_after_a_success():
    failing, tries = [], []

    def wrap(store):
        failing.append(FailingStore(store))
        return failing[0]

    def refuse(verb, given):
        if verb == "bind":
            tries.append(asyncio.get_running_loop().time())
            raise StaleError("another writer was first", place="bind")

    async with running(worker("a"), wrap=wrap) as system:
        failing[0].fail = refuse
        await system.create(pod("p"))
        await later(system, 300)
        pauses = [round(after - before, 1) for before, after in pairwise(tries)]

        assert pauses[:6] == [0.1, 0.1, 0.2, 0.4, 0.8, 1.6]
        assert max(pauses) == 30.0
        assert [each.verdict for each in system.loop.waiting] == ["blocked"]
        failing[0].fail = lambda verb, given: None
        await later(system, 31)

        assert (await system.where()) == {"p": "a"}
        assert system.loop._failures == {}


@virtually
async def test_nothing_is_kept_of_a_unit_whose_pods_are_deleted_while_it_is_blocked():
    plugin = Plugin(fails={"deny"})
    async with running(worker("a"), points=(plugin,)) as system:
        await system.create(pod("p"))
        assert system.loop._failures
        await system.delete("p")

        assert (system.loop._failures, system.loop._unit_of, system.loop._alarms._set) == ({}, {}, {})
        assert len(system.loop.waiting) == 0


@virtually
async def test_a_worker_that_goes_while_a_decision_is_carried_out():
    plugin = Plugin(answer=Wait(30.0))
    async with running(worker("a", region="eu"), points=(plugin,)) as system:
        await system.workload(workload("picky", 1, preferredRegions=["us"]))
        await system.store.delete(Key(NODES, "", "a"))
        await later(system, 1)
        plugin.answer = Allow()
        await later(system, 5)

        assert system.loop.failed is None
        assert (await system.where()) == {"picky-0": "a"}
        assert system.records.newest()[0]["outcome"] == "bound"


@virtually
async def test_a_pod_of_a_decision_under_way_is_neither_pending_nor_bound():
    plugin = Plugin(answer=Wait(30.0))
    async with running(worker("a"), points=(plugin,)) as system:
        await system.create(pod("p"))
        assert (system.loop.in_flight, len(system.loop.waiting)) == (1, 0)
        await system.store.patch(Key(PODS, "default", "p"), _labelled)
        await later(system, 1)
        assert len(system.loop.waiting) == 0
        plugin.answer = Allow()
        await later(system, 1)

        assert (await system.where()) == {"p": "a"}
        assert len(system.records.newest()) == 1


def _labelled(document):
    document["metadata"]["labels"] = {"other": "label"}
    return document


@virtually
async def test_small_units_tell_each_pod_and_large_ones_their_owner():
    async with running(worker("a"), worker("b"), worker("c")) as system:
        await system.workload(workload("small", 2))
        await system.workload(workload("large", 17, gang={}))

        assert "Scheduled" in await system.told("small-0")
        assert "Scheduled" in await system.told("small")
        assert "Scheduled" in await system.told("large")
        assert "Scheduled" not in await system.told("large-0")
