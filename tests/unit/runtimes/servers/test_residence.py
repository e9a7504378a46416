"""Which models are evicted."""

import pytest

from bayplan.runtimes.servers.residence import Residence

VICTIMS = {
    "there is room": (200, 50, []),
    "the one that was used longest ago goes": (150, 50, ["b"]),
    "and as many as are needed": (150, 100, ["b", "a"]),
    "memory that is not known is never short": (None, 1000, []),
}


@pytest.mark.parametrize(("memory_mib", "newcomer_mib", "expected"), VICTIMS.values(), ids=VICTIMS)
def test_victims(memory_mib, newcomer_mib, expected):
    residence = Residence(memory_mib)
    for at_s, name in enumerate("abc"):
        residence.add(name, 50, float(at_s))
    residence.use("a", 1.5)
    residence.use("none", 9.0)

    assert residence.victims(newcomer_mib) == expected


def test_what_is_in_memory_is_counted():
    residence = Residence(100)
    residence.add("a", 60, 0.0)

    assert (residence.used_mib, "a" in residence, "b" in residence) == (60, True, False)
    assert (residence.has_room(40), residence.has_room(41)) == (True, False)
    assert (residence.could_hold(100), residence.could_hold(101)) == (True, False)
    residence.remove("a")
    assert residence.used_mib == 0
