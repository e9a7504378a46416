"""Servers of Seldon in an inventory, with their configurations."""

import pytest

import bayplan
from bayplan.framework.errors import InputError


def thing(kind, name, spec, namespace="seldon"):
    return {
        "apiVersion": "mlops.seldon.io/v1alpha1", "kind": kind, "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }  # fmt: skip


def config(name, capabilities, namespace="seldon"):
    env = [{"name": "SELDON_SERVER_CAPABILITIES", "value": capabilities}]
    return thing("ServerConfig", name, {"podSpec": {"containers": [{"name": "agent", "env": env}]}}, namespace)


def offers(*documents):
    return {each["name"]: each["capabilities"] for each in bayplan.read_cluster(list(documents))["servers"]}


def test_a_server_is_joined_with_its_configuration_in_any_order():
    server = thing("Server", "s", {"serverConfig": "mine"})

    assert offers(server, config("mine", "a,b")) == offers(config("mine", "a,b"), server) == {"s": ["a", "b"]}


def test_a_configuration_of_the_same_namespace_comes_first():
    server = thing("Server", "s", {"serverConfig": "mine"})

    assert offers(config("mine", "a", "other"), config("mine", "b"), server) == {"s": ["b"]}
    assert offers(config("mine", "a", "other"), server) == {"s": ["a"]}


def test_an_unknown_configuration_is_told():
    found = bayplan.read_cluster([thing("Server", "s", {"serverConfig": "mine"})])

    assert any("'mine'" in each for each in found["warnings"])
    assert bayplan.read_cluster([thing("Server", "s", {"serverConfig": "triton"})])["warnings"] == []


def test_servers_beside_native_ones():
    native = {"servers": [{"name": "n"}], "bookings": [{"workload": "m", "server": "s", "serverReplica": 0}]}
    found = bayplan.read_cluster([native, thing("Server", "s", {"serverConfig": "mlserver"})])

    assert [each["name"] for each in found["servers"]] == ["n", "s"]
    assert len(found["bookings"]) == 1


def test_bookings_on_replicas_that_nobody_lists_are_told():
    found = bayplan.read_cluster([{"workers": [], "bookings": [{"workload": "m", "server": "s", "serverReplica": 3}]}])

    assert any("server 's' has no connected replica 3" in each for each in found["warnings"])


WRONG = {
    "two of one name": [thing("Server", "s", {"serverConfig": "m"})] * 2,
    "no serverConfig": [thing("Server", "s", {})],
}


@pytest.mark.parametrize("documents", WRONG.values(), ids=WRONG)
def test_wrong_servers(documents):
    with pytest.raises(InputError):
        bayplan.read_cluster(documents)
