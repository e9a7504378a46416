"""Rules of single kinds: what cannot change, definitions of kinds, and kinds that nothing is done with."""

import pytest

from kubectl.client import Kubectl
from kubectl.manifests import deployment, pod


def definition(group: str, plural: str = "agentpools", kind: str = "AgentPool") -> str:
    return f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{plural: {plural}, singular: {kind.lower()}, kind: {kind}}}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"""


def test_the_containers_of_a_pod_cannot_change(kubectl: Kubectl) -> None:
    kubectl.apply(pod())
    two = '[{"op":"add","path":"/spec/containers/-","value":{"name":"two","image":"x"}}]'

    err = kubectl("patch", "pod", "a", "--type=json", "-p", two, code=1).err

    assert 'The Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than' in err


def test_the_image_of_a_pod_can_change(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    assert kubectl.apply(pod(image="vllm/vllm-openai:v0.7.0")).out == "pod/a configured\n"


def test_the_node_of_a_pod_comes_from_its_binding(kubectl: Kubectl) -> None:
    kubectl.apply(pod())

    err = kubectl("patch", "pod", "a", "--type=merge", "-p", '{"spec":{"nodeName":"n"}}', code=1).err

    assert "spec: Forbidden" in err


def test_the_selector_of_a_deployment_cannot_change(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    err = kubectl.apply(deployment().replace("{app: web}", "{app: other}"), code=1).err

    assert "spec.selector: Invalid value" in err
    assert "field is immutable" in err


def test_a_selector_that_does_not_choose_its_own_pods(kubectl: Kubectl) -> None:
    manifest = deployment().replace("metadata: {labels: {app: web}}", "metadata: {labels: {app: other}}")

    assert "`selector` does not match template `labels`" in kubectl.create(manifest, code=1).err


def test_definitions_of_known_groups_change_nothing(kubectl: Kubectl) -> None:
    answer = kubectl.apply(definition("neuronetes.io"))

    assert answer.out == "customresourcedefinition.apiextensions.k8s.io/agentpools.neuronetes.io created\n"
    assert "Warning: the kinds of neuronetes.io are built in" in answer.err
    kubectl("wait", "--for=condition=Established", "crd/agentpools.neuronetes.io", "--timeout=20s")
    assert "agentpools.neuronetes.io" in kubectl("get", "crd", "-o", "name").out


def test_definitions_of_other_groups_are_refused(kubectl: Kubectl) -> None:
    err = kubectl.apply(definition("example.com", "ships", "Ship"), code=1).err

    assert "spec.group" in err
    assert "example.com" in err
    assert "neuronetes.io" in err


def test_an_object_of_an_unknown_group(kubectl: Kubectl) -> None:
    err = kubectl.apply("apiVersion: example.com/v1\nkind: Ship\nmetadata: {name: x}\n", code=1).err

    assert 'no matches for kind "Ship" in version "example.com/v1"' in err


UNSUPPORTED = {
    "a pipeline": ("mlops.seldon.io/v1alpha1", "Pipeline", "{steps: [{name: a}]}", "data does not flow"),
    "a quota": ("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "{max: {cpu: 4}}", "quotas of namespaces"),
}


@pytest.mark.parametrize(("api", "kind", "spec", "reason"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_kinds_that_nothing_is_done_with_say_so(kubectl: Kubectl, api: str, kind: str, spec: str, reason: str) -> None:
    answer = kubectl.apply(f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n")

    assert reason in answer.err
    condition = kubectl("get", kind, "x", "-o", "jsonpath={.status.conditions[?(@.type=='Unsupported')]}").yaml
    assert (condition["status"], condition["reason"]) == ("True", "NotActedOn")
    assert reason in condition["message"]


def test_what_is_left_out_of_a_stateful_set_is_said_in_its_status(kubectl: Kubectl) -> None:
    more = "replicas: 2\n  minReadySeconds: 5\n  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}"
    kubectl.apply(deployment().replace("kind: Deployment", "kind: StatefulSet").replace("replicas: 2", more))

    condition = kubectl("get", "sts", "web", "-o", "jsonpath={.status.conditions[?(@.type=='Unsupported')]}").yaml

    assert condition["message"] == "nothing acts on spec.persistentVolumeClaimRetentionPolicy"
