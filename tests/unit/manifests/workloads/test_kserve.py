"""InferenceServices."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.kserve import collect_inference_service
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template


def model(cards):
    return {"modelFormat": {"name": "huggingface"}, "resources": {"limits": {"nvidia.com/gpu": cards}}}


REPLICAS = {"absent": ({}, 1), "none": ({"minReplicas": 0}, 1), "five": ({"minReplicas": 5, "maxReplicas": 8}, 5)}


@pytest.mark.parametrize(("spec", "replicas"), REPLICAS.values(), ids=REPLICAS)
def test_replicas(spec, replicas):
    (found,), fields = collected(collect_inference_service, {"predictor": {"model": model(2), **spec}})

    assert members(found) == [("", replicas, 2)]
    assert not fields.findings.warnings


CONTAINERS = {
    "a model": ({"model": model(2)}, 2),
    "containers": (template(3)["spec"], 3),
    "a model and a container beside it": ({"model": model(2), **template(1)["spec"]}, 3),
    "a framework of older documents": ({"triton": model(4)}, 4),
}


@pytest.mark.parametrize(("predictor", "cards"), CONTAINERS.values(), ids=CONTAINERS)
def test_whose_resources_count(predictor, cards):
    (found,), fields = collected(collect_inference_service, {"predictor": predictor})

    assert members(found) == [("", 1, cards)]
    assert not fields.findings.errors


def test_the_predictor_is_a_pod():
    (found,), _ = collected(collect_inference_service, {"predictor": {"model": model(1), "nodeSelector": {"a": "b"}}})

    assert not found.workload.shape.selector.matches({})


BESIDE = {
    "a transformer": ({"predictor": {"model": model(1)}, "transformer": {}}, "transformer: is not planned"),
    "flags": (
        {"predictor": {"model": {**model(1), "args": ["--tensor-parallel-size=2"]}}},
        "2 cards (tensor parallel 2), but each Pod requests 1 cards",
    ),
}


@pytest.mark.parametrize(("spec", "warning"), BESIDE.values(), ids=BESIDE)
def test_what_is_not_planned_is_told(spec, warning):
    _, fields = collected(collect_inference_service, spec)

    assert warning in fields.findings.warnings[0]


UNKNOWN = {
    "workers": ({"model": model(1), "workerSpec": {"size": 2}}, "workerSpec is not planned"),
    "no resources": ({"model": {"modelFormat": {"name": "x"}}}, "serving runtime"),
    "a framework without resources": ({"sklearn": {"storageUri": "s3://x"}}, "predictor.sklearn gives no resources"),
}


@pytest.mark.parametrize(("predictor", "reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_understood(predictor, reason):
    (found,), _ = collected(collect_inference_service, {"predictor": predictor})

    assert reason in found.workload.shape.unknown


WRONG = {
    "no predictor": ({}, ["spec.predictor"]),
    "a predictor without a model": ({"predictor": {"minReplicas": 1}}, ["spec.predictor.containers"]),
    "a predictor that is a list": ({"predictor": [1]}, ["spec.predictor"]),
    "a model that is a text": ({"predictor": {"model": "llama"}}, ["spec.predictor.model"]),
    "replicas": ({"predictor": {"model": model(1), "minReplicas": "x"}}, ["spec.predictor.minReplicas"]),
}


@pytest.mark.parametrize(("spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(spec, where):
    _, fields = collected(collect_inference_service, spec)

    assert places(fields)[: len(where)] == where
