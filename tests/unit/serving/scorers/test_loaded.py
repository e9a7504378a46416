"""Replicas that have the model come first, by how far it is loaded."""

from bayplan.cluster.serving_booking import LoadState
from bayplan.serving.scorers.loaded import SCORES, Loaded
from unit.serving.builders import keeps_its_promises, scores, server, subject, table

ROWS = table(server("a", 6))


def test_the_order_of_states():
    kept = dict(enumerate(SCORES))

    assert list(scores(Loaded(), ROWS, subject(kept=kept))) == ["a/0", "a/1", "a/2", "a/3", "a/4", "a/5"]
    assert [*SCORES] == ["available", "loaded", "loading", "load-requested", "loaded-unavailable"]


def test_contract():
    keeps_its_promises(Loaded(), ROWS, subject(), subject(kept={3: LoadState.LOADING}))
