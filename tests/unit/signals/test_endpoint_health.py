import asyncio

from bayplan.routing.endpoints.ejection import Ejections, EjectionSettings
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.endpoint_health import EndpointHealth

SETTINGS = EjectionSettings(failures=2, first_s=0.02, longest_s=0.02, trial_s=10.0)


def checked(check):
    """Run a check with two endpoints and a list of the sets that were told."""

    async def run():
        told = []
        health = EndpointHealth(told.append, ejections=Ejections(SETTINGS))
        for name in ("a", "b"):
            health.joined(Endpoint(name, "127.0.0.1"))
        await check(health, told)
        health.close()

    asyncio.run(run())


async def _until(told, count):
    async with asyncio.timeout(10):
        while len(told) < count:
            await asyncio.sleep(0.005)


def test_out_then_a_trial_then_back():
    async def check(health, told):
        health.failed("a")
        health.failed("a")
        assert told == [{"a"}]
        await _until(told, 2)
        assert told == [{"a"}, set()]  # a trial is due
        health.sent("a")
        assert told[2:] == [{"a"}]
        health.succeeded("a")
        assert told[3:] == [set()]
        assert health.out == frozenset()

    checked(check)


def test_a_trial_that_fails():
    async def check(health, told):
        health.failed("a")
        health.failed("a")
        await _until(told, 2)
        health.sent("a")
        health.failed("a")
        assert told[-1] == {"a"}
        await _until(told, 4)
        assert told[-1] == set()

    checked(check)


def test_probes():
    async def check(health, told):
        health.probe_failed("a")
        health.probe_failed("a")
        assert told == [{"a"}]
        health.probe_answered("a")
        assert told == [{"a"}, set()]
        health.probe_answered("b")

    checked(check)


def test_the_last_one_is_never_left_out():
    async def check(health, told):
        health.failed("a")
        health.failed("a")
        health.left("b")
        assert told == [{"a"}, set()]

    checked(check)


def test_ordinary_requests_change_nothing():
    async def check(health, told):
        for _ in range(10):
            health.sent("a")
            health.failed("a")
            health.sent("a")
            health.succeeded("a")
        assert told == []

    checked(check)
