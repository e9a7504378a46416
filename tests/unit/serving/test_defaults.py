"""The plugins of serving, and the configuration where none is given."""

from bayplan.serving.defaults import REQUIRED_FILTERS, builtins, default_config


def test_names_are_those_of_the_contract():
    assert REQUIRED_FILTERS == (
        "has-replicas", "sharing", "not-deleted", "dedicated", "capabilities", "explainer", "server-memory",
        "preloaded", "not-draining", "not-failed",
    )  # fmt: skip
    assert {each.name for each in builtins()} >= {
        "current-server", "replicas-given", "loaded", "free-memory", "index", "two-passes",
    }  # fmt: skip


def test_both_passes_look_at_the_same():
    first, second = default_config()["schedulingProfiles"]

    assert [first["name"], second["name"]] == ["all", "minimum"]
    assert first["plugins"] == second["plugins"]
    levels = {each["pluginRef"]: each["level"] for each in first["plugins"] if "level" in each}
    assert list(levels) == ["current-server", "replicas-given", "loaded", "free-memory", "index"]
