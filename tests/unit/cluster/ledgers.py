"""What tests of the ledger share."""

from __future__ import annotations

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.ledger import Ledger
from fleets import worker


def ledger(*workers, bookings=(), **known):
    return Ledger.of(Cluster(workers or (worker(),), tuple(bookings)), **known)


def book(book_of, *bookings, **how):
    return book_of.book(bookings, expected=book_of.versions(), **how)


def column(of, name, on="a"):
    return of.snapshot.table.columns[name][of.snapshot.rows[on]].tolist()
