"""Fields that field selectors may name."""

from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.selectable import selectable_fields, stored_term
from bayplan.control.selection import FieldTerm


def test_every_kind_can_be_chosen_by_name():
    assert selectable_fields(REGISTRY.resolve("ap")) == ("metadata.name", "metadata.namespace")
    assert selectable_fields(REGISTRY.resolve("pc")) == ("metadata.name",)


def test_pods_by_worker_and_phase():
    assert {"spec.nodeName", "status.phase"} <= set(selectable_fields(REGISTRY.resolve("pods")))


def path_of(name, path):
    return stored_term(REGISTRY.resolve(name), FieldTerm(path, "x")).path


def test_events_of_the_newer_group_ask_for_stored_fields():
    assert path_of("events", "regarding.name") == "involvedObject.name"
    assert path_of("events", "source") == "source.component"
    assert path_of("pods", "regarding.name") == "regarding.name"


def test_an_absent_truth_value_is_false():
    nodes = REGISTRY.resolve("nodes")
    free, cordoned = {"spec": {}}, {"spec": {"unschedulable": True}}
    asked = stored_term(nodes, FieldTerm("spec.unschedulable", "false"))
    unasked = stored_term(nodes, FieldTerm("spec.unschedulable", "false", equal=False))

    assert [asked.holds(each) for each in (free, cordoned)] == [True, False]
    assert [unasked.holds(each) for each in (free, cordoned)] == [False, True]
