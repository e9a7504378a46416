"""How well a replica sits in NUMA zones: four strategies, by hand."""

from math import inf

import pytest

from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardShape, Layers, Taking
from bayplan.placement.scorers.numa_alignment import NumaAlignment
from fleets import booking, whole
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.numa_builders import pod, usable, wants, zoned
from unit.placement.scorers.explained import note, score

LEAST, MOST = NumaAlignment(), NumaAlignment("MostAllocated")
BALANCED, FEWEST = NumaAlignment("BalancedAllocation"), NumaAlignment("LeastNUMANodes")

ALIKE = zoned((4, 500), (4, 500))
UNLIKE = zoned((8, 100), (4, 100))
CARDS = zoned((4, 500), (8, 500), cards=[0, 1, 1])

ZONES = {
    "least": (LEAST, wants(2, 20), ALIKE, 0.73),
    "most": (MOST, wants(2, 20), ALIKE, 0.27),
    "balanced": (BALANCED, wants(2, 20), ALIKE, 1 - 0.46**2 / 2),
    "balanced, both alike": (BALANCED, wants(2, 250), ALIKE, 1.0),
    "the lowest zone counts": (LEAST, wants(2, 20), UNLIKE, 0.65),
    "the lowest of most": (MOST, wants(2, 20), UNLIKE, 0.225),
    "a zone that does not hold it is left out": (LEAST, wants(6, 20), UNLIKE, 1 - (0.75 + 0.2) / 2),
    "a zone that is full to the last": (LEAST, wants(4, 500), ALIKE, 0.0),
    "no zone holds it": (MOST, wants(5, 20), ALIKE, 0.0),
    "CPU alone is asked for": (LEAST, wants(1), ALIKE, 0.75),
    "RAM alone": (MOST, wants(0, 125), ALIKE, 0.25),
    "one of them is always balanced": (BALANCED, wants(1), ALIKE, 1.0),
    "nothing is asked for": (LEAST, wants(), ALIKE, 1.0),
    "most of nothing": (MOST, wants(), ALIKE, 0.0),
    "weights": (NumaAlignment("LeastAllocated", {"cpu": 3, "ram": 1}), wants(2, 20), ALIKE, 0.615),
    "a weight of nothing": (NumaAlignment("MostAllocated", {"cpu": 1, "ram": 0}), wants(2, 20), ALIKE, 0.5),
    "one resource": (NumaAlignment("BalancedAllocation", {"ram": 2}), wants(2, 20), ALIKE, 1.0),
    "zones without the cards are left out": (MOST, wants(2, 0, 2), CARDS, 0.25),
    "zones with them are not": (MOST, wants(2, 0, 1), CARDS, 0.25),
    "the mean of the containers": (MOST, pod((2, 20), (4, 20)), ALIKE, (0.27 + 0.52) / 2),
    "each container sees the whole zone": (MOST, pod((4, 20), (4, 20)), ALIKE, 0.52),
    "containers together": (MOST, pod((2, 20), (2, 30)), zoned((4, 500), scope="pod"), (1.0 + 0.1) / 2),
    "a Pod that is not guaranteed": (MOST, pod((2, 20), guaranteed=False), ALIKE, 1.0),
    "zones that do not tell their RAM": (MOST, wants(2, 20), zoned((4, None), (4, None)), 0.5),
    "no zones": (MOST, wants(2, 20), worker(), 0.5),
    "fewest: one": (FEWEST, wants(4, 20), ALIKE, 0.94),
    "fewest: two": (FEWEST, wants(5, 20), ALIKE, 0.82),
    "fewest: by cards": (FEWEST, wants(1, 1, 3), CARDS, 0.82),
    "fewest: two cards of one zone": (FEWEST, wants(1, 1, 2), CARDS, 0.94),
    "fewest: far": (FEWEST, wants(1, 1, 2), zoned(*[(9, 9, row) for row in ((1, 2, 9), (2, 1, 9), (9, 9, 1))],
                                                  cards=[0, 2]), 0.76),
    "fewest: nothing holds it": (FEWEST, wants(9, 20), ALIKE, 0.0),
    "fewest: container after container": (FEWEST, pod((4, 20), (4, 20)), ALIKE, 0.94),
    "fewest: the worst container": (FEWEST, pod((3, 20), (3, 20), (2, 20)), ALIKE, 0.82),
    "fewest: containers together": (FEWEST, pod((3, 20), (3, 20)), zoned((4, 99), (4, 99), scope="pod"), 0.82),
    "fewest: no zones": (FEWEST, wants(2, 20), worker(), 0.5),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "on", "wanted"), ZONES.values(), ids=ZONES)
def test_score(scorer, asked, on, wanted):
    assert score(scorer, asked, on) == pytest.approx(wanted)


def test_the_policy_of_the_worker_does_not_matter():
    on = zoned((4, 500), (4, 500), policy="none")

    assert score(MOST, wants(2, 20), on) == pytest.approx(0.27)


def test_what_is_booked_in_a_zone_is_not_free():
    on = zoned((4, 500), cards=[0, 0])
    held = booking("o", whole(0), cpu_milli=2000)

    assert score(MOST, wants(1, 0, 1), on) == pytest.approx(0.25)
    assert score(MOST, wants(1, 0, 1), on, bookings=(held,)) == pytest.approx(0.5)


def test_a_held_card_makes_two_zones_of_one():
    on = zoned((4, 500), (4, 500), cards=[0, 0, 1])

    assert score(FEWEST, wants(1, 0, 2), on) == pytest.approx(0.94)
    assert score(FEWEST, wants(1, 0, 2), on, bookings=(booking("o", whole(0)),)) == pytest.approx(0.82)


SHAPES = {
    "the shape that fits": (
        ask(cpu_milli=1000, taking=Taking.SHARE, shapes=(CardShape(3, 50_000), CardShape(2, 30_000))), 0.94),
    "layers": (ask(cpu_milli=1000, taking=Taking.LAYERS, layers=Layers(3, 30_000, 0, cards=3)), 0.82),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "wanted"), SHAPES.values(), ids=SHAPES)
def test_shapes(asked, wanted):
    assert score(FEWEST, asked, CARDS) == pytest.approx(wanted)


NOTES = {
    "all is known": (wants(2, 20), ALIKE, ""),
    "no zones": (wants(2, 20), worker(), "not known: NUMA zones"),
    "zones without RAM": (wants(2, 20), zoned((4, None)), "not known: ram of the zones"),
    "neither": (wants(2, 20), zoned((None, None)), "not known: cpu of the zones, ram of the zones"),
    "not asked for": (wants(2), zoned((4, None)), ""),
    "not guaranteed": (pod((2, 20), guaranteed=False), ALIKE, "a Pod that is not Guaranteed may use any zone"),
}


@pytest.mark.parametrize(("asked", "on", "said"), NOTES.values(), ids=NOTES)
def test_note(asked, on, said):
    assert note(LEAST, asked, on) == said


def test_a_resource_that_does_not_count_is_not_missed():
    assert note(NumaAlignment(resources={"cpu": 1}), wants(2, 20), zoned((4, None))) == ""


REFUSED = {
    "another resource": ({"cpus": 1}, "zones do not report 'cpus'", "did you mean 'cpu'?"),
    "below nothing": ({"cpu": -1}, "-1 is no weight of cpu", "write 0 or more"),
    "without end": ({"ram": inf}, "inf is no weight of ram", "write 0 or more"),
    "none": ({}, "no resource counts", "give cpu or ram a weight above 0"),
    "none that counts": ({"cpu": 0}, "no resource counts", "give cpu or ram a weight above 0"),
}


@pytest.mark.parametrize(("resources", "message", "step"), REFUSED.values(), ids=REFUSED)
def test_resources_that_cannot_be(resources, message, step):
    with pytest.raises(InputError) as caught:
        NumaAlignment(resources=resources)

    assert (caught.value.place, caught.value.message, caught.value.next) == ("resources", message, step)


@pytest.mark.parametrize("scorer", [LEAST, MOST, BALANCED, FEWEST])
def test_contract(scorer):
    _, asks, workers, _ = zip(*ZONES.values(), strict=True)
    made = {**usable(workers), "fit_shape": [0] * len(workers)}
    keeps_its_promises(scorer, workers, asks, made=made)
