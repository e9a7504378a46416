import pytest

from bayplan.routing.accounts.flight import Flight
from bayplan.routing.accounts.pool import Pool
from bayplan.routing.endpoints.columns import AGELESS
from bayplan.routing.endpoints.endpoint import Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.requests.routed_request import RoutedRequest

KNOWN = EngineMetrics(waiting=2, running=3, kv_usage=0.5, kv_token_capacity=1000)


def account(metrics=KNOWN, **known):
    pool = Pool()
    pool.up(Endpoint("a", "10.0.0.1", known=KnownState(metrics, **known)), 10.0)
    return pool["a"]


def flight(on, number=1, tokens=100, sent_s=10.0, **more):
    return Flight(RoutedRequest(f"r{number}", prompt_tokens=tokens), None, number, sent_s, on, **more)


def load(of):
    cells = of.load()
    return tuple(cells[name] for name in ("waiting", "running", "kv_usage", "reserved_waiting"))


def test_a_request_waits_until_its_first_token_and_then_runs():
    a = account()
    sent = flight(a)
    sent.take_off()
    assert load(a) == (3, 3, 0.6, 1)

    sent.first_token()
    assert load(a) == (2, 4, 0.6, 0)

    sent.land()
    assert load(a) == (2, 3, 0.5, 0)


UNKNOWN = {
    "nothing is known": (EngineMetrics(), (None, None, None, 1)),
    "the capacity is not known": (EngineMetrics(waiting=0, kv_usage=0.5), (1, None, 0.5, 1)),
    "the capacity follows from blocks": (EngineMetrics(kv_usage=0.5, block_size=10, blocks=100), (None, None, 0.6, 1)),
    "usage is at most 1": (EngineMetrics(kv_usage=0.95, kv_token_capacity=1000), (None, None, 1.0, 1)),
}


@pytest.mark.parametrize(("metrics", "expected"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_unknown_stays_unknown(metrics, expected):
    a = account(metrics)
    flight(a).take_off()

    assert load(a) == expected


def test_new_metrics_contain_what_was_sent_until_then():
    a = account()
    first, second = flight(a, 1, sent_s=10.0), flight(a, 2, sent_s=11.0)
    first.take_off()
    second.take_off()
    second.first_token()

    a.report(EngineMetrics(waiting=1, running=0, kv_usage=0.1, kv_token_capacity=1000, attributes={"x": 2}), 10.5)

    assert load(a) == (1, 1, 0.2, 0)
    assert a.attributes == {"x": 2}
    first.land()
    assert load(a) == (1, 1, 0.2, 0)
    second.land()
    assert load(a) == (1, 0, 0.1, 0)


def test_what_metrics_contain_is_taken_away_where_it_is_evicted():
    a = account()
    sent = flight(a, tokens=200)
    sent.take_off()
    a.report(KNOWN, 10.0)

    assert sent.loads_without() == [
        (a, {**a.load(), "running": 2, "kv_usage": 0.3, "inflight_requests": 0, "inflight_tokens": 0})
    ]
    assert load(a) == (2, 3, 0.5, 0)

    sent.land(is_evicted=True)
    assert load(a) == (2, 2, 0.3, 0)
    a.report(EngineMetrics(), 11.0)
    assert load(a) == (None, None, None, 0)


def test_never_below_0():
    a = account(EngineMetrics(running=0, kv_usage=0.1, kv_token_capacity=1000))
    sent = flight(a, tokens=500)
    sent.take_off()
    a.report(a.metrics, 10.0)
    sent.land(is_evicted=True)

    assert load(a) == (None, 0, 0.0, 0)


def test_when_metrics_were_measured():
    assert account().metrics_at_s == AGELESS
    assert account(metrics_age_s=3.0).metrics_at_s == 7.0
    pool = Pool()
    pool.up(Endpoint("a", "10.0.0.1"), 10.0)
    assert pool["a"].metrics_at_s is None


def test_fractions_of_tokens_leave_nothing_behind():
    a = account(inflight_tokens=7)
    sent = [flight(a, number, uncached_tokens=0.1) for number in range(10)]
    for each in sent:
        each.take_off()
    for each in sent:
        each.first_token()

    assert a.load()["inflight_tokens"] == 7
