"""What Kubernetes demands of metadata: every problem with its field."""

import pytest

from bayplan.api.metadata_checks import metadata_problems

GOOD = {
    "a name": {"name": "a"},
    "a beginning of a name": {"generateName": "a-"},
    "dots": {"name": "a.b-c.0"},
    "labels and annotations": {
        "name": "a",
        "labels": {"x.io/k": "v", "e": ""},
        "annotations": {"X.io/K": "any text\n"},
    },
    "one controller": {
        "name": "a",
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}],
    },
    "null": {"name": "a", "labels": None, "finalizers": None},
}


@pytest.mark.parametrize("metadata", GOOD.values(), ids=GOOD)
def test_good(metadata: dict) -> None:
    assert list(metadata_problems(metadata)) == []


OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
BAD = {
    "no name": ({}, ["metadata.name"]),
    "upper case": ({"name": "A"}, ["metadata.name"]),
    "a name that is a number": ({"name": 5}, ["metadata.name"]),
    "a name of 254": ({"name": "a" * 254}, ["metadata.name"]),
    "a beginning": ({"generateName": "A-"}, ["metadata.generateName"]),
    "namespace with a dot": ({"name": "a", "namespace": "a.b"}, ["metadata.namespace"]),
    "label number": ({"name": "a", "labels": {"a": 1}}, ["metadata.labels"]),
    "label value": ({"name": "a", "labels": {"a": "1g.5gb:7,2g.10gb:3"}}, ["metadata.labels"]),
    "label key": ({"name": "a", "labels": {"a b": "1"}}, ["metadata.labels"]),
    "label list": ({"name": "a", "labels": []}, ["metadata.labels"]),
    "annotation number": ({"name": "a", "annotations": {"a": True}}, ["metadata.annotations"]),
    "annotation list": ({"name": "a", "annotations": []}, ["metadata.annotations"]),
    "annotation size": ({"name": "a", "annotations": {"a": "x" * 262_144}}, ["metadata.annotations"]),
    "finalizers": ({"name": "a", "finalizers": "x"}, ["metadata.finalizers"]),
    "a finalizer": ({"name": "a", "finalizers": [1]}, ["metadata.finalizers[0]"]),
    "owner": ({"name": "a", "ownerReferences": [{"kind": "Pod", "name": "p", "uid": "u"}]},
              ["metadata.ownerReferences[0].apiVersion"]),
    "owner text": ({"name": "a", "ownerReferences": ["p"]}, ["metadata.ownerReferences[0]"]),
    "two controllers": ({"name": "a", "ownerReferences": [OWNER, OWNER]}, ["metadata.ownerReferences"]),
    "all at once": ({"name": "A", "labels": {"a": 1}, "finalizers": [""]},
                    ["metadata.name", "metadata.labels", "metadata.finalizers[0]"]),
}  # fmt: skip


@pytest.mark.parametrize(("metadata", "fields"), BAD.values(), ids=BAD)
def test_bad(metadata: dict, fields: list[str]) -> None:
    assert [each.field for each in metadata_problems(metadata)] == fields


NAMES = {
    "plain": ("a-1", True, True),
    "with dots": ("a.b", True, False),
    "64 characters": ("a" * 64, True, False),
    "upper case": ("Ab", False, False),
    "a sign": ("a!", False, False),
    "of Kubernetes' roles": ("system:a_b", False, False),
    "a folder above": ("..", False, False),
}


@pytest.mark.parametrize(("name", "long", "short"), NAMES.values(), ids=NAMES)
def test_names(name: str, long: bool, short: bool) -> None:
    assert (metadata_problems({"name": name}) == []) is long
    assert (metadata_problems({"name": name}, short_names=True) == []) is short
