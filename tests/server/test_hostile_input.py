"""Hostile bodies, paths and queries: a typed refusal, never a 5xx or a traceback."""

from urllib.parse import quote

import pytest

from bayplan.control.resources.registry import REGISTRY
from bayplan_up import RunningServer
from unit.manifests.hostile import CASES

MAPS = "/api/v1/namespaces/default/configmaps"
WAYS = (
    ("POST", MAPS, "application/json"),
    ("POST", MAPS, "application/yaml"),
    ("POST", MAPS, "application/vnd.kubernetes.protobuf"),
    ("PUT", f"{MAPS}/target", "application/json"),
    ("PUT", f"{MAPS}/target", "application/yaml"),
    ("PATCH", f"{MAPS}/target", "application/json-patch+json"),
    ("PATCH", f"{MAPS}/target", "application/merge-patch+json"),
    ("PATCH", f"{MAPS}/target", "application/strategic-merge-patch+json"),
    ("PATCH", f"{MAPS}/target?fieldManager=m", "application/apply-patch+yaml"),
    ("DELETE", f"{MAPS}/target?dryRun=All", "application/json"),
    ("POST", "/v1/plan", "application/json"),
    ("POST", "/v1/plan", "application/yaml"),
    ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "application/json"),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RunningServer(tmp_path_factory.mktemp("hostile"), "--insecure-http") as started:
        assert started.ask("POST", MAPS, {"metadata": {"name": "target"}, "data": {"a": "b"}}).code == 201
        yield started
        assert (started.stop(), started.errors()) == (0, "")


def refused(answer):
    assert 400 <= answer.code < 500, (answer.code, answer.body[:300])
    assert answer.document["kind"] == "Status"
    assert b"Traceback" not in answer.body
    assert len(answer.body) < 5_000


@pytest.mark.parametrize("make", [make for make, _, _ in CASES.values()], ids=CASES)
def test_bodies(server, make):
    text = make()
    body = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    for method, path, media in WAYS:
        refused(server.ask(method, path, body, media=media))


WRONG = (None, 1, "x", [], [1], {}, {"a": None}, True, -1, 1e308, "\u0000", [[]], [None], [{}], {"": ""})


@pytest.mark.parametrize("kind", REGISTRY.kinds, ids=lambda each: each.full_name)
def test_wrong_values_in_every_kind(server, kind):
    where = "/namespaces/default" if kind.namespaced else ""
    root = f"/apis/{kind.storage}" if kind.group else f"/api/{kind.storage}"
    path = f"{root}{where}/{kind.plural}"
    for value in WRONG:
        for field in ("metadata", "spec", "status", "data", "target", "webhooks"):
            body = {"metadata": {"generateName": "x"}} | {field: value}
            answer = server.ask("POST", f"{path}?dryRun=All", body)
            assert answer.code < 500, (field, value, answer.body)
        for name in ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "managedFields"):
            body = {"metadata": {"generateName": "x", name: value}, "spec": {}}
            answer = server.ask("POST", f"{path}?dryRun=All", body)
            assert answer.code < 500, (name, value, answer.body)


PATCHES = {
    "application/json-patch+json": [
        *WRONG,
        [{"op": "add"}],
        [{"op": "add", "path": "data/x", "value": 1}],
        [{"op": "remove", "path": "/nothing"}],
        [{"op": "test", "path": "/metadata/name", "value": "other"}],
        [{"op": "copy", "from": "", "path": "/data/x"}],
        [{"op": "move", "from": "/metadata", "path": "/metadata/labels"}],
        [{"op": "add", "path": "/data/a/b/c", "value": 1}],
        [{"op": "add", "path": "/metadata/finalizers/99", "value": "x"}],
        [{"op": "replace", "path": "", "value": "x"}],
        [{"op": "copy", "from": "/data", "path": f"/data/x{number}"} for number in range(60)],
    ],
    "application/merge-patch+json": [*WRONG, {"metadata": {"name": "other"}}, {"metadata": {"uid": 5}}],
    "application/strategic-merge-patch+json": [
        *WRONG,
        {"$patch": "delete"},
        {"$patch": 5},
        {"data": {"$retainKeys": 5}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": "x"}},
        {"metadata": {"$setElementOrder/finalizers": {}}},
        {"metadata": {"ownerReferences": [{"$patch": "delete"}]}},
        {"metadata": {"ownerReferences": [5]}},
    ],
    "application/apply-patch+yaml": [
        *WRONG,
        *({"apiVersion": "v1", "kind": "ConfigMap", "metadata": value} for value in WRONG),
        *({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": value}} for value in WRONG),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"managedFields": [{}]}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "target", "ownerReferences": [{}, 5]}},
    ],
}


@pytest.mark.parametrize("media", PATCHES)
def test_patches(server, media):
    for body in PATCHES[media]:
        for name in ("target", "nothing"):
            answer = server.ask("PATCH", f"{MAPS}/{name}?dryRun=All&fieldManager=m", body, media=media)
            assert answer.code < 500, (body, answer.body)


def test_a_number_of_more_than_64_bits_is_kept_as_a_float_and_writing_goes_on(server):
    classes = "/apis/neuronetes.io/v1alpha1/namespaces/default/agentclasses"
    tool = {"name": "t", "config": {"seed": 10**30}}
    body = {"metadata": {"name": "c"}, "spec": {"modelRef": {"name": "m"}, "toolPermissions": [tool]}}
    answer = server.ask("POST", classes, body)

    assert answer.document["spec"]["toolPermissions"][0]["config"] == {"seed": 1e30}
    assert server.ask("POST", MAPS, {"metadata": {"name": "later"}}).code == 201


@pytest.mark.parametrize("body", WRONG, ids=repr)
def test_wrong_values_elsewhere(server, body):
    paths = (
        "/v1/plan",
        "/v1/tokens",
        "/api/v1/namespaces/default/pods/p/binding",
        "/api/v1/namespaces/default/pods/p/eviction",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    )
    for path in paths:
        for sent in (body, {"spec": body}, {"workloads": body}, {"deleteOptions": body}, {"target": body}):
            answer = server.ask("POST", path, sent)
            assert answer.code < 500, (path, sent, answer.body)
    for sent in (body, {"gracePeriodSeconds": body}, {"preconditions": body}, {"propagationPolicy": body}):
        answer = server.ask("DELETE", f"{MAPS}/nothing", sent)
        assert answer.code < 500, (sent, answer.body)
    for sent in ({"preconditions": {"resourceVersion": body}}, {"preconditions": {"uid": body}}, {"dryRun": body}):
        answer = server.ask("DELETE", f"{MAPS}/nothing", sent)
        assert answer.code < 500, (sent, answer.body)


QUERIES = (
    "labelSelector==", "labelSelector=a in", "labelSelector=a in (", "labelSelector=" + "(" * 3_000,
    "labelSelector=" + ",".join(["a=b"] * 3_000), "labelSelector=\u00e9", "labelSelector=!", "labelSelector=a>b",
    "fieldSelector=x", "fieldSelector==", "fieldSelector=metadata.name", "fieldSelector=" + "a.b=c," * 2_000,
    "continue=x", "continue=" + "A" * 4_000, "continue=e30", "continue=bnVsbA", "limit=-1", "limit=abc",
    "limit=99999999999999999999999", "resourceVersion=abc", "resourceVersion=-1", "resourceVersion=1e3",
    "resourceVersionMatch=x", "resourceVersionMatch=Exact", "watch=maybe", "watch=1&resourceVersion=abc",
    "watch=1&labelSelector=a in", "timeoutSeconds=x&watch=1", "dryRun=Some", "%", "%zz", "a=%ff%fe",
    "labelSelector=%00",
)  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=lambda each: each[:40])
def test_queries(server, query):
    answer = server.ask("GET", f"{MAPS}?{quote(query, safe='=&%!,<>()')}&timeoutSeconds=1")
    assert answer.code < 500, answer.body


REFUSED = ("limit=-1", "limit=abc", "resourceVersion=abc", "continue=x", "labelSelector=a in (", "fieldSelector=x=y")


@pytest.mark.parametrize("query", REFUSED)
def test_refused_queries(server, query):
    refused(server.ask("GET", f"{MAPS}?{quote(query, safe='=')}"))


def test_raw_bytes_in_a_query(server):
    answer = server.send(b"GET " + MAPS.encode() + b"?labelSelector=\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert 400 <= answer.code < 500


PATHS = (
    "/api/v1/namespaces/default/configmaps/" + "x" * 5_000, "/api/v1/namespaces//configmaps", "/api//", "/apis///",
    "/api/v1/namespaces/default/configmaps/..%2f..", "/api/v1/namespaces/..%2f/configmaps",
    "/api/v1/%00", "/api/v1/%ff",
    "/api/v1/namespaces/default/configmaps/%e2%80%ae", "/api/v1/namespaces/default/configmaps/a%2Fb",
    "/api/v1/namespaces/default/configmaps/target/nothing", "/api/v1/namespaces/default/configmaps/target/status/x",
    "/apis/nothing.example/v1/things", "/apis/apps/v9/deployments", "/v1/why/nothing/x", "/v1/why/pods/%00",
    "/v1/records/" + "x" * 3_000, "/openapi/v3/apis/x/y", "/openapi/v3/api/v1/../..",
    "/api/v1/watch", "/api/v1/watch/pods/x/y/z",
    "/api/v1/namespaces/default/pods/x/log?container=%00", "/apis/apps/v1/namespaces/default/deployments/x/scale",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=lambda each: each[:60])
def test_paths(server, path):
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"):
        answer = server.ask(method, path, {} if method not in ("GET", "HEAD") else None)
        assert 400 <= answer.code < 500, (method, answer.body)
