"""CPU and RAM must be free in the amount that is asked for."""

import pytest

from bayplan.placement.filters.host_fit import HostFit
from fleets import booking
from unit.placement.builders import ask, judge, keeps_its_promises, worker

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
    "too much of both": (ask(cpu_milli=4001, ram_mib=8193), HOST, "ram-short"),
    "CPU is not known": (ask(cpu_milli=1), BARE, "unknown-capacity"),
    "RAM is not known": (ask(ram_mib=1), BARE, "unknown-capacity"),
    "only the other is known": (ask(ram_mib=1), worker(cpu_milli=1000), "unknown-capacity"),
    "the unknown is not asked for": (ask(cpu_milli=1), worker(cpu_milli=1), None),
    "short, and the other not known": (ask(cpu_milli=1, ram_mib=2), worker(ram_mib=1), "unknown-capacity"),
    "not known, and the other short": (ask(cpu_milli=2, ram_mib=1), worker(cpu_milli=1), "unknown-capacity"),
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
        "needs 6000 millicores of CPU, 4000 are free",
    ),
    "RAM": (ask(ram_mib=9000), HOST, (9000, 8192, 808, "MiB"), "needs 9000 MiB of RAM, 8192 are free"),
    "both": (
        ask(cpu_milli=6000, ram_mib=9000),
        HOST,
        (9000, 8192, 808, "MiB"),
        "needs 6000 millicores of CPU, 4000 are free; needs 9000 MiB of RAM, 8192 are free",
    ),
    "unknown": (
        ask(ram_mib=9000),
        BARE,
        (9000, None, None, "MiB"),
        "needs 9000 MiB of RAM, and how much it has is not known",
    ),
    "one unknown, one short": (
        ask(cpu_milli=1, ram_mib=9000),
        worker(ram_mib=8192),
        (1, None, None, "millicores"),
        "needs 1 millicores of CPU, and how many it has is not known; needs 9000 MiB of RAM, 8192 are free",
    ),
}


@pytest.mark.parametrize(("asked", "on", "numbers", "message"), NUMBERS.values(), ids=NUMBERS)
def test_the_reason_has_the_numbers(asked, on, numbers, message):
    verdict = judge(HostFit(), asked, on)

    assert (verdict.needed, verdict.free, verdict.short, verdict.unit) == numbers
    assert verdict.message == message


def test_contract():
    asks, workers, _ = zip(*CASES.values(), strict=True)
    keeps_its_promises(HostFit(), workers, asks)
    assert HostFit.required
