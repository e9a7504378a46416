"""Each part of the five factors alone changes the winner; a wish decides between equals."""

from dataclasses import replace

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.workload import CostLimit
from bayplan.placement.answers.why import explain
from bayplan.placement.decision.five_factors import CARBON_PERCENT, STRATEGY, WEIGHTS, WISH_PERCENT
from fleets import CUT, booking, instance, share
from unit.placement.builders import gpu, planner, role, sized, worker

GIB = 1024


def cards(count=8, wiring=Wiring.NVSWITCH, *, zones=(0,) * 8, **others):
    known = {"memory_mib": 80 * GIB, "model": "A100-SXM4-80GB", "pcie_gen": 4, **others}
    gpus = tuple(gpu(index, numa=zones[index], **known) for index in range(count))
    return {"cards": gpus, "links": wire(wiring, gpus)}


PLAIN = {**cards(), "usd_per_hour": 30.0, "power_watts": 6500.0}
HOME, RACK = TopologyPath("r", "z", "b", "k1"), TopologyPath("r", "z", "b", "k2")
STORE = worker("store", topology=HOME, services=("store",))
MODEL = {"model": ModelSpec(name="llama")}


def pool(count=1, *, gpus=(), **others):
    return role(gpus={"count": count, **dict(gpus)}, strategy=STRATEGY, **others)


PARTS = {
    "free cards": (pool(), cards(4), {}),
    "free memory": (pool(), cards(memory_mib=40 * GIB, model="A100-SXM4-40GB"), {}),
    "slices": (pool(gpus={"mig": "1g.10gb"}), cards(1, mig=CUT), cards(1, mig=CUT)),
    "bandwidth": (pool(2), cards(wiring=Wiring.PCIE), {}),
    "NUMA zones": (pool(2), cards(2, zones=(0, 1)), cards(2)),
    "PCIe generation": (pool(), cards(pcie_gen=3), {}),
    "cached": (pool(**MODEL), {}, {"cached_models": FrozenMap({"llama": 0.0})}),
    "hit rate": (
        pool(**MODEL), {"cached_models": FrozenMap({"llama": 0.3})}, {"cached_models": FrozenMap({"llama": 0.4})}),
    "price": (pool(), {"usd_per_hour": 31.0}, {}),
    "spot": (pool(cost=CostLimit(spot=True)), {}, {"spot": True}),
    "power": (pool(), {"power_watts": 6600.0}, {}),
    "the same worker": (pool(near=("store",)), {"topology": HOME}, {"topology": HOME, "services": ("store",)}),
    "distance": (pool(near=("store",)), {"topology": RACK}, {"topology": HOME}),
}  # fmt: skip
HELD = {"slices": (instance("1g.10gb", 0),)}


def winner(what, workers, bookings=()):
    plan = planner(*workers, bookings=bookings).plan(sized(what))
    return plan.replicas[0].placed.bookings[0].worker


@pytest.mark.parametrize(("poor", "rich"), [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("name", PARTS)
def test_one_part_alone_changes_the_winner(name, poor, rich):
    what, worse, better = PARTS[name]
    held = tuple(booking("other", each, on=poor) for each in HELD.get(name, ()))
    workers = [worker(poor, **{**PLAIN, **worse}), worker(rich, **{**PLAIN, **better}), STORE]

    assert winner(what, workers, held) == rich


def test_weights():
    assert WEIGHTS == {"gpu-availability": 30, "topology": 25, "model-cache": 20, "cost": 15, "data-locality": 10}


def said(what, *workers):
    return {
        answer.worker: {term.scorer: term for term in answer.terms}
        for answer in explain(planner(*workers), sized(what)).workers
    }


def test_why_shows_weight_score_contribution_and_what_is_not_known():
    terms = said(replace_weights(pool(), ("model-cache", 30.0)), worker("a", **{**PLAIN, "power_watts": None}))["a"]

    assert {name: round(term.weight, 3) for name, term in terms.items()} == {
        "gpu-availability": 26.25, "topology": 21.875, "model-cache": 30.0, "cost": 13.125, "data-locality": 8.75,
    }  # fmt: skip
    assert terms["cost"].score == pytest.approx((0.7 + 0.5) / 2)
    assert terms["cost"].contribution == pytest.approx(13.125 * 0.6)
    assert terms["cost"].note == "not known: powerWatts"
    assert terms["gpu-availability"].note == ""


def replace_weights(what, *weights, **others):
    return replace(what, shape=replace(what.shape, weights=weights, **others))


CARBON = ("carbon", CARBON_PERCENT)
WISH = {"preferred_regions": ("r2",)}


def green(name, region, grams, **others):
    return worker(name, region=region, carbon_g_per_kwh=grams, **{**PLAIN, **others})


WISHES = {
    "a cleaner grid": (green("a", "r1", 80.0), green("b", "r1", 30.0), (CARBON,), {}, "b"),
    "a region between equals": (green("a", "r1", 50.0), green("b", "r2", 50.0), (CARBON,), WISH, "b"),
    "carbon goes before the region": (green("a", "r1", 30.0), green("b", "r2", 80.0), (CARBON,), WISH, "a"),
    "a dollar goes before the region": (
        green("a", "r1", 50.0, usd_per_hour=29.99), green("b", "r2", 50.0), (CARBON,), WISH, "a"),
    "nobody is in the region": (green("a", "r1", 80.0), green("b", "r3", 30.0), (CARBON,), WISH, "b"),
}  # fmt: skip


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("a", "b", "weights", "wish", "wanted"), WISHES.values(), ids=WISHES)
def test_carbon_and_regions(a, b, weights, wish, wanted, swapped):
    """Whoever is called what, and with whichever name first."""
    if swapped:
        a, b = replace(a, name="b", uid=""), replace(b, name="a", uid="")
        wanted = {"a": "b", "b": "a"}[wanted]
    wished = (*weights, ("preferred-region", WISH_PERCENT)) if wish else weights

    assert winner(replace_weights(pool(), *wished, **wish), [a, b]) == wanted


def test_a_share_of_a_card():
    """Nothing about the factors needs whole cards."""
    what = role(gpus={"count": 1, "memory_mib": 10 * GIB}, strategy=STRATEGY)
    held = (booking("other", share(0, 60 * GIB), on="a"),)

    assert winner(what, [worker("a", **PLAIN), worker("b", **PLAIN)], held) == "b"
