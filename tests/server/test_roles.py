"""Roles on every path of a real server: default deny, per namespace."""

import sqlite3

import pytest

POD = {"metadata": {"generateName": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
BINDING = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
SECRET = {"metadata": {"generateName": "s"}, "data": {"password": "aHVudGVyMg=="}}
TEAM, OTHER = "/api/v1/namespaces/team", "/api/v1/namespaces/other"
USERS = ("admin", "team-admin", "editor", "viewer", "stranger")
YES, NO = True, False

# method, path, body: may the admin, the admin of team, its editor, its viewer, a viewer of another namespace
REQUESTS = {
    "list pods": ("GET", f"{TEAM}/pods", None, (YES, YES, YES, YES, NO)),
    "watch pods": ("GET", f"{TEAM}/pods?watch=1&timeoutSeconds=1", None, (YES, YES, YES, YES, NO)),
    "watch pods, old form": (
        "GET",
        "/api/v1/watch/namespaces/team/pods?timeoutSeconds=1",
        None,
        (YES, YES, YES, YES, NO),
    ),
    "pods of all namespaces": ("GET", "/api/v1/pods", None, (YES, NO, NO, NO, NO)),
    "watch pods of all namespaces": ("GET", "/api/v1/pods?watch=1&timeoutSeconds=1", None, (YES, NO, NO, NO, NO)),
    "create a pod": ("POST", f"{TEAM}/pods", POD, (YES, YES, YES, NO, NO)),
    "delete all pods": ("DELETE", f"{TEAM}/pods?dryRun=All", None, (YES, YES, YES, NO, NO)),
    "status": ("PATCH", f"{TEAM}/pods/p/status", {}, (YES, YES, YES, NO, NO)),
    "log": ("GET", f"{TEAM}/pods/p/log", None, (YES, YES, YES, YES, NO)),
    "scale": ("PUT", "/apis/apps/v1/namespaces/team/deployments/d/scale", {}, (YES, YES, YES, NO, NO)),
    "evict": ("POST", f"{TEAM}/pods/p/eviction", {}, (YES, YES, YES, NO, NO)),
    "bind": ("POST", f"{TEAM}/pods/p/binding", BINDING, (YES, YES, NO, NO, NO)),
    "list secrets": ("GET", f"{TEAM}/secrets", None, (YES, YES, YES, NO, NO)),
    "create a secret": ("POST", f"{TEAM}/secrets", SECRET, (YES, YES, YES, NO, NO)),
    "secrets of another namespace": ("GET", f"{OTHER}/secrets", None, (YES, NO, NO, NO, NO)),
    "nodes": ("GET", "/api/v1/nodes", None, (YES, YES, YES, YES, YES)),
    "taint a node": ("PATCH", "/api/v1/nodes/n", {}, (YES, NO, NO, NO, NO)),
    "namespaces": ("GET", "/api/v1/namespaces", None, (YES, NO, NO, NO, NO)),
    "its own namespace": ("GET", TEAM, None, (YES, YES, YES, YES, NO)),
    "delete a namespace": ("DELETE", f"{TEAM}?dryRun=All", None, (YES, NO, NO, NO, NO)),
    "clusters": ("GET", "/apis/bayplan.io/v1alpha1/clusters", None, (YES, NO, NO, NO, NO)),
    "discovery": ("GET", "/apis", None, (YES, YES, YES, YES, YES)),
    "schemas": ("GET", "/openapi/v3", None, (YES, YES, YES, YES, YES)),
    "gpus": ("GET", "/v1/gpus", None, (YES, NO, NO, NO, NO)),
    "ledger": ("GET", "/v1/ledger", None, (YES, NO, NO, NO, NO)),
    "queue": ("GET", "/v1/queue", None, (YES, NO, NO, NO, NO)),
    "records": ("GET", "/v1/records", None, (YES, NO, NO, NO, NO)),
    "a record": ("GET", "/v1/records/1", None, (YES, NO, NO, NO, NO)),
    "plan": ("POST", "/v1/plan", {}, (YES, NO, NO, NO, NO)),
    "why": ("GET", "/v1/why/pods/p?namespace=team", None, (YES, YES, YES, YES, NO)),
    "tokens": ("GET", "/v1/tokens", None, (YES, NO, NO, NO, NO)),
    "make a token": ("POST", "/v1/tokens", {"name": "", "role": "admin"}, (YES, NO, NO, NO, NO)),
    "revoke a token": ("DELETE", "/v1/tokens/nothing", None, (YES, NO, NO, NO, NO)),
}


@pytest.fixture(scope="module")
def tokens(secure):
    for name in ("team", "other"):
        assert secure.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}}).code == 201
    return {
        "admin": secure.admin_token(),
        "team-admin": secure.token("team-admin", "admin", "team"),
        "editor": secure.token("editor", "editor", "team"),
        "viewer": secure.token("viewer", "viewer", "team"),
        "stranger": secure.token("stranger", "viewer", "other"),
    }


@pytest.mark.parametrize(("method", "path", "body", "allowed"), REQUESTS.values(), ids=REQUESTS)
def test_who_may(secure, tokens, method, path, body, allowed):
    media = "application/merge-patch+json" if method == "PATCH" else "application/json"
    codes = [secure.ask(method, path, body, token=tokens[user], media=media).code for user in USERS]

    assert tuple(code != 403 for code in codes) == allowed, codes
    assert all(code < 500 for code in codes)


@pytest.mark.parametrize(
    "path", ["/", "/api", "/apis", "/version", "/openapi/v3", "/metrics", "/v1/gpus", "/v1/tokens"]
)
@pytest.mark.parametrize("token", ["", "wrong", "bayplan_abcdefghij_" + "x" * 43])
def test_no_path_is_open(secure, path, token):
    answer = secure.ask("GET", path, token=token)

    assert (answer.code, answer.header("www-authenticate")) == (401, "Bearer")


def test_a_token_is_shown_once_and_stored_as_a_hash(secure, tokens):
    secret = tokens["viewer"][len("bayplan_0123456789_") :]
    listed = secure.ask("GET", "/v1/tokens").body.decode()
    with sqlite3.connect(secure.data / "bayplan.db") as database:
        dump = str(database.execute("SELECT CAST(object AS TEXT) FROM revisions").fetchall())

    assert "viewer" in listed
    assert "viewer" in dump
    assert secret not in listed + dump
    assert "hash" not in listed


def test_a_revoked_token(secure, tokens):
    token = secure.token("short", "viewer", "team")
    assert secure.ask("GET", f"{TEAM}/pods", token=token).code == 200
    assert secure.ask("DELETE", "/v1/tokens/short").code == 200
    assert secure.ask("GET", f"{TEAM}/pods", token=token).code == 401


def review(secure, token, **asked):
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer = secure.ask("POST", path, {"spec": {"resourceAttributes": asked}}, token=token)
    return answer.document["status"]["allowed"]


def test_can_i(secure, tokens):
    viewer = tokens["viewer"]
    assert review(secure, viewer, verb="list", resource="pods", namespace="team")
    assert not review(secure, viewer, verb="delete", resource="pods", namespace="team")
    assert not review(secure, viewer, verb="get", resource="secrets", namespace="team")
    assert not review(secure, viewer, verb="list", resource="pods")
    assert not review(secure, viewer, verb="*", resource="*")
    assert review(secure, None, verb="*", resource="*")


@pytest.mark.parametrize(("verb", "allowed"), [("get", True), ("post", False)])
def test_can_i_ask_a_path(secure, tokens, verb, allowed):
    body = {"spec": {"nonResourceAttributes": {"path": "/v1/tokens", "verb": verb}}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert secure.ask("POST", path, body, token=tokens["viewer"]).document["status"]["allowed"] is allowed


def test_rules(secure, tokens):
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"

    def rules(user, namespace):
        body = {"spec": {"namespace": namespace}}
        return secure.ask("POST", path, body, token=tokens[user]).document["status"]["resourceRules"]

    assert [rule for rule in rules("viewer", "team") if "secrets" in rule["resources"]] == []
    assert any("pods" in rule["resources"] for rule in rules("viewer", "team"))
    assert not any("pods" in rule["resources"] for rule in rules("viewer", "other"))
    assert any("*" in rule["verbs"] for rule in rules("admin", "team"))


def test_who_am_i(secure, tokens):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    user = secure.ask("POST", path, {}, token=tokens["editor"]).document["status"]["userInfo"]
    assert user["username"] == "editor"
