"""A role beside its cluster: what each card must hold, and whether a replica may span workers."""

import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardShape
from bayplan.placement.asks.role_on_cluster import RoleOnCluster
from unit.placement.builders import LLAMA, asks_of, need, role, worker

EIGHT = worker("a", cards=8)


FOUR = worker("b", cards=4)


MODEL = need(8000, **LLAMA)


def test_what_each_card_needs():
    model = need(8000, kv_mib=800, overhead_mib=50, **LLAMA)
    one, several = asks_of(role(model, "vllm"), EIGHT).asks

    assert one.shapes[0].need_mib == 8850
    assert {shape.cards: shape.need_mib for shape in several.shapes if shape.pp == 1} == {2: 4450, 4: 2250, 8: 1150}


def test_a_share_that_is_asked_for_is_the_least_that_is_booked():
    one, several = asks_of(role(MODEL, "vllm", gpus={"memory_mib": 5000}), EIGHT).asks

    assert one.shapes[0].need_mib == 8000
    assert {shape.need_mib for shape in several.shapes} == {5000}


@pytest.mark.parametrize("near", [Locality.NVLINK, Locality.SAME_SOCKET, Locality.SAME_NODE])
def test_a_locality_goes_before_leave_to_span(near):
    asks = asks_of(role(MODEL, "vllm", gpus={"locality": near}, distributed=True), EIGHT).asks

    assert [str(ask.tier) for ask in asks] == ["one-gpu", "one-worker"]
    assert asks[0].locality is None


def on(what, *workers):
    return RoleOnCluster(what, Snapshot.load(workers, ()))


def test_cards_of_the_cluster_and_of_its_widest_worker():
    assert (on(role(), EIGHT, FOUR).widest, on(role(), EIGHT, FOUR).cards) == (8, 12)
    assert (on(role()).widest, on(role()).cards) == (0, 0)


SPANS = {
    "not unless it is said": (role(MODEL, "vllm"), False),
    "distributed": (role(MODEL, "vllm", distributed=True), True),
    "any locality": (role(gpus={"count": 2, "locality": Locality.ANY}), True),
    "but not with a bandwidth between cards": (
        role(gpus={"count": 2, "locality": Locality.ANY, "min_bandwidth_gb_per_s": 50.0}), False),
    "one card has nothing between": (
        role(gpus={"count": 1, "locality": Locality.ANY, "min_bandwidth_gb_per_s": 50.0}), True),
}  # fmt: skip


@pytest.mark.parametrize(("what", "wanted"), SPANS.values(), ids=SPANS)
def test_whether_cards_of_several_workers_will_do(what, wanted):
    assert on(what, EIGHT).spans is wanted


def test_cards_in_tensor_parallel_must_find_room_on_one_worker():
    shape = CardShape(8, unit=8)

    assert on(role(), EIGHT).stays_together(shape)
    assert not on(role(), FOUR).stays_together(shape)
    assert on(role(), FOUR).stays_together(CardShape(8, unit=8, splits=True))
