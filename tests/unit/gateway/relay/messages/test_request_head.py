"""Heads of clients: what the router reads, and what an engine gets to see."""

import pytest

from bayplan.gateway.relay.messages.request_head import header_lines, read_request_head, without


def passed_on(*headers):
    return b"".join(read_request_head(headers).lines)


DROPPED = [
    b"Connection", b"Keep-Alive", b"Proxy-Connection", b"TE", b"Trailer", b"Transfer-Encoding", b"Upgrade", b"Expect",
    b"Content-Length", b"HTTP2-Settings", b"Proxy-Authorization",
    b"x-llm-d-inference-objective", b"x-gateway-inference-objective", b"x-llm-d-inference-fairness-id",
    b"x-gateway-inference-fairness-id", b"x-llm-d-model-name-rewrite", b"x-gateway-model-name-rewrite",
    b"x-llm-d-slo-ttft-ms", b"x-llm-d-slo-tpot-ms", b"x-slo-ttft-ms", b"x-slo-tpot-ms", b"x-bayplan-decision",
    b"X-Gateway-Destination-Endpoint", b"x-gateway-destination-endpoint-subset",
    b"x-gateway-destination-endpoint-served", b"x-prefiller-host-port", b"x-encoder-hosts-ports",
    b"x-data-parallel-host-port", b"x-kv-cache-source-host-port",
]  # fmt: skip


@pytest.mark.parametrize("name", DROPPED)
def test_dropped(name):
    assert passed_on((name, b"1"), (b"Accept", b"*/*")) == b"Accept: */*\r\n"


@pytest.mark.parametrize("name", [b"Host", b"Authorization", b"x-session-token", b"X-Request-Id", b"content-type"])
def test_kept_as_it_came(name):
    assert passed_on((name, b"a value")) == name + b": a value\r\n"


def test_the_router_reads_all_of_them():
    head = read_request_head([(b"X-SLO-TTFT-ms", b"20"), (b"Accept", b"a"), (b"accept", b"b"), (b"X", b"\xe9")])

    assert head.texts == {"x-slo-ttft-ms": "20", "accept": "a, b", "x": "é"}


def test_headers_that_connection_names_are_dropped():
    head = [(b"X-Hop", b"1"), (b"Connection", b"keep-alive, x-hop, host"), (b"X-Kept", b"2"), (b"Host", b"h")]

    assert passed_on(*head) == b"X-Kept: 2\r\nHost: h\r\n"


@pytest.mark.parametrize(
    ("value", "line"), [(b"if-available", b""), (b"wait=1, If-Available", b""), (b"wait=1", b"Prefer: wait=1\r\n")]
)
def test_prefer_is_dropped_where_it_is_meant_for_the_router(value, line):
    assert passed_on((b"Prefer", value)) == line


def test_hosts_are_counted():
    assert read_request_head([(b"Host", b"a"), (b"host", b"b")]).hosts == 2


def test_lines_without_some_names():
    head = read_request_head([(b"X-One", b"1"), (b"X-Two", b"2")])

    assert b"".join(without(head, ["x-one"])) == b"X-Two: 2\r\n"


def test_added_headers_cannot_begin_others():
    assert header_lines({"a": "1", "b": "2\r\nc: 3", "d\n": "4", "e": "ü"}) == b"a: 1\r\ne: \xfc\r\n"
