"""Decode and prefill, the older way."""

import pytest

from bayplan.routing.deciders.always_disagg_pd_decider import AlwaysDisaggPdDecider
from bayplan.routing.handlers.pd_profile_handler import PdProfileHandler
from bayplan.routing.stages import Stages
from unit.routing.endpoint_tables import refused_at
from unit.routing.handlers.stages_of import decided, headers, pool, profile

ALL = pool("decode", "prefill")


def handler(**parameters):
    made = PdProfileHandler(**parameters)
    made.connect("h", {"pd": AlwaysDisaggPdDecider()})
    return made


CASES = {
    "no decider": ({}, ["decode"], Stages()),
    "a decider": ({"decider_plugin_name": "pd"}, ["decode", "prefill"], Stages(prefill="prefill")),
    "a shared port": ({"primary_port": 9100}, ["decode"], Stages(port=9100)),
}


@pytest.mark.parametrize(("parameters", "ran", "stages"), CASES.values(), ids=CASES)
def test_stages(parameters, ran, stages):
    picked, primary, found = decided(handler(**parameters), [profile("decode"), profile("prefill")], ALL)

    assert (list(picked), primary, found) == (ran, "decode", stages)


def test_headers():
    prefiller, rank = {"x-prefiller-host-port": "10.0.0.2:8000"}, {"x-data-parallel-host-port": "10.0.0.1:8000"}

    assert headers(handler(), ALL, "decode") == {}
    assert headers(handler(), ALL, "decode", prefill=(1,)) == prefiller
    assert headers(handler(primary_port=9100), ALL, "decode", prefill=(1,)) == prefiller | rank


@pytest.mark.parametrize("port", [-1, 65_536])
def test_ports(port):
    assert refused_at(PdProfileHandler, primary_port=port) == "primary_port"
