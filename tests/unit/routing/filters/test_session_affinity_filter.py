"""A session stays where it is."""

from bayplan.routing.filters.session_affinity_filter import SessionAffinityFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, request

POOL = endpoints({}, {})
PINNED = request(headers={"x-session-token": "ZGVmYXVsdC9i"})  # default/b
ELSEWHERE = request(headers={"x-session-token": "ZGVmYXVsdC96"})  # default/z


def test_the_pinned_endpoint_alone():
    assert kept(SessionAffinityFilter(), POOL, PINNED) == {"b"}
    assert codes(SessionAffinityFilter(), POOL, PINNED) == {"a": ["session"]}


def test_where_it_is_no_candidate_all_stay():
    assert kept(SessionAffinityFilter(), POOL, ELSEWHERE) == {"a", "b"}
    assert kept(SessionAffinityFilter(), POOL, request()) == {"a", "b"}


def test_contract():
    keeps_its_promises(SessionAffinityFilter(), POOL, [PINNED, ELSEWHERE])
