"""Who is planned first: priority, then age, then name; a gang that failed is as old as its failure."""

from itertools import permutations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Workload, WorkloadId
from bayplan.placement.planning.queue_order import Waiting, place_of


def waiting(name, priority=0, *, created=None, gang=False, namespace="default", **times):
    who = WorkloadId(name, namespace, priority=priority, created_s=created)
    return Waiting(Workload(who, gang=Gang() if gang else None), **times)


ORDERS = {
    "priority": [waiting("z", 9, created=5.0), waiting("a", 1, created=1.0)],
    "age": [waiting("z", created=1.0), waiting("a", created=2.0)],
    "name": [waiting("a", created=1.0), waiting("b", created=1.0)],
    "namespace before name": [waiting("z", namespace="a"), waiting("a", namespace="b")],
    "unknown age goes last": [waiting("z", created=1e12), waiting("a")],
    "the first attempt of one": [waiting("z", created=9.0, first_attempt_s=1.0), waiting("a", created=2.0)],
    "a failure does not make one younger": [
        waiting("z", created=1.0, first_attempt_s=1.0, failed_s=9.0), waiting("a", created=2.0),
    ],
    "a gang that failed stands back": [waiting("z", created=2.0), waiting("a", created=1.0, gang=True, failed_s=3.0)],
    "a gang is as old as its creation": [
        waiting("z", created=1.0, gang=True, first_attempt_s=9.0), waiting("a", created=2.0, gang=True),
    ],
    "a failure never beats priority": [waiting("z", 1, gang=True, failed_s=9.0), waiting("a", 0, created=1.0)],
}  # fmt: skip


@pytest.mark.parametrize("wanted", ORDERS.values(), ids=ORDERS)
def test_order(wanted):
    for given in permutations(wanted):
        assert sorted(given, key=place_of) == wanted
