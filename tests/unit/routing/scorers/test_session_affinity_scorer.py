"""The endpoint of the session is better."""

from bayplan.routing.scorers.session_affinity_scorer import SessionAffinityScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, request, scores, sent_to

PINNED = request(headers={"x-session-token": "ZGVmYXVsdC9i"})  # default/b
POOL = endpoints({}, {})


def test_score():
    assert scores(SessionAffinityScorer(), POOL, PINNED) == {"b": 1.0, "a": 0.0}
    assert scores(SessionAffinityScorer(), POOL, request()) == {"a": 0.0, "b": 0.0}


def test_session_ids():
    plugin, asked = SessionAffinityScorer("session_id"), request(headers={"x-session-id": "s"})
    plugin.sent(asked, sent_to(POOL, 1), 0.0)

    assert scores(plugin, POOL, asked) == {"b": 1.0, "a": 0.0}


def test_contract():
    keeps_its_promises(SessionAffinityScorer(), POOL, [PINNED])
