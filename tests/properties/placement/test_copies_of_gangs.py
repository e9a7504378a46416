"""What is foreseen of further copies is what comes to pass: gangs at once, one by one, and member by member."""

from copy import deepcopy

import numpy as np
from hypothesis import assume, event, given, strategies as st

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES
from bayplan.cluster.settlement import settle
from bayplan.cluster.topology import Level
from bayplan.library.documents import documents_of
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.subject import Subject
from bayplan.placement.constraints.within import ALLOWED, AllowedDomains
from bayplan.placement.gangs.booked_rows import BookedRows
from bayplan.placement.gangs.equal_gangs import GangAsk, GangPlacer
from bayplan.placement.gangs.lookahead import Copies, Copy, counts_copies
from properties.placement.documents import FEWER, workload
from properties.placement.gangs import members, racked

STRATEGIES = ("pack", "five-factors")
gangs = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4)
levels = st.sampled_from((Level.RACK, Level.RACK, None))


def ready(cluster, shape, copies=1):
    """A placer on a fresh snapshot, and what a member asks of it."""
    planner, _ = planner_of(cluster)
    (sized,) = read_sized_workloads(documents_of([workload(shape)], "workloads"))
    (ask,) = ask_tiers(sized.roles[0], planner.state.snapshot, copies).asks
    return planner.state.strategies, ask


def booked(gang):
    """Where the members of a gang stand: rows, cards, amounts and totals."""
    if gang is None:
        return None
    return [
        (each.shares[0].row, each.bookings[0].cards, copy.total)
        for each, copy in zip(gang.members, gang.picked, strict=True)
    ]


def at_once(placer, strategy, asked):
    found, writes = GangPlacer(placer, strategy).place_many(asked)
    writes.apply()
    return [booked(each) for each in found]


def one_by_one(placer, strategy, asked):
    """Each booked before the next, by one who keeps what he knows."""
    gang_placer, found = GangPlacer(placer, strategy), []
    for each in asked:
        placed, writes = gang_placer.place(each)
        writes.apply()
        found.append(booked(placed))
    return found


def by_members(placer, strategy, asked):
    """Each member a decision of the scheduler, inside the domain with the least room that holds the gang."""
    table, found = placer.snapshot.table, []
    for gang in asked:
        domains = [None] if gang.within is None else range(len(placer.snapshot.domains[gang.within]))
        tries = [_members(placer, strategy, gang, domain) for domain in domains]
        held = [len(each) for each in tries]
        whole = [number for number in held if number >= gang.desired]
        best = min(whole) if whole else max(held, default=0)
        if best < gang.minimum:
            found.append(None)
            continue
        picks = tries[held.index(best)][: gang.desired]
        for pick in picks:
            for row, values in pick.resolution.writes.items():
                table.write(row, values)
        found.append([(pick.row, pick.resolution.value.bookings[0].cards, pick.total) for pick in picks])
    return found


def _members(placer, strategy, gang, domain):
    """As many members as the domain holds."""
    trial, picks = placer.snapshot.table.fork(), []
    limits = {} if domain is None else {ALLOWED: AllowedDomains(gang.within, np.array([domain]))}
    while True:
        subject = Subject(gang.workload, len(picks), gang=gang.workload, constraints=limits)
        outcome = placer.place(subject, strategy, (gang.ask,), table=trial)
        if not outcome.ok:
            return picks
        (pick,) = outcome.picked
        picks.append(pick)
        for row, values in pick.resolution.writes.items():
            trial.write(row, values)


def same(one, other):
    return all(np.array_equal(one.columns[name], other.columns[name]) for name in STATE_NAMES)


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 4), gangs, levels, st.sampled_from(STRATEGIES))
def test_gangs_at_once_one_by_one_and_member_by_member(cluster, shape, copies, wanted, level, strategy):
    placers, found = [], []
    for how in (at_once, one_by_one, by_members):
        placer, ask = ready(cluster, shape, copies)
        assume(counts_copies(placer, strategy, ask, placer.snapshot.table))
        asked = [GangAsk(f"g{n}", ask, max(pair), min(pair), level) for n, pair in enumerate(wanted)]
        found.append(how(placer, strategy, asked))
        placers.append(placer)

    event(f"placed: {sum(each is not None for each in found[0])}")
    assert found[0] == found[1] == found[2]
    assert same(placers[0].snapshot.table, placers[1].snapshot.table)
    assert same(placers[0].snapshot.table, placers[2].snapshot.table)


KINDS = ("copy", "copies", "away", "other", "offer", "copy on another offer", "status")
events = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.booleans()), min_size=1, max_size=6)


def change(table, row, **held):
    """Something else is held or seen on a row, and what follows from it."""
    columns = table.gather((*STATIC_NAMES, *STATE_NAMES), np.array([row]))
    for name, value in held.items():
        columns[name] = np.full_like(columns[name], value)
    settle(columns)
    table.write(row, {name: columns[name][0] for name in STATE_NAMES})


def happen(placer, strategy, ask, kind, number):
    """Something happens to a row: what was foreseen, or anything else."""
    table, devices = placer.snapshot.table, placer.devices(strategy)
    row = number % table.size
    if kind in ("copy", "copies", "copy on another offer"):
        room = Copies(placer, strategy, ask, table)
        room.sync()
        for _ in range(min(int(room.rooms[row]), 2 if kind == "copies" else 1)):
            (share,) = devices.placed(ask, table, row, Subject("new")).shares
            table.write(row, placer.snapshot.after(row, booked=(share.booking,), foreseen=True))
    if kind == "away":
        change(table, row, card_observed_mib=0)
    if kind == "other":
        change(table, row, ram_booked_mib=1 << 20, bookings=table.columns["bookings"][row] + 1)
    if kind in ("offer", "copy on another offer"):
        table.write(row, {"usd_per_hour": 90.0 + number})
    if kind == "status":
        table.write(row, {"status": number % 2})


def known(copies, domains):
    """All that may be asked of copies."""
    rows = range(copies.table.size)
    numbers = {row: range(int(copies.rooms[row]) + 1) for row in rows}
    return (
        copies.rooms.tolist(),
        copies.sums(domains).tolist(),
        copies.firsts(slice(None)).tolist(),
        [[copies.total(number, row) for number in numbers[row]] for row in rows],
        [[copies.cards(Copy(row, number, 0.0)) for number in numbers[row][:-1]] for row in rows],
    )


@FEWER
@given(racked(mixed=False), members(), st.integers(1, 4), events, st.sampled_from(STRATEGIES))
def test_whoever_keeps_what_he_knows_knows_what_a_newcomer_finds(cluster, shape, number, happened, strategy):
    placer, ask = ready(cluster, shape, number)
    table, racks = placer.snapshot.table, placer.snapshot.domains[Level.RACK]
    assume(counts_copies(placer, strategy, ask, table))
    kept = Copies(placer, strategy, ask, table)
    kept.sync()
    for kind, which, looks in (*happened, ("copy", 0, True)):
        happen(placer, strategy, ask, kind, which)
        if looks:
            kept.sync()
            fresh = Copies(placer, strategy, ask, table)
            fresh.sync()
            assert known(kept, racks) == known(fresh, racks), kind


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
    looked = Copies(placer, "pack", ask, table)
    looked.sync()
    index = np.flatnonzero(looked.rooms)
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
