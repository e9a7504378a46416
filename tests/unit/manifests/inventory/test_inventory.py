"""Objects of all dialects become one cluster."""

import json

import pytest

from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.inventory.kinds import GPUSTACK, KUBERNETES
from bayplan.manifests.limits import INVENTORY
from bayplan.manifests.reader import read_text
from unit.manifests.inventory.builders import node, pod, read, read_fixtures

NATIVE = {
    "apiVersion": "bayplan.io/v1alpha1",
    "kind": "Cluster",
    "workers": [{"name": "ours", "gpus": {"count": 2, "model": "L4", "memory": "24Gi"}}],
    "bookings": [{"workload": "w", "replica": 0, "worker": "n", "gpus": [{"index": 0}]}],
    "budgets": [{"workload": "w", "minAvailable": 1}],
}


def test_all_dialects_together():
    names = ("kubernetes-nodes", "resource-topology", "pods", "alnair-nodes", "gpustack-workers", "gpustack-instances")
    cluster = read_fixtures(*(f"{name}.json" for name in names)).cluster

    assert [len(worker.gpus) for worker in cluster.workers] == [8, 8, 8]
    assert len(cluster.bookings) == 4
    assert cluster.workers[0].numa is not None


def test_a_file_of_our_own_mixed_in():
    cluster = read(node("n", gpu="2"), NATIVE).cluster

    assert [worker.name for worker in cluster.workers] == ["n", "ours"]
    assert cluster.bookings == (Booking("w", 0, "n", cards=(CardBooking(0),)),)
    assert cluster.budgets == (Budget("w", 1),)


def test_pods_do_not_take_the_cards_of_bookings():
    cluster = read(pod(gpu="1"), node("n", gpu="2"), NATIVE).cluster

    assert [[card.index for card in each.cards] for each in cluster.bookings] == [[0], [1]]


def test_documents_of_a_yaml_stream():
    text = "kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata: {name: b}\n"

    cluster = read_inventory(read_text(text, "f.yaml", INVENTORY)).cluster

    assert [worker.name for worker in cluster.workers] == ["a", "b"]


def test_two_nodes_of_one_name_are_refused_with_both_places():
    text = "kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata:\n  name: a\n"

    with pytest.raises(InputError) as caught:
        read_inventory(read_text(text, "f.yaml", INVENTORY))

    assert caught.value.place == "f.yaml:6: metadata.name"
    assert caught.value.message == "two workers are called 'a', the other is at f.yaml:2: metadata.name"


def test_a_node_and_a_worker_of_ours_of_one_name_are_refused():
    with pytest.raises(InputError, match=r"\[1\]\.workers\[0\]\.name: two workers are called 'ours'"):
        read(node("ours"), NATIVE)


def test_two_objects_about_the_zones_of_one_node_are_refused():
    zones = {"kind": "NodeResourceTopology", "metadata": {"name": "n"}, "zones": []}

    with pytest.raises(InputError, match="two objects describe the zones of 'n'"):
        read(node("n"), zones, zones)


def test_other_kinds_are_ignored_with_one_warning():
    inventory = read(node("n"), *({"kind": "Service", "metadata": {"name": str(number)}} for number in range(9)))

    assert len(inventory.cluster.workers) == 1
    (warning,) = inventory.warnings
    assert "Service objects do not describe capacity; they are ignored (and 8 more like it)" in warning


def test_warnings_of_the_native_reader_are_kept():
    warnings = read(node("n", gpu="1"), {**NATIVE, "flavour": "vanilla"}).warnings

    assert any("flavour" in warning for warning in warnings)


def test_errors_of_the_native_reader_keep_their_place():
    with pytest.raises(InputError) as caught:
        read(node("n"), {"kind": "Cluster", "workers": [{"name": "a", "cpu": "-1"}]})

    assert caught.value.place.startswith("cluster.json:")
    assert "workers[0].cpu" in caught.value.place


@pytest.mark.parametrize(("kinds", "wrong"), [(KUBERNETES, NATIVE), (GPUSTACK, node())], ids=["kubernetes", "gpustack"])
def test_other_kinds_than_asked_for_are_refused(kinds, wrong):
    with pytest.raises(InputError, match="is none of"):
        read_inventory(read_text(json.dumps(wrong), "f", INVENTORY), kinds)


def test_an_empty_inventory_is_an_empty_cluster():
    assert read().cluster.workers == ()


def test_objects_of_any_kind_are_part_of_a_cluster_of_kubernetes():
    others = [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {}}]
    found = read_inventory(read_text(json.dumps([node("n"), *others]), "f", INVENTORY), KUBERNETES)

    assert [worker.name for worker in found.cluster.workers] == ["n"]


def test_pods_do_not_take_the_replica_numbers_of_bookings():
    cluster = read(pod(name="w", gpu="1"), node("n", gpu="2"), NATIVE).cluster

    assert sorted(each.owner for each in cluster.bookings) == [("default", "w", 0), ("default", "w", 1)]
