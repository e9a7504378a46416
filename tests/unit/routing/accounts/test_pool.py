import pytest

from bayplan.routing.accounts.flight import Flight
from bayplan.routing.accounts.pool import Pool
from bayplan.routing.endpoints.columns import STATE, STATIC
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.requests.routed_request import RoutedRequest
from unit.routing.routers import endpoint


def pool(*endpoints):
    made = Pool()
    for each in endpoints:
        made.up(each, 0.0)
    return made


def test_the_table_has_every_column():
    made = pool(endpoint("a", 1, waiting=1, lora_active=frozenset({"x"}), labels={"llm-d.ai/role": "decode"}))

    assert set(made.table.columns) == {*STATIC, *STATE}
    row = {name: column[0] for name, column in made.table.columns.items()}
    assert (row["name"], row["full_name"], row["address"], row["ip"]) == ("a", "default/a", "10.0.0.1:8000", "10.0.0.1")
    assert (row["role"], row["waiting"], row["running"], row["lora_active"]) == ("decode", 1, None, {"x"})


def test_endpoints_come_change_and_go():
    made = pool(endpoint("a", 1), endpoint("b", 2), endpoint("c", 3, ready=False))
    assert (made.table.keys, made.ready) == (["a", "b", "c"], 2)

    before = made.table
    assert made.up(endpoint("c", 3, ready=True, waiting=4), 1.0) is False
    assert (made.table is before, made.ready, made.table.columns["waiting"][2]) == (True, 3, 4)

    assert made.down("a") is True
    assert made.down("a") is False
    assert (made.table.keys, made["c"].row, "a" in made) == (["b", "c"], 1, False)


def test_another_address_is_another_server():
    made = pool(endpoint("a", 1))
    old = made["a"]
    flight = Flight(RoutedRequest("r"), None, 1, 0.0, old)
    flight.take_off()

    assert made.up(endpoint("a", 2), 1.0) is True
    assert made.inflight() == {"a": (0, 0)}
    flight.land()
    assert made.inflight() == {"a": (0, 0)}
    assert not made.holds(old)


def test_discovery_without_a_document_keeps_the_metrics():
    made = pool(endpoint("a", 1, waiting=3))
    made.up(Endpoint("a", "10.0.0.1", labels={"x": "1"}), 1.0)

    assert made.table.columns["waiting"] == [3]
    assert made.table.columns["labels"] == [{"x": "1"}]


def test_reports():
    made = pool(endpoint("a", 1))
    made.report("a", EngineMetrics(waiting=7), 5.0)
    made.report("nobody", EngineMetrics(waiting=7), 5.0)

    assert (made.table.columns["waiting"], made.table.columns["metrics_at_s"]) == ([7], [5.0])


SUBSETS = {
    "all": (None, [0, 1, 3]),
    "an address": ({"10.0.0.1:8000"}, [0]),
    "a host": ({"10.0.0.2"}, [1, 3]),
    "one that is not ready": ({"10.0.0.3:8000"}, []),
    "nobody": (set(), []),
}


@pytest.mark.parametrize(("subset", "rows"), SUBSETS.values(), ids=SUBSETS)
def test_candidates(subset, rows):
    made = pool(endpoint("a", 1), endpoint("b", 2), endpoint("c", 3, ready=False), Endpoint("d", "10.0.0.2", 9000))

    assert made.candidates(subset) == rows


def test_names_and_addresses():
    made = pool(endpoint("a", 1), endpoint("b", 2, ready=False))

    assert (made.named("a"), made.named("10.0.0.2:8000"), made.named("x")) == ("a", "b", None)
    assert (made.is_ready("a"), made.is_ready("b"), made.is_ready("x")) == (True, False, False)


def test_an_ipv6_address_has_brackets():
    assert Endpoint("a", "fd00::1").address == "[fd00::1]:8000"
