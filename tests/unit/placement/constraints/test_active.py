"""The constraints of a workload, kept together: which apply, what they count, and how that is undone."""

import numpy as np
import pytest

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import CostLimit
from bayplan.placement.constraints.active import FILTERS, ActiveConstraints
from bayplan.placement.constraints.cost_sum import SPENT
from bayplan.placement.constraints.spot_share import ON_SPOT
from bayplan.placement.constraints.spread_over import BALANCE
from bayplan.placement.constraints.within import ALLOWED, AllowedDomains
from fleets import booking, whole
from unit.placement.builders import ask, role, sized, worker

WORKERS = (worker("a", usd_per_hour=2.0), worker("b", usd_per_hour=3.0, spot=True), worker("c", usd_per_hour=9.0))
SPOT = CostLimit(max_spot_percent=50.0)


def active(workload, *, bookings=(), held=(), **others):
    snapshot = Snapshot.load(WORKERS, bookings)
    named = Ledger.of(Cluster(bookings=tuple(bookings))).held_by_names
    return ActiveConstraints(workload, snapshot, named, held, rows_when_empty=_every_row, **others)


def _every_row():
    return np.arange(len(WORKERS))


APPLYING = {
    "none": (sized(role()), [ask()], []),
    "antiAffinity": (sized(role()), [ask(anti_affinity=("db",))], ["anti-affinity"]),
    "a budget": (sized(role()), [ask(max_usd_per_hour=5.0)], ["cost-sum"]),
    "a share of spot workers": (sized(role(cost=SPOT)), [ask()], ["spot-share"]),
    "spread": (sized(role(), spread_over=Level.RACK), [ask()], ["domain-spread"]),
}


@pytest.mark.parametrize(("workload", "asks", "names"), APPLYING.values(), ids=APPLYING)
def test_which_apply(workload, asks, names):
    assert [each.filter.name for each in active(workload).of(asks)] == names


def test_a_gang_keeps_to_domains_only_where_they_are_given():
    domains = AllowedDomains(Level.RACK, np.array([0]))

    assert not any(active(sized(role())).of([ask()]))
    assert active(sized(role()), domains=domains).views([ask()]) == {ALLOWED: domains}


def test_without_spread():
    one = active(sized(role(), spread_over=Level.RACK))

    assert BALANCE in one.views([ask()])
    assert BALANCE not in one.views([ask()], spread=False)


def test_every_rule_has_its_filter_in_every_profile():
    workload = sized(role(cost=SPOT), spread_over=Level.RACK)
    domains = AllowedDomains(Level.RACK, np.array([0]))
    asks = [ask(anti_affinity=("db",), max_usd_per_hour=1.0)]

    assert {each.filter for each in active(workload, domains=domains).of(asks)} == set(FILTERS)


def test_what_is_held_counts_and_is_undone():
    one = active(sized(role(cost=SPOT), replicas=4))
    asks = [ask(max_usd_per_hour=20.0)]
    one.hold(booking("mine", whole(0), on="a"))
    mark = one.mark()
    one.hold(booking("mine", whole(0), on="b", replica=1))
    one.hold(booking("mine", whole(1), on="a", replica=2))
    one.hold(booking("mine", whole(0), on="gone", replica=3))

    views = one.views(asks)
    assert (views[SPENT].usd_per_hour, views[ON_SPOT].there, views[ON_SPOT].left) == (5.0, 1, 1)
    one.back_to(mark)
    views = one.views(asks)
    assert (views[SPENT].usd_per_hour, views[ON_SPOT].there) == (2.0, 0)


def test_rows_that_stay_closed():
    one = active(sized(role(cost=SPOT), replicas=2))
    asks = [ask(max_usd_per_hour=8.0)]
    rows = {each.name: row for row, each in enumerate(Snapshot.load(WORKERS, ()).workers)}

    assert one.closed_rows(asks) == {rows["c"]}
    one.hold(booking("mine", whole(0), on="b"))
    assert one.closed_rows(asks) == {rows["b"], rows["c"]}
    assert one.closed_rows([ask()]) == {rows["b"]}


def test_whom_it_avoids():
    others = (booking("db", whole(0), on="b"), booking("web", whole(0), on="a"))
    own = booking("mine", whole(1), on="c")
    one = active(sized(role()), bookings=others, held=[own])

    assert [each.worker for each, _ in one.avoidance.bookings([ask(anti_affinity=("db",))])] == ["b"]
    assert [each.worker for each, _ in one.avoidance.bookings([ask(anti_affinity=("mine",))])] == ["c"]


def test_rules_that_tell_equal_workers_apart():
    one = active(sized(role(cost=SPOT)))

    assert not one.tell_apart([ask()])
    assert one.tell_apart([ask(max_usd_per_hour=1.0)])
    assert one.tell_apart([ask(anti_affinity=("db",))])
