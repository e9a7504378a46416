"""Servers grow for models that are short of room, and shrink where replicas are empty."""

from bayplan.control.collections import SERVED_MODELS
from unit.control.controllers.lab import run
from unit.control.serving.hall import hall, model, server


def scaled(**spec):
    return server(memory="150Mi", minReplicas=1, maxReplicas=3, **spec)


async def replicas(it):
    return (await it.server())["spec"]["replicas"]


def test_a_server_grows_for_a_model_and_shrinks_after_it():
    async def scenario():
        async with hall() as it:
            await it.apply(scaled())
            await it.apply(model("one"))
            await it.settle()
            before = await replicas(it)
            await it.apply(model("two"))
            await it.settle(12)
            grown = await replicas(it), await it.state("two")
            await it.delete(SERVED_MODELS, "two")
            await it.settle(16)
            return before, grown, await replicas(it), await it.it.told("Scaled")

    before, grown, after, told = run(scenario())
    assert (before, grown, after) == (1, (2, ("True", "ModelAvailable")), 1)
    assert sorted(told) == ["from 1 to 2 replicas: models-short", "from 2 to 1 replicas: empty-replicas"]


def test_a_server_without_limits_stays_as_it_is():
    async def scenario():
        async with hall() as it:
            await it.apply(server(memory="150Mi"))
            await it.apply(model("one"))
            await it.apply(model("two"))
            await it.settle()
            return await replicas(it), await it.it.told("Scaled")

    assert run(scenario()) == (1, [])
