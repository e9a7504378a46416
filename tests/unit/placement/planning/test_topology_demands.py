"""Demands on topology that a worker met, and meets no more."""

from dataclasses import replace

import pytest

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.topology import Level, TopologyPath
from bayplan.cluster.workload import GpuRequest, Locality, Shape
from bayplan.placement.planning.topology_demands import left_domain, lost_demands, same_place
from fleets import a100s, booking, whole, worker

CARDS = a100s(4)
NVLINK = worker("a", CARDS, links=wire(Wiring.NVSWITCH, CARDS), path=("eu",))
PCIE = replace(NVLINK, links=wire(Wiring.PCIE, CARDS))
UNKNOWN = replace(NVLINK, links=None)
APART = replace(NVLINK, gpus=(*CARDS[:1], *(replace(card, numa=1) for card in CARDS[1:])))
MOVED = replace(NVLINK, topology=TopologyPath("us"))
FEWER = replace(NVLINK, gpus=CARDS[:1], links=None)


def asked(locality=None, bandwidth=None, **others):
    return Shape(gpus=GpuRequest(2, locality=locality, min_bandwidth_gb_per_s=bandwidth), **others)


CASES = {
    "nothing asked": (asked(), NVLINK, PCIE, ()),
    "NVLink is gone": (asked(Locality.NVLINK), NVLINK, PCIE, ("locality",)),
    "links are no longer known": (asked(Locality.NVLINK), NVLINK, UNKNOWN, ("locality",)),
    "it was so before": (asked(Locality.NVLINK), PCIE, UNKNOWN, ()),
    "it comes back": (asked(Locality.NVLINK), PCIE, NVLINK, ()),
    "a card is on another socket": (asked(Locality.SAME_SOCKET), NVLINK, APART, ("locality",)),
    "another socket does not matter to NVLink": (asked(Locality.NVLINK), NVLINK, APART, ()),
    "the same worker is all that is asked": (asked(Locality.SAME_NODE), NVLINK, PCIE, ()),
    "the link is slower": (asked(bandwidth=100.0), NVLINK, PCIE, ("bandwidth-short",)),
    "slower and apart": (asked(Locality.NVLINK, 100.0), NVLINK, PCIE, ("locality", "bandwidth-short")),
    "the label names another region": (asked(regions=("eu",)), NVLINK, MOVED, ("region",)),
    "any region will do": (asked(), NVLINK, MOVED, ()),
    "no cards are asked for": (Shape(), NVLINK, PCIE, ()),
    "a card is gone, which is no matter of links": (asked(Locality.NVLINK), NVLINK, FEWER, ()),
}


@pytest.mark.parametrize(("shape", "old", "new", "lost"), CASES.values(), ids=CASES)
def test_what_is_lost(shape, old, new, lost):
    assert lost_demands(shape, booking("m", whole(0), whole(1)), old, new) == lost


def test_one_card_needs_no_link():
    assert lost_demands(asked(Locality.NVLINK), booking("m", whole(0)), NVLINK, PCIE) == ()


@pytest.mark.parametrize("other", [PCIE, UNKNOWN, APART, MOVED, FEWER])
def test_changes_that_matter(other):
    assert not same_place(NVLINK, other)


def test_changes_that_do_not():
    cards = tuple(replace(card, observed_used_mib=5) for card in CARDS)

    assert same_place(NVLINK, replace(NVLINK, cpu_milli=1, gpus=cards))


def at(rack, zone="z"):
    return worker("w", 1, path=("eu", zone, None, rack))


DOMAINS = {
    "it moved away": ([at("r1")], at("r1"), at("r2"), True),
    "it lost its label": ([at("r1")], at("r1"), at(None), True),
    "a rack of that name in another zone": ([at("r1")], at("r1"), at("r1", "y"), True),
    "it stays": ([at("r1")], at("r1"), at("r1"), False),
    "they were not together before": ([at("r3")], at("r1"), at("r2"), False),
    "its rack was not known before": ([at(None)], at(None), at("r2"), False),
}


@pytest.mark.parametrize(("others", "old", "new", "left"), DOMAINS.values(), ids=DOMAINS)
def test_members_of_one_domain(others, old, new, left):
    assert left_domain(Level.RACK, others, old, new) is left
