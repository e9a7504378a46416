import pytest

import bayplan

CLUSTER = {"workers": [{"name": "a", "gpus": {"count": 2, "model": "L40S", "memory": "48Gi"}}]}


def pool(**spec):
    described = {"agentClassRef": {"name": "c"}, "minReplicas": 1, "gpuRequirements": {"count": 1}, **spec}
    return {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": "p"}, "spec": described}


CLASS = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentClass",
    "metadata": {"name": "c"},
    "spec": {"modelRef": {"name": "some-model"}},
}


def test_a_pool_whose_class_names_a_model_gets_whole_cards():
    plan = bayplan.plan([pool(), CLASS], CLUSTER)

    (gpu,) = plan["replicas"][0]["workers"][0]["gpus"]
    assert (plan["verdict"], gpu["memory_mib"]) == ("fits", 49_152)


UNKNOWN = {
    "no number of cards": {"model": {"name": "x"}},
    "an engine that must be told a share": {"model": {"name": "x"}, "gpus": {"count": 1}, "backend": {"name": "vllm"}},
    "something is told, not enough": {"model": {"name": "x", "context": 8192}, "gpus": {"count": 1}},
}  # fmt: skip


@pytest.mark.parametrize("spec", UNKNOWN.values(), ids=UNKNOWN)
def test_a_need_that_nobody_told_stays_unknown(spec):
    plan = bayplan.plan({"metadata": {"name": "m"}, "spec": spec}, CLUSTER)

    assert (plan["verdict"], [each["code"] for each in plan["rejections"]]) == ("infeasible", ["unknown-need"])
