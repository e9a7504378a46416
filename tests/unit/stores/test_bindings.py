import pytest

from bayplan.control.store import Binding
from bayplan.control.store_errors import InvalidObjectError, StaleError
from bayplan.stores.bindings import bound_pod, pod_of

TO_N = Binding("d", "p", "n")
KEY = pod_of(TO_N)


def pod(spec=None, status=None, **metadata):
    known = {"uid": "u", "resourceVersion": "7", "generation": 1}
    return {"metadata": known | metadata, "spec": spec or {}} | ({"status": status} if status else {})


REFUSED = {
    "another life": (Binding("d", "p", "n", uid="v"), pod(), StaleError, "the uid is u, but v was expected"),
    "another revision": (Binding("d", "p", "n", revision="6"), pod(), StaleError, "revision 6 was expected, 7 is"),
    "no worker": (Binding("d", "p", ""), pod(), InvalidObjectError, "a binding needs the name of a worker"),
    "being deleted": (TO_N, pod(deletionTimestamp="now"), StaleError, "is being deleted"),
    "bound already": (TO_N, pod({"nodeName": "m"}), StaleError, "already assigned to node m"),
    "gated": (TO_N, pod({"schedulingGates": [{"name": "g"}, {"name": "h"}]}), StaleError, "scheduling gates: g, h"),
}  # fmt: skip


@pytest.mark.parametrize(("binding", "document", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(binding, document, error, message):
    with pytest.raises(error, match=message):
        bound_pod(KEY, binding, document, "now")


def test_the_pod_gets_its_worker_the_annotations_and_the_condition():
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    ready = {"type": "Ready", "status": "False"}
    given = pod(status={"phase": "Pending", "conditions": [waiting, ready]}, annotations={"a": "1", "b": "1"})
    bound = bound_pod(KEY, Binding("d", "p", "n", "u", {"b": "2"}, "7"), given, "now")

    assert bound["spec"]["nodeName"] == "n"
    assert bound["metadata"]["annotations"] == {"a": "1", "b": "2"}
    assert bound["metadata"]["generation"] == 2
    assert bound["status"]["phase"] == "Pending"
    assert [(each["type"], each["status"]) for each in bound["status"]["conditions"]] == [
        ("Ready", "False"), ("PodScheduled", "True"),
    ]  # fmt: skip


def test_a_pod_without_anything():
    bound = bound_pod(KEY, TO_N, {"metadata": {"uid": "u"}}, "now")

    assert bound["spec"] == {"nodeName": "n"}
    assert "annotations" not in bound["metadata"]
