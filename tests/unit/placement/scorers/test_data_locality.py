"""How near the services are, by hand."""

import pytest

from bayplan.cluster.topology import TopologyPath
from bayplan.placement.scorers.data_locality import DataLocality
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import terms

HOME = ("r1", "z1", "b1", "k1")
NEAR = ask(near=("s",))


def at(path, name="a", services=()):
    return worker(name, topology=TopologyPath(*path), services=services)


PLACES = {
    "rack": (HOME, 0.8),
    "block": (("r1", "z1", "b1", "k2"), 0.6),
    "zone": (("r1", "z1", "b2", "k1"), 0.4),
    "region": (("r1", "z2", "b1", "k1"), 0.2),
    "elsewhere": (("r2", "z1", "b1", "k1"), 0.0),
    "levels that it does not name": (("r1", None, None, "k1"), 0.8),
    "no level": ((), 0.0),
}


@pytest.mark.parametrize(("path", "wanted"), PLACES.values(), ids=PLACES)
def test_near_to_the_host(path, wanted):
    found = terms(DataLocality(), NEAR, at(path), at(HOME, "host", ("s",)))

    assert (found["a"].score, found["host"].score) == (wanted, 1.0)


def test_the_nearest_of_several_hosts():
    hosts = [at(("r2",), "far", ("s",)), at(("r1", "z1"), "near", ("s", "t"))]

    assert terms(DataLocality(), NEAR, at(HOME), *hosts)["a"].score == 0.4


MEANS = {
    "nothing to be near to": ((), 0.5, "neutral: the workload names no service"),
    "the mean over the services": (("s", "t"), (1.0 + 0.2) / 2, ""),
    "one that nobody hosts": (("s", "u"), 0.5, "no worker hosts u"),
    "all of them": (("u", "v"), 0.0, "no worker hosts u, v"),
}


@pytest.mark.parametrize(("near", "wanted", "told"), MEANS.values(), ids=MEANS)
def test_several_services(near, wanted, told):
    workers = at(HOME, "a", ("s",)), at(("r1", "z2"), "b", ("t",))
    term = terms(DataLocality(), ask(near=near), *workers)["a"]

    assert (term.score, term.note) == (pytest.approx(wanted), told)


def test_a_worker_of_no_known_place_says_so_unless_it_hosts_them():
    workers = at((), "a"), at(HOME, "b", ("s",)), at((), "c", ("s",))
    notes = {name: term.note for name, term in terms(DataLocality(), NEAR, *workers).items()}

    assert notes == {"a": "not known: its place", "b": "", "c": ""}
    both = terms(DataLocality(), ask(near=("s", "u")), *workers)["a"].note
    assert both == "no worker hosts u; not known: its place"


UNKNOWN = {
    "nothing": (HOME, HOME, ""),
    "a difference settles what is below it": (("r1", "z2"), HOME, ""),
    "a rack settles what is above it": ((None, None, None, "k1"), HOME, ""),
    "levels that nobody uses": (("r1", None, None, "k2"), ("r1", None, None, "k1"), ""),
    "its own rack": (("r1", "z1", "b1"), HOME, "not known: its rack"),
    "the outermost is enough": (("r1",), HOME, "not known: its zone"),
    "a level above a difference": ((None, "z2"), HOME, "not known: its region"),
    "the rack of the host": (HOME, ("r1", "z1", "b1"), "not known: the rack of s"),
    "all of the host": (HOME, (), "not known: the region of s"),
    "where both stand": ((), (), "not known: its place"),
}


@pytest.mark.parametrize(("path", "host", "told"), UNKNOWN.values(), ids=UNKNOWN)
def test_only_a_level_that_decides_is_not_known(path, host, told):
    assert terms(DataLocality(), NEAR, at(path), at(host, "b", ("s",)))["a"].note == told


def test_a_service_that_nobody_hosts_stands_nowhere():
    notes = terms(DataLocality(), ask(near=("s", "u")), at((), "a", ("s",)), at(HOME, "b"))

    assert (notes["a"].note, notes["b"].note) == ("no worker hosts u", "no worker hosts u; not known: the region of s")


def test_contract():
    workers = [at(path) for path, _ in PLACES.values()] + [at(HOME, services=("s",)), at(("r9",), services=("t",))]
    keeps_its_promises(DataLocality(), workers, [ask(near=near) for near, *_ in MEANS.values()])
