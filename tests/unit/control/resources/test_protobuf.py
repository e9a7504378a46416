"""Documents that kubectl 1.32 sent as protobuf."""

import contextlib
import random
from base64 import b64decode

import pytest

from bayplan.control.resources.field_checks import check_shape
from bayplan.control.resources.protobuf import _numbers, read_protobuf
from bayplan.control.resources.schema import shape_named
from bayplan.framework.errors import InputError

SENT = {
    "kubectl create namespace": (
        "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEh8KFwoHZGVmYXVsdBIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
    ),
    "kubectl auth can-i": (
        (
            "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPAoQCgASABoAIgAqADIAOABCABIeChwKB2"
            "RlZmF1bHQSA2dldBoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA="
        ),
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"namespace": "default", "verb": "get", "resource": "pods"}},
            "status": {"allowed": False},
        },
    ),
    "kubectl create configmap": (
        "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSAXkaACIA",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}},
    ),
    "kubectl create secret": (
        "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAXgSAXkaABoAIgA=",
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"x": "eQ=="}},
    ),
    "kubectl create pdb": (
        (
            "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNgoRCgFiEgAaACIAKgAyADgAQgASFQoJCAEQABoDNTAlEggKBgoBYRIBYhoK"
            "CAAYACAAKAAwABoAIgA="
        ),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b"},
            "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"a": "b"}}},
            "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
        },
    ),
    "kubectl create service": (
        (
            "azhzAAoNCgJ2MRIHU2VydmljZRJiCh0KAnN2EgAaACIAKgAyADgAQgBaCQoDYXBwEgJzdhI9ChgKBTgwLTkwEgNUQ1AYUCIGCAAQWhoAKAASCQoD"
            "YXBwEgJzdhoAIghOb2RlUG9ydDoAQgBSAFoAYABoABoCCgAaACIA"
        ),
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "sv", "labels": {"app": "sv"}},
            "spec": {
                "ports": [{"name": "80-90", "protocol": "TCP", "port": 80, "targetPort": 90}],
                "selector": {"app": "sv"},
                "type": "NodePort",
            },
        },
    ),
    "kubectl create job": (
        (
            "azhzAAoPCghiYXRjaC92MRIDSm9iEn4KEQoBeBIAGgAiACoAMgA4AEIAEl8yXQoQCgASABoAIgAqADIAOABCABJJEiYKAXgSA2k6MRoFc2xlZXAa"
            "ATEqAEIAagByAIABAIgBAJABAKIBABoFTmV2ZXIyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoIIAAoADAAOgAaACIA"
        ),
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "x"},
            "spec": {
                "template": {
                    "spec": {
                        "containers": [{"name": "x", "image": "i:1", "command": ["sleep", "1"]}],
                        "restartPolicy": "Never",
                    }
                }
            },
        },
    ),
    "kubectl create deployment --replicas=0": (
        (
            "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50Eq0BCh0KAmRkEgAaACIAKgAyADgAQgBaCQoDYXBwEgJkZBJ+CAASCwoJCgNhcHASAmRkGmUKGwoA"
            "EgAaACIAKgAyADgAQgBaCQoDYXBwEgJkZBJGEigKAWkSA2k6MSoAMgoKABAAGFAiACoAQgBqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABo"
            "AIIBAIoBAJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA"
        ),
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "dd", "labels": {"app": "dd"}},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"app": "dd"}},
                "template": {
                    "metadata": {"labels": {"app": "dd"}},
                    "spec": {"containers": [{"name": "i", "image": "i:1", "ports": [{"containerPort": 80}]}]},
                },
            },
        },
    ),
}


@pytest.mark.parametrize(("body", "document"), SENT.values(), ids=SENT)
def test_what_kubectl_sends_is_read(body, document):
    assert read_protobuf(b64decode(body)) == document


def varint(number):
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def sized(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def plain(number, value):
    return varint(number << 3) + varint(value)


def document(kind, message, api="v1"):
    return b"k8s\x00" + sized(1, sized(1, api.encode()) + sized(2, kind.encode())) + sized(2, message)


def test_volumes_stand_beside_their_name():
    volume = sized(1, b"v") + sized(2, sized(2, b""))
    found = read_protobuf(document("Pod", sized(2, sized(1, volume))))

    assert found["spec"]["volumes"] == [{"name": "v", "emptyDir": {}}]


def test_negative_numbers_times_and_quantities():
    lease = sized(2, plain(2, -5) + sized(4, plain(1, 1_767_225_600) + plain(2, 5000)))
    pod = sized(2, sized(2, sized(1, b"c") + sized(8, sized(1, sized(1, b"cpu") + sized(2, sized(1, b"500m"))))))

    spec = read_protobuf(document("Lease", lease))["spec"]
    assert spec == {"leaseDurationSeconds": -5, "renewTime": "2026-01-01T00:00:00.000005Z"}
    container = read_protobuf(document("Pod", pod))["spec"]["containers"][0]
    assert container["resources"] == {"limits": {"cpu": "500m"}}


def test_options_keep_what_was_given():
    found = read_protobuf(document("DeleteOptions", plain(1, 0) + sized(4, b"Foreground")))

    assert found == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Foreground",
    }


def test_managed_fields_are_json_inside():
    entry = sized(1, b"kubectl") + sized(7, sized(1, b'{"f:spec":{}}'))
    found = read_protobuf(document("ConfigMap", sized(1, sized(17, entry))))

    assert found["metadata"]["managedFields"] == [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]
    with pytest.raises(InputError, match="broken JSON"):
        read_protobuf(document("ConfigMap", sized(1, sized(17, sized(7, sized(1, b"{"))))))


def test_unknown_fields_and_kinds():
    assert read_protobuf(document("ConfigMap", plain(99, 1))) == {"apiVersion": "v1", "kind": "ConfigMap"}
    with pytest.raises(InputError, match="'AgentPool' are not read as protobuf"):
        read_protobuf(document("AgentPool", b""))
    with pytest.raises(InputError, match="does not begin"):
        read_protobuf(b"{}")


def test_numbers_name_fields_of_the_schemas():
    for name, fields in _numbers().items():
        try:
            known = shape_named(name).type.fields
        except KeyError:
            continue  # a group of fields that stands inside other types
        assert {each.name for each in fields.values() if not each.inlined} <= set(known), name


def test_what_is_read_fits_the_schema():
    for body, found in SENT.values():
        report = check_shape(shape_named(found["kind"]), read_protobuf(b64decode(body)))
        assert not report.unknown
        assert not report.causes


def test_damaged_bodies_are_refused_and_nothing_worse():
    chance = random.Random(7)  # noqa: S311
    for body, _ in SENT.values():
        whole = b64decode(body)
        for _ in range(300):
            damaged = bytearray(whole[: chance.randrange(4, len(whole) + 1)])
            for _ in range(chance.randrange(4)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            with contextlib.suppress(InputError):
                read_protobuf(bytes(damaged))
