"""What a client may ask about itself."""

import pytest

from bayplan.api.access.roles import Role, User
from served_api import run

VIEWER = User("v", Role.VIEWER, ("team",))
ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

CASES = {
    "get pods": ({"verb": "get", "resource": "pods", "namespace": "team"}, True),
    "delete pods": ({"verb": "delete", "resource": "pods", "namespace": "team"}, False),
    "get pods elsewhere": ({"verb": "get", "resource": "pods", "namespace": "x"}, False),
    "list nodes": ({"verb": "list", "resource": "nodes"}, True),
    "everything": ({"verb": "*", "resource": "*"}, False),
}


@pytest.mark.parametrize(("attributes", "allowed"), CASES.values(), ids=CASES)
def test_may_it(attributes, allowed):
    async def talk(api):
        return await api.ask("POST", ACCESS, {"spec": {"resourceAttributes": attributes}}, user=VIEWER)

    answer = run(talk)
    assert answer.status == 201
    assert answer.json["status"]["allowed"] is allowed
    assert bool(answer.json["status"].get("reason")) is not allowed


def test_who_is_it():
    async def talk(api):
        return await api.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, user=VIEWER)

    assert run(talk).json["status"]["userInfo"] == {"username": "v", "groups": ["bayplan:viewer"]}


def test_what_a_role_does_not_allow_is_refused():
    async def talk(api):
        return await api.ask("GET", "/api/v1/namespaces/team/secrets", user=VIEWER)

    answer = run(talk)
    assert answer.status == 403
    assert 'User "v" cannot list resource "secrets"' in answer.json["message"]
