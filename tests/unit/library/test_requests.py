"""From documents to what placement plans."""

import pytest

from bayplan.framework.errors import ConfigError, InputError
from bayplan.library.documents import documents_of
from bayplan.library.requests import located, planner_of, read_requests
from bayplan.sizing.need import MIB

CLUSTER = {"workers": [{"name": "a", "gpus": {"count": 2, "model": "H100", "memory": "80Gi"}}]}
MODEL = {"weights": "10Gi", "kvCache": "1Gi", "overhead": 0, "architecture": {"heads": 8, "kvHeads": 8, "layers": 8}}


def requests(*documents):
    return read_requests(documents_of(documents, "workloads"))


def workload(name="chat", **spec):
    return {"metadata": {"name": name}, "spec": spec}


def test_a_workload_with_the_size_of_its_model():
    (request,) = requests(workload(model=MODEL, backend={"name": "vllm", "args": ["-tp=2"]}, replicas=3))
    (member,) = request.members

    assert (request.workload.name, member.role, member.replicas) == ("chat", None, 3)
    assert (member.sized.need.weights_bytes, member.sized.need.kv_bytes) == (10_240 * MIB, 1024 * MIB)
    assert (member.sized.engine.name, member.sized.engine.tp) == ("vllm", 2)


def test_a_workload_without_a_model_has_no_need():
    (request,) = requests(workload(gpus={"count": 1}))

    assert request.members[0].sized.need is None


def test_roles_are_members_each_with_its_own_size():
    roles = [{"name": "x", "replicas": 2, "model": MODEL}, {"name": "y", "gpus": {"count": 1}}]
    (request,) = requests(workload(roles=roles))

    assert [(each.role, each.replicas, each.sized.need is None) for each in request.members] == [
        ("x", 2, False),
        ("y", 1, True),
    ]


def test_workloads_keep_their_order():
    assert [each.workload.name for each in requests(workload("b"), workload("a"))] == ["b", "a"]


def test_what_sizing_found_odd_is_told_once():
    roles = [{"name": name, "model": {"name": "m"}} for name in "xy"]
    (request,) = requests(workload(roles=roles))

    assert len(request.warnings) == len(set(request.warnings)) > 0


def test_documents_without_a_workload():
    with pytest.raises(InputError, match="there is no workload"):
        requests()


NAMED = {
    "a field": ("gpus.count", "workload chat: gpus.count"),
    "nowhere": ("", "workload chat"),
    "named already": ("workload chat: gpus.mig", "workload chat: gpus.mig"),
}


@pytest.mark.parametrize(("place", "wanted"), NAMED.values(), ids=NAMED)
def test_what_only_planning_finds_names_the_workload(place, wanted):
    (request,) = requests(workload())

    with pytest.raises(InputError) as caught, located(request.workload):
        raise InputError("is wrong", place=place, next="mend it", code="odd")

    assert (caught.value.place, caught.value.message) == (wanted, "is wrong")
    assert caught.value.next == "mend it"


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
