"""Endpoints: how they are told apart, and what nobody measured."""

from __future__ import annotations

import pytest

from bayplan.cluster.endpoint import Endpoint, EndpointMetrics

IDS = {
    "plain": (Endpoint("pod-a", "10.0.0.1", 8000), "default/pod-a"),
    "another namespace": (Endpoint("pod-a", "10.0.0.1", 8000, namespace="team"), "team/pod-a"),
    "first of several ports": (Endpoint("pod-a", "10.0.0.1", 8000, rank=0), "default/pod-a-rank-0"),
    "second of several ports": (Endpoint("pod-a", "10.0.0.1", 8001, rank=1), "default/pod-a-rank-1"),
}


@pytest.mark.parametrize(("endpoint", "endpoint_id"), IDS.values(), ids=IDS)
def test_id(endpoint, endpoint_id):
    assert endpoint.id == endpoint_id


def test_what_was_never_measured_is_not_zero():
    metrics = Endpoint("pod-a", "10.0.0.1", 8000).metrics

    assert metrics == EndpointMetrics()
    assert (metrics.running, metrics.waiting, metrics.kv_usage, metrics.updated_s) == (None, None, None, None)


def test_endpoints_can_be_keys():
    assert len({Endpoint("a", "10.0.0.1", 1), Endpoint("a", "10.0.0.1", 1), Endpoint("a", "10.0.0.1", 2)}) == 2
