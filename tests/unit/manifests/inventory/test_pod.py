"""Pods that stand on Nodes hold what they ask for."""

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.identity import GangKey
from bayplan.cluster.mig import MigInstance
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import node, pod, read, read_fixtures

GROUP = "scheduling.x-k8s.io/pod-group"
CARDS = {"gpu": "4", "nvidia.com/mig-1g.5gb": "7"}


def booked(*pods, on=None):
    return read(on or node(**CARDS), *pods).cluster.bookings


def indices(booking):
    return [part.index for part in booking.cards]


def test_pods_of_full_size():
    inventory = read_fixtures("pods.json", "kubernetes-nodes.json")
    llama, train, proxy = inventory.cluster.bookings

    assert (llama.workload, llama.cpu_milli, llama.ram_mib, llama.priority) == ("llama-0", 16000, 65536, 1000)
    assert indices(llama) == [4]
    assert (train.workload, train.gang, train.cpu_milli, train.ram_mib) == ("train", "train", 600, 102528)
    assert indices(train) == [0, 1]
    assert (proxy.workload, proxy.cpu_milli, proxy.cards) == ("kube-proxy-x2k9d", 100, ())
    (warning,) = inventory.warnings
    assert "the free cards with the lowest numbers are booked: 2" in warning


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_is_over_holds_nothing(phase):
    assert booked(pod(phase=phase, gpu="1")) == ()


def test_a_pod_without_a_node_holds_nothing():
    inventory = read(node(**CARDS), pod(on="", gpu="1"))

    assert inventory.cluster.bookings == ()
    assert "is on no node yet" in inventory.warnings[0]


def test_a_pod_on_an_unknown_node_is_left_out():
    inventory = read(node(**CARDS), pod(on="gone", gpu="1"))

    assert inventory.cluster.bookings == ()
    assert "has no node 'gone'" in inventory.warnings[0]


def test_pods_come_before_or_after_their_node():
    inventory = read(pod(gpu="1"), node(**CARDS))

    assert indices(inventory.cluster.bookings[0]) == [0]


def test_pods_of_one_name_in_two_namespaces_are_two_workloads():
    found = booked(pod("p", gpu="1"), pod("p", namespace="x", gpu="1"), pod("q", namespace="x", labels={GROUP: "p"}))

    assert [str(each.owner) for each in found] == ["p#0", "x/p#0", "x/p#1"]
    assert [each.gang_key for each in found] == [None, None, GangKey("x", "p")]


def test_each_pod_gets_cards_of_its_own():
    first, second = booked(pod("a", gpu="1"), pod("b", gpu="2"))

    assert (indices(first), indices(second)) == ([0], [1, 2])


def test_all_cards_of_a_node_need_no_warning():
    inventory = read(node(gpu="2"), pod(gpu="2"))

    assert indices(inventory.cluster.bookings[0]) == [0, 1]
    assert inventory.warnings == ()


def test_more_cards_than_there_are_is_told():
    inventory = read(node(gpu="1"), pod(gpu="3"))

    assert indices(inventory.cluster.bookings[0]) == [0]
    assert "asks for 3 cuda cards, but its node has only 1 left" in inventory.warnings[0]


def test_slices_of_no_known_card():
    (booking,) = booked(pod(**{"nvidia.com/mig-1g.5gb": "2"}))

    assert booking.cards == (CardBooking(None, mig=MigInstance("1g.5gb")),) * 2


def test_pods_of_one_group_are_replicas_of_one_workload():
    labels = {"pod-group.scheduling.sigs.k8s.io": "g"}
    bookings = booked(pod("a", labels=labels), pod("b", labels=labels), pod("c"))

    assert [(each.workload, each.replica, each.gang) for each in bookings] == [
        ("g", 0, "g"), ("g", 1, "g"), ("c", 0, None)
    ]  # fmt: skip


REQUESTS = {
    "requests":                 ([{"requests": {"cpu": "1", "memory": "1Gi"}}], [], None, (1000, 1024)),
    "limits stand in":          ([{"limits": {"cpu": "2"}, "requests": {"memory": "1Mi"}}], [], None, (2000, 1)),
    "requests before limits":   ([{"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}], [], None, (1000, 0)),
    "containers add up":        ([{"requests": {"cpu": "1"}}, {"requests": {"cpu": "500m"}}], [], None, (1500, 0)),
    "rounded up":               ([{"requests": {"cpu": "1u", "memory": "1"}}], [], None, (1, 1)),
    "the largest init":         ([{"requests": {"cpu": "1"}}], [{"cpu": "3"}, {"cpu": "2"}], None, (3000, 0)),
    "overhead":                 ([{"requests": {"cpu": "1"}}], [], {"cpu": "250m", "memory": "120Mi"}, (1250, 120)),
}  # fmt: skip


@pytest.mark.parametrize(("containers", "init", "overhead", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_what_containers_ask_for_together(containers, init, overhead, expected):
    data = pod()
    data["spec"]["containers"] = [{"name": f"c{n}", "resources": each} for n, each in enumerate(containers)]
    data["spec"]["initContainers"] = [{"name": f"i{n}", "resources": {"requests": each}} for n, each in enumerate(init)]
    data["spec"]["overhead"] = overhead

    (booking,) = booked(data)

    assert (booking.cpu_milli, booking.ram_mib) == expected


def test_sidecars_run_beside_the_containers():
    data = pod(cpu="1")
    data["spec"]["initContainers"] = [{"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}]

    assert booked(data)[0].cpu_milli == 2000


def test_devices_that_we_told_ourselves():
    told = '[{"index": 2, "memory_mib": 2048, "headroom_mib": 800, "compute_percent": 12.5, "mig": null}]'
    (booking,) = booked(pod(gpu="1", annotations={"bayplan.io/devices": told}))

    assert booking.cards == (CardBooking(2, memory_mib=2048, compute_milli=125, headroom_mib=800),)


def test_told_slices():
    told = '[{"index": 1, "mig": {"profile": "1g.5gb", "start": 3}}, {"index": null, "mig": "1g.5gb"}]'
    (booking,) = booked(pod(annotations={"bayplan.io/devices": told}))

    assert booking.cards == (CardBooking(1, mig=MigInstance("1g.5gb", 3)), CardBooking(None, mig=MigInstance("1g.5gb")))


DEVICES = {
    "no list":          '{"index": 0}',
    "no devices":       "[1]",
    "cut off":          '[{"index": ',
    "negative":         '[{"index": -1}]',
    "a nested mig":     '[{"index": 0, "mig": {"profile": []}}]',
    "too much compute": '[{"index": 0, "compute_percent": 101}]',
}  # fmt: skip


@pytest.mark.parametrize("told", DEVICES.values(), ids=DEVICES)
def test_devices_that_cannot_be_read_are_not_believed(told):
    inventory = read(node(gpu="1"), pod(gpu="1", annotations={"bayplan.io/devices": told}))

    assert inventory.cluster.bookings[0].cards == (CardBooking(0),)
    assert "bayplan.io/devices" in inventory.warnings[0]


def test_devices_that_are_not_there_are_left_out():
    told = '[{"index": 0}, {"index": 9}]'
    inventory = read(node(gpu="1"), pod(gpu="2", annotations={"bayplan.io/devices": told}))

    assert inventory.cluster.bookings[0].cards == (CardBooking(0),)
    assert "1 of 2 cards are not on the node" in inventory.warnings[0]


def shared(**annotations):
    plugin = {"ai.centaurus.io/physical-gpu-uuids": "GPU-a,GPU-b", "ai.centaurus.io/vitual-gpu-count": "12,12"}
    asked = {"alnair/vgpu-memory": "3", "alnair/vgpu-compute": "25"}
    return read(node(annotations=plugin), pod(annotations=annotations, **asked))


def test_a_share_that_alnair_gave():
    inventory = shared(**{"ai.centaurus.io/alnair-gpu-id": "GPU-b"})

    assert inventory.cluster.bookings[0].cards == (CardBooking(1, memory_mib=3072, compute_milli=250),)


def test_a_share_of_no_known_card_is_told():
    inventory = shared()

    assert inventory.cluster.bookings[0].cards == ()
    assert "the Pod does not say which card its share is on" in inventory.warnings[0]


HOSTILE = {
    "no name":              (lambda d: d["metadata"].pop("name"), "metadata.name"),
    "node name is a list":  (lambda d: d["spec"].update(nodeName=[1]), "spec.nodeName"),
    "containers in a map":  (lambda d: d["spec"].update(containers={}), "spec.containers"),
    "a container is null":  (lambda d: d["spec"].update(containers=[None]), "spec.containers[0]"),
    "resources in a list":  (lambda d: d["spec"].update(containers=[{"resources": []}]), "containers[0].resources"),
    "negative cpu":         (lambda d: _ask(d, "cpu", "-1"), "containers[0].resources.requests.cpu"),
    "negative cards":       (lambda d: _ask(d, "nvidia.com/gpu", "-1"), 'requests["nvidia.com/gpu"]'),
    "10^30 cards":          (lambda d: _ask(d, "nvidia.com/gpu", 10**30), 'requests["nvidia.com/gpu"]'),
    "10^9 slices":          (lambda d: _ask(d, "nvidia.com/mig-1g.5gb", 10**9), 'requests["nvidia.com/mig-1g.5gb"]'),
    "10^30 of memory":      (lambda d: _ask(d, "memory", "1e30"), "requests.memory"),
    "priority is a text":   (lambda d: d["spec"].update(priority="high"), "spec.priority"),
    "phase is a mapping":   (lambda d: d["status"].update(phase={}), "status.phase"),
}  # fmt: skip


def _ask(data, key, value):
    data["spec"]["containers"] = [{"resources": {"requests": {key: value}}}]


@pytest.mark.parametrize(("spoil", "place"), HOSTILE.values(), ids=HOSTILE)
def test_refused_with_its_place(spoil, place):
    data = pod()
    spoil(data)

    with pytest.raises(InputError) as caught:
        booked(data)

    assert caught.value.place.startswith("cluster.json:")
    assert place in caught.value.place
    assert caught.value.next


def asking(cpu, **more):
    return {"resources": {"requests": {"cpu": cpu, **more}}}


STARTS = {
    "a sidecar before an init container": (
        {"initContainers": [asking(2) | {"restartPolicy": "Always"}, asking(7)]}, 9000),
    "a sidecar after it": ({"initContainers": [asking(7), asking(2) | {"restartPolicy": "Always"}]}, 7000),
    "the whole Pod": ({"resources": {"requests": {"cpu": 6}}}, 6000),
    "a limit of the whole Pod": ({"resources": {"limits": {"cpu": 6}}}, 1000),
    "overhead": ({"resources": {"requests": {"cpu": 6}}, "overhead": {"cpu": "500m"}}, 6500),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "cpu_milli"), STARTS.values(), ids=STARTS)
def test_starts_and_whole_pods(spec, cpu_milli):
    one = pod()
    one["spec"] |= {"containers": [asking(1)], **spec}

    assert booked(one)[0].cpu_milli == cpu_milli


def test_storage_is_held_in_mib():
    one = pod()
    one["spec"]["containers"] = [asking(1, **{"ephemeral-storage": "2Gi", "hugepages-2Mi": "4Mi"})]

    assert booked(one)[0].resources == {"ephemeral-storage": 2048, "hugepages-2Mi": 4}


def test_roles_of_members():
    leader, single = pod("l"), pod("s", labels={GROUP: "g"})
    leader["metadata"]["labels"] = {"leaderworkerset.sigs.k8s.io/worker-index": "0"}

    assert [each.role for each in booked(leader, single, pod("p"))] == ["leader", "s", ""]
