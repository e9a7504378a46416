import asyncio

from bayplan.sim.fleet.agenda import MOST_AT_ONCE, Agenda
from unit.sim.fleet.simulation import virtually


@virtually
async def test_actions_are_called_in_the_order_of_their_times():
    loop = asyncio.get_running_loop()
    agenda, called = Agenda(loop.clock), []
    agenda.after(3, lambda: called.append(("before the start", loop.time())))
    agenda.start()
    agenda.after(2, lambda: called.append(("second", loop.time())))
    agenda.after(1, lambda: agenda.after(0.5, lambda: called.append(("first", loop.time()))))
    await asyncio.sleep(5)

    assert [(name, round(time, 1)) for name, time in called] == [("first", 1.5), ("second", 2), ("before the start", 3)]


@virtually
async def test_many_actions_of_one_time_let_others_work_between():
    loop = asyncio.get_running_loop()
    agenda, called, seen = Agenda(loop.clock), [], []
    agenda.start()
    for number in range(3 * MOST_AT_ONCE):
        agenda.after(1, lambda number=number: called.append(number))

    async def look():
        while len(called) < 3 * MOST_AT_ONCE:
            seen.append(len(called))
            await asyncio.sleep(0 if called else 0.1)

    await look()

    assert called == list(range(3 * MOST_AT_ONCE))
    assert {MOST_AT_ONCE, 2 * MOST_AT_ONCE} <= set(seen)


@virtually
async def test_after_a_stop_nothing_is_called():
    agenda, called = Agenda(asyncio.get_running_loop().clock), []
    agenda.start()
    agenda.after(1, lambda: called.append(1))
    agenda.stop()
    await asyncio.sleep(5)

    assert (called, len(agenda)) == ([], 0)
