import asyncio
from contextlib import asynccontextmanager

import pytest

from bayplan.control.event_recorder import EVENTS, KEPT_S, MOST_ALIKE, EventRecorder
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError, StoreFailedError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.faults import FailingStore
from unit.control.scheduling.scheduler import virtually

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "u1"}}


class Recording:
    """A recorder over a store in memory, whose calls may be made to fail."""

    def __init__(self, store, clock):
        self.store, self.failing = store, FailingStore(store)
        self.recorder = EventRecorder(self.failing, clock=clock)

    async def tell(self, *messages, about=POD, reason="Told"):
        for each in messages:
            self.recorder.tell(about, "Normal", reason, each)
        await self.recorder.settled()

    async def events(self):
        return [each.document() for each in (await self.store.list(EVENTS)).items]


@asynccontextmanager
async def recording():
    clock = asyncio.get_running_loop().clock
    async with EmbeddedStore(MemoryShelf(), clock=clock) as store:
        found = Recording(store, clock)
        found.recorder.start()
        try:
            yield found
        finally:
            await found.recorder.stop()


@virtually
async def test_an_event_says_what_happened_to_what():
    async with recording() as system:
        await system.tell("it happened")

        (event,) = await system.events()

        assert event["involvedObject"] == {
            "apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "p", "uid": "u1",
        }  # fmt: skip
        assert (event["type"], event["reason"], event["message"], event["count"]) == (
            "Normal",
            "Told",
            "it happened",
            1,
        )
        assert event["metadata"]["namespace"] == "default"
        assert event["firstTimestamp"] == event["lastTimestamp"] == "2026-01-01T00:00:00Z"


@virtually
async def test_equal_events_are_counted_whether_they_come_together_or_later():
    async with recording() as system:
        await system.tell("again", "again", "again")
        await asyncio.sleep(60)
        await system.tell("again")

        (event,) = await system.events()

        assert event["count"] == 4
        assert (event["firstTimestamp"], event["lastTimestamp"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z")


@virtually
async def test_events_of_different_objects_reasons_and_messages_are_apart():
    async with recording() as system:
        reborn = {**POD, "metadata": {**POD["metadata"], "uid": "u2"}}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "u3"}}
        await system.tell("one", "two")
        await system.tell("one", about=reborn)
        await system.tell("one", reason="Other")
        await system.tell("one", about=node)

        events = await system.events()

        assert [each["count"] for each in events] == [1] * 5
        assert {each["metadata"]["namespace"] for each in events} == {"default"}


@virtually
async def test_messages_that_keep_changing_share_an_event_after_a_while():
    async with recording() as system:
        for number in range(MOST_ALIKE + 50):
            await system.tell(f"of {number} workers")

        events = await system.events()

        assert len(events) == MOST_ALIKE + 1
        (combined,) = [each for each in events if each["count"] > 1]
        assert combined["count"] == 50
        assert combined["message"] == f"(combined from similar events): of {MOST_ALIKE + 49} workers"

        await asyncio.sleep(601)
        await system.tell("of 5 workers", "of 7000 workers")

        assert len(await system.events()) == MOST_ALIKE + 2


@virtually
async def test_events_that_did_not_happen_again_for_an_hour_are_deleted():
    async with recording() as system:
        await system.tell("old", "repeated")
        await asyncio.sleep(KEPT_S - 60)
        await system.tell("repeated")
        await asyncio.sleep(600)

        assert [each["message"] for each in await system.events()] == ["repeated"]


@virtually
async def test_events_of_others_that_say_no_time_are_deleted_by_their_age():
    async with recording() as system:
        strange = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "strange", "namespace": "default"}}
        await system.store.create(EVENTS, {**strange, "lastTimestamp": None})
        await asyncio.sleep(KEPT_S + 600)

        assert await system.events() == []


@virtually
async def test_a_sweep_that_fails_is_made_again():
    async with recording() as system:
        await system.tell("old")

        def fail(verb, given):
            if verb in ("list", "delete"):
                raise StoreFailedError("disk full", place="store")

        system.failing.fail = fail
        await asyncio.sleep(KEPT_S + 600)
        assert len(await system.events()) == 1
        system.failing.fail = lambda verb, given: None
        await asyncio.sleep(600)

        assert await system.events() == []


def once(error, verb):
    """Fails the first call of a verb."""
    left = [error]

    def fail(called, given):
        if called == verb and left:
            raise left.pop()

    return fail


@pytest.mark.parametrize(
    ("verb", "error"),
    [
        ("create", StoreFailedError("disk full", place="store")),
        ("create", TypeError("a mistake")),
        ("patch", StoreFailedError("disk full", place="store")),
    ],
    ids=["a full disk", "a mistake", "a patch that fails"],
)
def test_an_event_that_cannot_be_written_does_not_hold_up_others(verb, error, caplog):
    @virtually
    async def scenario():
        async with recording() as system:
            system.failing.fail = once(error, verb)
            await system.tell("lost")
            await system.tell("written")

            assert [each["message"] for each in await system.events()] == ["written"]

    scenario()


@virtually
async def test_an_event_that_comes_and_goes_while_it_is_written():
    """Found missing, then there, then missing again: it is lost, and nothing else is."""
    async with recording() as system:
        await system.tell("seen")
        missing = [NotFoundError("not yet", place="event"), NotFoundError("not any more", place="event")]

        def fail(verb, given):
            if verb == "patch" and missing:
                raise missing.pop()

        system.failing.fail = fail
        await system.tell("seen")
        await system.tell("other")

        assert sorted(each["message"] for each in await system.events()) == ["other", "seen"]


@virtually
async def test_a_count_that_somebody_spoilt_is_counted_anew():
    async with recording() as system:
        await system.tell("again")
        (event,) = await system.events()
        await system.store.patch(
            Key(EVENTS, "default", event["metadata"]["name"]), lambda old: {**old, "count": "many"}
        )
        await system.tell("again")

        assert [each["count"] for each in await system.events()] == [2]


@virtually
async def test_what_is_queued_is_written_before_the_end():
    clock = asyncio.get_running_loop().clock
    async with EmbeddedStore(MemoryShelf(), clock=clock) as store:
        recorder = EventRecorder(store, clock=clock)
        recorder.start()
        for number in range(300):
            recorder.tell({**POD, "metadata": {**POD["metadata"], "name": f"p{number}"}}, "Normal", "Told", "last")
        await asyncio.sleep(0)  # some are being written
        await recorder.stop()

        assert len((await store.list(EVENTS)).items) == 300


@virtually
async def test_a_store_that_hangs_does_not_hold_up_the_end():
    class Hanging:
        async def patch(self, *given, **options):
            await asyncio.Event().wait()

    clock = asyncio.get_running_loop().clock
    recorder = EventRecorder(Hanging(), clock=clock)
    recorder.start()
    recorder.tell(POD, "Normal", "Told", "stuck")
    before = clock()
    await recorder.stop()

    assert clock() - before < 10


@virtually
async def test_the_name_of_an_event_of_a_long_name():
    async with recording() as system:
        name = "n" * 229 + "." + "m" * 23
        await system.tell("long", about={**POD, "metadata": {**POD["metadata"], "name": name}})

        (event,) = await system.events()

        assert len(event["metadata"]["name"]) <= 253
        assert ".." not in event["metadata"]["name"]
