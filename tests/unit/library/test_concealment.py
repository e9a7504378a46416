"""Who may see some namespaces gets the same answers, without the names of others."""

import json

import pytest

import bayplan
from bayplan.cluster.booking import Booking, Budget
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.worker import Worker
from bayplan.library.concealment import OTHERS, concealed, read_concealed
from bayplan.library.documents import documents_of

HIDDEN = "hush"


def held(number, namespace=f"{HIDDEN}-team", workload=f"{HIDDEN}-job", **fields):
    of_one = {"workload": workload, "namespace": namespace, "replica": number, "gpus": [{"index": number}]}
    return {**of_one, "worker": "w", **fields}


def cluster(*bookings, **fields):
    worker = {"name": "w", "gpus": {"count": 4, "model": "A100", "memory": "80Gi"}}
    return {"workers": [worker], "bookings": list(bookings), **fields}


FULL = {
    "held": cluster(*map(held, range(4))),
    "a gang": cluster(*(held(number, gang=f"{HIDDEN}-gang", priority=-5) for number in range(4))),
    "beside one of our own": cluster(held(0, "team", "ours"), *map(held, range(1, 4))),
    "with a budget": cluster(
        *map(held, range(4)),
        budgets=[{"namespace": f"{HIDDEN}-team", "workload": f"{HIDDEN}-job", "minAvailable": 3}],
    ),
    "of two others": cluster(
        *(held(number, f"{HIDDEN}-{number % 2}", priority=number) for number in range(4)),
    ),
}
ASKS = {
    "waits": {},
    "preempts": {"priority": 100, "preemption": "lower-priority"},
    "would have to raise its priority": {"priority": -100},
    "stays away from a name that another has too": {"antiAffinity": [f"{HIDDEN}-job"]},
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
@pytest.mark.parametrize("full", FULL.values(), ids=FULL)
def test_the_same_answer_without_names(full, ask):
    workload = {"metadata": {"name": "new", "namespace": "team"}, "spec": {"gpus": {"count": 2}, **ask}}
    plain = bayplan.why(workload, full)
    found = bayplan.why(workload, full, shown=("team",))

    own = json.dumps(ask)
    assert HIDDEN not in json.dumps(found).replace(f"{HIDDEN}-job", "" if HIDDEN in own else f"{HIDDEN}-job")
    assert "ours" in json.dumps(found) or "ours" not in json.dumps(plain)
    assert counted(found) == counted(plain)


def counted(answer):
    """What an answer says, without the names in it."""
    holders = [(each["worker"], len(each["held_by"]), each["feasible"]) for each in answer["workers"]]
    return answer["verdict"], holders, len(answer["victims"]), [each["change"] for each in answer["changes"]]


def test_numbers_for_names_keep_workloads_and_gangs_apart():
    workers = (Worker("w"),)
    bookings = (
        Booking("b", 0, "w", namespace="x", gang="g", role="leader"),
        Booking("a", 0, "w", namespace="x", gang="g"),
        Booking("a", 0, "w", namespace="y"),
        Booking("a", 0, "w", namespace="team", gang="g", role="leader"),
    )
    found = concealed(Cluster(workers, bookings, (Budget("a", 1, "y"), Budget("a", 1, "team"))), ("team",))

    assert [(each.namespace, each.workload, each.gang, each.role) for each in found.bookings] == [
        (OTHERS, "workload-2", "gang-1", ""),
        (OTHERS, "workload-1", "gang-1", ""),
        (OTHERS, "workload-3", None, ""),
        ("team", "a", "g", "leader"),
    ]
    assert [(each.namespace, each.workload) for each in found.budgets] == [(OTHERS, "workload-3"), ("team", "a")]


def test_warnings_are_counted_and_not_shown():
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": 4}}}
    container = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": 2}}}
    pod = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": HIDDEN, "namespace": "x"},
        "spec": {"nodeName": "n", "containers": [container]},
    }
    inventory = read_concealed(documents_of([node, pod], "cluster"), ("team",))

    assert inventory.pods == ()
    assert inventory.warnings
    assert HIDDEN not in str(inventory.warnings)


def test_an_object_that_cannot_be_read_is_not_named():
    broken = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": HIDDEN}, "status": {"allocatable": {"cpu": "x"}}}

    with pytest.raises(bayplan.BayplanError, match="an object of the cluster cannot be read") as refused:
        read_concealed(documents_of([broken], "cluster"), ("team",))

    assert HIDDEN not in str(refused.value)
