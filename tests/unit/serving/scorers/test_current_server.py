"""The server that the model is on."""

from bayplan.serving.scorers.current_server import CurrentServer
from unit.serving.builders import keeps_its_promises, scores, server, subject, table

ROWS = table(server("a"), server("b", 2))


def test_scores():
    assert scores(CurrentServer(), ROWS, subject(current=1)) == {"b/0": 1.0, "b/1": 1.0, "a/0": 0.0}


def test_contract():
    keeps_its_promises(CurrentServer(), ROWS, subject(), subject(current=0))
    assert CurrentServer.ranks == "servers"
