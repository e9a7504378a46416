"""Free cards, free memory and free slices, by hand."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import MigState
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.scorers.gpu_availability import GpuAvailability
from fleets import CUT, booking, instance, share, whole
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score

GIB = 1024


def sliced(profile):
    return ask(taking=Taking.SLICES, shapes=(CardShape(1),), mig=profile)


def cards(count, **others):
    return [gpu(index, **{"memory_mib": 80 * GIB, "model": "A100-SXM4-80GB", **others}) for index in range(count)]


CASES = {
    "eight idle cards": (cards(8), (), 1.0, ""),
    "more are no better": (cards(16), (), 1.0, ""),
    "four": (cards(4), (), 0.75, ""),
    "larger ones are no better": (cards(8, memory_mib=160 * GIB), (), 1.0, ""),
    "smaller ones": (cards(8, memory_mib=40 * GIB), (), 0.75, ""),
    "held whole": (cards(8), (whole(0), whole(1)), 0.75, ""),
    "shared": (cards(8), (share(0, 40 * GIB),), (7 / 8 + 15 / 16) / 2, ""),
    "compute alone": (cards(8), (share(0, None, 500),), (7 / 8 + 1) / 2, ""),
    "in use by others": (cards(8, observed_used_mib=40 * GIB), (), 0.75, ""),
    "unhealthy cards do not exist": ([*cards(4), gpu(4, healthy=False)], (), 0.75, ""),
    "no cards": ([], (), 0.0, ""),
    "a size that nobody told": (cards(8, memory_mib=None), (), 0.75, "not known: gpus.memory"),
    "one of two sizes": ([*cards(7), gpu(7, memory_mib=None)], (), 0.75, "not known: gpus.memory"),
}


@pytest.mark.parametrize(("gpus", "held", "wanted", "told"), CASES.values(), ids=CASES)
def test_cards(gpus, held, wanted, told):
    bookings = (booking("o", *held),) if held else ()

    assert score(GpuAvailability(), ask(), worker(cards=gpus), bookings=bookings) == pytest.approx(wanted)
    assert note(GpuAvailability(), ask(), worker(cards=gpus), bookings=bookings) == told


CARD = [gpu(mig=CUT)]
SLICES = {
    "all seven": (CARD, (), "1g.5gb", (1 / 8 + 1 / 2 + 1) / 3),
    "three": (CARD, (), "2g.10gb", (1 / 8 + 1 / 2 + 3 / 7) / 3),
    "no more than seven count": ([gpu(0, mig=CUT), gpu(1, mig=CUT)], (), "1g.5gb", (2 / 8 + 1 / 2 + 1) / 3),
    "one of three is held": (CARD, (instance("2g.10gb", 0),), "2g.10gb", (0 / 8 + 3 / 8 + 2 / 7) / 3),
    "none of such": ([gpu(mig=MigState(enabled=True))], (), "1g.5gb", (1 / 8 + 1 / 2 + 0) / 3),
}


@pytest.mark.parametrize(("gpus", "held", "profile", "wanted"), SLICES.values(), ids=SLICES)
def test_slices(gpus, held, profile, wanted):
    bookings = (booking("o", *held),) if held else ()

    assert score(GpuAvailability(), sliced(profile), worker(cards=gpus), bookings=bookings) == pytest.approx(wanted)


def test_slices_of_no_known_card():
    on = worker(mig_slices=FrozenMap({"1g.5gb": 7}))

    assert score(GpuAvailability(), sliced("1g.5gb"), on) == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert note(GpuAvailability(), sliced("1g.5gb"), on) == "not known: gpus, gpus.memory"


def test_contract():
    workers = [worker(cards=gpus) for gpus, *_ in CASES.values()] + [worker(cards=CARD)]
    width = max(len(each.gpus) for each in workers)
    made = {
        "card_usable": [[place < len(each.gpus) for place in range(width)] for each in workers],
        "card_rank": [[0 if place < len(each.gpus) else -1 for place in range(width)] for each in workers],
    }
    keeps_its_promises(GpuAvailability(), workers, [ask(), sliced("1g.5gb")], made=made)
