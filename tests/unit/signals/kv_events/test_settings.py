import pytest

from bayplan.framework.errors import InputError
from bayplan.signals.kv_events.settings import KvEventSettings

CASES = {
    "nothing": ({}, KvEventSettings()),
    "ports": (
        {"discoverPods": True, "podDiscoveryConfig": {"socketPort": 6000, "replaySocketPort": 6001}},
        KvEventSettings(port=6000, replay_port=6001),
    ),
    "an address to publish to": (
        {"zmqEndpoint": "tcp://*:5557"},
        KvEventSettings(port=None, bind="tcp://*:5557"),
    ),
    "both": (
        {"zmqEndpoint": "tcp://*:5557", "discoverPods": True},
        KvEventSettings(port=5557, bind="tcp://*:5557"),
    ),
    "another topic": ({"topicFilter": ""}, KvEventSettings(topic="")),
    "what has no meaning here": (
        {"concurrency": 4, "engineType": "vllm", "podDiscoveryConfig": {"podLabelSelector": "a=b"}},
        KvEventSettings(),
    ),
    "no replay": ({"podDiscoveryConfig": {"replaySocketPort": 0}}, KvEventSettings()),
}


@pytest.mark.parametrize(("config", "settings"), CASES.values(), ids=CASES)
def test_settings(config, settings):
    assert KvEventSettings.of(config) == settings


def test_the_block_size_of_the_index():
    assert KvEventSettings.of({}, 32).block_size == 32


WRONG = {
    "an unknown field": ({"zmqEndpont": "x"}, "kvEventsConfig"),
    "an unknown field of the discovery": ({"podDiscoveryConfig": {"port": 1}}, "kvEventsConfig.podDiscoveryConfig"),
    "no mapping": ({"podDiscoveryConfig": [1]}, "kvEventsConfig.podDiscoveryConfig"),
    "no address": ({"zmqEndpoint": "ipc:///etc/passwd"}, "kvEventsConfig.zmqEndpoint"),
    "no port": ({"podDiscoveryConfig": {"socketPort": 70000}}, "kvEventsConfig.podDiscoveryConfig.socketPort"),
    "no topic": ({"topicFilter": 3}, "kvEventsConfig.topicFilter"),
}


@pytest.mark.parametrize(("config", "place"), WRONG.values(), ids=WRONG)
def test_what_is_refused(config, place):
    with pytest.raises(InputError) as caught:
        KvEventSettings.of(config)

    assert caught.value.place == place
