"""To which endpoint a session is pinned."""

import pytest

from bayplan.routing.factors.sessions import SessionAffinity, SessionIds, SessionSource
from bayplan.routing.requests.routed_request import AGENT_IDENTITY
from unit.routing.endpoint_tables import endpoints, refused_at, request, sent_to

POOL = endpoints({}, {}, {})


def asked(**headers):
    return request(headers={name.replace("_", "-"): value for name, value in headers.items()})


TOKENS = {
    "an endpoint's name": ("ZGVmYXVsdC9i", "default/b"),
    "no base64": ("%%%", None),
    "not in full": ("ZGVmYXVsdC9", None),
    "no text": ("/////w==", None),
    "empty": ("", None),
}


@pytest.mark.parametrize(("token", "wanted"), TOKENS.values(), ids=TOKENS)
def test_tokens(token, wanted):
    assert SessionAffinity().pinned(asked(x_session_token=token), 0.0) == wanted


def test_no_token():
    assert SessionAffinity().pinned(asked(), 0.0) is None


def test_the_response_brings_the_token():
    assert SessionAffinity().response_headers(asked(), sent_to(POOL, 1)) == {"x-session-token": "ZGVmYXVsdC9i"}
    assert SessionAffinity("session_id").response_headers(asked(), sent_to(POOL, 1)) == {}


def test_the_pick_of_a_profile():
    plugin = SessionAffinity(profile_name="prefill")

    assert plugin.response_headers(asked(), sent_to(POOL, 1, prefill=0)) == {"x-session-token": "ZGVmYXVsdC9h"}
    assert plugin.response_headers(asked(), sent_to(POOL, 1)) == {"x-session-token": "ZGVmYXVsdC9i"}


def test_a_session_is_bound_to_its_last_pick():
    plugin, mine = SessionAffinity("session_id"), asked(x_session_id="s")
    pinned = []
    for row in (0, 2):
        plugin.sent(mine, sent_to(POOL, row), 0.0)
        pinned.append(plugin.pinned(mine, 0.0))

    assert pinned == ["default/a", "default/c"]
    assert plugin.pinned(asked(x_session_id="t"), 0.0) is None
    assert plugin.pinned(asked(), 0.0) is None


def test_tokens_bind_nothing():
    plugin = SessionAffinity()
    plugin.sent(asked(x_session_id="s"), sent_to(POOL), 0.0)

    assert not plugin._bound


def test_unused_for_longer_than_its_time():
    plugin, mine, other = SessionAffinity("session_id"), asked(x_session_id="s"), asked(x_session_id="t")
    plugin.sent(mine, sent_to(POOL), 0.0)
    assert (plugin.pinned(mine, 300.0), plugin.pinned(mine, 301.0)) == ("default/a", None)
    plugin.sent(mine, sent_to(POOL), 200.0)
    plugin.sent(other, sent_to(POOL), 490.0)
    assert plugin.pinned(mine, 500.0) == "default/a"
    plugin.sent(other, sent_to(POOL), 501.0)

    assert list(plugin._bound) == ["t"]


def test_an_endpoint_that_is_gone_is_forgotten():
    plugin, mine, other = SessionAffinity("session_id"), asked(x_session_id="s"), asked(x_session_id="t")
    plugin.sent(mine, sent_to(POOL, 0), 0.0)
    plugin.sent(other, sent_to(POOL, 1), 0.0)
    plugin.endpoint_down("a")

    assert (plugin.pinned(mine, 0.0), plugin.pinned(other, 0.0)) == (None, "default/b")


def test_the_first_source_with_a_value():
    ids = SessionIds((SessionSource("X-User"), SessionSource(attribute="agent-identity")))
    agent = request(notes={AGENT_IDENTITY: "codex"})

    assert [ids.id_of(each) for each in (asked(x_user="u"), agent, asked())] == ["u", "codex", None]


def test_what_is_refused():
    assert refused_at(SessionSource) == "header"
    assert refused_at(SessionSource, header="x", attribute="agent-identity") == "header"
    assert refused_at(SessionIds, sources=()) == "sources"
    assert refused_at(SessionIds, eviction_ttl_seconds=-1) == "eviction_ttl_seconds"


def test_a_reload_keeps_sessions():
    former, plugin, mine = SessionAffinity("session_id"), SessionAffinity("session_id"), asked(x_session_id="s")
    former.sent(mine, sent_to(POOL), 0.0)
    plugin.take_over(former)

    assert plugin.pinned(mine, 0.0) == "default/a"
