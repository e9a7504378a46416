"""What is foreseen of further copies is what comes to pass: at once, and one by one."""

from copy import deepcopy
from unittest.mock import patch

import numpy as np
from hypothesis import assume, event, given, strategies as st

from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.topology import Level
from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.subject import Subject
from bayplan.placement.constraints.within import ALLOWED, AllowedDomains
from bayplan.placement.decision.tuning import PLAIN
from bayplan.placement.gangs import lookahead
from bayplan.placement.gangs.booked_rows import BookedRows
from bayplan.placement.gangs.lookahead import MOST_COPIES, Copies, counts_copies, positions, unconstrained
from bayplan.placement.gangs.worker_rooms import worker_rooms
from properties.placement.documents import FEWER, workload
from properties.placement.gangs import members, racked

STRATEGIES = ("pack", "five-factors")
levels = st.sampled_from((Level.RACK, None))


def ready(cluster, shape, copies=1):
    """Strategies on a fresh snapshot, and what a member asks of them."""
    planner, _ = planner_of(cluster)
    (sized,) = read_sized_workloads(documents_of([workload(shape)], "workloads"))
    (ask,) = ask_tiers(sized.roles[0], planner.state.snapshot, copies).asks
    return planner.state.strategies, ask


def at_once(strategies, strategy, ask, wanted, domain):
    """Copies that were foreseen, in as many rounds as it takes: row, cards and total of each."""
    rows = None if domain is None else strategies.snapshot.domains[Level.RACK].rows(domain)
    copies, found = Copies(strategies, strategy, ask, strategies.snapshot.table, rows=rows), []
    while len(found) < wanted and (picked := copies.pick(wanted - len(found))):
        found += [(copy.row, positions(copies.cards(copy.row, copy.number).bits), copy.total) for copy in picked]
        copies.book(picked)
    return found


def one_by_one(strategies, strategy, ask, wanted, domain):
    """Each member a decision of the scheduler, booked before the next."""
    table, found = strategies.snapshot.table, []
    limits = {} if domain is None else {ALLOWED: AllowedDomains(Level.RACK, np.array([domain]))}
    while len(found) < wanted:
        outcome = strategies.place(Subject("g", len(found), constraints=limits), strategy, (ask,))
        if not outcome.ok:
            break
        (pick,) = outcome.picked
        cards = strategies.snapshot.site(pick.row).cards.position
        taken = sorted(cards[each.card] for each in pick.resolution.value.bookings[0].cards)
        found.append((pick.row, taken, pick.total))
        for row, values in pick.resolution.writes.items():
            table.write(row, values)
    return found


def same(one, other):
    return all(np.array_equal(one.columns[name], other.columns[name]) for name in STATE_NAMES)


@FEWER
@given(
    racked(mixed=False), members(), st.integers(1, 4), st.integers(1, 9), levels, st.sampled_from(STRATEGIES),
    st.sampled_from((2, 64)),
)  # fmt: skip
def test_copies_at_once_and_one_by_one(cluster, shape, copies, wanted, level, strategy, most):
    found, tables = [], []
    for how in (at_once, one_by_one):
        strategies, ask = ready(cluster, shape, copies)
        snapshot = strategies.snapshot
        assume(counts_copies(strategies, strategy, ask, snapshot.table))
        domains = [None] if level is None else range(len(snapshot.domains[level]))
        with patch.object(lookahead, "MOST_COPIES", most):
            found.append([how(strategies, strategy, ask, wanted, domain) for domain in domains])
        tables.append(snapshot.table)

    event(f"placed: {sum(map(len, found[0]))}")
    assert found[0] == found[1]
    assert same(*tables)


def known(copies):
    """All that may be asked of copies."""
    rows = range(copies.table.size)
    numbers = {row: range(int(copies.rooms[row])) for row in rows}
    return (
        copies.rooms.tolist(),
        [[copies.total(row, number) for number in numbers[row]] for row in rows],
        [[copies.cards(row, number) for number in numbers[row]] for row in rows],
    )


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 4), st.integers(1, 6), st.sampled_from(STRATEGIES))
def test_what_is_known_after_a_booking_is_what_a_fresh_look_finds(cluster, shape, number, rounds, strategy):
    strategies, ask = ready(cluster, shape, number)
    table = strategies.snapshot.table
    assume(counts_copies(strategies, strategy, ask, table))
    kept = Copies(strategies, strategy, ask, table)
    for members_of_round in range(1, rounds + 1):
        kept.book(kept.pick(members_of_round))
        assert known(kept) == known(Copies(strategies, strategy, ask, table))


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 4), st.sampled_from(STRATEGIES))
def test_rooms_that_filters_say_are_rooms_that_copies_find(cluster, shape, number, strategy):
    strategies, ask = ready(cluster, shape, number)
    table = strategies.snapshot.table
    assume(counts_copies(strategies, strategy, ask, table))
    said = worker_rooms(unconstrained(strategies, strategy, ask, table, PLAIN), ask, MOST_COPIES)

    event(f"said: {said is not None}")
    if said is not None:
        assert said.tolist() == Copies(strategies, strategy, ask, table).rooms.tolist()


ZONES = {"policy": "none", "zones": [{"id": 0, "cpu": 4, "ram": 64}, {"id": 1, "cpu": 4, "ram": 64}]}


@FEWER
@given(racked(), members(), st.integers(1, 4), st.sampled_from(("tight", "even")), st.data())
def test_a_supposed_copy_is_what_a_booking_makes_of_the_row(cluster, shape, number, order, data):
    cluster = {**cluster, "workers": [deepcopy(worker) for worker in cluster["workers"]]}
    for worker in cluster["workers"]:
        if data.draw(st.booleans()):
            worker["numa"] = ZONES
            for gpu in worker["gpus"]:
                gpu["numa"] = data.draw(st.sampled_from((0, 0, 1)))
    placer, ask = ready(cluster, shape, number)
    snapshot, table = placer.snapshot, placer.snapshot.table
    strategy = {"tight": "pack", "even": "spread"}[order]
    devices, subject = placer.devices(strategy), Subject("new")
    index = np.flatnonzero(Copies(placer, "pack", ask, table).rooms)
    assume(len(index))
    supposed = BookedRows(table, index)
    chosen, _ = supposed.book(ask, placer.order(strategy), subject)
    for place, row in enumerate(index.tolist()):
        (share,) = devices.placed(ask, table, row, subject).shares
        fork = table.fork()
        fork.write(row, snapshot.after(row, booked=(share.booking,), foreseen=True))
        there = fork.gather(STATE_NAMES, np.array([row]))
        cards = [snapshot.site(row).cards.cards[each].index for each in np.flatnonzero(chosen[place])]
        assert cards == [card.index for card in share.booking.cards]
        for name in STATE_NAMES:
            assert supposed.columns[name][place].tolist() == there[name][0].tolist(), name
