"""Fields that field selectors may name."""

from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.selectable import selectable_fields, stored_field


def test_every_kind_can_be_chosen_by_name():
    assert selectable_fields(REGISTRY.resolve("ap")) == ("metadata.name", "metadata.namespace")
    assert selectable_fields(REGISTRY.resolve("pc")) == ("metadata.name",)


def test_pods_by_worker_and_phase():
    assert {"spec.nodeName", "status.phase"} <= set(selectable_fields(REGISTRY.resolve("pods")))


def test_events_of_the_newer_group_ask_for_stored_fields():
    events = REGISTRY.resolve("events")

    assert stored_field(events, "regarding.name") == "involvedObject.name"
    assert stored_field(events, "source") == "source.component"
    assert stored_field(REGISTRY.resolve("pods"), "regarding.name") == "regarding.name"
