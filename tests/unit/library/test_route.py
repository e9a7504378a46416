import pytest

import bayplan
from bayplan.framework.errors import InputError

ENDPOINTS = {
    "endpoints": [
        {"name": "a", "address": "10.0.0.1", "metrics": {"waiting": 0, "kvCacheUsage": 0.1}},
        {"name": "b", "address": "10.0.0.2", "metrics": {"waiting": 5, "kvCacheUsage": 0.5}},
    ]
}
CONFIG = {"kind": "EndpointPickerConfig", "apiVersion": "llm-d.ai/v1alpha1", "plugins": [{"type": "queue-scorer"}]}
GATE = {**CONFIG, "featureGates": ["flowControl"]}
REQUEST = {"id": "r", "model": "m", "prompt": "hello world"}


def route(requests=REQUEST, endpoints=ENDPOINTS, config=CONFIG, **more):
    return bayplan.route(requests, endpoints, config=config, **more)


def test_a_request_is_a_route():
    answer = route()

    assert (answer["kind"], answer["request"], answer["status"]) == ("Route", "r", 200)
    assert answer["picked"] == [{"endpoint": "a", "address": "10.0.0.1:8000"}]


def test_a_list_is_a_list_whatever_its_length():
    assert route([REQUEST])["kind"] == "RouteList"
    empty = route([])
    assert (empty["items"], empty["dispatched"], empty["inflight"]["a"]) == ([], [], {"requests": 0, "tokens": 0})


def test_what_the_document_says_counts_before_headers():
    headers = {"x-llm-d-inference-fairness-id": "h"}
    answer = route({**REQUEST, "priority": 3, "fairnessId": "f", "headers": headers})

    assert (answer["priority"], answer["fairness_id"]) == (3, "f")


def test_every_step():
    answer = route(
        [
            {"arrive": REQUEST},
            {"id": "s", "model": "m", "prompt": "x"},
            {"first-token": "r"},
            {"at": 1, "complete": "r", "usage": {"promptTokens": 3, "completionTokens": 1}},
            {"abort": "s"},
            {"metrics": {"a": {"waiting": 9}, "nobody": {"waiting": 1}}},
            {"kv": {"endpoint": "a", "cleared": True}},
            {"id": "t", "model": "m", "prompt": "x"},
            {"endpoint-up": {"name": "c", "address": "10.0.0.3", "metrics": {"waiting": 0}}},
            {"id": "u", "model": "m", "prompt": "x"},
            {"endpoint-down": "b"},
            {"tick": True},
            {"shutdown": True},
            {"id": "v", "model": "m", "prompt": "x"},
        ]
    )

    picks = {
        item["request"]: (item["status"], *(each["endpoint"] for each in item["picked"])) for item in answer["items"]
    }
    assert picks == {"r": (200, "a"), "s": (200, "a"), "t": (200, "b"), "u": (200, "c"), "v": (503,)}
    assert answer["dispatched"] == ["r", "s", "t", "u"]
    assert answer["inflight"] == {"a": {"requests": 0, "tokens": 0}, "c": {"requests": 1, "tokens": 1}}
    assert answer["warnings"] == ["metrics of 'nobody' are ignored: no endpoint has this name now"]


def test_what_waits_has_no_status():
    answer = route([REQUEST], {"endpoints": []}, GATE)

    assert (answer["items"][0]["status"], answer["items"][0]["code"], answer["waiting"]) == (None, None, ["r"])
    assert answer["bands"] == [{"priority": 0, "ceiling": 1.0, "waiting": 1}]
    assert answer["saturation"] == 1.0


def test_one_request_may_wait_too():
    assert route(endpoints={"endpoints": []}, config=GATE)["status"] is None


def test_the_time_of_the_first_step():
    answer = route([{"at": 3, **REQUEST}], {"endpoints": []}, GATE, now=1000.0)

    assert answer["waiting"] == ["r"]


def test_calls_are_repeatable_and_seeds_matter():
    config = {**CONFIG, "plugins": [{"type": "random-picker"}]}
    requests = [{"id": str(n), "model": "m", "prompt": "x"} for n in range(20)]

    def picks(seed):
        items = route(requests, config=config, seed=seed)["items"]
        return [item["picked"][0]["endpoint"] for item in items]

    assert picks(1) == picks(1)
    assert picks(1) != picks(2)


PLACEMENT = {
    "scheduler": "placement",
    "plugins": [{"type": "binpack"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]}],
}
REFUSED = {
    "no request": ({"requests": 3}, "requests"),
    "two requests of one name": ({"requests": [REQUEST, REQUEST]}, "requests: [1].id"),
    "no endpoints": ({"endpoints": 3}, "endpoints"),
    "an endpoint that is wrong": ({"endpoints": {"endpoints": [{"name": "a"}]}}, "endpoints: endpoints[0].address"),
    "a configuration that is wrong": ({"config": {**CONFIG, "plugins": [{"type": "nothing"}]}}, "plugins[0].type"),
    "a configuration of placement": ({"config": PLACEMENT}, "config.scheduler"),
}


@pytest.mark.parametrize(("given", "place"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(given, place):
    with pytest.raises(InputError) as caught:
        route(**given)

    assert caught.value.place == place
