"""A Cluster document: workers, servers, bookings and budgets into nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.cluster import Cluster
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.fields import MOST_FINDINGS, present
from bayplan.manifests.native.booking import read_booking, read_budget
from bayplan.manifests.native.cards import Shelf
from bayplan.manifests.native.cluster_writer import API_VERSION
from bayplan.manifests.native.server import read_server
from bayplan.manifests.native.serving_booking import is_serving, read_serving_booking
from bayplan.manifests.native.worker import read_worker
from bayplan.manifests.values import count, text, what

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.server import Server
    from bayplan.cluster.serving_booking import ServingBooking
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
    servers = _servers(fields)
    entries = fields.children("bookings")
    bookings = _bookings([each for each in entries if not is_serving(each)], workers)
    serving = _serving_bookings([each for each in entries if is_serving(each)], servers)
    budgets = present(read_budget(each) for each in fields.children("budgets"))
    fields.finish()
    cluster = fields.build(
        Cluster,
        workers=tuple(workers),
        bookings=bookings,
        budgets=budgets,
        servers=servers,
        serving_bookings=serving,
    )
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


def _servers(fields: Fields) -> tuple[Server, ...]:
    servers = []
    names: dict[str, int] = {}
    for number, each in enumerate(fields.children("servers")):
        if (server := read_server(each)) is None:
            continue
        if (earlier := names.setdefault(server.name, number)) != number:
            message = f"two servers are called {server.name!r}, the other is servers[{earlier}]"
            each.add(message, "name", next="give each server its own name")
        servers.append(server)
    return tuple(servers)


def _serving_bookings(entries: list[Fields], servers: tuple[Server, ...]) -> tuple[ServingBooking, ...]:
    """All serving bookings; where the document lists servers, one that names no replica of theirs is told."""
    places = {(server.name, replica.index) for server in servers for replica in server.replicas}
    bookings = []
    for each in entries:
        if (booking := read_serving_booking(each)) is None:
            continue
        if servers and (booking.server, booking.replica) not in places:
            message = f"server {booking.server!r} has no connected replica {booking.replica}; the booking is ignored"
            each.warn(message, "server", next="list the replica, or remove the booking")
        bookings.append(booking)
    return tuple(bookings)


def _bookings(entries: list[Fields], workers: list[Worker]) -> tuple[Booking, ...]:
    names = {worker.name: worker for worker in workers}
    bookings = []
    for each in entries:
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
