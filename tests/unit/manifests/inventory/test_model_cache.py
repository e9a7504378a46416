"""Caches that the status of a Model tells."""

import pytest

import bayplan
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import node, read, read_one


def model(*cached, name="llama", version="neuronetes.io/v1alpha1"):
    nodes = [{"nodeName": on, "status": status} for on, status in cached]
    return {
        "apiVersion": version, "kind": "Model", "metadata": {"name": name}, "status": {"cachedNodes": nodes}
    }  # fmt: skip


CACHED = {
    "ready": ([("n", "ready")], {"llama": None}),
    "it still loads": ([("n", "loading")], {}),
    "it is going": ([("n", "evicting")], {}),
    "it never came": ([("n", "failed")], {}),
    "nobody has it": ([], {}),
}


@pytest.mark.parametrize(("cached", "models"), CACHED.values(), ids=CACHED)
def test_only_what_is_ready_is_cached(cached, models):
    inventory = read(node(), model(*cached))

    assert dict(inventory.cluster.workers[0].cached_models) == models
    assert inventory.warnings == ()


def test_models_join_what_the_node_says_itself():
    said = node(annotations={"neuronetes.io/cached-models": "llama,phi"})

    worker = read_one(model(("n", "ready")), said, model(("n", "ready"), name="qwen", version="neuronetes.ai/v1alpha1"))

    assert dict(worker.cached_models) == {"llama": None, "phi": None, "qwen": None}


def test_a_hit_rate_that_is_known_stays():
    ours = {"kind": "Cluster", "workers": [{"name": "n", "cachedModels": {"llama": 0.9}}]}

    assert dict(read_one(ours, model(("n", "ready"))).cached_models) == {"llama": 0.9}


def test_a_model_of_another_maker_is_none():
    inventory = read(node(), model(("n", "ready"), version="mlops.seldon.io/v1alpha1"))

    assert not inventory.cluster.workers[0].cached_models
    assert "Model objects do not describe capacity" in inventory.warnings[0]


def test_a_node_that_is_not_there_is_told():
    (warning,) = read(node(), model(("elsewhere", "ready"))).warnings

    assert "has no node 'elsewhere'" in warning


def test_a_word_that_nobody_knows_is_told():
    (warning,) = read(node(), model(("n", "somewhat"))).warnings

    assert "'somewhat' is not one of ready | loading | evicting | failed" in warning


REFUSED = {
    "no list": ({"cachedNodes": "n"}, "status.cachedNodes"),
    "no mapping": ({"cachedNodes": ["n"]}, "status.cachedNodes[0]"),
    "no node": ({"cachedNodes": [{"status": "ready"}]}, "status.cachedNodes[0].nodeName"),
    "no text": ({"cachedNodes": [{"nodeName": "n", "status": 5}]}, "status.cachedNodes[0].status"),
}


@pytest.mark.parametrize(("status", "place"), REFUSED.values(), ids=REFUSED)
def test_a_status_that_cannot_be_read_is_refused(status, place):
    with pytest.raises(InputError) as caught:
        read(node(), model() | {"status": status})

    assert caught.value.place.endswith(f".{place}")


def test_the_native_form_has_it():
    cluster = bayplan.read_cluster([node(), model(("n", "ready"))])

    assert cluster["workers"][0]["cachedModels"] == {"llama": None}
