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
    "one that nobody hosts": (("s", "u"), 0.5, "nobody hosts u"),
    "all of them": (("u", "v"), 0.0, "nobody hosts u, v"),
}


@pytest.mark.parametrize(("near", "wanted", "told"), MEANS.values(), ids=MEANS)
def test_several_services(near, wanted, told):
    workers = at(HOME, "a", ("s",)), at(("r1", "z2"), "b", ("t",))
    term = terms(DataLocality(), ask(near=near), *workers)["a"]

    assert (term.score, term.note) == (pytest.approx(wanted), told)


def test_a_worker_of_no_known_place_says_so_unless_it_hosts_them():
    workers = at((), "a"), at(HOME, "b", ("s",)), at((), "c", ("s",))
    notes = {name: term.note for name, term in terms(DataLocality(), NEAR, *workers).items()}

    assert notes == {"a": "not known: where it stands", "b": "", "c": ""}
    both = terms(DataLocality(), ask(near=("s", "u")), *workers)["a"].note
    assert both == "nobody hosts u; not known: where it stands"


def test_contract():
    workers = [at(path) for path, _ in PLACES.values()] + [at(HOME, services=("s",)), at(("r9",), services=("t",))]
    keeps_its_promises(DataLocality(), workers, [ask(near=near) for near, *_ in MEANS.values()])
