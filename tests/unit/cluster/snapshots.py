"""What tests of snapshots share."""

from __future__ import annotations

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.snapshot import Snapshot


def snapshot(*workers, bookings=()):
    return Snapshot.of(Cluster(workers, tuple(bookings)))


def state(shot, name="a"):
    """A worker's columns as plain values."""
    row = shot.rows[name]
    return {column: values[row].tolist() for column, values in shot.table.columns.items()}
