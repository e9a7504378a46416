"""CPU and RAM must be free in the amount that is asked for."""

from fractions import Fraction

import pytest

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.profile import Profile
from bayplan.framework.scheduler import Scheduler
from bayplan.placement.asks.ask import Layers, Taking
from bayplan.placement.asks.tier import Tier
from bayplan.placement.cards.layers.layer_cards import ORDER_CARDS
from bayplan.placement.filters.host_fit import HostFit
from bayplan.placement.producers.card_fit import CardFit
from bayplan.placement.producers.usable_cards import UsableCards
from fleets import booking
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, subject, table_of, worker

BARE = worker()
HOST = worker(cpu_milli=4000, ram_mib=8192)

CASES = {
    "nothing is asked": (ask(), HOST, None),
    "nothing is asked, nothing is known": (ask(), BARE, None),
    "none is asked": (ask(cpu_milli=0, ram_mib=0), BARE, None),
    "all of it": (ask(cpu_milli=4000, ram_mib=8192), HOST, None),
    "too much CPU": (ask(cpu_milli=4001), HOST, "cpu-short"),
    "too much CPU, enough RAM": (ask(cpu_milli=4001, ram_mib=8192), HOST, "cpu-short"),
    "too much RAM": (ask(ram_mib=8193), HOST, "ram-short"),
    "too much RAM, enough CPU": (ask(cpu_milli=4000, ram_mib=8193), HOST, "ram-short"),
    "too much of both": (ask(cpu_milli=4001, ram_mib=8193), HOST, "cpu-short"),
    "CPU is not known": (ask(cpu_milli=1), BARE, "unknown-capacity"),
    "RAM is not known": (ask(ram_mib=1), BARE, "unknown-capacity"),
    "only the other is known": (ask(ram_mib=1), worker(cpu_milli=1000), "unknown-capacity"),
    "the unknown is not asked for": (ask(cpu_milli=1), worker(cpu_milli=1), None),
    "short, and the other not known": (ask(cpu_milli=1, ram_mib=2), worker(ram_mib=1), "unknown-capacity"),
    "not known, and the other short": (ask(cpu_milli=2, ram_mib=1), worker(cpu_milli=1), "cpu-short"),
    "kept back": (ask(ram_mib=8192), worker(ram_mib=8192, reserved_ram_mib=1), "ram-short"),
}


@pytest.mark.parametrize(("asked", "on", "code"), CASES.values(), ids=CASES)
def test_amounts(asked, on, code):
    verdict = judge(HostFit(), asked, on)

    assert verdict.code == code
    assert verdict.curable == (code in {"cpu-short", "ram-short"})


def test_what_is_booked_is_not_free():
    asked, held = ask(cpu_milli=3001, ram_mib=8000), booking("other", on="a", cpu_milli=1000, ram_mib=192)

    assert judge(HostFit(), asked, HOST).code is None
    assert judge(HostFit(), asked, HOST, bookings=(held,)).code == "cpu-short"


NUMBERS = {
    "CPU": (
        ask(cpu_milli=6000, ram_mib=1),
        HOST,
        (6000, 4000, 2000, "millicores"),
        "needs 6 cores of CPU, 4 cores are free",
    ),
    "RAM": (ask(ram_mib=9000), HOST, (9000, 8192, 808, "MiB"), "needs 8.8 GiB of RAM, 8.0 GiB are free"),
    "unknown": (
        ask(ram_mib=9000),
        BARE,
        (9000, None, None, "MiB"),
        "needs 8.8 GiB of RAM; how much the worker has is not known",
    ),
}

EVERYTHING = {
    "both are short": (ask(cpu_milli=6000, ram_mib=9000), HOST, [
        ("cpu-short", "needs 6 cores of CPU, 4 cores are free"),
        ("ram-short", "needs 8.8 GiB of RAM, 8.0 GiB are free")]),
    "one unknown, one short": (ask(cpu_milli=1, ram_mib=9000), worker(ram_mib=8192), [
        ("unknown-capacity", "needs 0.001 cores of CPU; how much the worker has is not known"),
        ("ram-short", "needs 8.8 GiB of RAM, 8.0 GiB are free")]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "on", "said"), EVERYTHING.values(), ids=EVERYTHING)
def test_every_shortage_is_told(asked, on, said):
    table = table_of(on)
    profile = Profile("p", MaxScore(), filters=(HostFit(),), producers=(UsableCards(), CardFit()))
    outcome = Scheduler([profile], SingleProfile(), table=table).schedule(subject(), asked)

    assert [(each.code, each.message) for each in outcome.explanations["p"].rejections()[0]] == said


@pytest.mark.parametrize(("asked", "on", "numbers", "message"), NUMBERS.values(), ids=NUMBERS)
def test_the_reason_has_the_numbers(asked, on, numbers, message):
    verdict = judge(HostFit(), asked, on)

    assert (verdict.needed, verdict.free, verdict.short, verdict.unit) == numbers
    assert verdict.message == message


LAYERS = Layers(count=10, layer_mib=Fraction(1001, 10), overhead_mib=0, partial=True)


def offloads(**others):
    """Ten layers of 100.1 MiB, of which a card with 250 MiB holds two."""
    return ask(tier=Tier.PARTIAL_OFFLOAD, taking=Taking.LAYERS, layers=LAYERS, **others)


def small(**others):
    return worker(cards=[gpu(memory_mib=250)], **others)


OFFLOADED = {
    "the layers that are left": (offloads(), small(ram_mib=801), None, None),
    "rounded up": (offloads(), small(ram_mib=800), "ram-short", (801, 800)),
    "beside what is asked for": (offloads(ram_mib=100), small(ram_mib=900), "ram-short", (901, 900)),
    "RAM is not known": (offloads(), small(), "unknown-capacity", (801, None)),
    "no layer is left": (offloads(), worker(cards=1), None, None),
    "no card has room": (offloads(), worker(), None, None),
}


@pytest.mark.parametrize(("asked", "on", "code", "numbers"), OFFLOADED.values(), ids=OFFLOADED)
def test_layers_that_find_no_room_on_the_cards_need_ram(asked, on, code, numbers):
    verdict = judge(HostFit(), asked, on)

    assert verdict.code == code
    assert (verdict.needed, verdict.free) == (numbers or (None, None))


def test_contract():
    asks, workers, _ = zip(*CASES.values(), strict=True)
    orders = [number * ORDER_CARDS // 2 - 1 for number in range(len(workers))]
    keeps_its_promises(HostFit(), workers, [*asks, offloads(), offloads(cpu_milli=1)], made={"fit_order": orders})
    assert HostFit.required
