"""Roles: default deny, per namespace."""

import pytest

from bayplan.api.access.roles import ANONYMOUS, Permission, Role, User

ADMIN = User("a", Role.ADMIN)
TEAM_ADMIN = User("t", Role.ADMIN, ("team",))
EDITOR = User("e", Role.EDITOR, ("team",))
VIEWER = User("v", Role.VIEWER, ("team",))

CASES = {
    "an admin changes nodes": (ADMIN, Permission("update", "nodes", namespaced=False), True),
    "an admin of a namespace reads nodes": (TEAM_ADMIN, Permission("list", "nodes", namespaced=False), True),
    "an admin of a namespace does not change nodes": (
        TEAM_ADMIN,
        Permission("update", "nodes", namespaced=False),
        False,
    ),
    "an editor creates in its namespace": (EDITOR, Permission("create", "pods", namespace="team"), True),
    "an editor does not create elsewhere": (EDITOR, Permission("create", "pods", namespace="other"), False),
    "an editor does not list all namespaces": (EDITOR, Permission("list", "pods"), False),
    "an editor reads secrets of its namespace": (EDITOR, Permission("get", "secrets", namespace="team"), True),
    "an editor does not bind": (
        EDITOR,
        Permission("create", "pods", namespace="team", subresource="binding"),
        False,
    ),
    "an admin of a namespace binds there": (
        TEAM_ADMIN,
        Permission("create", "pods", namespace="team", subresource="binding"),
        True,
    ),
    "a viewer lists": (VIEWER, Permission("list", "pods", namespace="team"), True),
    "a viewer watches": (VIEWER, Permission("watch", "pods", namespace="team"), True),
    "a viewer does not delete": (VIEWER, Permission("delete", "pods", namespace="team"), False),
    "a viewer reads no secrets": (VIEWER, Permission("get", "secrets", namespace="team"), False),
    "a viewer sees its namespace": (VIEWER, Permission("get", "namespaces", namespaced=False, name="team"), True),
    "a viewer does not see another": (VIEWER, Permission("get", "namespaces", namespaced=False, name="x"), False),
    "a viewer lists no namespaces": (VIEWER, Permission("list", "namespaces", namespaced=False), False),
    "a viewer watches no namespaces": (VIEWER, Permission("watch", "namespaces", namespaced=False), False),
    "a viewer lists nodes": (VIEWER, Permission("list", "nodes", namespaced=False), True),
    "a viewer reads no clusters": (VIEWER, Permission("get", "clusters", "bayplan.io", namespaced=False), False),
    "an editor creates no binding": (EDITOR, Permission("create", "bindings", namespace="team"), False),
    "somebody without a token reads no pods": (ANONYMOUS, Permission("list", "pods", namespace="team"), False),
    "somebody without a token lists no pods": (ANONYMOUS, Permission("list", "pods"), False),
    "everybody asks what it may do": (
        VIEWER,
        Permission("create", "selfsubjectaccessreviews", "authorization.k8s.io", namespaced=False),
        True,
    ),
    "unknown verbs are refused": (ADMIN, Permission("impersonate", "pods", namespace="team"), False),
}


@pytest.mark.parametrize(("user", "wanted", "allowed"), CASES.values(), ids=CASES)
def test_roles(user: User, wanted: Permission, allowed: bool) -> None:
    assert (user.refusal(wanted) == "") is allowed
