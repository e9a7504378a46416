"""The OpenAPI documents hold what kubectl asks of them."""

import orjson
import pytest

from bayplan.control.resources.openapi import openapi_document, openapi_index, openapi_text, openapi_v2_text
from bayplan.control.resources.registry import REGISTRY

APIS = REGISTRY.apis()


def references(value):
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "$ref":
                yield each.rpartition("/")[2]
            else:
                yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


@pytest.fixture(scope="module")
def core():
    return openapi_document("", "v1")


@pytest.mark.parametrize("api", APIS, ids=str)
def test_every_reference_has_a_definition(api):
    document = openapi_document(api.group, api.version)

    assert set(references(document)) <= set(document["components"]["schemas"])


@pytest.mark.parametrize("api", APIS, ids=str)
def test_every_kind_is_found_by_its_group_version_and_kind(api):
    document = openapi_document(api.group, api.version)
    told = [
        (each["group"], each["version"], each["kind"])
        for schema in document["components"]["schemas"].values()
        for each in schema.get("x-kubernetes-group-version-kind", ())
    ]

    for kind in REGISTRY.served_under(api.group, api.version):
        assert told.count((api.group, api.version, kind.kind)) == 1


@pytest.mark.parametrize("api", APIS, ids=str)
def test_operations_have_names_of_their_own(api):
    paths = openapi_document(api.group, api.version)["paths"].values()
    names = [each["operationId"] for path in paths for each in path.values() if isinstance(each, dict)]

    assert len(names) == len(set(names))


def test_a_patch_says_that_fields_are_validated(core):
    patch = core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]

    assert patch["x-kubernetes-group-version-kind"] == {"group": "", "version": "v1", "kind": "Pod"}
    assert "fieldValidation" in {each["name"] for each in patch["parameters"]}
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]


def test_custom_kinds_take_no_strategic_merge():
    paths = openapi_document("neuronetes.io", "v1alpha1")["paths"]
    patch = paths["/apis/neuronetes.io/v1alpha1/namespaces/{namespace}/agentpools/{name}"]["patch"]

    assert "application/strategic-merge-patch+json" not in patch["requestBody"]["content"]
    assert "application/apply-patch+yaml" in patch["requestBody"]["content"]


def test_lists_say_how_they_are_merged(core):
    schemas = core["components"]["schemas"]
    containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    selector = schemas["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"]

    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-patch-strategy"] == "merge"
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
    assert selector["x-kubernetes-map-type"] == "atomic"
    assert schemas["io.k8s.api.core.v1.PodSpec"]["required"] == ["containers"]


def test_paths_of_scopes(core):
    assert "/api/v1/nodes/{name}" in core["paths"]
    assert "/api/v1/pods" in core["paths"]
    assert set(core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}/binding"]) == {"parameters", "post"}
    reviews = openapi_document("authorization.k8s.io", "v1")["paths"]
    assert set(reviews["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"]) == {"post"}


def test_the_index_changes_with_the_documents():
    paths = openapi_index()["paths"]

    assert paths["api/v1"]["serverRelativeURL"].startswith("/openapi/v3/api/v1?hash=")
    assert set(paths) == {f"apis/{api}" if api.group else "api/v1" for api in APIS}
    assert openapi_index()["paths"] == paths


def test_an_unknown_api_has_no_document():
    assert openapi_text("apps", "v9") is None


def test_version_2_has_the_definitions():
    document = orjson.loads(openapi_v2_text())

    assert set(references(document)) <= set(document["definitions"])
    assert "io.k8s.api.apps.v1.Deployment" in document["definitions"]
