"""Kinds are found by path, by document and by the names that users write."""

import pytest

from bayplan.control.resources.kinds import CUSTOM_GROUPS, KINDS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.resource_type import Support
from bayplan.framework.errors import InputError

NAMES = {
    "po": "pods",
    "Pod": "pods",
    "pods": "pods",
    "deployments.apps": "deployments.apps",
    "deploy": "deployments.apps",
    "deployments.v1.apps": "deployments.apps",
    "ap": "agentpools.neuronetes.io",
    "agentpools.neuronetes.ai": "agentpools.neuronetes.io",
    "mdl": "models.neuronetes.io",
    "mlm": "models.mlops.seldon.io",
    "model.mlops.seldon.io": "models.mlops.seldon.io",
    "ujob": "unifiedjobs.ai.centauruscloud.io",
    "events.events.k8s.io": "events",
}


@pytest.mark.parametrize(("written", "full"), NAMES.items(), ids=NAMES)
def test_a_name_means_one_kind(written, full):
    assert REGISTRY.resolve(written).full_name == full


def test_two_kinds_are_called_model():
    with pytest.raises(InputError, match=r"names 2 kinds; say models.neuronetes.io \(mdl\) or models.mlops.seldon.io"):
        REGISTRY.resolve("model")


def test_a_misspelt_kind_gets_a_proposal():
    with pytest.raises(InputError, match="did you mean 'deployment'"):
        REGISTRY.resolve("deploymant")


def test_an_alias_leads_to_the_same_collection():
    pool = REGISTRY.at("neuronetes.io", "v1alpha1", "agentpools")

    assert pool is REGISTRY.at("neuronetes.ai", "v1alpha1", "agentpools")
    assert pool is REGISTRY.of_document("neuronetes.ai/v1alpha1", "AgentPool")
    assert str(pool.collection) == "agentpools.neuronetes.io"
    assert REGISTRY.at("events.k8s.io", "v1", "events") is REGISTRY.at("", "v1", "events")


def test_a_document_of_another_version_is_not_served():
    assert REGISTRY.of_document("apps/v1beta1", "Deployment") is None
    assert REGISTRY.of_kind("apps", "Deployment") is not None
    assert REGISTRY.of_document("apps/v1", "DaemonSet") is None


def test_every_kind_says_what_is_done_with_it():
    assert all(each.reason for each in KINDS)
    unsupported = {each.kind for each in KINDS if each.support is Support.UNSUPPORTED}
    assert {"Pipeline", "Experiment", "SeldonRuntime", "ElasticQuota"} <= unsupported


def test_no_two_kinds_share_a_short_name_or_a_path():
    short = [name for each in KINDS for name in each.short_names]
    paths = [(api, each.plural) for each in KINDS for api in each.apis]

    assert len(short) == len(set(short))
    assert len(paths) == len(set(paths))


def test_custom_groups_are_those_that_kubernetes_lacks():
    assert {"neuronetes.ai", "mlops.seldon.io", "llm-d.ai", "bayplan.io"} <= CUSTOM_GROUPS
    assert not {"", "apps", "batch", "policy"} & CUSTOM_GROUPS


def test_subresources_name_their_documents():
    pods = REGISTRY.resolve("pods")

    assert pods.subresource("binding").kind == "Binding"
    assert str(pods.subresource("eviction").api) == "policy/v1"
    assert pods.subresource("scale") is None
    assert REGISTRY.resolve("ap").subresource("scale").kind == "Scale"
