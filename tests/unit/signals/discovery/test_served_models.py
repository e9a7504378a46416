import pytest

from bayplan.control.cache import Cache
from bayplan.control.collections import SERVED_MODELS, SERVER_REPLICAS
from bayplan.signals.discovery.model_place import DeclaredModel
from bayplan.signals.discovery.served_models import ServedModelDiscovery, declared_model, replica_places
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import virtually
from unit.signals.discovery.pods import World


def booking(model="iris", version=2, state="available"):
    return {"model": model, "version": version, "name": f"{model}_{version}", "state": state, "memory": 100}


def answer(name="iris_2", state="loaded", **more):
    return {"name": name, "state": state, **more}


def replica(*bookings, answers=(), **status):
    usual = {"connected": True, "rest": "127.0.0.1:31001", "grpc": None, "agent": "http://127.0.0.1:31003"}
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "ServerReplica",
        "metadata": {"name": "mlserver-0", "namespace": "default"},
        "spec": {"server": "mlserver", "index": 0, "pod": "mlserver-0", "models": list(bookings)},
        "status": {**usual, "models": list(answers), **status},
    }


def model(name="iris", *conditions, **metadata):
    return {
        "apiVersion": "mlops.seldon.io/v1alpha1",
        "kind": "Model",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"storageUri": "file:///models/iris"},
        "status": {"conditions": list(conditions)},
    }


PLACES = {
    "loaded":                          (answer(), {},                       True,  True),
    "evicted":                         (answer(resident=False), {},         True,  False),
    "still being loaded":              (answer(state="loading"), {},        False, True),
    "the agent has not heard of it":   (answer("other_1"), {},              False, True),
    "its server does not answer":      (answer(), {"connected": False},     False, True),
    "nothing was reported":            (answer(), {"connected": None},      False, True),
}  # fmt: skip


@pytest.mark.parametrize(("done", "status", "is_loaded", "is_resident"), PLACES.values(), ids=PLACES)
def test_a_booking_and_what_the_agent_says(done, status, is_loaded, is_resident):
    (found,) = replica_places(replica(booking(), answers=[done], **status))

    assert (found.is_loaded, found.is_resident) == (is_loaded, is_resident)
    assert (found.model, found.version, found.name, found.replica) == ("iris", 2, "iris_2", "mlserver-0")
    assert found.rest == ("127.0.0.1:31001" if status.get("connected", True) else None)


def test_a_booking_that_cannot_be_read_is_left_out():
    found = replica_places(replica({"model": "iris", "name": "iris_1"}, booking("rose", 1), "text"))

    assert [each.model for each in found] == ["rose"]


MODELS = {
    "no status yet": (model(), DeclaredModel("iris")),
    "not scheduled": (
        model("iris", {"type": "ModelReady", "status": "False", "message": "ScheduleFailed", "reason": "no-match"}),
        DeclaredModel("iris", "ScheduleFailed", "no-match"),
    ),
    "being deleted": (model(deletionTimestamp="2026-01-01T00:00:00Z"), DeclaredModel("iris", is_deleted=True)),
}


@pytest.mark.parametrize(("document", "declared"), MODELS.values(), ids=MODELS)
def test_what_a_model_says(document, declared):
    assert declared_model(document) == declared


class HeardDirectory:
    """Remembers what it is told."""

    def __init__(self):
        self.replicas, self.models = {}, {}

    def put_replica(self, name, places):
        self.replicas[name] = [each.name for each in places]

    def put_model(self, name, declared):
        self.models[name] = declared


@virtually
async def test_replicas_and_models_are_followed():
    async with EmbeddedStore(MemoryShelf(1000)) as store:
        await store.create(SERVER_REPLICAS, replica(booking()))
        cache, heard = Cache(store, ServedModelDiscovery.collections), HeardDirectory()
        ServedModelDiscovery(cache, heard)
        await cache.start()
        world = World(store, None, None)
        try:
            assert heard.replicas == {"mlserver-0": ["iris_2"]}
            await world.create(SERVED_MODELS, model("rose"))
            assert heard.models == {"rose": DeclaredModel("rose")}
            await world.change(SERVER_REPLICAS, "mlserver-0", spec=replica(booking("rose", 1))["spec"])
            assert heard.replicas == {"mlserver-0": ["rose_1"]}
            await world.delete(SERVED_MODELS, "rose")
            await world.delete(SERVER_REPLICAS, "mlserver-0")
            assert (heard.replicas, heard.models) == ({"mlserver-0": []}, {"rose": None})
        finally:
            await cache.stop()
