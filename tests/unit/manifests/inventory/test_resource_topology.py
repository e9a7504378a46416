"""NUMA zones of NodeResourceTopology objects, joined to their workers."""

import copy
import json

import pytest

from bayplan.cluster.numa import Numa, NumaZone
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import FIXTURES, node, pod, read, read_fixtures, read_one


def zone(number, *, distances=None, **resources):
    """A zone; resources are `available` of `name`, or `(allocatable, available)`."""
    listed = []
    for key, value in resources.items():
        name = {"gpu": "nvidia.com/gpu", "amd": "amd.com/gpu"}.get(key, key)
        allocatable, available = value if isinstance(value, tuple) else (value, value)
        listed.append({"name": name, "capacity": allocatable, "allocatable": allocatable, "available": available})
    costs = [{"name": f"node-{other}", "value": cost} for other, cost in (distances or {}).items()]
    return {"name": f"node-{number}", "type": "Node", "resources": listed, "costs": costs}


def topology(*zones, name="n", policy="single-numa-node", scope="container", **fields):
    attributes = [
        {"name": "topologyManagerPolicy", "value": policy}, {"name": "topologyManagerScope", "value": scope}
    ]  # fmt: skip
    kind = {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology"}
    return {**kind, "metadata": {"name": name}, "attributes": attributes, "zones": list(zones), **fields}


def test_an_object_of_full_size():
    inventory = read_fixtures("resource-topology.json", "kubernetes-nodes.json")
    (worker,) = inventory.cluster.workers

    assert inventory.warnings == ()
    assert (worker.numa.policy, worker.numa.scope) == ("single-numa-node", "pod")
    assert [(each.id, each.cpu_milli, each.ram_mib) for each in worker.numa.zones] == [
        (0, 31845, 444742834 // 1024), (1, 31845, 444742834 // 1024)
    ]  # fmt: skip
    assert worker.numa.zones[1].distance(0) == 21
    assert [gpu.numa for gpu in worker.gpus] == [0] * 4 + [1] * 4
    assert worker.links is not None


def test_zones_are_what_is_free():
    worker = read_one(topology(zone(0, cpu=("4", "3"), memory=("8Gi", "1Gi"), distances={0: 10, 1: 20})), node())

    assert worker.numa == Numa("single-numa-node", "container", (NumaZone(0, 3000, 1024, {0: 10, 1: 20}),))


GIVEN_BACK = {
    "nobody holds anything": ([], [3000, 3000]),
    "in the zone of its card": ([pod("p", gpu="1", cpu="1")], [4000, 3000]),
    "without a card": ([pod("p", cpu="1")], [3000, 3000]),
    "with cards of both zones": ([pod("p", gpu="2", cpu="1")], [3000, 3000]),
    "no more than the zone could give": ([pod("p", gpu="1", cpu="9")], [8000, 3000]),
    "one after the other": ([pod("p", gpu="1", cpu="1"), pod("q", gpu="1", cpu="2")], [4000, 5000]),
}


@pytest.mark.parametrize(("pods", "cores"), GIVEN_BACK.values(), ids=GIVEN_BACK)
def test_what_pods_hold_is_not_counted_twice(pods, cores):
    zones = [zone(number, cpu=("8", "3"), gpu=("1", "0")) for number in range(2)]
    (worker,) = read(node("n", gpu="2"), topology(*zones), *pods).cluster.workers

    assert [each.cpu_milli for each in worker.numa.zones] == cores
    assert [each.ram_mib for each in worker.numa.zones] == [None, None]


POLICIES = {
    "SingleNUMANodeContainerLevel": ("single-numa-node", "container"),
    "SingleNUMANodePodLevel":       ("single-numa-node", "pod"),
    "SingleNUMANode":               ("single-numa-node", "container"),
    "Restricted":                   ("restricted", "container"),
    "BestEffortPodLevel":           ("best-effort", "pod"),
    "None":                         ("none", "container"),
    "Surprise":                     ("none", "container"),
}  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), POLICIES.items(), ids=POLICIES)
def test_the_older_api_names_policy_and_scope_in_one_word(word, expected):
    numa = read_one(node(), topology(zone(0), attributes=None, topologyPolicies=[word])).numa

    assert (numa.policy, numa.scope) == expected


def test_attributes_go_before_the_older_word():
    numa = read_one(node(), topology(zone(0), scope="pod", topologyPolicies=["Restricted"])).numa

    assert (numa.policy, numa.scope) == ("single-numa-node", "pod")


def test_cards_of_each_vendor_are_spread_over_the_zones():
    worker = read_one(node(gpu="3", **{"amd.com/gpu": "1"}), topology(zone(1, gpu="1", amd="1"), zone(0, gpu="2")))

    assert [(str(gpu.card), gpu.numa) for gpu in worker.gpus] == [
        ("cuda:0", 0), ("cuda:1", 0), ("cuda:2", 1), ("rocm:0", 1)
    ]  # fmt: skip


def test_another_number_of_cards_stays_unknown():
    inventory = read(node(gpu="3"), topology(zone(0, gpu="4")))

    assert [gpu.numa for gpu in inventory.cluster.workers[0].gpus] == [None] * 3
    assert "the zones have 4 cuda cards and the worker 3" in inventory.warnings[0]


def test_cards_that_somebody_holds_are_told():
    (warning,) = read(node(gpu="4"), topology(zone(0, gpu=("4", "1")))).warnings

    assert "3 cards are in use, but the Pods that use them are not in the inventory" in warning


def test_zones_of_nobody_are_told():
    inventory = read(node(), topology(zone(0), name="other"))

    assert inventory.cluster.workers[0].numa is None
    assert "has no node 'other'" in inventory.warnings[0]


def test_other_kinds_of_zones_are_not_numa():
    cache = {"name": "l3-0", "type": "L3Cache", "resources": []}

    assert [each.id for each in read_one(node(), topology(zone(0), cache)).numa.zones] == [0]


def spoilt(path, value):
    """The object of full size with one value replaced."""
    data = json.loads((FIXTURES / "resource-topology.json").read_text())["items"][0]
    data["metadata"]["name"] = "n"
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = copy.deepcopy(value)
    return data


HOSTILE = {
    "zones are a text":     (("zones",), "node-0", "[1].zones"),
    "a zone is a number":   (("zones", 0), 7, "zones[0]"),
    "a name of no number":  (("zones", 0, "name"), "node-x", "zones[0].name"),
    "a name is a list":     (("zones", 0, "name"), [0], "zones[0].name"),
    "a zone twice":         (("zones", 0, "name"), "node-1", "zones[1].id"),
    "negative cpu":         (("zones", 0, "resources", 0, "available"), "-1", "resources[0].available"),
    "10^30 of memory":      (("zones", 0, "resources", 1, "available"), 10**30, "resources[1].available"),
    "a billion cards":      (("zones", 0, "resources", 2, "allocatable"), "1000000000", "resources[2].allocatable"),
    "a cost is a mapping":  (("zones", 0, "costs", 0, "value"), {}, "costs[0].value"),
    "a cost is half":       (("zones", 0, "costs", 0, "value"), 10.5, "costs[0].value"),
    "attributes in a map":  (("attributes",), {"name": "x"}, "attributes"),
    "a value is a list":    (("attributes", 0, "value"), [], "attributes[0].value"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "value", "place"), HOSTILE.values(), ids=HOSTILE)
def test_refused_with_its_place(path, value, place):
    with pytest.raises(InputError) as caught:
        read(node("n", gpu="8"), spoilt(path, value))

    assert caught.value.place.startswith("cluster.json:")
    assert place in caught.value.place
    assert caught.value.next
