"""A planner from documents."""

import pytest

from bayplan.framework.errors import ConfigError, InputError
from bayplan.library import planner as planner_module
from bayplan.library.planner import planner_of

CLUSTER = {"workers": [{"name": "a", "gpus": {"count": 2, "model": "H100", "memory": "80Gi"}}]}


def test_a_planner_on_a_cluster():
    planner, inventory = planner_of(CLUSTER, seed=5, now=7.0)

    assert [worker.name for worker in planner.state.cluster.workers] == ["a"]
    assert (planner.state.seed(2), planner.state.now, inventory.warnings) == (7, 7.0, ())


def test_strategies_of_a_configuration():
    config = {
        "scheduler": "placement",
        "plugins": [{"type": "spread"}, {"type": "max-score"}],
        "schedulingProfiles": [{"name": "even", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]}],
    }
    planner, _ = planner_of(CLUSTER, config=config)

    assert planner.state.strategies.strategy("pack") == "even"


def test_a_configuration_of_another_scheduler():
    config = {
        "scheduler": "routing",
        "plugins": [{"type": "max-score"}],
        "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "max-score"}]}],
    }
    with pytest.raises(InputError) as caught:
        planner_of(CLUSTER, config=config)

    assert "scheduler" in caught.value.place
    assert "routing" in caught.value.message


def test_a_broken_configuration():
    with pytest.raises(ConfigError, match="binpak"):
        planner_of(
            CLUSTER, config={"scheduler": "placement", "plugins": [{"type": "binpak"}], "schedulingProfiles": []}
        )


def packing(handler=None, **profile):
    plugins = [{"type": "binpack"}, {"type": "max-score"}, *([{"type": handler}] if handler else [])]
    uses = [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]
    named = {"profileHandler": {"pluginRef": handler}} if handler else {}
    profiles = [{"name": "p", "plugins": uses, **profile}]
    return {"scheduler": "placement", "plugins": plugins, "schedulingProfiles": profiles, **named}


UNPLANNED = {
    "another handler": (packing("single-profile"), "profileHandler", "does not run the fit tiers"),
    "other candidates": (packing(candidates="racks"), "schedulingProfiles[0].candidates", "'racks' are not planned"),
}


@pytest.mark.parametrize(("config", "place", "problem"), UNPLANNED.values(), ids=UNPLANNED)
def test_what_plans_would_not_follow_is_refused(config, place, problem):
    with pytest.raises(InputError, match=problem) as caught:
        planner_of(CLUSTER, config=config)

    assert place in caught.value.place


UNSAID = {key: value for key, value in packing().items() if key != "scheduler"}


@pytest.mark.parametrize("config", [packing(), packing("fit-tiers"), packing(candidates="workers"), UNSAID])
def test_what_plans_do_anyway_may_be_said(config):
    planner, _ = planner_of(CLUSTER, config=config)

    assert planner.state.strategies.strategy("p") == "p"


def test_only_a_planner_that_lives_long_compiles(monkeypatch):
    made = []
    monkeypatch.setattr(planner_module, "NumbaCompiler", lambda: made.append("compiler"))
    planner_of(CLUSTER)
    assert made == []

    planner_of(CLUSTER, long_lived=True)
    assert made == ["compiler"]
