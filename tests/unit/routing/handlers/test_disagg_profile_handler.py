"""Stages of their own where deciders agree."""

import pytest

from bayplan.routing.deciders.always_disagg_multimodal_decider import AlwaysDisaggMultimodalDecider
from bayplan.routing.deciders.always_disagg_pd_decider import AlwaysDisaggPdDecider
from bayplan.routing.handlers.disagg_profile_handler import DisaggProfileHandler, StageDeciders, StageProfiles
from bayplan.routing.stages import Stages
from unit.routing.endpoint_tables import request
from unit.routing.handlers.stages_of import decided, headers, pool, profile

ALL = pool("decode", "prefill", "encode")
MEDIA = request(media=("1.png",))


def handler(prefill=None, encode=None, profiles=None):
    made = DisaggProfileHandler(profiles or StageProfiles(), StageDeciders(prefill, encode))
    made.connect("h", {"pd": AlwaysDisaggPdDecider(), "media": AlwaysDisaggMultimodalDecider()})
    return made


def profiles():
    return [profile("decode"), profile("prefill"), profile("encode")]


CASES = {
    "no deciders": (handler(), ALL, MEDIA, ["decode"], Stages()),
    "prefill": (handler("pd"), ALL, MEDIA, ["decode", "prefill"], Stages(prefill="prefill")),
    "encode, then prefill": (
        handler("pd", "media"), ALL, MEDIA, ["decode", "encode", "prefill"], Stages(prefill="prefill", encode="encode"),
    ),
    "a decider that does not agree": (
        handler("pd", "media"), ALL, request(), ["decode", "prefill"], Stages(prefill="prefill"),
    ),
    "decode fails": (handler("pd", "media"), pool("prefill", "encode"), MEDIA, ["decode"], Stages()),
    "prefill fails": (
        handler("pd"), pool("decode"), MEDIA, ["decode", "prefill"],
        Stages(warnings=("profile prefill found no endpoint; its stage is left out",)),
    ),
    "encode fails, prefill runs": (
        handler("pd", "media"), pool("decode", "prefill"), MEDIA, ["decode", "encode", "prefill"],
        Stages(prefill="prefill", warnings=("profile encode found no endpoint; its stage is left out",)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "table", "asked", "ran", "stages"), CASES.values(), ids=CASES)
def test_stages(plugin, table, asked, ran, stages):
    picked, primary, found = decided(plugin, profiles(), table, asked)

    assert (list(picked), primary, found) == (ran, "decode", stages)


def test_profiles_of_other_names():
    plugin = handler("pd", profiles=StageProfiles("dec", "pre"))
    named = [profile("dec", stage="decode"), profile("pre", stage="prefill")]

    assert decided(plugin, named, ALL) == ({"dec": ["decode"], "pre": ["prefill"]}, "dec", Stages(prefill="pre"))


HEADERS = {
    "decode alone": ({}, {}),
    "prefill": ({"prefill": (1,)}, {"x-prefiller-host-port": "10.0.0.2:8000"}),
    "all encoders": ({"encode": (2, 1)}, {"x-encoder-hosts-ports": "10.0.0.3:8000,10.0.0.2:8000"}),
}


@pytest.mark.parametrize(("rows", "wanted"), HEADERS.values(), ids=HEADERS)
def test_headers(rows, wanted):
    assert headers(handler(), ALL, "decode", **rows) == wanted
