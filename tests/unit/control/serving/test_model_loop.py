"""Models onto servers while the system runs: the whole way from an applied Model to its bookings and its end."""

from bayplan.control.collections import SERVED_MODELS, SERVERS, STATEFUL_SETS
from unit.control.controllers.lab import run
from unit.control.serving.hall import hall, model, server


def test_a_model_is_loaded_onto_a_server():
    async def scenario():
        async with hall() as it:
            await it.apply(server())
            await it.apply(model())
            await it.settle()
            return await it.bookings(), await it.model(), await it.server(), (await it.rows())["mlserver-0"]

    bookings, found, host, row = run(scenario())
    assert bookings == {"mlserver-0": {"iris_1": "available"}}
    assert {key: found["status"][key] for key in ("server", "version", "replicas", "availableReplicas")} == {
        "server": "mlserver", "version": 1, "replicas": 1, "availableReplicas": 1,
    }  # fmt: skip
    assert found["metadata"]["finalizers"] == ["seldon.model.finalizer"]
    assert (host["status"]["replicas"], host["status"]["loadedModels"]) == (1, 1)
    assert row["spec"]["models"][0]["storageUri"] == "file:///models/iris"
    assert row["spec"]["models"][0]["memory"] == 100


def test_a_deleted_model_is_unloaded_before_it_goes():
    async def scenario():
        async with hall() as it:
            await it.apply(server())
            await it.apply(model())
            await it.settle()
            await it.delete(SERVED_MODELS, "iris")
            await it.it.settle()
            during = await it.bookings(), await it.model() is not None
            await it.settle()
            return during, await it.bookings(), await it.model()

    during, after, found = run(scenario())
    assert during == ({"mlserver-0": {"iris_1": "unload-requested"}}, True)
    assert (after, found) == ({}, None)


def test_a_changed_model_rolls_out_beside_the_old_version():
    async def scenario():
        async with hall() as it:
            await it.apply(server())
            await it.apply(model())
            await it.settle()
            await it.apply(model(storageUri="file:///models/iris-2"))
            await it.it.settle()
            during = await it.bookings()
            await it.settle()
            return during, await it.bookings(), (await it.model())["status"]["version"]

    during, after, version = run(scenario())
    assert during == {"mlserver-0": {"iris_1": "available", "iris_2": "load-requested"}}
    assert (after, version) == ({"mlserver-0": {"iris_2": "available"}}, 2)


def test_a_model_waits_for_memory_and_gets_it_once_it_is_freed():
    async def scenario():
        async with hall() as it:
            await it.apply(server(memory="150Mi"))
            await it.apply(model("one"))
            await it.settle()
            await it.apply(model("two"))
            await it.settle()
            before = await it.state("two"), (await it.model("two"))["status"]["conditions"][0]["reason"]
            await it.delete(SERVED_MODELS, "one")
            await it.settle()
            return before, await it.state("two")

    (state, reason), after = run(scenario())
    assert state == ("False", "ScheduleFailed")
    assert "50 MiB" in reason
    assert after == ("True", "ModelAvailable")


def test_models_of_a_lost_replica_are_loaded_elsewhere():
    async def scenario():
        async with hall() as it:
            await it.apply(server(replicas=2))
            await it.apply(model())
            await it.settle()
            it.off.add("mlserver-0")
            await it.settle()
            return await it.bookings(), await it.state()

    assert run(scenario()) == ({"mlserver-1": {"iris_1": "available"}}, ("True", "ModelAvailable"))


def test_a_failed_load_goes_to_the_next_replica_and_is_tried_again_later():
    async def scenario():
        async with hall() as it:
            it.failing.add("iris_1")
            await it.apply(server())
            await it.apply(model())
            await it.settle()
            failed = await it.bookings(), await it.state()
            it.failing.clear()
            await it.it.settle(20)
            await it.settle()
            return failed, await it.bookings(), await it.state()

    failed, bookings, state = run(scenario())
    assert failed == ({"mlserver-0": {"iris_1": "load-failed"}}, ("False", "ModelFailed"))
    assert bookings == {"mlserver-0": {"iris_1": "available"}}
    assert state == ("True", "ModelAvailable")


def test_a_server_that_shrinks_drains_before_its_pod_goes():
    async def scenario():
        async with hall() as it:
            await it.apply(server(replicas=2))
            await it.settle()
            await it.apply(model("one"))
            await it.apply(model("two"))
            await it.settle()
            before = await it.bookings()
            it.deaf.add("mlserver-0")
            await it.apply(server(replicas=1))
            await it.settle()
            during = await it.bookings(), (await it.it.get(STATEFUL_SETS, "mlserver"))["spec"]["replicas"]
            it.deaf.clear()
            await it.settle()
            pods = [each["metadata"]["name"] for each in await it.it.pods()]
            return before, during, await it.bookings(), pods, sorted(await it.rows())

    before, during, after, pods, rows = run(scenario())
    assert before == {"mlserver-0": {"one_1": "available"}, "mlserver-1": {"two_1": "available"}}
    assert during == (
        {"mlserver-0": {"one_1": "available", "two_1": "load-requested"}, "mlserver-1": {"two_1": "draining"}},
        2,
    )
    assert after == {"mlserver-0": {"one_1": "available", "two_1": "available"}}
    assert (pods, rows) == (["mlserver-0"], ["mlserver-0"])


def test_a_deleted_server_goes_once_its_models_are_elsewhere():
    async def scenario():
        async with hall() as it:
            await it.apply(server("a"))
            await it.settle()
            await it.apply(model())
            await it.settle()
            await it.apply(server("b"))
            await it.settle()
            await it.delete(SERVERS, "a")
            await it.settle(12)
            return await it.bookings(), await it.server("a"), (await it.model())["status"]["server"]

    assert run(scenario()) == ({"b-0": {"iris_1": "available"}}, None, "b")


def test_bookings_survive_a_restart_of_the_loops():
    async def scenario():
        async with hall() as it:
            await it.apply(server(replicas=2))
            await it.apply(model(replicas=2))
            await it.settle()
            before = await it.rows()
            async with hall(store=it.store) as again:
                await again.settle(3)
                after = await again.rows()
                state = await again.state()
        return before, after, state

    before, after, state = run(scenario())
    assert {name: row["spec"] for name, row in after.items()} == {name: row["spec"] for name, row in before.items()}
    assert state == ("True", "ModelAvailable")
