"""Which object is what."""

from __future__ import annotations

import pytest

from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.objects import OF_GROUPS, VERSIONS, Kind, objects_of
from unit.manifests.opened import places

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}


def objects(*data):
    return list(objects_of([Document(each, f"d{number}") for number, each in enumerate(data)]))


@pytest.mark.parametrize(("kind", "version"), [(kind, each) for kind, all_ in VERSIONS.items() for each in all_])
def test_every_kind_by_its_name(kind, version):
    (found,) = objects({"apiVersion": version, "kind": kind.value})

    assert found.kind is kind


@pytest.mark.parametrize("kind", VERSIONS)
def test_a_version_may_be_absent(kind):
    assert objects({"kind": kind.value})[0].kind is kind


@pytest.mark.parametrize(("group", "name"), OF_GROUPS)
def test_kinds_of_kubernetes_by_group_whatever_the_version(group, name):
    for version in ("v1", "v7alpha3"):
        (found,) = objects({"apiVersion": f"{group}/{version}" if group else version, "kind": name})

        assert (found.kind, found.group, found.written) == (OF_GROUPS[group, name], group, name)


OF_OTHERS = {
    "a Service of Kubernetes": ("v1", "Service"),
    "a Deployment of another group": ("example.com/v1", "Deployment"),
    "a Pod of another group": ("example.com/v1", "Pod"),
    "a misspelt kind": ("apps/v1", "Deploiment"),
}


@pytest.mark.parametrize(("version", "kind"), OF_OTHERS.values(), ids=OF_OTHERS)
def test_other_kinds(version, kind):
    (found,) = objects({"apiVersion": version, "kind": kind})

    assert (found.kind, found.written, found.findings.errors) == (Kind.OTHER, kind, [])


def test_a_typed_list_says_kind_and_version_of_its_items():
    found = objects({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "JobList", "items": [{"metadata": {}}]})

    assert found[0].kind is Kind.VOLCANO_JOB


GUESSED = {
    "a spec": ({"metadata": {}, "spec": {}}, Kind.WORKLOAD),
    "a spec and our version": ({"apiVersion": "bayplan.io/v1alpha1", "spec": {}}, Kind.WORKLOAD),
    "a source": ({"name": "m", "source": "local_path"}, Kind.GPUSTACK_MODEL),
    "workers": ({"workers": []}, Kind.CLUSTER),
    "profiles": ({"schedulingProfiles": []}, Kind.SCHEDULER_CONFIG),
}


@pytest.mark.parametrize(("data", "kind"), GUESSED.values(), ids=GUESSED)
def test_objects_without_a_kind(data, kind):
    assert objects(data)[0].kind is kind


UNKNOWN = {
    "a kind of ours that is not read": ({"apiVersion": "bayplan.io/v1alpha1", "kind": "Deployment"}, ["kind"]),
    "an unknown kind of an unknown group": ({"kind": "Service"}, ["kind"]),
    "a version that is no text": ({"apiVersion": 1, "kind": "Job"}, ["apiVersion"]),
    "a misspelt kind": ({"kind": "Worklaod", "spec": {}}, ["kind"]),
    "a kind that is no text": ({"kind": {"a": 1}}, ["kind"]),
    "a version of the future": ({"apiVersion": "bayplan.io/v9", "kind": "Workload"}, ["apiVersion"]),
    "a version without a kind": ({"apiVersion": "v1", "spec": {}}, ["kind"]),
    "nothing": ({}, [""]),
    "something else": ({"foo": 1, 10**5000: 2}, [""]),
    "no mapping": ("text", [""]),
    "null": (None, [""]),
}


@pytest.mark.parametrize(("data", "where"), UNKNOWN.values(), ids=UNKNOWN)
def test_nobody_knows(data, where):
    (found,) = objects(data)

    assert found.kind is None
    assert places(found.fields) == where


def test_did_you_mean():
    (found,) = objects({"kind": "Worklaod"})

    assert "did you mean 'Workload'?" in str(found.findings.errors[0])


LISTS = {
    "kind List": {"apiVersion": "v1", "kind": "List", "items": [POD, POD]},
    "a list of pods whose items do not say so": {"kind": "PodList", "items": [{"metadata": {}}, {"metadata": {}}]},
    "items alone": {"items": [POD, POD]},
    "a plain list": [POD, POD],
    "a list in a list": [{"kind": "List", "items": [POD]}, POD],
}


@pytest.mark.parametrize("data", LISTS.values(), ids=LISTS)
def test_lists_are_opened(data):
    assert [each.kind for each in objects(data)] == [Kind.POD, Kind.POD]


def test_places_in_lists():
    found = objects({"kind": "List", "items": [POD, {"kind": "Nope"}]})

    assert places(found[1].fields) == ["items[1].kind"]


def test_lists_without_end():
    endless = []
    endless.append(endless)

    assert [each.kind for each in objects(endless)] == [None]


def test_documents_in_order():
    found = objects(POD, {"spec": {}})

    assert [(each.kind, each.findings.document.source) for each in found] == [(Kind.POD, "d0"), (Kind.WORKLOAD, "d1")]
