import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document
from bayplan.manifests.routing.endpoints import read_endpoints
from bayplan.routing.endpoints.endpoint import CachedPrompt
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.requests.rewrite import Rule, Target


def read(*endpoints, **more):
    return read_endpoints([Document({"endpoints": list(endpoints), **more}, "endpoints")])


def test_an_endpoint_with_everything():
    (found,) = read(
        {
            "name": "a",
            "namespace": "n",
            "address": "10.0.0.1",
            "port": 9000,
            "ready": False,
            "labels": {"x": "1"},
            "role": "decode",
            "metrics": {
                "waiting": 1,
                "running": 2,
                "kvCacheUsage": 0.5,
                "cacheBlockSize": 16,
                "cacheBlocks": 10,
                "kvTokenCapacity": 99,
                "ageSeconds": 3,
            },
            "loras": {"active": ["l"], "waiting": ["w"], "max": 4},
            "inflight": {"requests": 2, "tokens": 30},
            "cached": [{"model": "m", "tokens": [1, 2]}, {"model": "m", "prompt": "hi", "medium": "cpu"}],
            "encoderCache": ["u"],
            "attributes": {"depth": -2.5},
            "predicted": {"ttftMs": 100, "tpotMs": 5},
        }
    ).endpoints

    assert (found.full_name, found.address, found.ready, found.role) == ("n/a", "10.0.0.1:9000", False, "decode")
    assert found.labels == {"x": "1", "llm-d.ai/role": "decode"}
    known = found.known
    assert known.metrics == EngineMetrics(1, 2, 0.5, 16, 10, 99, frozenset({"l"}), frozenset({"w"}), 4, {"depth": -2.5})
    assert (known.metrics_age_s, known.inflight_requests, known.inflight_tokens) == (3, 2, 30)
    assert known.cached == (CachedPrompt("m", (1, 2)), CachedPrompt("m", None, b"hi", "cpu"))
    assert (known.encoder_cache, known.predicted_ttft_ms, known.predicted_tpot_ms) == (("u",), 100, 5)


def test_an_endpoint_with_nothing():
    (found,) = read({"name": "a", "address": "10.0.0.1"}).endpoints

    assert (found.full_name, found.address, found.ready, found.role) == ("default/a", "10.0.0.1:8000", True, "")
    assert (found.known.metrics, found.known.metrics_age_s) == (EngineMetrics(attributes={}), None)


def test_ports_are_an_endpoint_each():
    found = read({"name": "a", "address": "10.0.0.1", "ports": [8000, 8001], "labels": {"x": "1"}}).endpoints

    assert [(each.name, each.port, each.labels) for each in found] == [
        ("a-rank-0", 8000, {"x": "1"}),
        ("a-rank-1", 8001, {"x": "1"}),
    ]


KUBERNETES = {"apiVersion": "llm-d.ai/v1alpha2", "kind": "InferenceObjective", "metadata": {"name": "k8s"}}
RULES = [{"matches": [{"model": {"value": "old"}}], "targets": [{"modelRewrite": "new", "weight": 2}]}]


def test_objectives_and_rewrites():
    found = read(
        objectives=[{"name": "gold", "priority": 5}, {"name": "plain"}, {**KUBERNETES, "spec": {"priority": -3}}],
        rewrites=[
            {"name": "w", "created": "1970-01-01T00:01:00Z", "rules": RULES},
            {
                "kind": "InferenceModelRewrite",
                "metadata": {"name": "k", "creationTimestamp": "1970-01-01T00:00:30Z"},
                "spec": {"poolRef": {"name": "p"}, "rules": [{"targets": [{"modelRewrite": "x"}]}]},
            },
            {"name": "new", "rules": RULES},
        ],
    )

    assert found.objectives == {"gold": 5, "plain": 0, "k8s": -3}
    assert [(each.name, each.created_s) for each in found.rewrites] == [("w", 60), ("k", 30), ("new", float("inf"))]
    assert found.rewrites[0].rules == (Rule(frozenset({"old"}), (Target("new", 2),)),)
    assert found.rewrites[1].rules == (Rule(frozenset(), (Target("x"),)),)
    assert found.warnings == ()


def test_documents_of_kubernetes_beside_the_endpoints():
    documents = [
        {"endpoints": [{"name": "a", "address": "x"}]},
        {**KUBERNETES, "spec": {"priority": 3}},
        {"kind": "InferenceModelRewrite", "metadata": {"name": "k"}, "spec": {"rules": RULES}},
    ]
    found = read_endpoints([Document(each, "endpoints") for each in documents])

    assert (len(found.endpoints), found.objectives, len(found.rewrites)) == (1, {"k8s": 3}, 1)


def test_unknown_fields_are_told():
    assert "endpoints[0].colour" in read({"name": "a", "address": "x", "colour": "red"}).warnings[0]


def entry(**more):
    return {"endpoints": [{"name": "a", "address": "10.0.0.1", **more}]}


WRONG = {
    "no name": ({"endpoints": [{"address": "x"}]}, "endpoints[0].name"),
    "no address": ({"endpoints": [{"name": "a"}]}, "endpoints[0].address"),
    "one name twice": ({"endpoints": [{"name": "a", "address": "x"}] * 2}, "endpoints[1].name"),
    "a port's name twice": (
        {"endpoints": [{"name": "a", "address": "x", "ports": [1]}, {"name": "a-rank-0", "address": "x"}]},
        "endpoints[1].name",
    ),
    "a queue below 0": (entry(metrics={"waiting": -1}), "endpoints[0].metrics.waiting"),
    "a queue that is no number": (entry(metrics={"waiting": "many"}), "endpoints[0].metrics.waiting"),
    "NaN": (entry(metrics={"running": float("nan")}), "endpoints[0].metrics.running"),
    "a usage above 1": (entry(metrics={"kvCacheUsage": 85}), "endpoints[0].metrics.kvCacheUsage"),
    "an attribute that is text": (entry(attributes={"x": "y"}), "endpoints[0].attributes.x"),
    "a port that is none": (entry(port=70000), "endpoints[0].port"),
    "an unknown medium": (
        entry(cached=[{"model": "m", "prompt": "x", "medium": "disk"}]),
        "endpoints[0].cached[0].medium",
    ),
    "ids that are text": (entry(cached=[{"model": "m", "tokens": "x"}]), "endpoints[0].cached[0].tokens"),
    "a rule without targets": ({"rewrites": [{"name": "w", "rules": [{}]}]}, "rewrites[0].rules[0].targets"),
    "weights of 0 alone": (
        {"rewrites": [{"name": "w", "rules": [{"targets": [{"modelRewrite": "x", "weight": 0}]}]}]},
        "rewrites[0].rules[0].targets",
    ),
    "a time that is none": ({"rewrites": [{"name": "w", "created": "soon", "rules": RULES}]}, "rewrites[0].created"),
    "a priority that is text": ({"objectives": [{"name": "o", "priority": "high"}]}, "objectives[0].priority"),
    "a list instead of a document": ([1], "endpoints"),
}


@pytest.mark.parametrize(("data", "place"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(data, place):
    with pytest.raises(InputError) as caught:
        read_endpoints([Document(data, "endpoints")])

    assert caught.value.place.endswith(place)
