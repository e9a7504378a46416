"""The parts of the control ring tell their observer what they do."""

import asyncio

from bayplan.control.event_recorder import MOST_QUEUED, EventRecorder
from bayplan.control.nodes.heartbeats import Heartbeats
from bayplan.control.observing import LoopObserver
from bayplan.control.reconciler import Reconciler
from bayplan.control.store_errors import StaleError


class Noting(LoopObserver):
    def __init__(self):
        self.noted = []

    def event_dropped(self):
        self.noted.append("dropped")

    def heartbeat(self):
        self.noted.append("beat")

    def reconciled(self, loop, seconds, *, failed):
        self.noted.append((loop, failed, seconds >= 0))


def test_events_that_are_not_written():
    observer = Noting()

    async def scenario():
        events = EventRecorder(None, observer=observer)
        about = {"kind": "Pod", "metadata": {"name": "p"}}
        for _ in range(MOST_QUEUED + 2):
            events.tell(about, "Normal", "Told", "again")

    asyncio.run(scenario())
    assert observer.noted == ["dropped"] * 2


def test_heartbeats():
    observer = Noting()
    heartbeats = Heartbeats(lambda: 0.0, observer)
    for name in "aab":
        heartbeats.beat(name)

    assert observer.noted == ["beat"] * 3


def test_objects_that_a_controller_looked_at():
    observer = Noting()

    async def scenario():
        async def reconcile(key):
            if key == "raced" and len(observer.noted) == 1:
                raise StaleError("another change came first", place=key)

        keys = Reconciler("pools", reconcile, at_once=1, observer=observer)
        keys.start()
        keys.add("fine")
        keys.add("raced")
        while len(observer.noted) < 3:  # the second one is tried again after a short pause
            await asyncio.sleep(0.01)
        await keys.stop()

    asyncio.run(asyncio.wait_for(scenario(), 30))
    assert observer.noted == [("pools", False, True), ("pools", True, True), ("pools", False, True)]
