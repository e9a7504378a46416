"""Configurations of serving: what decides, and what is refused."""

import pytest

import bayplan
from bayplan.framework.errors import BayplanError
from bayplan.library.serving.serving_planner import serving_decider

MODEL = {
    "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"},
    "spec": {"storageUri": "x", "memory": "10Mi"},
}  # fmt: skip
CLUSTER = {"servers": [{"name": "a", "memory": "50Mi"}, {"name": "b", "memory": "90Mi"}]}
PROFILE = {"name": "mine", "plugins": [{"pluginRef": "index"}, {"pluginRef": "max-score"}]}
CONFIG = {
    "scheduler": "serving",
    "plugins": [{"type": "index"}, {"type": "max-score"}],
    "schedulingProfiles": [PROFILE],
}


def test_the_default():
    assert bayplan.plan(MODEL, CLUSTER)["server"] == "b"


def test_a_configuration_of_ones_own():
    assert bayplan.plan(MODEL, CLUSTER, config=CONFIG)["server"] == "a", "nothing ranks servers but their names"
    assert bayplan.plan({**MODEL, "spec": {**MODEL["spec"], "memory": "60Mi"}}, CLUSTER, config=CONFIG)["server"] == "b"


WRONG = {
    "another scheduler": ({"scheduler": "placement"}, "scheduler", "not about serving"),
    "another handler": (
        {"plugins": [*CONFIG["plugins"], {"type": "single-profile"}],
         "profileHandler": {"pluginRef": "single-profile"}},
        "profileHandler", "two passes",
    ),
    "a profile too many": (
        {"schedulingProfiles": [PROFILE, {**PROFILE, "name": "other"}]}, "profileHandler", "needs the profiles",
    ),
    "a column that servers do not have": (
        {"plugins": [*CONFIG["plugins"], {"type": "binpack"}],
         "schedulingProfiles": [{"name": "m", "plugins": [*PROFILE["plugins"], {"pluginRef": "binpack"}]}]},
        "schedulingProfiles[0]", "binpack",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "place", "says"), WRONG.values(), ids=WRONG)
def test_wrong_configurations(change, place, says):
    with pytest.raises(BayplanError) as caught:
        serving_decider({**CONFIG, **change})

    assert place in caught.value.place
    assert says in str(caught.value)
