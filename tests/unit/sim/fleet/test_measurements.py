from bayplan.sim.fleet.marks import LOADING
from bayplan.sim.fleet.pace import Pace
from bayplan.sim.fleet.scenario import Usage
from unit.sim.fleet.simulation import pod, simulated, virtually, worker

EVEN = Pace(start_s=1.0, job_s=3600.0, jitter=0.0)


def _percents(system):
    ((_, measured),) = system.control.heartbeats.measured()
    return {each["index"]: each["gpuPercent"] for each in measured["gpus"]}


@virtually
async def test_cards_in_use_are_measured_and_idle_ones_are_not():
    async with simulated(worker("a", 2), pace=EVEN, usage=Usage(60.0, 0.0)) as system:
        assert _percents(system) == {}
        await system.create(pod("chat", annotations={LOADING: "10s"}))
        await system.after(5)
        assert list(_percents(system).values()) == [5.0]
        await system.after(10)
        (percent,) = _percents(system).values()
        ((_, measured),) = system.control.heartbeats.measured()
        (card,) = measured["gpus"]
        assert (card["memoryUsed"], card["processes"]) == (80 * 1024, 1)
        assert 54.0 <= percent <= 66.0
        await system.after(100)
        assert _percents(system) == {next(iter(_percents(system))): percent}


@virtually
async def test_the_use_of_work_with_an_end_goes_up_and_down_with_its_period():
    async with simulated(worker("a", 1), pace=EVEN, usage=Usage(50.0, 30.0, 60.0)) as system:
        await system.create(pod("training", restartPolicy="Never"))
        await system.after(5)
        seen = []
        for _ in range(24):
            seen.append(_percents(system)[0])
            await system.after(5)

        assert max(seen) - min(seen) > 50
        assert all(abs(early - late) < 0.5 for early, late in zip(seen, seen[12:], strict=False))
