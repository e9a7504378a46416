"""Which version is meant, and what the model holds of it."""

import pytest

from bayplan.serving.books.ledger import Ledger
from bayplan.serving.planning.holdings import Holdings
from unit.serving.builders import booking, model, server

SERVERS = [server("a", 3), server("b", 3)]


def holdings(*bookings, version=None, **fields):
    return Holdings.of(model(**fields), Ledger(SERVERS, bookings), version)


VERSIONS = {  # bookings, version of the document; the version that is meant
    "nothing known": ((), None, 1),
    "the document": ((), 4, 4),
    "the highest booking": ((booking(version=1), booking(version=3, state="unloaded")), None, 3),
    "the document before bookings": ((booking(version=3),), 2, 2),
}


@pytest.mark.parametrize(("bookings", "named", "meant"), VERSIONS.values(), ids=VERSIONS)
def test_versions(bookings, named, meant):
    assert Holdings.of(model(version=named), Ledger(SERVERS, bookings)).version == meant


def test_older_and_higher_versions():
    found = Holdings.of(model(version=2), Ledger(SERVERS, [booking(version=number) for number in (1, 2, 3)]))

    assert [[each.version for each in some] for some in (found.own, found.older, found.higher)] == [[2], [1], [3]]


def test_the_need_counts_instances_of_this_and_older_versions():
    ledger = Ledger(SERVERS, [booking(version=1, instances=3, state="unloaded"), booking(version=5, instances=9)])
    found = Holdings.of(model(memory=10, version=2), ledger)

    assert (found.need_mib, found.instances) == (30, 3)


CURRENT = {
    "nothing": ((), None),
    "the first that is here": ((booking(place="b/0"), booking(place="a/0")), "b"),
    "here before draining": ((booking(place="a/0", state="draining"), booking(place="b/0")), "b"),
    "draining before an older version": (
        (booking(place="a/0"), booking(place="b/0", version=2, state="draining")), "b",
    ),
    "the next older version": ((booking(place="a/0"), booking(place="b/0", version=2, state="unloading")), "a"),
    "nothing but what leaves": ((booking(state="unload-requested"),), None),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "server_name"), CURRENT.values(), ids=CURRENT)
def test_the_current_server(bookings, server_name):
    assert holdings(*bookings).current_server == server_name
