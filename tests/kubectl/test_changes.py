"""Commands that change objects: create, patch, edit, replace, label, annotate, scale, set."""

from pathlib import Path

import pytest

from kubectl.client import Kubectl
from kubectl.manifests import config, deployment, pod, pool

CREATED = {
    "configmap": (["configmap", "x", "--from-literal=a=b"], "configmap/x", ".data.a", "b"),
    "secret": (["secret", "generic", "x", "--from-literal=a=b"], "secret/x", ".data.a", "Yg=="),
    "deployment": (["deployment", "x", "--image=nginx"], "deployment.apps/x", ".spec.replicas", "1"),
    "job": (["job", "x", "--image=busybox"], "job.batch/x", ".spec.completions", "1"),
    "budget": (
        ["pdb", "x", "--selector=a=b", "--min-available=50%"],
        "poddisruptionbudget.policy/x",
        ".spec.minAvailable",
        "50%",
    ),
    "service account": (["serviceaccount", "x"], "serviceaccount/x", ".kind", "ServiceAccount"),
    "service": (["service", "clusterip", "x", "--tcp=80:8080"], "service/x", ".spec.ports[0].targetPort", "8080"),
}


@pytest.mark.parametrize(("words", "named", "path", "value"), CREATED.values(), ids=CREATED)
def test_create_without_a_manifest(kubectl: Kubectl, words: list[str], named: str, path: str, value: str) -> None:
    assert kubectl("create", *words).out == f"{named} created\n"
    kind, name = named.split("/")
    assert kubectl.value(kind, name, path) == value


def test_create_a_priority_class_for_pods(kubectl: Kubectl) -> None:
    kubectl("create", "priorityclass", "urgent", "--value=900")
    kubectl.create(pod(more="  priorityClassName: urgent"))

    assert kubectl.value("pod", "a", ".spec.priority") == "900"
    assert kubectl.value("pod", "a", ".spec.preemptionPolicy") == "PreemptLowerPriority"


def test_a_priority_class_that_does_not_exist(kubectl: Kubectl) -> None:
    err = kubectl.create(pod(more="  priorityClassName: nowhere"), code=1).err

    assert "no PriorityClass with name nowhere was found" in err


def test_create_what_exists(kubectl: Kubectl) -> None:
    kubectl.create(config())

    err = kubectl.create(config(), code=1).err

    assert "(AlreadyExists)" in err
    assert 'configmaps "settings" already exists' in err


def test_generated_names(kubectl: Kubectl) -> None:
    manifest = config().replace("name: settings", "generateName: settings-")

    first, second = kubectl.create(manifest).out, kubectl.create(manifest).out

    assert first.startswith("configmap/settings-")
    assert first != second


def test_run(kubectl: Kubectl) -> None:
    assert kubectl("run", "one", "--image=nginx", "--labels=a=b").out == "pod/one created\n"
    assert kubectl.value("pod", "one", ".status.phase") == "Pending"


def test_json_patch(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())
    kubectl("patch", "deploy", "web", "--type=json", "-p", '[{"op":"replace","path":"/spec/replicas","value":3}]')

    assert kubectl.value("deploy", "web", ".spec.replicas") == "3"


def test_a_json_patch_whose_test_fails(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    kubectl("patch", "deploy", "web", "--type=json", "-p", '[{"op":"test","path":"/spec/replicas","value":9}]', code=1)


def test_merge_patch(kubectl: Kubectl) -> None:
    kubectl.apply(pool())

    answer = kubectl("patch", "ap", "chat", "--type=merge", "-p", '{"spec":{"maxReplicas":8}}')

    assert answer.out == "agentpool.neuronetes.io/chat patched\n"
    assert kubectl.value("ap", "chat", ".spec.maxReplicas") == "8"


def test_strategic_patch_merges_containers_by_name(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())
    part = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"envoy"}]}}}}'
    kubectl("patch", "deploy", "web", "-p", part)

    assert kubectl.value("deploy", "web", ".spec.template.spec.containers[*].name") == "side main"


def test_a_strategic_patch_of_a_custom_kind_is_refused(kubectl: Kubectl) -> None:
    kubectl.apply(pool())

    assert "merge-patch+json" in kubectl("patch", "ap", "chat", "-p", '{"spec":{"maxReplicas":8}}', code=1).err


def test_a_patch_that_changes_nothing(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    assert kubectl("patch", "deploy", "web", "-p", '{"spec":{"replicas":2}}').out == (
        "deployment.apps/web patched (no change)\n"
    )


def test_patch_of_the_status(kubectl: Kubectl) -> None:
    kubectl.apply(pod())
    kubectl("patch", "pod", "a", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Running"}}')

    assert kubectl.value("pod", "a", ".status.phase") == "Running"


def editor(folder: Path, command: str) -> str:
    """A program that changes the file that it is given, as a person would."""
    script = folder / "editor"
    script.write_text(f'#!/bin/sh\n{command} "$1"\n')
    script.chmod(0o755)
    return str(script)


def test_edit(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.apply(deployment())

    answer = kubectl("edit", "deploy", "web", KUBE_EDITOR=editor(tmp_path, "sed -i 's/replicas: 2/replicas: 6/'"))

    assert answer.out == "deployment.apps/web edited\n"
    assert kubectl.value("deploy", "web", ".spec.replicas") == "6"


def test_edit_of_a_pool(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.apply(pool())
    kubectl("edit", "ap", "chat", EDITOR=editor(tmp_path, "sed -i 's/maxReplicas: 5/maxReplicas: 6/'"))

    assert kubectl.value("ap", "chat", ".spec.maxReplicas") == "6"


def test_edit_without_a_change(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.apply(deployment())

    assert "Edit cancelled, no changes made" in kubectl("edit", "deploy", "web", EDITOR=editor(tmp_path, "true")).err


def test_replace(kubectl: Kubectl) -> None:
    kubectl.create(config())

    assert kubectl("replace", "-f", "-", given=config(value="7")).out == "configmap/settings replaced\n"
    assert kubectl.value("cm", "settings", ".data.value") == "7"


def test_replace_of_an_older_version_is_a_conflict(kubectl: Kubectl) -> None:
    kubectl.create(config())
    old = kubectl("get", "cm", "settings", "-o", "yaml").out
    kubectl("label", "cm", "settings", "a=b")

    err = kubectl("replace", "-f", "-", given=old, code=1).err

    assert "(Conflict)" in err
    assert "please apply your changes to the latest version" in err


def test_replace_by_force(kubectl: Kubectl) -> None:
    kubectl.create(config())
    before = kubectl.value("cm", "settings", ".metadata.uid")
    kubectl("replace", "--force", "-f", "-", given=config(value="7"))

    assert kubectl.value("cm", "settings", ".metadata.uid") != before


def test_label(kubectl: Kubectl) -> None:
    kubectl.apply(config())

    assert kubectl("label", "cm", "settings", "color=red").out == "configmap/settings labeled\n"
    assert "already has a value (red)" in kubectl("label", "cm", "settings", "color=blue", code=1).err
    kubectl("label", "cm", "settings", "color=blue", "--overwrite")
    assert kubectl("get", "cm", "-l", "color=blue", "-o", "name").out == "configmap/settings\n"
    assert kubectl("label", "cm", "settings", "color-").out == "configmap/settings unlabeled\n"


def test_a_label_that_breaks_the_rules(kubectl: Kubectl) -> None:
    kubectl.apply(config())

    part = '{"metadata":{"labels":{"color":"not allowed!"}}}'
    err = kubectl("patch", "cm", "settings", "--type=merge", "-p", part, code=1).err

    assert 'The ConfigMap "settings" is invalid: metadata.labels: ' in err


def test_annotate(kubectl: Kubectl) -> None:
    kubectl.apply(config())

    assert kubectl("annotate", "cm", "settings", "why=because").out == "configmap/settings annotated\n"
    assert kubectl.value("cm", "settings", ".metadata.annotations.why") == "because"


def test_scale_a_deployment(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    assert kubectl("scale", "deploy", "web", "--replicas=4").out == "deployment.apps/web scaled\n"
    assert kubectl.value("deploy", "web", ".spec.replicas") == "4"
    assert kubectl.value("deploy", "web", ".metadata.generation") == "2"


def test_scale_from_an_expected_number(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    err = kubectl("scale", "deploy", "web", "--current-replicas=9", "--replicas=4", code=1).err

    assert "Expected replicas to be 9, was 2" in err


def test_scale_a_pool(kubectl: Kubectl) -> None:
    kubectl.apply(pool())

    assert kubectl("scale", "ap", "chat", "--replicas=4").out == "agentpool.neuronetes.io/chat scaled\n"
    assert kubectl.value("ap", "chat", ".spec.replicas") == "4"
    assert kubectl("get", "ap", "chat", "--subresource=scale", "-o", "jsonpath={.spec.replicas}").out == "4"


def test_scale_of_what_cannot_be_scaled(kubectl: Kubectl) -> None:
    kubectl.apply(config())

    kubectl("scale", "cm", "settings", "--replicas=4", code=1)


def test_set_image(kubectl: Kubectl) -> None:
    kubectl.apply(deployment())

    assert kubectl("set", "image", "deploy/web", "main=nginx:9").out == "deployment.apps/web image updated\n"
    assert kubectl.value("deploy", "web", ".spec.template.spec.containers[0].image") == "nginx:9"


def test_an_update_does_not_warn_about_what_the_server_filled_in(kubectl: Kubectl) -> None:
    kubectl.apply(deployment() + "---" + pod())

    assert kubectl("label", "deploy,pod", "--all", "color=red").err == ""
    assert kubectl.value("deploy", "web", ".metadata.annotations.bayplan\\.io/ignored") == ""
