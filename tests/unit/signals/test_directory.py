import asyncio
import logging

import pytest

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.rewrite import Rewrite
from bayplan.signals.address_guard import AddressGuard
from bayplan.signals.directory import Directory
from bayplan.signals.endpoint_health import EndpointHealth
from unit.signals.worlds import HeardRouter


class HeardFollower:
    def __init__(self):
        self.told = []

    def up(self, endpoint):
        self.told.append(("up", endpoint.name))

    def down(self, name):
        self.told.append(("down", name))


@pytest.fixture
def world():
    return _world


def _world(check):
    async def run():
        router, follower = HeardRouter(), HeardFollower()
        directory = Directory(router, AddressGuard(loopback=False))
        health = EndpointHealth(directory.leave_out)
        directory.follow(health, follower)
        check(directory, router, follower, health)
        health.close()

    asyncio.run(run())


def endpoint(name="a", ip="10.0.0.1", **more):
    return Endpoint(name, ip, **more)


def test_endpoints_come_change_and_go(world):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a"), endpoint("b")])
        directory.put("pods", "p", [endpoint("a"), endpoint("b", labels={"x": "y"})])
        directory.put("pods", "p", [endpoint("a")])
        directory.put("pods", "p", [])

        ups, downs = [("up", each, True) for each in "abb"], [("down", "b"), ("down", "a")]
        assert router.told == [*ups, *downs]
        assert follower.told == [("up", "a"), ("up", "b"), ("up", "b"), *downs]
        assert list(directory.keys("pods")) == []
        assert directory.endpoints == []

    world(check)


def test_another_process_at_the_same_address_is_a_new_endpoint(world):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a")], "first")
        directory.put("pods", "p", [endpoint("a")], "first")
        directory.put("pods", "p", [endpoint("a")], "second")
        directory.put("pods", "p", [])
        directory.put("pods", "p", [endpoint("a")], "third")

        up, down = ("up", "a", True), ("down", "a")
        assert router.told == [up, down, up, down, up]

    world(check)


def test_keys_do_not_touch_each_other(world):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a")])
        directory.put("pods", "q", [endpoint("b")])
        directory.put("file", "p", [endpoint("c")])
        directory.put("pods", "p", [])

        assert [each.name for each in directory.endpoints] == ["b", "c"]
        assert list(directory.keys("pods")) == ["q"]

    world(check)


def test_the_first_of_two_of_one_name_stays(world, caplog):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a")])
        directory.put("file", "f", [endpoint("a", "10.0.0.2")])

        assert router.endpoints["a"].ip == "10.0.0.1"
        assert "endpoint a of file f is left away: pods p has one of that name" in caplog.text

    with caplog.at_level(logging.WARNING):
        world(check)


def test_addresses_that_may_not_be_called(world, caplog):
    def check(directory, router, follower, health):
        directory.put("file", "f", [endpoint("a", "169.254.169.254"), endpoint("b")])

        assert list(router.endpoints) == ["b"]
        assert "169.254.169.254 is a link-local address" in caplog.text

    with caplog.at_level(logging.WARNING):
        world(check)


def test_an_endpoint_that_becomes_forbidden_is_gone(world):
    def check(directory, router, follower, health):
        directory.put("file", "f", [endpoint("a")])
        directory.put("file", "f", [endpoint("a", "127.0.0.1")])

        assert router.told == [("up", "a", True), ("down", "a")]

    world(check)


def test_endpoints_whose_requests_fail_are_not_ready(world):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a"), endpoint("b")])
        for _ in range(3):
            health.failed("a")
        assert not router.endpoints["a"].ready
        directory.put("pods", "p", [endpoint("a", labels={"x": "y"}), endpoint("b")])
        assert not router.endpoints["a"].ready
        health.succeeded("a")
        assert router.endpoints["a"].ready
        assert router.endpoints["a"].labels == {"x": "y"}

    world(check)


def test_an_endpoint_that_was_not_ready_begins_anew(world):
    def check(directory, router, follower, health):
        directory.put("pods", "p", [endpoint("a"), endpoint("b")])
        for _ in range(3):
            health.failed("a")
        directory.put("pods", "p", [endpoint("a", ready=False), endpoint("b")])
        directory.put("pods", "p", [endpoint("a"), endpoint("b")])

        assert router.endpoints["a"].ready

    world(check)


def test_objectives_and_rewrites_of_all_sources(world):
    def check(directory, router, follower, health):
        first, second = Rewrite("r", 1.0, ()), Rewrite("s", 2.0, ())
        directory.put_objectives("pools", {"a": 1})
        directory.put_objectives("file", {"b": 2})
        directory.put_rewrites("pools", [first])
        directory.put_rewrites("file", [second])
        assert router.objectives == {"a": 1, "b": 2}
        assert router.rewrites == [first, second]
        directory.put_objectives("pools", {})
        directory.put_rewrites("pools", [])
        assert router.objectives == {"b": 2}
        assert router.rewrites == [second]

    world(check)
