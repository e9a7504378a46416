"""The configuration and its native document."""

from bayplan.framework.config.scheduler_config import scheduler
from bayplan.routing.defaults import REQUIRED_FILTERS
from unit.routing.config.documents import NATIVE, RICH, picker, read, told


def test_plugins_are_in_the_order_of_the_document_and_added_ones_last():
    config = read(picker("latency-scorer", told("approx-prefix-cache-producer", "mine"), "queue-scorer"))

    assert list(config.plugins)[:3] == ["latency-scorer", "mine", "queue-scorer"]
    assert {"approx-prefix-cache-producer", "predicted-latency-producer"} <= set(list(config.plugins)[3:])


def test_every_profile_has_the_filters_that_none_can_do_without():
    config = read(RICH)

    for profile in config.profiles:
        assert tuple(each.name for each in profile.named_filters)[: len(REQUIRED_FILTERS)] == REQUIRED_FILTERS
    assert not any(name in str(config.document()) for name in REQUIRED_FILTERS)


def test_a_scheduler_can_be_made_of_it():
    assert scheduler(read(NATIVE).scheduler).profiles.keys() == {"a", "b"}


def test_parts_by_name():
    config = read(RICH)

    assert list(config.admitters) == ["probabilistic-admitter"]
    assert config.gates == {
        "flowControl": True, "haPopulateNonLeaderDatastore": True, "dataLayer": True, "enableLegacyMetrics": False,
    }  # fmt: skip
    assert config.scheduler.on_plugin_error == "fail"
    assert read(NATIVE).scheduler.on_plugin_error == "skip"


def test_levels_are_kept():
    (first, _) = read(NATIVE).profiles

    assert [(each.key, each.level) for each in first.weighted] == [
        ("queue-scorer", 0),
        ("kv-cache-utilization-scorer", 1),
    ]


def test_metadata_is_kept():
    assert read(picker("queue-scorer", metadata={"name": "x"})).document()["metadata"] == {"name": "x"}


def test_the_document_is_the_callers_own():
    config = read(RICH)
    config.document()["plugins"].clear()

    assert config.document()["plugins"]
