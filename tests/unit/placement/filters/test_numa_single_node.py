"""On workers that insist on it, one NUMA zone must hold what a container asks for."""

import pytest

from bayplan.placement.asks.ask import CardShape, Layers, Taking
from bayplan.placement.filters.numa_single_node import NumaSingleNode
from fleets import booking, whole
from unit.placement.builders import ask, judge, keeps_its_promises, worker
from unit.placement.numa_builders import pod, usable, wants, zoned

TWO = zoned((3, 4096), (3, 4096), cards=[0, 1], cpu_milli=6000, ram_mib=8192)
BY_POD = zoned((3, 4096), (3, 4096), cards=[0, 1], scope="pod", cpu_milli=6000, ram_mib=8192)
PAIRS = zoned((4, 100), (4, 100), cards=[0, 0, 1, 1])
SHARE = {"taking": Taking.SHARE, "shapes": (CardShape(1, 1024),)}

CASES = {
    "nothing is asked": (ask(), TWO, True),
    "all of a zone": (wants(3, 4096, 1), TWO, True),
    "more CPU than a zone has": (wants(4), TWO, False),
    "more RAM than a zone has": (wants(1, 5000), TWO, False),
    "cards of two zones": (wants(1, 1, 2), TWO, False),
    "cards of one zone": (wants(1, 1, 2), PAIRS, True),
    "CPU here, the card there": (wants(2, 0, 1), zoned((6, 100), (1, 100), cards=[1, 1]), False),
    "RAM here, the card there": (wants(1, 50, 1), zoned((6, 100), (1, 10), cards=[1, 1]), False),
    "another policy": (wants(4), zoned((3, 4096), (3, 4096), policy="best-effort"), True),
    "no zones": (wants(4), worker(), True),
    "a policy without zones": (wants(4), zoned(), True),
    "too few cards are for others to refuse": (wants(4, 0, 5), TWO, True),
    "a share of a card": (wants(2, 0, **SHARE), zoned((6, 100), (1, 100), cards=[1]), False),
    "two containers in two zones": (pod((2, 1), (2, 1)), TWO, True),
    "the second takes what is left": (pod((2, 1), (1, 1)), zoned((3, 100)), True),
    "what the first took is gone": (pod((2, 1), (2, 1)), zoned((3, 100), (1, 100)), False),
    "containers in order, the lowest zone first": (pod((1, 1), (3, 1)), zoned((3, 100), (2, 100)), False),
    "the same in another order": (pod((3, 1), (1, 1)), zoned((3, 100), (2, 100)), True),
    "all containers together": (pod((2, 1), (2, 1)), BY_POD, False),
    "together, and small enough": (pod((2, 1), (1, 1)), BY_POD, True),
    "cards container by container": (pod((1, 1, 1), (1, 1, 1)), TWO, True),
    "two cards for one container": (pod((1, 1, 2), (1, 1)), TWO, False),
    "cards of all containers together": (pod((1, 1, 1), (1, 1, 1)), BY_POD, False),
    "the cards of the first are gone": (pod((1, 1, 2), (1, 1, 2)), PAIRS, True),
    "cards in order, too": (
        pod((1, 1, 1), (1, 1, 2), (1, 1, 2)), zoned((9, 99), (9, 99), cards=[0, 0, 1, 1, 1]), False),
    "containers that share a card share its zone": (
        pod((2, 1, 1), (2, 1, 1), **SHARE), zoned((3, 100), (3, 100), cards=[0, 1]), False),
    "and find one that is large enough": (
        pod((2, 1, 1), (2, 1, 1), **SHARE), zoned((3, 100), (4, 100), cards=[0, 1]), True),
    "a container without the card sits elsewhere": (
        pod((2, 1, 1), (2, 1), **SHARE), zoned((3, 100), (3, 100), cards=[0]), True),
    "nothing is guaranteed": (pod((6, 1), guaranteed=False), TWO, True),
    "devices count all the same": (pod((1, 1, 2), guaranteed=False), TWO, False),
    "zones do not tell their CPU": (wants(9, 1), zoned((None, 100), (None, 100)), True),
    "a zone is silent beside others": (wants(1), zoned((None, 100)), True),
    "silent beside one that is too small": (wants(2), zoned((1, 100), (None, 100)), False),
    "no card tells its zone": (wants(1, 1, 2), zoned((1, 9), (1, 9), cards=[None, None]), True),
    "one of the cards does not": (wants(1, 1, 2), zoned((1, 9), (1, 9), cards=[0, None]), False),
    "a worker with less than its zones": (wants(2), zoned((3, 100), cpu_milli=1000), False),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "on", "fits"), CASES.values(), ids=CASES)
def test_zones(asked, on, fits):
    assert judge(NumaSingleNode(), asked, on).code == (None if fits else "numa-misaligned")


HELD = {
    "the card is taken": (booking("o", whole(0)), wants(2, 0, 1), zoned((8, 99), (1, 99), cards=[0, 1]), False),
    "the zone's CPU is taken": (
        booking("o", whole(0), cpu_milli=2000), wants(2, 0, 1), zoned((3, 99), (1, 99), cards=[0, 0, 1]), False),
    "the other zone's is": (
        booking("o", whole(2), cpu_milli=2000), wants(2, 0, 1), zoned((3, 99), (3, 99), cards=[0, 0, 1]), True),
    "RAM is taken": (booking("o", whole(0), ram_mib=60), wants(1, 50, 1), zoned((3, 99), cards=[0, 0]), False),
    "of no card, so of no zone": (booking("o", cpu_milli=2000), wants(2, 0, 1), zoned((3, 99), cards=[0]), True),
    "of cards of two zones": (
        booking("o", whole(0), whole(1), cpu_milli=3000), wants(3, 0), zoned((3, 9), (3, 9), cards=[0, 1]), True),
}  # fmt: skip


@pytest.mark.parametrize(("held", "asked", "on", "fits"), HELD.values(), ids=HELD)
def test_what_is_booked(held, asked, on, fits):
    assert judge(NumaSingleNode(), asked, on).code is None
    assert judge(NumaSingleNode(), asked, on, bookings=(held,)).code == (None if fits else "numa-misaligned")


MESSAGES = {
    "all that is asked": (
        wants(2, 50, 1), zoned((6, 100), (1, 100), cards=[1, 1]),
        "2 cores, 50 MiB of RAM and 1 card in one NUMA zone", "1 core, 100 MiB of RAM and 2 cards"),
    "one thing": (
        wants(0.5, 200), zoned((3, 100), (3, 150)),
        "0.5 cores and 200 MiB of RAM in one NUMA zone", "3 cores and 150 MiB of RAM"),
    "cards alone": (pod((1, 1, 2), guaranteed=False), TWO, "2 cards in one NUMA zone", "1 card"),
    "the hungriest container": (
        pod((1, 1), (4, 1)), TWO,
        "4 cores and 1 MiB of RAM in one NUMA zone for each container", "3 cores and 4 GiB of RAM"),
    "all containers": (
        pod((2, 1), (2, 1)), BY_POD,
        "4 cores and 2 MiB of RAM in one NUMA zone for its containers", "3 cores and 4 GiB of RAM"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "on", "needs", "has"), MESSAGES.values(), ids=MESSAGES)
def test_the_reason_has_the_numbers(asked, on, needs, has):
    message = f"needs {needs}; the best of its 2 zones has {has} free"

    assert judge(NumaSingleNode(), asked, on).message == message


CURABLE = {
    "somebody holds the card": (wants(2, 0, 1), zoned((8, 99), (1, 99), cards=[0, 1]), True),
    "no zone is large enough": (wants(9, 0, 1), zoned((8, 99), (1, 99), cards=[0, 1]), False),
    "no zone has so many cards": (wants(1, 0, 2), zoned((8, 99), (8, 99), cards=[0, 1, 1, 0]), True),
    "not even if all were free": (wants(1, 0, 2), zoned((8, 99), (8, 99), (8, 99), cards=[0, 1, 2]), False),
}


@pytest.mark.parametrize(("asked", "on", "curable"), CURABLE.values(), ids=CURABLE)
def test_whether_room_made_by_others_would_help(asked, on, curable):
    held = (booking("o", whole(0)),)
    others = (booking("p", whole(1)),) if len(on.gpus) > 3 else ()
    verdict = judge(NumaSingleNode(), asked, on, bookings=(*held, *others))

    assert (verdict.code, verdict.curable) == ("numa-misaligned", curable)


def test_layers_of_a_model_stay_in_one_zone():
    layers = Layers(count=2, layer_mib=30_000, overhead_mib=0, cards=2)
    asked = ask(taking=Taking.LAYERS, layers=layers)

    assert judge(NumaSingleNode(), asked, TWO).code == "numa-misaligned"
    assert judge(NumaSingleNode(), asked, PAIRS).code is None


def test_a_replica_over_workers_needs_a_zone_with_a_card_on_each():
    asked = wants(2, 0, 1, spans=True)

    assert judge(NumaSingleNode(), asked, TWO).code is None
    assert judge(NumaSingleNode(), asked, zoned((6, 99), (1, 99), cards=[1])).code == "numa-misaligned"


def test_contract():
    asks, workers, _ = zip(*CASES.values(), strict=True)
    keeps_its_promises(NumaSingleNode(), workers, asks, made=usable(workers))
    assert NumaSingleNode.required
