import pytest

from bayplan.routing.accounts.flight import Flight
from bayplan.routing.accounts.pool import Pool
from bayplan.routing.endpoints.endpoint import Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.requests.routed_request import RoutedRequest


def account(name):
    pool = Pool()
    pool.up(Endpoint(name, "10.0.0.1", known=KnownState(EngineMetrics(waiting=0, running=0))), 0.0)
    return pool[name]


def flown(prefill, *, output_tokens=0):
    decode = account("decode")
    stage = {"none": None, "other": account("prefill"), "same": decode}[prefill]
    flight = Flight(RoutedRequest("r", prompt_tokens=40), None, 1, 0.0, decode, stage, 30, output_tokens)
    flight.take_off()
    return flight, decode, stage


def counts(account):
    return account and (account.requests, account.tokens, account.reserved_waiting, account.reserved_running)


STAGES = {
    "one stage": ("none", (1, 30, 1, 0), None, (1, 0, 0, 1), None),
    "two stages": ("other", (1, 0, 1, 0), (1, 30, 1, 0), (1, 0, 0, 1), (0, 0, 0, 0)),
    "two stages on one endpoint": ("same", (2, 30, 1, 0), (2, 30, 1, 0), (1, 0, 0, 1), (1, 0, 0, 1)),
}


@pytest.mark.parametrize(("prefill", "sent", "sent_prefill", "begun", "begun_prefill"), STAGES.values(), ids=STAGES)
def test_what_a_request_holds(prefill, sent, sent_prefill, begun, begun_prefill):
    flight, decode, stage = flown(prefill)
    assert (counts(decode), counts(stage)) == (sent, sent_prefill)

    flight.first_token()
    assert (counts(decode), counts(stage)) == (begun, begun_prefill)

    flight.land()
    assert counts(decode) == (0, 0, 0, 0)
    assert counts(stage) in (None, (0, 0, 0, 0))


@pytest.mark.parametrize("prefill", ["none", "other", "same"])
@pytest.mark.parametrize("evicted", [False, True])
def test_the_end_before_the_first_token_takes_everything(prefill, evicted):
    flight, decode, stage = flown(prefill, output_tokens=6)
    flight.land(is_evicted=evicted)

    assert counts(decode) == (0, 0, 0, 0)
    assert counts(stage) in (None, (0, 0, 0, 0))


def test_estimated_output_stays_until_the_end():
    flight, decode, _ = flown("none", output_tokens=6)
    assert decode.tokens == 36
    flight.first_token()
    assert decode.tokens == 6
    flight.land()
    assert decode.tokens == 0


def test_a_second_end_or_first_token_changes_nothing():
    flight, decode, _ = flown("none")
    for _ in range(2):
        flight.first_token()
        assert counts(decode) == (1, 0, 0, 1)
    for _ in range(2):
        flight.land()
        flight.first_token()
    assert counts(decode) == (0, 0, 0, 0)


@pytest.mark.parametrize("prefill", ["other", "same"])
def test_loads_without_it(prefill):
    flight, decode, stage = flown(prefill)
    before = counts(decode), counts(stage)

    loads = dict(flight.loads_without())

    assert [cells["inflight_requests"] for cells in loads.values()] == [0] * len(loads)
    assert set(loads) == {decode, stage}
    assert (counts(decode), counts(stage)) == before
