"""kubectl apply on the client's and on the server's side, diff, dry runs, validation and warnings."""

from kubectl.client import Kubectl
from kubectl.manifests import config, deployment, pod, pool


def test_apply_creates_then_changes_nothing_then_changes(kubectl: Kubectl) -> None:
    assert kubectl.apply(deployment()).out == "deployment.apps/web created\n"
    assert kubectl.apply(deployment()).out == "deployment.apps/web unchanged\n"
    assert kubectl.apply(deployment(replicas=5)).out == "deployment.apps/web configured\n"
    assert kubectl.value("deploy", "web", ".spec.replicas") == "5"


def test_apply_twice_of_a_kind_of_a_dialect(kubectl: Kubectl) -> None:
    assert kubectl.apply(pool()).out == "agentpool.neuronetes.io/chat created\n"
    assert kubectl.apply(pool()).out == "agentpool.neuronetes.io/chat unchanged\n"
    assert kubectl.apply(pool(replicas=3)).out == "agentpool.neuronetes.io/chat configured\n"


def test_apply_removes_what_the_manifest_no_longer_says(kubectl: Kubectl) -> None:
    kubectl.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {a: '1', b: '2'}\n")
    kubectl.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {a: '1'}\n")

    assert kubectl.value("cm", "s", ".data") == '{"a":"1"}'


def test_apply_leaves_the_fields_of_others_alone(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())
    kubectl("label", "deploy", "web", "color=red")
    kubectl.apply(deployment(image="nginx:2"))

    assert kubectl.value("deploy", "web", ".metadata.labels.color") == "red"


def test_server_side_apply(kubectl: Kubectl) -> None:
    assert kubectl.apply(deployment(), "--server-side").out == "deployment.apps/web serverside-applied\n"
    before = kubectl.value("deploy", "web", ".metadata.generation")
    kubectl.apply(deployment(), "--server-side")

    assert kubectl.value("deploy", "web", ".metadata.generation") == before
    entry = kubectl("get", "deploy", "web", "-o", "yaml", "--show-managed-fields").yaml["metadata"]["managedFields"][0]
    assert (entry["manager"], entry["operation"]) == ("kubectl", "Apply")


def test_server_side_apply_of_another_owner_is_a_conflict(kubectl: Kubectl) -> None:
    kubectl.apply(deployment(), "--server-side", "--field-manager=first")

    err = kubectl.apply(deployment(replicas=7), "--server-side", "--field-manager=second", code=1).err

    assert 'conflict with "first": .spec.replicas' in err
    assert kubectl.value("deploy", "web", ".spec.replicas") == "2"


def test_forced_conflicts(kubectl: Kubectl) -> None:
    kubectl.apply(deployment(), "--server-side", "--field-manager=first")
    kubectl.apply(deployment(replicas=7), "--server-side", "--field-manager=second", "--force-conflicts")

    assert kubectl.value("deploy", "web", ".spec.replicas") == "7"


def test_server_side_apply_after_client_side_apply(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())
    kubectl.apply(deployment(replicas=4), "--server-side")

    assert kubectl.value("deploy", "web", ".spec.replicas") == "4"


def test_diff(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    assert kubectl("diff", "-f", "-", given=deployment()).out == ""
    changed = kubectl("diff", "-f", "-", given=deployment(replicas=9), code=1).out
    assert "-  replicas: 2" in changed
    assert "+  replicas: 9" in changed
    assert kubectl.value("deploy", "web", ".spec.replicas") == "2"


def test_diff_of_what_does_not_exist(kubectl: Kubectl) -> None:
    assert "+  replicas: 2" in kubectl("diff", "-f", "-", given=deployment(), code=1).out
    assert kubectl("get", "deploy").out == ""


def test_dry_run_on_the_server_checks_and_stores_nothing(kubectl: Kubectl) -> None:
    assert kubectl.apply(pod(), "--dry-run=server").out == "pod/a created (server dry run)\n"
    assert kubectl("get", "pods").out == ""


def test_dry_run_of_a_deletion(kubectl: Kubectl) -> None:
    kubectl.apply(config())

    assert "(server dry run)" in kubectl("delete", "cm", "settings", "--dry-run=server").out
    assert kubectl("get", "cm", "-o", "name").out == "configmap/settings\n"


def test_strict_validation_refuses_unknown_fields(kubectl: Kubectl) -> None:
    err = kubectl.apply(pod(more="  colour: red"), code=1).err

    assert 'unknown field "spec.colour"' in err
    assert kubectl("get", "pods").out == ""


def test_validation_may_only_warn(kubectl: Kubectl) -> None:
    answer = kubectl.apply(pod(more="  colour: red"), "--validate=warn")

    assert 'Warning: unknown field "spec.colour"' in answer.err
    assert answer.out == "pod/a created\n"


def test_validation_may_be_left_out(kubectl: Kubectl) -> None:
    answer = kubectl.apply(pod(more="  colour: red"), "--validate=ignore")

    assert "unknown field" not in answer.err


def test_warnings_as_errors(kubectl: Kubectl) -> None:
    kubectl.apply(pod(more="  colour: red"), "--validate=warn", "--warnings-as-errors", code=1)


def test_fields_without_an_effect_are_told(kubectl: Kubectl) -> None:
    manifest = pool().replace("maxReplicas: 5", "maxReplicas: 5\n  scheduling: {priority: 1, nonsense: 2}")

    answer = kubectl.apply(manifest, "--validate=warn")

    assert "Warning: " in answer.err
    assert "nonsense" in kubectl.value("ap", "chat", ".metadata.annotations.bayplan\\.io/ignored")


def test_every_problem_is_told_at_once(kubectl: Kubectl) -> None:
    err = kubectl.create(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priority: high, containers: [{image: x}]}\n",
        "--validate=ignore",
        code=1,
    ).err

    assert "spec.priority" in err
    assert "must be a whole number" in err
