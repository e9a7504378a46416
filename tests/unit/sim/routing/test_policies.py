from dataclasses import dataclass

import pytest

from bayplan.framework.errors import ConfigError, InputError
from bayplan.library.registry import routing_plugins
from bayplan.sim.routing.pickers import configs
from bayplan.sim.routing.pickers.scraped import Scraped
from bayplan.sim.routing.policies import POLICIES, PoolView, policy_named, policy_of
from bayplan.sim.routing.scenario import Scenario
from unit.sim.routing.traces import SPEC, request, turns

TALK = turns(30, gap_s=0.4, conversations=5)


@dataclass(frozen=True)
class LastOnly:
    """Scores 1 for the last endpoint."""

    name = "last-only"
    reads = ("name",)

    def score(self, ask, rows, cycle):
        return [float(name == max(rows.name)) for name in rows.name]


def config(*scorers):
    return {
        **configs.GIE_DEFAULTS,
        "plugins": [{"type": each} for each in scorers],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": each, "weight": 1} for each in scorers]}],
    }


def pool():
    engines = [SPEC.engine(100) for _ in range(3)]
    return PoolView(3, 50, 100, 0.001, Scraped(engines, 0.05, 0.05), seed=1)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_makes_a_picker_of_its_name(name):
    picker = policy_named(name)(pool())

    assert picker.name == name
    ((id_, engine),) = picker.arrive(request("a", 0.0, 1, 2), 0.0)
    assert id_ == "a"
    assert engine in range(3)


def test_an_unknown_policy_is_named_with_the_nearest():
    with pytest.raises(InputError, match="'earyl'") as refused:
        policy_named("earyl")

    assert "early" in refused.value.next


def test_a_configuration_is_a_policy():
    scenario = Scenario("talk", TALK, [SPEC] * 3)
    mine, turn = (scenario.replay(each) for each in (policy_of(config("prefix-cache-scorer")), "rr"))

    assert mine.reuse > turn.reuse


def test_a_configuration_may_name_plugins_that_are_handed_in():
    known = routing_plugins()
    known.register(LastOnly)
    picker = policy_of(config("last-only"), "mine", known)(pool())

    assert picker.name == "mine"
    assert [picker.arrive(request(id_, 0.0, 1), 0.0) for id_ in "ab"] == [[("a", 2)], [("b", 2)]]


def test_a_wrong_configuration_is_refused():
    with pytest.raises(ConfigError, match="last-only"):
        policy_of(config("last-only"))(pool())


BLOCK_SIZES = {"parts of the trace's blocks": 20, "the trace's blocks": 100, "several of them": 200}


@pytest.mark.parametrize("size", BLOCK_SIZES.values(), ids=BLOCK_SIZES)
def test_prefixes_are_found_with_other_block_sizes(size):
    given = {
        **config("prefix-cache-scorer"),
        "plugins": [{"type": "prefix-cache-scorer", "parameters": {"autoTune": False, "blockSizeTokens": size}}],
    }
    scenario = Scenario("talk", TALK, [SPEC] * 3)

    assert scenario.replay(policy_of(given)).reuse > scenario.replay("rr").reuse
