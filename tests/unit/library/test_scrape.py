import pytest

import bayplan
from bayplan.framework.errors import InputError

TEXT = 'my_queue{state="waiting"} 6\nvllm:num_requests_waiting 2\n'


def config(**engine):
    parameters = {"engineConfigs": [{"name": "mine", **engine}]}
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": "queue-scorer"}, {"type": "core-metrics-extractor", "parameters": parameters}],
    }


def test_vllm_is_the_usual_engine():
    assert bayplan.scrape(TEXT)["metrics"]["waiting"] == 2


def test_bytes():
    assert bayplan.scrape(TEXT.encode())["metrics"]["waiting"] == 2


def test_an_engine_of_the_configuration():
    found = bayplan.scrape(TEXT, engine="mine", config=config(queuedRequestsSpec="my_queue{state=waiting}"))

    assert found["metrics"]["waiting"] == 6


REFUSED = {
    "an unknown engine": ({"engine": "warp"}, "engine"),
    "an engine that the configuration does not define": ({"engine": "yours", "config": config()}, "engine"),
    "an engine that is no name": ({"engine": 3}, "engine"),
    "a configuration that is none": ({"config": 1}, "config"),
    "two configurations": ({"config": [config(), config()]}, "config"),
    "a configuration of wrong plugins": (
        {"config": config() | {"plugins": [{"type": "que-scorer"}]}},
        "plugins[0].type",
    ),
    "a spec that cannot be read": (
        {"config": config(kvUsageSpec="a b")},
        "plugins[1].parameters.engineConfigs[0].kvUsageSpec",
    ),
}


@pytest.mark.parametrize(("given", "place"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(given, place):
    with pytest.raises(InputError) as caught:
        bayplan.scrape(TEXT, **given)

    assert caught.value.place.startswith(place)


def test_what_is_no_text():
    with pytest.raises(InputError) as caught:
        bayplan.scrape(3)

    assert caught.value.place == "text"
