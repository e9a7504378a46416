"""What the server has: versions, kinds and their fields."""

from kubectl.client import Kubectl


def test_version(kubectl: Kubectl) -> None:
    assert "Server Version: v1." in kubectl("version").out


def test_api_resources(kubectl: Kubectl) -> None:
    rows = kubectl("api-resources", "--no-headers", "--namespaced=true").rows

    assert ["pods", "po", "v1", "true", "Pod"] in rows
    assert ["agentpools", "ap", "neuronetes.io/v1alpha1", "true", "AgentPool"] in rows
    assert ["agentpools", "neuronetes.ai/v1alpha1", "true", "AgentPool"] in rows
    assert "nodes" not in [row[0] for row in rows]


def test_api_resources_of_one_group_with_their_verbs(kubectl: Kubectl) -> None:
    rows = kubectl("api-resources", "--api-group=bayplan.io", "-o", "wide", "--no-headers").rows

    assert [row[0] for row in rows] == ["clusters", "schedulerconfigs", "serverreplicas", "workloads"]
    assert rows[3][5].split(",") == ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


def test_api_versions(kubectl: Kubectl) -> None:
    versions = kubectl("api-versions").out.split()

    assert {"v1", "apps/v1", "policy/v1", "neuronetes.io/v1alpha1", "neuronetes.ai/v1alpha1"} <= set(versions)


def test_explain_a_kind_of_kubernetes(kubectl: Kubectl) -> None:
    out = kubectl("explain", "pod.spec.containers.resources").out

    assert "KIND:       Pod" in out
    assert "FIELD: resources <ResourceRequirements>" in out
    assert "limits\t<map[string]Quantity>" in out


def test_explain_one_of_our_kinds(kubectl: Kubectl) -> None:
    out = kubectl("explain", "workload.spec", "--recursive").out

    assert "GROUP:      bayplan.io" in out
    assert "replicas\t<integer>" in out


def test_explain_a_kind_of_a_dialect(kubectl: Kubectl) -> None:
    out = kubectl("explain", "ap.spec.gpuRequirements").out

    assert "KIND:       AgentPool" in out
    assert "count\t" in out


def test_explain_of_a_field_that_does_not_exist_fails(kubectl: Kubectl) -> None:
    assert 'field "nothing" does not exist' in kubectl("explain", "pod.spec.nothing", code=1).err


def test_a_kind_that_does_not_exist(kubectl: Kubectl) -> None:
    err = kubectl("get", "spaceships", code=1).err

    assert 'the server doesn\'t have a resource type "spaceships"' in err


def test_raw_paths(kubectl: Kubectl) -> None:
    assert kubectl("get", "--raw", "/readyz").out == "ok"
