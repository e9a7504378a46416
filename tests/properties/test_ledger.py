"""Whatever happens in whatever order, nobody holds more than there is, and the columns are the sum of the bookings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.capacity import CapacityError
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.invariants import check
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import ConflictError
from fleets import CUT, FIXED, a100, a100s, booking, instance, share, whole, worker

NAMES = ("a", "b", "c", "d")
KINDS = {
    "two cards": {"cards": 2},
    "kept back, seen in use": {
        "cards": [a100(0, observed_used_mib=1000), a100(1, observed_used_mib=30_000)],
        "reserved_ram_mib": 1024,
        "reserved_gpu_memory_mib": 2048,
    },
    "cut": {"cards": [a100(0, mig=CUT), a100(1, mig=FIXED), a100(2)]},
    "all cut": {"cards": [a100(0, mig=CUT)]},
    "mixed vendors": {"cards": [a100(0), Gpu(0, runtime="rocm", model="MI300X", memory_mib=196_608)]},
    "little is known": {"cards": [Gpu(0), a100(1, healthy=False)], "cpu_milli": None, "ram_mib": None},
    "twenty cards": {"cards": a100s(20)},
    "resources": {"cards": 1, "resources": FrozenMap({"rdma/ib": 3, "tpu": 8})},
    "loose slices": {"cards": 0, "mig_slices": FrozenMap({"1g.5gb": 3})},
}
PATHS = (("r", "z1", None, "k1"), ("r", "z1", None, "k2"), ("r", "z2"), ())

workers = st.builds(
    lambda name, kind, path: worker(name, path=path, **KINDS[kind]),
    st.sampled_from(NAMES), st.sampled_from(sorted(KINDS)), st.sampled_from(PATHS),
)  # fmt: skip

HOSTS = st.tuples(st.sampled_from([0, 500, 9_000]), st.sampled_from([0, 256, 40_000]))
RESOURCES = st.dictionaries(st.sampled_from(["rdma/ib", "tpu", "nowhere"]), st.integers(0, 4), max_size=2)
PROFILES = st.tuples(st.sampled_from(["1g.5gb", "2g.10gb", "3g.20gb"]), st.sampled_from([0, 4, 6]))
SHARES = st.fixed_dictionaries(
    {
        "memory_mib": st.sampled_from([0, 1024, 20_480, 39_000]),
        "compute_milli": st.sampled_from([None, 300, 700]),
        "headroom_mib": st.sampled_from([0, 0, 800]),
    }
)


def parts_of(host):
    """Parts of the cards that a worker has."""
    parts = [st.just(CardBooking(None, mig=MigInstance("1g.5gb")))] if host.mig_slices or not host.gpus else []
    for gpu in host.gpus:
        if gpu.mig:
            parts.append(PROFILES.map(lambda cut, index=gpu.index: instance(*cut, index)))
        else:
            card = {"index": gpu.index, "runtime": gpu.runtime}
            parts += [st.just(whole(**card)), SHARES.map(lambda amounts, card=card: share(**card, **amounts))]
    return st.lists(st.one_of(parts), max_size=2).filter(lambda drawn: not clashing(drawn))


def clashing(cards):
    return any(part.clashes_with(other) for number, part in enumerate(cards) for other in cards[:number])


class LedgerMachine(RuleBasedStateMachine):
    """Books, releases, fails and restarts at random, on few workers, so that things are often tight."""

    holds = Bundle("holds")

    @initialize(fleet=st.lists(workers, min_size=2, max_size=4, unique_by=lambda each: each.name))
    def begin(self, fleet):
        self.ledger = Ledger(fleet)
        self.now_s = 0.0
        self.number = 0
        self.gone = {}

    def _members(self, data, count):
        """So many members, each on a worker that is there."""
        self.number += 1
        hosts = data.draw(st.lists(st.sampled_from(self.ledger.workers), min_size=count, max_size=count))
        members = []
        for replica, host in enumerate(hosts):
            cpu_milli, ram_mib = data.draw(HOSTS)
            gang = f"g{self.number}" if count > 1 else None
            members.append(
                booking(
                    f"m{self.number}", *data.draw(parts_of(host)), replica=replica, on=host.name,
                    cpu_milli=cpu_milli, ram_mib=ram_mib, gang=gang,
                    resources=FrozenMap(data.draw(RESOURCES) if host.resources else {}),
                )
            )  # fmt: skip
        return members

    def _try(self, change, members, **how):
        """The binding, after which another plan on the same state is stale; or None, and then nothing changed."""
        before, planned = (self.ledger.revision, self.ledger.entries), self.ledger.versions()
        try:
            binding = change(members, expected=planned, **how)
        except CapacityError as error:
            refused = error
        else:
            with pytest.raises(ConflictError, match=f"worker {members[-1].worker} is at version"):
                self.ledger.book([booking("late", on=members[-1].worker)], expected=planned)
            return binding
        assert all(each.short is None or each.short > 0 or each.unit == "MiB" for each in refused.shortages)
        assert (self.ledger.revision, self.ledger.entries) == before
        return None

    @precondition(lambda self: self.ledger.workers)
    @rule(data=st.data(), leave=st.booleans())
    def book_one(self, data, leave):
        self._try(self.ledger.book, self._members(data, 1), allow_overcommit=leave)

    @precondition(lambda self: self.ledger.workers)
    @rule(data=st.data(), count=st.integers(2, 3))
    def book_gang(self, data, count):
        self._try(self.ledger.book, self._members(data, count))

    @precondition(lambda self: self.ledger.workers)
    @rule(target=holds, data=st.data(), count=st.integers(1, 2), seconds=st.integers(1, 20))
    def reserve(self, data, count, seconds):
        expires_s = self.now_s + seconds
        binding = self._try(self.ledger.reserve, self._members(data, count), expires_s=expires_s)
        return multiple() if binding is None else (binding, expires_s)

    @rule(hold=consumes(holds))
    def confirm(self, hold):
        binding, expires_s = hold
        if expires_s <= self.now_s:
            with pytest.raises(ConflictError):
                self.ledger.confirm(binding, now_s=self.now_s)
        else:
            assert not any(entry.reserved for entry in self.ledger.confirm(binding, now_s=self.now_s))

    @rule(seconds=st.integers(1, 10))
    def expire(self, seconds):
        self.now_s += seconds
        lapsed = self.ledger.expire(self.now_s)

        assert all(entry.expires_s <= self.now_s for entry in lapsed)
        assert all(e.expires_s is None or e.expires_s > self.now_s for e in self.ledger.entries)

    @rule(choice=st.integers(0, 99))
    def release(self, choice):
        booked = [entry for entry in self.ledger.entries if not entry.reserved]
        if booked:
            binding = booked[choice % len(booked)].binding
            gone = [entry.booking for entry in booked if entry.binding == binding]
            self.ledger.release(gone)
            with pytest.raises(ConflictError):
                self.ledger.release(gone)

    @rule(choice=st.integers(0, 99))
    def a_stale_plan_is_a_conflict(self, choice):
        names = list(self.ledger.snapshot.rows)
        if names:
            name = names[choice % len(names)]
            stale = self.ledger.versions()
            self.ledger.set_status(name, WorkerStatus.CORDONED, expected=stale)
            with pytest.raises(ConflictError, match=f"worker {name} is at version"):
                self.ledger.book([booking("late", on=name)], expected=stale)

    @precondition(lambda self: self.ledger.workers)
    @rule(choice=st.integers(0, 99), status=st.sampled_from(sorted(WorkerStatus)), away=st.booleans())
    def fail(self, choice, status, away):
        """A worker fails, and may be gone for good: what is held on it stays in the ledger."""
        host = self.ledger.workers[choice % len(self.ledger.workers)]
        held = self.ledger.held_on(host.name)
        self.ledger.set_status(host.name, status)
        if away:
            self.gone[host.name] = host
            self.ledger.remove_workers([host.name])
            assert set(held) <= set(self.ledger.stranded)
        assert self.ledger.held_on(host.name) == held

    @rule(fresh=workers)
    def put(self, fresh):
        """A worker comes, comes back, or stands somewhere else from now on, with what is still held on it."""
        rows = self.ledger.snapshot.rows
        if fresh.name in rows:
            old = self.ledger.snapshot.workers[rows[fresh.name]]
            self.ledger.update_worker(replace(old, topology=fresh.topology, labels=fresh.labels))
        else:
            self.ledger.add_workers([self.gone.pop(fresh.name, fresh)])

    @rule()
    def restart(self):
        old = self.ledger
        self.ledger = Ledger(old.workers, old.entries, gangs=old.gangs, revision=old.revision)

    @invariant()
    def every_invariant_holds(self):
        assert check(self.ledger, self.ledger.bookings) == []

    @invariant()
    def the_columns_are_those_of_a_fresh_snapshot(self):
        assert differences(self.ledger.snapshot, Snapshot.load(self.ledger.workers, self.ledger.bookings)) == []


def differences(kept, fresh):
    """Columns of one that the other has not: numbers in pools and widths may differ, what they mean may not."""
    assert kept.table.keys == fresh.table.keys
    assert kept.domains.keys() == fresh.domains.keys()
    found = []
    for name in fresh.table.columns:
        mine, theirs = kept.table.columns[name], fresh.table.columns[name]
        if name.endswith("_id") or name.startswith("loose"):
            continue
        width = min(mine.shape[1], theirs.shape[1]) if mine.ndim > 1 else None
        same = mine if width is None else mine[:, :width], theirs if width is None else theirs[:, :width]
        if not np.array_equal(*same):
            found.append(name)
    for profile in fresh.pools.profiles:
        for name in ("loose_slices", "loose_held", "loose_free"):
            mine = kept.table.columns[name][:, kept.pools.profiles.find(profile)]
            if not np.array_equal(mine, fresh.table.columns[name][:, fresh.pools.profiles.find(profile)]):
                found.append(f"{name} {profile}")
    return found


TestLedger = LedgerMachine.TestCase
TestLedger.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
