import threading

import pytest

from bayplan.cli.demo.sample_traffic import SampleTraffic
from bayplan.cli.gateway.relay_admin import NoRelayError
from bayplan.cli.output import Sheet
from unit.cli.small_admin import endpoint, small_admin


def send(server, ends=None, engines=1):
    return SampleTraffic(server.url, server.url, "tiny", ends or threading.Event()).send(engines)


def test_a_dozen_chats_are_counted_by_engine():
    found = [endpoint("e0", answered=100, prefixHitRate=0.5), endpoint("e1", ttftSecondsP50=0.0123)]
    with small_admin({"endpoints": found}) as server:
        sent = send(server)

    assert sent.answered == {"e0": 6, "e1": 6}
    assert not sent.failures
    assert {each["model"] for each in server.chats} == {"tiny"}
    assert len({each["messages"][0]["content"] for each in server.chats}) == 3
    title, table, _ = sent.parts("http://a:1")
    assert title.text == "12 chats through the relay at http://a:1"
    assert isinstance(table, Sheet)
    assert table.rows == [("e0", "6", "50% of the tokens", "-"), ("e1", "6", "-", "12 ms")]


def test_refused_chats_are_told():
    with small_admin({"endpoints": [endpoint("e0")]}) as server:
        server.chat_status = 503
        sent = send(server)

    assert sent.answered == {"e0": 0}
    assert sent.failures == {"answered with 503": 12}


def test_no_engine_no_chats():
    ends = threading.Event()
    with small_admin({"endpoints": [endpoint("e0", ready=False)]}) as server:
        ends.set()

        assert send(server, ends) is None
    assert server.chats == []


def test_a_server_that_stops_sends_no_more():
    ends = threading.Event()
    ends.set()
    with small_admin({"endpoints": [endpoint("e0")]}) as server:
        sent = send(server, ends)

    assert server.chats == []
    assert sent.failures == {"not sent: there was no time left": 12}


def test_no_relay():
    with small_admin({}) as server:
        pass

    with pytest.raises(NoRelayError):
        send(server)
