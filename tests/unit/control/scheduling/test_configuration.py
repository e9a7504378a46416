import asyncio
from contextlib import asynccontextmanager

from bayplan.control.collections import NODES, PODS, SCHEDULER_CONFIGS
from bayplan.control.scheduling.points import Allow, DeniedError, Deny, Wait
from bayplan.control.store import Deletion, Key
from bayplan.control.system import ControlSystem
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, virtually, worker

PACK = {
    "apiVersion": "bayplan.io/v1alpha1",
    "kind": "SchedulerConfig",
    "metadata": {"name": "placement"},
    "scheduler": "placement",
    "plugins": [{"type": "binpack"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "pack", "plugins": [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]}],
}
SPREAD = {
    **PACK,
    "plugins": [{"type": "spread"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "pack", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]}],
}


@asynccontextmanager
async def running(*workers, plugins=(), config=None):
    loop = asyncio.get_running_loop()
    async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
        for each in nodes(*workers):
            await store.create(NODES, each)
        if config is not None:
            await store.create(SCHEDULER_CONFIGS, config)
        system = ControlSystem(store, clock=loop.clock, plugins=plugins)
        await system.start()
        await asyncio.sleep(1)
        try:
            yield store, system
        finally:
            await system.stop()


async def placed(store, *names):
    for each in names:
        await store.create(PODS, pod(each))
        await asyncio.sleep(1)
    found = [each.document() for each in (await store.list(PODS)).items]
    return {each["metadata"]["name"]: each["spec"].get("nodeName") for each in found}


async def condition(store, name="placement"):
    stored = (await store.get(Key(SCHEDULER_CONFIGS, "", name))).document()
    return stored["status"]["conditions"][0]


@virtually
async def test_another_configuration_is_taken_over_while_the_system_runs():
    async with running(worker("a"), worker("b"), config=PACK) as (store, _):
        where = await placed(store, "p1", "p2")
        assert len(set(where.values())) == 1

        await store.update(Key(SCHEDULER_CONFIGS, "", "placement"), SPREAD)
        await asyncio.sleep(1)
        where = await placed(store, "p3", "p4")

        assert where["p3"] != where["p1"]
        assert (await condition(store))["reason"] == "InEffect"


@virtually
async def test_one_that_cannot_be_read_changes_nothing_and_says_why():
    async with running(worker("a"), worker("b"), config=SPREAD) as (store, _):
        broken = {**SPREAD, "plugins": [{"type": "spred"}, {"type": "max-score"}]}
        await store.update(Key(SCHEDULER_CONFIGS, "", "placement"), broken)
        await asyncio.sleep(1)

        where = await placed(store, "p1", "p2")

        assert len(set(where.values())) == 2
        told = await condition(store)
        assert (told["status"], told["reason"]) == ("False", "Invalid")
        assert "did you mean 'spread'" in told["message"]
        assert "the last good one stays in effect" in told["message"]

        await store.update(Key(SCHEDULER_CONFIGS, "", "placement"), SPREAD)
        await asyncio.sleep(1)

        assert (await condition(store))["status"] == "True"


@virtually
async def test_a_configuration_of_another_name_is_not_in_effect():
    async with running(worker("a"), config={**PACK, "metadata": {"name": "mine"}}) as (store, _):
        assert (await condition(store, "mine"))["reason"] == "NotInEffect"


@virtually
async def test_the_defaults_are_back_when_the_configuration_is_deleted():
    async with running(worker("a"), worker("b"), config=SPREAD) as (store, system):
        await store.delete(Key(SCHEDULER_CONFIGS, "", "placement"), Deletion())
        await asyncio.sleep(1)

        where = await placed(store, "p1", "p2")

        assert len(set(where.values())) == 1
        assert system.records.config is None


class Gate:
    """Lets nothing happen before it is opened, and hears of everything."""

    poll_s = 0.1

    def __init__(self):
        self.answer, self.heard = Wait(30.0, "the gate is closed"), []

    def reserve(self, decision):
        self.heard.append("reserve")

    def unreserve(self, decision):
        self.heard.append("unreserve")

    def permit(self, decision):
        return self.answer

    async def pre_bind(self, decision):
        self.heard.append("pre-bind")
        if self.answer == "refuse":
            raise DeniedError("not today")

    def post_bind(self, decision):
        self.heard.append("post-bind")

    def queue_key(self, waiting):
        return (waiting.unit.key.name,)


@virtually
async def test_plugins_are_asked_around_a_decision():
    gate = Gate()
    async with running(worker("a"), plugins=(gate,)) as (store, system):
        assert await placed(store, "p") == {"p": None}
        assert system.scheduling.in_flight == 1

        gate.answer = Allow()
        await asyncio.sleep(1)

        assert await placed(store) == {"p": "a"}
        assert gate.heard == ["reserve", "pre-bind", "post-bind"]


@virtually
async def test_a_decision_that_is_denied_or_waits_too_long_gives_its_room_back():
    gate = Gate()
    async with running(worker("a", 1), plugins=(gate,)) as (store, system):
        await placed(store, "p")
        await asyncio.sleep(31)

        assert "unreserve" in gate.heard
        told = (await store.get(Key(PODS, "default", "p"))).document()["status"]["conditions"][0]
        assert (told["reason"], told["message"]) == ("SchedulerError", "the gate is closed")

        gate.answer = Deny("no")
        await asyncio.sleep(60)
        assert not system.scheduling.live.state.ledger.entries

        gate.answer = Allow()
        await asyncio.sleep(60)
        assert await placed(store) == {"p": "a"}


@virtually
async def test_a_queue_sort_decides_who_is_first():
    gate = Gate()
    gate.answer = Allow()
    async with running(plugins=(gate,)) as (store, _):
        await placed(store, "b", "c", "a")
        for each in nodes(worker("w", 1)):
            await store.create(NODES, each)
        await asyncio.sleep(1)

        assert await placed(store) == {"a": "w", "b": None, "c": None}
