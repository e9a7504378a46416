"""Documents of aliases are stored under one API and come out under the one that was asked for."""

from bayplan.control.resources.conversion import from_storage, to_storage
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.resource_type import Api

EVENT = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "regarding": {"kind": "Pod", "name": "p"},
    "note": "placed",
    "reportingController": "bayplan",
    "reason": "Scheduled",
    "deprecatedCount": 2,
}


def test_an_alias_is_stored_under_the_first_api():
    pool = REGISTRY.resolve("ap")
    stored = to_storage(pool, {"apiVersion": "neuronetes.ai/v1alpha1", "kind": "AgentPool", "spec": {}})

    assert stored["apiVersion"] == "neuronetes.io/v1alpha1"
    assert from_storage(pool, stored, pool.apis[1])["apiVersion"] == "neuronetes.ai/v1alpha1"


def test_events_of_both_groups_are_the_same_objects():
    events = REGISTRY.resolve("events")
    stored = to_storage(events, EVENT)

    assert stored["apiVersion"] == "v1"
    assert stored["involvedObject"] == EVENT["regarding"]
    assert (stored["message"], stored["reportingComponent"], stored["count"]) == ("placed", "bayplan", 2)
    assert from_storage(events, stored, Api("events.k8s.io", "v1")) == EVENT
