"""Which scorers rank servers, which rank replicas, and which do both."""

from bayplan.serving.decision.server_ranking import judges_servers, ranked
from bayplan.serving.filters.server_memory import ServerMemory
from bayplan.serving.filters.sharing import Sharing
from unit.serving.builders import default_profiles


def test_the_default_profile():
    found = ranked(default_profiles()["all"])

    assert [each.key for each in found.profile.weighted] == ["loaded", "free-memory", "index"]
    assert [(each.key, each.level) for each in found.servers] == [
        ("current-server", 0),
        ("replicas-given", 1),
        ("free-memory", 3),
    ]


def test_a_filter_of_a_user_judges_replicas_unless_it_says_otherwise():
    assert judges_servers(Sharing())
    assert not judges_servers(ServerMemory())
    assert not judges_servers(object())
