import asyncio

from bayplan.control.scheduling.alarms import Alarms
from unit.control.scheduling.scheduler import virtually


class Rung:
    def __init__(self):
        self.times = []
        self.alarms = Alarms(self)

    def __call__(self, key):
        self.times.append((key, asyncio.get_running_loop().time()))


@virtually
async def test_an_alarm_rings_once():
    rung = Rung()
    rung.alarms.set("a", 5.0)
    rung.alarms.set("b", 1.0)
    await asyncio.sleep(60)

    assert rung.times == [("b", 1.0), ("a", 5.0)]


@virtually
async def test_the_earlier_of_two_stays():
    rung = Rung()
    rung.alarms.set("a", 5.0)
    rung.alarms.set("a", 9.0)
    rung.alarms.set("b", 9.0)
    rung.alarms.set("b", 5.0)
    await asyncio.sleep(60)

    assert rung.times == [("a", 5.0), ("b", 5.0)]


@virtually
async def test_what_is_dropped_does_not_ring_and_can_be_set_again():
    rung = Rung()
    rung.alarms.set("a", 5.0)
    rung.alarms.drop("a")
    rung.alarms.drop("never set")
    rung.alarms.set("a", 9.0)
    await asyncio.sleep(60)

    assert rung.times == [("a", 9.0)]


@virtually
async def test_nothing_rings_after_the_stop_and_nothing_is_kept():
    rung = Rung()
    for number in range(100):
        rung.alarms.set(number, number % 10)
    await asyncio.sleep(5.5)
    assert len(rung.times) == 60
    rung.alarms.stop()
    await asyncio.sleep(60)

    assert len(rung.times) == 60
    assert rung.alarms._set == {}


@virtually
async def test_an_alarm_may_be_set_again_while_it_rings():
    times = []

    def ring(key):
        times.append(asyncio.get_running_loop().time())
        if len(times) < 3:
            alarms.set(key, 2.0)

    alarms = Alarms(ring)
    alarms.set("a", 2.0)
    await asyncio.sleep(60)

    assert times == [2.0, 4.0, 6.0]
