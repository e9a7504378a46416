"""Ranks share a port."""

import pytest

from bayplan.framework.errors import HandlerError
from bayplan.routing.handlers.data_parallel_profile_handler import DataParallelProfileHandler
from bayplan.routing.stages import Stages
from unit.routing.endpoint_tables import refused_at
from unit.routing.handlers.stages_of import decided, headers, pool, profile


def test_the_picked_address_gets_the_port():
    assert decided(DataParallelProfileHandler(9001), [profile("a")], pool("a")) == (
        {"a": ["a"]},
        "a",
        Stages(port=9001),
    )


def test_the_rank_stands_in_a_header():
    assert headers(DataParallelProfileHandler(), pool("a"), "p") == {"x-data-parallel-host-port": "10.0.0.1:8000"}


def test_several_profiles_are_refused():
    with pytest.raises(HandlerError, match="there are 2: a, b"):
        decided(DataParallelProfileHandler(), [profile("a"), profile("b")], pool("a"))
    assert not DataParallelProfileHandler().check(["a"])
    assert "data-parallel-profile-handler" in DataParallelProfileHandler().check(["a", "b"])[0]


@pytest.mark.parametrize("port", [-10, 0, 65_536])
def test_ports(port):
    assert refused_at(DataParallelProfileHandler, primary_port=port) == "primary_port"
