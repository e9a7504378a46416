"""Pools, objectives and rewrites of inference gateways."""

from __future__ import annotations

import pytest

from bayplan.manifests.routing.inference import (
    collect_inference_model_rewrite,
    collect_inference_objective,
    collect_inference_pool,
)
from unit.manifests.opened import opened, places


def read(collect, spec):
    fields = opened({"metadata": {"name": "x"}, "spec": spec})
    collect(fields)
    return fields


SELECTOR = {"matchLabels": {"app": "llama"}}
PICKER = {"name": "epp", "port": {"number": 9002}}
OLD = {"selector": {"app": "llama"}, "targetPortNumber": 8000, "extensionRef": {"name": "epp"}}
POOLS = {
    "v1": ({"selector": SELECTOR, "targetPorts": [{"number": 8000}], "endpointPickerRef": PICKER}, []),
    "v1alpha2": (OLD, []),
    "no spec": (None, ["spec"]),
    "nothing": ({}, ["spec.selector", "spec.targetPorts"]),
    "a port that does not exist": (OLD | {"targetPortNumber": 70000}, ["spec.targetPortNumber"]),
    "a port twice": (
        OLD | {"targetPorts": [{"number": 8000}, {"number": 8000}]}, ["spec.targetPorts[1].number"]),
    "too many ports": (OLD | {"targetPorts": [{"number": n} for n in range(1, 10)]}, ["spec.targetPorts"]),
    "a mode": (OLD | {"extensionRef": {"name": "e", "failureMode": "Sometimes"}}, ["spec.extensionRef.failureMode"]),
    "no name": (OLD | {"extensionRef": {}}, ["spec.extensionRef.name"]),
    "labels": (OLD | {"selector": {"matchLabels": [1]}}, ["spec.selector.matchLabels"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), POOLS.values(), ids=POOLS)
def test_pools(spec, where):
    assert places(read(collect_inference_pool, spec)) == where


def test_a_pool_without_a_picker_is_told():
    fields = read(collect_inference_pool, {"selector": SELECTOR, "targetPorts": [{"number": 8000}]})

    assert (places(fields), len(fields.findings.warnings)) == ([], 1)


OBJECTIVES = {
    "a priority": ({"poolRef": {"name": "p"}, "priority": -10}, []),
    "none": ({"poolRef": {"name": "p", "group": "inference.networking.k8s.io", "kind": "InferencePool"}}, []),
    "no pool": ({"priority": 1}, ["spec.poolRef"]),
    "no number": ({"poolRef": {"name": "p"}, "priority": "high"}, ["spec.priority"]),
}


@pytest.mark.parametrize(("spec", "where"), OBJECTIVES.values(), ids=OBJECTIVES)
def test_objectives(spec, where):
    assert places(read(collect_inference_objective, spec)) == where


def rewrite(*rules):
    return {"poolRef": {"name": "p"}, "rules": list(rules)}


EXACT = [{"model": {"type": "Exact", "value": "a"}}]
REWRITES = {
    "an alias": (rewrite({"matches": EXACT, "targets": [{"modelRewrite": "b"}]}), []),
    "of every model": (rewrite({"targets": [{"modelRewrite": "b"}]}), []),
    "shares": (rewrite({"targets": [{"modelRewrite": "b", "weight": 90}, {"modelRewrite": "c", "weight": 10}]}), []),
    "no rules": ({"poolRef": {"name": "p"}}, ["spec.rules"]),
    "no target": (rewrite({"matches": EXACT}), ["spec.rules[0].targets"]),
    "no model": (rewrite({"targets": [{"modelRewrite": "b"}, {}]}), ["spec.rules[0].targets[1].modelRewrite"]),
    "a weight for some": (
        rewrite({"targets": [{"modelRewrite": "b", "weight": 90}, {"modelRewrite": "c"}]}), ["spec.rules[0].targets"]),
    "a weight of 0": (
        rewrite({"targets": [{"modelRewrite": "b", "weight": 0}]}), ["spec.rules[0].targets[0].weight"]),
    "another way to match": (
        rewrite({"matches": [{"model": {"type": "Prefix", "value": "a"}}], "targets": [{"modelRewrite": "b"}]}),
        ["spec.rules[0].matches[0].model.type"]),
    "nothing to match": (
        rewrite({"matches": [{}], "targets": [{"modelRewrite": "b"}]}), ["spec.rules[0].matches[0].model"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), REWRITES.values(), ids=REWRITES)
def test_rewrites(spec, where):
    assert places(read(collect_inference_model_rewrite, spec)) == where


def test_what_belongs_to_models_is_told_of_objectives():
    fields = read(collect_inference_objective, {"poolRef": {"name": "p"}, "criticality": "Critical", "modelName": "m"})

    assert [each.path for each in fields.findings.ignored] == ["spec.modelName", "spec.criticality"]
