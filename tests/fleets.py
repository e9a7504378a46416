"""Workers and bookings in a few words, for tests of the snapshot, the ledger and the invariants."""

from __future__ import annotations

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.worker import Worker

CUT = MigState(enabled=True, reconfigurable=True)
FIXED = MigState(slices=(MigInstance("3g.20gb", 0), MigInstance("2g.10gb", 4), MigInstance("1g.5gb", 6)))


def a100(index=0, **others):
    return Gpu(index, **{"model": "A100-SXM4-40GB", "memory_mib": 40960, "pcie_gen": 4, "numa": 0, **others})


def a100s(count, **others):
    return tuple(a100(index, **others) for index in range(count))


def worker(name="a", cards=2, *, path=(), **others):
    gpus = a100s(cards) if isinstance(cards, int) else tuple(cards)
    known = {"cpu_milli": 16_000, "ram_mib": 65_536, "topology": TopologyPath(*path), **others}
    return Worker(name, gpus=gpus, **known)


def share(index=0, memory_mib=None, compute_milli=None, **others):
    return CardBooking(index, memory_mib=memory_mib, compute_milli=compute_milli, **others)


def whole(index=0, **others):
    return CardBooking(index, **others)


def instance(profile, start, index=0):
    return CardBooking(index, mig=MigInstance(profile, start))


def after(snapshot, row, *, table=None, **how):
    """All state columns of a row as `Snapshot.after` would make them."""
    delta = snapshot.after(row, table=table, **how)
    columns = (snapshot.table if table is None else table).columns
    return {name: delta.on(name, columns[name][row].tolist()) for name in STATE_NAMES}


def joined_by_nvlink(links, positions):
    """Whether NVLink joins these cards among themselves; a path through other cards does not count."""
    chosen = set(positions)
    edge = reached = set(list(chosen)[:1])
    while edge:
        edge = {b for a in edge for b in chosen - reached if links.nvlink_neighbours[a] >> b & 1}
        reached = reached | edge
    return reached == chosen


def booking(name="m", *cards, replica=0, on="a", **others):
    return Booking(name, replica, on, cards=cards, **others)
