"""A Cluster document: workers, bookings and budgets into nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.cluster import Cluster
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.fields import MOST_FINDINGS, present
from bayplan.manifests.native.booking import read_booking, read_budget
from bayplan.manifests.native.cards import Shelf
from bayplan.manifests.native.cluster_writer import API_VERSION
from bayplan.manifests.native.worker import read_worker
from bayplan.manifests.values import count, text, what

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.fields import Fields

MOST_WORKERS = 250_000  # `count` makes a worker from a few bytes, so it needs a bound of its own


def collect_cluster(fields: Fields) -> Cluster:
    """The cluster as far as it can be read; the findings say what is wrong with it."""
    fields.ignore("apiVersion", "kind", "metadata", "status")
    _repeat_warnings(fields)
    if (version := fields.raw("apiVersion")) not in (None, API_VERSION):
        fields.add(f"a Cluster of {what(version)} is not read", "apiVersion", next=f"write {API_VERSION}")
    workers = _workers(fields)
    bookings = _bookings(fields, workers)
    budgets = present(read_budget(each) for each in fields.children("budgets"))
    fields.leave("servers", reason="it is kept; models are not loaded onto servers yet")
    fields.finish()
    cluster = fields.build(Cluster, workers=tuple(workers), bookings=bookings, budgets=budgets)
    return cluster or Cluster()


def _repeat_warnings(fields: Fields) -> None:
    """Repeat the warnings of the inventory that the file was made from, because they still hold."""
    told = fields.each("warnings", text)
    fields.findings.warnings += told[: max(0, MOST_FINDINGS - len(fields.findings.warnings))]


def _workers(fields: Fields) -> list[Worker]:
    """All workers; workers with equal cards share one tuple, which the snapshot recognises by identity."""
    workers: list[Worker] = []
    shelf = Shelf()
    names: dict[str, int] = {}
    for number, each in enumerate(fields.children("workers")):
        if (copies := each.read("count", count, 1)) > MOST_WORKERS - len(workers):
            each.add(f"{what(copies)} workers are too many", "count", next=f"write at most {MOST_WORKERS:,} in all")
            return workers
        for worker in read_worker(each, shelf):
            if (earlier := names.setdefault(worker.name, number)) != number:
                message = f"two workers are called {worker.name!r}, the other is workers[{earlier}]"
                each.add(message, "name", next="give each worker its own name")
            workers.append(worker)
    return workers


def _bookings(fields: Fields, workers: list[Worker]) -> tuple[Booking, ...]:
    names = {worker.name: worker for worker in workers}
    bookings = []
    for each in fields.children("bookings"):
        if (booking := read_booking(each)) is None:
            continue
        if names and booking.worker not in names:
            message = f"no worker is called {booking.worker!r}; the booking is ignored"
            each.warn(message, "worker", next=did_you_mean(booking.worker, names))
        elif names:
            _warn_of_cards(each, booking, names[booking.worker])
        bookings.append(booking)
    return tuple(bookings)


def _warn_of_cards(fields: Fields, booking: Booking, worker: Worker) -> None:
    """Warn of bookings of cards that do not exist: often the index is wrong, and the card that was meant seems free."""
    for card in (part.card for part in booking.cards):
        if card is not None and worker.gpu(card) is None:
            there = ", ".join(str(each) for each in worker.cards[:8]) or "none"
            fields.warn(
                f"{worker.name} has no card {card}; the booking of this card is ignored",
                "gpus",
                next=f"there are: {there}",
            )
