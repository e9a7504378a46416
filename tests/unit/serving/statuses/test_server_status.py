"""Servers: connected, expected, and how many models are loaded."""

import pytest

from bayplan.serving.books.ledger import Ledger
from bayplan.serving.statuses.server_status import ServerStatus, server_status
from unit.serving.builders import booking, server

READY = {"all": (2, 2, True), "more": (3, 2, True), "fewer": (1, 2, False), "none expected": (2, 0, False)}


@pytest.mark.parametrize(("replicas", "expected", "ready"), READY.values(), ids=READY)
def test_ready(replicas, expected, ready):
    assert ServerStatus(replicas, expected).ready is ready


def test_what_is_loaded():
    states = ("loaded", "available", "loaded-unavailable", "draining", "loading", "load-failed", "unload-requested")
    ledger = Ledger([server("a", 2)], [booking(f"m{n}", state=state) for n, state in enumerate(states)])

    assert server_status(ledger.servers["a"]) == ServerStatus(2, 2, 4)
