import pytest

from bayplan.control.scheduling.pod_places import is_over, is_unbound, node_of, told_text
from bayplan.manifests.marks import BOOKING
from unit.control.scheduling.scheduler import pod


def marked(annotations):
    found = pod("p")
    found["metadata"]["annotations"] = annotations
    return found


def in_phase(phase, **spec):
    return {**pod("p", **spec), "status": {"phase": phase}}


PLACES = {
    "there is none": (None, ""),
    "it waits": (pod("p"), ""),
    "it is bound": (pod("p", nodeName="a"), "a"),
    "it runs": (in_phase("Running", nodeName="a"), "a"),
    "it succeeded": (in_phase("Succeeded", nodeName="a"), ""),
    "it failed": (in_phase("Failed", nodeName="a"), ""),
    "its status is not known": ({**pod("p", nodeName="a"), "status": None}, "a"),
}


@pytest.mark.parametrize(("document", "node"), PLACES.values(), ids=PLACES)
def test_where_a_pod_holds_something(document, node):
    assert node_of(document) == node


def test_whether_a_pod_has_a_place_or_is_over():
    assert is_unbound(pod("p"))
    assert not is_unbound(pod("p", nodeName="a"))
    assert not is_unbound(None)
    assert [is_over(in_phase(each)) for each in ("Pending", "Running", "Succeeded", "Failed")] == [0, 0, 1, 1]


def test_what_a_pod_says_that_it_holds():
    texts = [told_text(each) for each in (None, pod("p"), marked({BOOKING: "{}"}), marked({BOOKING: ""}), marked(None))]

    assert texts == ["", "", "{}", "", ""]
