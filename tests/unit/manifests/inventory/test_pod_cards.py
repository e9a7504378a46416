"""Which cards, places and slices bound Pods hold where Kubernetes does not say."""

import pytest

from unit.manifests.inventory.builders import node, pod, read

SHARED = node(labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.memory": "23034"}, gpu="8")
SINGLE = node(labels={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"}, gpu="7")
PLAIN = node(labels={"nvidia.com/gpu.memory": "81559"}, gpu="3")


def held(*objects):
    """`[(index, MiB, thousandths, places) …]` of each booking."""
    return [
        [(part.index, part.memory_mib, part.compute_milli, part.places) for part in booking.cards]
        for booking in read(*objects).cluster.bookings
    ]


def test_places_go_to_the_card_with_the_fewest_used_ones():
    pods = [pod(f"p{number}", gpu="1") for number in range(3)]

    assert [[part[0] for part in parts] for parts in held(SHARED, *pods)] == [[0], [1], [0]]


def test_several_places_of_one_pod_are_on_different_cards_first():
    assert held(SHARED, pod(gpu="3")) == [[(0, 11517, 500, 2), (1, 5758, 250, 1)]]


def test_more_places_than_there_are_is_told():
    inventory = read(SHARED, pod(gpu="9"))

    assert sum(part.places for part in inventory.cluster.bookings[0].cards) == 8
    assert "asks for 9 places on cards, but its node has only 8 left" in inventory.warnings[-1]


def test_with_strategy_single_a_device_is_a_slice():
    (booking,) = read(SINGLE, pod(gpu="2")).cluster.bookings

    assert [part.mig.profile for part in booking.cards] == ["1g.5gb", "1g.5gb"]


def kai(name, group=None, *, namespace="lab", **annotations):
    written = pod(name, labels={} if group is None else {"runai-gpu-group": group}, annotations=annotations)
    written["metadata"]["namespace"] = namespace
    return written


def test_pods_of_one_group_share_a_card_and_other_groups_have_others():
    half = {"gpu-fraction": "0.5"}

    found = held(PLAIN, kai("a", "g1", **half), kai("b", "g2", **half), kai("c", "g1", **half))

    assert found == [[(0, 40779, 500, None)], [(1, 40779, 500, None)], [(0, 40779, 500, None)]]


def test_a_pod_that_reserves_a_card_holds_nothing_but_says_which():
    keeper = kai("r", "g", namespace="kai-resource-reservation", **{"run.ai/reserve_for_gpu_index": "2"})
    keeper["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}

    assert held(PLAIN, keeper, kai("a", "g", **{"gpu-memory": "2000"})) == [[], [(2, 2000, None, None)]]


@pytest.mark.parametrize("fraction", ["2", "0", "half", "-1"])
def test_a_fraction_that_is_none_is_told(fraction):
    inventory = read(PLAIN, kai("a", "g", **{"gpu-fraction": fraction}))

    assert inventory.cluster.bookings[0].cards == ()
    assert "it is ignored" in inventory.warnings[-1]
