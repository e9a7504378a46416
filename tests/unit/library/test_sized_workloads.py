"""Workloads from documents, with the sizes of their models."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.sized_workloads import located, read_sized_workloads
from bayplan.sizing.need import MIB

MODEL = {"weights": "10Gi", "kvCache": "1Gi", "overhead": 0, "architecture": {"heads": 8, "kvHeads": 8, "layers": 8}}


def read(*documents):
    return read_sized_workloads(documents_of(documents, "workloads"))


def workload(name="chat", **spec):
    return {"metadata": {"name": name}, "spec": spec}


def test_a_workload_with_the_size_of_its_model():
    (sized,) = read(workload(model=MODEL, backend={"name": "vllm", "args": ["-tp=2"]}, replicas=3))
    (role,) = sized.roles

    assert (sized.workload.name, role.name, role.replicas) == ("chat", None, 3)
    assert (role.need.weights_bytes, role.need.kv_bytes) == (10_240 * MIB, 1024 * MIB)
    assert (role.engine.name, role.engine.tp) == ("vllm", 2)


def test_a_workload_without_a_model_has_no_need():
    (sized,) = read(workload(gpus={"count": 1}))

    assert sized.roles[0].need is None


def test_roles_each_have_their_own_size():
    roles = [{"name": "x", "replicas": 2, "model": MODEL}, {"name": "y", "gpus": {"count": 1}}]
    (sized,) = read(workload(roles=roles))

    assert [(each.name, each.replicas, each.need is None) for each in sized.roles] == [
        ("x", 2, False),
        ("y", 1, True),
    ]


def test_workloads_keep_their_order():
    assert [each.workload.name for each in read(workload("b"), workload("a"))] == ["b", "a"]


def test_what_sizing_found_odd_is_told_once():
    roles = [{"name": name, "model": {"name": "m"}} for name in "xy"]
    (sized,) = read(workload(roles=roles))

    assert len(sized.warnings) == len(set(sized.warnings)) > 0


def test_documents_without_a_workload():
    with pytest.raises(InputError, match="there is no workload"):
        read()


NAMED = {
    "a field": ("gpus.count", "workload chat: gpus.count"),
    "nowhere": ("", "workload chat"),
    "named already": ("workload chat: gpus.mig", "workload chat: gpus.mig"),
}


@pytest.mark.parametrize(("place", "wanted"), NAMED.values(), ids=NAMED)
def test_what_only_planning_finds_names_the_workload(place, wanted):
    (sized,) = read(workload())

    with pytest.raises(InputError) as caught, located(sized.workload):
        raise InputError("is wrong", place=place, next="mend it", code="odd")

    assert (caught.value.place, caught.value.message) == (wanted, "is wrong")
    assert caught.value.next == "mend it"
