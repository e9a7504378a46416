"""Paths of the API: what a URL asks for."""

import pytest

from bayplan.api.paths import ObjectPath, Verb, parse_path

CASES = {
    "/api/v1/nodes": ObjectPath("", "v1", "nodes"),
    "/api/v1/nodes/a": ObjectPath("", "v1", "nodes", name="a"),
    "/api/v1/namespaces": ObjectPath("", "v1", "namespaces"),
    "/api/v1/namespaces/a": ObjectPath("", "v1", "namespaces", name="a"),
    "/api/v1/namespaces/a/finalize": ObjectPath("", "v1", "namespaces", name="a", subresource="finalize"),
    "/api/v1/namespaces/a/pods": ObjectPath("", "v1", "pods", "a"),
    "/api/v1/namespaces/a/pods/p/log": ObjectPath("", "v1", "pods", "a", "p", "log"),
    "/apis/apps/v1/namespaces/a/deployments/d/scale": ObjectPath("apps", "v1", "deployments", "a", "d", "scale"),
    "/apis/apps/v1/deployments": ObjectPath("apps", "v1", "deployments"),
    "/api/v1/watch/pods": ObjectPath("", "v1", "pods", watched=True),
    "/api/v1/nodes/a%2Fb": ObjectPath("", "v1", "nodes", name="a/b"),
    "/api/v1": None,
    "/apis/apps": None,
    "/apis/apps/v1": None,
    "/version": None,
    "/api/v1/namespaces/a/pods/p/log/x": None,
    "/api/v1/namespaces//pods/p": None,
}


@pytest.mark.parametrize(("path", "expected"), CASES.items(), ids=CASES)
def test_parse_path(path: str, expected: ObjectPath | None) -> None:
    assert parse_path(path) == expected


VERBS = {
    ("GET", "a", False): Verb.GET,
    ("GET", "a", True): Verb.WATCH,
    ("GET", "", False): Verb.LIST,
    ("GET", "", True): Verb.WATCH,
    ("POST", "", False): Verb.CREATE,
    ("POST", "a", False): None,
    ("PUT", "a", False): Verb.UPDATE,
    ("PUT", "", False): None,
    ("PATCH", "a", False): Verb.PATCH,
    ("DELETE", "a", False): Verb.DELETE,
    ("DELETE", "", False): Verb.DELETE_COLLECTION,
    ("TRACE", "a", False): None,
}


@pytest.mark.parametrize(("asked", "expected"), VERBS.items(), ids=map(str, VERBS))
def test_verb(asked: tuple[str, str, bool], expected: Verb | None) -> None:
    method, name, watch = asked
    assert ObjectPath("", "v1", "pods", "a", name).verb(method, watch=watch) is expected


def test_group_version() -> None:
    assert ObjectPath("", "v1", "pods").group_version == "v1"
    assert ObjectPath("apps", "v1", "deployments").group_version == "apps/v1"


def test_a_subresource_is_created() -> None:
    assert ObjectPath("", "v1", "pods", "a", "p", "binding").verb("POST", watch=False) is Verb.CREATE
