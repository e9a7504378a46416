"""What all asks of a replica have in common."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import CardId, GpuId
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import CostLimit, Locality
from bayplan.placement.asks.ask import FractionOf, Taking
from bayplan.placement.asks.base_ask import base_ask
from bayplan.placement.asks.role_on_cluster import RoleOnCluster
from bayplan.placement.asks.tier import Tier
from unit.placement.builders import LLAMA, asks_of, hash_of, need, role, worker

EIGHT = worker("a", cards=8)


MODEL = need(8000, **LLAMA)


def test_what_is_demanded_is_handed_on():
    what = role(
        gpus={"count": 1, "models": ("H100",)}, cpu_milli=1, ram_mib=2, regions=("eu",), anti_affinity=("o",),
        near=("db",), max_carbon_g_per_kwh=3.0, cost=CostLimit(4.0, spot=False),
    )  # fmt: skip
    (ask,) = asks_of(what, EIGHT).asks

    assert (ask.cpu_milli, ask.ram_mib, ask.regions, ask.anti_affinity, ask.near) == (1, 2, ("eu",), ("o",), ("db",))
    assert (ask.max_carbon_g_per_kwh, ask.max_usd_per_hour, ask.spot, ask.rule.models) == (3.0, 4.0, False, ("H100",))


FLAGS = {
    "vLLM": (role(MODEL, "vllm", "--gpu-memory-utilization=0.9"), FractionOf.CARD),
    "SGLang": (role(MODEL, "sglang", "--mem-fraction-static=0.9"), FractionOf.STATIC),
}


@pytest.mark.parametrize(("what", "of"), FLAGS.values(), ids=FLAGS)
def test_a_fraction_is_of_the_card_or_of_the_model(what, of):
    fits = {ask.fit for ask in asks_of(what, EIGHT).asks}

    assert [(float(fit.fraction), fit.of) for fit in fits] == [(0.9, of)]


def test_chosen_cards_and_those_that_are_not_there():
    ids = (GpuId("a", "cuda", 1), GpuId("a", "cuda", 99), GpuId("nobody", "cuda", 0))
    asked = asks_of(role(gpus={"count": 1}, gpu_ids=ids), EIGHT)

    assert asked.asks[0].selected == frozenset({(hash_of("a"), CardId("cuda", 1))})
    assert [warning.split()[1] for warning in asked.warnings] == ["a:cuda:99", "nobody:cuda:0"]


NEAR = {
    "NVLink": ({"count": 2, "locality": Locality.NVLINK}, [(Locality.NVLINK, 0.0)]),
    "bandwidth": ({"count": 2, "min_bandwidth_gb_per_s": 50.0}, [(None, 50.0)]),
    "one worker is what is asked anyhow": ({"count": 2, "locality": Locality.SAME_NODE}, [(None, 0.0)]),
    "one card": ({"count": 1, "locality": Locality.NVLINK, "min_bandwidth_gb_per_s": 50.0}, [(None, 0.0)]),
    "any, over workers too": ({"count": 2, "locality": Locality.ANY}, [(None, 0.0), (None, 0.0)]),
    "nobody knows how fast workers are joined": (
        {"count": 2, "locality": Locality.ANY, "min_bandwidth_gb_per_s": 50.0}, [(None, 50.0)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "wanted"), NEAR.values(), ids=NEAR)
def test_how_near_cards_must_be(gpus, wanted):
    assert [(ask.locality, ask.min_bandwidth_gb_per_s) for ask in asks_of(role(gpus=gpus), EIGHT).asks] == wanted


def test_it_has_no_cards_yet():
    asked = base_ask(RoleOnCluster(role(MODEL, "vllm", gpus={"count": 2}), Snapshot.load([EIGHT], ())))

    assert (asked.taking, asked.shapes, asked.tier) == (Taking.NOTHING, (), Tier.AS_REQUESTED)
    assert (asked.rule.backend, asked.rule.needs_memory, asked.rule.mixes_models) == ("vllm", True, False)


def test_storage_that_no_worker_states_does_not_count():
    wanted = FrozenMap({"ephemeral-storage": 5, "rdma/ib": 1})
    on = RoleOnCluster(role(resources=wanted), Snapshot.load([EIGHT], ()))

    assert base_ask(on).resources == FrozenMap({"rdma/ib": 1})
    assert on.warnings == ["no worker states how much ephemeral-storage it has, so ephemeral-storage does not count"]
